//! The checks on the log itself: lines, order, references, chain, transitions, summaries.

use std::borrow::Cow;
use std::hash::BuildHasher as _;

use foldhash::quality::RandomState;
use foldhash::{HashMap, HashMapExt as _};

use super::created;
use super::ending::{EndOfLog, ExpectedStatus, LateWork};
use super::finding::{Excerpt, Finding, Findings, Place};
use super::ids::{IdKey, Ids, SummaryMark};
use super::line_scan::ScannedLine;
use super::open_calls::OpenCalls;
use super::parents::Parents;
use super::references::{OpenReference, OpenReferences};
use super::rejections::Rejections;
use super::split_secrets::SplitSecrets;
use super::table::{Code, Level};
use super::template_claim::TemplateClaim;
use super::versions::Versions;
use crate::event::advice::near_type;
use crate::event::catalogue;
use crate::event::envelope::{Event, LineError, LineFault};
use crate::event::fields::View;
use crate::event::id::RunId;
use crate::event::role::Role;
use crate::event::templates::Templates;
use crate::event::time::Timestamp;
use crate::fs::hash::HexHash;
use crate::history::calls::{Call, Observed};
use crate::history::state::RunState;
use crate::json::{self, Fault, Json, JsonRules};
use crate::log::reader::{Body, Line};
use crate::run::derive::Records;
use crate::secret::SecretRules;
use crate::summary::backfill::backfilled;
use crate::text::human;
use crate::text::inert::preview;

/// The log's name in findings.
pub(crate) const LOG: &str = "events.jsonl";

/// Up to this many events have more than one summary to compare with.
const MAX_PENDING: usize = 100_000;
/// Up to this many unknown types are counted one by one.
const MAX_UNKNOWN: usize = 1000;
/// Stands for the others. No type has a space in it.
const OTHER_TYPES: &str = "other types";

/// Maximum number of summaries that are compared with their events.
const MAX_CLAIMS: usize = 10_000;

/// More about the summary that an event should get.
#[derive(Clone, Copy, Debug)]
struct PendingSummary {
    /// The hash of the summary that older versions made.
    older: Option<SummaryMark>,
    /// The user's template.
    own: Option<&'static str>,
}

/// A place in the log. It is converted to a [`Place`] only if there is a finding.
#[derive(Clone, Copy, Debug)]
struct Spot<'e> {
    line: u64,
    offset: u64,
    event_id: Option<&'e str>,
}

impl Spot<'_> {
    fn of_line(line: &Line<'_>) -> Self {
        Self { line: line.number, offset: line.offset, event_id: None }
    }

    fn place(&self) -> Place {
        Place {
            file: LOG.into(),
            line: Some(self.line),
            offset: Some(self.offset),
            event_id: self.event_id.map(str::to_owned),
        }
    }
}

/// Checks a log line by line.
#[derive(Debug)]
pub(crate) struct LogCheck {
    secrets: &'static SecretRules,
    findings: Findings,
    templates: &'static Templates,
    run_id: Option<String>,
    last_sequence: u64,
    /// Whether a line could not be read.
    damaged: bool,
    /// Whether an event was seen that does not report a repair.
    begun: bool,
    last_time: Option<Timestamp>,
    has_imported: bool,
    /// Hash of the previous line that is not blank.
    last_hash: Option<HexHash>,
    last_event: Option<(u64, u64)>,
    last_event_id: String,
    ids: Ids,
    hasher: RandomState,
    parents: Parents,
    rejections: Rejections,
    split_secrets: SplitSecrets,
    /// Events without a summary that get the one of a user's template, or may have an older one.
    pending: HashMap<IdKey, PendingSummary>,
    backfills: OpenReferences,
    claims: Vec<TemplateClaim>,
    versions: Versions,
    /// Unknown types: the first event of each, and how many there are.
    unknown: HashMap<String, (Place, u64)>,
    open_calls: OpenCalls,
    late_work: LateWork,
    end: EndOfLog,
}

impl LogCheck {
    /// A check before the first line. `secrets` must not be in the log; `templates` define the
    /// expected summaries. At most `most_findings` are kept of each check.
    #[must_use]
    pub(crate) fn new(
        secrets: &'static SecretRules,
        templates: &'static Templates,
        most_findings: u64,
    ) -> Self {
        Self {
            secrets,
            templates,
            findings: Findings::keeping(most_findings),
            run_id: None,
            last_sequence: 0,
            damaged: false,
            begun: false,
            last_time: None,
            has_imported: false,
            last_hash: None,
            last_event: None,
            last_event_id: String::new(),
            ids: Ids::default(),
            hasher: RandomState::default(),
            parents: Parents::default(),
            rejections: Rejections::default(),
            split_secrets: SplitSecrets::default(),
            pending: HashMap::new(),
            backfills: OpenReferences::default(),
            claims: Vec::new(),
            versions: Versions::default(),
            unknown: HashMap::new(),
            open_calls: OpenCalls::default(),
            late_work: LateWork::default(),
            end: EndOfLog::default(),
        }
    }

    /// Checks a line, before the state observes its event.
    pub(crate) fn line(
        &mut self,
        line: &Line<'_>,
        scanned: &ScannedLine,
        view: Result<Option<&View<'_, '_>>, &[LineError]>,
    ) {
        let spot = Spot::of_line(line);
        match view {
            Ok(Some(view)) => self.event(view, scanned, spot),
            Ok(None) if matches!(line.body, Body::Complete(_)) => {
                self.add(Code::RL009, spot, "the line is blank");
                return;
            }
            Ok(None) => {}
            Err(errors) => {
                let bytes = match line.body {
                    // Excerpts end up in CI logs, so a line with a possible secret is not shown.
                    Body::Complete(bytes) if !scanned.is_suspect => bytes,
                    _ => b"",
                };
                errors.iter().for_each(|error| self.bad(error, spot, bytes));
                self.missing(errors, spot);
                self.damaged = true;
                // A damaged line with a readable sequence keeps its place in the order.
                let next = self.last_sequence + 1;
                if let Body::Complete(bytes) = line.body
                    && told_sequence(bytes) == Some(next)
                {
                    self.last_sequence = next;
                }
            }
        }
        self.last_hash = scanned.hash.or(self.last_hash);
        if let Body::Complete(bytes) = line.body
            && scanned.is_suspect
        {
            self.secrets(bytes, spot);
        }
    }

    /// Sequence of the last event.
    #[must_use]
    pub(crate) fn last_sequence(&self) -> u64 {
        self.last_sequence
    }

    /// The summaries that must be compared with their events.
    pub(crate) fn take_claims(&mut self) -> Vec<TemplateClaim> {
        std::mem::take(&mut self.claims)
    }

    /// Checks the effect of the same event on the state.
    pub(crate) fn effect(
        &mut self,
        view: &View<'_, '_>,
        records: &Records,
        state: &RunState,
        line: &Line<'_>,
    ) {
        let spot = Spot { event_id: Some(&view.event.event_id), ..Spot::of_line(line) };
        if let Some(illegal) = records.effect.illegal {
            let code = if illegal.from.is_terminal() { Code::RL402 } else { Code::RL401 };
            let (from, to) = (illegal.from.name(), illegal.to.name());
            let kind = &view.event.kind;
            let is_worse = illegal.to.is_worse_end_than(illegal.from);
            let message = if is_worse {
                format!("the run had ended as {from}, and {kind} changed the status to {to}")
            } else {
                format!("{kind} cannot change the status from {from} to {to}")
            };
            let finding = Finding::new(code, spot.place(), message);
            // A trap at the end of a script may end a run that has already ended.
            let is_trap = illegal.from.is_terminal() && illegal.to.is_terminal() && !is_worse;
            let most = if is_trap { Level::Warning } else { Level::Error };
            self.findings.push(finding.at_most(most));
        }
        self.late_work.observe(view, state, || spot.place());
        self.end.observe(view);
        if let Some(observed) = records.effect.call {
            self.call(view, observed, &state.calls.get(observed.call), spot);
        }
    }

    /// The findings after the last line.
    #[must_use]
    pub(crate) fn finish(mut self, state: &RunState, expected: &ExpectedStatus) -> Findings {
        if let Some((line, offset)) = self.last_event.filter(|_| !self.begun && !self.damaged) {
            let (line, offset) = (Some(line), Some(offset));
            let place = Place { line, offset, ..Place::file(LOG) };
            let message = "the log has only repair records";
            self.findings.push(Finding::new(Code::RL406, place, message));
        }
        std::mem::take(&mut self.parents).finish(&self.ids, &mut self.findings);
        self.unknown_types();
        let ended = state.status().is_over();
        std::mem::take(&mut self.open_calls).finish(state, &mut self.findings);
        let late_work = std::mem::take(&mut self.late_work);
        late_work.finding().into_iter().for_each(|finding| self.findings.push(finding));
        let rejections = std::mem::take(&mut self.rejections);
        rejections.finding().into_iter().for_each(|finding| self.findings.push(finding));
        let (backfills, more) = std::mem::take(&mut self.backfills).finish(&self.ids);
        for OpenReference { id, place, .. } in backfills {
            let message = format!("the target {id} is not in the log");
            self.findings.push(Finding::new(Code::RL602, place, message));
        }
        self.findings.add(Code::RL602, Code::RL602.check().level, more[0]);
        let Some((line, offset)) = self.last_event else {
            let message = "the log has no events".to_owned();
            self.findings.push(Finding::new(Code::RL410, Place::file(LOG), message));
            return self.findings;
        };
        let id = std::mem::take(&mut self.last_event_id);
        let place = Spot { line, offset, event_id: Some(&id) }.place();
        if let Some(finding) = expected.finding(state, &self.end, place.clone()) {
            self.findings.push(finding);
        } else if !ended {
            let message = format!("the run is {}", state.status().name());
            self.findings.push(Finding::new(Code::RL408, place, message));
        }
        self.findings
    }

    /// Adds a finding in the log.
    fn add(&mut self, code: Code, spot: Spot<'_>, message: impl Into<String>) {
        self.findings.push(Finding::new(code, spot.place(), message));
    }

    fn hashed(&self, text: &str) -> SummaryMark {
        SummaryMark::MIN.saturating_add(self.hasher.hash_one(text) as u32)
    }

    /// Searches for secrets that recording would have redacted.
    fn secrets(&mut self, line: &[u8], spot: Spot<'_>) {
        let redacted = match json::check(line, JsonRules::LENIENT) {
            Ok(json) => self.secrets.redact_json(json),
            Err(_) => self.secrets.redact(&String::from_utf8_lossy(line)),
        };
        for rule in redacted.map(|redacted| redacted.rules).unwrap_or_default() {
            self.add(Code::RL903, spot, format!("a secret is recorded here: {rule}"));
        }
    }

    /// Reports the fields that a line lacks in one finding.
    fn missing(&mut self, errors: &[LineError], spot: Spot<'_>) {
        let names = errors.iter().filter_map(|error| match error.fault {
            LineFault::Missing(name) => Some(name),
            _ => None,
        });
        let names: Vec<&str> = names.collect();
        match names.as_slice() {
            [] => {}
            [name] => self.add(Code::RL005, spot, format!("the field {name} is missing")),
            names => {
                let names = names.join(", ");
                self.add(Code::RL005, spot, format!("the fields {names} are missing"));
            }
        }
    }

    fn bad(&mut self, error: &LineError, spot: Spot<'_>, line: &[u8]) {
        let code = match &error.fault {
            LineFault::Json(json) => match json.fault {
                Fault::Utf8 | Fault::ByteOrderMark => Code::RL001,
                Fault::DuplicateKey(_) => Code::RL003,
                _ => Code::RL002,
            },
            LineFault::NotAnObject => Code::RL004,
            // Missing fields are reported together.
            LineFault::Missing(_) => return,
            // Only lines of callers have stray fields.
            LineFault::Field(..) | LineFault::Stray(_) => Code::RL006,
            LineFault::TooLong(_) => Code::RL007,
        };
        let spot = Spot { offset: spot.offset + error.offset as u64, ..spot };
        let mut finding = Finding::new(code, spot.place(), error.to_string());
        if !line.is_empty() {
            finding = finding.showing(Excerpt::of(line, error.offset));
        }
        self.findings.push(finding);
    }

    fn event(&mut self, view: &View<'_, '_>, scanned: &ScannedLine, spot: Spot<'_>) {
        let event = view.event;
        let spot = Spot { event_id: Some(&event.event_id), ..spot };
        let has_begun = self.begun;
        self.order(event, scanned.number, view.is_imported(), spot);
        self.chain(event, spot);
        self.parents.observe(view, &self.ids, || spot.place(), &mut self.findings);
        self.summaries(view, spot);
        self.versions(view, spot);
        match catalogue::expected_fields(&event.kind) {
            None => self.unknown_type(view, spot),
            Some(expected) => {
                for field in expected.iter().filter(|field| view.data.present(field).is_none()) {
                    let message = format!("{} has no data field {field}", event.kind);
                    let finding = Finding::new(Code::RL012, spot.place(), message);
                    // An import adds no field that the source does not have.
                    let is_imported = view.is_imported();
                    self.findings.push(if is_imported {
                        finding.at_most(Level::Info)
                    } else {
                        finding
                    });
                }
            }
        }
        for (name, value) in view.impossible_counts() {
            let value = preview(value.text(), 40);
            let message = format!("{name} is {value}, which is not counted");
            let finding = Finding::new(Code::RL904, spot.place(), message);
            let imported = view.is_imported();
            self.findings.push(if imported { finding.at_most(Level::Info) } else { finding });
        }
        for (code, message) in created::faults(view, has_begun) {
            self.add(code, spot, message);
        }
        for rule in self.split_secrets.observe(view, self.secrets) {
            let message = format!("a secret is split over pieces of a streamed text: {rule}");
            let finding = Finding::new(Code::RL903, spot.place(), message);
            self.findings.push(finding.at_most(Level::Warning));
        }
        self.rejections.observe(view, || spot.place());
        for (name, _) in &event.unknown {
            self.add(Code::RL902, spot, format!("the envelope has an unknown field {name}"));
        }
        self.last_event = Some((spot.line, spot.offset));
        self.last_event_id.clear();
        self.last_event_id.push_str(&event.event_id);
    }

    /// Counts an event of an unknown type. Those that an importer keeps as they are count
    /// together.
    fn unknown_type(&mut self, view: &View<'_, '_>, spot: Spot<'_>) {
        let key = if view.is_imported() { "" } else { view.event.kind.as_ref() };
        if let Some((_, count)) = self.unknown.get_mut(key) {
            *count += 1;
        } else {
            let key = if self.unknown.len() < MAX_UNKNOWN { key } else { OTHER_TYPES };
            let (_, count) = self.unknown.entry(key.to_owned()).or_insert((spot.place(), 0));
            *count += 1;
        }
    }

    /// The findings on unknown types, in the order of the log.
    fn unknown_types(&mut self) {
        let mut unknown: Vec<_> = std::mem::take(&mut self.unknown).into_iter().collect();
        unknown.sort_by_key(|(_, (place, _))| place.offset);
        for (kind, (place, count)) in unknown {
            let events = human::plural(count, "event");
            let message = match kind.as_str() {
                "" => format!("{events} of types that the import keeps as they are"),
                OTHER_TYPES => {
                    self.findings.add(Code::RL901, Code::RL901.check().level, count - 1);
                    format!("{events} of other unknown types")
                }
                kind => {
                    let near = near_type(kind).map(|near| format!("; did you mean {near}?"));
                    let several = if count > 1 { format!(" ({events})") } else { String::new() };
                    format!("{kind} is not a known type{several}{}", near.unwrap_or_default())
                }
            };
            self.findings.push(Finding::new(Code::RL901, place, message));
        }
    }

    fn order(&mut self, event: &Event<'_>, number: Option<u128>, imported: bool, spot: Spot<'_>) {
        // Reports of a repair may precede the first event.
        if !self.begun
            && let role = catalogue::role(&event.kind)
            && role != Role::Recovered
        {
            self.begun = true;
            if role != Role::RunCreated && !self.damaged {
                self.add(Code::RL406, spot, format!("the first event is {}", event.kind));
            }
        }
        match &self.run_id {
            None => {
                self.run_id = Some(event.run_id.clone().into_owned());
                if let Err(error) = RunId::parse(&event.run_id) {
                    self.add(Code::RL006, spot, error.to_string());
                }
            }
            Some(run_id) if *run_id != event.run_id => {
                let message =
                    format!("the event belongs to {}; the log belongs to {run_id}", event.run_id);
                self.add(Code::RL104, spot, message);
                // The sequence in another run means nothing here, unless it continues this run.
                if event.sequence == self.last_sequence + 1 {
                    self.last_sequence = event.sequence;
                }
                return;
            }
            Some(_) => {}
        }
        let (last, this) = (self.last_sequence, event.sequence);
        if this > last + 1 {
            self.add(
                Code::RL101,
                spot,
                format!("sequence {this} follows {last}: {} missing", this - last - 1),
            );
        } else if this <= last {
            self.add(Code::RL102, spot, format!("sequence {this} follows {last}"));
        }
        self.last_sequence = this;
        if !self.ids.insert(&event.event_id, number) {
            self.add(
                Code::RL103,
                spot,
                format!("the id {} is used for two events", event.event_id),
            );
        }
        if self.last_time.is_some_and(|last| event.timestamp < last) {
            let back = self.last_time.map_or(0, |last| last.millis() - event.timestamp.millis());
            let back = human::duration(back.unsigned_abs());
            let message = format!("the clock went back by {back}");
            let finding = Finding::new(Code::RL105, spot.place(), message);
            // The end of an import has a time of the source, its other reports that of reading.
            let is_of_import = self.has_imported && catalogue::role(&event.kind).is_bookkeeping();
            let is_source = imported || is_of_import;
            self.findings.push(if is_source { finding.at_most(Level::Info) } else { finding });
        }
        self.has_imported |= imported;
        self.last_time = Some(event.timestamp);
    }

    fn chain(&mut self, event: &Event<'_>, spot: Spot<'_>) {
        match (&event.prev_hash, &self.last_hash) {
            (Some(given), Some(right)) if !right.is(given) => {
                let message = format!(
                    "this line or the one before was changed: prev_hash is {}…, the line before has {}…",
                    &given[..12],
                    &right.as_str()[..12]
                );
                self.add(Code::RL301, spot, message);
            }
            (Some(_), None) => self.add(Code::RL304, spot, "the first line has a prev_hash"),
            (None, Some(_)) => self.add(Code::RL302, spot, "the line has no prev_hash"),
            _ => {}
        }
    }

    fn summaries(&mut self, view: &View<'_, '_>, spot: Spot<'_>) {
        let event = view.event;
        if event.summary.is_none()
            && let Some(summary) = self.templates.summary(&event.kind, &view.data)
        {
            let own = self.templates.own_template(&event.kind);
            // Older versions used the template of the event type for every outcome.
            let older = catalogue::summary(&event.kind, &view.data).filter(|_| own.is_none());
            let older = older.filter(|older| *older != summary).map(|older| self.hashed(&older));
            let (key, mark) = (self.ids.key_of(&event.event_id), self.hashed(&summary));
            let is_plain = older.is_none() && own.is_none();
            // Without a mark, a summary is not compared.
            if is_plain || self.pending.len() < MAX_PENDING {
                self.ids.mark(key, mark);
            }
            if !is_plain && self.pending.len() < MAX_PENDING {
                self.pending.insert(key, PendingSummary { older, own });
            }
        }
        let Some((target, summary)) = backfilled(view) else { return };
        // What no model made must be what the template makes.
        let by_template = view.field("source").is_none_or(|source| source != "llm");
        // That of a user's template can only be compared with the template in force.
        let mark = by_template.then(|| self.ids.mark_of(self.ids.key_of(&target))).flatten();
        if by_template && mark.is_none() && self.claims.len() < MAX_CLAIMS {
            let template = view.field("template").map(Cow::into_owned);
            let (target, place, summary) = (target.clone(), spot.place(), summary.clone());
            let is_told = view.field("source").is_some_and(|source| source == "template");
            self.claims.push(TemplateClaim { target, summary, template, is_told, place });
        }
        if let Some(right) = mark
            && let key = self.ids.key_of(&target)
            && let more = self.pending.get(&key)
            && view.field("template").as_deref() == more.and_then(|more| more.own)
            && let given = self.hashed(&summary)
            && right != given
            && more.and_then(|more| more.older) != Some(given)
        {
            let message = format!("the summary of {target} is not that of its template");
            self.add(Code::RL601, spot, message);
        }
        self.backfills.add(&target, false, &self.ids, || spot.place());
    }

    /// Checks a version of the session summary.
    fn versions(&mut self, view: &View<'_, '_>, spot: Spot<'_>) {
        for (code, message) in self.versions.observe(view, &self.ids) {
            let finding = Finding::new(code, spot.place(), message);
            let imported = view.is_imported();
            self.findings.push(if imported { finding.at_most(Level::Info) } else { finding });
        }
    }

    fn call(&mut self, view: &View<'_, '_>, observed: Observed, call: &Call, spot: Spot<'_>) {
        let imported = view.is_imported();
        if !view.role.is_tool_end() {
            if call.ends == 0 {
                self.open_calls.start(observed.call, view, || spot.place());
            }
            return;
        }
        self.open_calls.end(observed.call);
        let level = if imported { Level::Info } else { Level::Warning };
        // A call may be blocked before it starts.
        let started = call.first.is_some() || observed.repeated_end;
        if !started && view.role != Role::ToolBlocked {
            let message = format!("{} ends a call that did not start", view.event.kind);
            self.findings.push(Finding::new(Code::RL203, spot.place(), message).at_most(level));
        }
        if observed.repeated_end && !observed.is_second_sight {
            let message = format!("{} ends a call a second time", view.event.kind);
            self.findings.push(Finding::new(Code::RL204, spot.place(), message).at_most(level));
        }
        let told = view.data.get("duration_ms").and_then(Json::as_f64);
        let backwards = observed.start.is_some_and(|start| view.event.timestamp < start.time);
        if let Some(told) = told.filter(|told| *told < 0.0) {
            let message = format!("the event says that the call took {told} ms");
            self.findings.push(Finding::new(Code::RL205, spot.place(), message).at_most(level));
        } else if backwards {
            let message = "the call ends before it starts".to_owned();
            self.findings.push(Finding::new(Code::RL205, spot.place(), message).at_most(level));
        }
    }
}

/// The sequence on a line that is not a valid event.
fn told_sequence(line: &[u8]) -> Option<u64> {
    json::check(line, JsonRules::LENIENT).ok()?.get("sequence").and_then(Json::as_u64)
}
