//! The envelope: one event as one line of the log (docs/format.md).

use std::borrow::Cow;
use std::fmt;

use super::layout::Layout;
use super::reader::EnvelopeReader;
use super::schema::Field;
use super::severity::Severity;
use super::time::Timestamp;
use crate::json::{self, Json, JsonError, JsonRules};

/// Maximum length of a line of the log in bytes, without its newline.
pub const MAX_LINE: usize = 8 << 20;

/// Maximum length of a given summary in bytes.
pub(crate) const MAX_SUMMARY: usize = 4 << 10;

/// One event of the log, borrowed from its line.
#[derive(Clone, Debug)]
pub struct Event<'a> {
    /// Unique in the run.
    pub event_id: Cow<'a, str>,
    /// 1, 2, 3 …: the order of the events in the run.
    pub sequence: u64,
    /// The run that the event belongs to.
    pub run_id: Cow<'a, str>,
    /// The session that the run belongs to.
    pub session_id: Cow<'a, str>,
    /// The task that the event belongs to.
    pub task_id: Cow<'a, str>,
    /// The event's type (`type` in the envelope).
    pub kind: Cow<'a, str>,
    /// Wall-clock time; it does not define the order.
    pub timestamp: Timestamp,
    /// Who acted: `runtime`, `agent`, `tool`, `user`, …
    pub actor: Cow<'a, str>,
    /// How severe the event is.
    pub severity: Severity,
    /// One line for people; `None` while it is pending or if there is nothing to say.
    pub summary: Option<Cow<'a, str>>,
    /// The payload, an object, with the caller's own tokens.
    pub data: Json<'a>,
    /// Ties the events of one call together.
    pub correlation_id: Option<Cow<'a, str>>,
    /// The event that led to this one.
    pub parent_event_id: Option<Cow<'a, str>>,
    /// Hierarchical scope, `app/agent/tool`.
    pub branch: Option<Cow<'a, str>>,
    /// Lower-case hex SHA-256 of the previous line.
    pub prev_hash: Option<Cow<'a, str>>,
    /// Fields that this program does not know. They are kept.
    pub unknown: Vec<(&'a str, Json<'a>)>,
}

/// An error in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineFault {
    /// Not an acceptable JSON document.
    Json(JsonError),
    /// JSON, but not an object.
    NotAnObject,
    /// A required field is missing.
    Missing(&'static str),
    /// A field has the wrong type or form: its name and the rule.
    Field(&'static str, String),
    /// A field that no envelope has, in a caller's line without `data`: its name.
    Stray(String),
    /// Longer than [`MAX_LINE`]: the length in bytes.
    TooLong(u64),
}

/// An error in a line, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineError {
    /// Byte offset in the line.
    pub offset: usize,
    /// The error.
    pub fault: LineFault,
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.fault {
            LineFault::Json(error) => error.fmt(f),
            LineFault::NotAnObject => f.write_str("not a JSON object"),
            LineFault::Missing(name) => write!(f, "the field `{name}` is missing"),
            LineFault::Field(name, rule) => write!(f, "the field `{name}` {rule}"),
            LineFault::Stray(name) => {
                write!(f, "the field `{name}` is unknown; the fields of an event belong in `data`")
            }
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
/// Every error of the line; the list is never empty.
pub fn parse(line: &[u8]) -> Result<Event<'_>, Vec<LineError>> {
    let at_start = |fault| vec![LineError { offset: 0, fault }];
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    if line.len() > MAX_LINE {
        return Err(at_start(LineFault::TooLong(line.len() as u64)));
    }
    if let Ok(text) = std::str::from_utf8(line)
        && let Some(event) = Layout::of(text).and_then(|layout| layout.event(text))
    {
        return Ok(event);
    }
    let mut reader = EnvelopeReader::of(line);
    let json = json::check_each(line, JsonRules::STRICT, |key, value| reader.member(key, value))
        .map_err(|e| vec![LineError { offset: e.offset, fault: LineFault::Json(e) }])?;
    if !json.is_object() {
        return Err(at_start(LineFault::NotAnObject));
    }
    reader.event()
}

/// Like [`parse`], for a line whose payload has this length in bytes and was checked: only checks.
///
/// # Errors
/// As [`parse`].
pub(super) fn check_around(line: &[u8], length: usize) -> Result<(), Vec<LineError>> {
    let text = std::str::from_utf8(line.strip_suffix(b"\n").unwrap_or(line)).ok();
    match text.and_then(|text| Layout::around(text, length)) {
        Some(_) => Ok(()),
        None => parse(line).map(drop),
    }
}

/// Reads a line that this process wrote, with or without its newline. It is known to be JSON. The
/// length of its payload in bytes may be known.
#[must_use]
pub(crate) fn written(line: &[u8], length: Option<usize>) -> Option<Event<'_>> {
    let text = std::str::from_utf8(line.strip_suffix(b"\n").unwrap_or(line)).ok()?;
    let layout = Layout::of_written(text, length);
    layout.and_then(|layout| layout.event(text)).or_else(|| read(Json::trusted(text), line).ok())
}

fn read<'a>(json: Json<'a>, line: &'a [u8]) -> Result<Event<'a>, Vec<LineError>> {
    let mut reader = EnvelopeReader::of(line);
    for (key, value) in json.raw_members() {
        reader.member(key, value);
    }
    reader.event()
}

/// The first fields of a line with its keys in the canonical order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peek<'a> {
    /// The event's id, as written between its quotes.
    pub event_id: &'a str,
    /// The event's sequence.
    pub sequence: u64,
    /// The event's type, as written between its quotes.
    pub kind: &'a str,
}

/// Reads id, sequence and type of a canonical line without checking the rest. `None` for any other
/// line, which needs [`parse`].
#[must_use]
pub fn peek(line: &[u8]) -> Option<Peek<'_>> {
    let (event_id, rest) = quoted_after(line, Field::EventId.lead())?;
    let digits = rest.strip_prefix(Field::Sequence.lead().as_bytes())?;
    let end = digits.iter().position(|byte| !byte.is_ascii_digit())?;
    let sequence = std::str::from_utf8(&digits[..end]).ok()?.parse().ok()?;
    let (_, rest) = quoted_after(&digits[end..], Field::RunId.lead())?;
    let (_, rest) = quoted_after(rest, Field::SessionId.lead())?;
    let (_, rest) = quoted_after(rest, Field::TaskId.lead())?;
    let (kind, _) = quoted_after(rest, Field::Type.lead())?;
    Some(Peek { event_id, sequence, kind })
}

/// The text between `lead` and the next quote, and the rest. `None` if the text has an escape.
fn quoted_after<'a>(bytes: &'a [u8], lead: &str) -> Option<(&'a str, &'a [u8])> {
    let inner = bytes.strip_prefix(lead.as_bytes())?;
    let end = memchr::memchr2(b'"', b'\\', inner).filter(|at| inner[*at] == b'"')?;
    Some((std::str::from_utf8(&inner[..end]).ok()?, &inner[end + 1..]))
}
