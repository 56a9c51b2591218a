//! The files derived from a log, brought up to date: `run.json`, `logs/tools.jsonl`,
//! `logs/errors.jsonl`. Long reading happens outside the lock; the lock then covers
//! what was appended meanwhile, and the writing.

use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use super::RunError;
use super::dir::RunDir;
use super::document::{Head, RunDocument, stored_head};
use super::records;
use super::state::{Effect, RunState};
use crate::event::fields::View;
use crate::event::hash::line_hash;
use crate::fs::{Access, append_lines, make_dir, open_regular, read_small, replace};
use crate::log::lock::LogFile;
use crate::log::reader::{Body, Line, LogReader};

/// Largest `run.json` that is read back, in bytes.
const MAX_STATE: u64 = 32 << 20;

/// What a refresh found.
#[derive(Debug)]
pub struct Refreshed {
    /// The state as of the newest event.
    pub state: RunState,
    /// The newest line.
    pub head: Option<Head>,
    /// Set when the line that the old `run.json` named as head is no longer there or
    /// has changed: that head is kept as evidence.
    pub head_mismatch: Option<Head>,
}

/// Brings `run.json` and the records up to date with the log.
///
/// # Errors
/// When the log cannot be read or locked, or a derived file not be written.
pub fn refresh(run: &RunDir, lock_timeout: Duration) -> Result<Refreshed, RunError> {
    let mut log = LogFile::open(&run.events(), Access::Append)?;
    let old = read_small(&run.state(), MAX_STATE).ok().flatten();
    let stored = old.as_deref().and_then(stored_head);
    let mut rebuild = false;
    loop {
        let mut reader = LogReader::open(&run.events())?;
        let mut derivation = Derivation::new(run, stored.clone(), rebuild);
        derivation.read(&mut reader)?;
        let locked = log.lock(lock_timeout)?;
        if derivation.is_outdated() {
            // A writer appended records between the two readings: with the lock held,
            // a second reading cannot be outdated.
            reader = LogReader::open(&run.events())?;
            derivation = Derivation::new(run, stored.clone(), rebuild);
        }
        reader.extend_to(locked.length());
        derivation.read(&mut reader)?;
        if derivation.tools.differs() || derivation.errors.differs() {
            rebuild = true;
            continue;
        }
        let refreshed = derivation.finish(old.as_deref())?;
        drop(locked);
        return Ok(refreshed);
    }
}

/// A refresh that reads a log while it grows, in a thread of its own.
#[derive(Debug)]
pub struct Ahead {
    run: RunDir,
    /// The old `run.json`.
    old: Option<Vec<u8>>,
    /// Where the log ends that may be read.
    ends: mpsc::Sender<u64>,
    thread: JoinHandle<Result<(LogReader, Derivation), RunError>>,
}

impl Ahead {
    /// Starts reading the log of that run.
    #[must_use]
    pub fn start(run: &RunDir) -> Self {
        let old = read_small(&run.state(), MAX_STATE).ok().flatten();
        let stored = old.as_deref().and_then(stored_head);
        let (ends, received) = mpsc::channel();
        let reads = run.clone();
        let thread = std::thread::spawn(move || {
            let mut reader = LogReader::open(&reads.events())?;
            let mut derivation = Derivation::new(&reads, stored, false);
            while let Ok(end) = received.recv() {
                reader.extend_to(received.try_iter().last().unwrap_or(end));
                derivation.read(&mut reader)?;
            }
            Ok((reader, derivation))
        });
        Self { run: run.clone(), old, ends, thread }
    }

    /// Lets it read up to byte `end`: the lines before it, and their records, are written.
    pub fn extend_to(&self, end: u64) {
        // A thread that stopped early is noticed at the end.
        let _ = self.ends.send(end);
    }

    /// Reads the rest and brings the files up to date, as [`refresh`] does.
    ///
    /// # Errors
    /// As [`refresh`].
    pub fn finish(self, lock_timeout: Duration) -> Result<Refreshed, RunError> {
        let Self { run, old, ends, thread } = self;
        drop(ends);
        let unchanged = read_small(&run.state(), MAX_STATE).ok().flatten() == old;
        if let Ok(Ok((mut reader, mut derivation))) = thread.join()
            && unchanged
        {
            let mut log = LogFile::open(&run.events(), Access::Append)?;
            let locked = log.lock(lock_timeout)?;
            if !derivation.is_outdated() {
                reader.extend_to(locked.length());
                derivation.read(&mut reader)?;
                if !derivation.tools.differs() && !derivation.errors.differs() {
                    return derivation.finish(old.as_deref());
                }
            }
        }
        refresh(&run, lock_timeout)
    }
}

#[derive(Debug)]
struct Derivation {
    run: RunDir,
    fold: Fold,
    stored: Option<Head>,
    stored_seen: bool,
    tools: Mirror,
    errors: Mirror,
}

impl Derivation {
    fn new(run: &RunDir, stored: Option<Head>, rebuild: bool) -> Self {
        Self {
            run: run.clone(),
            fold: Fold::default(),
            stored,
            stored_seen: false,
            tools: Mirror::new(run.tools(), rebuild),
            errors: Mirror::new(run.errors(), rebuild),
        }
    }

    fn read(&mut self, reader: &mut LogReader) -> Result<(), RunError> {
        while let Some(line) = reader.next_line()? {
            if let (Some(stored), Body::Complete(bytes)) = (&self.stored, line.body)
                && line.offset + bytes.len() as u64 + 1 == stored.bytes
            {
                self.stored_seen = line_hash(bytes) == stored.hash;
            }
            if let Ok(Some(event)) = line.event() {
                let records = self.fold.observe(&View::of(&event), &line);
                self.tools.expect(&records.tool);
                self.errors.expect(&records.error);
            }
        }
        Ok(())
    }

    fn is_outdated(&self) -> bool {
        self.tools.is_outdated() || self.errors.is_outdated()
    }

    fn finish(self, old: Option<&[u8]>) -> Result<Refreshed, RunError> {
        let head = self.fold.head();
        let head_mismatch = self.stored.filter(|_| !self.stored_seen);
        let written_head = head_mismatch.clone().or_else(|| head.clone());
        let document = RunDocument::new(&self.fold.state, written_head).to_bytes();
        if old != Some(document.as_slice()) {
            replace(&self.run.state(), &document)?;
        }
        if self.tools.wants_writing() || self.errors.wants_writing() {
            make_dir(&self.run.logs())?;
        }
        self.tools.write()?;
        self.errors.write()?;
        Ok(Refreshed { state: self.fold.state, head, head_mismatch })
    }
}

/// The state and the records of a log, line by line.
#[derive(Debug, Default)]
pub struct Fold {
    /// The state as of the last event taken.
    pub state: RunState,
    last: Vec<u8>,
    last_sequence: u64,
    end: u64,
}

/// The derived lines of one event; empty where it has none.
#[derive(Debug, Default)]
pub struct Records {
    /// For `logs/tools.jsonl`.
    pub tool: String,
    /// For `logs/errors.jsonl`.
    pub error: String,
    /// What the event did to the state.
    pub effect: Effect,
}

impl Fold {
    /// Takes the event that stands on a line.
    pub fn observe(&mut self, view: &View<'_, '_>, line: &Line<'_>) -> Records {
        if let Body::Complete(bytes) = line.body {
            self.last.clear();
            self.last.extend_from_slice(bytes);
            self.last_sequence = view.event.sequence;
            self.end = line.offset + bytes.len() as u64 + 1;
        }
        let offset = line.offset;
        let effect = self.state.observe(view, offset);
        let tool = effect.call.map(|observed| {
            records::tool_record(view, &observed, &self.state.calls.all()[observed.call])
        });
        let error = records::is_error(view).then(|| records::error_record(view));
        Records { tool: tool.unwrap_or_default(), error: error.unwrap_or_default(), effect }
    }

    /// The newest event's line as a head; `None` without any event.
    #[must_use]
    pub fn head(&self) -> Option<Head> {
        let hash = line_hash(&self.last);
        let head = Head { sequence: self.last_sequence, hash, bytes: self.end };
        (self.end > 0).then_some(head)
    }
}

fn open_existing(path: &Path) -> Option<BufReader<File>> {
    let file = open_regular(path, Access::Read).ok()?;
    Some(BufReader::with_capacity(64 << 10, file))
}

/// A derived log held against the lines that it should have.
#[derive(Debug)]
pub struct Mirror {
    path: PathBuf,
    existing: Option<BufReader<File>>,
    /// Bytes of the file that are as they should be.
    matched: u64,
    /// Lines that the file lacks at its end, or, when it is rebuilt, all of them.
    lacking: Vec<u8>,
    rebuild: bool,
    differs: bool,
}

impl Mirror {
    /// Compares with the file at `path`, or collects everything anew.
    #[must_use]
    pub fn new(path: PathBuf, rebuild: bool) -> Self {
        let existing = if rebuild { None } else { open_existing(&path) };
        Self { path, existing, matched: 0, lacking: Vec::new(), rebuild, differs: false }
    }

    /// The next line that should be there; an empty one is none.
    pub fn expect(&mut self, line: &str) {
        if line.is_empty() || self.differs {
            return;
        }
        if self.existing.is_none() && self.matched == 0 && self.lacking.is_empty() && !self.rebuild
        {
            // It may have been made since.
            self.existing = open_existing(&self.path);
        }
        let Some(reader) = self.existing.as_mut() else {
            self.lacking.extend_from_slice(line.as_bytes());
            return;
        };
        let mut there = Vec::with_capacity(line.len());
        let read = reader.take(line.len() as u64).read_to_end(&mut there);
        if read.is_ok() && there.is_empty() {
            self.existing = None;
            self.lacking.extend_from_slice(line.as_bytes());
        } else {
            self.differs = read.is_err() || there != line.as_bytes();
            self.matched += line.len() as u64;
        }
    }

    /// Whether the file holds something else than it should: to ask after the last line.
    pub fn differs(&mut self) -> bool {
        if let Some(reader) = self.existing.as_mut() {
            let mut more = [0];
            self.differs |= !matches!(reader.read(&mut more), Ok(0));
        }
        self.differs
    }

    /// Bytes that the file lacks at its end.
    #[must_use]
    pub fn lacking(&self) -> usize {
        self.lacking.len()
    }

    /// Whether the file grew after its end was read.
    fn is_outdated(&self) -> bool {
        let length = self.path.symlink_metadata().map_or(0, |metadata| metadata.len());
        !self.rebuild && self.existing.is_none() && length != self.matched
    }

    fn wants_writing(&self) -> bool {
        self.rebuild || !self.lacking.is_empty()
    }

    fn write(&self) -> Result<(), RunError> {
        if self.rebuild && (self.path.exists() || !self.lacking.is_empty()) {
            replace(&self.path, &self.lacking)?;
        } else if !self.lacking.is_empty() {
            append_lines(&self.path, &self.lacking)?;
        }
        Ok(())
    }
}
