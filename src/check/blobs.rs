//! The check on blobs, the large values that events refer to: each file must exist and match its
//! hash.

use std::hash::BuildHasher as _;

use foldhash::HashSet;
use foldhash::quality::RandomState;

use super::finding::{Finding, Findings, Place};
use super::table::Code;
use crate::event::blob::{Reference, malformed_references, references};
use crate::json::Json;
use crate::run::blobs::BlobState;

/// The blobs seen so far. Each is read once.
#[derive(Debug, Default)]
pub(crate) struct BlobCheck {
    /// The hashes of the references.
    seen: HashSet<u64>,
    /// The hashes of the names of their files.
    names: HashSet<u64>,
    hasher: RandomState,
    findings: Findings,
}

impl BlobCheck {
    /// Checks the references in an event's payload. `look` returns the state of a blob.
    pub(crate) fn event(
        &mut self,
        data: Json<'_>,
        place: impl Fn() -> Place,
        look: impl Fn(&Reference<'_>) -> BlobState,
    ) {
        references(data, &mut |reference| {
            if !self.seen.insert(self.hasher.hash_one(reference.text())) {
                return;
            }
            self.names.insert(self.hasher.hash_one(reference.hash));
            let file = format!("blobs/{}", reference.hash);
            let (code, what) = match look(reference) {
                BlobState::Whole => return,
                BlobState::Missing => (Code::RL911, format!("{file} is missing")),
                BlobState::Altered => {
                    (Code::RL912, format!("the content of {file} does not match its name"))
                }
                BlobState::OtherEnds => {
                    (Code::RL914, format!("the reference has another beginning or end than {file}"))
                }
                BlobState::Unreadable(error) => (Code::RL913, error.to_string()),
            };
            self.findings.push(Finding::new(code, place(), what));
        });
        malformed_references(data, &mut |_| {
            let message = "a $blob is not 64 hex digits with a number of bytes";
            self.findings.push(Finding::new(Code::RL914, place(), message));
        });
    }

    /// Whether an event refers to the file of that name.
    #[must_use]
    pub(crate) fn has_seen(&self, name: &str) -> bool {
        self.names.contains(&self.hasher.hash_one(name))
    }

    /// The findings.
    #[must_use]
    pub(crate) fn finish(self) -> Findings {
        self.findings
    }
}
