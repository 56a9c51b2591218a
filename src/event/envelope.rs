//! The envelope: one event as one line of the log (docs/format.md).

use std::borrow::Cow;
use std::fmt;

use super::id::{check_id, check_type};
use super::spans::Spans;
use super::time::Timestamp;
use crate::json::{self, Json, JsonError, Kind, Rules};

/// Longest line of a log, in bytes, its newline not counted.
pub const MAX_LINE: usize = 8 << 20;

/// Greatest sequence: the greatest integer that every JSON reader keeps exactly.
pub(crate) const MAX_SEQUENCE: u64 = (1 << 53) - 1;

/// Longest given summary, in bytes.
pub(crate) const MAX_SUMMARY: usize = 4 << 10;

/// How grave an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Of interest to who looks closely.
    Debug,
    /// The ordinary course of things.
    Info,
    /// Worth a look.
    Warning,
    /// Something failed.
    Error,
}

impl Severity {
    /// All severities, the mildest first.
    pub const ALL: [Self; 4] = [Self::Debug, Self::Info, Self::Warning, Self::Error];

    /// The name in the envelope.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }

    /// The severity of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|severity| severity.name() == name)
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One event as it stands in the log, borrowing from its line.
#[derive(Clone, Debug)]
pub struct Event<'a> {
    /// Unique in the run.
    pub event_id: Cow<'a, str>,
    /// 1, 2, 3 … in the run: the order.
    pub sequence: u64,
    /// The run that the event belongs to.
    pub run_id: Cow<'a, str>,
    /// The session that the run belongs to.
    pub session_id: Cow<'a, str>,
    /// The task that the event belongs to.
    pub task_id: Cow<'a, str>,
    /// The event's type (`type` in the envelope).
    pub kind: Cow<'a, str>,
    /// Wall-clock time; never the order.
    pub timestamp: Timestamp,
    /// Who: `runtime`, `agent`, `tool`, `user`, …
    pub actor: Cow<'a, str>,
    /// How grave.
    pub severity: Severity,
    /// One line for people; `None` while pending or when there is nothing to say.
    pub summary: Option<Cow<'a, str>>,
    /// The payload, an object, token for token as it was given.
    pub data: Json<'a>,
    /// Ties the events of one call together.
    pub correlation_id: Option<Cow<'a, str>>,
    /// The event that led to this one.
    pub parent_event_id: Option<Cow<'a, str>>,
    /// Hierarchical scope, `app/agent/tool`.
    pub branch: Option<Cow<'a, str>>,
    /// Lower-case hex SHA-256 of the line before.
    pub prev_hash: Option<Cow<'a, str>>,
    /// Fields that this program does not know, kept.
    pub unknown: Vec<(&'a str, Json<'a>)>,
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineFault {
    /// Not an acceptable JSON document.
    Json(JsonError),
    /// JSON, but no object.
    NotAnObject,
    /// A required field is missing.
    Missing(&'static str),
    /// A field has the wrong type or form: its name and the rule.
    Field(&'static str, String),
    /// Longer than [`MAX_LINE`]: the length in bytes.
    TooLong(u64),
}

/// What is wrong with a line, and at which byte of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineError {
    /// Byte offset in the line.
    pub offset: usize,
    /// What is wrong there.
    pub fault: LineFault,
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.fault {
            LineFault::Json(error) => error.fmt(f),
            LineFault::NotAnObject => f.write_str("not a JSON object"),
            LineFault::Missing(name) => write!(f, "the field `{name}` is missing"),
            LineFault::Field(name, rule) => write!(f, "the field `{name}` {rule}"),
            LineFault::TooLong(bytes) => {
                write!(f, "the line has {bytes} bytes; at most {MAX_LINE} are allowed")
            }
        }
    }
}

impl std::error::Error for LineError {}

/// Reads one line, with or without its newline.
///
/// # Errors
/// Everything that is wrong with the line, never an empty list.
pub fn parse(line: &[u8]) -> Result<Event<'_>, Vec<LineError>> {
    let at_start = |fault| vec![LineError { offset: 0, fault }];
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    if line.len() > MAX_LINE {
        return Err(at_start(LineFault::TooLong(line.len() as u64)));
    }
    if let Ok(text) = std::str::from_utf8(line)
        && let Some(event) = Spans::of(text).and_then(|spans| spans.event(text))
    {
        return Ok(event);
    }
    let mut reading = Reading::of(line);
    let json = json::check_each(line, Rules::STRICT, |key, value| reading.member(key, value))
        .map_err(|e| vec![LineError { offset: e.offset, fault: LineFault::Json(e) }])?;
    if !json.is_object() {
        return Err(at_start(LineFault::NotAnObject));
    }
    reading.finish()
}

/// Reads a line that this process wrote, with or without its newline: that it is JSON need
/// not be found out again.
#[must_use]
pub(crate) fn written(line: &[u8]) -> Option<Event<'_>> {
    let text = std::str::from_utf8(line.strip_suffix(b"\n").unwrap_or(line)).ok()?;
    let spans = Spans::of_written(text);
    spans.and_then(|spans| spans.event(text)).or_else(|| read(Json::trusted(text), line).ok())
}

fn read<'a>(json: Json<'a>, line: &'a [u8]) -> Result<Event<'a>, Vec<LineError>> {
    let mut reading = Reading::of(line);
    for (key, value) in json.raw_members() {
        reading.member(key, value);
    }
    reading.finish()
}

/// The beginning of a line that is written in the canonical order of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peek<'a> {
    /// The event's id, as it stands between its quotes.
    pub event_id: &'a str,
    /// The event's sequence.
    pub sequence: u64,
    /// The event's type, as it stands between its quotes.
    pub kind: &'a str,
}

/// Reads id, sequence and type of a canonical line without checking the rest; `None`
/// when the line is written otherwise, and wants [`parse`].
#[must_use]
pub fn peek(line: &[u8]) -> Option<Peek<'_>> {
    let (event_id, rest) = quoted_after(line, "{\"event_id\":\"")?;
    let digits = rest.strip_prefix(b",\"sequence\":")?;
    let end = digits.iter().position(|byte| !byte.is_ascii_digit())?;
    let sequence = std::str::from_utf8(&digits[..end]).ok()?.parse().ok()?;
    let (_, rest) = quoted_after(&digits[end..], ",\"run_id\":\"")?;
    let (_, rest) = quoted_after(rest, ",\"session_id\":\"")?;
    let (_, rest) = quoted_after(rest, ",\"task_id\":\"")?;
    let (kind, _) = quoted_after(rest, ",\"type\":\"")?;
    Some(Peek { event_id, sequence, kind })
}

/// The text between `lead` and the next quote, if it holds no escape, and what follows.
fn quoted_after<'a>(bytes: &'a [u8], lead: &str) -> Option<(&'a str, &'a [u8])> {
    let inner = bytes.strip_prefix(lead.as_bytes())?;
    let end = memchr::memchr2(b'"', b'\\', inner).filter(|at| inner[*at] == b'"')?;
    Some((std::str::from_utf8(&inner[..end]).ok()?, &inner[end + 1..]))
}

/// The envelope while its fields come in, in any order.
#[derive(Default)]
struct Fields<'a> {
    event_id: Option<Cow<'a, str>>,
    sequence: Option<u64>,
    run_id: Option<Cow<'a, str>>,
    session_id: Option<Cow<'a, str>>,
    task_id: Option<Cow<'a, str>>,
    kind: Option<Cow<'a, str>>,
    timestamp: Option<Timestamp>,
    actor: Option<Cow<'a, str>>,
    severity: Option<Severity>,
    summary: Option<Option<Cow<'a, str>>>,
    data: Option<Json<'a>>,
    correlation_id: Option<Cow<'a, str>>,
    parent_event_id: Option<Cow<'a, str>>,
    branch: Option<Cow<'a, str>>,
    prev_hash: Option<Cow<'a, str>>,
    unknown: Vec<(&'a str, Json<'a>)>,
}

struct Reading<'a> {
    /// Address of the line, from which offsets are counted.
    start: usize,
    problems: Vec<LineError>,
    fields: Fields<'a>,
}

impl<'a> Reading<'a> {
    fn of(line: &'a [u8]) -> Self {
        let start = line.as_ptr() as usize;
        Self { start, problems: Vec::new(), fields: Fields::default() }
    }

    fn member(&mut self, key: &'a str, value: Json<'a>) {
        match key {
            "event_id" => self.fields.event_id = self.take("event_id", value, id_of),
            "sequence" => {
                self.fields.sequence = self.take("sequence", value, |_, v| sequence_of(v));
            }
            "run_id" => self.fields.run_id = self.take("run_id", value, id_of),
            "session_id" => self.fields.session_id = self.take("session_id", value, id_of),
            "task_id" => self.fields.task_id = self.take("task_id", value, id_of),
            "type" => self.fields.kind = self.take("type", value, |_, v| type_of(v)),
            "timestamp" => {
                self.fields.timestamp = self.take("timestamp", value, |_, v| timestamp_of(v));
            }
            "actor" => self.fields.actor = self.take("actor", value, |_, v| text_of(v)),
            "severity" => {
                self.fields.severity = self.take("severity", value, |_, v| severity_of(v));
            }
            "summary" => {
                let read =
                    |_, v: Json<'a>| if v.is_null() { Ok(None) } else { text_of(v).map(Some) };
                self.fields.summary = self.take("summary", value, read);
            }
            "data" => self.fields.data = self.take("data", value, |_, v| object_of(v)),
            "correlation_id" => {
                self.fields.correlation_id = self.take("correlation_id", value, id_of);
            }
            "parent_event_id" => {
                self.fields.parent_event_id = self.take("parent_event_id", value, id_of);
            }
            "branch" => self.fields.branch = self.take("branch", value, |_, v| text_of(v)),
            "prev_hash" => self.fields.prev_hash = self.take("prev_hash", value, |_, v| hash_of(v)),
            _ => self.fields.unknown.push((key, value)),
        }
    }

    fn take<T>(
        &mut self,
        name: &'static str,
        value: Json<'a>,
        read: impl FnOnce(&'static str, Json<'a>) -> Result<T, String>,
    ) -> Option<T> {
        let offset = (value.text().as_ptr() as usize).saturating_sub(self.start);
        match read(name, value) {
            Ok(value) => Some(value),
            Err(rule) => {
                self.problems.push(LineError { offset, fault: LineFault::Field(name, rule) });
                None
            }
        }
    }

    fn finish(self) -> Result<Event<'a>, Vec<LineError>> {
        let Self { mut problems, fields, .. } = self;
        let mut missing = |name| {
            let reported = problems.iter().any(
                |problem| matches!(problem.fault, LineFault::Field(field, _) if field == name),
            );
            if !reported {
                problems.push(LineError { offset: 0, fault: LineFault::Missing(name) });
            }
        };
        macro_rules! required {
            ($($field:ident $name:literal),*) => {{
                $(if fields.$field.is_none() { missing($name); })*
                match ($(fields.$field,)*) {
                    ($(Some($field),)*) if problems.is_empty() => Ok(Event {
                        $($field,)*
                        correlation_id: fields.correlation_id,
                        parent_event_id: fields.parent_event_id,
                        branch: fields.branch,
                        prev_hash: fields.prev_hash,
                        unknown: fields.unknown,
                    }),
                    _ => Err(problems),
                }
            }};
        }
        required!(
            event_id "event_id", sequence "sequence", run_id "run_id", session_id "session_id",
            task_id "task_id", kind "type", timestamp "timestamp", actor "actor",
            severity "severity", summary "summary", data "data"
        )
    }
}

/// A string; the error is the rule that it breaks.
pub(crate) fn text_of(value: Json<'_>) -> Result<Cow<'_, str>, String> {
    value.as_str().ok_or_else(|| "must be a string".to_owned())
}

/// An id of up to 128 bytes.
pub(crate) fn id_of<'a>(name: &'static str, value: Json<'a>) -> Result<Cow<'a, str>, String> {
    let text = text_of(value)?;
    check_id(name, &text).map_err(|bad| format!("is not a valid id: {}", bad.rule))?;
    Ok(text)
}

/// An event type.
pub(crate) fn type_of(value: Json<'_>) -> Result<Cow<'_, str>, String> {
    let text = text_of(value)?;
    check_type(&text).map_err(|bad| format!("is not a valid type: {}", bad.rule))?;
    Ok(text)
}

/// RFC 3339 with a zone.
pub(crate) fn timestamp_of(value: Json<'_>) -> Result<Timestamp, String> {
    Timestamp::parse(&text_of(value)?).ok_or_else(|| {
        "must be an RFC 3339 time with a time zone, such as 2026-04-26T10:00:00Z".to_owned()
    })
}

/// One of the four severities.
pub(crate) fn severity_of(value: Json<'_>) -> Result<Severity, String> {
    Severity::parse(&text_of(value)?)
        .ok_or_else(|| "must be debug, info, warning or error".to_owned())
}

/// An object.
pub(crate) fn object_of(value: Json<'_>) -> Result<Json<'_>, String> {
    if value.is_object() { Ok(value) } else { Err("must be an object".to_owned()) }
}

fn sequence_of(value: Json<'_>) -> Result<u64, String> {
    let whole = value.kind() == Kind::Number;
    whole
        .then(|| value.text().parse().ok())
        .flatten()
        .filter(|sequence| (1..=MAX_SEQUENCE).contains(sequence))
        .ok_or_else(|| format!("must be an integer from 1 to {MAX_SEQUENCE}"))
}

fn hash_of(value: Json<'_>) -> Result<Cow<'_, str>, String> {
    let text = text_of(value)?;
    if is_hash(&text) { Ok(text) } else { Err("must be 64 lower-case hex digits".to_owned()) }
}

/// Whether a text is a SHA-256 in lower-case hex.
pub(super) fn is_hash(text: &str) -> bool {
    // All bytes are checked, several at once.
    let hex = |byte: u8| byte.is_ascii_digit() | (b'a'..=b'f').contains(&byte);
    text.len() == 64 && text.bytes().fold(true, |all, byte| all & hex(byte))
}
