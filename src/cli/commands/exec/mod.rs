//! `runlog exec`

mod child;
mod events;
mod record;
mod streams;
mod tee;
mod window;

use std::ffi::OsString;
use std::time::Instant;

use clap::Args;

use self::events::{Captured, CommandCall, CommandOutcome};
use self::record::Record;
use self::streams::{SeenStream, StreamPlan};
use self::window::WindowRoom;
use super::emit_stream::{SourceArgs, format_name, format_of};
use super::recording::{ContentArgs, open};
use super::validate::deliverable;
use super::{Appending, Global, PARENT, default_run, enclosing_call};
use crate::cli::complete;
use crate::cli::exit::{Exit, Failure};
use crate::cli::offers;
use crate::cli::signals::Caught;
use crate::cli::ui::Ui;
use crate::event::id::{RunId, check_id};
use crate::fs::make_dir;
use crate::run::dir::RunDir;
use crate::run::options::RecordOptions;
use crate::run::requirement::Requirement;
use crate::text::units::size;

/// Run a command and record it as a tool call
///
/// Records tool.started and runs the command with the standard streams of this process. Then
/// records tool.completed or tool.failed (exit status, duration, the end of standard error), and
/// exits with the status of the command. RUNLOG_RUN and RUNLOG_RUNS_DIR name the run for the
/// command, and RUNLOG_PARENT the call: `runlog emit` and `runlog exec` in it record it as the
/// parent of their events.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  runlog exec --run fix-42 pytest -q
  runlog exec --run-new --deliverable report.md sh -c 'make && make test'
  runlog exec --run-new --from claude-code \\
    claude -p 'fix it' --output-format stream-json --verbose

Exit status:
  N      that of the command
  128+N  signal N ended the command
  127    the command does not exist
  126    the command cannot be run
  2      wrong usage; the command was not started
  66     there is no such run; the command was not started
  70     the command succeeded, but recording failed
  73     the run exists or cannot be created; the command was not started
  74     the command succeeded, but its output could not be written")]
pub(in crate::cli) struct ExecArgs {
    /// The exact id of the run; with --run-new, the id of the new run [default: RUNLOG_RUN]
    #[arg(long, value_name = "ID", add = complete::runs())]
    run: Option<String>,
    /// Create, start and end a run for this command; print its id on standard error
    #[arg(long)]
    run_new: bool,
    /// A file that the command must leave in $RUNLOG_RUNS_DIR/$RUNLOG_RUN/deliverables/, which
    /// exists when it starts: a path there, perhaps with conditions as in `validate --require`; can
    /// be repeated
    #[arg(long, value_name = "SPEC", requires = "run_new", value_parser = deliverable)]
    deliverable: Vec<String>,
    /// The name of the tool [default: the name of the command]
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// The id of the session [default: the session of the run]
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The id of the task [default: the task of the run]
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    /// The id of the event that caused the call [default: the call of `exec` that this runs in]
    #[arg(long, value_name = "EVENT_ID")]
    parent: Option<String>,
    /// A hierarchical scope, such as app/agent/tool
    #[arg(long, value_name = "KEY")]
    branch: Option<String>,
    /// Also record standard output as events; its format: native, auto (detect it), or that of an
    /// agent (`runlog import --help` lists them)
    #[arg(long, value_name = "DIALECT", add = offers::stream_formats(), value_parser = format_name)]
    from: Option<String>,
    /// Also record what the command prints, as data.stdout and data.stderr: everything (up to 32M
    /// of each stream), or with a limit the beginning and the end (4096, 64k, 1M)
    #[arg(long, value_name = "BYTES", num_args = 0..=1, require_equals = true,
        default_missing_value = "32M", value_parser = size)]
    capture: Option<usize>,
    #[command(flatten)]
    import: SourceArgs,
    #[command(flatten)]
    content: ContentArgs,
    #[command(flatten)]
    appending: Appending,
    /// The command and its arguments; options of runlog must come before it
    #[arg(value_name = "COMMAND", required = true, trailing_var_arg = true)]
    command: Vec<OsString>,
}

pub(super) fn run(args: &ExecArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let run_id = args.run_id()?;
    let options = args.content.over(args.appending.options(global, ui)?, global)?;
    let call = args.call(run_id.as_ref(), options)?;
    let signals = Caught::new(child::CAUGHT)?;
    let recorder = open(run_id, args.run_new, None, options, global)?;
    if !args.deliverable.is_empty() {
        make_dir(&recorder.run().deliverables())?;
    }
    let mut environment = environment(&recorder.run().name(), global)?;
    let mut record = Record::begin(recorder, &call, args.run_new, options, ui)?;
    environment.extend(record.call_id().map(|call| (PARENT.into(), call.into())));
    let feed =
        args.from.as_deref().and_then(|from| record.feed(format_of(from), !args.import.no_source));
    let mut plan = StreamPlan::new(feed, args.capture.map(WindowRoom::for_excerpt))?;
    let begun = Instant::now();
    let ending = child::run(&args.command, &environment, &mut plan, &signals);
    let duration = begun.elapsed();
    let seen = plan.seen();
    let whole = plan.whole;
    let unwritten = plan.through.iter().find_map(|through| through.failure());
    let unwritten = unwritten.map(|error| format!("the output could not be written: {error}"));
    child::leave(plan.through, &signals);
    let errors = seen.iter().find(|seen| seen.has_errors());
    let stderr = errors.map(|seen| seen.window.last(options.secrets));
    let output = args.captured(&seen, options);
    let is_one_output = errors.is_some_and(|errors| {
        output.iter().any(|one| one.stream == errors.name() && one.stream == "stdout")
    });
    let outcome = CommandOutcome { ending, duration, stderr, output, is_one_output };
    if let Some(trouble) = outcome.ending.trouble() {
        ui.warn(&format!("{}: {trouble}", args.command[0].to_string_lossy()));
    }
    let run = record.run().clone();
    let complete = record.end(&outcome, &args.import, ui);
    args.tell_missing(&run, ui);
    if let Some(unwritten) = &unwritten {
        ui.warn(unwritten);
    }
    Ok(match ending.status() {
        0 if unwritten.is_some() => Exit::Io,
        0 if !(complete && whole) => Exit::Bug,
        status => Exit::Child(status),
    })
}

impl ExecArgs {
    /// Warns of required files that the command did not leave. The exit status is the command's.
    fn tell_missing(&self, run: &RunDir, ui: &Ui) {
        let required = self.deliverable.iter().filter_map(|text| Requirement::parse(text).ok());
        for path in required.filter(|required| required.pattern.is_none()).map(|one| one.path) {
            let file = run.path().join(&path);
            if file.symlink_metadata().is_err() {
                let (file, run) = (file.display(), run.name());
                ui.warn(&format!(
                    "{file} is required, but is not there; see `runlog validate {run}`"
                ));
            }
        }
    }

    /// The id of the run; `None` if a run is to be created with a generated id.
    fn run_id(&self) -> anyhow::Result<Option<RunId>> {
        let given = match &self.run {
            Some(run) => Some(run.clone()),
            None if self.run_new => None,
            None => default_run(),
        };
        let parse = |id: String| {
            RunId::parse(&id).map_err(|bad| Failure::new(Exit::Usage, bad.to_string()))
        };
        Ok(given.map(parse).transpose()?)
    }

    /// What to record of the output.
    fn captured(&self, seen: &[SeenStream], options: RecordOptions) -> Vec<Captured> {
        let Some(limit) = self.capture else { return Vec::new() };
        let captured = |seen: &SeenStream| {
            let excerpt = seen.window.excerpt(limit, options.secrets);
            Captured { stream: seen.name(), excerpt, bytes: seen.window.total() }
        };
        seen.iter().map(captured).collect()
    }

    fn call(&self, run: Option<&RunId>, options: RecordOptions) -> anyhow::Result<CommandCall> {
        let given =
            [("--no-source", self.import.no_source), ("--receipt", self.import.receipt.is_some())];
        if let Some((option, _)) = given.iter().find(|(_, given)| *given && self.from.is_none()) {
            return Err(Failure::new(Exit::Usage, format!("{option} needs --from")).into());
        }
        let word = self.command.first().and_then(|word| word.to_str()).unwrap_or_default();
        if self.capture.is_some()
            && word.starts_with(|c: char| c.is_ascii_digit())
            && size(word).is_ok()
        {
            let message =
                format!("--capture needs `=` before its limit, so {word} was read as the command");
            let hint = format!("write `--capture={word}`");
            return Err(Failure::new(Exit::Usage, message).hint(hint).into());
        }
        for (what, id) in
            [("--session", &self.session), ("--task", &self.task), ("--parent", &self.parent)]
        {
            if let Some(id) = id {
                check_id(what, id).map_err(|bad| Failure::new(Exit::Usage, bad.to_string()))?;
            }
        }
        Ok(CommandCall {
            session: self.session.clone(),
            task: self.task.clone(),
            parent: self.parent.clone().or_else(|| enclosing_call(run.map(RunId::as_str))),
            branch: self.branch.clone(),
            required: self.deliverable.clone(),
            ..CommandCall::new(&self.command, self.tool.as_deref(), options.secrets)
        })
    }
}

/// The environment of this process, and the variables that name the run for the command.
fn environment(run: &str, global: &Global) -> anyhow::Result<Vec<(OsString, OsString)>> {
    const OWN: [&str; 3] = ["RUNLOG_RUN", "RUNLOG_RUNS_DIR", PARENT];
    let runs_dir = std::path::absolute(&global.runs_dir)?;
    let mut variables: Vec<(OsString, OsString)> =
        std::env::vars_os().filter(|(name, _)| !OWN.iter().any(|own| name == own)).collect();
    // A copied or renamed run is found by the name of its directory.
    variables.push((OWN[0].into(), run.into()));
    variables.push((OWN[1].into(), runs_dir.into()));
    Ok(variables)
}
