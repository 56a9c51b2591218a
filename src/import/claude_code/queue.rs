//! The prompts that a person typed while the agent worked. The client tells what it does with them in lines
//! of their own; mostly, the prompt itself follows as a message.

use std::collections::VecDeque;

use super::prompts::typed;
use super::{ClaudeCode, SourceLine};
use crate::event::draft::Draft;
use crate::json::Members;

/// The prompts in the client's queue.
#[derive(Debug, Default)]
pub(super) struct PromptQueue {
    /// Those that wait.
    waiting: VecDeque<String>,
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
            "enqueue" => self.waiting.extend(content.flatten()),
            "dequeue" | "remove" => {
                let place = match content {
                    Some(text) => {
                        self.waiting.iter().position(|waits| Some(waits) == text.as_ref())
                    }
                    None if self.seen > 0 => None,
                    None => Some(0),
                };
                match place.and_then(|place| self.waiting.remove(place)) {
                    Some(prompt) => self.taken.push(prompt),
                    None => self.seen = self.seen.saturating_sub(1),
                }
            }
            // The person took them back to change them.
            "popAll" => self.waiting.clear(),
            _ => {}
        }
    }

    /// Takes the text of a message: the prompts in it are not missing.
    pub(super) fn see(&mut self, text: &str) {
        let letters = |text: &str| text.split_whitespace().collect::<String>();
        let seen = letters(text);
        self.taken.retain(|prompt| !seen.contains(&letters(prompt)));
        let waiting = self.waiting.len();
        self.waiting.retain(|prompt| letters(prompt) != seen);
        self.seen += waiting - self.waiting.len();
    }

    /// The prompts that no message had before the agent went on.
    pub(super) fn missing(&mut self) -> Vec<String> {
        std::mem::take(&mut self.taken)
    }
}

impl ClaudeCode {
    /// The prompts that the main agent got, and that stand only in lines about the queue.
    pub(super) fn missing_prompts(&mut self, line: &SourceLine<'_>) -> Vec<Draft<'static>> {
        if line.agent.is_some() || line.is_set("isSidechain") {
            return Vec::new();
        }
        let prompt = |text: &String| {
            line.draft("message.user", |data| {
                data.text("text", text).plain("queued", true);
            })
        };
        self.queue.missing().iter().map(prompt).collect()
    }
}
