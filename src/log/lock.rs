//! The log file and its lock. Only the lock has a method to append.

use std::fs::{File, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use super::LogError;
use super::signals::HeldBack;
use super::tail::read_range;
use crate::fs::{Access, Action, FsError, PathAt, inspect, open_regular, retried, sync_file};

/// An open `events.jsonl`.
#[derive(Debug)]
pub(crate) struct LogFile {
    path: PathAt,
    file: Arc<File>,
}

/// The exclusive right to append to a log. Dropping it lets the next writer in.
#[derive(Debug)]
pub(crate) struct Locked<'l> {
    log: &'l LogFile,
    length: u64,
    /// Restores the signal mask after the unlock.
    _signals: HeldBack,
}

impl LogFile {
    /// Opens the log at `path`. [`Access::Create`] creates an empty one.
    ///
    /// # Errors
    /// When it is missing, no regular file with one name, or cannot be opened.
    pub(crate) fn open(path: &PathAt, access: Access) -> Result<Self, LogError> {
        let file = Arc::new(open_regular(path, access)?);
        Ok(Self { path: path.clone(), file })
    }

    /// The path of the log.
    #[must_use]
    pub(crate) fn path(&self) -> &Path {
        self.path.path()
    }

    /// The open file, for reading.
    #[must_use]
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Bytes in the log at this moment.
    ///
    /// # Errors
    /// When the file cannot be inspected.
    pub(crate) fn length(&self) -> Result<u64, LogError> {
        let metadata = inspect(&self.file);
        Ok(metadata.map_err(|error| FsError::io(self.path(), Action::Inspect, error))?.len())
    }

    /// Takes the exclusive lock, waiting at most `timeout`. A log that was replaced
    /// while waiting is opened anew, so that nothing is written to a file without a name.
    ///
    /// # Errors
    /// [`LogError::Busy`] after the timeout; otherwise the error of the system.
    pub(crate) fn lock(&mut self, timeout: Duration) -> Result<Locked<'_>, LogError> {
        let deadline = Instant::now() + timeout;
        loop {
            self.acquire(deadline, timeout)?;
            let signals = HeldBack::new();
            if let Some(length) = self.current_length()? {
                return Ok(Locked { log: self, length, _signals: signals });
            }
            let _ = self.file.unlock();
            self.file = Arc::new(open_regular(&self.path, Access::Append)?);
        }
    }

    /// Makes everything appended so far durable.
    ///
    /// # Errors
    /// When the system could not write it. It is never tried again: after a failed
    /// sync the kernel may have dropped the bytes.
    pub(crate) fn sync(&self) -> Result<(), LogError> {
        Ok(sync_file(&self.path, &self.file)?)
    }

    /// Whether nobody holds the lock right now; takes and frees it at once.
    #[must_use]
    pub(crate) fn is_free(&self) -> bool {
        let free = self.file.try_lock().is_ok();
        if free {
            let _ = self.file.unlock();
        }
        free
    }

    fn acquire(&self, deadline: Instant, timeout: Duration) -> Result<(), LogError> {
        match self.file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(TryLockError::Error(error)) => {
                return Err(FsError::io(self.path(), Action::Lock, error).into());
            }
        }
        let busy = || LogError::Busy { path: self.path().to_owned(), waited: timeout };
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(busy());
        }
        // The kernel queues waiters fairly but has no deadline, so a thread waits in
        // its queue and this one watches the clock. If time runs out first, the
        // thread gives the lock back as soon as it gets it.
        let (sender, receiver) = mpsc::channel();
        let abandoned = Arc::new(AtomicBool::new(false));
        let (file, given_up) = (Arc::clone(&self.file), Arc::clone(&abandoned));
        std::thread::spawn(move || {
            let outcome = retried(|| file.lock());
            if given_up.load(Ordering::SeqCst) || sender.send(outcome).is_err() {
                let _ = file.unlock();
            }
        });
        match receiver.recv_timeout(left) {
            Ok(outcome) => {
                outcome.map_err(|error| FsError::io(self.path(), Action::Lock, error).into())
            }
            Err(_) => {
                abandoned.store(true, Ordering::SeqCst);
                Err(busy())
            }
        }
    }

    /// Bytes in the log, if the open file is still the one of that name.
    fn current_length(&self) -> Result<Option<u64>, LogError> {
        self.path.check_held()?;
        let failed = |error| FsError::io(self.path(), Action::Inspect, error);
        let held = inspect(&self.file).map_err(failed)?;
        let named = self.path.metadata().map_err(failed)?;
        let same = (held.dev(), held.ino()) == (named.dev(), named.ino());
        Ok(same.then_some(held.len()))
    }
}

impl Locked<'_> {
    /// Bytes in the log.
    #[must_use]
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// The log that is locked.
    #[must_use]
    pub(crate) fn log(&self) -> &LogFile {
        self.log
    }

    /// Appends `bytes` in one write. On an error the log is cut back to its old length.
    ///
    /// # Errors
    /// When the system could not take them all; [`LogError::Overtaken`] when somebody
    /// without the lock was faster.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), LogError> {
        let mut file = &*self.log.file;
        if let Err(error) = file.write_all(bytes) {
            let _ = file.set_len(self.length);
            return Err(FsError::io(self.log.path(), Action::Write, error).into());
        }
        let end = self.length + bytes.len() as u64;
        let now = self.log.length()?;
        if now != end && !self.stands_at(self.length, bytes) {
            return Err(self.give_way(bytes, now));
        }
        self.length = end;
        Ok(())
    }

    /// Bytes of another program came between: if those written here are the last, they are
    /// taken back, so that nothing is glued to what they do not belong to.
    fn give_way(&self, bytes: &[u8], now: u64) -> LogError {
        let start = now.saturating_sub(bytes.len() as u64);
        let undone = start > self.length
            && self.stands_at(start, bytes)
            && self.log.file.set_len(start).is_ok();
        LogError::Overtaken { path: self.log.path().to_owned(), undone }
    }

    fn stands_at(&self, offset: u64, bytes: &[u8]) -> bool {
        let end = offset + bytes.len() as u64;
        read_range(&self.log.file, offset, end).is_ok_and(|found| found == bytes)
    }

    /// Cuts the log at `length`: only for bytes that were quarantined before.
    ///
    /// # Errors
    /// When the system refuses.
    pub(super) fn truncate(&mut self, length: u64) -> Result<(), LogError> {
        self.log
            .file
            .set_len(length)
            .map_err(|error| FsError::io(self.log.path(), Action::Truncate, error))?;
        self.length = length;
        Ok(())
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        let _ = self.log.file.unlock();
    }
}
