//! Prompts: what a person wrote, set apart from what a client added.

use maud::{Markup, html};

use super::block::{block, folded};
use super::{markdown, output};
use crate::history::request::{PromptPart, prompt_parts};

/// Number of lines of a command's output that are shown at once.
const OUTPUT: usize = 10;

/// The text of a prompt. `class` is that of the words of the person.
pub(super) fn prompt(text: &str, class: &str) -> Markup {
    html! {
        @for part in prompt_parts(text) {
            @match part {
                PromptPart::Own(words) => div.md.(class) { (markdown::render(words)) },
                PromptPart::Command(command) => p.command { code { (command) } },
                PromptPart::Element(name, content) => (element(name, content)),
            }
        }
    }
}

/// An element that a client added. Output is shown, reminders are folded.
fn element(name: &str, content: &str) -> Markup {
    let caption = match name {
        "local-command-stdout" | "bash-stdout" => Some("Output"),
        "local-command-stderr" | "bash-stderr" => Some("Error"),
        "bash-input" => Some("Command"),
        _ => None,
    };
    html! {
        @match caption {
            _ if content.is_empty() => {}
            Some(caption) => (block(caption, "", &output::output(content, OUTPUT))),
            None => div.muted { (folded(name, content)) },
        }
    }
}
