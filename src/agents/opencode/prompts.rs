//! The prompts of OpenCode: those that stand twice, and those that the user took back.

use std::collections::{HashMap, HashSet};

/// What is known of the prompts so far.
#[derive(Default)]
pub(crate) struct OpenCodePrompts {
    /// The newest prompt: its message and its texts.
    newest: (Option<String>, Vec<String>),
    /// Whether the client compacted the conversation because it was too long. It then writes the
    /// newest prompt again.
    is_replaying: bool,
    /// The message that is that prompt again.
    replayed: Option<String>,
    /// The first message that the user took back, by session.
    first_withdrawn: HashMap<Option<String>, String>,
    /// The sessions whose newest message was taken back.
    withdrawn: HashSet<Option<String>>,
}

impl OpenCodePrompts {
    /// Whether a text that the user wrote is that of the newest prompt again, after a compaction.
    pub(crate) fn is_again(&mut self, message: Option<&str>, text: &str) -> bool {
        let message = message.map(str::to_owned);
        let is_known = self.newest.1.iter().any(|known| known == text);
        if self.is_replaying {
            self.is_replaying = false;
            self.replayed = message.clone().filter(|_| is_known);
        }
        if message.is_some() && message == self.replayed {
            return is_known;
        }
        if self.newest.0 != message {
            self.newest = (message, Vec::new());
        }
        self.newest.1.push(text.to_owned());
        false
    }

    /// Records that the client compacted the conversation.
    pub(crate) fn compacted(&mut self, is_too_long: bool) {
        self.is_replaying = is_too_long;
    }

    /// Records that the user took back all messages of a session from that one on.
    pub(crate) fn withdraw_from(&mut self, session: Option<String>, message: String) {
        self.first_withdrawn.insert(session, message);
    }

    /// Adds the next prompt. Returns whether the user took it back.
    pub(crate) fn is_withdrawn(&mut self, session: Option<&String>, message: Option<&str>) -> bool {
        let session = session.cloned();
        let first = self.first_withdrawn.get(&session).map(String::as_str);
        if first.is_some() && first == message {
            self.withdrawn.insert(session.clone());
        }
        self.withdrawn.contains(&session)
    }
}
