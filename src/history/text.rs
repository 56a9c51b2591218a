//! Text of an event: a main line, and below it the content that the main line lacks.

use crate::json::Members;
use std::borrow::Cow;

use crate::event::blob::left_out_in;
use crate::event::content::{ContentPiece, Kinship, beyond, characters, pieces};
use crate::event::fields::{View, as_text};
use crate::event::role::Role;
use crate::history::arguments::in_one_line;
use crate::text::ansi;
use crate::text::human::count;
use crate::text::inert::{self, preview};
use crate::text::whole::holds_whole;

/// The main text of an event: the message, the call with its arguments, the result, or the summary.
/// `None` if there is none.
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
        Role::Error | Role::Rejected => view.error_told(),
        _ => view.event.summary.clone(),
    }
}

/// Limits for the text of an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room<'d> {
    /// Columns of the main line. `None`: a text of one line is not cut.
    pub columns: Option<usize>,
    /// Characters of each piece below it. A longer piece loses its middle.
    pub piece: usize,
    /// The directory of the work. Paths below it are relative to it.
    pub directory: Option<&'d str>,
}

/// Columns of the main line of a longer text, and of what stands beside it, if there is no limit.
const LINE: usize = 100;

/// The text of an event, safe for a terminal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EventText {
    /// The main line; empty if there is no text.
    pub line: String,
    /// The content that the main line lacks, one line each.
    pub below: Vec<String>,
}

/// The text of an event. `summary` is the effective summary.
#[must_use]
pub(crate) fn lines(view: &View<'_, '_>, summary: Option<&str>, room: Room<'_>) -> EventText {
    let text = lines_of(view, summary, room);
    // Summaries have no escape characters; what is left of a style would stay.
    let line = summary.map(|_| ansi::plain(&text.line).into_owned());
    EventText { line: line.unwrap_or(text.line), ..text }
}

fn lines_of(view: &View<'_, '_>, summary: Option<&str>, room: Room<'_>) -> EventText {
    let stands = standing(view, summary, room.directory);
    let columns = room.columns.unwrap_or(LINE);
    let is_one_line = !stands.trim().contains('\n');
    let line = preview(
        &stands,
        match room.columns {
            None if is_one_line => room.piece.max(LINE),
            _ => columns,
        },
    );
    let rest = rest(view, &stands, &line);
    if rest.is_empty() {
        return EventText { line, below: Vec::new() };
    }
    // Put short content on the main line.
    let beside = rest.iter().fold(line.clone(), |line, rest| format!("{line} · {rest}"));
    let is_whole = is_whole(&stands, &line) && !beside.contains('\n');
    if is_whole && preview(&beside, columns) == inert::line(&beside) {
        return EventText { line: inert::line(&beside).into_owned(), below: Vec::new() };
    }
    EventText { line, below: below(view, &rest, room.piece) }
}

/// The content that is not in the main text `stands`, or is cut from it in `line`. In separate
/// lines, safe for a terminal, with up to `piece` characters of each piece.
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

/// Whether the line shows the whole text.
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

/// The main text of an event: its summary, else the message with its speaker, else all its content.
fn standing(view: &View<'_, '_>, summary: Option<&str>, directory: Option<&str>) -> String {
    if let Some(summary) = summary {
        // The start of a call is of little use without its arguments.
        let called = view.arguments().filter(|_| view.role == Role::ToolStart);
        let called = called.map(|called| in_one_line(&Members::of(called), directory, CALLED));
        return match called.filter(|called| !called.is_empty() && !holds_whole(summary, called)) {
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

/// Maximum columns of a call's arguments.
const CALLED: usize = 200;

/// A text from the event with that sequence. If it is longer than `most` characters, a note with
/// the number of missing characters replaces its middle.
#[must_use]
pub(crate) fn shortened(text: &str, most: usize, sequence: u64) -> Cow<'_, str> {
    let total = if text.len() <= most { 0 } else { text.chars().count() };
    let Some(left_out @ 1..) = total.checked_sub(most) else { return Cow::Borrowed(text) };
    let at = |character: usize| text.char_indices().nth(character).map_or(text.len(), |(at, _)| at);
    let head = most * 2 / 3;
    let (head, tail) = (at(head), at(total - (most - head)));
    // Most of a moved-out value was left out before.
    let left_out = left_out as u64 + left_out_in(&text[head..tail]).unwrap_or(0);
    Cow::Owned(format!(
        "{}\n… {} characters of event {sequence} left out …\n{}",
        &text[..head],
        count(left_out),
        &text[tail..]
    ))
}

/// Estimated tokens of a text: a quarter of its characters, at least 1 unless it is empty.
#[must_use]
pub(crate) fn estimate_tokens(text: &str) -> u64 {
    tokens_of(text.chars().count() as u64)
}

/// Estimated tokens of an event's content.
#[must_use]
pub(crate) fn event_tokens(view: &View<'_, '_>) -> u64 {
    tokens_of(characters(view))
}

fn tokens_of(characters: u64) -> u64 {
    if characters == 0 { 0 } else { (characters / 4).max(1) }
}
