//! The transcript: what a person who was not there wants to know of a run.
//! One model, folded from the events; renderers are pure.

pub mod document;
pub mod extent;
mod facts;
pub mod html;
pub mod markdown;
pub mod model;
pub mod text;

use crate::event::hash::{Hasher, hex};

/// The harness's own files that the transcript quotes.
#[derive(Clone, Debug, Default)]
pub struct Harness {
    /// `prompt.md`
    pub prompt: Option<String>,
    /// `effective-system-prompt.md`
    pub system_prompt: Option<String>,
}

impl Harness {
    /// Sixteen hex digits that stand for what is quoted; `None` where nothing is.
    #[must_use]
    pub fn fingerprint(&self) -> Option<String> {
        let texts = [&self.prompt, &self.system_prompt];
        if texts.iter().all(|text| text.is_none()) {
            return None;
        }
        let mut hasher = Hasher::default();
        for text in texts {
            let text = text.as_deref();
            hasher.update(text.map_or("-".to_owned(), |text| text.len().to_string()).as_bytes());
            hasher.update(b"\n");
            hasher.update(text.unwrap_or_default().as_bytes());
        }
        Some(hex(&hasher.finish()[..8]))
    }
}
