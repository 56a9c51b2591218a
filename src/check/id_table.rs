//! A table of hashed ids, each with a mark, that stays small while it grows.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::ids::SummaryMark;

/// Number of parts. They have different sizes, each 2^(1/16) times the one before. So they grow one
/// after the other, and the whole table never doubles at once: about 22 bytes per id.
const PARTS: usize = 16;

/// An id, as its hash in two halves (which need no alignment to 8 bytes), and its mark.
#[derive(Clone, Copy, Debug)]
struct Slot {
    hash: [u32; 2],
    mark: Option<SummaryMark>,
}

/// Hashed ids with their marks. The hashes must be hard to choose for whoever chooses the ids.
#[derive(Debug)]
pub(super) struct IdTable {
    parts: [HashTable<Slot>; PARTS],
    /// The greatest upper half of a hash in each part.
    bounds: [u32; PARTS],
}

impl Default for IdTable {
    fn default() -> Self {
        let weight = |part: usize| f64::exp2(part as f64 / PARTS as f64);
        let all: f64 = (0..PARTS).map(weight).sum();
        let bound = |part: usize| {
            let share: f64 = (0..=part).map(weight).sum::<f64>() / all;
            (share * f64::from(u32::MAX)) as u32
        };
        let mut bounds: [u32; PARTS] = std::array::from_fn(bound);
        bounds[PARTS - 1] = u32::MAX;
        Self { parts: std::array::from_fn(|_| HashTable::new()), bounds }
    }
}

impl IdTable {
    /// Inserts an id. Returns false if it was there already.
    pub(super) fn insert(&mut self, hash: u64) -> bool {
        let part = self.part(hash);
        let same = |slot: &Slot| slot.hash == halves(hash);
        match self.parts[part].entry(spread(hash), same, |slot| spread(whole(slot.hash))) {
            Entry::Occupied(_) => false,
            Entry::Vacant(vacant) => {
                vacant.insert(Slot { hash: halves(hash), mark: None });
                true
            }
        }
    }

    pub(super) fn holds(&self, hash: u64) -> bool {
        self.find(hash).is_some()
    }

    /// Marks an id that was inserted.
    pub(super) fn mark(&mut self, hash: u64, mark: SummaryMark) {
        let part = self.part(hash);
        let same = |slot: &Slot| slot.hash == halves(hash);
        if let Some(slot) = self.parts[part].find_mut(spread(hash), same) {
            slot.mark = Some(mark);
        }
    }

    pub(super) fn mark_of(&self, hash: u64) -> Option<SummaryMark> {
        self.find(hash)?.mark
    }

    fn find(&self, hash: u64) -> Option<&Slot> {
        self.parts[self.part(hash)].find(spread(hash), |slot| slot.hash == halves(hash))
    }

    fn part(&self, hash: u64) -> usize {
        self.bounds.partition_point(|bound| *bound < halves(hash)[0]).min(PARTS - 1)
    }
}

fn halves(hash: u64) -> [u32; 2] {
    [(hash >> 32) as u32, hash as u32]
}

fn whole([upper, lower]: [u32; 2]) -> u64 {
    u64::from(upper) << 32 | u64::from(lower)
}

/// The upper bits choose the part. Within it, the lower ones come first.
fn spread(hash: u64) -> u64 {
    hash.rotate_left(32)
}
