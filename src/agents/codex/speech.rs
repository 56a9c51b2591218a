//! What a person, the agent and the client say in a session of Codex, each text once.

use super::adapter::Codex;
use super::prompts::{self, SaidByUser};
use super::reports;
use super::twins::{Channel, without_citations};
use crate::agents::source::text_event;
use crate::event::draft::Draft;
use crate::json::{Json, ObjectText};

/// The last message of a thread that the client made from the session of another agent.
const IMPORTED: &str = "<EXTERNAL SESSION IMPORTED>";

impl Codex {
    /// A command that a person ran in the client. It is no call of the agent.
    pub(super) fn typed_command(
        &mut self,
        channel: Channel,
        kind: &str,
        event: Json<'_>,
        is_end: bool,
    ) -> Option<Draft<'static>> {
        let command = reports::command_line(event);
        let letters: String = command.split_whitespace().collect();
        let is_new = is_end && self.twins.is_first(channel, "ran", &letters);
        let outcome = reports::outcome(kind, event);
        is_new.then(|| prompts::ran(&command, &outcome.text, outcome.exit_code))
    }

    /// What a person wrote, and what the client wrote in their name.
    pub(super) fn user(
        &mut self,
        channel: Channel,
        parts: &[String],
        images: &[String],
    ) -> Vec<Draft<'static>> {
        let is_context = channel == Channel::Item && self.shows_prompts;
        let mut said = SaidByUser::of(parts, is_context);
        // The channels join the parts of a prompt in different ways.
        let letters = |text: &str| text.split_whitespace().collect::<String>();
        let typed = letters(&said.typed);
        let has_typed = !typed.is_empty() || !images.is_empty();
        let is_new = has_typed && self.twins.is_first(channel, "user", &typed);
        if !is_new {
            said.typed.clear();
        }
        said.added.retain(|text| {
            // An event has the same command.
            let ran = prompts::command_in(text);
            let (kind, key) = ran.map_or(("added", letters(text)), |ran| ("ran", letters(ran)));
            self.twins.is_first(channel, kind, &key)
        });
        said.drafts(if is_new { images } else { &[] })
    }

    pub(super) fn assistant(
        &mut self,
        channel: Channel,
        text: &str,
        message_id: Option<&str>,
    ) -> Option<Draft<'static>> {
        let text = &*without_citations(text);
        if text.is_empty() || !self.twins.is_first_answer(channel, text) {
            return None;
        }
        if text.trim() == IMPORTED {
            return Some(text_event("note", "The conversation until here is of another agent"));
        }
        let mut data = ObjectText::new();
        data.text("text", text).text_if("model", self.model.as_deref());
        data.text_if("message_id", message_id);
        Some(Draft::new("message.assistant", data))
    }

    pub(super) fn reasoning(&mut self, channel: Channel, text: &str) -> Option<Draft<'static>> {
        let is_new = !text.is_empty() && self.twins.is_first(channel, "reasoning", text);
        is_new.then(|| text_event("message.reasoning", text))
    }

    /// A compaction, and the summary that replaces the history.
    pub(super) fn compacted(&mut self, channel: Channel, summary: &str) -> Vec<Draft<'static>> {
        let mut drafts = Vec::new();
        if self.twins.is_first(channel, "compacted", "") {
            drafts.push(text_event("note", "Context compacted"));
        }
        if !summary.is_empty() {
            drafts.push(text_event("message.system", summary));
        }
        drafts
    }
}
