//! Errors of the use cases.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::chapter::plan::{Refusal, Request};
use crate::fs::{FsError, reason};
use crate::log::LogError;
use crate::run::RunError;
use crate::text::human::plural;

/// Why a use case failed.
#[derive(Debug)]
pub(crate) enum OpsError {
    /// The run cannot be read or recorded to.
    Run(RunError),
    /// Waiting for signals or other processes failed.
    Wait(io::Error),
    /// The line of an event has changed since the log was read.
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
    /// The chapter does not exist.
    NoSuchChapter(String),
    /// The path does not exist in the tree of chapters.
    NoSuchPath(String),
    /// The path is a folder, not a file.
    IsFolder(String),
    /// A request to fold was refused.
    Refused(Box<Refused>),
    /// The log grows faster than it can be read.
    Grows {
        /// The log.
        log: PathBuf,
    },
    /// Another worker serves the run.
    WorkerBusy {
        /// How long this one waited.
        waited: Duration,
    },
    /// Another process asks an agent about the chapters of the run.
    RoundBusy,
    /// The command that counts tokens failed.
    TokenCommand {
        /// Why.
        reason: String,
    },
    /// A command before or after the model failed.
    Hook {
        /// The option that names it.
        option: &'static str,
        /// Why.
        reason: String,
    },
    /// The output cannot be written.
    Output(io::Error),
    /// The library of a format cannot write a file.
    Format {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The directory has the tables of other runs.
    OtherRuns {
        /// The directory.
        directory: PathBuf,
        /// How many of its runs are not exported now.
        count: u64,
        /// One of them.
        run_id: String,
    },
    /// The list in the directory is of another version of the tables, or of another program.
    UnknownManifest {
        /// The list.
        path: PathBuf,
    },
    /// A document cannot be written as JSON.
    Json(serde_json::Error),
}

/// A refused request to fold.
#[derive(Debug)]
pub(crate) struct Refused {
    /// Its index among the requests, starting from 1.
    pub(crate) number: usize,
    /// The request.
    pub(crate) request: Request,
    /// Why it was refused.
    pub(crate) refusal: Refusal,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, request, refusal } = self;
        write!(f, "item {number} ({}, {:?}): {refusal}", request.range, request.name)
    }
}

impl fmt::Display for OpsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run(error) => error.fmt(f),
            Self::Wait(error) => error.fmt(f),
            Self::EventChanged { sequence } => {
                write!(f, "event {sequence} has changed since the log was read")
            }
            Self::ExportBusy { directory } => {
                write!(f, "another export writes to {}", directory.display())
            }
            Self::OtherRun { directory, run_id } => {
                write!(f, "{} already has the chapters of the run {run_id:?}", directory.display())
            }
            Self::NotExported { path } => {
                write!(f, "{} was not written by an export; it was not changed", path.display())
            }
            Self::NoSuchChapter(name) => write!(f, "there is no chapter {name:?}"),
            Self::NoSuchPath(path) => write!(f, "there is no {path:?} in the tree of chapters"),
            Self::IsFolder(path) => write!(f, "{path} is a folder, not a file"),
            Self::Refused(refused) => refused.fmt(f),
            Self::Grows { log } => write!(f, "{} grows faster than it can be read", log.display()),
            Self::WorkerBusy { waited } => {
                write!(
                    f,
                    "timed out after {waited:?}: another `runlog summarize` is working on the run"
                )
            }
            Self::RoundBusy => {
                f.write_str("timed out: another `runlog chapter run` is working on the run")
            }
            Self::TokenCommand { reason } => write!(f, "--token-cmd: {reason}"),
            Self::Hook { option, reason } => write!(f, "{option}: {reason}"),
            Self::Output(error) => write!(f, "cannot write the output: {}", reason(error)),
            Self::Format { path, reason } => {
                write!(f, "cannot write {}: {reason}", path.display())
            }
            Self::OtherRuns { directory, count, run_id } => {
                let (runs, directory) = (plural(*count, "other run"), directory.display());
                write!(f, "{directory} has the tables of {runs}, such as {run_id:?}")
            }
            Self::UnknownManifest { path } => {
                write!(f, "{} was not written by this version of runlog export", path.display())
            }
            Self::Json(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for OpsError {
    /// The cause of the error. `Run`, `Wait` and `Json` already show the message of what they
    /// contain.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Run(error) => error.source(),
            Self::Wait(error) => error.source(),
            Self::Json(error) => error.source(),
            Self::Output(error) => error.source(),
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

impl From<serde_json::Error> for OpsError {
    fn from(error: serde_json::Error) -> Self {
        Self::Json(error)
    }
}
