//! Events on their way into a log: what a caller gave, then the finished line.

use super::catalogue;
use super::envelope::{
    self, Event, LineError, LineFault, MAX_LINE, Severity, id_of, object_of, severity_of, text_of,
    timestamp_of, type_of,
};
use super::fields::effective;
use super::json::{Json, ObjectText, escape_into};
use super::reserved::REDACTIONS;
use super::template::Template;
use super::time::Timestamp;

/// An event as a caller gave it; whatever is `None` will be derived.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// The event's type.
    pub kind: String,
    /// The payload: compact JSON text of an object.
    pub data: String,
    /// A given id makes a repetition safe.
    pub event_id: Option<String>,
    /// The run that the caller believes to write to (native streams).
    pub run_id: Option<String>,
    /// Default: the run's own.
    pub session_id: Option<String>,
    /// Default: the run's own.
    pub task_id: Option<String>,
    /// Default: the time of writing.
    pub timestamp: Option<Timestamp>,
    /// Default: by the catalogue.
    pub actor: Option<String>,
    /// Default: by the catalogue, `error` for a tool result with an error.
    pub severity: Option<Severity>,
    /// Default: the template of the type, if it has one.
    pub summary: Option<String>,
    /// Ties the events of one call together.
    pub correlation_id: Option<String>,
    /// The event that led to this one.
    pub parent_event_id: Option<String>,
    /// Hierarchical scope.
    pub branch: Option<String>,
    /// An event with this id is the same one, whatever its content: the caller compared
    /// what it was made from (imports).
    pub settled_id: bool,
    /// Imports: SHA-256 of the source line that this is the first event of.
    pub source_hash: Option<[u8; 32]>,
    /// Secrets that were replaced in it before (a run copied clean).
    pub redactions: u64,
    /// Unknown envelope fields as JSON members without braces (`"a":1,"b":2`).
    pub unknown: String,
}

impl Draft {
    /// A draft of that type with that payload and nothing else given.
    #[must_use]
    pub fn new(kind: &str, data: ObjectText) -> Self {
        Self { kind: kind.to_owned(), data: data.finish(), ..Self::default() }
    }

    /// The payload as a view.
    #[must_use]
    pub fn data(&self) -> Json<'_> {
        Json::trusted(&self.data)
    }

    /// Reads a native line: an envelope with anything derivable left out.
    ///
    /// # Errors
    /// The first field that is of the wrong type or may not be given.
    pub fn native(json: Json<'_>) -> Result<Self, LineError> {
        Self::read(json, |_| false)
    }

    /// Reads a line of another run's log: what belongs to that run is left out, so that it
    /// can be recorded anew.
    ///
    /// # Errors
    /// The first field that is of the wrong type.
    pub fn copied(json: Json<'_>) -> Result<Self, LineError> {
        let left_out = |key: &str| matches!(key, "sequence" | "prev_hash" | "run_id");
        let mut draft = Self::read(json, left_out)?;
        let Some(redactions) = draft.data().get(REDACTIONS).and_then(Json::as_u64) else {
            return Ok(draft);
        };
        let mut data = ObjectText::new();
        for (key, value) in draft.data().members().filter(|(key, _)| key != REDACTIONS) {
            data.json(&key, value);
        }
        draft.data = data.finish();
        draft.redactions = redactions;
        Ok(draft)
    }

    fn read(json: Json<'_>, left_out: fn(&str) -> bool) -> Result<Self, LineError> {
        let start = json.text().as_ptr() as usize;
        let mut draft = Self { data: "{}".to_owned(), ..Self::default() };
        if !json.is_object() {
            return Err(LineError { offset: 0, fault: LineFault::NotAnObject });
        }
        let members = json.members().zip(json.raw_members());
        for ((key, value), (raw_key, _)) in members.filter(|((key, _), _)| !left_out(key)) {
            let known = draft.member(&key, value).map_err(|(name, rule)| {
                let offset = (value.text().as_ptr() as usize).saturating_sub(start);
                LineError { offset, fault: LineFault::Field(name, rule) }
            })?;
            if !known {
                draft.keep_unknown(raw_key, value);
            }
        }
        if draft.kind.is_empty() {
            return Err(LineError { offset: 0, fault: LineFault::Missing("type") });
        }
        Ok(draft)
    }

    /// Takes one field of an envelope; false when there is no field of that name.
    fn member(&mut self, key: &str, value: Json<'_>) -> Result<bool, (&'static str, String)> {
        let given = "may not be given: the log decides it".to_owned();
        let id = |name: &'static str| {
            id_of(name, value).map(|id| Some(id.into_owned())).map_err(|rule| (name, rule))
        };
        let text = |name: &'static str| {
            text_of(value).map(|text| Some(text.into_owned())).map_err(|rule| (name, rule))
        };
        match key {
            "event_id" => self.event_id = id("event_id")?,
            "run_id" => self.run_id = id("run_id")?,
            "session_id" => self.session_id = id("session_id")?,
            "task_id" => self.task_id = id("task_id")?,
            "type" => self.kind = type_of(value).map_err(|rule| ("type", rule))?.into_owned(),
            "timestamp" => {
                self.timestamp = Some(timestamp_of(value).map_err(|rule| ("timestamp", rule))?);
            }
            "actor" => self.actor = text("actor")?,
            "severity" => {
                self.severity = Some(severity_of(value).map_err(|rule| ("severity", rule))?);
            }
            "summary" if value.is_null() => {}
            "summary" => self.summary = text("summary")?,
            "data" => {
                let data = object_of(value).map_err(|rule| ("data", rule))?;
                self.data = data.compact().into_owned();
            }
            "correlation_id" => self.correlation_id = id("correlation_id")?,
            "parent_event_id" => self.parent_event_id = id("parent_event_id")?,
            "branch" => self.branch = text("branch")?,
            "sequence" => return Err(("sequence", given)),
            "prev_hash" => return Err(("prev_hash", given)),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn keep_unknown(&mut self, raw_key: &str, value: Json<'_>) {
        if !self.unknown.is_empty() {
            self.unknown.push(',');
        }
        self.unknown.push('"');
        self.unknown.push_str(raw_key);
        self.unknown.push_str("\":");
        self.unknown.push_str(&value.compact());
    }

    /// The draft as the views would see it, with the catalogue's defaults.
    #[must_use]
    pub fn as_event(&self) -> Event<'_> {
        let row = catalogue::row(&self.kind);
        let text = |value: &'_ Option<String>| value.as_deref().unwrap_or_default().to_owned();
        Event {
            event_id: text(&self.event_id).into(),
            sequence: 0,
            run_id: "".into(),
            session_id: text(&self.session_id).into(),
            task_id: text(&self.task_id).into(),
            kind: self.kind.as_str().into(),
            timestamp: self.timestamp.unwrap_or(Timestamp::from_millis(0)),
            actor: self.actor.as_deref().or(row.map(|row| row.actor)).unwrap_or("runtime").into(),
            severity: self.severity.or(row.map(|row| row.severity)).unwrap_or(Severity::Info),
            summary: None,
            data: self.data(),
            correlation_id: self.correlation_id.as_deref().map(Into::into),
            parent_event_id: self.parent_event_id.as_deref().map(Into::into),
            branch: self.branch.as_deref().map(Into::into),
            prev_hash: None,
            unknown: Vec::new(),
        }
    }

    /// Whether `event` is what this draft would have become: same type, same payload,
    /// and the same in whatever was given.
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
    }
}

/// What the payload says about the event where nothing was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derived {
    /// How grave: by the catalogue, `error` for a tool result with an error.
    pub severity: Severity,
    /// The template of the type, filled.
    pub summary: Option<String>,
}

impl Derived {
    /// Reads the payload, which must still be whole: large values are moved out later.
    #[must_use]
    pub fn of(draft: &Draft) -> Self {
        let row = catalogue::row(&draft.kind);
        let data = draft.data();
        let severity = draft.severity.unwrap_or_else(|| {
            let default = row.map_or(Severity::Info, |row| row.severity);
            effective(catalogue::role(&draft.kind), default, data).1
        });
        let summary = draft.summary.clone().or_else(|| {
            let source = row.map(|row| row.template).filter(|template| !template.is_empty())?;
            Some(Template::parse(source).ok()?.render(data))
        });
        Self { severity, summary }
    }
}

/// What a draft takes from its run where nothing was given.
#[derive(Clone, Copy, Debug)]
pub struct Defaults<'d> {
    /// The run that is written to.
    pub run_id: &'d str,
    /// The run's own session.
    pub session_id: &'d str,
    /// The run's own task.
    pub task_id: &'d str,
}

/// A line that lacks only what the lock decides: its sequence, its time where none was
/// given, and the hash before it.
#[derive(Clone, Debug)]
pub struct Pending {
    /// The event's id.
    pub event_id: String,
    timestamp: Option<Timestamp>,
    before_sequence: String,
    after_sequence: String,
    after_timestamp: String,
}

impl Pending {
    /// Fills in the defaults.
    ///
    /// # Errors
    /// A line over its limit, or one that a reader would refuse.
    pub fn new(
        draft: &Draft,
        derived: &Derived,
        event_id: String,
        defaults: &Defaults<'_>,
    ) -> Result<Self, LineError> {
        let row = catalogue::row(&draft.kind);
        let actor = draft.actor.as_deref().or(row.map(|row| row.actor)).unwrap_or("runtime");

        let mut before = String::from("{\"event_id\":");
        escape_into(&event_id, &mut before);
        before.push_str(",\"sequence\":");
        let mut names = String::new();
        member("run_id", defaults.run_id, &mut names);
        let session_id = draft.session_id.as_deref().unwrap_or(defaults.session_id);
        member("session_id", session_id, &mut names);
        member("task_id", draft.task_id.as_deref().unwrap_or(defaults.task_id), &mut names);
        member("type", &draft.kind, &mut names);
        let mut after = String::with_capacity(draft.data.len() + 400);
        member("actor", actor, &mut after);
        member("severity", derived.severity.name(), &mut after);
        match &derived.summary {
            Some(text) => member("summary", text, &mut after),
            None => after.push_str(",\"summary\":null"),
        }
        after.push_str(",\"data\":");
        after.push_str(&draft.data);
        if let Some(value) = &draft.correlation_id {
            member("correlation_id", value, &mut after);
        }
        if let Some(value) = &draft.parent_event_id {
            member("parent_event_id", value, &mut after);
        }
        if let Some(value) = &draft.branch {
            member("branch", value, &mut after);
        }
        if !draft.unknown.is_empty() {
            after.push(',');
            after.push_str(&draft.unknown);
        }
        let longest = before.len() + names.len() + after.len() + 140;
        let pending = Self {
            event_id,
            timestamp: draft.timestamp,
            before_sequence: before,
            after_sequence: names,
            after_timestamp: after,
        };
        if longest > MAX_LINE {
            return Err(LineError { offset: 0, fault: LineFault::TooLong(longest as u64) });
        }
        // Whatever was given: no line is written that a reader would refuse.
        let mut probe = Vec::with_capacity(longest);
        pending.write(1, Timestamp::from_millis(0), None, &mut probe);
        match envelope::parse(&probe) {
            Ok(_) => Ok(pending),
            Err(mut faults) => Err(faults.swap_remove(0)),
        }
    }

    /// Appends the finished line, its newline included. `now` is the time where none was given.
    pub fn write(&self, sequence: u64, now: Timestamp, prev_hash: Option<&str>, out: &mut Vec<u8>) {
        out.extend_from_slice(self.before_sequence.as_bytes());
        out.extend_from_slice(sequence.to_string().as_bytes());
        out.extend_from_slice(self.after_sequence.as_bytes());
        out.extend_from_slice(b",\"timestamp\":\"");
        out.extend_from_slice(self.timestamp.unwrap_or(now).to_string().as_bytes());
        out.push(b'"');
        out.extend_from_slice(self.after_timestamp.as_bytes());
        if let Some(hash) = prev_hash {
            out.extend_from_slice(b",\"prev_hash\":\"");
            out.extend_from_slice(hash.as_bytes());
            out.push(b'"');
        }
        out.extend_from_slice(b"}\n");
    }
}

fn member(name: &str, value: &str, out: &mut String) {
    out.push_str(",\"");
    out.push_str(name);
    out.push_str("\":");
    escape_into(value, out);
}
