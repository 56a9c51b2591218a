//! Counts tokens: by the estimate, or by the user's command.

use super::settings::SessionSettings;
use crate::ops::error::OpsError;
use crate::summary::session::conversation::Conversation;
use crate::summary::session::tokens::TokenEstimate;
use crate::summary::session::turn::Turn;

/// Counts the tokens of texts.
#[derive(Clone, Copy, Debug)]
pub(super) struct TokenCount {
    estimate: TokenEstimate,
    /// The tokens by the command for each token by the estimate.
    scale: f64,
}

impl TokenCount {
    /// The counter for a conversation, and the tokens of it. The user's command is called once,
    /// with the whole conversation; parts of it count in proportion.
    ///
    /// # Errors
    /// When the command fails or does not print a number.
    pub(super) fn of(
        conversation: &Conversation,
        settings: &SessionSettings<'_>,
    ) -> Result<(Self, u64), OpsError> {
        let estimate = settings.estimate;
        let estimated = conversation.tokens(&estimate);
        let Some(command) = settings.token_command.as_deref().filter(|_| estimated > 0) else {
            return Ok((Self { estimate, scale: 1.0 }, estimated));
        };
        let failed = |reason: String| OpsError::TokenCommand { reason };
        let answer = settings.host.pipe(command, text_of(&conversation.turns));
        let answer = answer.map_err(|none| failed(none.message))?;
        let counted: u64 = answer
            .trim()
            .parse()
            .map_err(|_| failed("the command must print one whole number".to_owned()))?;
        Ok((Self { estimate, scale: counted as f64 / estimated as f64 }, counted))
    }

    /// The tokens of a text.
    pub(super) fn tokens(&self, text: &str) -> u64 {
        (self.estimate.of(text) as f64 * self.scale).ceil() as u64
    }
}

/// The turns as one text, one after the other.
pub(super) fn text_of(turns: &[Turn]) -> String {
    let texts: Vec<&str> = turns.iter().map(|turn| turn.text.as_str()).collect();
    texts.join("\n")
}
