//! The places of an event's fields in a canonical line. One thread reads the line; another thread
//! builds the event from the places without reading the line again.

use super::envelope::{Event, MAX_LINE};
use super::id::{check_id, check_type};
use super::schema::{Field, MAX_SEQUENCE, is_hash};
use super::severity::Severity;
use super::time::Timestamp;
use crate::json::{self, Json, JsonRules};

/// Byte offsets of a field in a line, start and end. `u32` is enough for the longest line.
type FieldSpan = (u32, u32);

/// The places of an event's fields in its line.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    event_id: FieldSpan,
    run_id: FieldSpan,
    session_id: FieldSpan,
    task_id: FieldSpan,
    kind: FieldSpan,
    actor: FieldSpan,
    summary: Option<FieldSpan>,
    data: FieldSpan,
    correlation_id: Option<FieldSpan>,
    parent_event_id: Option<FieldSpan>,
    branch: Option<FieldSpan>,
    prev_hash: Option<FieldSpan>,
    sequence: u64,
    timestamp: Timestamp,
    severity: Severity,
}

impl Layout {
    /// Reads a line that has its keys in the canonical order, and has no unknown fields, no escapes
    /// in its envelope and no white space. `None` for any other line and for one that breaks a
    /// rule; [`super::envelope::parse`] then finds the error.
    #[must_use]
    pub fn of(line: &str) -> Option<Self> {
        let (layout, _) = Self::read(line, checked_data, None)?;
        layout.is_valid(line, false).then_some(layout)
    }

    /// Like [`Layout::of`], for a line whose payload has this length in bytes and was checked.
    pub(super) fn around(line: &str, length: usize) -> Option<Self> {
        let (layout, _) = Self::read(line, |_| Some(length), None)?;
        layout.is_valid(line, false).then_some(layout)
    }

    /// Like [`Layout::of`], for a line that this process wrote and that is valid. The length of its
    /// payload in bytes may be known.
    pub(super) fn of_written(line: &str, length: Option<usize>) -> Option<Self> {
        let data = |rest: &str| Some(length.unwrap_or_else(|| Json::leading(rest).text().len()));
        Self::read(line, data, None).map(|(layout, _)| layout)
    }

    /// Like [`Layout::of`], for one of several lines in order.
    #[must_use]
    pub fn of_next(line: &str, last: &mut SharedIds) -> Option<Self> {
        let (layout, same) = Self::read(line, checked_data, Some(last))?;
        if !layout.is_valid(line, same) {
            return None;
        }
        last.same = same;
        if !same {
            last.keep(line, &layout);
        }
        Some(layout)
    }

    /// `data` tells the length in bytes of the payload at the beginning of a text. The flag says
    /// whether the line has the same run, session and task as `last`.
    fn read(
        line: &str,
        data: impl FnOnce(&str) -> Option<usize>,
        last: Option<&SharedIds>,
    ) -> Option<(Self, bool)> {
        if line.len() > MAX_LINE {
            return None;
        }
        let mut cursor = Cursor { line, at: 0 };
        let event_id = cursor.string(Field::EventId.lead())?;
        let sequence = cursor.whole(Field::Sequence.lead())?;
        let known = last.and_then(|last| last.places(&mut cursor));
        let [run_id, session_id, task_id] = match known {
            Some(places) => places,
            None => [
                cursor.string(Field::RunId.lead())?,
                cursor.string(Field::SessionId.lead())?,
                cursor.string(Field::TaskId.lead())?,
            ],
        };
        let kind = cursor.string(Field::Type.lead())?;
        let timestamp = cursor.string(Field::Timestamp.lead())?;
        let actor = cursor.string(Field::Actor.lead())?;
        let severity = cursor.string(Field::Severity.lead())?;
        let summary = match cursor.takes(Field::Summary.null()) {
            true => None,
            false => Some(cursor.string(Field::Summary.lead())?),
        };
        let data = cursor.value(Field::Data.lead(), data)?;
        let layout = Self {
            event_id,
            run_id,
            session_id,
            task_id,
            kind,
            actor,
            summary,
            data,
            correlation_id: cursor.string(Field::CorrelationId.lead()),
            parent_event_id: cursor.string(Field::ParentEventId.lead()),
            branch: cursor.string(Field::Branch.lead()),
            prev_hash: cursor.string(Field::PrevHash.lead()),
            sequence,
            timestamp: Timestamp::parse(text(line, timestamp)?)?,
            severity: Severity::parse(text(line, severity)?)?,
        };
        (cursor.takes("}") && cursor.at == line.len()).then_some((layout, known.is_some()))
    }

    /// Whether the fields are valid. With `same`, run, session and task equal those of a valid
    /// line. Texts need no check: the reader stops at a control character.
    fn is_valid(&self, line: &str, same: bool) -> bool {
        let is = |span: FieldSpan, rule: fn(&str) -> bool| text(line, span).is_some_and(rule);
        let id = |span: FieldSpan| is(span, |text| check_id("id", text).is_ok());
        let given = [Some(self.event_id), self.correlation_id, self.parent_event_id];
        (same || [self.run_id, self.session_id, self.task_id].into_iter().all(id))
            && given.into_iter().flatten().all(id)
            && is(self.kind, |text| check_type(text).is_ok())
            && self.prev_hash.is_none_or(|span| is(span, is_hash))
    }

    /// The event, borrowed from the same line.
    #[must_use]
    pub fn event<'l>(&self, line: &'l str) -> Option<Event<'l>> {
        let given =
            |span: Option<FieldSpan>| span.and_then(|span| text(line, span)).map(Into::into);
        Some(Event {
            event_id: text(line, self.event_id)?.into(),
            sequence: self.sequence,
            run_id: text(line, self.run_id)?.into(),
            session_id: text(line, self.session_id)?.into(),
            task_id: text(line, self.task_id)?.into(),
            kind: text(line, self.kind)?.into(),
            timestamp: self.timestamp,
            actor: text(line, self.actor)?.into(),
            severity: self.severity,
            summary: given(self.summary),
            data: Json::trusted(text(line, self.data)?),
            correlation_id: given(self.correlation_id),
            parent_event_id: given(self.parent_event_id),
            branch: given(self.branch),
            prev_hash: given(self.prev_hash),
            unknown: Vec::new(),
        })
    }

    /// The id of the event on the line.
    #[must_use]
    pub fn event_id<'l>(&self, line: &'l str) -> &'l str {
        text(line, self.event_id).unwrap_or_default()
    }

    /// The ids of run, session and task.
    #[must_use]
    pub fn shared_ids<'l>(&self, line: &'l str) -> [&'l str; 3] {
        [self.run_id, self.session_id, self.task_id]
            .map(|span| text(line, span).unwrap_or_default())
    }

    /// The type and the actor.
    #[must_use]
    pub fn kind_and_actor<'l>(&self, line: &'l str) -> [&'l str; 2] {
        [self.kind, self.actor].map(|span| text(line, span).unwrap_or_default())
    }

    /// The other given values: summary, payload, correlation, parent and branch; empty if missing.
    #[must_use]
    pub fn given<'l>(&self, line: &'l str) -> [&'l str; 5] {
        let [summary, data] = [self.summary, Some(self.data)];
        [summary, data, self.correlation_id, self.parent_event_id, self.branch]
            .map(|span| span.and_then(|span| text(line, span)).unwrap_or_default())
    }
}

/// The ids of run, session and task. Most lines share them with the previous line.
#[derive(Debug, Default)]
pub struct SharedIds {
    /// The three members as written, one after the other.
    text: String,
    /// The places of their values in `text`.
    places: [FieldSpan; 3],
    /// Whether the last two lines have the same ids.
    same: bool,
}

impl SharedIds {
    /// Whether the last line has the same ids as the line before it.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.same
    }

    /// The places of run, session and task if the line has the same ids; the cursor moves past
    /// them.
    #[inline(always)]
    fn places(&self, cursor: &mut Cursor<'_>) -> Option<[FieldSpan; 3]> {
        let rest = cursor.line.as_bytes().get(cursor.at..)?;
        if self.text.is_empty() || !rest.starts_with(self.text.as_bytes()) {
            return None;
        }
        let start = cursor.at as u32;
        cursor.at += self.text.len();
        Some(self.places.map(|(from, to)| (start + from, start + to)))
    }

    fn keep(&mut self, line: &str, layout: &Layout) {
        const LEAD: u32 = Field::RunId.lead().len() as u32;
        const QUOTE: u32 = 1;
        let start = layout.run_id.0 - LEAD;
        self.text.clear();
        self.text.push_str(text(line, (start, layout.task_id.1 + QUOTE)).unwrap_or_default());
        self.places = [layout.run_id, layout.session_id, layout.task_id]
            .map(|(from, to)| (from - start, to - start));
    }
}

fn text(line: &str, (from, to): FieldSpan) -> Option<&str> {
    line.get(from as usize..to as usize)
}

/// The length in bytes of the payload at the beginning of `rest`, checked.
fn checked_data(rest: &str) -> Option<usize> {
    let data = json::check_leading(rest, JsonRules::PAYLOAD).ok();
    data.filter(|data| data.is_object()).map(|data| data.text().len())
}

/// A position in a line.
struct Cursor<'l> {
    line: &'l str,
    at: usize,
}

impl Cursor<'_> {
    /// The rest after `lead`, if `lead` comes next.
    #[inline(always)]
    fn behind(&self, lead: &'static str) -> Option<&[u8]> {
        self.line.as_bytes().get(self.at..)?.strip_prefix(lead.as_bytes())
    }

    /// Moves past `lead`, if it comes next.
    #[inline(always)]
    fn takes(&mut self, lead: &'static str) -> bool {
        let there = self.behind(lead).is_some();
        self.at += if there { lead.len() } else { 0 };
        there
    }

    /// Moves past `lead`, `length` bytes and `close` more bytes; returns the span of the `length`
    /// bytes.
    #[inline(always)]
    fn pass(&mut self, lead: &'static str, length: usize, close: usize) -> FieldSpan {
        let from = self.at + lead.len();
        self.at = from + length + close;
        (from as u32, (from + length) as u32)
    }

    /// The string after `lead`, up to its closing quote; `None` if it has an escape.
    #[inline(always)]
    fn string(&mut self, lead: &'static str) -> Option<FieldSpan> {
        let rest = self.behind(lead)?;
        let length = json::plain_length(rest);
        (rest.get(length) == Some(&b'"')).then(|| self.pass(lead, length, 1))
    }

    /// The number after `lead`: digits without a leading zero.
    #[inline(always)]
    fn whole(&mut self, lead: &'static str) -> Option<u64> {
        let rest = self.behind(lead)?;
        let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let span = self.pass(lead, length, 0);
        let digits = text(self.line, span).filter(|digits| !digits.starts_with('0'))?;
        digits.parse().ok().filter(|number| *number <= MAX_SEQUENCE)
    }

    /// The value after `lead`.
    #[inline(always)]
    fn value(
        &mut self,
        lead: &'static str,
        length: impl FnOnce(&str) -> Option<usize>,
    ) -> Option<FieldSpan> {
        let rest = self.line.get(self.at..)?.strip_prefix(lead)?;
        let length = length(rest)?;
        Some(self.pass(lead, length, 0))
    }
}
