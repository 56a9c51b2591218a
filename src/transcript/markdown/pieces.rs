//! Parts used by several sections.

use crate::event::template::cut;
use crate::text::human::count;
use crate::text::inert::preview;
use crate::text::markdown::{quote, quoted_fence};
use crate::text::mention::unlinked;
use crate::text::prose::quoted_prose;
use crate::transcript::extent::Limits;
use crate::transcript::value::{Note, NoteLevel};

/// A quoted text: a single line as a block quote, several lines unchanged in a fence. If the text
/// was cut, a note says so.
pub(super) fn long_quote(text: &str, limits: &Limits) -> String {
    let shown = cut(text.trim(), limits.long);
    let mut out = if shown.contains('\n') { quoted_fence(&shown) } else { quote(&shown) };
    if shown.len() < text.trim().len() && shown.ends_with('…') {
        let total = text.trim().chars().count() as u64;
        let first = count(limits.long as u64 - 1);
        out.push_str(&format!("\n*(the first {first} of {} characters)*\n", count(total)));
    }
    out
}

/// A quoted message or prompt, as safe Markdown of up to `most` characters. Its headings are below
/// those of level `floor - 1`. If the text was cut, a note says so.
pub(super) fn long_prose(text: &str, most: usize, floor: usize) -> String {
    let text = text.trim();
    let shown = whole_lines(text, most);
    let mut out = quoted_prose(shown, floor);
    if shown.len() < text.len() {
        let first = count(shown.chars().count() as u64);
        // A text that was cut before has an unknown length.
        let total = match text.ends_with('…') {
            true => String::new(),
            false => format!(" of {}", count(text.chars().count() as u64)),
        };
        out.push_str(&format!("\n*(the first {first}{total} characters)*\n"));
    }
    out
}

/// The beginning of a text, up to so many characters. It ends with a line if one ends in its second
/// half.
fn whole_lines(text: &str, most: usize) -> &str {
    let Some((end, _)) = text.char_indices().nth(most) else { return text };
    let part = &text[..end];
    let line = part.rfind('\n').filter(|line| *line > end / 2);
    &part[..line.unwrap_or(end)]
}

/// A link to an event's line in the log.
pub(super) fn link(sequence: u64) -> String {
    format!("[#{sequence}](events.jsonl#L{sequence})")
}

/// A note as a list item. At full detail, the content that its line omits is added.
pub(super) fn note_line(note: &Note, limits: &Limits) -> String {
    let lead =
        note.level.map(NoteLevel::name).map(|level| format!("{level}: ")).unwrap_or_default();
    let text = unlinked(&preview(&note.text, limits.short));
    let mut out = format!("- {lead}{text} ({})\n", link(note.sequence));
    if limits.minor && !note.more.is_empty() {
        indented(&quoted_fence(note.more.trim_end()), 2, &mut out);
    }
    out
}

/// The lines of a list item, indented.
pub(super) fn indented(text: &str, columns: usize, out: &mut String) {
    for line in text.lines() {
        let pad = if line.is_empty() { 0 } else { columns };
        out.push_str(&format!("{:pad$}{line}\n", ""));
    }
}
