//! The transcript: a report of the run for readers who did not follow it. A fold processes the
//! events, one value ([`value::Transcript`]) is built from it, and each format renders that value.

mod build;
pub(crate) mod call_arguments;
pub(crate) mod call_form;
pub(crate) mod call_title;
pub(crate) mod changed_lines;
pub(crate) mod diff;
pub(crate) mod document;
pub(crate) mod extent;
mod facts;
pub(crate) mod file_event;
pub(crate) mod fold;
pub(crate) mod html;
pub(crate) mod images;
pub(crate) mod index;
pub(crate) mod markdown;
mod open_call;
pub(crate) mod pull_request;
mod quoted;
pub(crate) mod text;
pub(crate) mod todo;
mod trouble_groups;
pub(crate) mod value;

use crate::fs::hash::{Hasher, hex};

/// The harness's own files that the transcript includes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Harness {
    /// `prompt.md`
    pub prompt: Option<String>,
    /// `effective-system-prompt.md`
    pub system_prompt: Option<String>,
    /// The files in [`OTHERS`] that exist: name and text.
    pub others: Vec<(&'static str, String)>,
}

/// The harness's other files. The transcript includes each up to a size limit.
pub(crate) const OTHERS: &[&str] = &["config.yaml", "task.yaml", "artifact-manifest.json"];

impl Harness {
    /// Sixteen hex digits that identify the content of the files; `None` if there are no files.
    #[must_use]
    pub(crate) fn fingerprint(&self) -> Option<String> {
        let texts = [self.prompt.as_deref(), self.system_prompt.as_deref()];
        if texts.iter().all(Option::is_none) && self.others.is_empty() {
            return None;
        }
        let mut hasher = Hasher::default();
        let others = self.others.iter().flat_map(|(name, text)| [Some(*name), Some(text.as_str())]);
        for text in texts.into_iter().chain(others) {
            hasher.update(text.map_or("-".to_owned(), |text| text.len().to_string()).as_bytes());
            hasher.update(b"\n");
            hasher.update(text.unwrap_or_default().as_bytes());
        }
        Some(hex(&hasher.finish()[..8]))
    }
}
