//! `runlog transcript`

use std::path::{Path, PathBuf};

use clap::Args;

use super::read::{events_until, tell_bad_lines};
use super::{Global, RunArg};
use crate::cli::exit::Exit;
use crate::cli::ui::Ui;
use crate::fs::{read_small, replace};
use crate::run::dir::RunDir;
use crate::secret::Rules;
use crate::summary::backfill::Backfills;
use crate::transcript::model::Model;
use crate::transcript::{Harness, markdown};

/// Write transcript.md: the run as a person wants to read it
///
/// It summarizes and links to the log, the records and the deliverables. The same events give
/// the same bytes. It is written by itself when the run is created and when it ends.
#[derive(Debug, Args)]
pub(in crate::cli) struct TranscriptArgs {
    #[command(flatten)]
    run: RunArg,
    /// Write elsewhere; - is standard output
    #[arg(short, long, value_name = "FILE|-")]
    output: Option<PathBuf>,
}

pub(super) fn run(args: &TranscriptArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let run = args.run.find(global)?;
    let (text, read) = render(&run, None)?;
    tell_bad_lines(read.bad_lines, &run, ui);
    match &args.output {
        Some(path) if path == Path::new("-") => ui.data(text.as_bytes())?,
        Some(path) => replace(path, text.as_bytes())?,
        None => {
            replace(&run.transcript(), text.as_bytes())?;
            ui.note(&format!("wrote {}", run.transcript().display()));
        }
    }
    Ok(Exit::Fine)
}

/// Writes the transcript of a run into its directory.
pub(super) fn write(run: &RunDir) -> anyhow::Result<()> {
    let (text, _) = render(run, None)?;
    Ok(replace(&run.transcript(), text.as_bytes())?)
}

/// The transcript of a run, of its events up to `last` where that is given.
pub(super) fn render(
    run: &RunDir,
    last: Option<u64>,
) -> anyhow::Result<(String, super::read::Read)> {
    let mut backfills = Backfills::default();
    events_until(run, last, |view, _| backfills.observe(view))?;
    let mut model = Model::default();
    let read = events_until(run, last, |view, line| {
        model.observe(view, line.offset, backfills.effective(view.event));
    })?;
    Ok((markdown::render(&model, &harness(run)), read))
}

/// Largest of the harness's files that is quoted, in bytes.
const MAX_QUOTED: u64 = 1 << 20;

/// The harness's own files of a run, as the transcript quotes them.
pub(super) fn harness(run: &RunDir) -> Harness {
    let text = |name: &str| {
        let bytes = read_small(&run.path().join(name), MAX_QUOTED).ok().flatten()?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Some(Rules::built_in().redact(&text).map_or(text, |redacted| redacted.text))
    };
    Harness { prompt: text("prompt.md"), system_prompt: text("effective-system-prompt.md") }
}
