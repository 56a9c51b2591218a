//! The content of an event of any type: every member of its payload except ids, counts and the
//! source line of an imported event. Every view shows this content, so nothing is invisible.

use std::borrow::Cow;

use super::blob::{Reference, references};
use super::catalogue;
use super::fields::{
    ARGUMENTS, ERROR_TEXT, HISTORY, RESULT, REVISES, TEXT, THOUGHT, View, as_long_text, as_text,
    command_words,
};
use super::reserved::OWN;
use super::template::one_line;
use crate::json::{Json, Kind};
use crate::text::whole::holds_whole;

/// Members that only identify or locate something.
const TECHNICAL: &[&str] = &[
    OWN,
    "dialect",
    "source_ref",
    HISTORY,
    "source_text",
    "source_sha256",
    "time_origin",
    "recorded_by",
    REVISES,
    "_redactions",
    "runId",
    "parentId",
    "id",
    "call_id",
    "toolCallId",
    "tool_use_id",
    "message_id",
    "request_id",
    "session_id",
    "sessionId",
    "target_event_id",
    "spawned_agent_id",
    "spawned_by",
];

/// The kind of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kinship {
    /// Text of a message.
    Text,
    /// Reasoning.
    Thought,
    /// Arguments of a call.
    Arguments,
    /// Result of a call or a task.
    Result,
    /// An error.
    Error,
    /// Anything else.
    Other,
}

/// One piece of an event's content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ContentPiece<'a> {
    /// The member's name. For a member of a nested object, the inner name.
    pub name: Cow<'a, str>,
    /// The value as text for people.
    pub text: Cow<'a, str>,
    /// Its kind.
    pub kind: Kinship,
}

impl ContentPiece<'_> {
    /// The piece with its name. Message text needs no name.
    #[must_use]
    pub(crate) fn labelled(&self) -> String {
        let text = self.text.trim_end();
        match self.kind {
            Kinship::Text => text.to_owned(),
            _ if text.contains('\n') => format!("{}:\n{text}", self.name),
            _ => format!("{}: {text}", self.name),
        }
    }
}

/// The pieces of an event's content: message text first, then reasoning, then the others in the
/// order of the payload.
#[must_use]
pub(crate) fn pieces<'a>(view: &View<'_, 'a>) -> Vec<ContentPiece<'a>> {
    let is_known = catalogue::row(&view.event.kind).is_some();
    let mut pieces = Vec::new();
    for (name, value) in view.event.data.members() {
        let kind = kinship(&name);
        // An imported line is kept whole, as an object.
        let is_kept = name == "source" && value.is_object();
        if TECHNICAL.contains(&name.as_ref()) || is_kept || value.is_null() {
            continue;
        }
        add(&mut pieces, name, value, kind, &Depth { is_known, left: NESTED });
    }
    // The sort is stable: pieces of one kind keep their order.
    pieces.sort_by_key(|piece| match piece.kind {
        Kinship::Text => 0,
        Kinship::Thought => 1,
        _ => 2,
    });
    pieces
}

/// Whether the event says something of how the run goes on, or of its deliverables. It belongs to no
/// task, but is in the context of an agent.
#[must_use]
pub(crate) fn says_of_run(view: &View<'_, '_>) -> bool {
    view.role.is_about_run() && !pieces(view).is_empty()
}

/// The pieces that the event's one-line text does not contain.
#[must_use]
pub(crate) fn beyond<'a>(view: &View<'_, 'a>, line: &str) -> Vec<ContentPiece<'a>> {
    let line = one_line(line);
    let told = after_lead(view, &line);
    let mut rest = pieces(view);
    let texts = rest.iter().map(|piece| one_line(piece.text.trim()).into_owned());
    let texts: Vec<String> = texts.collect();
    // The text of an error is made of the other values.
    let kinds = rest.iter().map(|piece| piece.kind).zip(&texts);
    let others: Vec<String> =
        kinds.filter(|(kind, _)| *kind != Kinship::Error).map(|(_, text)| text.clone()).collect();
    let mut texts_of = texts.iter();
    rest.retain(|piece| {
        let text = texts_of.next().map_or("", String::as_str);
        let is_of_call = matches!(piece.kind, Kinship::Arguments | Kinship::Result);
        let line = if is_of_call { told } else { &line };
        !holds_whole(line, text) || is_only_within_others(line, text, &others)
    });
    rest
}

/// Whether a line has a word only as a part of longer pieces: `failed` in `It has not failed`.
fn is_only_within_others(line: &str, text: &str, pieces: &[String]) -> bool {
    if text.contains(' ') {
        return false;
    }
    let is_around = |other: &&String| other.len() > text.len() && holds_whole(other, text);
    let mut around: Vec<&String> = pieces.iter().filter(is_around).collect();
    if around.is_empty() {
        return false;
    }
    around.sort_by_key(|other| std::cmp::Reverse(other.len()));
    // What stands for a piece is no part of a word.
    let without = around.iter().fold(line.to_owned(), |line, other| line.replace(*other, "\0"));
    !holds_whole(&without, text)
}

/// Words after the name of a tool in the summaries of its calls.
const LEADS: &[&str] = &["started", "called", "completed", "returned", "finished"];

/// The line without the name of the tool and the word after it. A result `completed` is not in
/// `bash completed`.
fn after_lead<'l>(view: &View<'_, '_>, line: &'l str) -> &'l str {
    if !view.role.is_tool_state() {
        return line;
    }
    let Some(rest) = line.strip_prefix(view.tool().as_ref()) else { return line };
    let rest = rest.trim_start();
    LEADS.iter().find_map(|lead| rest.strip_prefix(lead)).unwrap_or(rest)
}

/// The number of characters in all pieces, for estimating tokens.
#[must_use]
pub(crate) fn characters(view: &View<'_, '_>) -> u64 {
    let shown = pieces(view).iter().map(|piece| piece.text.chars().count() as u64).sum::<u64>();
    shown.saturating_add(moved_bytes(view))
}

/// The length of the values of the content that were moved out of the event, without the parts that
/// are still in it.
#[must_use]
pub(crate) fn moved_bytes(view: &View<'_, '_>) -> u64 {
    let mut bytes = 0_u64;
    for (name, value) in view.event.data.members() {
        // The source has the same values again.
        if TECHNICAL.contains(&name.as_ref()) || name == "source" && view.is_imported() {
            continue;
        }
        references(value, &mut |reference| {
            let shown = reference.excerpt().len() as u64;
            bytes = bytes.saturating_add(reference.bytes.saturating_sub(shown));
        });
    }
    bytes
}

/// How deep objects are taken apart.
const NESTED: usize = 3;

/// Where a value lies in the payload.
struct Depth {
    /// Whether the type is in the catalogue.
    is_known: bool,
    /// How many levels of objects are taken apart below.
    left: usize,
}

/// Adds the pieces of a value. The members of an object are pieces of their own.
fn add<'a>(
    pieces: &mut Vec<ContentPiece<'a>>,
    name: Cow<'a, str>,
    value: Json<'a>,
    kind: Kinship,
    depth: &Depth,
) {
    if depth.left > 0 && is_plain_object(value) {
        let below = Depth { left: depth.left - 1, ..*depth };
        for (inner, value) in value.members() {
            // The output of a call holds its result or its error.
            let own = kinship(&inner);
            let kind = if own == Kinship::Error { own } else { kind };
            add(pieces, inner, value, kind, &below);
        }
        return;
    }
    // The views of a known type show its counts and flags in other ways.
    let is_scalar = matches!(value.kind(), Kind::Number | Kind::Bool);
    let is_count = is_scalar && matches!(kind, Kinship::Other | Kinship::Error);
    if !(depth.is_known && is_count) {
        push(pieces, name, value, kind);
    }
}

fn push<'a>(
    pieces: &mut Vec<ContentPiece<'a>>,
    name: Cow<'a, str>,
    value: Json<'a>,
    kind: Kinship,
) {
    let command = command_words(&name, value).filter(|_| kind == Kinship::Arguments);
    let text = command.map_or_else(|| as_long_text(value), Cow::Owned);
    let is_empty = matches!(text.trim(), "" | "[]" | "{}");
    if !is_empty && !value.is_null() {
        pieces.push(ContentPiece { name, text, kind });
    }
}

/// Whether each member of a value is a piece of its own.
fn is_plain_object(value: Json<'_>) -> bool {
    value.is_object() && Reference::of(value).is_none() && as_text(value).starts_with('{')
}

/// Whether the views read a member of that name as text, reasoning, arguments, a result or an
/// error.
#[must_use]
pub(crate) fn has_meaning(name: &str) -> bool {
    kinship(name) != Kinship::Other
}

fn kinship(name: &str) -> Kinship {
    // The first list wins.
    [
        (TEXT, Kinship::Text),
        (THOUGHT, Kinship::Thought),
        (ARGUMENTS, Kinship::Arguments),
        (RESULT, Kinship::Result),
        (ERROR_TEXT, Kinship::Error),
    ]
    .into_iter()
    .find(|(names, _)| names.contains(&name))
    .map_or(Kinship::Other, |(_, kind)| kind)
}
