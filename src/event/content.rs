//! What an event says, whatever its type: every member of its payload but ids, counts and what
//! another program's line held. Every view shows it, so that nothing an event says is invisible
//!.

use std::borrow::Cow;

use super::blob::Reference;
use super::catalogue;
use super::fields::{ARGUMENTS, ERROR_TEXT, RESULT, TEXT, THOUGHT, View, as_text};
use super::template::one_line;
use crate::json::{Json, Kind};

/// Members that identify or locate, and say nothing to a reader.
const TECHNICAL: &[&str] = &[
    "dialect",
    "source_ref",
    "source_text",
    "source_sha256",
    "time_origin",
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

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kinship {
    /// What was said.
    Text,
    /// What was thought.
    Thought,
    /// What a call was called with.
    Arguments,
    /// What a call or a task returned.
    Result,
    /// What went wrong.
    Error,
    /// Anything else.
    Other,
}

/// One piece of what an event says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ContentPiece<'a> {
    /// The member's name; of a member of an object in the payload, its own.
    pub name: Cow<'a, str>,
    /// What it holds, as people read it.
    pub text: Cow<'a, str>,
    /// What it is.
    pub kind: Kinship,
}

impl ContentPiece<'_> {
    /// The piece with its name where that says something: what was said stands by itself.
    #[must_use]
    pub(crate) fn labelled(&self) -> String {
        let text = self.text.trim_end();
        match self.kind {
            Kinship::Text => text.to_owned(),
            _ if text.contains('\n') => format!("{}:\n{text}", self.name),
            _ => format!("{}: {text}", self.name),
        }
    }

    /// Whether a line that stands for the event holds the piece already.
    #[must_use]
    pub(crate) fn is_in(&self, line: &str) -> bool {
        let text = one_line(self.text.trim());
        line.contains(text.as_ref()) && !(text.is_empty())
    }
}

/// The pieces of what an event says: what was said and thought first, the others in the order of
/// the payload.
#[must_use]
pub(crate) fn pieces<'a>(view: &View<'_, 'a>) -> Vec<ContentPiece<'a>> {
    let is_known = catalogue::row(&view.event.kind).is_some();
    let mut pieces = Vec::new();
    for (name, value) in view.event.data.members() {
        let kind = kinship(&name);
        // A line of another program's log is kept whole as an object.
        let is_kept = name == "source" && value.is_object();
        if TECHNICAL.contains(&name.as_ref()) || is_kept || value.is_null() {
            continue;
        }
        // Of a known type the counts and flags are told by other means.
        let is_count = |value: Json<'_>, kind| {
            let is_scalar = matches!(value.kind(), Kind::Number | Kind::Bool);
            is_scalar && is_known && matches!(kind, Kinship::Other | Kinship::Error)
        };
        if is_plain_object(value) {
            for (inner, value) in value.members() {
                // The output of a call holds its result, or why there is none.
                let own = kinship(&inner);
                let kind = if own == Kinship::Error { own } else { kind };
                if !is_count(value, kind) {
                    push(&mut pieces, inner, value, kind);
                }
            }
        } else if !is_count(value, kind) {
            push(&mut pieces, name, value, kind);
        }
    }
    // The order is kept among those of one kind.
    pieces.sort_by_key(|piece| match piece.kind {
        Kinship::Text => 0,
        Kinship::Thought => 1,
        _ => 2,
    });
    pieces
}

/// The pieces that a line standing for the event does not hold.
#[must_use]
pub(crate) fn beyond<'a>(view: &View<'_, 'a>, line: &str) -> Vec<ContentPiece<'a>> {
    let line = one_line(line);
    let mut rest = pieces(view);
    rest.retain(|piece| !piece.is_in(&line));
    rest
}

/// Characters of all pieces, to estimate tokens by.
#[must_use]
pub(crate) fn characters(view: &View<'_, '_>) -> u64 {
    pieces(view).iter().map(|piece| piece.text.chars().count() as u64).sum()
}

fn push<'a>(
    pieces: &mut Vec<ContentPiece<'a>>,
    name: Cow<'a, str>,
    value: Json<'a>,
    kind: Kinship,
) {
    let text = as_text(value);
    let is_empty = matches!(text.trim(), "" | "[]" | "{}");
    if !is_empty && !value.is_null() {
        pieces.push(ContentPiece { name, text, kind });
    }
}

/// Whether a value is an object whose members are pieces of their own.
fn is_plain_object(value: Json<'_>) -> bool {
    value.is_object() && Reference::of(value).is_none() && as_text(value).starts_with('{')
}

/// Whether the views read a member of that name as text, arguments, a result or an error.
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
