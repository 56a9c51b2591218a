//! One event as a part of a conversation between a user and an assistant.

use std::borrow::Cow;

use crate::event::catalogue;
use crate::event::content::{Kinship, pieces, says_of_run};
use crate::event::fields::{View, as_text};
use crate::event::role::Role;
use crate::json::Kind;
use crate::summary::session::turn::{author, exit_status, is_own_failure, other};

/// Whose side of the conversation a text is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// The system prompt.
    System,
    /// The user.
    User,
    /// Everything else around the agent: the program that runs it, its tools, other events.
    Environment,
    /// The agent.
    Assistant,
}

/// What an event adds to a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// A text.
    Text {
        /// Who says it.
        side: Side,
        /// Whether it asks for something, so that a new round begins.
        is_request: bool,
        /// The text.
        text: String,
    },
    /// A tool call begins.
    Call {
        /// The tool's name.
        tool: String,
        /// The arguments as a JSON object.
        arguments: String,
    },
    /// A tool call ends.
    Result {
        /// What it returned.
        text: String,
    },
}

/// Actors that are no agents.
const ENVIRONMENT: &[&str] = &[
    "user",
    "human",
    "tool",
    "runtime",
    "system",
    "runlog",
    "harness",
    "environment",
    "governance",
];

/// Members that name the tool of a call.
const TOOL_NAMES: &[&str] = &["tool_name", "tool", "name"];

/// What the event adds; `None` if it is no part of the conversation. `tool` is the name of the tool if
/// the start of the call named it.
#[must_use]
pub(crate) fn part(view: &View<'_, '_>, tool: Option<&str>) -> Option<Part> {
    use Role::{Chunk, Message, TaskStart, ToolProgress, ToolStart, Usage};
    if view.role.ends_run() {
        return ending(view);
    }
    let adds_nothing = view.role.is_bookkeeping() && !says_of_run(view);
    if adds_nothing || view.is_opaque() || is_own_failure(view) {
        return None;
    }
    match view.role {
        Usage | ToolProgress => None,
        ToolStart => {
            Some(Part::Call { tool: view.tool().into_owned(), arguments: call_arguments(view) })
        }
        role if role.is_tool_end() => Some(Part::Result { text: returned(view, tool) }),
        Chunk => {
            let text = view.text()?.into_owned();
            (!text.is_empty()).then(|| said(view, text))
        }
        TaskStart | Message | Role::Note | Role::Section => {
            spoken_text(view).map(|text| said(view, text))
        }
        _ => {
            let text = other(view)?;
            let side = if is_agent(view) { Side::Assistant } else { Side::Environment };
            Some(Part::Text { side, is_request: false, text })
        }
    }
}

/// Whether the event is a piece of the model's reasoning.
#[must_use]
pub(crate) fn is_reasoning(view: &View<'_, '_>) -> bool {
    view.event.kind.rsplit(['.', '_']).next() == Some("reasoning")
}

/// Whether an agent wrote the event, and not the user, a tool or a program around the agent.
#[must_use]
pub(crate) fn is_agent(view: &View<'_, '_>) -> bool {
    !ENVIRONMENT.contains(&view.event.actor.as_ref())
}

/// How the run ended, if the event says more than its type.
fn ending(view: &View<'_, '_>) -> Option<Part> {
    let (ended, text) = match view.role {
        Role::RunCompleted => ("completed", view.field("final_text")),
        Role::RunFailed => ("failed", view.error_text()),
        Role::RunIncomplete => ("is incomplete", view.error_text()),
        Role::RunCancelled => ("was cancelled", view.error_text()),
        _ => return None,
    };
    let text = text.filter(|text| !text.trim().is_empty())?;
    let text = format!("[The run {ended}: {}]", text.trim());
    let is_answer = view.role == Role::RunCompleted;
    let side = if is_answer { Side::Assistant } else { Side::Environment };
    Some(Part::Text { side, is_request: false, text })
}

/// A text that somebody says.
fn said(view: &View<'_, '_>, text: String) -> Part {
    let author = author(view);
    let is_user = matches!(author.as_ref(), "user" | "human");
    // A sub-agent is asked by its agent.
    let is_note = matches!(view.role, Role::Note | Role::Section);
    // A note is never a request, even if the user wrote it.
    let is_asked = view.role == Role::TaskStart || is_user && !is_note;
    let is_request = is_asked && !view.is_of_sub_agent();
    if view.role == Role::TaskStart && !is_request {
        let agent = view.sub_agent().unwrap_or_default();
        let text = format!("[The sub-agent {agent} was asked: {text}]");
        return Part::Text { side: Side::Assistant, is_request, text };
    }
    if is_request {
        return Part::Text { side: Side::User, is_request, text };
    }
    // What another program logs as a message of the system may be a remark of that program.
    if view.event.kind == catalogue::MESSAGE_SYSTEM && !view.is_imported() {
        return Part::Text { side: Side::System, is_request, text };
    }
    if !is_agent(view) || is_note {
        let text = format!("[{}: {text}]", view.event.kind);
        let side = if is_agent(view) { Side::Assistant } else { Side::Environment };
        return Part::Text { side, is_request, text };
    }
    let text = match is_reasoning(view) && view.role != Role::Chunk {
        true => format!("[Thought: {text}]"),
        false => text,
    };
    // One of several agents is named. A streamed piece gets its name when the stream is complete.
    let is_named = view.role != Role::Chunk && is_one_of_several(view, &author);
    let text = if is_named { format!("{author}: {text}") } else { text };
    Part::Text { side: Side::Assistant, is_request, text }
}

/// Whether the author of a text must be named: the event names an agent, or somebody else than who
/// sent it.
pub(crate) fn is_one_of_several(view: &View<'_, '_>, author: &str) -> bool {
    author != view.event.actor || view.names_agent()
}

/// Members of a message that say nothing to a model.
const METADATA: &[&str] = &[
    "model",
    "agent",
    "agentId",
    "agent_id",
    "agent_name",
    "parentAgentId",
    "childAgentId",
    "stop_reason",
];

/// The text of a message, else its reasoning, else its summary; then the content that this lacks.
fn spoken_text(view: &View<'_, '_>) -> Option<String> {
    let mut out = view.text().unwrap_or_default().trim().to_owned();
    if out.is_empty()
        && let Some(thought) = view.thought()
        && !thought.trim().is_empty()
    {
        out = format!("[Thought: {}]", thought.trim());
    }
    if out.is_empty() {
        out.push_str(view.event.summary.as_deref().unwrap_or_default());
    }
    for piece in pieces(view) {
        if !METADATA.contains(&piece.name.as_ref()) && !out.contains(piece.text.trim()) {
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(&piece.labelled());
        }
    }
    let out = out.trim();
    (!out.is_empty()).then(|| out.to_owned())
}

/// The arguments of a call as a JSON object.
#[must_use]
pub(crate) fn call_arguments(view: &View<'_, '_>) -> String {
    let Some(arguments) = view.arguments() else { return "{}".to_owned() };
    if arguments.is_object() {
        return arguments.compact().into_owned();
    }
    let text = match arguments.kind() {
        Kind::String => arguments.as_str().unwrap_or_default(),
        Kind::Array | Kind::Object => Cow::Borrowed(arguments.text()),
        _ => arguments.compact(),
    };
    match crate::json::check(text.as_bytes(), crate::json::JsonRules::STRICT) {
        Ok(json) if json.is_object() => json.compact().into_owned(),
        _ => format!("{{\"input\":{}}}", arguments.compact()),
    }
}

/// What a call returned: the result or the error, then the content that they lack.
fn returned(view: &View<'_, '_>, tool: Option<&str>) -> String {
    let failed = view.role != Role::ToolEnd;
    let error = failed.then(|| view.error_text()).flatten();
    let lead = match (view.role, &error) {
        (Role::ToolFail, Some(_)) => "Error: ",
        (Role::ToolFail, None) => "The call failed. ",
        (Role::ToolBlocked, Some(_)) => "Blocked: ",
        (Role::ToolBlocked, None) => "The call was blocked. ",
        _ => "",
    };
    let content = error.or_else(|| view.result().map(as_text)).unwrap_or_default();
    let mut out = format!("{lead}{}", content.trim_end());
    for piece in pieces(view) {
        let is_name =
            TOOL_NAMES.contains(&piece.name.as_ref()) || Some(piece.text.as_ref()) == tool;
        let is_shown = out.contains(piece.text.trim());
        if piece.kind != Kinship::Arguments && !is_name && !is_shown {
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(&piece.labelled());
        }
    }
    if let Some(status) = exit_status(view).filter(|status| *status != 0) {
        out.push_str(&format!("\n(exit status {status})"));
    }
    let out = out.trim();
    if out.is_empty() { "(no output)".to_owned() } else { out.to_owned() }
}
