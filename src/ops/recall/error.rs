//! Why a tool refuses a request. The messages are read by a model: each says what to do instead.

use std::fmt;

use crate::fs::FsError;
use crate::log::LogError;
use crate::ops::error::OpsError;
use crate::ops::search::BadQuery;
use crate::run::RunError;
use crate::summary::session::stored::versions_told;

/// Why a request has no result.
#[derive(Debug)]
pub(crate) enum RecallError {
    /// Another run is asked for, and only the bound one may be read.
    OtherRun {
        /// The run that was asked for.
        wanted: String,
        /// The run that may be read.
        bound: String,
    },
    /// A scope with other runs is asked for, and only the bound run may be read.
    OtherScope {
        /// The scope.
        scope: &'static str,
        /// The run that may be read.
        bound: String,
    },
    /// The directory of the bound run was removed.
    Gone {
        /// The run.
        run_id: String,
    },
    /// Another directory has the name of the bound run.
    Replaced {
        /// The run.
        run_id: String,
    },
    /// There is no other run with this id.
    NoSuchRun {
        /// The id.
        run_id: String,
    },
    /// The query cannot be searched for.
    Query(BadQuery),
    /// The query is longer than this many bytes.
    LongQuery(usize),
    /// A number is out of range.
    Range {
        /// The parameter.
        name: &'static str,
        /// The least value.
        least: u64,
        /// The greatest value.
        greatest: u64,
    },
    /// The run has no such event.
    NoSuchEvent {
        /// The run.
        run_id: String,
        /// The id that was asked for.
        event_id: String,
        /// An id that is nearly the same.
        near: Option<String>,
    },
    /// There is no such version of the session summary.
    NoSuchVersion {
        /// The version that was asked for.
        version: u64,
        /// The number of versions.
        versions: usize,
    },
    /// There is no such chapter, or no such page in a chapter.
    NoSuchChapter {
        /// What was asked for.
        wanted: String,
        /// The number of chapters.
        chapters: usize,
    },
    /// The log cannot be read.
    Failed(OpsError),
}

impl fmt::Display for RecallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherRun { wanted, bound } => write!(
                f,
                "refused: this server reads only the run {bound:?}, not {wanted:?}; omit run_id \
                 (other runs need a server that is started with --all-runs)"
            ),
            Self::OtherScope { scope, bound } => write!(
                f,
                "refused: this server reads only the run {bound:?}; use the scope current-run or \
                 current-hidden ({scope} needs a server that is started with --all-runs)"
            ),
            Self::Gone { run_id } => write!(
                f,
                "the run {run_id:?} is no longer there: its directory or its log was removed"
            ),
            Self::Replaced { run_id } => write!(
                f,
                "another directory now has the name of the run {run_id:?}; restart the server to \
                 read it"
            ),
            Self::NoSuchRun { run_id } => write!(
                f,
                "there is no run {run_id:?}; use the run_id of a result of session_search"
            ),
            Self::Query(BadQuery::Empty) => {
                f.write_str("the query has no word; give words, or phrases in double quotes")
            }
            Self::Query(error) => write!(f, "{error}; use fewer and rarer words"),
            Self::LongQuery(most) => {
                write!(f, "the query is longer than {most} bytes; use fewer and rarer words")
            }
            Self::Range { name, least, greatest } => {
                write!(f, "{name} must be a number from {least} to {greatest}")
            }
            Self::NoSuchEvent { run_id, event_id, near } => {
                write!(f, "the run {run_id:?} has no event {event_id:?}; ")?;
                match near {
                    Some(near) => write!(f, "did you mean {near:?}?"),
                    None => f.write_str("session_search returns the ids of events"),
                }
            }
            Self::NoSuchVersion { version, versions } => {
                write!(f, "there is no version {version}; {}", versions_told(*versions))
            }
            Self::NoSuchChapter { wanted, chapters } => {
                write!(f, "there is no chapter or page {wanted:?}; ")?;
                match chapters {
                    0 => f.write_str("the run has no chapters, use session_search instead"),
                    _ => f.write_str("call chapters without arguments to list them"),
                }
            }
            Self::Failed(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RecallError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Query(error) => Some(error),
            Self::Failed(error) => error.source(),
            _ => None,
        }
    }
}

impl From<RunError> for RecallError {
    fn from(error: RunError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<LogError> for RecallError {
    fn from(error: LogError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<FsError> for RecallError {
    fn from(error: FsError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<BadQuery> for RecallError {
    fn from(error: BadQuery) -> Self {
        Self::Query(error)
    }
}
