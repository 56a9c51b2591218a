//! The large values that events refer to: each file must exist and match its name.

use super::table::Code;
use std::collections::HashSet;

use super::finding::{Finding, Place};
use crate::event::blob::{Reference, references};
use crate::json::Json;
use crate::run::blobs::BlobState;

/// The blobs seen so far. Each is read once.
#[derive(Debug, Default)]
pub(crate) struct BlobCheck {
    seen: HashSet<(String, u64)>,
    findings: Vec<Finding>,
}

impl BlobCheck {
    /// Takes the payload of an event; `look` tells how a blob is found to be.
    pub(crate) fn event(
        &mut self,
        data: Json<'_>,
        place: impl Fn() -> Place,
        look: impl Fn(&Reference<'_>) -> BlobState,
    ) {
        references(data, &mut |reference| {
            if !self.seen.insert((reference.hash.to_owned(), reference.bytes)) {
                return;
            }
            let file = format!("blobs/{}", reference.hash);
            let (code, what) = match look(reference) {
                BlobState::Whole => return,
                BlobState::Missing => (Code::RL911, format!("{file} is missing")),
                BlobState::Altered => (Code::RL912, format!("{file} is not what its name says")),
                BlobState::Unreadable(error) => (Code::RL913, error.to_string()),
            };
            self.findings.push(Finding::new(code, place(), what));
        });
    }

    /// What was found.
    #[must_use]
    pub(crate) fn finish(self) -> Vec<Finding> {
        self.findings
    }
}
