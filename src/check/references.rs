//! References to events that come later in the log, or never.

use super::finding::Place;
use super::ids::{IdKey, Ids};

/// Number of references of which the id and the place are kept. Of the others only a key is.
const DETAILED: usize = 1000;

/// References that no earlier event answers.
#[derive(Debug, Default)]
pub(super) struct OpenReferences {
    detailed: Vec<OpenReference>,
    /// The others: from events of this program, and from imported ones.
    more: [Vec<IdKey>; 2],
}

/// A reference to an id.
#[derive(Debug)]
pub(super) struct OpenReference {
    /// The id.
    pub(super) id: String,
    /// The place of the reference.
    pub(super) place: Place,
    /// Whether the event with the reference was imported.
    pub(super) imported: bool,
}

impl OpenReferences {
    /// Adds a reference, unless the log has the id already.
    pub(super) fn add(&mut self, id: &str, imported: bool, ids: &Ids, place: impl Fn() -> Place) {
        if ids.holds(id) {
            return;
        }
        if self.detailed.len() < DETAILED {
            self.detailed.push(OpenReference { id: id.to_owned(), place: place(), imported });
        } else {
            self.more[usize::from(imported)].push(ids.key_of(id));
        }
    }

    /// The references that are still open at the end of the log: those with details, and the number
    /// of the others, from events of this program and from imported ones.
    pub(super) fn finish(self, ids: &Ids) -> (impl Iterator<Item = OpenReference> + '_, [u64; 2]) {
        let open = |keys: &Vec<IdKey>| keys.iter().filter(|key| !ids.holds_key(**key)).count();
        let more = self.more.each_ref().map(|keys| open(keys) as u64);
        (self.detailed.into_iter().filter(|one| !ids.holds(&one.id)), more)
    }
}
