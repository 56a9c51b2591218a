//! Exit statuses. This is the only place where an error becomes a message, a hint and a status.

use std::fmt;
use std::io;
use std::path::Path;

use nix::errno::Errno;

use crate::agents::read::detect;
use crate::event::envelope::LineError;
use crate::event::id::BadId;
use crate::fs::{Cause, FsError, reason};
use crate::json::JsonError;
use crate::log::LogError;
use crate::ops::error::OpsError;
use crate::ops::wire::WireError;
use crate::run::RunError;
use crate::run::dir::EVENTS;
use crate::run::missing::MissingRun;
use crate::text::human::plural;

/// The meaning of an exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// Success.
    Fine,
    /// The answer is no, or there are errors.
    No,
    /// Wrong usage.
    Usage,
    /// Deliverables are incomplete.
    Incomplete,
    /// Deliverables are blocked.
    Blocked,
    /// The run did not end as expected.
    Unexpected,
    /// The input was rejected.
    Input,
    /// No such run or file.
    NoInput,
    /// An external command failed.
    Unavailable,
    /// A bug, or recording failed although the wrapped command succeeded.
    Bug,
    /// Cannot create.
    CannotCreate,
    /// Input or output failed; the outcome may be unknown.
    Io,
    /// Timed out waiting for the lock; nothing was written.
    Busy,
    /// The log is damaged.
    Damaged,
    /// An unsafe path, or no permission.
    Unsafe,
    /// The exit status of a wrapped command.
    Child(u8),
    /// Ended by a signal, after the input read so far was written.
    Signal(u8),
}

impl Exit {
    /// The numeric exit status.
    #[must_use]
    pub(super) fn code(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::No => 1,
            Self::Usage => 2,
            Self::Incomplete => 3,
            Self::Blocked => 4,
            Self::Unexpected => 5,
            Self::Input => 65,
            Self::NoInput => 66,
            Self::Unavailable => 69,
            Self::Bug => 70,
            Self::CannotCreate => 73,
            Self::Io => 74,
            Self::Busy => 75,
            Self::Damaged => 76,
            Self::Unsafe => 77,
            Self::Child(status) => status,
            Self::Signal(signal) => 128 + signal,
        }
    }
}

/// An error with its own message, hint and exit status.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    /// The exit status.
    pub(super) exit: Exit,
    /// What failed, with file and line.
    pub(super) message: String,
    /// What to do; may be empty.
    pub(super) hint: String,
}

impl Failure {
    /// A failure without a hint.
    pub(super) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), hint: String::new() }
    }

    /// The failure of a run, with what it is about.
    #[must_use]
    pub(super) fn of_run(error: &RunError, about: &str) -> Self {
        let (exit, hint) = of_run(error);
        Self { exit, message: format!("{about}: {error}"), hint }
    }

    /// Adds a hint.
    #[must_use]
    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// The message, hint and status of an error.
#[must_use]
pub(super) fn explain(error: &anyhow::Error) -> Failure {
    let message = sentence(error);
    let (exit, hint) = error.chain().find_map(classify).unwrap_or((Exit::Bug, String::new()));
    Failure { exit, message, hint }
}

/// An error and its causes in one sentence. A cause that the error already names is not repeated.
#[must_use]
pub(super) fn sentence(error: &anyhow::Error) -> String {
    let mut sentence = String::new();
    for cause in error.chain().map(told) {
        if !sentence.contains(&cause) {
            if !sentence.is_empty() {
                sentence.push_str(": ");
            }
            sentence.push_str(&cause);
        }
    }
    sentence
}

/// The text of a cause. Errors of the system are without their numbers.
fn told(cause: &(dyn std::error::Error + 'static)) -> String {
    cause.downcast_ref::<io::Error>().map_or_else(|| cause.to_string(), reason)
}

fn classify(error: &(dyn std::error::Error + 'static)) -> Option<(Exit, String)> {
    if let Some(failure) = error.downcast_ref::<Failure>() {
        return Some((failure.exit, failure.hint.clone()));
    }
    if let Some(error) = error.downcast_ref::<OpsError>() {
        return Some(of_ops(error));
    }
    if let Some(error) = error.downcast_ref::<RunError>() {
        return Some(of_run(error));
    }
    if let Some(error) = error.downcast_ref::<LogError>() {
        return Some(of_log(error));
    }
    if let Some(error) = error.downcast_ref::<FsError>() {
        return Some(of_fs(error));
    }
    if let Some(error) = error.downcast_ref::<WireError>() {
        return Some(of_wire(error));
    }
    if error.is::<BadId>() {
        return Some((Exit::Usage, String::new()));
    }
    if error.is::<JsonError>() || error.is::<LineError>() {
        return Some((Exit::Input, "nothing was recorded".to_owned()));
    }
    error.is::<io::Error>().then(|| (Exit::Io, String::new()))
}

/// The hint after a refused request to fold.
pub(super) const NOT_FOLDED: &str = "`runlog chapter index` shows the tasks; nothing was changed";

fn of_ops(error: &OpsError) -> (Exit, String) {
    let (exit, hint) = match error {
        OpsError::Run(error) => return of_run(error),
        OpsError::Wait(_) => (Exit::Io, ""),
        OpsError::EventChanged { .. } => (Exit::Damaged, ""),
        OpsError::ExportBusy { .. } => (Exit::Busy, "try again"),
        OpsError::OtherRun { .. } => {
            (Exit::CannotCreate, "export to another directory, or remove this one")
        }
        OpsError::NotExported { .. } | OpsError::Json(_) => (Exit::Bug, ""),
        OpsError::Output(_) | OpsError::Format { .. } => {
            (Exit::Io, "what was there before is unchanged")
        }
        OpsError::OtherRuns { .. } => (
            Exit::CannotCreate,
            "choose another directory with --out, or export --all runs into this one",
        ),
        OpsError::UnknownManifest { .. } => {
            (Exit::CannotCreate, "choose another directory with --out")
        }
        OpsError::NoSuchChapter(_) => {
            (Exit::NoInput, "`runlog chapter list RUN` shows the chapters")
        }
        OpsError::NoSuchPath(_) => (Exit::NoInput, "`runlog chapter ls RUN` lists the tree"),
        OpsError::IsFolder(_) => (Exit::NoInput, "`runlog chapter ls RUN PATH` lists it"),
        OpsError::Refused(_) => (Exit::Input, NOT_FOLDED),
        OpsError::Grows { .. } => (Exit::Busy, "nothing was written; try again"),
        OpsError::WorkerBusy { .. } => (
            Exit::Busy,
            "no summaries were added; try again later, or wait longer with --lock-timeout",
        ),
        OpsError::TokenCommand { .. } | OpsError::Hook { .. } => {
            (Exit::Unavailable, "no summary was recorded")
        }
        OpsError::RoundBusy => {
            (Exit::Busy, "no agent was asked; try again later, or wait longer with --lock-timeout")
        }
    };
    (exit, hint.to_owned())
}

fn of_run(error: &RunError) -> (Exit, String) {
    match error {
        RunError::Log(error) => of_log(error),
        RunError::NoSuchRun(missing) => (Exit::NoInput, instead(missing)),
        RunError::Ambiguous { .. } => (Exit::NoInput, "type more characters of the id".to_owned()),
        RunError::Exists(_) => (
            Exit::CannotCreate,
            "nothing was recorded; choose another id with --run or RUNLOG_RUN, or omit the id to \
             get a new one"
                .to_owned(),
        ),
        RunError::Conflict { .. } => {
            (Exit::Input, "nothing was recorded; use a new event id for each event".to_owned())
        }
        RunError::Input(_) => (Exit::Input, "nothing was recorded".to_owned()),
        RunError::UnknownFormat { .. } => {
            (Exit::Input, format!("nothing was recorded; --from takes {}", detect::known()))
        }
    }
}

/// The hint for a run that does not exist: the next step in this situation.
fn instead(missing: &MissingRun) -> String {
    match &missing.near[..] {
        [near] => format!("did you mean {near}?"),
        [near @ .., last] => format!("did you mean {} or {last}?", near.join(", ")),
        [] if missing.exact => {
            format!("`runlog emit run.created --run {}` creates this run", missing.name)
        }
        [] if missing.runs_dir.is_none() => {
            "a run is a directory with events.jsonl; without a /, the name is an id".to_owned()
        }
        [] if missing.runs > 0 => {
            format!("`runlog list` shows the {}", plural(missing.runs as u64, "run"))
        }
        [] => missing.runs_dir.as_deref().map_or_else(|| NO_RUNS.to_owned(), no_runs),
    }
}

/// The hint if there are no runs.
pub(super) const NO_RUNS: &str = "`runlog import --latest` imports a session of an agent; \
                                  --runs-dir names another directory";

/// The hint if there are no runs in that directory.
pub(super) fn no_runs(runs_dir: &Path) -> String {
    if !runs_dir.join(EVENTS).is_file() {
        return NO_RUNS.to_owned();
    }
    // `.` has no name, and `run` has an empty parent.
    let above = match (runs_dir.file_name(), runs_dir.parent()) {
        (Some(_), Some(above)) if above.as_os_str().is_empty() => Path::new(".").to_owned(),
        (Some(_), Some(above)) => above.to_owned(),
        _ => runs_dir.join(".."),
    };
    format!("this directory is a run itself: write --runs-dir {}", above.display())
}

fn of_log(error: &LogError) -> (Exit, String) {
    match error {
        LogError::Fs(error) => of_fs(error),
        LogError::Busy { .. } => {
            (Exit::Busy, "try again, or wait longer with --lock-timeout".to_owned())
        }
        LogError::Overtaken { .. } => (
            Exit::Io,
            "make the other program use `runlog emit`, or lock the log with flock(1); then repeat this command with the same --event-id"
                .to_owned(),
        ),
        LogError::Damaged { .. } => (
            Exit::Damaged,
            "nothing was written; `runlog validate RUN` shows the errors, and `--fix` appends an \
             event so that recording can continue"
                .to_owned(),
        ),
    }
}

fn of_wire(error: &WireError) -> (Exit, String) {
    let (exit, hint) = match error {
        WireError::Fs(error) => {
            let (exit, hint) = of_fs(error);
            let hint =
                if exit == Exit::Io { "the settings are unchanged".to_owned() } else { hint };
            return (exit, hint);
        }
        WireError::Fault { fault, .. } if fault.is_comment => (
            Exit::Input,
            "nothing was changed; remove the comments, or add the hooks by hand (`runlog init \
             --dry-run` in an empty directory shows them)",
        ),
        WireError::Fault { .. } | WireError::NotText(_) => {
            (Exit::Input, "nothing was changed; correct the file and try again")
        }
        WireError::Link(_) => {
            (Exit::Unsafe, "nothing was changed; put a regular file in its place, or use --user")
        }
        WireError::Changed(_) => (Exit::Busy, "the settings are unchanged; try again"),
    };
    (exit, hint.to_owned())
}

/// Whether the process or the system has no file handle left.
fn is_out_of_handles(error: &io::Error) -> bool {
    let code = error.raw_os_error().map(Errno::from_raw);
    matches!(code, Some(Errno::EMFILE | Errno::ENFILE))
}

fn of_fs(error: &FsError) -> (Exit, String) {
    match &error.cause {
        Cause::Unsafe(_) => (Exit::Unsafe, String::new()),
        Cause::Io(_, error) if is_out_of_handles(error) => {
            let hint = "the limit of open files is reached; raise it with `ulimit -n`";
            (Exit::Io, hint.to_owned())
        }
        Cause::Io(..) if error.is_forbidden() => (Exit::Unsafe, String::new()),
        Cause::Io(..) if error.is_creation() => (Exit::CannotCreate, String::new()),
        Cause::Io(..) if error.is_missing() => (Exit::NoInput, String::new()),
        Cause::Io(..) => (
            Exit::Io,
            "after removing the cause, repeat the command (`emit` with the same --event-id)"
                .to_owned(),
        ),
    }
}
