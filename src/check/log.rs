//! The checks on the log itself: lines, order, references, chain, transitions, summaries.

use std::collections::{HashMap, HashSet};

use super::finding::{Finding, Findings, Place};
use super::table::Level;
use crate::conversation::calls::Observed;
use crate::event::catalogue;
use crate::event::envelope::{Event, LineError, LineFault};
use crate::event::fields::View;
use crate::event::hash::line_hash;
use crate::event::json::{self, Fault, Rules};
use crate::event::role::Role;
use crate::event::templates::Templates;
use crate::event::time::Timestamp;
use crate::log::reader::{Body, Line};
use crate::render::human;
use crate::run::derive::Records;
use crate::run::state::RunState;
use crate::secret::Rules as Secrets;
use crate::summary::backfill::backfilled;

/// The log's name in findings.
pub const LOG: &str = "events.jsonl";

/// Checks a log line by line.
#[derive(Debug)]
pub struct LogCheck {
    secrets: &'static Secrets,
    findings: Findings,
    templates: &'static Templates,
    run_id: Option<String>,
    last_sequence: u64,
    last_time: Option<Timestamp>,
    /// Hash of the line before, blank ones passed over.
    last_hash: Option<String>,
    last_event: Option<Place>,
    ids: HashSet<String>,
    parents: Vec<(String, Place, bool)>,
    /// Events whose template summary is pending: what it would be, and the user's template
    /// that it is made of.
    pending: HashMap<String, (String, Option<&'static str>)>,
    backfills: Vec<(String, Place)>,
    /// Where each call's first event stands, and whether it was imported.
    calls: HashMap<usize, (Place, bool)>,
}

impl LogCheck {
    /// A check that has seen nothing yet; `secrets` are not allowed in the log, and
    /// `templates` say what summaries should be.
    #[must_use]
    pub fn new(secrets: &'static Secrets, templates: &'static Templates) -> Self {
        Self {
            secrets,
            templates,
            findings: Findings::default(),
            run_id: None,
            last_sequence: 0,
            last_time: None,
            last_hash: None,
            last_event: None,
            ids: HashSet::new(),
            parents: Vec::new(),
            pending: HashMap::new(),
            backfills: Vec::new(),
            calls: HashMap::new(),
        }
    }

    /// Takes a line, and what was read of it, before its event goes to the fold of the state.
    pub fn line(&mut self, line: &Line<'_>, event: &Result<Option<Event<'_>>, Vec<LineError>>) {
        let place = Place {
            file: LOG.to_owned(),
            line: Some(line.number),
            offset: Some(line.offset),
            event_id: None,
        };
        match event {
            Ok(Some(event)) => self.event(event, &place),
            Ok(None) if matches!(line.body, Body::Complete(_)) => {
                self.add("RL009", &place, "the line is blank");
                return;
            }
            Ok(None) => {}
            Err(errors) => errors.iter().for_each(|error| self.bad(error, &place)),
        }
        if let Body::Complete(bytes) = line.body {
            self.last_hash = Some(line_hash(bytes));
            self.secrets(bytes, &place);
        }
    }

    /// Takes what the fold of the state made of the same event.
    pub fn effect(&mut self, view: &View<'_, '_>, records: &Records, line: &Line<'_>) {
        let place = Place {
            file: LOG.to_owned(),
            line: Some(line.number),
            offset: Some(line.offset),
            event_id: Some(view.event.event_id.clone().into_owned()),
        };
        if let Some(illegal) = records.effect.illegal {
            let code = if illegal.from.is_terminal() { "RL402" } else { "RL401" };
            let (from, to) = (illegal.from.name(), illegal.to.name());
            self.add(code, &place, format!("{} cannot turn a {from} run {to}", view.event.kind));
        }
        if let Some(observed) = records.effect.call {
            self.call(view, observed, &place);
        }
    }

    /// The findings, when the last line has been taken.
    #[must_use]
    pub fn finish(mut self, state: &RunState) -> Findings {
        for (parent, place, imported) in std::mem::take(&mut self.parents) {
            if !self.ids.contains(&parent) {
                let finding =
                    Finding::new("RL201", place, format!("the parent {parent} is not in the log"));
                self.findings.push(if imported { finding.at_most(Level::Info) } else { finding });
            }
        }
        let ended = state.status().is_terminal();
        for (index, call) in state.calls.all().iter().enumerate() {
            let Some((place, imported)) = self.calls.get(&index) else { continue };
            let level = if *imported || !ended { Level::Info } else { Level::Warning };
            if call.ends == 0 {
                let message = format!("the call {} of {} has no end", call.id, call.tool);
                self.findings.push(Finding::new("RL202", place.clone(), message).at_most(level));
            }
        }
        for (target, place) in std::mem::take(&mut self.backfills) {
            if !self.ids.contains(&target) {
                self.add("RL602", &place, format!("the target {target} is not in the log"));
            }
        }
        if !ended && let Some(place) = self.last_event.take() {
            let message = format!("the run is {}", state.status().name());
            self.add("RL408", &place, message);
        }
        self.findings
    }

    /// Adds a finding of the log.
    pub fn add(&mut self, code: &'static str, place: &Place, message: impl Into<String>) {
        self.findings.push(Finding::new(code, place.clone(), message));
    }

    /// Looks for what recording would have replaced.
    fn secrets(&mut self, line: &[u8], place: &Place) {
        if !self.secrets.may_hold_secret(line) {
            return;
        }
        let redacted = match json::check(line, Rules::LENIENT) {
            Ok(json) => self.secrets.redact_json(json),
            Err(_) => self.secrets.redact(&String::from_utf8_lossy(line)),
        };
        for rule in redacted.map(|redacted| redacted.rules).unwrap_or_default() {
            self.add("RL903", place, format!("a secret is recorded here: {rule}"));
        }
    }

    fn bad(&mut self, error: &LineError, place: &Place) {
        let code = match &error.fault {
            LineFault::Json(json) => match json.fault {
                Fault::Utf8 | Fault::ByteOrderMark => "RL001",
                Fault::DuplicateKey(_) => "RL003",
                _ => "RL002",
            },
            LineFault::NotAnObject => "RL004",
            LineFault::Missing(_) => "RL005",
            LineFault::Field(..) => "RL006",
            LineFault::TooLong(_) => "RL007",
        };
        let mut place = place.clone();
        place.offset = place.offset.map(|offset| offset + error.offset as u64);
        self.add(code, &place, error.to_string());
    }

    fn event(&mut self, event: &Event<'_>, place: &Place) {
        let mut place = place.clone();
        place.event_id = Some(event.event_id.clone().into_owned());
        let view = View::of(event);
        self.order(event, view.is_imported(), &place);
        self.chain(event, &place);
        self.references(event, view.is_imported(), &place);
        self.summaries(&view, &place);
        match catalogue::row(&event.kind) {
            None => self.add("RL901", &place, format!("{} is no known type", event.kind)),
            Some(row) => {
                for field in
                    row.expected_fields().filter(|field| event.data.present(field).is_none())
                {
                    let message = format!("{} has no data field {field}", event.kind);
                    self.add("RL012", &place, message);
                }
            }
        }
        for (name, _) in &event.unknown {
            self.add("RL902", &place, format!("the envelope has an unknown field {name}"));
        }
        self.last_event = Some(place);
    }

    fn order(&mut self, event: &Event<'_>, imported: bool, place: &Place) {
        match &self.run_id {
            None => {
                self.run_id = Some(event.run_id.clone().into_owned());
                if catalogue::role(&event.kind) != Role::RunCreated {
                    self.add("RL406", place, format!("the first event is {}", event.kind));
                }
            }
            Some(run_id) if *run_id != event.run_id => {
                let message = format!("the event belongs to {}, the log to {run_id}", event.run_id);
                self.add("RL104", place, message);
            }
            Some(_) => {}
        }
        let (last, this) = (self.last_sequence, event.sequence);
        if this > last + 1 {
            self.add(
                "RL101",
                place,
                format!("sequence {this} follows {last}: {} missing", this - last - 1),
            );
        } else if this <= last {
            self.add("RL102", place, format!("sequence {this} follows {last}"));
        }
        self.last_sequence = this;
        if !self.ids.insert(event.event_id.clone().into_owned()) {
            self.add("RL103", place, format!("the id {} stands for two events", event.event_id));
        }
        if self.last_time.is_some_and(|last| event.timestamp < last) {
            let back = self.last_time.map_or(0, |last| last.millis() - event.timestamp.millis());
            let back = human::duration(back.unsigned_abs());
            let message = format!("the clock goes back by {back}");
            let finding = Finding::new("RL105", place.clone(), message);
            self.findings.push(if imported { finding.at_most(Level::Info) } else { finding });
        }
        self.last_time = Some(event.timestamp);
    }

    fn chain(&mut self, event: &Event<'_>, place: &Place) {
        match (&event.prev_hash, &self.last_hash) {
            (Some(given), Some(right)) if given != right => {
                let message = format!(
                    "prev_hash is {}…, the line before has {}…",
                    &given[..12],
                    &right[..12]
                );
                self.add("RL301", place, message);
            }
            (Some(_), None) => self.add("RL304", place, "the first line carries a prev_hash"),
            (None, Some(_)) => self.add("RL302", place, "the line carries no prev_hash"),
            _ => {}
        }
    }

    fn references(&mut self, event: &Event<'_>, imported: bool, place: &Place) {
        if let Some(parent) = &event.parent_event_id
            && !self.ids.contains(parent.as_ref())
        {
            self.parents.push((parent.clone().into_owned(), place.clone(), imported));
        }
    }

    fn summaries(&mut self, view: &View<'_, '_>, place: &Place) {
        let event = view.event;
        if event.summary.is_none()
            && let Some(summary) = self.templates.summary(&event.kind, &view.data)
        {
            let own = self.templates.own_template(&event.kind);
            self.pending.insert(event.event_id.clone().into_owned(), (summary, own));
        }
        let Some((target, summary)) = backfilled(view) else { return };
        let by_template = view.field("source").is_some_and(|source| source == "template");
        // One by a user's template tells it; only the one in force can be followed.
        if by_template
            && let Some((right, own)) = self.pending.get(&target)
            && view.field("template").as_deref() == *own
            && *right != summary
        {
            let message = format!("the template says {right:?}");
            self.add("RL601", place, message);
        }
        self.backfills.push((target, place.clone()));
    }

    fn call(&mut self, view: &View<'_, '_>, observed: Observed, place: &Place) {
        let imported = view.is_imported();
        let first = !self.calls.contains_key(&observed.call);
        self.calls.entry(observed.call).or_insert_with(|| (place.clone(), imported));
        if !view.role.is_tool_end() {
            return;
        }
        let level = if imported { Level::Info } else { Level::Warning };
        // A call may be blocked before it ever starts.
        if first && view.role != Role::ToolBlocked {
            let message = format!("{} ends a call that did not start", view.event.kind);
            self.findings.push(Finding::new("RL203", place.clone(), message).at_most(level));
        }
        if observed.repeated_end {
            let message = format!("{} ends a call a second time", view.event.kind);
            self.findings.push(Finding::new("RL204", place.clone(), message).at_most(level));
        }
        let backwards = observed.start.is_some_and(|start| view.event.timestamp < start.time);
        if backwards {
            let message = "the call ends before it starts".to_owned();
            self.findings.push(Finding::new("RL205", place.clone(), message).at_most(level));
        }
    }
}
