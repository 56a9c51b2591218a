//! Why a use case failed.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::fs::FsError;
use crate::log::LogError;
use crate::run::RunError;

/// Why a use case failed.
#[derive(Debug)]
pub(crate) enum OpsError {
    /// The run cannot be read or recorded to.
    Run(RunError),
    /// Waiting for signals or other processes failed.
    Wait(io::Error),
    /// The line of an event is no longer what it was when the log was read.
    EventChanged {
        /// The event's sequence.
        sequence: u64,
    },
    /// Another process exports to the same directory.
    ExportBusy {
        /// The directory.
        directory: PathBuf,
    },
    /// The directory has the exported chapters of another run.
    OtherRun {
        /// The directory.
        directory: PathBuf,
        /// The run whose chapters are there.
        run_id: String,
    },
    /// A file that the export did not write has the name of one of its files.
    NotExported {
        /// The file.
        path: PathBuf,
    },
}

impl fmt::Display for OpsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run(error) => error.fmt(f),
            Self::Wait(error) => error.fmt(f),
            Self::EventChanged { sequence } => write!(f, "event {sequence} has changed"),
            Self::ExportBusy { directory } => {
                write!(f, "another export writes to {}", directory.display())
            }
            Self::OtherRun { directory, run_id } => {
                write!(f, "{} holds the chapters of the run {run_id:?}", directory.display())
            }
            Self::NotExported { path } => {
                write!(f, "{} is not the export's: it was left as it is", path.display())
            }
        }
    }
}

impl std::error::Error for OpsError {
    /// The cause below the error that is shown: `Run` and `Wait` show their own message.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Run(error) => error.source(),
            Self::Wait(error) => error.source(),
            _ => None,
        }
    }
}

impl From<RunError> for OpsError {
    fn from(error: RunError) -> Self {
        Self::Run(error)
    }
}

impl From<LogError> for OpsError {
    fn from(error: LogError) -> Self {
        Self::Run(error.into())
    }
}

impl From<FsError> for OpsError {
    fn from(error: FsError) -> Self {
        Self::Run(error.into())
    }
}

impl From<io::Error> for OpsError {
    fn from(error: io::Error) -> Self {
        Self::Wait(error)
    }
}
