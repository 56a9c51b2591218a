//! A hash table that never doubles at once.

use std::sync::LazyLock;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// Number of parts. They have different sizes, each 2^(1/16) times the one before. So they grow one
/// after the other, and the whole table never doubles at once.
const PARTS: usize = 16;

/// Up to this many items, there is only one part.
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

/// Items that are found by a hash and a comparison, in about 1.6 × (1 + size of an item) bytes each.
/// The caller tells the hash of an item, so that an item can be an index into another list.
#[derive(Clone, Debug)]
pub(super) struct GradualTable<T> {
    parts: Vec<HashTable<T>>,
}

impl<T> Default for GradualTable<T> {
    fn default() -> Self {
        Self { parts: Vec::new() }
    }
}

impl<T> GradualTable<T> {
    /// The item with that hash for which `same` is true.
    pub(super) fn find(&self, hash: u64, same: impl Fn(&T) -> bool) -> Option<&T> {
        self.parts.get(self.part(hash))?.find(spread(hash), same)
    }

    /// The same, to change it.
    pub(super) fn find_mut(&mut self, hash: u64, same: impl Fn(&T) -> bool) -> Option<&mut T> {
        let part = self.part(hash);
        self.parts.get_mut(part)?.find_mut(spread(hash), same)
    }

    /// The place of the item with that hash for which `same` is true, or where it belongs.
    /// `hash_of` is the hash of an item.
    pub(super) fn entry(
        &mut self,
        hash: u64,
        same: impl Fn(&T) -> bool,
        hash_of: impl Fn(&T) -> u64,
    ) -> Entry<'_, T> {
        self.make_room(&hash_of);
        let part = self.part(hash);
        self.parts[part].entry(spread(hash), same, |item| spread(hash_of(item)))
    }

    /// Whether there are no items.
    pub(super) fn is_empty(&self) -> bool {
        self.parts.iter().all(HashTable::is_empty)
    }

    /// Starts with one part, and splits it when it is no longer small.
    fn make_room(&mut self, hash_of: impl Fn(&T) -> u64) {
        match self.parts.as_slice() {
            [] => self.parts.push(HashTable::new()),
            [only] if only.len() >= SMALL => {
                let only = std::mem::take(&mut self.parts);
                self.parts.resize_with(PARTS, HashTable::new);
                for item in only.into_iter().flatten() {
                    let hash = hash_of(&item);
                    let part = self.part(hash);
                    let spread_of = |item: &T| spread(hash_of(item));
                    self.parts[part].insert_unique(spread(hash), item, spread_of);
                }
            }
            _ => {}
        }
    }

    fn part(&self, hash: u64) -> usize {
        match self.parts.len() {
            PARTS => BOUNDS.partition_point(|bound| *bound < upper(hash)).min(PARTS - 1),
            _ => 0,
        }
    }
}

fn upper(hash: u64) -> u32 {
    (hash >> 32) as u32
}

/// The upper bits choose the part. Within it, the lower ones come first.
fn spread(hash: u64) -> u64 {
    hash.rotate_left(32)
}
