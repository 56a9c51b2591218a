//! The state of a run, folded from its events (docs/format.md).

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use super::calls::{CallStatus, Calls, Observed};
use super::copied::WorkItems;
use super::facts::{Counts, Deliverables, RunFacts};
use super::ledger::Ledger;
use super::origin::RunOrigin;
use super::request::own_words;
use super::source_ends::{SaidEnd, SourceEnds};
use super::status::Status;
use super::usage::Usage;
use crate::event::blob::{Reference, put_back};
use crate::event::catalogue;
use crate::event::draft::Derived;
use crate::event::fields::{View, WORK_TIME, as_text};
use crate::event::role::Role;
use crate::event::severity::Severity;
use crate::event::template::{cut, one_line};
use crate::event::time::Timestamp;
use crate::json::Json;

/// Characters kept of the first prompt.
const PROMPT: usize = 200;

/// The verdict on deliverables, and on each file, that nothing is wrong.
const PASSED: &str = "passed";

/// Maximum number of paths that are kept as missing, and of their bytes.
const MOST_MISSING: usize = 10_000;
const MISSING_BYTES: usize = 1 << 20;

/// A transition that the rules do not allow. The event stays in the log. The status does not change,
/// unless the event is a worse end of a run that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IllegalTransition {
    /// The status before.
    pub from: Status,
    /// The status that the event would have set.
    pub to: Status,
}

/// A deliverable that passed, as the newest recorded verdict describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedFile {
    /// Relative to the run directory.
    pub path: String,
    /// Its length.
    pub bytes: u64,
    /// Its SHA-256, lower-case hex.
    pub sha256: String,
}

/// The state of a run after the events taken so far.
#[derive(Clone, Debug, Default)]
pub struct RunState {
    /// From the first line.
    pub run_id: String,
    /// From the first line, or from the first imported event.
    pub session_id: String,
    /// From the first line.
    pub task_id: String,
    /// The status from run events alone; see [`RunState::status`].
    phase: Status,
    /// Whether the event that ended the run is the end of an import's source. A longer copy of the
    /// source may end in another way.
    ended_by_source: bool,
    /// The session of the imported events before that end.
    ended_session: String,
    /// The session of the newest imported event.
    imported_session: String,
    /// The sequence of the event that ended the run.
    end_sequence: Option<u64>,
    /// The ends that imports recorded.
    source_ends: SourceEnds,
    /// Whether imported events follow that end in the log.
    source_went_on: bool,
    /// Whether any event has been taken.
    begun: bool,
    /// Time of the first event.
    pub created_at: Option<Timestamp>,
    /// When recording began, if the first event says so: it is imported then.
    recorded_at: Option<Timestamp>,
    /// Time of the first start.
    pub started_at: Option<Timestamp>,
    /// Time of the first event that ended the run, or of the newest end of its source.
    pub ended_at: Option<Timestamp>,
    /// The error that the run failed with: JSON text.
    pub error: Option<String>,
    /// Why the run is incomplete or was cancelled, as its end says.
    reason: Option<String>,
    /// The required deliverables.
    pub deliverables: Deliverables,
    /// The length of all paths that the newest check found missing.
    missing_bytes: usize,
    /// Why each of them did not pass, if it is there.
    faults: HashMap<String, String>,
    /// The files that the newest recorded verdict is about.
    pub recorded_files: Vec<RecordedFile>,
    /// Those that a verdict of `passed` was about. They must not change from then on, whoever records
    /// another verdict.
    bound: BTreeMap<String, RecordedFile>,
    /// Whether any event was imported.
    has_imported: bool,
    /// First and last time of imported events that have one. They say when the work was done, not
    /// when it was recorded.
    pub imported: Option<(Timestamp, Timestamp)>,
    /// How long the work took, as a source without times says it.
    work_time_ms: Option<u64>,
    /// Facts about the agent and its environment.
    pub origin: RunOrigin,
    /// The first prompt in one line.
    pub prompt: Option<String>,
    /// What identifies the first prompt and the first model call.
    first_message: Vec<String>,
    /// Whether it has the first prompt and the first model call.
    has_first: [bool; 2],
    /// The tool calls.
    pub calls: Calls,
    /// Tokens and cost.
    pub usage: Ledger,
    events: u64,
    prompts: u64,
    errors: u64,
    warnings: u64,
}

/// The effect of an event on the state, for records and checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// Its effect on the tool calls.
    pub call: Option<Observed>,
    /// The transition that was not allowed.
    pub illegal: Option<IllegalTransition>,
}

/// An event that only adds to the counts of a run that has begun. Most events of a long log do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    warning: bool,
}

impl Counted {
    /// `None` if an event with that role and those derived values changes more than the counts.
    #[must_use]
    pub fn of(role: Role, derived: &Derived) -> Option<Self> {
        let more = role.is_lifecycle()
            || role.is_tool_state()
            || matches!(role, Role::Message | Role::Usage | Role::Error | Role::Rejected)
            || matches!(role, Role::TaskStart | Role::Config)
            || matches!(
                role,
                Role::DeliverableCheck | Role::DeliverableMissing | Role::DeliverableVerdict
            )
            || derived.severity == Severity::Error
            || derived.imported;
        (!more).then_some(Self { warning: derived.severity == Severity::Warning })
    }
}

impl RunState {
    /// Takes the next event, whose line begins at byte `offset` of the log.
    pub fn observe(&mut self, view: &View<'_, '_>, offset: u64) -> Effect {
        let event = view.event;
        if !self.begun {
            self.begun = true;
            self.run_id = event.run_id.clone().into_owned();
            self.session_id = event.session_id.clone().into_owned();
            self.task_id = event.task_id.clone().into_owned();
            self.created_at = Some(event.timestamp);
        }
        self.events += 1;
        self.errors += u64::from(view.is_error());
        self.warnings += u64::from(view.severity == Severity::Warning);
        self.usage.observe(view);
        if view.is_imported() && !(self.has_first[0] && self.has_first[1]) {
            self.first_messages(view);
        }
        // The end of a source is of an import, even if nothing else was understood.
        self.has_imported |= view.is_imported() || view.ends_source();
        if view.is_imported() {
            self.source_went_on |= self.ended_by_source();
            self.source_ends.observe(view);
            if self.imported_session != event.session_id {
                self.imported_session = event.session_id.clone().into_owned();
            }
            if self.origin.is_unknown() {
                // The source's session takes precedence over the run's.
                self.session_id = event.session_id.clone().into_owned();
            }
            if view.time_origin().is_none() {
                let time = event.timestamp;
                let (first, last) = self.imported.unwrap_or((time, time));
                self.imported = Some((first.min(time), last.max(time)));
            }
            if let Some(time) = view.data.get(WORK_TIME).and_then(Json::as_u64) {
                self.work_time_ms = Some(self.work_time_ms.unwrap_or(0).saturating_add(time));
            }
        }
        self.origin.observe(view);
        self.details(view);
        let call = self.calls.observe(view, offset);
        let illegal = self.transition(view).or_else(|| self.late_failure(view, call?));
        Effect { call, illegal }
    }

    /// Whether any event has been taken.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.begun
    }

    /// Whether the run ended because its source did, as an import recorded it.
    #[must_use]
    pub fn ended_by_source(&self) -> bool {
        self.phase.is_over() && self.ended_by_source
    }

    /// Whether imported events follow the end that an import recorded.
    #[must_use]
    pub fn source_went_on(&self) -> bool {
        self.source_went_on
    }

    /// Whether the end of a source says something new: the run has no end, or only that of an earlier part,
    /// or of an output, or a better one that somebody recorded. `kind` is the type of its event.
    #[must_use]
    pub(crate) fn lacks_end(&self, kind: &str, is_output: bool) -> bool {
        let next = Status::of_role(catalogue::role(kind));
        let is_worse = next.is_some_and(|next| next.is_worse_end_than(self.status()));
        let is_first = match self.ended_by_source {
            true => !is_output && !self.source_ends.has_file(),
            false => is_worse,
        };
        !self.status().is_over() || self.source_went_on || is_first
    }

    /// The last model call of the output whose end the log has.
    #[must_use]
    pub(crate) fn last_printed(&self) -> Option<&str> {
        self.source_ends.last_printed()
    }

    /// Whether it has the usage of model calls, as session files say it, and that of whole processes, as
    /// agents print it.
    #[must_use]
    pub(crate) fn has_calls_and_totals(&self) -> bool {
        self.usage.has_calls_and_totals()
    }

    /// Takes an event that is only counted. Its line need not be read.
    pub fn count(&mut self, counted: Counted) {
        self.events += 1;
        self.warnings += u64::from(counted.warning);
    }

    /// The run's status. A completed run with a deliverable verdict other than `passed` is
    /// incomplete.
    #[must_use]
    pub fn status(&self) -> Status {
        let unmet = self.deliverables.status.as_deref().is_some_and(|status| status != "passed");
        if self.phase == Status::Completed && unmet { Status::Incomplete } else { self.phase }
    }

    /// Whether the run completed, and a verdict on its deliverables made it incomplete.
    #[must_use]
    pub(crate) fn lacks_only_files(&self) -> bool {
        self.phase == Status::Completed && self.status() == Status::Incomplete
    }

    /// Why the run did not complete, as its last events say.
    #[must_use]
    pub fn end_reason(&self) -> Option<String> {
        let facts = self.facts();
        facts.error_message().filter(|_| facts.status == Status::Failed).or(facts.reason)
    }

    /// Why the run is incomplete or was cancelled.
    fn reason_to_end(&self, status: Status) -> Option<String> {
        match status {
            Status::Incomplete if self.phase == Status::Completed => {
                let verdict = self.deliverables.status.as_deref()?;
                Some(format!("the recorded verdict on its deliverables is {verdict}"))
            }
            Status::Incomplete | Status::Cancelled => self.reason.clone(),
            _ => None,
        }
    }

    /// The facts of the run, the same for every view.
    #[must_use]
    pub fn facts(&self) -> RunFacts {
        let status = self.status();
        let ended_at = self.ended_at.filter(|_| status.is_over());
        let (started_at, ended_at, duration_ms) = match self.imported {
            // Time of the work, not of the recording.
            Some((first, last)) => {
                (Some(first), Some(last).filter(|_| status.is_over()), {
                    // Of some lines, the times may be unknown.
                    let span = last.since(first);
                    span.filter(|span| *span > 0).or(self.work_time_ms).or(span)
                })
            }
            // The source has no times. A command that wrote it has.
            None if self.has_imported => {
                let ended_at = ended_at.filter(|_| !self.ended_by_source);
                let span = ended_at.zip(self.started_at).and_then(|(end, began)| end.since(began));
                (self.started_at, ended_at, self.work_time_ms.or(span))
            }
            None => {
                let began = self.started_at.or(self.created_at);
                let duration = ended_at.zip(began).and_then(|(end, began)| end.since(began));
                (self.started_at, ended_at, duration)
            }
        };
        RunFacts {
            run_id: self.run_id.clone(),
            session_id: self.session_id.clone(),
            task_id: self.task_id.clone(),
            status,
            created_at: self.created_at,
            recorded_at: self.recorded_at.or(self.created_at),
            is_imported: self.has_imported,
            started_at,
            ended_at,
            duration_ms,
            error: self.error.clone(),
            reason: self.reason_to_end(status),
            deliverables: self.deliverables.clone(),
            metadata: self.origin.metadata(),
            models: self.origin.models(),
            prompt: self.prompt.clone(),
            counts: self.counts(),
            first_message: self.first_message.clone(),
        }
    }

    /// The numbers of things.
    fn counts(&self) -> Counts {
        let over = self.phase.is_over();
        let failed = |status: &CallStatus| *status == CallStatus::Failed;
        Counts {
            events: self.events,
            prompts: self.prompts,
            tool_calls: self.calls.len() as u64,
            tool_failures: self.calls.statuses(over).filter(failed).count() as u64,
            errors: self.errors,
            warnings: self.warnings,
            usage: self.usage.sum(),
        }
    }

    fn transition(&mut self, view: &View<'_, '_>) -> Option<IllegalTransition> {
        if view.role == Role::ToolStart && self.phase == Status::Created {
            self.phase = Status::Running;
        }
        let to = Status::of_role(view.role)?;
        let from = match self.phase {
            // Only calls have made it running so far.
            Status::Running if self.started_at.is_none() => Status::Created,
            phase => phase,
        };
        // The end of a source replaces only one of the same session.
        let end = view.end_of_source().filter(|_| self.ended_by_source || !from.is_terminal());
        let is_same = self.ended_by_source && self.imported_session == self.ended_session;
        let is_revised = end.is_some() && is_same && from.is_over() && to.is_over();
        let illegal = !is_revised && !from.may_become(to);
        let illegal = illegal.then_some(IllegalTransition { from, to });
        if illegal.is_some() && !to.is_worse_end_than(from) {
            return illegal;
        }
        if view.role == Role::RunStarted {
            self.started_at.get_or_insert(view.event.timestamp);
        }
        let own = SaidEnd::of(view, to, failure(view));
        let (to, error, reason) = match &end {
            Some(end) => {
                self.source_went_on = false;
                if !is_same {
                    self.source_ends.forget();
                }
                let SaidEnd { status, error, reason, .. } = self.source_ends.take(end, own)?;
                (*status, error.clone(), reason.clone())
            }
            None => (to, self.error.take().or(own.error), self.reason.take().or(own.reason)),
        };
        (self.error, self.reason) = (error, reason);
        self.phase = to;
        self.ended_by_source = end.is_some();
        self.ended_session.clone_from(&self.imported_session);
        self.end_sequence = to.is_over().then_some(view.event.sequence);
        self.source_went_on = false;
        let time = view.event.timestamp;
        match to {
            // A later import may have added events.
            Status::Imported => self.ended_at = Some(time),
            _ if is_revised || from == Status::Imported => {
                self.ended_at = to.is_terminal().then_some(time);
            }
            _ if to.is_terminal() => drop(self.ended_at.get_or_insert(time)),
            _ => {}
        }
        illegal
    }

    /// The failure of a call that was open when the run completed: the end was premature, and the run
    /// failed. What an import adds is about the time before the end.
    fn late_failure(&mut self, view: &View<'_, '_>, call: Observed) -> Option<IllegalTransition> {
        let (from, to) = (Status::Completed, Status::Failed);
        if self.phase != from || view.role != Role::ToolFail || view.is_imported() {
            return None;
        }
        let (begun, _) = self.calls.get(call.call).first?;
        if call.repeated_end || begun > self.end_sequence? {
            return None;
        }
        self.phase = to;
        self.ended_by_source = false;
        self.error = failure(view);
        Some(IllegalTransition { from, to })
    }

    /// Adds a path that did not pass a check, unless there are too many.
    fn missing(&mut self, path: Cow<'_, str>, reason: Option<Cow<'_, str>>) {
        let missing = &mut self.deliverables.missing;
        self.missing_bytes = if missing.is_empty() { 0 } else { self.missing_bytes } + path.len();
        if missing.len() < MOST_MISSING && self.missing_bytes <= MISSING_BYTES {
            match reason {
                Some(reason) => {
                    self.faults.insert(path.clone().into_owned(), cut(&reason, PROMPT).into());
                }
                None => drop(self.faults.remove(&*path)),
            }
            missing.push(path.into_owned());
        }
    }

    /// Whether a verdict of `passed` was about the file.
    #[must_use]
    pub(crate) fn is_bound(&self, path: &str) -> bool {
        self.bound.contains_key(path)
    }

    /// Why a path did not pass the last check, if the check says more than that it is missing.
    #[must_use]
    pub(crate) fn fault_of(&self, path: &str) -> Option<&str> {
        self.faults.get(path).map(String::as_str)
    }

    fn first_messages(&mut self, view: &View<'_, '_>) {
        let is_call = Usage::of(view).is_some() && view.model_call_id().is_some();
        for (at, is_one) in [view.is_prompt(), is_call].into_iter().enumerate() {
            if is_one && !std::mem::replace(&mut self.has_first[at], true) {
                self.first_message.extend(WorkItems::names_of(view));
            }
        }
    }

    fn details(&mut self, view: &View<'_, '_>) {
        let data = &view.data;
        match view.role {
            Role::RunCreated => {
                let recorded_at = view.field("recorded_at");
                self.recorded_at = recorded_at.and_then(|time| Timestamp::parse(&time));
                // A later one, which only another writer can record, takes no requirement back.
                let listed = data.path("deliverables.required");
                for item in listed.into_iter().flat_map(Json::items) {
                    let path = as_text(item).into_owned();
                    if !self.deliverables.required.contains(&path) {
                        self.deliverables.required.push(path);
                    }
                }
            }
            Role::TaskStart if view.is_prompt() => {
                self.prompts += 1;
                if self.prompt.is_none() {
                    self.prompt =
                        view.text().map(|text| cut(&one_line(&own_words(&text)), PROMPT).into());
                }
            }
            Role::DeliverableCheck => {
                self.deliverables.missing.clear();
                self.faults.clear();
            }
            Role::DeliverableMissing => {
                if let Some(path) = view.path() {
                    let reason = view.field("reason").filter(|reason| reason != "missing");
                    self.missing(path, reason);
                }
            }
            Role::DeliverableVerdict => {
                // A verdict that says nothing is not `passed`.
                let status = view.data.present("status").map(as_text);
                let status = status.unwrap_or("unknown".into()).into_owned();
                let listed = view.data.path("missing").into_iter().flat_map(Json::items);
                let mut unmet: Vec<Cow<'_, str>> = listed.filter_map(Json::as_str).collect();
                let files = view.data.path("files");
                let files = || files.into_iter().flat_map(Json::items);
                if status == PASSED {
                    // A verdict that contradicts itself is not `passed`.
                    self.deliverables.missing.clear();
                    unmet.extend(files().filter_map(unmet_file));
                }
                for path in unmet {
                    if !self.deliverables.missing.iter().any(|known| *known == path) {
                        self.missing(path, None);
                    }
                }
                self.deliverables.status = Some(status);
                // A verdict of another program may list no hashes. It keeps the recorded files, except
                // those that did not pass now.
                let recorded: Vec<RecordedFile> = files().filter_map(recorded_file).collect();
                let has_failed = |file: &RecordedFile| {
                    self.deliverables.missing.contains(&file.path)
                        || files().filter_map(unmet_file).any(|path| path == file.path)
                };
                match recorded.is_empty() {
                    true => self.recorded_files.retain(|file| !has_failed(file)),
                    false => self.recorded_files = recorded,
                }
                self.recorded_files.retain(|file| !self.bound.contains_key(&file.path));
                if self.deliverables.status.as_deref() == Some(PASSED) {
                    let room = MOST_MISSING.saturating_sub(self.bound.len());
                    let new = self.recorded_files.drain(..).take(room);
                    self.bound.extend(new.map(|file| (file.path.clone(), file)));
                }
                self.recorded_files.extend(self.bound.values().cloned());
            }
            _ => {}
        }
    }
}

/// The path of a file of a verdict that did not pass.
fn unmet_file(file: Json<'_>) -> Option<Cow<'_, str>> {
    file.text_at("status").filter(|status| status != PASSED)?;
    file.text_at("path")
}

/// A file that passed, of a verdict. One that did not pass must change.
fn recorded_file(file: Json<'_>) -> Option<RecordedFile> {
    file.text_at("status").filter(|status| status == PASSED)?;
    Some(RecordedFile {
        path: file.text_at("path")?.into_owned(),
        bytes: file.get("bytes").and_then(Json::as_u64)?,
        sha256: file.text_at("sha256")?.into_owned(),
    })
}

/// The error of a run as JSON text: the error object, or a new object with the message.
fn failure(view: &View<'_, '_>) -> Option<String> {
    if let Some(error) = view.data.present("error").filter(|error| error.is_object()) {
        let mut preview = |reference: &Reference<'_>| Some(reference.preview());
        return Some(put_back(error, &mut preview));
    }
    let mut object = crate::json::ObjectText::new();
    object.text("message", &view.error_text()?);
    Some(object.finish())
}
