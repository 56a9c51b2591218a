//! Search in large values that were moved out of their events.

use std::collections::HashSet;

use super::query::Query;
use crate::event::blob::Reference;
use crate::fs::{Access, EntryKind, entries, open_regular};
use crate::run::blobs;
use crate::run::dir::RunDir;

/// The moved values of a run that hold a term of the query, by hash.
#[derive(Debug, Default)]
pub(super) struct MovedValues {
    hashes: HashSet<String>,
}

impl MovedValues {
    /// Adds a value.
    pub(super) fn add(&mut self, hash: String) {
        self.hashes.insert(hash);
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// Whether the value with that hash is one.
    pub(super) fn has(&self, hash: &[u8]) -> bool {
        std::str::from_utf8(hash).is_ok_and(|hash| self.hashes.contains(hash))
    }

    /// The content of a reference, if it holds a term and is intact.
    pub(super) fn content(&self, run: &RunDir, reference: &Reference<'_>) -> Option<String> {
        self.hashes.contains(reference.hash).then(|| blobs::read(run, reference).ok()).flatten()
    }
}

/// The names of all moved values of a run.
pub(super) fn hashes(run: &RunDir) -> Vec<String> {
    let found = entries(&run.blobs()).unwrap_or_default();
    let files = found.into_iter().filter(|(_, kind)| *kind == EntryKind::File);
    let names = files.filter_map(|(name, _)| name.into_string().ok());
    let mut names: Vec<String> = names.filter(|name| name.len() == HASH).collect();
    names.sort();
    names
}

/// The length of a hash in hex digits.
pub(super) const HASH: usize = 64;

/// Whether a moved value holds a term of the query. A value that cannot be read holds none;
/// `validate` reports it.
pub(super) fn holds(run: &RunDir, hash: &str, query: &Query) -> bool {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    let file = open_regular(&run.blob(hash), Access::Read);
    if !file.is_ok_and(|mut file| file.read_to_end(&mut bytes).is_ok()) {
        return false;
    }
    let text = String::from_utf8_lossy(&bytes);
    query.terms().iter().any(|term| term.places(&text).next().is_some())
}
