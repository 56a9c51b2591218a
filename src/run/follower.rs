//! Updates the derived files while a stream is recorded.

use std::sync::mpsc::{Receiver, Sender, SyncSender, TryRecvError, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use super::RunError;
use super::derive::{Derivation, EventObserver, MAX_STATE, Refreshed, refresh};
use super::dir::RunDir;
use super::document::stored_head;
use super::writing::LineEnd;
use crate::fs::{Access, read_small};
use crate::history::state::RunState;
use crate::log::LogError;
use crate::log::lock::LogFile;
use crate::log::reader::LogReader;

/// Maximum number of appends that wait to be read.
const WAITING: usize = 4;
/// Waiting records are written at this many bytes, even if more appends follow.
const LACKING: usize = 1 << 20;

/// Appended lines and their place in the log.
#[derive(Debug)]
pub(super) struct AppendedLines {
    /// The byte offset of the first line.
    pub(super) start: u64,
    /// The lines, each with its newline.
    pub(super) lines: Vec<u8>,
    /// The end of each line.
    pub(super) ends: Vec<LineEnd>,
}

/// Updates the derived files while the log grows. It also writes the records of appended events, so
/// each event is read only once.
pub(crate) struct Follower {
    run: RunDir,
    /// The old `run.json`.
    old: Option<Vec<u8>>,
    worker: FollowerWorker,
}

/// Where a follower works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FollowerThread {
    /// In a thread of its own, so that recording goes on meanwhile.
    Own,
    /// In the recording thread. For short streams, a thread costs more than it gains.
    Shared,
}

/// Where a follower works, with what it needs there.
enum FollowerWorker {
    Own {
        appended: SyncSender<AppendedLines>,
        /// Used buffers. Reusing them is cheaper than allocating.
        spares: Receiver<Vec<u8>>,
        thread: JoinHandle<Result<Following, RunError>>,
    },
    /// `None` if it has failed.
    Shared(Option<Box<Following>>),
}

impl Follower {
    /// Starts reading the run's log. An observer sees all events of the log.
    #[must_use]
    pub(crate) fn start(
        run: &RunDir,
        lock_timeout: Duration,
        observer: Option<EventObserver>,
        thread: FollowerThread,
    ) -> Self {
        let old = read_small(&run.state(), MAX_STATE).ok().flatten();
        let derivation = Derivation::new(run, old.as_deref().and_then(stored_head), false);
        let derivation = derivation.observed_by(observer);
        let worker = match thread {
            FollowerThread::Shared => FollowerWorker::Shared(
                Following::new(run, derivation, lock_timeout).ok().map(Box::new),
            ),
            FollowerThread::Own => {
                let (appended, received) = sync_channel(WAITING);
                let (spare, spares) = channel();
                let reads = run.clone();
                let thread = std::thread::spawn(move || {
                    Following::new(&reads, derivation, lock_timeout)?.run(&received, &spare)
                });
                FollowerWorker::Own { appended, spares, thread }
            }
        };
        Self { run: run.clone(), old, worker }
    }

    /// Passes on appended lines. Returns a buffer for reuse. `None` if the follower has stopped;
    /// the caller must then write the records.
    pub(super) fn extend(&mut self, mut appended: AppendedLines) -> Option<Vec<u8>> {
        match &mut self.worker {
            FollowerWorker::Own { appended: sender, spares, .. } => {
                sender.send(appended).ok()?;
                Some(spares.try_recv().unwrap_or_default())
            }
            FollowerWorker::Shared(following) => {
                if !following.as_mut()?.follow(&appended).is_ok_and(|goes_on| goes_on) {
                    *following = None;
                    return None;
                }
                appended.lines.clear();
                Some(appended.lines)
            }
        }
    }

    /// Looks at the state of the run after all events of the log. It goes on in this thread.
    ///
    /// # Errors
    /// The log cannot be read.
    pub(crate) fn state<T>(
        &mut self,
        lock_timeout: Duration,
        look: impl FnOnce(&RunState) -> T,
    ) -> Result<T, RunError> {
        let worker = std::mem::replace(&mut self.worker, FollowerWorker::Shared(None));
        let mut following = match worker.join() {
            Some(following) => following,
            None => {
                let stored = self.old.as_deref().and_then(stored_head);
                let derivation = Derivation::new(&self.run, stored, false);
                Box::new(Following::new(&self.run, derivation, lock_timeout)?)
            }
        };
        following.reader.extend_to(following.log.length()?);
        following.derivation.read(&mut following.reader)?;
        let seen = look(following.derivation.state());
        self.worker = FollowerWorker::Shared(Some(following));
        Ok(seen)
    }

    /// Reads the rest of the log and updates the files, as [`refresh`] does.
    ///
    /// # Errors
    /// As [`refresh`].
    pub(crate) fn finish(self, lock_timeout: Duration) -> Result<Refreshed, RunError> {
        let Self { run, old, worker } = self;
        let following = worker.join();
        let unchanged = read_small(&run.state(), MAX_STATE).ok().flatten() == old;
        if let Some(following) = following
            && unchanged
        {
            let Following { mut log, mut reader, mut derivation, .. } = *following;
            let locked = log.lock(lock_timeout)?;
            if !derivation.is_outdated() {
                reader.extend_to(locked.length());
                derivation.read(&mut reader)?;
                if !derivation.differs() {
                    return derivation.finish(old.as_deref());
                }
            }
        }
        refresh(&run, lock_timeout)
    }
}

impl FollowerWorker {
    /// The log and what was read of it. `None` if it has failed.
    fn join(self) -> Option<Box<Following>> {
        match self {
            Self::Own { appended, thread, .. } => {
                drop(appended);
                thread.join().ok().and_then(Result::ok).map(Box::new)
            }
            Self::Shared(following) => following,
        }
    }
}

/// A log that is being followed.
struct Following {
    log: LogFile,
    reader: LogReader,
    derivation: Derivation,
    lock_timeout: Duration,
}

impl Following {
    fn new(run: &RunDir, derivation: Derivation, lock_timeout: Duration) -> Result<Self, RunError> {
        let log = LogFile::open(&run.events(), Access::Append)?;
        Ok(Self { log, reader: LogReader::open(&run.events())?, derivation, lock_timeout })
    }

    /// Follows until there are no more lines, or another process writes records.
    fn run(
        mut self,
        received: &Receiver<AppendedLines>,
        spare: &Sender<Vec<u8>>,
    ) -> Result<Self, RunError> {
        // With an observer, the files are made at the end. Nobody reads them before.
        let least = if self.derivation.is_observed() { LACKING } else { 1 };
        loop {
            let next = match received.try_recv() {
                Err(TryRecvError::Empty) if !self.write_records(least)? => break,
                Err(TryRecvError::Empty) => received.recv().ok(),
                next => next.ok(),
            };
            let Some(mut appended) = next else { break };
            if !self.follow(&appended)? {
                break;
            }
            appended.lines.clear();
            // The receiver may be gone.
            let _ = spare.send(appended.lines);
        }
        Ok(self)
    }

    /// Reads appended lines, and writes the records if many wait. False if another process wrote
    /// records.
    fn follow(&mut self, appended: &AppendedLines) -> Result<bool, RunError> {
        self.take(appended)?;
        self.write_records(LACKING)
    }

    fn take(
        &mut self,
        AppendedLines { start, lines, ends }: &AppendedLines,
    ) -> Result<(), RunError> {
        // First read the lines that other processes appended.
        self.reader.extend_to(*start);
        self.derivation.read(&mut self.reader)?;
        if self.reader.offset() == *start {
            self.derivation.take_written(lines, ends, &mut self.reader);
            return Ok(());
        }
        self.reader.extend_to(start + lines.len() as u64);
        self.derivation.read(&mut self.reader)
    }

    /// Writes the waiting records if they have at least `least` bytes. If waiting for the lock
    /// times out, they are written later. False if another process wrote records.
    fn write_records(&mut self, least: usize) -> Result<bool, RunError> {
        if self.derivation.lacking() < least {
            return Ok(true);
        }
        match self.log.lock(self.lock_timeout) {
            Ok(_locked) => self.derivation.write_records(),
            Err(LogError::Busy { .. }) => Ok(true),
            Err(error) => Err(error.into()),
        }
    }
}
