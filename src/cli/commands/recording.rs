//! Options and functions for recording, shared by single events and streams.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Global, now};
use crate::cli::exit::{Exit, Failure};
use crate::cli::ui::Ui;
use crate::event::draft::Draft;
use crate::event::id::{RunId, random_suffix};
use crate::event::severity::Severity;
use crate::run::RunError;
use crate::run::batch::RecordedEvent;
use crate::run::dir::RunDir;
use crate::run::options::RecordOptions;
use crate::run::recorder::{Recorder, check_first};
use crate::text::units::size;

/// What `emit` prints of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Print {
    /// The event's id
    Id,
    /// The run's id
    Run,
    /// The event's sequence
    Sequence,
    /// The whole event as JSON
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

/// The help heading of the options for the content of events.
const CONTENT: &str = "Content";

/// Options that limit the content of events.
#[derive(Debug, Args)]
pub(super) struct ContentArgs {
    /// Record secrets without replacing them (`validate` reports them)
    #[arg(long, help_heading = CONTENT, conflicts_with = "secret_rules")]
    no_redact: bool,
    /// Additional rules for secrets: a TOML file with [name], prefix, pattern [default: the rules
    /// in the settings]
    #[arg(long, help_heading = CONTENT, value_name = "FILE")]
    secret_rules: Option<PathBuf>,
    /// Store longer strings in blobs/ (4096, 16k, 1M)
    #[arg(long, help_heading = CONTENT, default_value = "16k", value_name = "BYTES", value_parser = size)]
    inline_limit: usize,
}

impl ContentArgs {
    /// The options, changed according to these arguments.
    pub(super) fn over(
        &self,
        options: RecordOptions,
        global: &Global,
    ) -> anyhow::Result<RecordOptions> {
        let secrets = match &self.secret_rules {
            _ if self.no_redact => None,
            Some(file) => Some(global.settings()?.rules(Some(file))?),
            None => options.secrets,
        };
        Ok(RecordOptions { secrets, inline_limit: self.inline_limit, ..options })
    }
}

/// Opens the run to record to. Creates it if this is requested.
pub(super) fn open(
    run_id: Option<RunId>,
    create: bool,
    first: Option<&Draft<'_>>,
    options: RecordOptions,
    global: &Global,
) -> anyhow::Result<Recorder> {
    let now = now();
    let run_id = match run_id {
        Some(run_id) => run_id,
        None if create => RunId::parse(&format!("run_{}_{}", now.basic(), random_suffix()))?,
        None => {
            let failure = Failure::new(Exit::Usage, "no run given");
            let hint = "name it with --run ID or RUNLOG_RUN=ID; `runlog emit run.created` and `runlog exec \
                 --run-new` create one";
            return Err(failure.hint(hint).into());
        }
    };
    let run = RunDir::of(&global.runs_dir, &run_id);
    if let Some(first) = first.filter(|_| create)
        && !run.events().is_there()
    {
        check_first(&run, first, options)?;
    }
    if create {
        return Ok(Recorder::create(&run, options)?);
    }
    let recorder = Recorder::open(&run, options).map_err(|error| match &error {
        RunError::NoSuchRun(_) => global.not_recorded(&run_id, error),
        _ => error.into(),
    })?;
    if !recorder.has_begun() {
        let message =
            format!("{} has no first event, so it is not a run", run.events().path().display());
        let hint =
            format!("begin it with `runlog emit run.created --run {run_id}`, or use --create");
        return Err(Failure::new(Exit::NoInput, message).hint(hint).into());
    }
    Ok(recorder)
}

/// Prints the requested value of a recorded event.
pub(super) fn print(
    event: &RecordedEvent,
    what: Print,
    recorder: &mut Recorder,
    ui: &Ui,
) -> anyhow::Result<()> {
    let mut line = match what {
        Print::Id => event.event_id.to_string().into_bytes(),
        // A copied or renamed run is found by the name of its directory.
        Print::Run => recorder.run().name().into_bytes(),
        Print::Sequence => event.sequence.to_string().into_bytes(),
        Print::Event => recorder.line_of(event)?.unwrap_or_default(),
        Print::None => return Ok(()),
    };
    line.push(b'\n');
    ui.data(&line).map_err(|error| {
        let message =
            format!("event {} is in the log, but could not be printed: {error}", event.sequence);
        Failure::new(Exit::Io, message).into()
    })
}
