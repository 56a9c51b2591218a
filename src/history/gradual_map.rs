//! A map from hashed names to small values that stays small while it grows.

use hashbrown::hash_table::Entry;

use super::gradual_table::GradualTable;

/// A 64-bit hash in two halves, which need no alignment to 8 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Halves([u32; 2]);

impl Halves {
    fn of(hash: u64) -> Self {
        Self([(hash >> 32) as u32, hash as u32])
    }

    fn whole(self) -> u64 {
        let Self([upper, lower]) = self;
        u64::from(upper) << 32 | u64::from(lower)
    }
}

/// A name, as its hash, and its value.
#[derive(Clone, Copy, Debug)]
struct Slot<V> {
    hash: Halves,
    value: V,
}

/// A map with 64-bit hashes as keys, in about 1.6 × (9 + size of a value) bytes per entry. Two names
/// with the same hash are one entry, so the hashes must be hard to choose for whoever chooses the
/// names: their key is random for each process. Among ten million names, two have the same hash in
/// one of 400,000 processes.
#[derive(Clone, Debug)]
pub(crate) struct GradualMap<V> {
    slots: GradualTable<Slot<V>>,
}

impl<V> Default for GradualMap<V> {
    fn default() -> Self {
        Self { slots: GradualTable::default() }
    }
}

impl<V: Copy> GradualMap<V> {
    /// Inserts a name, unless it is there already. Returns its value, and whether it is new.
    pub(crate) fn insert(&mut self, hash: u64, value: V) -> (&mut V, bool) {
        let halves = Halves::of(hash);
        match self.slots.entry(hash, |slot| slot.hash == halves, |slot| slot.hash.whole()) {
            Entry::Occupied(slot) => (&mut slot.into_mut().value, false),
            Entry::Vacant(vacant) => {
                let slot = vacant.insert(Slot { hash: halves, value });
                (&mut slot.into_mut().value, true)
            }
        }
    }

    /// The value of a name.
    pub(crate) fn get(&self, hash: u64) -> Option<V> {
        let halves = Halves::of(hash);
        Some(self.slots.find(hash, |slot| slot.hash == halves)?.value)
    }

    /// The value of a name, to change it.
    pub(crate) fn get_mut(&mut self, hash: u64) -> Option<&mut V> {
        let halves = Halves::of(hash);
        Some(&mut self.slots.find_mut(hash, |slot| slot.hash == halves)?.value)
    }
}
