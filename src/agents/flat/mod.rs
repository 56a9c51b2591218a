//! Dialects with flat lines: one event per line, with all its fields at the top level. The fields
//! become the payload as they are; only the type and the time move to the envelope.

pub(crate) mod agex;
pub(crate) mod aos;
pub(crate) mod gateway;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::agents::said::{Said, SaidLine};
use crate::agents::{LineReader, SourceText};
use crate::event::catalogue::{self, Row};
use crate::event::draft::Draft;
use crate::event::envelope::{LineError, MAX_SUMMARY};
use crate::event::fields::{View, as_text, is_placeholder};
use crate::event::reserved::OWN;
use crate::event::role::Role;
use crate::event::time::Timestamp;
use crate::json::{self, Json, JsonRules, Kind, ObjectText};

/// A dialect with flat lines.
pub(crate) struct FlatDialect {
    /// Its name in the table of dialects.
    pub name: &'static str,
    /// The catalogue type of a line with that type.
    pub kind: fn(&str) -> Option<&'static str>,
    /// The field that shows that a line with that row is of the dialect.
    pub evidence: fn(&'static Row, Json<'_>) -> Option<&'static str>,
    /// Adds the fields that the views read and the line lacks.
    pub complete: fn(&Row, Json<'_>, &mut ObjectText),
}

impl FlatDialect {
    /// The row of a flat line; `None` if the line is not of this dialect's types.
    pub(crate) fn row(&self, line: Json<'_>) -> Option<&'static Row> {
        let kind = line.text_at("type")?;
        catalogue::row((self.kind)(&kind)?)
    }

    /// The field that shows that a line is of this dialect. A line with `data` is an envelope.
    pub(crate) fn sign(&self, line: Json<'_>) -> Option<&'static str> {
        let row = self.row(line)?;
        if line.get("data").is_some() { None } else { (self.evidence)(row, line) }
    }

    /// A new reader.
    pub(crate) fn reader(&'static self) -> Box<dyn LineReader> {
        Box::new(FlatReader { dialect: self, session: None, calls: HashMap::new() })
    }
}

/// Reads the lines of a flat dialect.
pub(crate) struct FlatReader {
    dialect: &'static FlatDialect,
    /// The session that an earlier line named.
    session: Option<String>,
    /// The calls with each id. Some models begin to count again.
    calls: HashMap<String, Vec<FlatCall>>,
}

/// One of the calls with the same id.
struct FlatCall {
    /// Its first line, if it is the newest one.
    start: String,
    /// The run that this line is of.
    run: Option<String>,
    has_ended: bool,
}

impl FlatReader {
    /// Gives the second call with the same id another one. The same start again is the same call.
    fn number(&mut self, draft: &mut Draft<'_>, line: Json<'_>) {
        let Some(id) = draft.correlation_id.as_deref() else { return };
        let role = View::of(&draft.as_event()).role;
        let run = line.text_at("runId").map(Cow::into_owned);
        let calls = self.calls.entry(id.to_owned()).or_default();
        if role == Role::ToolStart {
            let start = line.compact().into_owned();
            // Runs of several providers may number their calls alike.
            let is_this = |call: &mut FlatCall| {
                let is_of_other = run.is_some() && call.run.is_some() && call.run != run;
                call.start == start || !(call.has_ended || is_of_other)
            };
            if !calls.last_mut().is_some_and(is_this) {
                drop(calls.last_mut().map(|newest| std::mem::take(&mut newest.start)));
                calls.push(FlatCall { start, run: run.clone(), has_ended: false });
            }
        }
        let of_run = calls.iter().rposition(|call| call.run == run);
        let index = of_run.unwrap_or(calls.len().saturating_sub(1));
        let Some(call) = calls.get_mut(index) else { return };
        call.has_ended |= role.is_tool_end();
        if index > 0 {
            draft.correlation_id = Some(format!("{id}.{}", index + 1).into());
        }
    }
}

impl LineReader for FlatReader {
    fn read<'s>(&mut self, source: &SourceText<'s>) -> SaidLine<'s> {
        let line = source.json;
        let row = self.dialect.row(line);
        let begins = row.filter(|row| row.name.contains("session") || row.name == "connected");
        let session = line.text_at("session_id").or(begins.and_then(|_| line.text_at("sessionId")));
        self.session = session.map(Cow::into_owned).or(self.session.take());
        let event = row.map(|row| {
            let mut draft = draft(self.dialect, row, source);
            self.number(&mut draft, line);
            Said::Event(Box::new(draft))
        });
        SaidLine {
            kind: line.text_at("type").unwrap_or("untyped".into()),
            id: line.text_at("event_id"),
            time: time(line).map(|(text, _)| text),
            session: self.session.clone().map(Cow::Owned),
            parent: line.text_at("parent_event_id"),
            said: event.into_iter().collect(),
            ..SaidLine::default()
        }
    }
}

/// The event of a flat line.
fn draft(dialect: &FlatDialect, row: &'static Row, source: &SourceText<'_>) -> Draft<'static> {
    let line = source.json;
    let has_time = time(line).is_some();
    let summary = line
        .text_at("summary")
        .filter(|summary| !summary.trim().is_empty() && summary.len() <= MAX_SUMMARY);
    let mut data = ObjectText::new();
    let mut taken: HashSet<Cow<'_, str>> = RESERVED.iter().map(|name| Cow::from(*name)).collect();
    for (name, value) in line.members() {
        match name.as_ref() {
            "type" => continue,
            "timestamp" if has_time => continue,
            "summary" if summary.is_some() => continue,
            _ => {}
        }
        // A field with a name that is taken gets a longer one, so that nothing is lost.
        let mut name = name;
        while taken.contains(&name) {
            name = Cow::Owned(format!("{name}_"));
        }
        add(&mut data, &name, value, source.clean);
        taken.insert(name);
    }
    (dialect.complete)(row, line, &mut data);
    let mut draft = Draft::new(row.name, data);
    draft.summary = summary.map(|summary| summary.into_owned().into());
    fill_envelope(&mut draft);
    draft
}

/// Names in `data` that this program writes.
const RESERVED: &[&str] = &[
    OWN,
    "dialect",
    "source",
    "source_text",
    "source_ref",
    "source_sha256",
    "time_origin",
    "_redactions",
    "$blob",
];

/// Adds a field. In an unclean line, a list or an object is added as a string.
fn add(data: &mut ObjectText, name: &str, value: Json<'_>, clean: bool) {
    match value.kind() {
        Kind::String if !clean => data.text(name, &as_text(value)),
        Kind::Array | Kind::Object if !clean => data.text(name, &value.compact()),
        _ => data.json(name, Json::trusted(&value.compact())),
    };
}

/// Sets the correlation id and the actor from the payload.
fn fill_envelope(draft: &mut Draft<'_>) {
    let event = draft.as_event();
    let view = View::of(&event);
    let is_of_call =
        view.role.is_tool_state() || matches!(view.role, Role::ToolProgress | Role::Permission);
    let call = view.call_id().filter(|_| is_of_call).map(Cow::into_owned);
    let is_said =
        catalogue::row(&event.kind).is_some_and(|row| ["agent", "user"].contains(&row.actor));
    let actor = Some(view.speaker()).filter(|actor| is_said && !is_placeholder(actor));
    let actor = actor.map(|actor| actor.into_owned().into());
    draft.correlation_id = draft.correlation_id.take().or(call.map(Cow::Owned));
    draft.actor = draft.actor.take().or(actor);
}

/// The time of a line: as text that the importer reads, and read. A number counts the seconds or
/// milliseconds since 1970.
fn time(line: Json<'_>) -> Option<(Cow<'_, str>, Timestamp)> {
    /// A number of seconds below this is before the year 5138; milliseconds above it are after
    /// March 1973.
    const SECONDS: f64 = 1e11;
    const MILLIS: f64 = 1e14;
    let value = line.present("timestamp")?;
    if let Some(text) = value.as_str() {
        let (time, _) = Timestamp::parse_loose(&text)?;
        return Some((text, time));
    }
    let number = value.as_f64().filter(|number| (0.0..MILLIS).contains(number))?;
    let millis = if number < SECONDS { number * 1e3 } else { number };
    let time = Timestamp::from_millis(millis.round() as i64);
    let mut text = String::new();
    time.write(&mut text);
    Some((text.into(), time))
}

/// The dialects with flat lines.
static FLAT: &[&FlatDialect] = &[&aos::AOS, &gateway::GATEWAY, &agex::AGEX];

/// Reads a line without `data` in a native stream, if its type is one of a flat dialect and the
/// line looks like no other dialect. The fields of the envelope stay in the envelope.
///
/// # Errors
/// A field of the envelope is not valid.
pub(crate) fn native(line: &[u8]) -> Option<Result<Draft<'_>, LineError>> {
    let value = json::check(line, JsonRules::STRICT).ok()?;
    if value.get("data").is_some() {
        return None;
    }
    let (dialect, row) = FLAT.iter().find_map(|dialect| Some((*dialect, dialect.row(value)?)))?;
    // A type that the dialect shares with native events needs evidence.
    if row.role == Role::Error && dialect.sign(value).is_none() {
        return None;
    }
    let is_flat = |name: &str| FLAT.iter().any(|flat| flat.name == name);
    if crate::agents::dialect_of(value).is_some_and(|found| !is_flat(found.name)) {
        return None;
    }
    let read = Draft::flat(line).map(|mut draft| {
        let mut data = ObjectText::new();
        data.members(draft.data());
        (dialect.complete)(row, value, &mut data);
        draft.kind = row.name.into();
        draft.data = data.finish().into();
        draft.timestamp = draft.timestamp.or_else(|| Some(time(value)?.1));
        fill_envelope(&mut draft);
        draft
    });
    Some(read)
}

/// Adds the message of an error if the line has it under another name.
pub(crate) fn error_message(row: &Row, line: Json<'_>, data: &mut ObjectText) {
    if row.role == Role::Error && line.get("message").is_none() {
        data.text_if("message", said_of_error(line).as_deref());
    }
}

/// What a line says about its error.
pub(crate) fn said_of_error(line: Json<'_>) -> Option<Cow<'_, str>> {
    let named = ["message", "error.message", "error", "exception", "reason"];
    named.iter().find_map(|name| line.path(name)).map(as_text)
}

/// The family's type with that name.
pub(crate) fn of_family(family: &str, kind: &str) -> Option<&'static str> {
    catalogue::row(kind).filter(|row| row.family == family).map(|row| row.name)
}
