//! Interned names of calls, tools, actors, agents and runs: each name is stored once and has a
//! number.

use std::hash::BuildHasher as _;
use std::num::NonZeroU32;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

/// The number of a name. Two numbers are equal if their names are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct InternedName(NonZeroU32);

impl InternedName {
    /// The number: 0, 1, 2 … in the order of first use.
    pub(super) fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// The names of a run, stored one after the other in one text.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    text: String,
    /// The end of each name in the text.
    ends: Vec<usize>,
    numbers: HashTable<NameEntry>,
    hasher: RandomState,
}

/// Maximum length of a name in bytes. Longer names are cut.
const LONGEST: usize = 256;

/// The name of all names that are too many to keep.
const OTHER: &str = "(other)";

/// A name in the table with half of its hash, so that the table can grow without hashing texts.
#[derive(Clone, Copy, Debug)]
struct NameEntry {
    hash: u32,
    name: InternedName,
}

impl NameEntry {
    /// The hash for the table. It uses the lower bits for the slot and the upper bits to compare
    /// neighbours.
    fn spread(hash: u32) -> u64 {
        u64::from(hash) << 32 | u64::from(hash)
    }
}

impl Names {
    /// The number of a name. A new name gets the next number, unless there are `most` names: then
    /// it is one of the [`Names::other`] names.
    pub(super) fn get(&mut self, name: &str, most: usize) -> InternedName {
        // Two long names are the same if their beginnings and the hashes of the whole are.
        let hash = self.hash(name);
        let name = &name[..name.floor_char_boundary(LONGEST)];
        match self.find(hash, name) {
            Some(known) => known,
            None if self.ends.len() + 1 < most => self.add(hash, name),
            None => self.other(),
        }
    }

    /// The number that names have which are too many to keep.
    pub(super) fn other(&mut self) -> InternedName {
        let hash = self.hash(OTHER);
        self.find(hash, OTHER).unwrap_or_else(|| self.add(hash, OTHER))
    }

    fn add(&mut self, hash: u32, name: &str) -> InternedName {
        self.text.push_str(name);
        self.ends.push(self.text.len());
        let number = u32::try_from(self.ends.len()).ok().and_then(NonZeroU32::new);
        let number = InternedName(number.unwrap_or(NonZeroU32::MAX));
        let entry = NameEntry { hash, name: number };
        let spread = |entry: &NameEntry| NameEntry::spread(entry.hash);
        self.numbers.insert_unique(NameEntry::spread(hash), entry, spread);
        number
    }

    fn find(&self, hash: u32, name: &str) -> Option<InternedName> {
        let same = |entry: &NameEntry| entry.hash == hash && self.text(entry.name) == name;
        self.numbers.find(NameEntry::spread(hash), same).map(|entry| entry.name)
    }

    fn hash(&self, name: &str) -> u32 {
        self.hasher.hash_one(name) as u32
    }

    /// The name with that number.
    pub(super) fn text(&self, name: InternedName) -> &str {
        let from = name.index().checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[from..self.ends[name.index()]]
    }
}
