//! Notes: lines about events, texts of the client, output of hooks, and compactions.

use maud::{Markup, html};

use super::images::images;
use super::page_parts::PageParts;
use super::prompt::prompt;
use super::{link, markdown};
use crate::history::request::own_words;
use crate::text::inert::preview;
use crate::transcript::value::{Note, NoteLevel, NoteMark};

/// Maximum width of a folded note, in columns.
const NOTE: usize = 200;

/// A note.
pub(super) fn note(note: &Note, page: &PageParts<'_>) -> Markup {
    let level = note.level.map(NoteLevel::name);
    let is_compaction = note.mark == NoteMark::Compaction;
    let head = |text: &str| {
        html! {
            b.who.(level.unwrap_or("plain")) { (name(note)) } " "
            span.what { (text) }
            span.meta { (link(note.sequence)) }
        }
    };
    let has_tags = note.mark == NoteMark::Client && note.text.contains('<');
    let is_folded = !note.more.is_empty() || has_tags;
    html! {
        article.note.compaction[is_compaction] #{ "e" (note.sequence) } data-kind="note" data-status=[level] {
            @if is_folded {
                details { summary.head { (head(&preview(&title(note), NOTE))) } (body(note)) }
            } @else {
                div.head { (head(&note.text)) }
            }
            (images(page, note.sequence))
        }
    }
}

/// What the note is, in one word or two.
fn name(note: &Note) -> &'static str {
    match (note.level, note.mark) {
        (Some(level), _) => level.name(),
        (None, NoteMark::Plain) => "note",
        (None, NoteMark::Client) => "client",
        (None, NoteMark::Hook) => "hook",
        (None, NoteMark::Compaction) => "compacted",
    }
}

/// The line of a note whose content is folded.
fn title(note: &Note) -> String {
    match note.mark {
        NoteMark::Compaction => "Summary of the conversation up to here".to_owned(),
        NoteMark::Client => own_words(whole(note)).into_owned(),
        NoteMark::Hook | NoteMark::Plain => note.text.clone(),
    }
}

fn whole(note: &Note) -> &str {
    if note.more.is_empty() { &note.text } else { &note.more }
}

fn body(note: &Note) -> Markup {
    html! {
        @match note.mark {
            NoteMark::Compaction => div.md { (markdown::render(&note.more)) },
            NoteMark::Client => (prompt(whole(note), "whole")),
            NoteMark::Hook | NoteMark::Plain => pre { (note.more) },
        }
    }
}
