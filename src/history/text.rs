//! What an event says in lines: one that stands for it, and below it what that line leaves out.

use std::borrow::Cow;

use crate::event::content::{ContentPiece, Kinship, beyond, characters, pieces};
use crate::event::fields::{View, as_text};
use crate::event::role::Role;
use crate::history::arguments::in_one_line;
use crate::text::human::count;
use crate::text::inert::{self, preview};

/// The words of an event: what was said, a call with its arguments, a result, or else
/// its summary. `None` when it has none.
#[must_use]
pub(crate) fn spoken<'a>(view: &View<'_, 'a>) -> Option<Cow<'a, str>> {
    match view.role {
        Role::ToolStart => {
            let args = view.arguments().map(as_text).unwrap_or_default();
            Some(Cow::Owned(format!("{} {args}", view.tool())))
        }
        Role::ToolEnd => view.result().map(as_text),
        Role::ToolFail | Role::ToolBlocked => view.error_text().or(view.result().map(as_text)),
        Role::Message | Role::Chunk => view.text().or_else(|| view.thought()),
        Role::TaskStart | Role::Note | Role::Section => view.text(),
        Role::Error | Role::Rejected => view.error_text(),
        _ => view.event.summary.clone(),
    }
}

/// How much of an event is shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// Columns of the line that stands for it.
    pub columns: usize,
    /// Characters of each piece below it; of a longer one the middle is left out.
    pub piece: usize,
}

/// An event in lines, inert.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EventText {
    /// The one that stands for it; empty where it says nothing.
    pub line: String,
    /// What it leaves out, each line by itself.
    pub below: Vec<String>,
}

/// The event in lines; `summary` is the effective one.
#[must_use]
pub(crate) fn lines(view: &View<'_, '_>, summary: Option<&str>, room: Room) -> EventText {
    let stands = standing(view, summary);
    let line = preview(&stands, room.columns);
    let rest = rest(view, &stands, &line);
    // Short rests stand on the same line.
    let beside = rest.iter().fold(line.clone(), |line, rest| format!("{line} · {rest}"));
    let is_whole = is_whole(&stands, &line) && !beside.contains('\n');
    if is_whole && preview(&beside, room.columns) == inert::line(&beside) {
        return EventText { line: inert::line(&beside).into_owned(), below: Vec::new() };
    }
    EventText { line, below: below(view, &rest, room.piece) }
}

/// What an event says beyond a text that stands for it and is shown as `line`: in lines of their
/// own, inert, up to `piece` characters of each piece.
#[must_use]
pub(crate) fn lines_below(
    view: &View<'_, '_>,
    stands: &str,
    line: &str,
    piece: usize,
) -> Vec<String> {
    below(view, &rest(view, stands, line), piece)
}

fn rest(view: &View<'_, '_>, stands: &str, line: &str) -> Vec<String> {
    let cut = (!is_whole(stands, line)).then(|| stands.trim().to_owned());
    cut.into_iter().chain(beyond(view, stands).iter().map(ContentPiece::labelled)).collect()
}

/// Whether a line shows all of the text that it stands for.
fn is_whole(text: &str, line: &str) -> bool {
    let is_cut = line.ends_with('…') && !text.trim_end().ends_with('…');
    !is_cut && !text.trim().contains('\n')
}

fn below(view: &View<'_, '_>, rest: &[String], piece: usize) -> Vec<String> {
    let lines = rest.iter().flat_map(|rest| {
        let shortened = shortened(rest, piece, view.event.sequence);
        inert::text(&shortened).lines().map(str::to_owned).collect::<Vec<_>>()
    });
    lines.collect()
}

/// The text that stands for an event: its summary, else what was said and by whom, else all that
/// it says.
fn standing(view: &View<'_, '_>, summary: Option<&str>) -> String {
    if let Some(summary) = summary {
        // That a call started says little without what it was called with.
        let called = view.arguments().filter(|_| view.role == Role::ToolStart);
        let base = view.field("source.cwd");
        let called = called.map(|called| in_one_line(called, base.as_deref(), CALLED));
        return match called.filter(|called| !called.is_empty() && !summary.contains(called)) {
            Some(called) => format!("{summary}: {called}"),
            None => summary.to_owned(),
        };
    }
    if let Some(spoken) = spoken(view) {
        let speaker = view.speaker();
        let named =
            matches!(view.role, Role::Message | Role::TaskStart) && speaker != view.event.actor;
        return if named { format!("{speaker}: {spoken}") } else { spoken.into_owned() };
    }
    let all = pieces(view);
    let texts = all.iter().map(|piece| match piece.kind {
        Kinship::Text => piece.text.trim().to_owned(),
        _ => format!("{}: {}", piece.name, piece.text.trim()),
    });
    texts.collect::<Vec<_>>().join(", ")
}

/// Columns of what a call was called with.
const CALLED: usize = 200;

/// A text of the event of that sequence, without its middle where it is longer than `most`
/// characters; says how much is left out.
#[must_use]
pub(crate) fn shortened(text: &str, most: usize, sequence: u64) -> Cow<'_, str> {
    let total = if text.len() <= most { 0 } else { text.chars().count() };
    let Some(left_out @ 1..) = total.checked_sub(most) else { return Cow::Borrowed(text) };
    let at = |character: usize| text.char_indices().nth(character).map_or(text.len(), |(at, _)| at);
    let head = most * 2 / 3;
    let tail = total - (most - head);
    Cow::Owned(format!(
        "{}\n… {} characters of event {sequence} left out …\n{}",
        &text[..at(head)],
        count(left_out as u64),
        &text[at(tail)..]
    ))
}

/// Estimated tokens of a text: characters by four, at least 1 unless it is empty.
#[must_use]
pub(crate) fn estimate_tokens(text: &str) -> u64 {
    tokens_of(text.chars().count() as u64)
}

/// Estimated tokens of all that an event says.
#[must_use]
pub(crate) fn event_tokens(view: &View<'_, '_>) -> u64 {
    tokens_of(characters(view))
}

fn tokens_of(characters: u64) -> u64 {
    if characters == 0 { 0 } else { (characters / 4).max(1) }
}
