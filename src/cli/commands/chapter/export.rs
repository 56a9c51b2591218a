//! `runlog chapter export`: writes the tree of chapters as read-only files.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::cli::commands::{Global, RunArg, duration};
use crate::cli::exit::{Exit, Failure};
use crate::cli::ui::Ui;
use crate::fs::{Action, FsError, PathAt};
use crate::ops::chapter::export;
use crate::text::human::plural;

#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    #[command(flatten)]
    run: RunArg,
    /// The directory to write to [default: chapters/ in the run directory]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// How long to wait for another export (500ms, 10s, 2m)
    #[arg(long, default_value = "10s", value_name = "TIME", value_parser = duration)]
    lock_timeout: Duration,
}

pub(super) fn run(args: &ExportArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let run = args.run.find(global)?;
    let out = args.out.clone().map_or_else(|| run.chapters(), PathAt::of);
    if args.out.is_some() {
        let parent = out.path().parent().filter(|parent| !parent.as_os_str().is_empty());
        let made = parent.map_or(Ok(()), std::fs::create_dir_all);
        made.map_err(|error| FsError::io(out.path(), Action::Create, error))?;
    }
    let outcome = export(&run, &out, global.templates(ui)?, args.lock_timeout, ui)?;
    ui.note(&format!(
        "{} in {}: {} written, {} removed",
        plural(outcome.files, "file"),
        out.path().display(),
        outcome.written,
        outcome.removed
    ));
    match outcome.foreign.first() {
        None => Ok(Exit::Fine),
        Some(first) => {
            let count = plural(outcome.foreign.len() as u64, "name");
            let message = format!(
                "{count} already used by other files: {}",
                out.path().join(first).display()
            );
            Err(Failure::new(Exit::CannotCreate, message)
                .hint("an export never changes files that it did not write; move them away")
                .into())
        }
    }
}
