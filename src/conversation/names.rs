//! Names of calls, tools, actors, agents and runs, each kept once and known by a number.

use std::hash::BuildHasher as _;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

/// A name by its number: two are equal when the names are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Name(u32);

impl Name {
    /// The number: 0, 1, 2 … in the order of their first coming.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The names of a run, one behind the other in one text.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    text: String,
    /// Where each name ends in the text.
    ends: Vec<usize>,
    numbers: HashTable<Name>,
    hasher: RandomState,
}

impl Names {
    /// The number of a name.
    pub(super) fn get(&mut self, name: &str) -> Name {
        let hash = self.hasher.hash_one(name);
        let Self { text, ends, numbers, hasher } = self;
        if let Some(known) = numbers.find(hash, |known| at(text, ends, *known) == name) {
            return *known;
        }
        let number = Name(u32::try_from(ends.len()).unwrap_or(u32::MAX));
        text.push_str(name);
        ends.push(text.len());
        numbers.insert_unique(hash, number, |known| hasher.hash_one(at(text, ends, *known)));
        number
    }

    /// The number of a name that has come before.
    pub(super) fn known(&self, name: &str) -> Option<Name> {
        let same = |known: &Name| self.text(*known) == name;
        self.numbers.find(self.hasher.hash_one(name), same).copied()
    }

    /// The name of that number.
    pub(super) fn text(&self, name: Name) -> &str {
        at(&self.text, &self.ends, name)
    }
}

fn at<'t>(text: &'t str, ends: &[usize], name: Name) -> &'t str {
    let from = name.index().checked_sub(1).map_or(0, |before| ends[before]);
    &text[from..ends[name.index()]]
}
