//! One turn of a conversation: an event as text for a model.

use std::borrow::Cow;

use crate::event::content::{ContentPiece, Kinship, pieces};
use crate::event::fields::{View, as_text};
use crate::event::role::Role;
use crate::event::time::Timestamp;
use crate::history::text::shortened;
use crate::json::quoted;
use crate::text::whole::holds_whole;

/// How much of the arguments or results of calls is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallDetail {
    /// All.
    Full,
    /// Only that there was a call or a result.
    Nothing,
    /// Up to that many characters. The middle of longer values is left out.
    Characters(usize),
}

/// How calls are shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallFormat {
    /// The arguments.
    pub(crate) arguments: CallDetail,
    /// The results.
    pub(crate) results: CallDetail,
}

/// The part of an event in a tool call. The number identifies the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallPart {
    /// The call begins.
    Start(usize),
    /// The call ends.
    End(usize),
}

/// An event of the conversation, or several pieces of one streamed message.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    /// The id of its last event.
    pub(crate) event_id: String,
    /// The sequence of its first event.
    pub(crate) first_sequence: u64,
    /// The sequence of its last event. Pieces of a streamed text may lie between other events.
    pub(crate) sequence: u64,
    /// The time of its last event.
    pub(crate) time: Timestamp,
    /// The text: `author: …`.
    pub(crate) text: String,
    /// The number of its events. The state of the run is text, but counts as no event.
    pub(crate) events: u64,
    /// Whether it asks for something, so that an answer belongs to it.
    pub(crate) is_request: bool,
    /// The tool call that it begins or ends.
    pub(crate) call: Option<CallPart>,
}

/// The code of the event that records that the session was not summarized. It is no conversation.
pub(crate) const FAILURE_CODE: &str = "session_summary_failed";
/// The same for summaries of events.
pub(crate) const EVENTS_FAILURE_CODE: &str = "summary_command_failed";

/// The text of an event, `None` if it is no part of the conversation. `tool` is the name of the tool
/// if the start of the call named it.
#[must_use]
pub(crate) fn turn_text(
    view: &View<'_, '_>,
    tool: Option<&str>,
    format: CallFormat,
) -> Option<String> {
    use Role::{
        Backfill, Chapter, ChapterRemoved, Recovered, RejectedLines, SessionSummary, Usage,
    };
    if is_own_failure(view) {
        return None;
    }
    let said = match view.role {
        Backfill | SessionSummary | Chapter | ChapterRemoved | Recovered | RejectedLines
        | Usage => return None,
        Role::ToolStart => called(view, format.arguments),
        Role::ToolProgress => returned(view, tool, "reported", format.results),
        role if role.is_tool_end() => returned(view, tool, outcome(role), format.results),
        Role::Message | Role::Chunk | Role::TaskStart | Role::Note | Role::Section => message(view),
        _ => other(view),
    }?;
    Some(format!("{}: {said}", author(view)))
}

/// Whether the event records that an attempt to summarize failed.
#[must_use]
pub(crate) fn is_own_failure(view: &View<'_, '_>) -> bool {
    view.role == Role::Error
        && view.event.actor == "runlog"
        && view
            .field("code")
            .is_some_and(|code| [FAILURE_CODE, EVENTS_FAILURE_CODE].contains(&&*code))
}

/// Who speaks in an event: `unknown` if it does not say.
#[must_use]
pub(crate) fn author<'a>(view: &View<'_, 'a>) -> Cow<'a, str> {
    let speaker = view.speaker();
    if speaker.trim().is_empty() { Cow::Borrowed("unknown") } else { speaker }
}

fn outcome(role: Role) -> &'static str {
    match role {
        Role::ToolFail => "failed",
        Role::ToolBlocked => "was blocked",
        _ => "returned",
    }
}

fn called(view: &View<'_, '_>, detail: CallDetail) -> Option<String> {
    let (tool, sequence) = (view.tool(), view.event.sequence);
    let arguments = view.arguments().map(|arguments| match arguments.as_str() {
        Some(text) => text,
        None => as_text(arguments),
    });
    let arguments = arguments.filter(|text| !matches!(text.trim(), "" | "{}" | "[]"));
    let shown = arguments.as_deref().and_then(|text| bounded(text, detail, sequence));
    let mut out = match shown {
        None => format!("[Called tool: {tool}]"),
        Some(arguments) => format!("[Called tool: {tool} with args: {arguments}]"),
    };
    push_rest(view, Kinship::Arguments, detail, &mut out);
    Some(out)
}

fn returned(
    view: &View<'_, '_>,
    tool: Option<&str>,
    outcome: &str,
    detail: CallDetail,
) -> Option<String> {
    let own = view.tool();
    let tool = tool.filter(|_| own == "tool").unwrap_or(&own);
    let failed = matches!(view.role, Role::ToolFail | Role::ToolBlocked);
    let error = failed.then(|| view.error_text()).flatten();
    let content = error.or_else(|| view.result().map(as_text));
    let content = content.filter(|content| !content.trim().is_empty());
    // A failure is always shown: without it the conversation would be misleading.
    let kept = if failed && detail == CallDetail::Nothing { CallDetail::Full } else { detail };
    let shown = content.as_deref().and_then(|text| bounded(text, kept, view.event.sequence));
    let status = exit_status(view).filter(|status| *status != 0);
    let status = status.map(|status| format!(" (exit status {status})")).unwrap_or_default();
    let mut out = match shown {
        None => format!("[{tool} {outcome}{status}]"),
        Some(content) => format!("[{tool} {outcome}: {content}{status}]"),
    };
    push_rest(view, Kinship::Result, detail, &mut out);
    Some(out)
}

/// The exit status of the command that a call ran, if the event has it.
#[must_use]
pub(crate) fn exit_status(view: &View<'_, '_>) -> Option<i64> {
    let names = ["exit_code", "exit_status", "output.exit_code", "metadata.exit_code"];
    names.iter().find_map(|name| view.data.path(name)?.text().parse().ok())
}

fn message(view: &View<'_, '_>) -> Option<String> {
    let mut out = view.text().unwrap_or_default().trim().to_owned();
    if out.is_empty() {
        let thought = view.thought().unwrap_or_default();
        let thought = thought.trim();
        if !thought.is_empty() {
            out = format!("[Thought: {thought}]");
        }
    }
    if out.is_empty() {
        out.push_str(view.event.summary.as_deref().unwrap_or_default());
    }
    push_rest(view, Kinship::Text, CallDetail::Full, &mut out);
    let out = out.trim();
    (!out.is_empty()).then(|| out.to_owned())
}

/// Any other event: its type with its summary and its content.
#[must_use]
pub(crate) fn other(view: &View<'_, '_>) -> Option<String> {
    let kind = &view.event.kind;
    let all = pieces(view);
    if view.role.is_lifecycle() && all.is_empty() {
        return None;
    }
    let summary = view.event.summary.as_deref().filter(|summary| !summary.is_empty());
    let mut out = match (summary, all.first()) {
        (Some(summary), _) => format!("[{kind}: {summary}]"),
        (None, Some(piece)) => format!("[{kind}: {}]", piece.labelled()),
        (None, None) => format!("[{kind}]"),
    };
    push_rest(view, Kinship::Other, CallDetail::Full, &mut out);
    Some(out)
}

/// Adds the content that the text lacks, each piece on its own line. `shown` is the kind of content
/// that `detail` limits.
fn push_rest(view: &View<'_, '_>, shown: Kinship, detail: CallDetail, out: &mut String) {
    for piece in pieces(view) {
        let is_limited = piece.kind == shown && detail != CallDetail::Full;
        if !is_limited && !is_in(&piece, out) {
            if !out.is_empty() {
                out.push_str("\n  ");
            }
            out.push_str(&piece.labelled());
        }
    }
}

/// Whether the text has the piece, as it is or as a JSON string.
fn is_in(piece: &ContentPiece<'_>, text: &str) -> bool {
    let trimmed = piece.text.trim();
    let escaped = quoted(trimmed);
    holds_whole(text, trimmed) || holds_whole(text, &escaped[1..escaped.len() - 1])
}

fn bounded(text: &str, detail: CallDetail, sequence: u64) -> Option<Cow<'_, str>> {
    match detail {
        CallDetail::Full => Some(Cow::Borrowed(text)),
        CallDetail::Nothing => None,
        CallDetail::Characters(most) => Some(shortened(text, most, sequence)),
    }
}
