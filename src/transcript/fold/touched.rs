//! The files that a run touched.

use std::collections::BTreeMap;
use std::hash::BuildHasher as _;

use foldhash::quality::RandomState;

use crate::history::gradual_map::GradualMap;
use crate::transcript::extent::Limits;
use crate::transcript::value::{File, is_in_deliverables};

/// Number of files kept outside `deliverables/` where only some are shown: the first in
/// alphabetical order.
const FILES: usize = Limits::NORMAL.files;

/// The operations on files.
#[derive(Debug, Default)]
pub(crate) struct TouchedFiles {
    deliverables: BTreeMap<String, BTreeMap<String, u64>>,
    others: BTreeMap<String, BTreeMap<String, u64>>,
    /// The paths of all of the others, if not all are kept.
    seen: GradualMap<()>,
    count: u64,
    hasher: RandomState,
    keeps_all: bool,
}

impl TouchedFiles {
    /// A list that keeps all files.
    pub(super) fn all() -> Self {
        Self { keeps_all: true, ..Self::default() }
    }

    /// Adds an operation on a file.
    pub(super) fn add(&mut self, path: &str, operation: &str) {
        let is_deliverable = is_in_deliverables(path);
        if !is_deliverable && !self.keeps_all {
            let (_, is_new) = self.seen.insert(self.hasher.hash_one(path), ());
            self.count += u64::from(is_new);
        }
        let files = if is_deliverable { &mut self.deliverables } else { &mut self.others };
        let operations = match files.get_mut(path) {
            Some(operations) => operations,
            None => files.entry(path.to_owned()).or_default(),
        };
        match operations.get_mut(operation) {
            Some(times) => *times += 1,
            None => drop(operations.insert(operation.to_owned(), 1)),
        }
        // A file that is dropped comes after all that are kept, now and later.
        if !self.keeps_all && self.others.len() > FILES {
            self.others.pop_last();
        }
    }

    /// The files in alphabetical order, and the number of those that were dropped.
    pub(crate) fn finish(self) -> (Vec<File>, u64) {
        let kept = self.others.len() as u64;
        let mut all = self.deliverables;
        all.extend(self.others);
        let files = all.into_iter().map(|(path, operations)| File { path, operations });
        (files.collect(), self.count.saturating_sub(kept))
    }
}
