//! A thread that updates the derived files while a long stream is recorded.

use std::sync::mpsc::{Receiver, Sender, SyncSender, TryRecvError, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use super::RunError;
use super::derive::{Derivation, MAX_STATE, Refreshed, refresh};
use super::dir::RunDir;
use super::document::stored_head;
use super::writing::LineEnd;
use crate::fs::{Access, read_small};
use crate::log::LogError;
use crate::log::lock::LogFile;
use crate::log::reader::LogReader;

/// So many appends may wait to be read.
const WAITING: usize = 4;
/// So many bytes of records may wait to be written, if more keep coming.
const LACKING: usize = 1 << 20;

/// Lines as they were appended, and the byte of the log where they begin.
#[derive(Debug)]
pub(super) struct AppendedLines {
    /// Where they begin.
    pub(super) start: u64,
    /// The lines, each with its newline.
    pub(super) lines: Vec<u8>,
    /// Where each ends.
    pub(super) ends: Vec<LineEnd>,
}

/// A refresh that follows a log while it grows. It also writes the records of what is
/// appended meanwhile, so that nobody reads an event twice.
#[derive(Debug)]
pub(crate) struct Follower {
    run: RunDir,
    /// The old `run.json`.
    old: Option<Vec<u8>>,
    appended: SyncSender<AppendedLines>,
    /// Buffers that were read: fresh memory is dear.
    spares: Receiver<Vec<u8>>,
    thread: JoinHandle<Result<(LogReader, Derivation), RunError>>,
}

impl Follower {
    /// Starts reading the log of that run.
    #[must_use]
    pub(crate) fn start(run: &RunDir, lock_timeout: Duration) -> Self {
        let old = read_small(&run.state(), MAX_STATE).ok().flatten();
        let derivation = Derivation::new(run, old.as_deref().and_then(stored_head), false);
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

    /// Lets it take what was appended. A buffer to use, perhaps of an earlier append; `None`
    /// when it stopped, and others have to write the records.
    pub(super) fn extend(&self, appended: AppendedLines) -> Option<Vec<u8>> {
        self.appended.send(appended).ok()?;
        Some(self.spares.try_recv().unwrap_or_default())
    }

    /// Reads the rest and brings the files up to date, as [`refresh`] does.
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

/// What the thread holds.
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
        loop {
            let next = match received.try_recv() {
                Err(TryRecvError::Empty) if !self.write_records(1)? => break,
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
            // Nobody may want it any more.
            let _ = spare.send(lines);
        }
        Ok((self.reader, self.derivation))
    }

    fn take(
        &mut self,
        AppendedLines { start, lines, ends }: &AppendedLines,
    ) -> Result<(), RunError> {
        // What others appended before.
        self.reader.extend_to(*start);
        self.derivation.read(&mut self.reader)?;
        if self.reader.offset() == *start {
            self.derivation.take_written(lines, ends, &mut self.reader);
            return Ok(());
        }
        self.reader.extend_to(start + lines.len() as u64);
        self.derivation.read(&mut self.reader)
    }

    /// Writes the records that wait, if they come to so many bytes; later, when the lock is
    /// not to be had. False when others came between.
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
