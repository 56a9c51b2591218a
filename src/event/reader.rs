//! The only reader of envelopes. It takes the members of a JSON object in any order and returns an
//! [`Event`] of the log or a caller's [`Draft`].

use std::borrow::Cow;

use super::draft::Draft;
use super::envelope::{Event, LineError, LineFault};
use super::schema::{Field, Value};
use super::severity::Severity;
use super::time::Timestamp;
use crate::json::{Json, unescape};

/// Collects the members of an envelope, one at a time.
#[derive(Debug)]
pub(super) struct EnvelopeReader<'a> {
    /// The address of the line; offsets are counted from it.
    start: usize,
    /// All errors so far, in the order of the line.
    errors: Vec<LineError>,
    /// Text values by field.
    texts: [Option<Cow<'a, str>>; Field::ALL.len()],
    /// Fields that the line has, valid or not.
    seen: [bool; Field::ALL.len()],
    sequence: Option<u64>,
    timestamp: Option<Timestamp>,
    severity: Option<Severity>,
    data: Option<Json<'a>>,
    unknown: Vec<(&'a str, Json<'a>)>,
}

impl<'a> EnvelopeReader<'a> {
    /// A reader for that line.
    pub(super) fn of(line: &'a [u8]) -> Self {
        Self {
            start: line.as_ptr() as usize,
            errors: Vec::new(),
            texts: Default::default(),
            seen: Default::default(),
            sequence: None,
            timestamp: None,
            severity: None,
            data: None,
            unknown: Vec::new(),
        }
    }

    /// Takes a member of a line of the log. The key is raw, as written.
    pub(super) fn member(&mut self, raw_key: &'a str, value: Json<'a>) {
        let Some(field) = Field::named(&unescape(raw_key)) else {
            self.unknown.push((raw_key, value));
            return;
        };
        self.seen[field as usize] = true;
        match field.rule().check(field.name(), value) {
            Ok(Value::Text(text)) => self.texts[field as usize] = Some(text),
            Ok(Value::Null) => {}
            Ok(Value::Sequence(sequence)) => self.sequence = Some(sequence),
            Ok(Value::Timestamp(timestamp)) => self.timestamp = Some(timestamp),
            Ok(Value::Severity(severity)) => self.severity = Some(severity),
            Ok(Value::Object(object)) => self.data = Some(object),
            Err(rule) => self.fault(field, value, rule),
        }
    }

    /// Takes a member of a caller's line. Fields that the log decides are errors.
    pub(super) fn given(&mut self, raw_key: &'a str, value: Json<'a>) {
        match Field::named(&unescape(raw_key)) {
            Some(field) if !field.is_settable() => {
                let rule = "may not be given: the log decides it".to_owned();
                self.fault(field, value, rule);
            }
            _ => self.member(raw_key, value),
        }
    }

    /// Takes a member of a caller's flat line. A time in another form stays with the other fields.
    pub(super) fn flat(&mut self, raw_key: &'a str, value: Json<'a>) {
        let is_time = Field::named(&unescape(raw_key)) == Some(Field::Timestamp);
        if is_time && Field::Timestamp.rule().check("timestamp", value).is_err() {
            self.unknown.push((raw_key, value));
        } else {
            self.given(raw_key, value);
        }
    }

    /// Takes a member of a line of another run's log. Fields that belong to that log are skipped.
    pub(super) fn copied(&mut self, raw_key: &'a str, value: Json<'a>) {
        let belongs = |field: Field| field == Field::RunId || !field.is_settable();
        if !Field::named(&unescape(raw_key)).is_some_and(belongs) {
            self.member(raw_key, value);
        }
    }

    fn fault(&mut self, field: Field, value: Json<'a>, rule: String) {
        let offset = (value.text().as_ptr() as usize).saturating_sub(self.start);
        self.errors.push(LineError { offset, fault: LineFault::Field(field.name(), rule) });
    }

    fn text(&mut self, field: Field) -> Option<Cow<'a, str>> {
        self.texts[field as usize].take()
    }

    /// The event; all required fields must be present.
    pub(super) fn event(mut self) -> Result<Event<'a>, Vec<LineError>> {
        let seen = self.seen;
        let missing = Field::ALL
            .iter()
            .filter(|field| field.is_required() && !seen[**field as usize])
            .map(|field| LineError { offset: 0, fault: LineFault::Missing(field.name()) });
        self.errors.extend(missing);
        match self.complete() {
            Some(event) if self.errors.is_empty() => Ok(event),
            _ => Err(self.errors),
        }
    }

    /// `None` if a required field is missing or not valid. `errors` then says so.
    fn complete(&mut self) -> Option<Event<'a>> {
        Some(Event {
            event_id: self.text(Field::EventId)?,
            sequence: self.sequence?,
            run_id: self.text(Field::RunId)?,
            session_id: self.text(Field::SessionId)?,
            task_id: self.text(Field::TaskId)?,
            kind: self.text(Field::Type)?,
            timestamp: self.timestamp?,
            actor: self.text(Field::Actor)?,
            severity: self.severity?,
            summary: self.text(Field::Summary),
            data: self.data?,
            correlation_id: self.text(Field::CorrelationId),
            parent_event_id: self.text(Field::ParentEventId),
            branch: self.text(Field::Branch),
            prev_hash: self.text(Field::PrevHash),
            unknown: std::mem::take(&mut self.unknown),
        })
    }

    /// The draft of a caller's line. Without `data`, it may have no unknown fields: they were meant
    /// as the payload.
    pub(super) fn given_draft(self) -> Result<Draft<'a>, LineError> {
        let stray = self.unknown.first().filter(|_| !self.seen[Field::Data as usize]);
        let stray = stray.map(|(key, value)| LineError {
            offset: (value.text().as_ptr() as usize).saturating_sub(self.start),
            fault: LineFault::Stray(unescape(key).into_owned()),
        });
        let draft = self.draft()?;
        stray.map_or(Ok(draft), Err)
    }

    /// The draft of a caller's flat line: its unknown fields are the payload.
    pub(super) fn flat_draft(self) -> Result<Draft<'a>, LineError> {
        let draft = self.draft()?;
        let data = format!("{{{}}}", draft.unknown).into();
        // The payload is nested deeper than the line was, so the event is checked again.
        Ok(Draft { data, unknown: String::new(), validated: false, ..draft })
    }

    /// The draft; only the type is required. The error is the first one of the line.
    pub(super) fn draft(mut self) -> Result<Draft<'a>, LineError> {
        if !self.errors.is_empty() {
            return Err(self.errors.swap_remove(0));
        }
        let Some(kind) = self.text(Field::Type) else {
            return Err(LineError { offset: 0, fault: LineFault::Missing(Field::Type.name()) });
        };
        Ok(Draft {
            kind,
            data: self.data.map_or(Cow::Borrowed("{}"), Json::compact),
            event_id: self.text(Field::EventId),
            run_id: self.text(Field::RunId),
            session_id: self.text(Field::SessionId),
            task_id: self.text(Field::TaskId),
            timestamp: self.timestamp,
            actor: self.text(Field::Actor),
            severity: self.severity,
            summary: self.text(Field::Summary),
            correlation_id: self.text(Field::CorrelationId),
            parent_event_id: self.text(Field::ParentEventId),
            branch: self.text(Field::Branch),
            unknown: members(&self.unknown),
            validated: true,
            ..Draft::default()
        })
    }
}

/// Unknown members for a draft: JSON text without braces.
pub(super) fn members(unknown: &[(&str, Json<'_>)]) -> String {
    let texts = unknown.iter().map(|(key, value)| format!("\"{key}\":{}", value.compact()));
    texts.collect::<Vec<_>>().join(",")
}
