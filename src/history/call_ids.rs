//! Finds calls by their ids. `R/tc1` and `tc1` may be the same call; `R/tc1` and `S/tc1` never are.

use foldhash::HashMap;

use super::names::{InternedName, Names};

/// The calls by their ids.
#[derive(Clone, Debug, Default)]
pub(super) struct CallIds {
    /// The whole ids and their last segments.
    names: Names,
    /// The call with each name, [`NO_CALL`] if there is none.
    calls: Vec<u32>,
    /// Calls with prefixed ids, by their last segments.
    prefixed: HashMap<InternedName, Prefixed>,
}

/// Stands for no call.
const NO_CALL: u32 = u32::MAX;

/// Calls whose prefixed ids have the same last segment.
#[derive(Clone, Debug)]
struct Prefixed {
    /// The newest call.
    newest: u32,
    /// The call that started last; [`NO_CALL`] if none started.
    started: u32,
    /// Calls that started before it, in order. Closed ones are dropped when they are found.
    before: Vec<u32>,
    /// Whether one of the prefixes refers to the call whose id is the segment alone.
    names_bare: bool,
}

impl Default for Prefixed {
    fn default() -> Self {
        Self { newest: NO_CALL, started: NO_CALL, before: Vec::new(), names_bare: false }
    }
}

/// An id whose last segment has a number.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallId<'i> {
    whole: &'i str,
    is_prefixed: bool,
    last: InternedName,
}

impl CallIds {
    /// Splits an id and registers its last segment.
    pub(super) fn split<'i>(&mut self, whole: &'i str) -> CallId<'i> {
        let last = last_segment(whole);
        CallId { whole, is_prefixed: last.len() < whole.len(), last: self.names.get(last) }
    }

    /// The call with that id. A bare id also matches a prefixed call, preferably the newest open
    /// one. A prefixed id also matches a bare call that no other prefix has claimed.
    pub(super) fn find(&mut self, id: CallId<'_>, open: impl Fn(usize) -> bool) -> Option<usize> {
        let bare = self.call(id.last);
        if !id.is_prefixed {
            return bare.or_else(|| Some(self.prefixed.get_mut(&id.last)?.newest_open(open)));
        }
        let known = self.names.known(id.whole).and_then(|whole| self.call(whole));
        if known.is_some() {
            return known;
        }
        let claimed = |prefixed: &Prefixed| prefixed.names_bare;
        let call = bare.filter(|_| !self.prefixed.get(&id.last).is_some_and(claimed))?;
        self.prefixed.entry(id.last).or_default().names_bare = true;
        let whole = self.names.get(id.whole);
        self.set(whole, call);
        Some(call)
    }

    /// Adds a call. Returns its name.
    pub(super) fn add(&mut self, id: CallId<'_>, call: usize) -> InternedName {
        let name = if id.is_prefixed { self.names.get(id.whole) } else { id.last };
        self.set(name, call);
        if id.is_prefixed {
            self.prefixed.entry(id.last).or_default().newest = number(call);
        }
        name
    }

    /// Records that a call started.
    pub(super) fn start(&mut self, id: CallId<'_>, call: usize) {
        if id.is_prefixed {
            let prefixed = self.prefixed.entry(id.last).or_default();
            if prefixed.started != NO_CALL {
                prefixed.before.push(prefixed.started);
            }
            prefixed.started = number(call);
        }
    }

    /// The call with that id, if known.
    pub(super) fn named(&self, id: &str) -> Option<usize> {
        let last = last_segment(id);
        let segment = self.names.known(last)?;
        let (bare, prefixed) = (self.call(segment), self.prefixed.get(&segment));
        if last.len() == id.len() {
            let newest = prefixed.map(|prefixed| prefixed.newest).filter(|call| *call != NO_CALL);
            return bare.or(newest.map(|call| call as usize));
        }
        let whole = self.names.known(id).and_then(|whole| self.call(whole));
        whole.or(bare.filter(|_| !prefixed.is_some_and(|known| known.names_bare)))
    }

    /// The id with that name.
    pub(super) fn text(&self, name: InternedName) -> &str {
        self.names.text(name)
    }

    fn call(&self, name: InternedName) -> Option<usize> {
        let call = self.calls.get(name.index()).filter(|call| **call != NO_CALL)?;
        Some(*call as usize)
    }

    fn set(&mut self, name: InternedName, call: usize) {
        if self.calls.len() <= name.index() {
            self.calls.resize(name.index() + 1, NO_CALL);
        }
        self.calls[name.index()] = number(call);
    }
}

impl Prefixed {
    /// The open call that started last, else the newest call.
    fn newest_open(&mut self, open: impl Fn(usize) -> bool) -> usize {
        while self.started != NO_CALL && !open(self.started as usize) {
            self.started = self.before.pop().unwrap_or(NO_CALL);
        }
        let call = if self.started == NO_CALL { self.newest } else { self.started };
        call as usize
    }
}

/// The last segment of an id: all of it if it has no slash.
fn last_segment(id: &str) -> &str {
    memchr::memrchr(b'/', id.as_bytes()).map_or(id, |slash| &id[slash + 1..])
}

/// The index of a call as it is kept. No log has as many calls as there are numbers.
fn number(call: usize) -> u32 {
    u32::try_from(call).unwrap_or(NO_CALL)
}
