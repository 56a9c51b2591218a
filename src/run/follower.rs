//! A thread that updates the derived files while a long stream is recorded.

use std::sync::mpsc::{Receiver, Sender, SyncSender, TryRecvError, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use super::RunError;
use super::derive::{Derivation, EventObserver, MAX_STATE, Refreshed, refresh};
use super::dir::RunDir;
use super::document::stored_head;
use super::writing::LineEnd;
use crate::fs::{Access, read_small};
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
    appended: SyncSender<AppendedLines>,
    /// Used buffers. Reusing them is cheaper than allocating.
    spares: Receiver<Vec<u8>>,
    thread: JoinHandle<Result<(LogReader, Derivation), RunError>>,
}

impl Follower {
    /// Starts reading the run's log. An observer sees all events of the log.
    #[must_use]
    pub(crate) fn start(
        run: &RunDir,
        lock_timeout: Duration,
        observer: Option<EventObserver>,
    ) -> Self {
        let old = read_small(&run.state(), MAX_STATE).ok().flatten();
        let derivation = Derivation::new(run, old.as_deref().and_then(stored_head), false);
        let derivation = derivation.observed_by(observer);
        let (appended, received) = sync_channel(WAITING);
        let (spare, spares) = channel();
        let reads = run.clone();
        let thread = std::thread::spawn(move || {
            let following = Following {
                log: LogFile::open(&reads.events(), Access::Append)?,
                reader: LogReader::open(&reads.events())?,
                derivation,
                lock_timeout,
            };
            following.run(&received, &spare)
        });
        Self { run: run.clone(), old, appended, spares, thread }
    }

    /// Passes on appended lines. Returns a buffer for reuse. `None` if the thread has stopped; the
    /// caller must then write the records.
    pub(super) fn extend(&self, appended: AppendedLines) -> Option<Vec<u8>> {
        self.appended.send(appended).ok()?;
        Some(self.spares.try_recv().unwrap_or_default())
    }

    /// Reads the rest of the log and updates the files, as [`refresh`] does.
    ///
    /// # Errors
    /// As [`refresh`].
    pub(crate) fn finish(self, lock_timeout: Duration) -> Result<Refreshed, RunError> {
        let Self { run, old, appended, thread, .. } = self;
        drop(appended);
        let unchanged = read_small(&run.state(), MAX_STATE).ok().flatten() == old;
        if let Ok(Ok((mut reader, mut derivation))) = thread.join()
            && unchanged
        {
            let mut log = LogFile::open(&run.events(), Access::Append)?;
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

/// The state of the thread.
struct Following {
    log: LogFile,
    reader: LogReader,
    derivation: Derivation,
    lock_timeout: Duration,
}

impl Following {
    fn run(
        mut self,
        received: &Receiver<AppendedLines>,
        spare: &Sender<Vec<u8>>,
    ) -> Result<(LogReader, Derivation), RunError> {
        // With an observer, the files are made at the end. Nobody reads them before.
        let least = if self.derivation.is_observed() { LACKING } else { 1 };
        loop {
            let next = match received.try_recv() {
                Err(TryRecvError::Empty) if !self.write_records(least)? => break,
                Err(TryRecvError::Empty) => received.recv().ok(),
                next => next.ok(),
            };
            let Some(appended) = next else { break };
            self.take(&appended)?;
            if !self.write_records(LACKING)? {
                break;
            }
            let mut lines = appended.lines;
            lines.clear();
            // The receiver may be gone.
            let _ = spare.send(lines);
        }
        Ok((self.reader, self.derivation))
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
