//! The events that need a model's summary, and their grouping into calls.

use std::collections::HashMap;
use std::ops::Range;

use crate::event::fields::View;
use crate::event::time::Timestamp;
use crate::fs::hash::{hex, sha256};
use crate::summary::backfill::backfilled;

/// An event that needs a model's summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wanting {
    /// The event's id.
    pub event_id: String,
    /// Its time.
    pub time: Timestamp,
    /// The byte offset of its line in the log.
    pub offset: u64,
}

/// The events of a run that need a model's summary, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct WantedSummaries {
    events: Vec<Option<Wanting>>,
    index: HashMap<String, usize>,
}

impl WantedSummaries {
    /// Takes the next event, whose line begins at byte `offset`. `is_wanting` says whether its type
    /// needs a model's summary.
    pub(crate) fn observe(&mut self, view: &View<'_, '_>, offset: u64, is_wanting: bool) {
        let event = view.event;
        if let Some((target, _)) = backfilled(view) {
            self.forget(&target);
        } else if is_wanting && event.summary.is_none() {
            let event_id = event.event_id.clone().into_owned();
            // An id that occurs twice in a damaged log is one event.
            if self.index.contains_key(&event_id) {
                return;
            }
            self.index.insert(event_id.clone(), self.events.len());
            self.events.push(Some(Wanting { event_id, time: event.timestamp, offset }));
        }
    }

    /// Removes an event that no longer needs a summary.
    fn forget(&mut self, event_id: &str) {
        if let Some(index) = self.index.remove(event_id) {
            self.events[index] = None;
        }
    }

    /// The events in the order of their times. Events with the same time are in the order of the
    /// log.
    #[must_use]
    pub(crate) fn events(&self) -> Vec<Wanting> {
        let mut events: Vec<Wanting> = self.events.iter().flatten().cloned().collect();
        events.sort_by_key(|event| event.time);
        events
    }

    /// Whether no event needs a summary.
    #[must_use]
    pub(crate) fn is_empty(&self) -> bool {
        self.index.is_empty()
    }
}

/// Groups events, sorted by time, into calls. Each call covers `window_ms` milliseconds from its
/// first event and has at most `most` events.
#[must_use]
pub(crate) fn calls(events: &[Wanting], window_ms: u64, most: usize) -> Vec<Range<usize>> {
    let mut calls: Vec<Range<usize>> = Vec::new();
    let mut first: Option<Timestamp> = None;
    for (index, event) in events.iter().enumerate() {
        let within =
            first.and_then(|first| event.time.since(first)).is_some_and(|since| since < window_ms);
        match calls.last_mut().filter(|call| within && call.len() < most) {
            Some(call) => call.end = index + 1,
            None => calls.push(index..index + 1),
        }
        if !within {
            first = Some(event.time);
        }
    }
    calls
}

/// The name of the call for those events.
#[must_use]
pub(crate) fn batch_id(events: &[Wanting]) -> String {
    let ids: Vec<&str> = events.iter().map(|event| event.event_id.as_str()).collect();
    format!("batch_{}", hex(&sha256(ids.join("\n").as_bytes())[..8]))
}
