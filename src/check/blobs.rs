//! The check on blobs, the large values that events refer to: each file must exist and match its
//! hash.

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
    /// Checks the references in an event's payload. `look` returns the state of a blob.
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
                BlobState::Altered => {
                    (Code::RL912, format!("the content of {file} does not match its name"))
                }
                BlobState::Unreadable(error) => (Code::RL913, error.to_string()),
            };
            self.findings.push(Finding::new(code, place(), what));
        });
    }

    /// The findings.
    #[must_use]
    pub(crate) fn finish(self) -> Vec<Finding> {
        self.findings
    }
}
