//! Dialects with flat lines: one event per line, with all its fields at the top level. The fields
//! become the payload as they are; only the type and the time move to the envelope.

pub(crate) mod agex;
pub(crate) mod aos;
pub(crate) mod gateway;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::agents::{AdaptedLine, Adapter, SourceText};
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
    /// The fields of a line of that row that name the session of this line and the next ones.
    pub session: fn(&Row) -> &'static [&'static str],
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
}

/// The adapter of a flat dialect.
pub(crate) struct FlatAdapter {
    dialect: &'static FlatDialect,
    /// The session that an earlier line named.
    session: Option<String>,
    /// The newest call with each id.
    calls: HashMap<String, FlatCall>,
    /// The numbers of the calls with an id, by the run and the id.
    numbers: HashMap<(String, String), u32>,
}

/// The newest of the calls with the same id. Some models begin to count again.
struct FlatCall {
    /// How many calls had the id.
    number: u32,
    /// Its first line, and the run that this is of.
    start: String,
    run: Option<String>,
    has_ended: bool,
}

impl FlatAdapter {
    /// An adapter for one stream.
    pub(crate) fn new(dialect: &'static FlatDialect) -> Self {
        Self { dialect, session: None, calls: HashMap::new(), numbers: HashMap::new() }
    }

    /// Gives the second call with the same id another one. The same start again is the same call.
    fn tell_apart(&mut self, draft: &mut Draft<'_>, line: Json<'_>) {
        let Some(id) = draft.correlation_id.as_deref() else { return };
        let role = View::of(&draft.as_event()).role;
        let run = line.text_at("runId").map(Cow::into_owned);
        let place = (run.clone().unwrap_or_default(), id.to_owned());
        if role == Role::ToolStart {
            let start = line.compact();
            let known = self.calls.get(id);
            // Runs of several providers may number their calls alike.
            let is_other = |call: &FlatCall| {
                call.start != start
                    && (call.has_ended || (run.is_some() && call.run.is_some() && call.run != run))
            };
            if known.is_none_or(is_other) {
                let number = known.map_or(0, |call| call.number) + 1;
                let start = start.into_owned();
                self.calls.insert(id.to_owned(), FlatCall { number, start, run, has_ended: false });
                self.numbers.insert(place.clone(), number);
            }
        }
        let Some(newest) = self.calls.get_mut(id) else { return };
        let number = self.numbers.get(&place).copied().unwrap_or(newest.number);
        newest.has_ended |= role.is_tool_end() && number == newest.number;
        if number > 1 {
            draft.correlation_id = Some(format!("{id}.{number}").into());
        }
    }
}

impl Adapter for FlatAdapter {
    fn read(&mut self, source: &SourceText<'_>) -> AdaptedLine {
        let line = source.json;
        let source_type = source.text("type").unwrap_or_else(|| "untyped".to_owned());
        let row = self.dialect.row(line);
        let mut named = ["session_id"].iter().chain(row.map_or(&[][..], self.dialect.session));
        if let Some(session) = named.find_map(|name| source.text(name)) {
            self.session = Some(session);
        }
        let mut drafts: Vec<_> =
            row.map(|row| draft(self.dialect, row, source)).into_iter().collect();
        drafts.iter_mut().for_each(|draft| self.tell_apart(draft, line));
        AdaptedLine {
            source_type,
            source_id: source.text("event_id"),
            time: time(line).map(|(text, _)| text),
            session_id: self.session.clone(),
            parent: source.text("parent_event_id"),
            drafts,
            ..AdaptedLine::default()
        }
    }
}

/// The event of a flat line.
fn draft(dialect: &FlatDialect, row: &'static Row, source: &SourceText<'_>) -> Draft<'static> {
    let line = source.json;
    let has_time = time(line).is_some();
    let summary = source
        .text("summary")
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
    draft.summary = summary.map(Cow::Owned);
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
    let actor = Some(view.speaker())
        .filter(|actor| is_said && draft.actor.is_none() && !is_placeholder(actor))
        .map(Cow::into_owned);
    if draft.correlation_id.is_none() {
        draft.correlation_id = call.map(Cow::Owned);
    }
    if let Some(actor) = actor {
        draft.actor = Some(Cow::Owned(actor));
    }
}

/// The time of a line: as text that the importer reads, and read. A number counts the seconds or
/// milliseconds since 1970.
fn time(line: Json<'_>) -> Option<(String, Timestamp)> {
    /// A number of seconds below this is before the year 5138; milliseconds above it are after
    /// March 1973.
    const SECONDS: f64 = 1e11;
    const MILLIS: f64 = 1e14;
    let value = line.present("timestamp")?;
    if let Some(text) = value.as_str() {
        let (time, _) = Timestamp::parse_loose(&text)?;
        return Some((text.into_owned(), time));
    }
    let number = value.as_f64().filter(|number| (0.0..MILLIS).contains(number))?;
    let millis = if number < SECONDS { number * 1e3 } else { number };
    let time = Timestamp::from_millis(millis.round() as i64);
    let mut text = String::new();
    time.write(&mut text);
    Some((text, time))
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

/// A function for [`FlatDialect::session`]: no line names the session.
pub(crate) fn no_session(_: &Row) -> &'static [&'static str] {
    &[]
}

/// Adds the message of an error if the line has it under another name.
pub(crate) fn error_message(row: &Row, line: Json<'_>, data: &mut ObjectText) {
    if row.role != Role::Error || line.get("message").is_some() {
        return;
    }
    if let Some(message) = said_of_error(line) {
        data.text("message", &message);
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
