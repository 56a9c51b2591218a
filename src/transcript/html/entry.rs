//! One item of the page. Its id is a link that can be shared.

use maud::{Markup, html};

use super::images::images;
use super::page_parts::PageParts;
use super::{LINE, agent, call, copy_button, link, markdown, note, prompt};
use crate::text::human::{plural, short_count};
use crate::text::inert::preview;
use crate::transcript::value::{Entry, OutputTokens, SpokenText};

/// Maximum width of a folded thought, in columns.
const THOUGHT: usize = 100;
/// A message of a person with more characters or lines than this is shown in part at first.
const LONG: (usize, usize) = (3000, 40);

/// One item.
pub(super) fn entry(entry: &Entry, page: &PageParts<'_>) -> Markup {
    html! {
        @match entry {
            Entry::Said(said) if said.thought => (thought(said)),
            Entry::Said(said) => (message(said, page)),
            Entry::Note(note) => (note::note(note, page)),
            Entry::Section { sequence, title, text } => {
                article.note #{ "e" (sequence) } data-kind="note" {
                    div.head { b.who { (title) } span.meta { (link(*sequence)) } }
                    div.md { (markdown::render(text)) }
                }
            }
            Entry::Dropped { number, .. } => {
                @if *number > 0 { p.hint { (plural(*number, "item")) " omitted" } }
            }
            Entry::Call(one) => (call::call(one, page)),
            Entry::Agent(agent) => (agent::agent(agent, None, page)),
        }
        (LINE)
    }
}

/// Whether a message of a person is shown in part at first.
pub(super) fn is_long(text: &str) -> bool {
    text.len() > LONG.0 || text.lines().count() > LONG.1
}

fn message(said: &SpokenText, page: &PageParts<'_>) -> Markup {
    let kind = if said.by_user { "user" } else { "agent" };
    let clip = (said.by_user && is_long(&said.text)).then_some("clip");
    html! {
        article class=(kind) #{ "e" (said.sequence) } data-kind=(kind) {
            div.head {
                b.who { (preview(&said.who, 60)) }
                span.meta {
                    @if let Some(tokens) = said.tokens { (self::tokens(tokens)) " " }
                    time { (said.time.clock()) } " " (link(said.sequence))
                }
            }
            @if said.by_user { (prompt::prompt(&said.text, clip.unwrap_or("whole"))) }
            @else { div.md.(clip.unwrap_or("whole")) { (markdown::render(&said.text)) } }
            (images(page, said.sequence))
            (copy_button())
        }
    }
}

/// The output tokens of the model call that a message is from.
fn tokens(tokens: OutputTokens) -> Markup {
    let at_least = if tokens.at_least { "≥" } else { "" };
    html! { span title="Output tokens" { (at_least) (short_count(tokens.number)) " tokens" } }
}

fn thought(said: &SpokenText) -> Markup {
    html! {
        article.thought #{ "e" (said.sequence) } data-kind="thought" {
            details {
                summary.head {
                    b.who { (preview(&said.who, 60)) " thought" } " "
                    span.what { (preview(&said.text.replace("**", ""), THOUGHT)) }
                    span.meta { time { (said.time.clock()) } " " (link(said.sequence)) }
                }
                div.md { (markdown::render(&said.text)) }
            }
        }
    }
}
