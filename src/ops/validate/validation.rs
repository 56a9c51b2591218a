//! Compares a run with its log.

use crate::check::table::{Code, Level};
use std::io::BufReader;

use super::chapters;
use super::deliverables::{JudgedDeliverables, deliverables};
use super::evidence::{Claim, evidence};
use super::expected_head::ExpectedHead;
use super::leaks::leaks;
use super::leftovers::leftovers;
use super::lines::each_line;
use super::log_end::{moved_away, unterminated};
use super::snapshot::snapshot;
use super::summaries;
use super::template_claims;
use super::transcript::TranscriptCheck;
use crate::check::blobs::BlobCheck;
use crate::check::derived::{self, Comparison};
use crate::check::ending::ExpectedStatus;
use crate::check::finding::{Finding, Findings, Place};
use crate::check::log::{LOG, LogCheck};
use crate::check::report::RunReport;
use crate::check::sources::SourceCheck;
use crate::check::state::{self, HeadSeen};
use crate::event::fields::View;
use crate::event::role::Role;
use crate::event::templates::Templates;
use crate::fs::hash::HexHash;
use crate::fs::{FsError, read_small};
use crate::log::reader::{Body, LogReader};
use crate::ops::error::OpsError;
use crate::run::blobs::look as look_at_blob;
use crate::run::derive::{DerivedFold, Records};
use crate::run::dir::RunDir;
use crate::run::document::{RunDocument, stored_head};
use crate::run::source::{look_at_frame, source_line};
use crate::secret::SecretRules;

/// Size of each read from a derived log, in bytes.
const READ: usize = 256 << 10;

/// Maximum size of a derived document, in bytes.
const MAX_DOCUMENT: u64 = 256 << 20;

/// What a run is validated against.
pub(crate) struct Criteria<'a> {
    /// The rules for secrets.
    pub(crate) secrets: &'static SecretRules,
    /// The summary templates.
    pub(crate) templates: &'static Templates,
    /// The ids by which runs were named. The directory of such a run must have its log.
    pub(crate) named: &'a [String],
    /// Deliverables required in addition to those of the run.
    pub(crate) require: &'a [String],
    /// A line that the log must have.
    pub(crate) expected_head: Option<&'a ExpectedHead>,
    /// The statuses that the run may have.
    pub(crate) expected_status: &'a ExpectedStatus,
    /// Maximum number of findings that are kept of each check.
    pub(crate) most_findings: u64,
    /// Whether deliverables are hashed so that their verdict can be recorded.
    pub(crate) hashes: bool,
}

/// The report, and the input of a fix.
pub(crate) struct Validated {
    /// The report.
    pub(crate) report: RunReport,
    /// The sequence of the last event.
    pub(crate) last_sequence: u64,
    /// Whether `run.json` is not the state at the newest event.
    pub(crate) is_stale: bool,
    /// Whether the log lost events that derived files may still contain.
    pub(crate) lost: bool,
}

/// Reads a run and compares its derived files with its log.
///
/// # Errors
/// When the log cannot be read.
pub(crate) fn validate(run: &RunDir, criteria: &Criteria<'_>) -> Result<Validated, OpsError> {
    // Open derived files before the log. Then an active writer can only make them seem out of date,
    // never newer than the log.
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
    let mut check = LogCheck::new(criteria.secrets, criteria.templates, criteria.most_findings);
    let stored_transcript = transcript.as_ref().ok().and_then(Option::as_deref);
    let mut transcript_check = TranscriptCheck::new(stored_transcript);
    let (mut blobs, mut sources) = (BlobCheck::default(), SourceCheck::default());
    let (mut fold, mut records) = (DerivedFold::default(), Records::default());
    let state_bytes = stored.as_ref().ok().and_then(Option::as_deref);
    let head = state_bytes.and_then(stored_head);
    let mut seen = HeadSeen::default();
    let (mut events, mut last_sequence) = (0, 0);
    let mut found_head: Option<HexHash> = None;
    let mut tail = None;
    let (mut has_chapters, mut has_summaries) = (false, false);
    let mut claims = Vec::new();
    each_line(reader, criteria.secrets, &mut transcript_check, |line, scanned| {
        match line.body {
            Body::Unterminated(bytes) => {
                tail = Some((line.number, line.offset, bytes.len() as u64));
            }
            Body::Oversized { bytes, hash: None } => {
                tail = Some((line.number, line.offset, bytes));
            }
            Body::Complete(_) | Body::Oversized { hash: Some(_), .. } => {}
        }
        let event = scanned.event(line);
        let view = event.as_ref().ok().and_then(Option::as_ref).map(View::of);
        let view = view.as_ref();
        check.line(line, scanned, event.as_ref().map(|_| view).map_err(Vec::as_slice));
        if let Some(view) = view {
            let event = view.event;
            events += 1;
            last_sequence = event.sequence;
            if criteria.expected_head.is_some_and(|head| head.sequence == event.sequence) {
                found_head = scanned.hash;
            }
            if let Body::Complete(bytes) = line.body {
                claims.extend(Claim::of(view.role, line.number, line.offset, bytes.len()));
            }
            has_chapters |= matches!(view.role, Role::Chapter | Role::ChapterRemoved);
            has_summaries |= view.role == Role::SessionSummary;
            fold.observe_hashed(view, line, scanned.hash, &mut records);
            tools.expect(&records.tool, || fold.older_record(view, &records));
            errors.expect(&records.error, String::new);
            check.effect(view, &records, &fold.state, line);
            let place = || Place {
                line: Some(line.number),
                offset: Some(line.offset),
                event_id: Some(event.event_id.clone().into_owned()),
                ..Place::file(LOG)
            };
            blobs.event(event.data, place, |reference| look_at_blob(run, reference));
            let is_there = |place| source_line(run, place).is_some();
            sources.event(event.data, place, |frame| look_at_frame(run, frame), is_there);
        }
        if let (Some(head), Body::Complete(bytes)) = (&head, line.body)
            && line.offset + bytes.len() as u64 + 1 == head.bytes
        {
            seen.hash = scanned.hash;
            seen.sequence = last_sequence;
            seen.expected = RunDocument::new(&fold.state.facts(), Some(head.clone())).to_bytes();
        }
    })?;
    let is = |hash: Option<HexHash>, wanted: &str| hash.is_some_and(|hash| hash.is(wanted));
    let cut = head.as_ref().is_some_and(|head| !is(seen.hash, &head.hash));
    let next = check.last_sequence();
    let template_claims = check.take_claims();
    let mut findings = check.finish(&fold.state, criteria.expected_status);
    let state = &fold.state;
    let ended = (state.status(), &*state.deliverables.required);
    evidence(run, &claims, ended, &mut findings)?;
    leftovers(run, |name| blobs.has_seen(name), &mut findings);
    leaks(run, criteria.secrets, &mut findings);
    findings.append(blobs.finish());
    findings.append(sources.finish());
    match tail {
        Some((number, offset, length)) => findings.push(unterminated(run, number, offset, length)),
        None => moved_away(run, end).into_iter().for_each(|finding| findings.push(finding)),
    }
    let missing = criteria.expected_head.and_then(|head| head.missing(found_head));
    missing.into_iter().for_each(|finding| findings.push(finding));
    let name = run.name();
    if !fold.state.run_id.is_empty() && name != fold.state.run_id {
        let message = format!("the directory is {name}; the run is {}", fold.state.run_id);
        let is_named = criteria.named.contains(&name);
        let level = if is_named { Level::Error } else { Level::Warning };
        findings.push(Finding::new(Code::RL407, Place::file(LOG), message).at_most(level));
    }
    unreadable(stored.as_ref().err(), state::STATE, Code::RL404, &mut findings);
    if stored.is_ok() {
        let status = fold.state.status();
        state::check(state_bytes, head.as_ref(), &seen, status, &mut findings);
    }
    tools.finish(&mut findings);
    errors.finish(&mut findings);
    for (name, lines) in &derived_logs {
        unreadable(lines.as_ref().err(), name, Code::RL502, &mut findings);
    }
    unreadable(transcript.as_ref().err(), derived::TRANSCRIPT, Code::RL504, &mut findings);
    let written_head = if cut { head } else { fold.head() };
    let current = RunDocument::new(&fold.state.facts(), written_head).to_bytes();
    // An empty log has no state.
    let is_stale = events > 0 && state_bytes != Some(&current);
    let given = &fold.state.run_id;
    let run_id = if given.is_empty() { name.clone() } else { given.clone() };
    let status = fold.state.status();
    let mut of_deliverables = Findings::keeping(criteria.most_findings);
    let judged = deliverables(run, &fold.state, criteria, &mut of_deliverables);
    let lacks_only_files = fold.state.lacks_only_files();
    let JudgedDeliverables { verdicts: deliverables, recorded, kept, has_changed } = judged;
    // What follows reads the log again and needs the memory.
    drop(fold);
    if transcript.is_ok() {
        transcript_check.finish(run, last_sequence, &mut findings)?;
    }
    if has_chapters || run.chapters().is_there() {
        chapters::check(run, criteria.templates, &mut findings)?;
    }
    if !template_claims.is_empty() {
        template_claims::check(run, template_claims, criteria.templates, &mut findings)?;
    }
    if has_summaries {
        summaries::check(run, &mut findings)?;
    }
    findings.append(of_deliverables);
    let path = run.path().display().to_string();
    let fixes = Vec::new();
    let report = RunReport {
        run_id,
        name,
        path,
        status,
        is_expected: criteria.expected_status.accepts(status),
        findings,
        events,
        deliverables,
        recorded,
        kept,
        lacks_only_files,
        has_changed,
        fixes,
    };
    let lost = cut || report.findings.totals().any(|(code, level, _)| is_of_log(code, level));
    Ok(Validated { report, last_sequence: next, is_stale, lost })
}

/// The finding on a derived file that cannot be read.
fn unreadable(error: Option<&FsError>, file: &'static str, code: Code, findings: &mut Findings) {
    if let Some(error) = error {
        findings.push(Finding::new(code, Place::file(file), error.to_string()));
    }
}

/// Whether a finding says that the log is not what it was, so that derived files are witnesses. A torn
/// tail is not one: no event was lost with it.
fn is_of_log(code: Code, level: Level) -> bool {
    let families = ["line", "order", "chain"];
    level == Level::Error && code != Code::RL010 && families.contains(&code.check().family)
}
