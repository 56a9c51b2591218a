//! A context as text, and its tokens.

use super::markdown::markdown;
use super::messages::{ChatMessage, message_tokens, messages};
use super::piece::ContextPiece;
use super::wrapper::Injection;
use crate::json::document;
use crate::summary::session::tokens::TokenEstimate;

/// The format of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ContextFormat {
    /// For a prompt, and for people.
    Markdown,
    /// Chat messages as JSON.
    Messages,
}

/// The texts of a context.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ContextTexts {
    /// The name of the run.
    pub(crate) run: String,
    /// The recorded system prompt; empty if there is none.
    pub(crate) system: String,
    /// The summary with the text around it; empty if there is none.
    pub(crate) summary: String,
    /// The rest.
    pub(crate) pieces: Vec<ContextPiece>,
}

/// A rendered context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RenderedContext {
    /// The text.
    pub(crate) text: String,
    /// Its estimated tokens; of messages, those of their contents.
    pub(crate) tokens: u64,
}

impl ContextTexts {
    /// Renders the texts. `closing` is one more message of the user, after all messages; it does not
    /// count.
    #[must_use]
    pub(crate) fn render(
        &self,
        format: ContextFormat,
        injection: Injection,
        estimate: &TokenEstimate,
        closing: Option<&str>,
    ) -> RenderedContext {
        match format {
            ContextFormat::Markdown => {
                let summary = Some(self.summary.as_str()).filter(|summary| !summary.is_empty());
                let text = markdown(&self.run, &self.system, summary, &self.pieces);
                RenderedContext { tokens: estimate.of(&text), text }
            }
            ContextFormat::Messages => {
                let mut all = self.messages(injection);
                let tokens = message_tokens(&all, estimate);
                all.extend(closing.map(|text| ChatMessage {
                    role: "user",
                    content: Some(text.to_owned()),
                    tool_calls: Vec::new(),
                    tool_call_id: None,
                }));
                RenderedContext { text: document(&all), tokens }
            }
        }
    }

    fn messages(&self, injection: Injection) -> Vec<ChatMessage> {
        if injection != Injection::User || self.summary.is_empty() {
            let parts = [self.system.as_str(), self.summary.as_str()];
            let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            return messages(&parts.join("\n\n"), &self.pieces);
        }
        let summary = ContextPiece::Note(self.summary.clone());
        let pieces: Vec<ContextPiece> =
            std::iter::once(summary).chain(self.pieces.iter().cloned()).collect();
        messages(&self.system, &pieces)
    }
}
