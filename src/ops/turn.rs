//! Processes that do the same work on a run take turns, using a lock on a directory.

use std::fs::{File, TryLockError};
use std::time::{Duration, Instant};

use crate::fs::{Action, FsError, PathAt, open_dir};
use crate::ops::error::OpsError;

/// How a wait ended.
#[derive(Debug)]
pub(crate) enum WaitEnd {
    /// This process has the turn until this value is dropped.
    Ours {
        /// Holds the lock.
        _lock: File,
    },
    /// Another process kept the turn for longer than the maximum wait.
    Late,
    /// The caller stopped waiting.
    Stopped,
}

/// Whether another process has the turn now.
pub(crate) fn is_taken(directory: &PathAt) -> bool {
    open_dir(directory).is_ok_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock)))
}

/// Waits for a turn, up to `longest` if it is given. Calls `wait` between two attempts, the first
/// time with true. `wait` returns whether to continue.
///
/// # Errors
/// When the directory cannot be locked, or `wait` fails.
pub(crate) fn take(
    directory: &PathAt,
    longest: Option<Duration>,
    mut wait: impl FnMut(bool) -> Result<bool, OpsError>,
) -> Result<WaitEnd, OpsError> {
    let failed = |error| FsError::io(directory.path(), Action::Lock, error);
    let lock = open_dir(directory)?;
    let begun = Instant::now();
    let mut first = true;
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(WaitEnd::Ours { _lock: lock }),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(failed(error).into()),
        }
        if longest.is_some_and(|longest| begun.elapsed() > longest) {
            return Ok(WaitEnd::Late);
        }
        if !wait(std::mem::replace(&mut first, false))? {
            return Ok(WaitEnd::Stopped);
        }
    }
}
