//! Parents that form a cycle: an event that is its own ancestor.
//!
//! A cycle has at least one event whose parent comes later in the log. Only the events whose chain
//! of parents leads to such a later event are kept, so an ordinary log costs nothing.

use foldhash::HashMap;

use super::ids::{IdKey, Ids};

/// At most this many events are kept, so that a hostile log cannot fill the memory.
const MOST: usize = 1 << 18;

/// Finds the cycles.
#[derive(Debug, Default)]
pub(super) struct ParentCycles {
    /// The events whose chain leads to an id that the log did not have, and that id.
    waiting: HashMap<IdKey, IdKey>,
    /// Those ids.
    awaited: HashMap<IdKey, Chain>,
}

/// Where the chain of parents of an awaited event leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Chain {
    /// The event is not in the log yet.
    Missing,
    /// To an event without a parent.
    Ends,
    /// To another awaited event.
    LeadsTo(IdKey),
}

impl ParentCycles {
    /// Takes an event and its parent. True if the chain of its parents leads back to it.
    pub(super) fn closes(&mut self, event: &str, parent: Option<&str>, ids: &Ids) -> bool {
        if self.awaited.is_empty() && parent.is_none() {
            return false;
        }
        let event = ids.key_of(event);
        let next = parent.and_then(|parent| {
            let key = ids.key_of(parent);
            if ids.holds(parent) && key != event { self.end_of(key) } else { Some(key) }
        });
        let closes = next == Some(event);
        let next = next.filter(|_| !closes);
        if let Some(chain) = self.awaited.get_mut(&event) {
            *chain = next.map_or(Chain::Ends, Chain::LeadsTo);
        }
        if let Some(next) = next.filter(|_| self.waiting.len() < MOST) {
            self.waiting.insert(event, next);
            self.awaited.entry(next).or_insert(Chain::Missing);
        }
        closes
    }

    /// The id that the log does not have yet to which the chain of an event leads.
    fn end_of(&mut self, event: IdKey) -> Option<IdKey> {
        let first = *self.waiting.get(&event)?;
        let mut last = Some(first);
        while let Some(Chain::LeadsTo(next)) = last.and_then(|key| self.awaited.get(&key)) {
            last = Some(*next);
        }
        last = last.filter(|key| self.awaited.get(key) == Some(&Chain::Missing));
        // The next look at any event of this chain takes one step.
        let short = last.map_or(Chain::Ends, Chain::LeadsTo);
        let mut at = first;
        while let Some(Chain::LeadsTo(next)) = self.awaited.insert(at, short) {
            at = next;
        }
        if let Some(last) = last {
            self.awaited.insert(last, Chain::Missing);
        }
        last
    }
}
