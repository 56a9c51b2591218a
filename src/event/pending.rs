//! A draft as a line of the log, but for what the lock decides.

use super::catalogue;
use super::draft::{Defaults, Derived, Draft};
use super::envelope::{self, LineError, LineFault, MAX_LINE};
use super::json::escape_into;
use super::time::Timestamp;

/// A line that lacks only what the lock decides: its sequence, its time where none was
/// given, and the hash before it.
#[derive(Clone, Debug)]
pub struct Pending {
    /// The event's id.
    pub event_id: String,
    timestamp: Option<Timestamp>,
    text: String,
    /// Where the sequence goes in `text`.
    sequence_at: usize,
    /// Where the time goes.
    timestamp_at: usize,
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
        let summary = derived.summary.as_deref();
        let mut text = String::with_capacity(
            draft.data.len() + draft.unknown.len() + summary.map_or(0, str::len) + 500,
        );
        text.push_str("{\"event_id\":");
        escape_into(&event_id, &mut text);
        text.push_str(",\"sequence\":");
        let sequence_at = text.len();
        member("run_id", defaults.run_id, &mut text);
        let session_id = draft.session_id.as_deref().unwrap_or(defaults.session_id);
        member("session_id", session_id, &mut text);
        member("task_id", draft.task_id.as_deref().unwrap_or(defaults.task_id), &mut text);
        member("type", &draft.kind, &mut text);
        let timestamp_at = text.len();
        member("actor", actor, &mut text);
        member("severity", derived.severity.name(), &mut text);
        match summary {
            Some(summary) => member("summary", summary, &mut text),
            None => text.push_str(",\"summary\":null"),
        }
        text.push_str(",\"data\":");
        text.push_str(&draft.data);
        for (name, value) in [
            ("correlation_id", &draft.correlation_id),
            ("parent_event_id", &draft.parent_event_id),
            ("branch", &draft.branch),
        ] {
            if let Some(value) = value {
                member(name, value, &mut text);
            }
        }
        if !draft.unknown.is_empty() {
            text.push(',');
            text.push_str(&draft.unknown);
        }
        let timestamp = draft.timestamp;
        let pending = Self { event_id, timestamp, text, sequence_at, timestamp_at };
        let longest = pending.longest();
        if longest > MAX_LINE {
            return Err(LineError { offset: 0, fault: LineFault::TooLong(longest as u64) });
        }
        if !draft.proven {
            // Whatever was given: no line is written that a reader would refuse.
            let mut probe = Vec::with_capacity(longest);
            pending.write(1, "1970-01-01T00:00:00.000Z", None, &mut probe);
            envelope::parse(&probe).map_err(|mut faults| faults.swap_remove(0))?;
        }
        Ok(pending)
    }

    /// Bytes that the finished line has at most.
    #[must_use]
    pub fn longest(&self) -> usize {
        self.text.len() + 140
    }

    /// Appends the finished line, its newline included. `now` is the time where none was
    /// given, as it is written.
    pub fn write(&self, sequence: u64, now: &str, prev_hash: Option<&str>, out: &mut Vec<u8>) {
        let text = self.text.as_bytes();
        out.reserve(text.len() + 140);
        out.extend_from_slice(&text[..self.sequence_at]);
        out.extend_from_slice(sequence.to_string().as_bytes());
        out.extend_from_slice(&text[self.sequence_at..self.timestamp_at]);
        out.extend_from_slice(b",\"timestamp\":\"");
        match self.timestamp {
            Some(timestamp) => out.extend_from_slice(timestamp.to_string().as_bytes()),
            None => out.extend_from_slice(now.as_bytes()),
        }
        out.push(b'"');
        out.extend_from_slice(&text[self.timestamp_at..]);
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
