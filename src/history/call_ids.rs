//! Finds calls by their ids. `R/tc1` and `tc1` may be the same call; `R/tc1` and `S/tc1` never are.

use std::hash::BuildHasher as _;

use foldhash::HashMap;
use foldhash::quality::RandomState;

use super::gradual_map::GradualMap;

/// The calls by their ids. Of each id, only a hash is kept.
#[derive(Clone, Debug, Default)]
pub(super) struct CallIds {
    /// The calls by their whole ids.
    calls: GradualMap<u32>,
    /// Calls with prefixed ids, by the last segments.
    prefixed: GradualMap<Prefixed>,
    /// By the last segments: calls that started before the last one, in order. Closed ones are
    /// dropped when they are found. Few segments have more than one call.
    before: HashMap<u64, Vec<u32>>,
    hasher: RandomState,
}

/// Stands for no call.
const NO_CALL: u32 = u32::MAX;

/// Calls whose prefixed ids have the same last segment.
#[derive(Clone, Copy, Debug)]
struct Prefixed {
    /// The newest call.
    newest: u32,
    /// The call that started last; [`NO_CALL`] if none started.
    started: u32,
    /// Whether one of the prefixes refers to the call whose id is the segment alone.
    names_bare: bool,
}

impl Default for Prefixed {
    fn default() -> Self {
        Self { newest: NO_CALL, started: NO_CALL, names_bare: false }
    }
}

/// The hashes of an id and of its last segment. They are equal if the id has no prefix.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallId {
    whole: u64,
    last: u64,
}

impl CallId {
    fn is_prefixed(self) -> bool {
        self.whole != self.last
    }
}

impl CallIds {
    /// The hashes of an id.
    pub(super) fn id(&self, id: &str) -> CallId {
        let whole = self.hasher.hash_one(id);
        let slash = memchr::memrchr(b'/', id.as_bytes());
        CallId { whole, last: slash.map_or(whole, |slash| self.hasher.hash_one(&id[slash + 1..])) }
    }

    /// The call with that id. A bare id also matches a prefixed call, preferably the newest open
    /// one. A prefixed id also matches a bare call that no other prefix has claimed.
    pub(super) fn find(&mut self, id: CallId, open: impl Fn(usize) -> bool) -> Option<usize> {
        if let Some(call) = self.calls.get(id.whole) {
            return Some(call as usize);
        }
        if !id.is_prefixed() {
            return self.newest_open(id.last, open);
        }
        let call = self.unclaimed(id)?;
        self.prefixed.insert(id.last, Prefixed::default()).0.names_bare = true;
        self.calls.insert(id.whole, call);
        Some(call as usize)
    }

    /// Adds a call with an id that no call has.
    pub(super) fn add(&mut self, id: CallId, call: usize) {
        self.calls.insert(id.whole, number(call));
        if id.is_prefixed() {
            self.prefixed.insert(id.last, Prefixed::default()).0.newest = number(call);
        }
    }

    /// Records that a call started.
    pub(super) fn start(&mut self, id: CallId, call: usize) {
        if id.is_prefixed() {
            let (prefixed, _) = self.prefixed.insert(id.last, Prefixed::default());
            if prefixed.started != NO_CALL {
                self.before.entry(id.last).or_default().push(prefixed.started);
            }
            prefixed.started = number(call);
        }
    }

    /// The call with that id, if known.
    pub(super) fn named(&self, id: &str) -> Option<usize> {
        let id = self.id(id);
        let known = self.calls.get(id.whole).or_else(|| match id.is_prefixed() {
            true => self.unclaimed(id),
            false => Some(self.prefixed.get(id.last)?.newest).filter(|call| *call != NO_CALL),
        });
        known.map(|call| call as usize)
    }

    /// The open call with that last segment that started last, else the newest call.
    fn newest_open(&mut self, last: u64, open: impl Fn(usize) -> bool) -> Option<usize> {
        let prefixed = self.prefixed.get_mut(last)?;
        while prefixed.started != NO_CALL && !open(prefixed.started as usize) {
            let before = self.before.get_mut(&last).and_then(Vec::pop);
            prefixed.started = before.unwrap_or(NO_CALL);
        }
        let call = if prefixed.started == NO_CALL { prefixed.newest } else { prefixed.started };
        Some(call as usize)
    }

    /// The call whose id is the last segment alone, unless a prefix has claimed it.
    fn unclaimed(&self, id: CallId) -> Option<u32> {
        let is_claimed = self.prefixed.get(id.last).is_some_and(|prefixed| prefixed.names_bare);
        self.calls.get(id.last).filter(|_| !is_claimed)
    }
}

/// The index of a call as it is kept. No log has as many calls as there are numbers.
fn number(call: usize) -> u32 {
    u32::try_from(call).unwrap_or(NO_CALL)
}
