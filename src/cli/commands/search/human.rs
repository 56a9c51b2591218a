//! The hits of a search as text for people.

use unicode_width::UnicodeWidthStr as _;

use crate::cli::paint::{Paint, Tone};
use crate::ops::search::{Neighbour, SearchHit, SearchOutcome, Snippet};
use crate::text::inert::{line, preview};
use crate::text::wrap::hanging;

/// The hits, one paragraph each, fitted to `width` columns if there is a limit. With `with_runs`, each
/// names its run.
pub(super) fn hits(
    outcome: &SearchOutcome,
    with_runs: bool,
    width: Option<usize>,
    color: bool,
) -> String {
    let paint = Paint(color);
    let width = width.unwrap_or(usize::MAX >> 8);
    let hits = outcome.hits.iter().enumerate();
    let paragraphs = hits.map(|(at, hit)| paragraph(at + 1, hit, with_runs, width, paint));
    paragraphs.collect::<Vec<_>>().join("\n")
}

/// Columns before the lines of a hit.
const INDENT: usize = 4;

fn paragraph(rank: usize, hit: &SearchHit, with_runs: bool, width: usize, paint: Paint) -> String {
    let event = &hit.event;
    let sequence = format!("#{}", event.sequence);
    let (time, score) = (event.timestamp.readable(), format!("score {:.2}", hit.score));
    let taken = INDENT + sequence.width() + time.width() + score.width() + 6;
    let kind = preview(&event.kind, width.saturating_sub(taken).max(12));
    let head = format!(
        "{}  {time}  {}  {score}",
        paint.apply(Tone::Dim, &sequence),
        paint.apply(Tone::Cyan, &kind),
    );
    let mut out = format!("{:<INDENT$}{head}\n", format!("{rank}."));
    let run = match with_runs {
        true => format!("{}  ", line(&event.run_id)),
        false => String::new(),
    };
    let id = format!("{run}{}", line(&event.event_id));
    let id = hanging(&id, INDENT, INDENT, Some(width));
    out.push_str(&format!("{:INDENT$}{}\n", "", paint.apply(Tone::Dim, &id)));
    if !hit.also_in.is_empty() {
        let runs = preview(&hit.also_in.join(", "), width.saturating_sub(INDENT + 13));
        out.push_str(&format!("{:INDENT$}copied in {runs}\n", ""));
    }
    for text in wrapped(&hit.snippet, width.saturating_sub(INDENT).max(20), paint) {
        out.push_str(&format!("{:INDENT$}{text}\n", ""));
    }
    for (name, events) in [("before", &hit.before), ("after", &hit.after)] {
        for event in events {
            let text = neighbour(name, event, width.saturating_sub(INDENT));
            out.push_str(&format!("{:INDENT$}{}\n", "", paint.apply(Tone::Dim, &text)));
        }
    }
    out
}

fn neighbour(name: &str, event: &Neighbour, width: usize) -> String {
    let head = format!("{name:<6} #{} {} ", event.sequence, preview(&event.kind, 28));
    let text = preview(&event.text, width.saturating_sub(head.width()).max(16));
    format!("{head}{text}").trim_end().to_owned()
}

/// The lines of a snippet, cut at spaces, with the found terms in bold.
fn wrapped(snippet: &Snippet, columns: usize, paint: Paint) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for (text, is_marked) in pieces(snippet) {
        for word in text.split_inclusive(' ') {
            let length = word.trim_end().width();
            if used > 0 && used + length > columns {
                lines.push(String::new());
                used = 0;
            }
            for part in parts(word, columns) {
                if used > 0 && used + part.trim_end().width() > columns {
                    lines.push(String::new());
                    used = 0;
                }
                used += part.width();
                let part = if is_marked { paint.apply(Tone::Bold, part) } else { part.to_owned() };
                if let Some(last) = lines.last_mut() {
                    last.push_str(&part);
                }
            }
        }
    }
    lines.into_iter().map(|line| line.trim_end().to_owned()).collect()
}

/// A word in parts that fit into a line.
fn parts(word: &str, columns: usize) -> Vec<&str> {
    let (mut parts, mut rest) = (Vec::new(), word);
    while rest.trim_end().width() > columns {
        let mut end = rest.floor_char_boundary(columns / 2);
        if end == 0 {
            end = rest.ceil_char_boundary(1);
        }
        let (part, after) = rest.split_at(end);
        parts.push(part);
        rest = after;
    }
    parts.push(rest);
    parts
}

/// The snippet in pieces that are harmless on a terminal, and whether each is a found term.
fn pieces(snippet: &Snippet) -> Vec<(String, bool)> {
    let (mut pieces, mut at) = (Vec::new(), 0);
    for mark in &snippet.marks {
        pieces.push((line(&snippet.text[at..mark.start]).into_owned(), false));
        pieces.push((line(&snippet.text[mark.clone()]).into_owned(), true));
        at = mark.end;
    }
    pieces.push((line(&snippet.text[at..]).into_owned(), false));
    pieces.retain(|(text, _)| !text.is_empty());
    pieces
}
