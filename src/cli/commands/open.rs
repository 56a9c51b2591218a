//! `runlog open`

use clap::Args;

use super::{Global, RunArg};
use crate::cli::browser;
use crate::cli::exit::Exit;
use crate::cli::ui::Ui;
use crate::ops::report::report_bad_lines;
use crate::ops::transcript::transcript;
use crate::run::dir::RunDir;
use crate::run::witness;
use crate::transcript::html;

/// Write the page of a run, and open it in the browser
///
/// The page is transcript.html in the run directory. The browser is the command in BROWSER, or
/// `browser` in your own config.toml, or the one of the system.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(in crate::cli) struct OpenArgs {
    #[command(flatten)]
    run: RunArg,
}

const AFTER_HELP: &str = "\
Examples:
  runlog open                    the newest run
  runlog open fix-42
  BROWSER=firefox runlog open fix-42

Exit status:
  0   the page was opened
  2   wrong usage
  66  no such run
  69  no browser, or it failed (the page was written)
  74  a file could not be read or written
  77  a path is unsafe, or permission is missing";

pub(super) fn run(args: &OpenArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    open_page(&args.run.find(global)?, global, ui)
}

/// Writes the page of a run, and opens it.
pub(super) fn open_page(run: &RunDir, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let (transcript, read) = transcript(run)?;
    report_bad_lines(read.bad_lines, run, ui);
    let page = run.directory().join("transcript.html");
    witness::put(&run.events(), &page, html::render(&transcript).as_bytes())?;
    browser::open(page.path(), global.settings()?, ui)?;
    Ok(Exit::Fine)
}
