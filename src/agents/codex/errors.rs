//! The errors that Codex tells.

use super::adapter::Codex;
use super::twins::Channel;
use crate::agents::source::ENGINE;
use crate::event::draft::Draft;
use crate::json::{Json, ObjectText};

/// The codes of errors that are not about a turn of the agent.
const BESIDE_TURNS: [&str; 2] = ["thread_rollback_failed", "active_turn_not_steerable"];

impl Codex {
    /// An error of the engine, once.
    pub(super) fn error(
        &mut self,
        channel: Channel,
        error: Option<Json<'_>>,
        code: Option<Json<'_>>,
    ) -> Vec<Draft<'static>> {
        let Some(error) = error else { return Vec::new() };
        let will_retry = error.text_at("type").is_some_and(|kind| kind == "stream_error");
        let message = error.as_str().or_else(|| error.text_at("message"));
        let Some(message) = message.filter(|text| self.twins.is_first(channel, "error", text))
        else {
            return Vec::new();
        };
        let mut data = ObjectText::new();
        // A code with details is an object with one member.
        let code = code
            .and_then(|code| code.as_str().or_else(|| code.members().next().map(|(name, _)| name)));
        data.text_if("code", code.as_deref());
        let is_of_turn = code.is_none_or(|code| !BESIDE_TURNS.contains(&code.as_ref()));
        data.text("message", &message);
        data.text("category", if is_of_turn { ENGINE } else { "client" });
        if will_retry {
            data.plain("retryable", true);
        }
        vec![Draft::new("error", data)]
    }
}
