//! The log: `events.jsonl`, append-only, one event per line.
//!
//! # Format
//! The log is UTF-8 text. Each line is one compact JSON object and ends with `\n`. The
//! `sequence` of the lines is 1, 2, 3 …. `prev_hash` is the lower-case hex SHA-256 of the
//! previous line without its newline, so `sha256sum` alone can check the chain. Blank lines
//! are skipped. A line has at most 8 MiB.
//!
//! # Why an acknowledged event is never lost
//! 1. There is one writer at a time. It holds an exclusive `flock(2)` on the log itself
//!    ([`lock`]). The kernel frees the lock when its holder dies, so there are no stale locks.
//!    After locking, the writer checks that the file still has the same name.
//! 2. Only the holder of the lock repairs the end of the file ([`settle`]). Bytes after the
//!    last newline come from an interrupted write. If they are a whole record without its
//!    newline, the newline is added. Otherwise they are copied to `logs/rejected.jsonl`, synced
//!    there, and cut off. So no line is ever joined to a torn one, and no byte is lost. A
//!    `log.recovered` event records the move. If the writer is killed before that event, the
//!    log ends where the newest records in `logs/rejected.jsonl` begin. The next writer sees
//!    this and records the move, once, because the log then grows ([`rejected`]).
//! 3. The next sequence comes from the last line ([`tail`]). This takes the same time in a log
//!    of any length. There is no separate index that could disagree with the log.
//! 4. All lines of one append, with their newlines, are one `write`. If it fails, the file is
//!    cut back to its old length. If the process is killed during it, rule 2 applies. Signals
//!    that can be caught wait until the lock is free. After the write the length is checked. If
//!    a program without the lock appended meanwhile, the write is undone, and rule 2 applies to
//!    the new end.
//! 5. The lock is freed before `fdatasync`, which also makes every earlier byte of the file
//!    durable. So after a power cut the log has at least every line acknowledged with
//!    `--durability disk`, in order. A
//!    failed sync is reported and never repeated. An import acknowledges a run as a whole, so it
//!    syncs once, at its end.
//! 6. No code changes the lines before the last newline.
//!
//! Readers take no lock. They read up to the length that the log had when they opened it. They
//! treat bytes after the last newline as a write in progress ([`reader`]).

pub(crate) mod chunk;
pub(crate) mod lock;
pub(crate) mod part;
pub(crate) mod prefix;
pub(crate) mod reader;
pub(crate) mod rejected;
pub(crate) mod settle;
mod signals;
pub(crate) mod tail;

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::fs::FsError;
use crate::fs::hash::HexHash;
use crate::text::human::duration;

/// The end of an intact log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LogPosition {
    /// Sequence of the last event; 0 in an empty log.
    pub sequence: u64,
    /// Hash of the last line; `None` in an empty log.
    pub hash: Option<HexHash>,
    /// Bytes in the log.
    pub end: u64,
}

/// Why a log could not be read or appended to.
#[derive(Debug)]
pub enum LogError {
    /// The file system.
    Fs(FsError),
    /// Timed out waiting for the lock; nothing was written.
    Busy {
        /// The log.
        path: PathBuf,
        /// How long the writer waited.
        waited: Duration,
    },
    /// Another program appended without the lock, between the check of the end and the write.
    Overtaken {
        /// The log.
        path: PathBuf,
        /// Whether this write was undone.
        undone: bool,
    },
    /// The last complete line is not an event of this run; nothing was written.
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
                "{} is locked by another process: timed out after {}; nothing was written",
                path.display(),
                duration(u64::try_from(waited.as_millis()).unwrap_or(u64::MAX))
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
