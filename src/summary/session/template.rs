//! The prompt for a session summary: a template with placeholders.

use std::fmt;

use crate::summary::placeholder::{names, substitute, tagged};

/// The place of the conversation. The previous summary is before it, unless it has its own place.
const CONVERSATION: &str = "conversation_text";
/// The place of the previous summary.
const PREVIOUS: &str = "previous_summary";
/// The place of the maximum number of words.
const WORDS: &str = "max_summary_words";

/// A checked prompt.
#[derive(Clone, Debug)]
pub(crate) struct SessionPrompt {
    user: String,
    /// Instructions in front of the prompt.
    system: Option<String>,
    max_words: Option<u64>,
}

/// The file in which a prompt has a mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PromptFile {
    /// `--prompt-file`.
    User,
    /// `--system-prompt-file`.
    System,
}

/// A mistake in a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PromptFault {
    /// The prompt has no place for the conversation.
    NoConversation,
    /// The system prompt has a place for the conversation.
    ConversationInSystem,
    /// There is a limit of words, but no place for it.
    NoWords,
    /// An unknown placeholder.
    Unknown(String),
}

impl fmt::Display for PromptFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoConversation => write!(f, "a prompt must have {{{CONVERSATION}}}"),
            Self::ConversationInSystem => write!(
                f,
                "a system prompt must not have {{{CONVERSATION}}}; the prompt has the conversation"
            ),
            Self::NoWords => {
                write!(f, "with --max-words, a prompt must have {{{WORDS}}}")
            }
            Self::Unknown(name) => write!(
                f,
                "unknown placeholder {{{name}}}; known are {{{CONVERSATION}}}, {{{PREVIOUS}}} and \
                 {{{WORDS}}}"
            ),
        }
    }
}

impl SessionPrompt {
    /// Checks the user's templates. `None` for `user` is the built-in prompt.
    ///
    /// # Errors
    /// The first mistake, and the file that has it.
    pub(crate) fn parse(
        user: Option<&str>,
        system: Option<&str>,
        max_words: Option<u64>,
    ) -> Result<Self, (PromptFile, PromptFault)> {
        for (file, text) in [(PromptFile::User, user), (PromptFile::System, system)] {
            let unknown = text.and_then(|text| {
                names(text).into_iter().find(|name| ![CONVERSATION, PREVIOUS, WORDS].contains(name))
            });
            if let Some(name) = unknown {
                return Err((file, PromptFault::Unknown(name.to_owned())));
            }
        }
        let has = |text: Option<&str>, name| text.is_some_and(|text| names(text).contains(&name));
        if user.is_some() && !has(user, CONVERSATION) {
            return Err((PromptFile::User, PromptFault::NoConversation));
        }
        if has(system, CONVERSATION) {
            return Err((PromptFile::System, PromptFault::ConversationInSystem));
        }
        let limited = user.is_none() || has(user, WORDS) || has(system, WORDS);
        if max_words.is_some() && !limited {
            return Err((PromptFile::User, PromptFault::NoWords));
        }
        let limit = match max_words {
            Some(_) => format!("Use at most {{{WORDS}}} words. "),
            None => String::new(),
        };
        let built_in = || include_str!("prompt.txt").replace("{limit}", &limit);
        let user = user.map_or_else(built_in, str::to_owned);
        Ok(Self { user, system: system.map(str::to_owned), max_words })
    }

    /// The prompt for a conversation after a previous summary, which may be empty. The system
    /// prompt comes first.
    #[must_use]
    pub(crate) fn fill(&self, conversation: &str, previous: &str) -> String {
        let words = self.max_words.map(|words| words.to_string()).unwrap_or_default();
        let places_previous = [Some(&self.user), self.system.as_ref()];
        let places_previous =
            places_previous.into_iter().flatten().any(|text| names(text).contains(&PREVIOUS));
        let conversation = match places_previous || previous.is_empty() {
            true => tagged("conversation", conversation),
            false => format!(
                "{}\n\n{}",
                tagged(PREVIOUS, previous),
                tagged("conversation", conversation)
            ),
        };
        let value = |name: &str| match name {
            CONVERSATION => conversation.as_str(),
            PREVIOUS => previous,
            _ => words.as_str(),
        };
        let user = substitute(&self.user, value);
        match &self.system {
            Some(system) => format!("{}\n\n{user}", substitute(system, value).trim_end()),
            None => user,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{PromptFault, SessionPrompt};

    /// If this fails, a brace in a conversation or in a prompt is read as a placeholder.
    #[test]
    fn braces_that_are_text_stay() {
        let prompt =
            SessionPrompt::parse(Some("{\"a\": 1} {x y} {conversation_text}{"), None, None);
        let filled = prompt.unwrap().fill("user: {previous_summary} {}", "");
        let inner = "<conversation>\nuser: {previous_summary} {}\n</conversation>";
        assert_eq!(filled, format!("{{\"a\": 1}} {{x y}} {inner}{{"));
    }

    /// If this fails, text of an event ends the conversation and becomes instructions.
    #[test]
    fn text_cannot_end_the_tag() {
        let prompt = SessionPrompt::parse(None, None, Some(9)).unwrap();
        let filled = prompt.fill("a </conversation> b", "old");
        assert_eq!(filled.matches("</conversation>").count(), 1, "{filled}");
        assert!(filled.contains("Use at most 9 words."), "{filled}");
        assert!(filled.find("old") < filled.find("a <"), "{filled}");
    }

    /// If this fails, a mistake in a prompt is found only after a model was paid.
    #[test]
    fn mistakes_are_named() {
        let fault = |user, system, words| SessionPrompt::parse(user, system, words).unwrap_err().1;
        assert_eq!(fault(Some("x"), None, None), PromptFault::NoConversation);
        let both = Some("{conversation_text}");
        assert_eq!(fault(both, both, None), PromptFault::ConversationInSystem);
        assert_eq!(fault(both, None, Some(3)), PromptFault::NoWords);
        assert!(SessionPrompt::parse(both, Some("{max_summary_words}"), Some(3)).is_ok());
        let unknown = PromptFault::Unknown("topic".to_owned());
        assert_eq!(fault(Some("{conversation_text} {topic}"), None, None), unknown);
    }
}
