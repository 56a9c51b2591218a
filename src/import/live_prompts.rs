//! The prompts that are still part of a conversation. A user may go back to before some of them and ask
//! something else.

use crate::event::draft::Draft;
use crate::event::fields::PROMPTS_WITHDRAWN;
use crate::import::source::text_event;
use crate::json::ObjectText;

/// The prompts of the user that count, each with the entry of the log that it follows.
#[derive(Debug, Default)]
pub(super) struct LivePrompts {
    follow: Vec<String>,
}

impl LivePrompts {
    /// Takes a prompt that follows that entry. Returns the number of prompts that it withdraws, which is
    /// not 0 if an earlier one follows the same entry.
    pub(super) fn take(&mut self, follows: &str) -> u64 {
        let withdrawn = self.back_to(follows);
        self.follow.push(follows.to_owned());
        withdrawn
    }

    /// Takes that the user went back to the prompt that follows that entry. Returns the number of prompts
    /// that are withdrawn by it.
    pub(super) fn back_to(&mut self, follows: &str) -> u64 {
        let first = self.follow.iter().position(|one| one == follows);
        first.map_or(0, |first| self.follow.drain(first..).count() as u64)
    }
}

/// A prompt that withdraws that number of earlier ones.
pub(super) fn withdrawing(mut prompt: Draft<'static>, prompts: u64) -> Draft<'static> {
    if prompts > 0 {
        let mut data = ObjectText::new();
        data.members(prompt.data()).plain(PROMPTS_WITHDRAWN, prompts);
        prompt.data = data.finish().into();
    }
    prompt
}

/// A note that the user went back, and withdrew that number of prompts by it.
pub(super) fn went_back(text: &str, prompts: u64) -> Draft<'static> {
    withdrawing(text_event("note", text), prompts)
}
