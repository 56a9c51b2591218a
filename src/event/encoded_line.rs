//! A draft as a line of the log, complete except for the values decided under the lock.

use std::io::Write as _;
use std::ops::Range;

use super::catalogue;
use super::draft::{Defaults, Derived, Draft};
use super::envelope::{self, LineError, LineFault, MAX_LINE};
use super::id::EventId;
use super::schema::Field;
use super::time::Timestamp;
use crate::json::{MemberPlaces, escape_into};

/// A line that lacks only the values decided under the lock: its sequence, the previous hash, and
/// its time if none was given.
#[derive(Clone, Debug)]
pub struct EncodedLine {
    /// The event's id.
    pub event_id: EventId,
    timestamp: Option<Timestamp>,
    /// The range of its text in the shared text.
    text: Range<usize>,
    /// The place of the sequence in the shared text.
    sequence_at: usize,
    /// The place of the time in the shared text.
    timestamp_at: usize,
}

impl EncodedLine {
    /// Fills in the defaults and appends the text to `texts`. `payload` has the places of the
    /// payload's members; `None` if the payload was not checked.
    ///
    /// # Errors
    /// The line is over its limit, or a reader would reject it.
    pub fn new(
        draft: &Draft<'_>,
        derived: &Derived,
        payload: Option<&MemberPlaces>,
        event_id: EventId,
        defaults: &Defaults<'_>,
        texts: &mut String,
    ) -> Result<Self, LineError> {
        let start = texts.len();
        let row = catalogue::row(&draft.kind);
        let actor = draft.actor.as_deref().or(row.map(|row| row.actor)).unwrap_or("runtime");
        let summary = derived.summary.as_deref();
        let mut text = Text(texts);
        text.member(Field::EventId, event_id.as_str());
        text.push(Field::Sequence.lead());
        let sequence_at = text.0.len();
        text.member(Field::RunId, defaults.run_id);
        let session_id = draft.session_id.as_deref().unwrap_or(defaults.session_id);
        text.member(Field::SessionId, session_id);
        text.member(Field::TaskId, draft.task_id.as_deref().unwrap_or(defaults.task_id));
        text.member(Field::Type, &draft.kind);
        let timestamp_at = text.0.len();
        text.member(Field::Actor, actor);
        text.member(Field::Severity, derived.severity.name());
        match summary {
            Some(summary) => text.member(Field::Summary, summary),
            None => text.push(Field::Summary.null()),
        }
        text.push(Field::Data.lead());
        let data_at = text.0.len();
        text.push(&draft.data);
        let data = data_at..text.0.len();
        for (field, value) in [
            (Field::CorrelationId, draft.correlation_id.as_deref()),
            (Field::ParentEventId, draft.parent_event_id.as_deref().or(defaults.parent_event_id)),
            (Field::Branch, draft.branch.as_deref()),
        ] {
            if let Some(value) = value {
                text.member(field, value);
            }
        }
        if !draft.unknown.is_empty() {
            text.push(",");
            text.push(&draft.unknown);
        }
        let timestamp = draft.timestamp;
        let text = start..texts.len();
        let pending = Self { event_id, timestamp, text, sequence_at, timestamp_at };
        let longest = pending.longest();
        if longest > MAX_LINE {
            texts.truncate(start);
            return Err(LineError { offset: 0, fault: LineFault::TooLong(longest as u64) });
        }
        if !draft.validated {
            // Never write a line that a reader would reject.
            // A payload of another length was changed after it was checked.
            let is_checked = payload.is_some_and(|places| places.length() == data.len());
            let is_valid = is_checked && pending.is_valid_around(data, texts);
            if !is_valid && let Err(mut faults) = envelope::parse(&pending.probe(texts)) {
                texts.truncate(start);
                return Err(faults.swap_remove(0));
            }
        }
        Ok(pending)
    }

    /// Whether the line is valid, given a valid payload at `data` in `texts`.
    fn is_valid_around(&self, data: Range<usize>, texts: &str) -> bool {
        const EMPTY: &str = "{}";
        let Range { start, end } = self.text;
        let around = [&texts[start..data.start], EMPTY, &texts[data.end..end]].concat();
        let line = Self {
            event_id: self.event_id.clone(),
            text: 0..around.len(),
            sequence_at: self.sequence_at - start,
            timestamp_at: self.timestamp_at - start,
            ..*self
        };
        envelope::check_around(&line.probe(&around), EMPTY.len()).is_ok()
    }

    /// The finished line with some sequence and time, to check it.
    fn probe(&self, texts: &str) -> Vec<u8> {
        let mut probe = Vec::with_capacity(self.longest());
        self.write(texts, 1, "1970-01-01T00:00:00.000Z", None, &mut probe);
        probe
    }

    /// The maximum length of the finished line in bytes: its text, the sequence (20), the time with
    /// its name (40), the hash with its name (79) and the newline.
    #[must_use]
    pub fn longest(&self) -> usize {
        self.text.len() + 140
    }

    /// Appends the finished line and its newline to `out`. `texts` is the shared text. `now` is the
    /// formatted time to use if none was given.
    pub fn write(
        &self,
        texts: &str,
        sequence: u64,
        now: &str,
        prev_hash: Option<&str>,
        out: &mut Vec<u8>,
    ) {
        let texts = texts.as_bytes();
        let (start, end) = (self.text.start, self.text.end);
        out.reserve(self.longest());
        out.extend_from_slice(&texts[start..self.sequence_at]);
        // Writing into a vector cannot fail.
        let _ = write!(out, "{sequence}");
        out.extend_from_slice(&texts[self.sequence_at..self.timestamp_at]);
        out.extend_from_slice(Field::Timestamp.lead().as_bytes());
        match self.timestamp {
            Some(timestamp) => drop(write!(out, "{timestamp}")),
            None => out.extend_from_slice(now.as_bytes()),
        }
        out.push(b'"');
        out.extend_from_slice(&texts[self.timestamp_at..end]);
        if let Some(hash) = prev_hash {
            out.extend_from_slice(Field::PrevHash.lead().as_bytes());
            out.extend_from_slice(hash.as_bytes());
            out.push(b'"');
        }
        out.extend_from_slice(b"}\n");
    }
}

/// Appends JSON to existing text.
struct Text<'t>(&'t mut String);

impl Text<'_> {
    fn push(&mut self, text: &str) {
        self.0.push_str(text);
    }

    /// A field whose value is a string.
    fn member(&mut self, field: Field, value: &str) {
        // The lead ends with a quote, but `escape_into` writes that quote.
        let lead = field.lead();
        self.push(lead.strip_suffix('"').unwrap_or(lead));
        escape_into(value, self.0);
    }
}
