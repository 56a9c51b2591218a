//! The log: `events.jsonl`, append-only, one event a line.
//!
//! # Format
//! UTF-8, one compact JSON object a line, ended by `\n`. Lines count by their
//! `sequence` 1, 2, 3 …; `prev_hash` is the lower-case hex SHA-256 of the line
//! before, without its newline, so that `sha256sum` alone can check the chain.
//! Blank lines are skipped. A line may have 8 MiB.
//!
//! # Why an acknowledged event is never lost
//! 1. One writer at a time: an exclusive `flock(2)` on the log itself ([`lock`]).
//!    The kernel frees it when its holder dies, so there are no stale locks. After
//!    locking, the writer checks that the file is still the one with that name.
//! 2. Only the holder of the lock judges the end of the file ([`settle`]). Bytes
//!    after the last newline are what an interrupted write left: either a whole
//!    record lacking its newline, which it gets, or a torn one, which is copied to
//!    `logs/rejected.jsonl`, synced there, and cut off. So no line is ever glued to
//!    a torn one, and no byte is thrown away. A `log.recovered` event tells of it. Who is
//!    killed before that leaves a log that ends just where the newest records in
//!    `logs/rejected.jsonl` begin: the next one tells, once, as the log grows by that ([`rejected`]).
//! 3. The next sequence comes from the last line ([`tail`]), which costs the same in
//!    a log of any length. There is no index beside the log that could disagree.
//! 4. All lines of one append, with their newlines, are one `write`. If it fails, the
//!    file is cut back to its old length. If the process is killed in it, rule 2 holds.
//!    Signals that can be caught wait until the lock is free. Then the length is looked at
//!    again: if a program without the lock appended meanwhile, what was written is taken
//!    back, and the new end is judged by rule 2.
//! 5. The lock is freed before `fdatasync`, which makes every earlier byte of the
//!    file durable too: so the log is always a prefix of what was acknowledged and
//!    more. A failed sync is reported and never tried again.
//! 6. Lines before the last newline are never changed, by anything.
//!
//! Readers take no lock. They read up to the length at opening, and treat bytes
//! after the last newline as a writer at work ([`reader`]).

pub mod lock;
pub mod part;
pub mod reader;
pub mod rejected;
pub mod settle;
mod signals;
pub mod tail;

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::fs::FsError;

/// The end of a log that is in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// Sequence of the last event; 0 in an empty log.
    pub sequence: u64,
    /// Hash of the last line; `None` in an empty log.
    pub hash: Option<String>,
    /// Bytes in the log.
    pub end: u64,
}

/// Why a log could not be read or appended to.
#[derive(Debug)]
pub enum LogError {
    /// The file system.
    Fs(FsError),
    /// The lock was not to be had in time; nothing was written.
    Busy {
        /// The log.
        path: PathBuf,
        /// How long was waited.
        waited: Duration,
    },
    /// Another program appended without the lock, between the look at the end and the write.
    Overtaken {
        /// The log.
        path: PathBuf,
        /// Whether what was written here was taken back.
        undone: bool,
    },
    /// The last complete line is no event of this run; nothing was written.
    Damaged {
        /// The log.
        path: PathBuf,
        /// Byte offset of that line.
        offset: u64,
        /// What is wrong with it.
        reason: String,
    },
}

impl From<FsError> for LogError {
    fn from(error: FsError) -> Self {
        Self::Fs(error)
    }
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fs(error) => error.fmt(f),
            Self::Busy { path, waited } => write!(
                f,
                "{} is locked by another process: timed out after {:.1} s; nothing was written",
                path.display(),
                waited.as_secs_f64()
            ),
            Self::Overtaken { path, undone } => write!(
                f,
                "another program appended to {} without the lock{}",
                path.display(),
                if *undone { "; nothing was written" } else { "; lines may be mixed" }
            ),
            Self::Damaged { path, offset, reason } => write!(
                f,
                "{} is damaged: its last line, at byte {offset}, is not an event of this run: {reason}",
                path.display()
            ),
        }
    }
}

impl std::error::Error for LogError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        if let Self::Fs(error) = self { Some(error) } else { None }
    }
}
