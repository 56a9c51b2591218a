//! Events before they are recorded, as the caller gave them.

use std::borrow::Cow;

use super::catalogue;
use super::envelope::{Event, LineError, LineFault};
use super::fields::{effective, exact_text, is_imported};
use super::own::{SourcePlace, without_source};
use super::reader::{EnvelopeReader, members};
use super::reserved::REDACTIONS;
use super::role::Role;
use super::severity::Severity;
use super::templates::Templates;
use super::time::Timestamp;
use crate::fs::hash::sha256;
use crate::json::{Json, JsonRules, Members, ObjectText, check_each};

/// An event as the caller gave it. Members that are `None` are derived.
#[derive(Clone, Debug, Default)]
pub struct Draft<'a> {
    /// The event's type.
    pub kind: Cow<'a, str>,
    /// The payload: a JSON object as compact text.
    pub data: Cow<'a, str>,
    /// With a given id, a repetition records nothing twice.
    pub event_id: Option<Cow<'a, str>>,
    /// The run that the caller expects to write to (native streams).
    pub run_id: Option<Cow<'a, str>>,
    /// Default: the run's session.
    pub session_id: Option<Cow<'a, str>>,
    /// Default: the run's task.
    pub task_id: Option<Cow<'a, str>>,
    /// Default: the time of writing.
    pub timestamp: Option<Timestamp>,
    /// Default: from the catalogue.
    pub actor: Option<Cow<'a, str>>,
    /// Default: from the catalogue, but `error` for a tool result with an error.
    pub severity: Option<Severity>,
    /// Default: the template of the type, if it has one.
    pub summary: Option<Cow<'a, str>>,
    /// Ties the events of one call together.
    pub correlation_id: Option<Cow<'a, str>>,
    /// The event that led to this one.
    pub parent_event_id: Option<Cow<'a, str>>,
    /// Hierarchical scope.
    pub branch: Option<Cow<'a, str>>,
    /// Whether an event with this id is the same event whatever its content. Imports set it: they
    /// have compared the source lines.
    pub settled_id: bool,
    /// Whether this program made the payload: it may then have the member `_runlog`.
    pub(crate) is_own: bool,
    /// What the source line of an imported event says besides its content, for `_runlog`: a JSON object as
    /// text, or empty.
    pub(crate) details: String,
    /// Whether its payload was made from a source line: secrets were replaced then, and it has no key that is
    /// reserved for this program.
    pub(crate) is_searched: bool,
    /// Whether nothing in that line, and nothing before it, may be a secret: its ids have none either.
    pub(crate) is_harmless: bool,
    /// Whether the whole draft comes from one checked line. Its own line then needs no check.
    pub(crate) validated: bool,
    /// Imports: SHA-256 of the source line, on the first event of that line.
    pub source_hash: Option<[u8; 32]>,
    /// The number of secrets that were replaced earlier (a redacted copy of a run).
    pub redactions: u64,
    /// Unknown envelope fields as JSON members without braces (`"a":1,"b":2`).
    pub unknown: String,
}

impl Draft<'static> {
    /// A draft with that type and payload, and nothing else.
    #[must_use]
    pub fn new(kind: &str, data: ObjectText) -> Self {
        let (kind, data) = (kind.to_owned().into(), data.finish().into());
        Self { kind, data, is_own: true, ..Self::default() }
    }
}

impl<'a> Draft<'a> {
    /// The same draft, borrowed from this one.
    #[must_use]
    pub fn borrowed(&self) -> Draft<'_> {
        fn text<'b>(text: &'b Option<Cow<'_, str>>) -> Option<Cow<'b, str>> {
            text.as_deref().map(Cow::Borrowed)
        }
        Draft {
            kind: self.kind.as_ref().into(),
            data: self.data.as_ref().into(),
            event_id: text(&self.event_id),
            run_id: text(&self.run_id),
            session_id: text(&self.session_id),
            task_id: text(&self.task_id),
            actor: text(&self.actor),
            summary: text(&self.summary),
            correlation_id: text(&self.correlation_id),
            parent_event_id: text(&self.parent_event_id),
            branch: text(&self.branch),
            unknown: self.unknown.clone(),
            details: String::new(),
            ..*self
        }
    }

    /// The payload as a view.
    #[must_use]
    pub fn data(&self) -> Json<'_> {
        Json::trusted(&self.data)
    }

    /// Reads a native line: an envelope that may omit every field that can be derived.
    ///
    /// # Errors
    /// The line is not valid JSON, or a field has the wrong type, or a field may not be given, or
    /// a field is unknown and there is no `data`.
    pub fn native(line: &'a [u8]) -> Result<Self, LineError> {
        let mut reader = EnvelopeReader::of(line);
        let json = check_each(line, JsonRules::STRICT, |key, value| reader.given(key, value));
        let json = json.map_err(|e| LineError { offset: e.offset, fault: LineFault::Json(e) })?;
        if !json.is_object() {
            return Err(LineError { offset: 0, fault: LineFault::NotAnObject });
        }
        let draft = reader.given_draft()?;
        draft.check_facts()?;
        Ok(draft)
    }

    /// Checks what `run.json` takes from a `run.created`: it would be left out if it had another
    /// form.
    ///
    /// # Errors
    /// The field with another form.
    pub(crate) fn check_facts(&self) -> Result<(), LineError> {
        if catalogue::role(&self.kind) != Role::RunCreated {
            return Ok(());
        }
        let wrong = |field: &'static str, rule: &str| {
            Err(LineError { offset: 0, fault: LineFault::Field(field, rule.to_owned()) })
        };
        let data = self.data();
        for (name, field) in [("session_id", "data.session_id"), ("task_id", "data.task_id")] {
            if data.present(name).is_some_and(|id| id.as_str().is_none()) {
                return wrong(field, "must be a text; -f records one");
            }
        }
        match data.present("metadata") {
            Some(metadata) if !metadata.is_object() => wrong("data.metadata", "must be an object"),
            _ => Ok(()),
        }
    }

    /// Reads a native line without `data`, whose unknown fields are the payload.
    ///
    /// # Errors
    /// As for [`Draft::native`], but unknown fields are no errors.
    pub(crate) fn flat(line: &'a [u8]) -> Result<Self, LineError> {
        let mut reader = EnvelopeReader::of(line);
        check_each(line, JsonRules::STRICT, |key, value| reader.flat(key, value))
            .map_err(|e| LineError { offset: e.offset, fault: LineFault::Json(e) })?;
        reader.flat_draft()
    }

    /// Empties what an event says of records beside the log, which a copy does not have.
    fn forget_records(&mut self) {
        let role = catalogue::role(&self.kind);
        if !matches!(role, Role::RejectedLines | Role::Recovered) {
            return;
        }
        let mut data = ObjectText::new();
        for (name, value) in self.data().members() {
            match name.as_ref() {
                "ranges" => {}
                "kept" => drop(data.plain("kept", 0)),
                "sha256" | "moved_to" => drop(data.text(&name, "")),
                _ => drop(data.json(&name, value)),
            }
        }
        self.data = data.finish().into();
    }

    /// Reads a line of another run's log, to record it again. Fields that belong to that run are
    /// left out.
    ///
    /// # Errors
    /// The first field with the wrong type.
    pub fn copied(json: Json<'a>, templates: &Templates) -> Result<Self, LineError> {
        if !json.is_object() {
            return Err(LineError { offset: 0, fault: LineFault::NotAnObject });
        }
        let mut reader = EnvelopeReader::of(json.text().as_bytes());
        for (key, value) in json.raw_members() {
            reader.copied(key, value);
        }
        let mut draft = reader.draft()?;
        draft.is_own = true;
        // A summary made by the template is dropped. It is made again from the new payload.
        let unsaid = Self { summary: None, ..draft.clone() };
        if draft.summary.is_some()
            && draft.summary.as_deref() == Derived::of(&unsaid, templates).summary.as_deref()
        {
            draft.summary = None;
        }
        if draft.data().get("source_sha256").is_none() {
            let kept = draft.data().get("source").or(draft.data().get("source_text"));
            draft.source_hash = kept.map(|source| sha256(exact_text(source).as_bytes()));
        }
        draft.forget_records();
        if SourcePlace::of(draft.data()).is_some() {
            draft.data = without_source(draft.data()).into();
        }
        let Some(redactions) = draft.data().get(REDACTIONS).and_then(Json::as_u64) else {
            return Ok(draft);
        };
        let mut data = ObjectText::new();
        for (key, value) in draft.data().members().filter(|(key, _)| key != REDACTIONS) {
            data.json(&key, value);
        }
        draft.data = data.finish().into();
        draft.redactions = redactions;
        Ok(draft)
    }

    /// The draft as the views see it, with the catalogue's defaults.
    #[must_use]
    pub fn as_event(&self) -> Event<'_> {
        const UNKNOWN: Derived =
            Derived { severity: Severity::Info, summary: None, imported: false };
        let nowhere = Defaults { run_id: "", session_id: "", task_id: "", parent_event_id: None };
        let event_id = self.event_id.as_deref().unwrap_or_default();
        let position = EventPosition { event_id, sequence: 0, now: Timestamp::from_millis(0) };
        let row = catalogue::row(&self.kind);
        let severity = self.severity.or(row.map(|row| row.severity)).unwrap_or(Severity::Info);
        Event { severity, ..self.recorded(&UNKNOWN, &nowhere, &position) }
    }

    /// The event as it will be read from the log.
    #[must_use]
    pub fn recorded<'e>(
        &'e self,
        derived: &'e Derived,
        defaults: &Defaults<'e>,
        position: &EventPosition<'e>,
    ) -> Event<'e> {
        let row = catalogue::row(&self.kind);
        Event {
            event_id: position.event_id.into(),
            sequence: position.sequence,
            run_id: defaults.run_id.into(),
            session_id: self.session_id.as_deref().unwrap_or(defaults.session_id).into(),
            task_id: self.task_id.as_deref().unwrap_or(defaults.task_id).into(),
            kind: self.kind.as_ref().into(),
            timestamp: self.timestamp.unwrap_or(position.now),
            actor: self.actor.as_deref().or(row.map(|row| row.actor)).unwrap_or("runtime").into(),
            severity: derived.severity,
            summary: derived.summary.as_deref().map(Into::into),
            data: self.data(),
            correlation_id: self.correlation_id.as_deref().map(Into::into),
            parent_event_id: self
                .parent_event_id
                .as_deref()
                .or(defaults.parent_event_id)
                .map(Into::into),
            branch: self.branch.as_deref().map(Into::into),
            prev_hash: None,
            unknown: Vec::new(),
        }
    }

    /// Whether `event` could have come from this draft: the same type, the same payload, and the
    /// same value for every given member.
    #[must_use]
    pub fn matches(&self, event: &Event<'_>) -> bool {
        fn same(given: Option<&str>, stored: Option<&str>) -> bool {
            given.is_none() || given == stored
        }
        if self.settled_id {
            return true;
        }
        self.kind == event.kind
            && self.data == event.data.compact()
            && same(self.session_id.as_deref(), Some(&event.session_id))
            && same(self.task_id.as_deref(), Some(&event.task_id))
            && self.timestamp.is_none_or(|timestamp| timestamp == event.timestamp)
            && same(self.actor.as_deref(), Some(&event.actor))
            && self.severity.is_none_or(|severity| severity == event.severity)
            && same(self.summary.as_deref(), event.summary.as_deref())
            && same(self.correlation_id.as_deref(), event.correlation_id.as_deref())
            && same(self.parent_event_id.as_deref(), event.parent_event_id.as_deref())
            && same(self.branch.as_deref(), event.branch.as_deref())
            && (self.unknown.is_empty() || self.unknown == members(&event.unknown))
    }
}

/// Values that are derived from the payload if the caller gives none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derived {
    /// From the catalogue, but `error` for a tool result with an error.
    pub severity: Severity,
    /// The filled template of the type.
    pub summary: Option<String>,
    /// Whether the event was imported from another program's log.
    pub imported: bool,
}

impl Derived {
    /// Derives the values. The payload must be complete: large values are moved out later.
    #[must_use]
    pub fn of(draft: &Draft<'_>, templates: &Templates) -> Self {
        Self::from_members(draft, &Members::of(draft.data()), templates)
    }

    /// Like [`Derived::of`], with the members of the payload.
    #[must_use]
    pub(crate) fn from_members(
        draft: &Draft<'_>,
        data: &Members<'_>,
        templates: &Templates,
    ) -> Self {
        let row = catalogue::row(&draft.kind);
        let severity = draft.severity.unwrap_or_else(|| {
            let default = row.map_or(Severity::Info, |row| row.severity);
            effective(catalogue::role(&draft.kind), default, data).1
        });
        let summary = draft
            .summary
            .as_deref()
            .map(str::to_owned)
            .or_else(|| templates.summary(&draft.kind, data));
        Self { severity, summary, imported: is_imported(data) }
    }
}

/// Values that only the log decides.
#[derive(Clone, Copy, Debug)]
pub struct EventPosition<'p> {
    /// Its id.
    pub event_id: &'p str,
    /// Its sequence.
    pub sequence: u64,
    /// Its time if the caller gave none.
    pub now: Timestamp,
}

/// Values that a draft takes from its run if the caller gave none.
#[derive(Clone, Copy, Debug)]
pub struct Defaults<'d> {
    /// The run that is written.
    pub run_id: &'d str,
    /// The run's session.
    pub session_id: &'d str,
    /// The run's task.
    pub task_id: &'d str,
    /// The call that the recorded process runs in.
    pub parent_event_id: Option<&'d str>,
}
