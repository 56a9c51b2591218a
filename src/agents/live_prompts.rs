//! The prompts that are still part of a conversation. A user may go back to before some of them and ask
//! something else. The entries of such a log form a tree.

use std::collections::HashMap;
use std::hash::BuildHasher as _;

use foldhash::quality::RandomState;

/// Counts the prompts on the way to each entry.
#[derive(Debug, Default)]
pub(super) struct LivePrompts {
    /// The number of prompts that are part of the conversation.
    live: u64,
    /// The number of prompts up to each entry, by the hash of its id.
    up_to: HashMap<u64, u64>,
    hasher: RandomState,
}

impl LivePrompts {
    /// Adds an entry that is no prompt.
    pub(super) fn add_entry(&mut self, id: &str, parent: Option<&str>) {
        let before = parent.and_then(|parent| self.known(parent)).unwrap_or(self.live);
        self.up_to.entry(self.hasher.hash_one(id)).or_insert(before);
    }

    /// Adds a prompt. Returns the number of prompts that it withdraws: those that are not on the way to
    /// its parent.
    pub(super) fn add_prompt(&mut self, id: &str, parent: Option<&str>) -> u64 {
        let withdrawn = parent.map_or(0, |parent| self.rewind_to(parent));
        self.live += 1;
        self.up_to.entry(self.hasher.hash_one(id)).or_insert(self.live);
        withdrawn
    }

    /// Records that the user went back to an entry. Returns the number of prompts that are withdrawn.
    pub(super) fn rewind_to(&mut self, entry: &str) -> u64 {
        let kept = self.known(entry).unwrap_or(self.live).min(self.live);
        let withdrawn = self.live - kept;
        self.live = kept;
        withdrawn
    }

    fn known(&self, entry: &str) -> Option<u64> {
        self.up_to.get(&self.hasher.hash_one(entry)).copied()
    }
}
