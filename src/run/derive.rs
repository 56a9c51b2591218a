//! Updates the files derived from a log: `run.json`, `logs/tools.jsonl`, `logs/errors.jsonl`.
//! The long read happens without the lock. The lock is held only to read the events appended
//! meanwhile and to write the files.

use std::time::Duration;

use super::RunError;
use super::derived_log::DerivedLog;
use super::dir::RunDir;
use super::document::{Head, RunDocument, stored_head};
use super::records;
use super::writing::LineEnd;
use crate::event::envelope::{self, Event};
use crate::event::fields::View;
use crate::fs::hash::{HexHash, line_hash};
use crate::fs::{Access, keep_copy, make_dir, read_small, replace};
use crate::history::state::{Effect, RunState};
use crate::log::lock::LogFile;
use crate::log::reader::{Body, Line, LogReader};

/// Largest `run.json` that is read back, in bytes.
pub(crate) const MAX_STATE: u64 = 32 << 20;

/// What a refresh found.
#[derive(Debug)]
pub(crate) struct Refreshed {
    /// Set when the line that the old `run.json` named as head is no longer there or
    /// has changed: that head is kept as evidence.
    pub head_mismatch: Option<Head>,
}

/// Brings `run.json` and the records up to date with the log.
///
/// # Errors
/// When the log cannot be read or locked, or a derived file not be written.
pub(crate) fn refresh(run: &RunDir, lock_timeout: Duration) -> Result<Refreshed, RunError> {
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
        if derivation.differs() {
            rebuild = true;
            continue;
        }
        let refreshed = derivation.finish(old.as_deref())?;
        drop(locked);
        return Ok(refreshed);
    }
}

/// What derives from a log, as far as it was read.
#[derive(Debug)]
pub(super) struct Derivation {
    run: RunDir,
    fold: DerivedFold,
    records: Records,
    stored: Option<Head>,
    stored_seen: bool,
    /// Whether a line could not be read: records of it may stand nowhere else.
    damaged: bool,
    tools: DerivedLog,
    errors: DerivedLog,
}

impl Derivation {
    /// Of the run whose old `run.json` names that head. With `rebuild` the records that
    /// exist are not read.
    pub(super) fn new(run: &RunDir, stored: Option<Head>, rebuild: bool) -> Self {
        Self {
            run: run.clone(),
            fold: DerivedFold::default(),
            records: Records::default(),
            stored,
            stored_seen: false,
            damaged: false,
            tools: DerivedLog::new(run.tools(), rebuild),
            errors: DerivedLog::new(run.errors(), rebuild),
        }
    }

    /// Reads on to the end of what the reader may read.
    pub(super) fn read(&mut self, reader: &mut LogReader) -> Result<(), RunError> {
        while let Some(line) = reader.next_line()? {
            let event = line.event();
            self.damaged |= event.is_err();
            self.take(&line, event.ok().flatten().as_ref());
        }
        Ok(())
    }

    /// Takes lines that this process wrote at the place where the reader stands.
    pub(super) fn take_written(&mut self, lines: &[u8], ends: &[LineEnd], reader: &mut LogReader) {
        let mut from = 0;
        for LineEnd { at, counted } in ends {
            let bytes = &lines[from..*at];
            let line = reader.pass(bytes);
            match counted {
                // The last one is the head.
                Some(counted) if self.fold.state.has_begun() && *at < lines.len() => {
                    self.compare(&line);
                    self.fold.state.count(*counted);
                }
                _ => self.take(&line, envelope::written(bytes).as_ref()),
            }
            from = *at;
        }
    }

    /// Compares a line with the stored head.
    fn compare(&mut self, line: &Line<'_>) {
        if let (Some(stored), Body::Complete(bytes)) = (&self.stored, line.body)
            && line.offset + bytes.len() as u64 + 1 == stored.bytes
        {
            self.stored_seen = line_hash(bytes) == stored.hash;
        }
    }

    fn take(&mut self, line: &Line<'_>, event: Option<&Event<'_>>) {
        self.compare(line);
        if let Some(event) = event {
            self.fold.observe(&View::of(event), line, &mut self.records);
            self.tools.expect(&self.records.tool);
            self.errors.expect(&self.records.error);
        }
    }

    /// Whether records were written by others since they were read here.
    pub(super) fn is_outdated(&self) -> bool {
        self.tools.is_outdated() || self.errors.is_outdated()
    }

    /// Whether the files hold other records than they should: to ask after the last line.
    pub(super) fn differs(&mut self) -> bool {
        self.tools.differs() || self.errors.differs()
    }

    /// Bytes of records that wait to be written.
    pub(super) fn lacking(&self) -> usize {
        self.tools.lacking() + self.errors.lacking()
    }

    /// Appends the records that wait. The caller holds the lock. False when others wrote some
    /// meanwhile: then everything has to be read again.
    pub(super) fn write_records(&mut self) -> Result<bool, RunError> {
        if self.is_outdated() {
            return Ok(false);
        }
        make_dir(&self.run.logs())?;
        self.tools.append()?;
        self.errors.append()?;
        Ok(true)
    }

    /// Brings the files up to date.
    pub(super) fn finish(self, old: Option<&[u8]>) -> Result<Refreshed, RunError> {
        let head = self.fold.head();
        let head_mismatch = self.stored.filter(|_| !self.stored_seen);
        let written_head = head_mismatch.clone().or(head);
        let document = RunDocument::new(&self.fold.state.facts(), written_head).to_bytes();
        // Of an empty log there is no state.
        if old != Some(document.as_slice())
            && (self.fold.state.has_begun() || head_mismatch.is_some())
        {
            if head_mismatch.is_some() && !has_kept(&self.run) {
                keep_copy(&self.run.state())?;
            }
            replace(&self.run.state(), &document)?;
        }
        if self.tools.wants_writing() || self.errors.wants_writing() {
            make_dir(&self.run.logs())?;
        }
        let lost = self.damaged || head_mismatch.is_some();
        self.tools.write(lost)?;
        self.errors.write(lost)?;
        Ok(Refreshed { head_mismatch })
    }
}

/// Whether a `run.json` was kept that tells of more than the log holds.
fn has_kept(run: &RunDir) -> bool {
    let names = std::fs::read_dir(run.path()).into_iter().flatten().flatten();
    names.map(|entry| entry.file_name()).any(|name| {
        name.to_str().is_some_and(|name| name.starts_with("run.kept-") && name.ends_with(".json"))
    })
}

/// The state and the records of a log, line by line.
#[derive(Debug, Default)]
pub(crate) struct DerivedFold {
    /// The state as of the last event taken.
    pub state: RunState,
    starts: records::Starts,
    last: Vec<u8>,
    /// Its hash, where somebody knows it already; `last` is then not kept.
    last_hash: Option<HexHash>,
    last_sequence: u64,
    end: u64,
}

/// The derived lines of one event; empty where it has none.
#[derive(Debug, Default)]
pub(crate) struct Records {
    /// For `logs/tools.jsonl`.
    pub tool: String,
    /// For `logs/errors.jsonl`.
    pub error: String,
    /// What the event did to the state.
    pub effect: Effect,
}

impl DerivedFold {
    /// Takes the event that stands on a line; `records` are then what derives from it.
    pub(crate) fn observe(&mut self, view: &View<'_, '_>, line: &Line<'_>, records: &mut Records) {
        self.observe_hashed(view, line, None, records);
    }

    /// Like [`DerivedFold::observe`], for a line whose hash may be known.
    pub(crate) fn observe_hashed(
        &mut self,
        view: &View<'_, '_>,
        line: &Line<'_>,
        hash: Option<HexHash>,
        records: &mut Records,
    ) {
        if let Body::Complete(bytes) = line.body {
            self.last.clear();
            self.last_hash = hash;
            if hash.is_none() {
                self.last.extend_from_slice(bytes);
            }
            self.last_sequence = view.event.sequence;
            self.end = line.offset + bytes.len() as u64 + 1;
        }
        records.effect = self.state.observe(view, line.offset);
        records.tool.clear();
        records.error.clear();
        if let Some(observed) = records.effect.call {
            self.starts.observe(view, &observed, line.offset);
            let known = (&self.state.calls, &self.starts);
            records::tool_record(view, &observed, known, &mut records.tool);
        }
        if view.is_error() {
            records::error_record(view, &mut records.error);
        }
    }

    /// Whether the run's `run.json` says just this.
    #[must_use]
    pub(crate) fn is_stored(&self, run: &RunDir) -> bool {
        let stored = read_small(&run.state(), MAX_STATE).ok().flatten();
        stored == Some(RunDocument::new(&self.state.facts(), self.head()).to_bytes())
    }

    /// The newest event's line as a head; `None` without any event.
    #[must_use]
    pub(crate) fn head(&self) -> Option<Head> {
        let known = self.last_hash.map(|hash| hash.as_str().to_owned());
        let hash = known.unwrap_or_else(|| line_hash(&self.last));
        let head = Head { sequence: self.last_sequence, hash, bytes: self.end };
        (self.end > 0).then_some(head)
    }
}
