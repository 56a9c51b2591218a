//! Why something failed, for programs that decide by it.

use std::fmt;

use crate::event::id::BadId;
use crate::fs::{Cause, FsError};
use crate::json::JsonError;
use crate::log::LogError;
use crate::ops::error::OpsError;
use crate::run::RunError;

/// What kind of failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// There is no such run, or its name is ambiguous.
    NotFound,
    /// The run exists already, or an event id is taken by other content.
    Exists,
    /// The input breaks a rule of the format: an id, a type, or JSON that is no object.
    Input,
    /// The lock was not free in time; nothing was written.
    Busy,
    /// The last line of the log is not an event of this run; nothing was written.
    Damaged,
    /// A path is a link, a device or a pipe; it was not touched.
    Unsafe,
    /// The system failed; the outcome of a write may be unknown.
    Io,
    /// A bug in this library.
    Bug,
}

/// Why something failed. Its text says what failed, on which file, and where in it.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    cause: Box<dyn std::error::Error + Send + Sync>,
}

impl Error {
    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// A failure of that kind.
    pub(super) fn new(
        kind: ErrorKind,
        cause: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self { kind, cause: cause.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cause.fmt(f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.source()
    }
}

fn of_fs(error: &FsError) -> ErrorKind {
    if matches!(error.cause, Cause::Unsafe(_)) { ErrorKind::Unsafe } else { ErrorKind::Io }
}

fn of_log(error: &LogError) -> ErrorKind {
    match error {
        LogError::Fs(error) => of_fs(error),
        LogError::Busy { .. } => ErrorKind::Busy,
        LogError::Overtaken { .. } => ErrorKind::Io,
        LogError::Damaged { .. } => ErrorKind::Damaged,
    }
}

fn of_run(error: &RunError) -> ErrorKind {
    match error {
        RunError::Log(error) => of_log(error),
        RunError::NoSuchRun { .. } | RunError::Ambiguous { .. } => ErrorKind::NotFound,
        RunError::Exists(_) | RunError::Conflict { .. } => ErrorKind::Exists,
        RunError::Input(_) => ErrorKind::Input,
    }
}

impl From<RunError> for Error {
    fn from(error: RunError) -> Self {
        Self::new(of_run(&error), error)
    }
}

impl From<OpsError> for Error {
    fn from(error: OpsError) -> Self {
        match error {
            OpsError::Run(error) => error.into(),
            other => Self::new(ErrorKind::Io, other),
        }
    }
}

impl From<FsError> for Error {
    fn from(error: FsError) -> Self {
        Self::new(of_fs(&error), error)
    }
}

impl From<BadId> for Error {
    fn from(error: BadId) -> Self {
        Self::new(ErrorKind::Input, error)
    }
}

impl From<JsonError> for Error {
    fn from(error: JsonError) -> Self {
        Self::new(ErrorKind::Input, error)
    }
}
