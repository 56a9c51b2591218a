//! Secrets that are spread over several pieces of a streamed text. No line has one of them as a
//! whole, but every view that joins the pieces would show it.

use std::hash::{BuildHasher as _, RandomState};

use foldhash::HashMap;

use crate::event::fields::View;
use crate::event::role::Role;
use crate::secret::SecretRules;
use crate::summary::session::stream_name::StreamName;

/// How much of the end of a text is kept, in bytes. Secrets of most forms are shorter.
const TAIL: usize = 256;
/// The most texts whose ends are kept.
const TEXTS: usize = 1024;

/// The ends of the streamed texts so far.
#[derive(Debug, Default)]
pub(super) struct SplitSecrets {
    tails: HashMap<u64, String>,
    hasher: RandomState,
}

impl SplitSecrets {
    /// Takes an event. Returns the rules of the secrets that end in it and began in earlier pieces.
    pub(super) fn observe(&mut self, view: &View<'_, '_>, secrets: &SecretRules) -> Vec<String> {
        if view.role != Role::Chunk {
            return Vec::new();
        }
        let Some(piece) = view.text() else { return Vec::new() };
        let text = self.hasher.hash_one(StreamName::of(view));
        if self.tails.len() >= TEXTS && !self.tails.contains_key(&text) {
            self.tails.clear();
        }
        let tail = self.tails.entry(text).or_default();
        let begins = tail.len();
        tail.push_str(&piece);
        let found = secrets.find(tail).into_iter();
        let is_split = |range: &std::ops::Range<usize>| range.start < begins && range.end > begins;
        let split = found.filter(|found| is_split(&found.range));
        let rules = split.map(|found| found.rule.to_string()).collect();
        let from = tail.ceil_char_boundary(tail.len().saturating_sub(TAIL));
        tail.drain(..from);
        rules
    }
}
