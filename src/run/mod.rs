//! The run directory: its layout, the recorder that appends to it, and the files
//! derived from its log.

pub(crate) mod batch;
pub(crate) mod blobs;
pub(crate) mod deliverables;
pub(crate) mod derive;
pub(crate) mod derived_log;
pub(crate) mod dir;
pub(crate) mod document;
pub(crate) mod file_type;
pub(crate) mod follower;
mod identity;
pub(crate) mod ids;
mod imported_ids;
pub(crate) mod line_buffer;
pub(crate) mod mend;
pub(crate) mod missing;
pub(crate) mod options;
pub(crate) mod output_path;
mod pairing;
mod preparing;
mod process_ids;
pub(crate) mod receipt;
pub(crate) mod recorder;
pub(crate) mod records;
pub(crate) mod rejects;
pub(crate) mod requirement;
pub(crate) mod runs;
pub(crate) mod source;
pub(crate) mod stream;
mod stream_line;
mod told_prompts;
pub(crate) mod witness;
mod writing;
mod xml;

use std::fmt;
use std::path::{Path, PathBuf};

use crate::event::envelope::LineError;
use crate::fs::FsError;
use crate::log::LogError;
use missing::MissingRun;

/// The reason why a run could not be found, created or recorded to.
#[derive(Debug)]
pub enum RunError {
    /// An error of the log.
    Log(LogError),
    /// No run with that name.
    NoSuchRun(Box<MissingRun>),
    /// Several runs match that beginning.
    Ambiguous {
        /// The given name.
        name: String,
        /// The runs that match.
        candidates: Vec<String>,
    },
    /// A `run.created` for a run that already has events.
    Exists(PathBuf),
    /// The log has an event with that id and other content.
    Conflict {
        /// The id.
        event_id: String,
        /// Sequence of the event in the log.
        sequence: u64,
    },
    /// The input is not a valid event.
    Input(LineError),
    /// The input is of no known format.
    UnknownFormat {
        /// What it looks like.
        looks_like: String,
    },
}

/// Runs that an error lists, at most.
const MATCHES: usize = 5;

impl RunError {
    /// The error for a directory without a run.
    #[must_use]
    pub fn no_such_run(run: &dir::RunDir) -> Self {
        Self::missing(&run.name(), run.path().parent().unwrap_or(run.path()))
    }

    /// The error for a name without a run in a runs directory.
    pub(crate) fn missing(name: &str, runs_dir: &Path) -> Self {
        Self::NoSuchRun(Box::new(MissingRun::of(name, runs_dir)))
    }
}

impl From<LogError> for RunError {
    fn from(error: LogError) -> Self {
        Self::Log(error)
    }
}

impl From<FsError> for RunError {
    fn from(error: FsError) -> Self {
        Self::Log(LogError::Fs(error))
    }
}

impl From<LineError> for RunError {
    fn from(error: LineError) -> Self {
        Self::Input(error)
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Log(error) => error.fmt(f),
            Self::NoSuchRun(missing) => missing.fmt(f),
            Self::Ambiguous { name, candidates } => {
                let shown = candidates.len().min(MATCHES);
                let more = match candidates.len() - shown {
                    0 => String::new(),
                    more => format!(", and {more} more"),
                };
                let list = candidates[..shown].join(", ");
                write!(f, "{name:?} matches {} runs: {list}{more}", candidates.len())
            }
            Self::Exists(path) => write!(f, "the run {} already has events", path.display()),
            Self::Conflict { event_id, sequence } => write!(
                f,
                "the event id {event_id:?} already belongs to event {sequence}, which has other content"
            ),
            Self::Input(error) => error.fmt(f),
            Self::UnknownFormat { looks_like } => {
                write!(f, "the input is of no known format: it looks like {looks_like}")
            }
        }
    }
}

impl std::error::Error for RunError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Log(error) => Some(error),
            Self::Input(error) => Some(error),
            _ => None,
        }
    }
}
