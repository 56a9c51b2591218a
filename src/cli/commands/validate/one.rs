//! One run held against its log.

use std::cell::Cell;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::str::FromStr;

use super::chapters;
use super::reading::each_line;
use crate::check::blobs::BlobCheck;
use crate::check::deliverables::{Deliverable, judge};
use crate::check::derived::{self, Colophon, Comparison};
use crate::check::finding::{Finding, Findings, Place};
use crate::check::log::{LOG, LogCheck};
use crate::check::report::RunReport;
use crate::check::requirement::Requirement;
use crate::check::state::{self, HeadSeen};
use crate::event::fields::View;
use crate::event::hash::HexHash;
use crate::event::role::Role;
use crate::event::templates::Templates;
use crate::fs::{Access, FsError, open_regular, read_small};
use crate::history::state::RunState;
use crate::log::lock::LogFile;
use crate::log::reader::{Body, LogReader};
use crate::log::rejected::moved_from;
use crate::ops::transcript::{harness, render};
use crate::run::blobs::look as look_at_blob;
use crate::run::deliverables::{FOLDER, Found, files, look};
use crate::run::derive::{Fold, Records};
use crate::run::dir::RunDir;
use crate::run::document::{RunDocument, stored_head};
use crate::secret::Rules;

/// Largest derived document that is read whole, in bytes.
const MAX_DOCUMENT: u64 = 256 << 20;

/// Bytes of a derived log that are read together.
const READ: usize = 256 << 10;

/// What a run is held against.
pub(super) struct Asked<'a> {
    pub(super) secrets: &'static Rules,
    pub(super) templates: &'static Templates,
    /// Deliverables required besides those of the run.
    pub(super) require: &'a [String],
    pub(super) expected_head: Option<&'a ExpectedHead>,
}

/// A line that the log must hold.
#[derive(Clone, Debug)]
pub(super) struct ExpectedHead {
    sequence: u64,
    hash: String,
}

impl FromStr for ExpectedHead {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let rule = || "use SEQUENCE:HASH, as `runlog show RUN --head` prints it".to_owned();
        let (sequence, hash) = text.trim().split_once(':').ok_or_else(rule)?;
        let hash = hash.to_ascii_lowercase();
        let good = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        let sequence = sequence.parse().ok().filter(|_| good).ok_or_else(rule)?;
        Ok(Self { sequence, hash })
    }
}

/// A report, and what mending starts from.
pub(super) struct Validated {
    pub(super) report: RunReport,
    /// The number of the last event.
    pub(super) last_sequence: u64,
    /// Whether `run.json` is not the state as of the newest event.
    pub(super) is_stale: bool,
    /// Whether the log lost something that derived files may still tell.
    pub(super) lost: bool,
}

/// Reads a run and holds it against its log.
pub(super) fn validate(run: &RunDir, asked: &Asked<'_>) -> anyhow::Result<Validated> {
    // Derived files are opened before the log: a writer at work can then only make them
    // seem to lag, never to run ahead.
    let stored = read_small(&run.state(), MAX_DOCUMENT);
    let transcript = read_small(&run.transcript(), MAX_DOCUMENT);
    let derived_logs = [("logs/tools.jsonl", run.tools()), ("logs/errors.jsonl", run.errors())];
    let derived_logs = derived_logs.map(|(name, path)| (name, snapshot(&path)));
    let [mut tools, mut errors] = derived_logs.each_ref().map(|(name, lines)| {
        let lines = lines.as_ref().ok().and_then(Option::as_ref);
        Comparison::new(name, lines.map(|lines| BufReader::with_capacity(READ, lines)))
    });
    let reader = LogReader::open(&run.events())?;
    let end = reader.end();
    let mut check = LogCheck::new(asked.secrets, asked.templates);
    let mut blobs = BlobCheck::default();
    let (mut fold, mut records) = (Fold::default(), Records::default());
    let state_bytes = stored.as_ref().ok().and_then(Option::as_deref);
    let head = state_bytes.and_then(stored_head);
    let mut seen = HeadSeen::default();
    let (mut events, mut last_sequence) = (0, 0);
    let mut found_head: Option<HexHash> = None;
    let mut tail = None;
    let mut has_chapters = false;
    each_line(reader, asked.secrets, |line, looked| {
        match line.body {
            Body::Unterminated(bytes) => {
                tail = Some((line.number, line.offset, bytes.len() as u64));
            }
            Body::Oversized { bytes, hash: None } => {
                tail = Some((line.number, line.offset, bytes));
            }
            Body::Complete(_) | Body::Oversized { hash: Some(_), .. } => {}
        }
        let event = looked.event(line);
        let view = event.as_ref().ok().and_then(Option::as_ref).map(View::of);
        let view = view.as_ref();
        check.line(line, looked, event.as_ref().map(|_| view).map_err(Vec::as_slice));
        if let Some(view) = view {
            let event = view.event;
            events += 1;
            last_sequence = event.sequence;
            if asked.expected_head.is_some_and(|head| head.sequence == event.sequence) {
                found_head = looked.hash;
            }
            has_chapters |= matches!(view.role, Role::Chapter | Role::ChapterRemoved);
            fold.observe_hashed(view, line, looked.hash, &mut records);
            tools.expect(&records.tool);
            errors.expect(&records.error);
            check.effect(view, &records, &fold.state, line);
            let place = || Place {
                line: Some(line.number),
                offset: Some(line.offset),
                event_id: Some(event.event_id.clone().into_owned()),
                ..Place::file(LOG)
            };
            blobs.event(event.data, place, |reference| look_at_blob(run, reference));
        }
        if let (Some(head), Body::Complete(bytes)) = (&head, line.body)
            && line.offset + bytes.len() as u64 + 1 == head.bytes
        {
            seen.hash = looked.hash;
            seen.expected = RunDocument::new(&fold.state.facts(), Some(head.clone())).to_bytes();
        }
    })?;
    let is = |hash: Option<HexHash>, wanted: &str| hash.is_some_and(|hash| hash.is(wanted));
    let cut = head.as_ref().is_some_and(|head| !is(seen.hash, &head.hash));
    let (next, lost) = (check.last_sequence(), cut || check.is_damaged());
    let mut findings = check.finish(&fold.state);
    blobs.finish().into_iter().for_each(|finding| findings.push(finding));
    match tail {
        Some((number, offset, length)) => findings.push(judge_tail(run, number, offset, length)),
        None => untold(run, end, &mut findings),
    }
    if let Some(expected) = asked.expected_head.filter(|head| !is(found_head, &head.hash)) {
        let message = match found_head {
            Some(hash) => format!("the line {} has {}…", expected.sequence, &hash.as_str()[..12]),
            None => format!("the log has no line {}", expected.sequence),
        };
        findings.push(Finding::new("RL305", Place::file(LOG), message));
    }
    let name = run.name();
    if !fold.state.run_id.is_empty() && name != fold.state.run_id {
        let message = format!("the directory is {name}, the run is {}", fold.state.run_id);
        findings.push(Finding::new("RL407", Place::file(LOG), message));
    }
    unreadable(stored.as_ref().err(), state::STATE, "RL404", &mut findings);
    if stored.is_ok() {
        let over = fold.state.status().is_over();
        state::check(state_bytes, head.as_ref(), &seen, over, &mut findings);
    }
    tools.finish(&mut findings);
    errors.finish(&mut findings);
    for (name, lines) in &derived_logs {
        unreadable(lines.as_ref().err(), name, "RL502", &mut findings);
    }
    unreadable(transcript.as_ref().err(), derived::TRANSCRIPT, "RL504", &mut findings);
    if let Ok(transcript) = &transcript {
        let made = transcript.as_deref().and_then(Colophon::of).filter(Colophon::is_ours);
        let expected = made.map(|made| render(run, Some(made.covered), made.extent)).transpose()?;
        let expected = expected.as_ref().map(|(text, _)| text.as_str());
        let quoted = harness(run).fingerprint();
        let (stored, quoted) = (transcript.as_deref(), quoted.as_deref());
        derived::transcript(stored, expected, quoted, last_sequence, &mut findings);
    }
    if has_chapters {
        chapters::check(run, asked.templates, &mut findings)?;
    }
    let written_head = if cut { head } else { fold.head() };
    let current = RunDocument::new(&fold.state.facts(), written_head).to_bytes();
    // Of an empty log there is no state.
    let is_stale = events > 0 && state_bytes != Some(&current);
    let run_id = if fold.state.run_id.is_empty() { name } else { fold.state.run_id.clone() };
    let deliverables = deliverables(run, &fold.state, asked.require, &mut findings);
    let path = run.path().display().to_string();
    let report = RunReport { run_id, path, findings, events, deliverables, fixes: Vec::new() };
    Ok(Validated { report, last_sequence: next, is_stale, lost })
}

/// So many files that nothing requires are named.
const MAX_UNDECLARED: usize = 100;

/// The verdicts on what the run must leave, and on what is required besides.
fn deliverables(
    run: &RunDir,
    state: &RunState,
    require: &[String],
    findings: &mut Findings,
) -> Vec<Deliverable> {
    let started = state.started_at.or(state.created_at);
    let there = files(run);
    let mut seen = HashSet::new();
    let mut declared: Vec<Requirement> = Vec::new();
    let mut verdicts = Vec::new();
    for text in state.deliverables.required.iter().chain(require).filter(|text| seen.insert(*text))
    {
        let required = match Requirement::parse(text) {
            Ok(required) => required,
            Err(what) => {
                verdicts.push(Deliverable::unreadable(text, what));
                continue;
            }
        };
        let paths: Vec<String> = match &required.pattern {
            None => vec![required.path.clone()],
            Some(_) => there.iter().filter(|path| required.covers(path)).cloned().collect(),
        };
        let look = |path: String| {
            let found = look(run, &path, required.wants());
            (path, found)
        };
        let found: Vec<(String, Found)> = paths.into_iter().map(look).collect();
        verdicts.push(judge(&required, &found, started));
        declared.push(required);
    }
    verdicts.iter().filter_map(Deliverable::finding).for_each(|finding| findings.push(finding));
    let undeclared = there.iter().filter(|path| !declared.iter().any(|one| one.covers(path)));
    let undeclared: Vec<&String> = undeclared.collect();
    for path in undeclared.iter().take(MAX_UNDECLARED) {
        findings.push(Finding::new(
            "RL805",
            Place::file(String::clone(path)),
            "nothing requires it",
        ));
    }
    if let Some(more @ 1..) = undeclared.len().checked_sub(MAX_UNDECLARED) {
        let message = format!("nothing requires {more} more files");
        findings.push(Finding::new("RL805", Place::file(FOLDER), message));
    }
    verdicts
}

/// A file up to the length that it had when it was opened.
#[derive(Debug)]
struct Snapshot {
    file: File,
    left: Cell<u64>,
}

impl Read for &Snapshot {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let room = self.left.get().min(buffer.len() as u64) as usize;
        let read = (&self.file).read(&mut buffer[..room])?;
        self.left.set(self.left.get() - read as u64);
        Ok(read)
    }
}

/// The file as it is now; `None` when it does not exist.
fn snapshot(path: &Path) -> Result<Option<Snapshot>, FsError> {
    let file = match open_regular(path, Access::Read) {
        Err(error) if error.is_missing() => return Ok(None),
        opened => opened?,
    };
    let length = file.metadata().map_err(|error| FsError::io(path, "inspect", error))?.len();
    Ok(Some(Snapshot { file, left: Cell::new(length) }))
}

/// Only the holder of the lock may call a tail torn.
fn judge_tail(run: &RunDir, number: u64, offset: u64, length: u64) -> Finding {
    let place = Place { line: Some(number), offset: Some(offset), ..Place::file(LOG) };
    if is_settled(run, offset + length) {
        let message = format!("{length} bytes after the last newline; no writer is at work");
        Finding::new("RL010", place, message)
    } else {
        Finding::new("RL011", place, "a writer was at work here")
    }
}

/// What was moved away from the end of the log, and is told nowhere; a writer at work may be
/// just about to.
fn untold(run: &RunDir, end: u64, findings: &mut Findings) {
    if let Some(moved) = moved_from(&run.rejected(), end)
        && is_settled(run, end)
    {
        let moved = moved.bytes;
        let place = Place { offset: Some(end), ..Place::file(LOG) };
        let message = format!("{moved} bytes from here on were moved to logs/rejected.jsonl");
        findings.push(Finding::new("RL013", place, message));
    }
}

/// Whether the log ends at byte `end`, and nobody is about to write.
fn is_settled(run: &RunDir, end: u64) -> bool {
    LogFile::open(&run.events(), Access::Read)
        .is_ok_and(|log| log.is_free() && log.length().is_ok_and(|now| now == end))
}

fn unreadable(
    error: Option<&FsError>,
    file: &'static str,
    code: &'static str,
    findings: &mut Findings,
) {
    if let Some(error) = error {
        findings.push(Finding::new(code, Place::file(file), error.to_string()));
    }
}
