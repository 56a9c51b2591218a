//! Finds calls by their ids. `R/tc1` and `tc1` may be the same call; `R/tc1` and `S/tc1` never are.

use std::hash::BuildHasher as _;

use foldhash::quality::RandomState;
use hashbrown::hash_table::Entry;

use super::block_list::BlockList;
use super::gradual_map::GradualMap;
use super::gradual_table::GradualTable;
use super::known_calls::number;

/// The calls by their ids. Of each id, only hashes are kept: in 15 bytes per call, and in 26 as soon
/// as there are ids with prefixes.
///
/// All calls whose ids have the same last segment form a chain, the newest first. Few chains have
/// more than one call. A chain of more than [`NEAR`] calls is too long to be searched from its head:
/// its calls are in a table of their own.
#[derive(Clone, Debug, Default)]
pub(super) struct CallIds {
    /// The hash of the last segment of each call's id.
    lasts: BlockList<ShortHash>,
    /// The link of each call; empty as long as no id has a prefix.
    links: BlockList<Link>,
    /// The newest call of each last segment.
    heads: GradualTable<u32>,
    /// The calls of long chains, by their whole ids.
    crowded: GradualTable<u32>,
    /// By last segments: the prefix that refers to the call whose id is the segment alone.
    claims: GradualMap<ShortHash>,
    hasher: RandomState,
}

/// Stands for no call.
const NO_CALL: u32 = u32::MAX;
/// In place of an older call: the call is no longer in its chain.
const UNLINKED: u32 = u32::MAX - 1;
/// The number of calls of a chain that are looked at one after the other.
const NEAR: usize = 8;

/// A call in its chain.
#[derive(Clone, Copy, Debug)]
struct Link {
    /// The hash of the id's prefix; 0 if it has none.
    prefix: ShortHash,
    /// The next older call.
    older: [u8; 4],
}

impl Link {
    fn new(prefix: ShortHash, older: u32) -> Self {
        Self { prefix, older: older.to_le_bytes() }
    }

    fn older(&self) -> u32 {
        u32::from_le_bytes(self.older)
    }
}

/// The upper 56 bits of a hash, without alignment. Among a million ids, two have the same in one of
/// 140,000 processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ShortHash([u8; 7]);

impl ShortHash {
    const NONE: Self = Self([0; 7]);

    fn of(hash: u64) -> Self {
        let [_, kept @ ..] = hash.to_le_bytes();
        Self(kept)
    }

    fn whole(self) -> u64 {
        let [a, b, c, d, e, f, g] = self.0;
        u64::from_le_bytes([0, a, b, c, d, e, f, g])
    }
}

/// The hashes of an id's last segment and of the prefix before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CallId {
    last: u64,
    /// 0 if there is no prefix.
    prefix: u64,
}

impl CallId {
    /// The id that is the last segment alone.
    fn bare(self) -> Self {
        Self { prefix: 0, ..self }
    }
}

impl CallIds {
    /// The hashes of an id.
    pub(super) fn id(&self, id: &str) -> CallId {
        let hash = |text: &str| ShortHash::of(self.hasher.hash_one(text)).whole();
        match memchr::memrchr(b'/', id.as_bytes()) {
            None => CallId { last: hash(id), prefix: 0 },
            // A prefix is never 0.
            Some(slash) => {
                CallId { last: hash(&id[slash + 1..]), prefix: hash(&id[..slash]) | 1 << 8 }
            }
        }
    }

    /// The call with that id. A bare id also matches a prefixed call, preferably the newest open
    /// one. A prefixed id also matches a bare call that no other prefix has claimed.
    pub(super) fn find(&mut self, id: CallId, open: impl Fn(usize) -> bool) -> Option<usize> {
        if let Some(call) = self.exact(id).or_else(|| self.claimed(id)) {
            return Some(call);
        }
        if id.prefix == 0 {
            let call = self.newest_open(id.last, open)?;
            self.claims.insert(id.last, ShortHash::of(self.id_of(call).prefix));
            return Some(call);
        }
        let call = self.unclaimed(id)?;
        self.claims.insert(id.last, ShortHash::of(id.prefix));
        Some(call)
    }

    /// Adds the next call, with an id that no call has.
    pub(super) fn add(&mut self, id: CallId) {
        let call = number(self.lasts.len());
        self.lasts.push(ShortHash::of(id.last));
        let mut older = NO_CALL;
        let Self { lasts, heads, .. } = self;
        let last = |call: &u32| lasts[*call as usize].whole();
        match heads.entry(id.last, |head| last(head) == id.last, last) {
            Entry::Vacant(vacant) => drop(vacant.insert(call)),
            Entry::Occupied(mut head) => {
                older = std::mem::replace(head.get_mut(), call);
            }
        }
        if self.links.is_empty() && id.prefix == 0 {
            return;
        }
        // Until now, every call was the only one of its segment.
        while self.links.len() < call as usize {
            self.links.push(Link::new(ShortHash::NONE, NO_CALL));
        }
        self.links.push(Link::new(ShortHash::of(id.prefix), older));
        self.note_crowd(call);
    }

    /// Records that a call starts, perhaps again.
    pub(super) fn start(&mut self, call: usize) {
        if self.links.get(call).is_none_or(|link| link.older() != UNLINKED) {
            return;
        }
        let Some(head) = self.head(self.lasts[call].whole()) else { return };
        let older = std::mem::replace(&mut self.links[head].older, number(call).to_le_bytes());
        self.links[call].older = older;
        self.note_crowd(number(head));
    }

    /// The call with that id, if known.
    pub(super) fn named(&self, id: &str) -> Option<usize> {
        let id = self.id(id);
        self.exact(id).or_else(|| self.claimed(id)).or_else(|| match id.prefix {
            0 => self.head(id.last),
            _ => self.unclaimed(id),
        })
    }

    /// Whether a call was seen under two ids: a bare one and one with a prefix.
    pub(super) fn has_two_forms(&self, call: usize) -> bool {
        let id = self.id_of(call);
        let claim = self.claims.get(id.last).map(ShortHash::whole);
        claim.is_some_and(|prefix| id.prefix == 0 || id.prefix == prefix)
    }

    /// The call with exactly that id.
    fn exact(&self, id: CallId) -> Option<usize> {
        let near = self.chain(id.last).take(NEAR).find(|call| self.id_of(*call) == id);
        near.or_else(|| {
            if self.crowded.is_empty() {
                return None;
            }
            let same = |call: &u32| self.id_of(*call as usize) == id;
            self.crowded.find(self.whole(id), same).map(|call| *call as usize)
        })
    }

    /// The bare call that a prefixed id has claimed.
    fn claimed(&self, id: CallId) -> Option<usize> {
        let by = self.claims.get(id.last)?;
        (by.whole() == id.prefix).then(|| self.exact(id.bare()))?
    }

    /// The bare call that a prefixed id may claim.
    fn unclaimed(&self, id: CallId) -> Option<usize> {
        self.claims.get(id.last).is_none().then(|| self.exact(id.bare()))?
    }

    /// The newest open call with that last segment, else the newest call. Closed calls of long
    /// chains are dropped on the way, so that no search is long twice.
    fn newest_open(&mut self, last: u64, open: impl Fn(usize) -> bool) -> Option<usize> {
        let newest = self.head(last)?;
        let mut at = newest;
        while !open(at) {
            let older = self.older(at);
            let Some(next) = older else { return Some(newest) };
            if open(next) || !self.is_crowded(next) {
                at = next;
                continue;
            }
            self.links[at].older = self.links[next].older;
            self.links[next].older = UNLINKED.to_le_bytes();
        }
        Some(at)
    }

    /// The calls with that last segment, the newest first.
    fn chain(&self, last: u64) -> impl Iterator<Item = usize> {
        std::iter::successors(self.head(last), |call| self.older(*call))
    }

    fn head(&self, last: u64) -> Option<usize> {
        let same = |head: &u32| self.lasts[*head as usize].whole() == last;
        self.heads.find(last, same).map(|head| *head as usize)
    }

    fn older(&self, call: usize) -> Option<usize> {
        let older = self.links.get(call)?.older();
        (older < UNLINKED).then_some(older as usize)
    }

    fn id_of(&self, call: usize) -> CallId {
        let prefix = self.links.get(call).map_or(0, |link| link.prefix.whole());
        CallId { last: self.lasts[call].whole(), prefix }
    }

    /// Puts the calls at the head of a long chain into the table. Those farther down are in it,
    /// because each of them was at the head before.
    fn note_crowd(&mut self, head: u32) {
        let mut near = [head as usize; NEAR + 1];
        for at in 1..near.len() {
            let Some(older) = self.older(near[at - 1]) else { return };
            near[at] = older;
        }
        for call in near {
            let whole = self.whole(self.id_of(call));
            let Self { lasts, links, crowded, hasher, .. } = self;
            let whole_of = |call: &u32| {
                let call = *call as usize;
                hasher.hash_one((lasts[call].whole(), links[call].prefix.whole()))
            };
            crowded.entry(whole, |known| *known as usize == call, whole_of).or_insert(number(call));
        }
    }

    fn is_crowded(&self, call: usize) -> bool {
        let whole = self.whole(self.id_of(call));
        self.crowded.find(whole, |known| *known as usize == call).is_some()
    }

    fn whole(&self, id: CallId) -> u64 {
        self.hasher.hash_one((id.last, id.prefix))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If this fails, an end with an id of its own ends another call, or the search for the open
    /// one among many calls with the same last segment finds a closed one.
    #[test]
    fn long_chains_are_searched_like_short_ones() {
        for many in [1, 5, 8, 9, 30, 300] {
            let mut ids = CallIds::default();
            for call in 0..many {
                let id = ids.id(&format!("R{call}/tc1"));
                assert_eq!(ids.find(id, |_| true), None);
                ids.add(id);
                ids.start(call);
            }
            let mut open = vec![true; many];
            for call in (0..many).rev() {
                let bare = ids.id("tc1");
                assert_eq!(ids.find(bare, |call| open[call]), Some(call), "of {many}");
                open[call] = false;
            }
            // None is open: the newest call is meant.
            let bare = ids.id("tc1");
            assert_eq!(ids.find(bare, |call| open[call]), Some(many - 1));
            for call in 0..many {
                assert_eq!(ids.named(&format!("R{call}/tc1")), Some(call), "of {many}");
            }
            // One starts again: it is the open one.
            open[many / 2] = true;
            ids.start(many / 2);
            assert_eq!(ids.find(bare, |call| open[call]), Some(many / 2), "of {many}");
        }
    }

    /// If this fails, two runs of agents share a call because its ids end alike.
    #[test]
    fn a_bare_call_belongs_to_one_prefix() {
        let mut ids = CallIds::default();
        let [bare, first, second] = ["tc1", "R/tc1", "S/tc1"].map(|id| ids.id(id));
        ids.add(bare);
        assert_eq!(ids.find(first, |_| true), Some(0));
        assert_eq!(ids.find(second, |_| true), None);
        ids.add(second);
        assert_eq!(ids.find(first, |_| true), Some(0));
        assert_eq!(ids.find(second, |_| true), Some(1));
        assert_eq!(ids.find(bare, |_| true), Some(0));
        assert_eq!((ids.named("R/tc1"), ids.named("T/tc1")), (Some(0), None));
    }
}
