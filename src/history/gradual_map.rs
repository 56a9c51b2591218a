//! A map from hashed names to small values that stays small while it grows.

use std::sync::LazyLock;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// Number of parts. They have different sizes, each 2^(1/16) times the one before. So they grow one
/// after the other, and the whole map never doubles at once.
const PARTS: usize = 16;

/// Up to this many entries, there is only one part.
const SMALL: usize = 1 << 10;

/// The greatest upper half of a hash in each part.
static BOUNDS: LazyLock<[u32; PARTS]> = LazyLock::new(|| {
    let weight = |part: usize| f64::exp2(part as f64 / PARTS as f64);
    let all: f64 = (0..PARTS).map(weight).sum();
    let bound = |part: usize| {
        let share: f64 = (0..=part).map(weight).sum::<f64>() / all;
        (share * f64::from(u32::MAX)) as u32
    };
    let mut bounds: [u32; PARTS] = std::array::from_fn(bound);
    bounds[PARTS - 1] = u32::MAX;
    bounds
});

/// A name, as its hash in two halves (which need no alignment to 8 bytes), and its value.
#[derive(Clone, Copy, Debug)]
struct Slot<V> {
    hash: [u32; 2],
    value: V,
}

/// A map with 64-bit hashes as keys, in about 1.6 × (9 + size of a value) bytes per entry. Two names
/// with the same hash are one entry, so the hashes must be hard to choose for whoever chooses the
/// names: their key is random for each process. Among ten million names, two have the same hash in
/// one of 400,000 processes.
#[derive(Clone, Debug)]
pub(crate) struct GradualMap<V> {
    parts: Vec<HashTable<Slot<V>>>,
}

impl<V> Default for GradualMap<V> {
    fn default() -> Self {
        Self { parts: Vec::new() }
    }
}

impl<V: Copy> GradualMap<V> {
    /// Inserts a name, unless it is there already. Returns its value, and whether it is new.
    pub(crate) fn insert(&mut self, hash: u64, value: V) -> (&mut V, bool) {
        self.make_room();
        let part = self.part(hash);
        let same = |slot: &Slot<V>| slot.hash == halves(hash);
        match self.parts[part].entry(spread(hash), same, |slot| spread(whole(slot.hash))) {
            Entry::Occupied(slot) => (&mut slot.into_mut().value, false),
            Entry::Vacant(vacant) => {
                let slot = vacant.insert(Slot { hash: halves(hash), value });
                (&mut slot.into_mut().value, true)
            }
        }
    }

    /// The value of a name.
    pub(crate) fn get(&self, hash: u64) -> Option<V> {
        let same = |slot: &Slot<V>| slot.hash == halves(hash);
        let slot = self.parts.get(self.part(hash))?.find(spread(hash), same)?;
        Some(slot.value)
    }

    /// The value of a name, to change it.
    pub(crate) fn get_mut(&mut self, hash: u64) -> Option<&mut V> {
        let part = self.part(hash);
        let same = |slot: &Slot<V>| slot.hash == halves(hash);
        let slot = self.parts.get_mut(part)?.find_mut(spread(hash), same)?;
        Some(&mut slot.value)
    }

    /// The values, in no particular order.
    pub(crate) fn values(&self) -> impl Iterator<Item = V> {
        self.parts.iter().flatten().map(|slot| slot.value)
    }

    /// Starts with one part, and splits it when it is no longer small.
    fn make_room(&mut self) {
        match self.parts.as_slice() {
            [] => self.parts.push(HashTable::new()),
            [only] if only.len() >= SMALL => {
                let only = std::mem::take(&mut self.parts);
                self.parts.resize_with(PARTS, HashTable::new);
                for slot in only.into_iter().flatten() {
                    let hash = whole(slot.hash);
                    let part = self.part(hash);
                    let spread_of = |slot: &Slot<V>| spread(whole(slot.hash));
                    self.parts[part].insert_unique(spread(hash), slot, spread_of);
                }
            }
            _ => {}
        }
    }

    fn part(&self, hash: u64) -> usize {
        match self.parts.len() {
            PARTS => BOUNDS.partition_point(|bound| *bound < halves(hash)[0]).min(PARTS - 1),
            _ => 0,
        }
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
