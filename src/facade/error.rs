//! Errors, with a kind for programs that handle them.

use std::fmt;

use crate::event::id::BadId;
use crate::fs::{Cause, FsError};
use crate::json::JsonError;
use crate::log::LogError;
use crate::ops::error::OpsError;
use crate::run::RunError;

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// There is no such run, or its name is ambiguous.
    NotFound,
    /// The run exists already, or another event has this id.
    Exists,
    /// The input breaks a rule of the format: an id, a type, or JSON that is not an object.
    Input,
    /// Timed out waiting for the lock; nothing was written.
    Busy,
    /// The last line of the log is not an event of this run; nothing was written.
    Damaged,
    /// A path is a link, a device or a pipe; it was not changed.
    Unsafe,
    /// The system failed; the outcome of a write may be unknown.
    Io,
    /// A bug in this library.
    Bug,
}

/// Why something failed. The text says what failed, on which file, and at which place.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    cause: Box<dyn std::error::Error + Send + Sync>,
}

impl Error {
    /// The kind of failure.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// A failure of this kind.
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
        RunError::NoSuchRun(_) | RunError::Ambiguous { .. } => ErrorKind::NotFound,
        RunError::Exists(_) | RunError::Conflict { .. } => ErrorKind::Exists,
        RunError::Input(_) | RunError::UnknownFormat { .. } => ErrorKind::Input,
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
