//! The message that asks for a summary after the messages of a conversation. The messages before it
//! stay as they are, so a provider finds them in its prompt cache.

use crate::summary::placeholder::names;

/// The default prompt.
const FORK_PROMPT: &str = "\
Summarize the conversation above so that the work can continue from your summary alone. Keep the \
goal, the requests and their outcomes, decisions and their reasons, files and commands, errors, \
numbers that matter, and what is still open. Do not continue the work and do not call tools. Answer \
with the summary only.";

/// A mistake in a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ForkFault {
    /// It has no text.
    Empty,
    /// It has a placeholder, although the messages already have the conversation.
    Placeholder(String),
}

impl std::fmt::Display for ForkFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Empty => f.write_str("the prompt is empty"),
            Self::Placeholder(name) => write!(
                f,
                "the prompt must not have {{{name}}}; the messages before it have the conversation"
            ),
        }
    }
}

/// Checks the user's prompt. `None` is the default prompt.
///
/// # Errors
/// The first mistake.
pub(crate) fn fork_prompt(text: Option<&str>) -> Result<String, ForkFault> {
    let text = text.unwrap_or(FORK_PROMPT).trim();
    match names(text).first() {
        Some(name) => Err(ForkFault::Placeholder((*name).to_owned())),
        None if text.is_empty() => Err(ForkFault::Empty),
        None => Ok(text.to_owned()),
    }
}
