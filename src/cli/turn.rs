//! Taking turns between processes that do the same work on a run, by a lock on a directory.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::fs::FsError;

/// How the wait for a turn ended.
#[derive(Debug)]
pub(super) enum Turn {
    /// It is this process's, until this is dropped.
    Ours {
        /// Holds the lock.
        _lock: File,
    },
    /// Another process had it for too long.
    Late,
    /// Nobody wants it any more.
    Stopped,
}

/// Whether another process has the turn right now.
pub(super) fn is_taken(directory: &Path) -> bool {
    File::open(directory).is_ok_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock)))
}

/// Waits for a turn: forever, or so long at most. Between two looks `wait` is called, first
/// with true, and says whether to go on.
pub(super) fn take(
    directory: &Path,
    longest: Option<Duration>,
    mut wait: impl FnMut(bool) -> anyhow::Result<bool>,
) -> anyhow::Result<Turn> {
    let failed = |error| FsError::io(directory, "lock", error);
    let lock = File::open(directory).map_err(failed)?;
    let begun = Instant::now();
    let mut first = true;
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(Turn::Ours { _lock: lock }),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(failed(error).into()),
        }
        if longest.is_some_and(|longest| begun.elapsed() > longest) {
            return Ok(Turn::Late);
        }
        if !wait(std::mem::replace(&mut first, false))? {
            return Ok(Turn::Stopped);
        }
    }
}
