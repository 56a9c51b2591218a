//! What recording one event and recording a stream have in common.

use clap::ValueEnum;

use super::{Global, now};
use crate::cli::exit::{Exit, Failure};
use crate::cli::ui::Ui;
use crate::event::envelope::Severity;
use crate::event::id::{RunId, random_suffix};
use crate::run::dir::RunDir;
use crate::run::recorder::{Options, Recorded, Recorder};

/// What `emit` prints of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Print {
    /// The event's id
    Id,
    /// The run's id
    Run,
    /// The event's sequence
    Sequence,
    /// The event's id
    Event,
    /// Nothing
    None,
}

/// A severity on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum SeverityArg {
    Debug,
    Info,
    Warning,
    Error,
}

impl From<SeverityArg> for Severity {
    fn from(given: SeverityArg) -> Self {
        match given {
            SeverityArg::Debug => Self::Debug,
            SeverityArg::Info => Self::Info,
            SeverityArg::Warning => Self::Warning,
            SeverityArg::Error => Self::Error,
        }
    }
}

/// Opens the run to record to, making it where that is asked for.
pub(super) fn open(
    run_id: Option<RunId>,
    create: bool,
    options: Options,
    global: &Global,
) -> anyhow::Result<Recorder> {
    let now = now();
    let run_id = match run_id {
        Some(run_id) => run_id,
        None if create => RunId::parse(&format!("run_{}_{}", now.basic(), random_suffix()))?,
        None => {
            let failure = Failure::new(Exit::Usage, "no run given");
            let hint = "--run ID or RUNLOG_RUN=ID says which; `runlog emit run.created` makes one";
            return Err(failure.hint(hint).into());
        }
    };
    let run = RunDir::of(&global.runs_dir, &run_id);
    Ok(if create { Recorder::create(run, options)? } else { Recorder::open(run, options)? })
}

/// Says that a torn tail was moved away.
pub(super) fn tell_recovery(bytes: u64, ui: &Ui) {
    if bytes > 0 {
        ui.warn(&format!(
            "an interrupted write had left {bytes} bytes at the end of the log; \
             they were moved to logs/rejected.jsonl"
        ));
    }
}

/// Prints what was asked for of an event that is in the log.
pub(super) fn print(event: &Recorded, what: Print, run_id: &str, ui: &Ui) -> anyhow::Result<()> {
    let line = match what {
        Print::Id | Print::Event => event.event_id.clone(),
        Print::Run => run_id.to_owned(),
        Print::Sequence => event.sequence.to_string(),
        Print::None => return Ok(()),
    };
    ui.data(format!("{line}\n").as_bytes()).map_err(|error| {
        let message =
            format!("event {} is in the log, but could not be told: {error}", event.sequence);
        Failure::new(Exit::Io, message).into()
    })
}
