//! The prompts that a person typed while the agent worked. Lines of their own say what the client does with
//! them; mostly, the prompt itself follows as a message.

use std::collections::VecDeque;

use super::prompts::typed;
use super::{ClaudeCode, SourceLine};
use crate::agents::said::{Said, SaidPrompt};
use crate::json::Members;

/// The prompts in the client's queue.
#[derive(Debug, Default)]
pub(super) struct PromptQueue {
    /// What waits; `None` for what no person typed, and for commands of the client.
    waiting: VecDeque<Option<String>>,
    /// Those that the client took, and that no message has had yet.
    taken: Vec<String>,
    /// The number of those that a message had before the client said that it took them.
    seen: usize,
}

impl PromptQueue {
    /// Takes a line about the queue.
    pub(super) fn take(&mut self, line: &Members<'_>) {
        let content = line.present("content").map(super::content::content_text);
        let content = content.map(|text| typed(&text));
        match line.text_at("operation").unwrap_or_default().as_ref() {
            "enqueue" => self.waiting.push_back(content.flatten()),
            "dequeue" | "remove" => {
                let place = match content {
                    Some(text) => self.waiting.iter().position(|waits| *waits == text),
                    None if self.seen > 0 => None,
                    None => Some(0),
                };
                match place.and_then(|place| self.waiting.remove(place)) {
                    Some(prompt) => self.taken.extend(prompt),
                    None => self.seen = self.seen.saturating_sub(1),
                }
            }
            // The person took them back to change them.
            "popAll" => self.waiting.clear(),
            _ => {}
        }
    }

    /// Takes the text of a message: the prompts in it, whole lines of it, are not missing.
    pub(super) fn see(&mut self, text: &str) {
        let lines = |text: &str| format!("\n{}\n", text.trim());
        let seen = lines(text);
        self.taken.retain(|prompt| !seen.contains(&lines(prompt)));
        let waiting = self.waiting.len();
        self.waiting.retain(|prompt| prompt.as_deref().is_none_or(|prompt| lines(prompt) != seen));
        self.seen += waiting - self.waiting.len();
    }

    /// The prompts that no message had before the agent went on.
    pub(super) fn missing(&mut self) -> Vec<String> {
        std::mem::take(&mut self.taken)
    }
}

impl ClaudeCode {
    /// The prompts that the main agent got, and that stand only in lines about the queue.
    pub(super) fn missing_prompts(&mut self, line: &SourceLine<'_>) -> Vec<Said<'static>> {
        if line.agent.id.is_some() || line.is_set("isSidechain") {
            return Vec::new();
        }
        let queued = SaidPrompt { is_queued: true, ..SaidPrompt::default() };
        let prompt = |text: String| SaidPrompt { text: text.into(), ..queued.clone() };
        self.queue.missing().into_iter().map(|text| Said::Prompt(prompt(text))).collect()
    }
}
