//! Updates the files derived from a log: `run.json`, `logs/tools.jsonl`, `logs/errors.jsonl`.
//! The log is read without the lock. The lock is held only to read the events appended meanwhile
//! and to write the files.

use std::time::Duration;

use super::RunError;
use super::derived_log::DerivedLog;
use super::dir::RunDir;
use super::document::{Head, RunDocument, stored_head};
use super::records::{self, RecordForm};
use super::writing::LineEnd;
use crate::event::envelope::{self, Event};
use crate::event::fields::View;
use crate::fs::hash::{HexHash, line_hash};
use crate::fs::{
    Access, entries, keep_copy, make_dir, read_small, remove_abandoned, replace_derived,
};
use crate::history::state::{Effect, RunState};
use crate::json::MemberPlaces;
use crate::log::lock::LogFile;
use crate::log::reader::{Body, Line, LogReader};

/// Maximum size of a `run.json` that is read, in bytes.
pub(crate) const MAX_STATE: u64 = 32 << 20;

/// The result of a refresh.
#[derive(Debug)]
pub(crate) struct Refreshed {
    /// The head in the old `run.json`, if its line is missing from the log or has changed. That
    /// head is kept as evidence.
    pub head_mismatch: Option<Head>,
    /// Whether the observer of a follower saw all events, each once.
    pub is_observed: bool,
}

/// Updates `run.json` and the records from the log.
///
/// # Errors
/// The log cannot be read or locked, or a derived file cannot be written.
pub(crate) fn refresh(run: &RunDir, lock_timeout: Duration) -> Result<Refreshed, RunError> {
    let run = &run.hold()?;
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
            // A writer appended records between the two readings. With the lock held, a second
            // reading cannot be outdated.
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

/// The derived data of a log up to the last line read.
pub(super) struct Derivation {
    run: RunDir,
    fold: DerivedFold,
    records: Records,
    stored: Option<Head>,
    stored_seen: bool,
    tools: DerivedLog,
    errors: DerivedLog,
    /// Also sees each event.
    observer: Option<EventObserver>,
}

/// Sees the events of a log, with the byte offsets of their lines, in their order.
pub(crate) type EventObserver = Box<dyn FnMut(&View<'_, '_>, u64) + Send>;

impl Derivation {
    /// `stored` is the head in the old `run.json`. With `rebuild`, existing records are not read.
    pub(super) fn new(run: &RunDir, stored: Option<Head>, rebuild: bool) -> Self {
        Self {
            run: run.clone(),
            fold: DerivedFold::default(),
            records: Records::default(),
            stored,
            stored_seen: false,
            tools: DerivedLog::new(run.tools(), rebuild),
            errors: DerivedLog::new(run.errors(), rebuild),
            observer: None,
        }
    }

    /// Also shows each event to an observer.
    pub(super) fn observed_by(self, observer: Option<EventObserver>) -> Self {
        Self { observer, ..self }
    }

    /// Whether an observer sees each event.
    pub(super) fn is_observed(&self) -> bool {
        self.observer.is_some()
    }

    /// Reads up to the reader's end.
    pub(super) fn read(&mut self, reader: &mut LogReader) -> Result<(), RunError> {
        while let Some(line) = reader.next_line()? {
            let event = line.event();
            self.compare(&line, None);
            self.take(&line, event.ok().flatten().as_ref(), None, None);
        }
        Ok(())
    }

    /// Takes lines that this process wrote at the reader's position.
    pub(super) fn take_written(&mut self, lines: &[u8], ends: &[LineEnd], reader: &mut LogReader) {
        let mut from = 0;
        for LineEnd { at, hash, counted, payload } in ends {
            let bytes = &lines[from..*at];
            let line = reader.pass(bytes);
            self.compare(&line, Some(hash));
            match counted {
                // The last line is the head, so it is read.
                Some(counted)
                    if self.fold.state.has_begun() && *at < lines.len() && !self.is_observed() =>
                {
                    self.fold.state.count(*counted);
                }
                _ => {
                    let payload = payload.as_ref();
                    let event = envelope::written(bytes, payload.map(MemberPlaces::length));
                    self.take(&line, event.as_ref(), payload, Some(*hash));
                }
            }
            from = *at;
        }
    }

    /// Compares a line with the stored head. The hash of the line may be known.
    fn compare(&mut self, line: &Line<'_>, hash: Option<&HexHash>) {
        if let (Some(stored), Body::Complete(bytes)) = (&self.stored, line.body)
            && line.offset + bytes.len() as u64 + 1 == stored.bytes
        {
            let hash = hash.copied().or_else(|| line.hash());
            self.stored_seen = hash.is_some_and(|hash| hash.is(&stored.hash));
        }
    }

    /// Takes a line and its event. The places of the payload's members, and the hash of the line,
    /// may be known.
    fn take(
        &mut self,
        line: &Line<'_>,
        event: Option<&Event<'_>>,
        payload: Option<&MemberPlaces>,
        hash: Option<HexHash>,
    ) {
        if let Some(event) = event {
            let view = View::known(event, payload);
            self.fold.observe_hashed(&view, line, hash, &mut self.records);
            if let Some(observer) = &mut self.observer {
                observer(&view, line.offset);
            }
            self.tools.expect(&self.records.tool);
            self.errors.expect(&self.records.error);
        }
    }

    /// The state after the last line read.
    pub(super) fn state(&self) -> &RunState {
        &self.fold.state
    }

    /// Whether another process has written records since they were read here.
    pub(super) fn is_outdated(&self) -> bool {
        self.tools.is_outdated() || self.errors.is_outdated()
    }

    /// Whether the files have wrong records. Call it after the last line.
    pub(super) fn differs(&mut self) -> bool {
        self.tools.differs() || self.errors.differs()
    }

    /// The number of bytes of records that wait to be written.
    pub(super) fn lacking(&self) -> usize {
        self.tools.lacking() + self.errors.lacking()
    }

    /// Appends the waiting records. The caller holds the lock. False if another process has written
    /// records; then everything must be read again.
    pub(super) fn write_records(&mut self) -> Result<bool, RunError> {
        if self.is_outdated() {
            return Ok(false);
        }
        make_dir(&self.run.logs())?;
        self.tools.append()?;
        self.errors.append()?;
        Ok(true)
    }

    /// Updates the files.
    pub(super) fn finish(self, old: Option<&[u8]>) -> Result<Refreshed, RunError> {
        let head = self.fold.head();
        let head_mismatch = self.stored.filter(|_| !self.stored_seen);
        let written_head = head_mismatch.clone().or(head);
        let document = RunDocument::new(&self.fold.state.facts(), written_head).to_bytes();
        // An empty log has no state.
        if old != Some(document.as_slice())
            && (self.fold.state.has_begun() || head_mismatch.is_some())
        {
            if head_mismatch.is_some() && !has_kept(&self.run) {
                keep_copy(&self.run.state())?;
            }
            replace_derived(&self.run.state(), &document)?;
        }
        if self.tools.wants_writing() || self.errors.wants_writing() {
            make_dir(&self.run.logs())?;
        }
        self.tools.write()?;
        self.errors.write()?;
        if self.fold.state.status().is_over() {
            // Killed writers leave temporary files.
            [self.run.directory(), &self.run.logs()].into_iter().for_each(remove_abandoned);
        }
        Ok(Refreshed { head_mismatch, is_observed: self.observer.is_some() })
    }
}

/// Whether there is a kept `run.json`, which covers more than the log has.
fn has_kept(run: &RunDir) -> bool {
    entries(run.directory()).into_iter().flatten().any(|(name, _)| {
        name.to_str().is_some_and(|name| name.starts_with("run.kept-") && name.ends_with(".json"))
    })
}

/// Folds a log into its state and records, line by line.
#[derive(Debug, Default)]
pub(crate) struct DerivedFold {
    /// The state after the last event taken.
    pub state: RunState,
    starts: records::Starts,
    last: Vec<u8>,
    /// The hash of the last line if the caller knew it. `last` is then empty.
    last_hash: Option<HexHash>,
    last_sequence: u64,
    end: u64,
}

/// The derived lines of one event; empty if there are none.
#[derive(Debug, Default)]
pub(crate) struct Records {
    /// For `logs/tools.jsonl`.
    pub tool: String,
    /// For `logs/errors.jsonl`.
    pub error: String,
    /// The effect of the event on the state.
    pub effect: Effect,
}

impl DerivedFold {
    /// Takes the event on a line. `records` then holds its records.
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
            let known = (&self.starts, RecordForm::Current);
            records::tool_record(view, &observed, known, &mut records.tool);
        }
        if view.is_error() {
            records::error_record(view, &mut records.error);
        }
    }

    /// The record of a tool state in the form of older versions.
    #[must_use]
    pub(crate) fn older_record(&self, view: &View<'_, '_>, records: &Records) -> String {
        let mut record = String::new();
        if let Some(observed) = records.effect.call {
            let known = (&self.starts, RecordForm::Older);
            records::tool_record(view, &observed, known, &mut record);
        }
        record
    }

    /// Whether the run's `run.json` has exactly this state.
    #[must_use]
    pub(crate) fn is_stored(&self, run: &RunDir) -> bool {
        let stored = read_small(&run.state(), MAX_STATE).ok().flatten();
        stored == Some(RunDocument::new(&self.state.facts(), self.head()).to_bytes())
    }

    /// The head for the last event; `None` without events.
    #[must_use]
    pub(crate) fn head(&self) -> Option<Head> {
        let known = self.last_hash.map(|hash| hash.as_str().to_owned());
        let hash = known.unwrap_or_else(|| line_hash(&self.last));
        let head = Head { sequence: self.last_sequence, hash, bytes: self.end };
        (self.end > 0).then_some(head)
    }
}
