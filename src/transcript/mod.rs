//! The transcript: what a person who was not there wants to know of a run.
//! One model, folded from the events; renderers are pure.

pub mod markdown;
pub mod model;
mod work_notes;

/// The harness's own files that the transcript quotes.
#[derive(Clone, Debug, Default)]
pub struct Harness {
    /// `prompt.md`
    pub prompt: Option<String>,
    /// `effective-system-prompt.md`
    pub system_prompt: Option<String>,
}
