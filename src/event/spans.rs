//! Where the fields of an event lie in its line: an event that was read in one thread is put
//! together again in another, without reading it a second time.

use std::borrow::Cow;

use super::envelope::{Event, Severity};
use super::json::Json;
use super::time::Timestamp;

/// Byte offsets of a field in a line, from and to.
type Span = (u32, u32);

/// The fields of an event, by their places in its line.
#[derive(Clone, Copy, Debug)]
pub struct Spans {
    required: [Span; 6],
    data: Span,
    optional: [Option<Span>; 5],
    sequence: u64,
    timestamp: Timestamp,
    severity: Severity,
}

impl Spans {
    /// Of an event that was read from this line. `None` when a field does not stand there as
    /// it is read (it holds escapes), or when there are unknown fields.
    #[must_use]
    pub fn of(event: &Event<'_>, line: &[u8]) -> Option<Self> {
        let span = |text: &str| {
            let from = (text.as_ptr() as usize).checked_sub(line.as_ptr() as usize)?;
            let to = from.checked_add(text.len()).filter(|to| *to <= line.len())?;
            Some((u32::try_from(from).ok()?, u32::try_from(to).ok()?))
        };
        let borrowed = |text: &Cow<'_, str>| match text {
            Cow::Borrowed(text) => span(text),
            Cow::Owned(_) => None,
        };
        let required = [
            &event.event_id,
            &event.run_id,
            &event.session_id,
            &event.task_id,
            &event.kind,
            &event.actor,
        ];
        let optional = [
            &event.summary,
            &event.correlation_id,
            &event.parent_event_id,
            &event.branch,
            &event.prev_hash,
        ];
        let mut spans = Self {
            required: [(0, 0); 6],
            data: span(event.data.text())?,
            optional: [None; 5],
            sequence: event.sequence,
            timestamp: event.timestamp,
            severity: event.severity,
        };
        for (place, text) in spans.required.iter_mut().zip(required) {
            *place = borrowed(text)?;
        }
        for (place, text) in spans.optional.iter_mut().zip(optional) {
            if let Some(text) = text {
                *place = Some(borrowed(text)?);
            }
        }
        event.unknown.is_empty().then_some(spans)
    }

    /// The event, from the same line.
    #[must_use]
    pub fn event<'l>(&self, line: &'l str) -> Option<Event<'l>> {
        let text = |(from, to): Span| line.get(from as usize..to as usize);
        let [event_id, run_id, session_id, task_id, kind, actor] = self.required;
        let [summary, correlation_id, parent_event_id, branch, prev_hash] =
            self.optional.map(|span| span.and_then(text).map(Cow::Borrowed));
        Some(Event {
            event_id: text(event_id)?.into(),
            sequence: self.sequence,
            run_id: text(run_id)?.into(),
            session_id: text(session_id)?.into(),
            task_id: text(task_id)?.into(),
            kind: text(kind)?.into(),
            timestamp: self.timestamp,
            actor: text(actor)?.into(),
            severity: self.severity,
            summary,
            data: Json::trusted(text(self.data)?),
            correlation_id,
            parent_event_id,
            branch,
            prev_hash,
            unknown: Vec::new(),
        })
    }
}
