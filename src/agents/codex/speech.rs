//! What a person, the agent and the client say in a session of Codex, each text once.

use std::borrow::Cow;

use super::prompts::{self, SaidByUser};
use super::reports;
use super::session::Codex;
use super::twins::{Channel, without_citations};
use crate::agents::said::{FailedPart, ModelCall, Said, SaidAnswer, SaidFailure};
use crate::event::fields::is_placeholder;
use crate::json::Json;

/// The codes of errors that are not about a turn of the agent.
const BESIDE_TURNS: [&str; 2] = ["thread_rollback_failed", "active_turn_not_steerable"];

/// The last message of a thread that the client made from the session of another agent.
const IMPORTED: &str = "<EXTERNAL SESSION IMPORTED>";

impl Codex {
    /// A command that a person ran in the client. It is no call of the agent.
    pub(super) fn typed_command<'s>(
        &mut self,
        channel: Channel,
        kind: &str,
        event: Json<'s>,
    ) -> Option<Said<'s>> {
        let command = reports::command_line(event);
        let letters: String = command.split_whitespace().collect();
        let end = reports::outcome(kind, event);
        let is_new = self.twins.is_first(channel, "ran", &letters);
        is_new.then(|| prompts::ran(&command, &end.text, end.exit_code))
    }

    /// What a person wrote, and what the client wrote in their name.
    pub(super) fn user<'s>(
        &mut self,
        channel: Channel,
        parts: &[String],
        images: &[String],
    ) -> Vec<Said<'s>> {
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
        said.said(if is_new { images } else { &[] })
    }

    pub(super) fn assistant<'s>(
        &mut self,
        channel: Channel,
        text: &str,
        id: Option<Cow<'s, str>>,
    ) -> Option<Said<'s>> {
        let text = without_citations(text);
        if text.is_empty() || !self.twins.is_first_answer(channel, &text) {
            return None;
        }
        if text.trim() == IMPORTED {
            return Some(Said::note("The conversation until here is of another agent"));
        }
        let of = ModelCall { model: self.model.clone().map(Cow::Owned), id };
        Some(Said::Answer(SaidAnswer { text: text.into_owned().into(), of }))
    }

    pub(super) fn reasoning<'s>(
        &mut self,
        channel: Channel,
        text: Cow<'s, str>,
    ) -> Option<Said<'s>> {
        let is_new = !text.is_empty() && self.twins.is_first(channel, "reasoning", &text);
        is_new.then_some(Said::Thought(text))
    }

    /// A compaction, and the summary that replaces the history.
    pub(super) fn compacted<'s>(
        &mut self,
        channel: Channel,
        summary: Option<Cow<'s, str>>,
    ) -> Vec<Said<'s>> {
        let is_new = self.twins.is_first(channel, "compacted", "");
        let note = is_new.then(|| Said::note("Context compacted"));
        note.into_iter().chain(summary.map(Said::System)).collect()
    }

    /// What another agent says to this one: its report, or what to do next.
    pub(super) fn between_agents<'s>(
        &mut self,
        channel: Channel,
        message: Json<'s>,
    ) -> Option<Said<'s>> {
        let content = message.present("content")?;
        let parts = content.items().filter_map(|part| part.text_at("text"));
        let text =
            content.as_str().map_or_else(|| parts.collect::<Vec<_>>().join("\n"), Cow::into_owned);
        let (author, recipient) = (message.text_at("author"), message.text_at("recipient"));
        let agents = format!("{author:?} to {recipient:?}");
        if text.is_empty() || !self.twins.is_first(channel, &agents, &text) {
            return None;
        }
        let author = author.filter(|name| !is_placeholder(name));
        let from = author.map(|author| format!(" {author}")).unwrap_or_default();
        Some(Said::note(format!("Message from the agent{from}:\n{text}")))
    }

    /// What the client says of a sub-agent. Its start names the call that spawned it.
    pub(super) fn agent_activity<'s>(
        &mut self,
        channel: Channel,
        activity: Json<'s>,
    ) -> Option<Said<'s>> {
        let kind = activity.text_at("kind").filter(|kind| !is_placeholder(kind))?;
        let agent = activity.text_at("agent_thread_id").filter(|id| !is_placeholder(id))?;
        match kind.as_ref() {
            "started" => {
                let call = activity.text_at("event_id").or_else(|| activity.text_at("id"))?;
                self.spawned.insert(call.into_owned(), agent.into_owned());
                None
            }
            "interacted" => None,
            kind => {
                let name = activity.text_at("agent_path").unwrap_or_else(|| agent.clone());
                let is_new = self.twins.is_first(channel, kind, &agent);
                is_new.then(|| Said::note(format!("Sub-agent {name}: {kind}")))
            }
        }
    }

    /// An error, once.
    pub(super) fn error<'s>(&mut self, channel: Channel, error: Json<'s>) -> Option<Said<'s>> {
        let message = error.as_str().or_else(|| error.text_at("message"))?;
        if !self.twins.is_first(channel, "error", &message) {
            return None;
        }
        // A code with details is an object with one member.
        let code = error.get("codex_error_info");
        let code = code
            .and_then(|code| code.as_str().or_else(|| code.members().next().map(|(name, _)| name)));
        let is_beside = code.as_ref().is_some_and(|code| BESIDE_TURNS.contains(&code.as_ref()));
        let of = if is_beside { FailedPart::Client } else { FailedPart::Engine };
        let is_retried = error.text_at("type").is_some_and(|kind| kind == "stream_error");
        Some(Said::Failed(SaidFailure { code, message, of, is_retried }))
    }
}
