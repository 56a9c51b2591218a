//! The records of `logs/tools.jsonl` and `logs/errors.jsonl`: one a tool call
//! state, one an error (seed *kgent-event-transcript*).

use std::borrow::Cow;

use crate::conversation::calls::{Call, CallStatus, Observed};
use crate::event::blob::Reference;
use crate::event::envelope::Severity;
use crate::event::fields::{View, as_text};
use crate::event::json::{Json, Kind, ObjectText, quoted};
use crate::event::role::Role;
use crate::event::template::cut;

/// Longest text of a value in a record, in characters; the event has the whole.
const MAX_TEXT: usize = 500;
/// Longest object or list kept as it is, in bytes; beyond that its text is cut.
const MAX_JSON: usize = 2048;

/// The categories of errors.
const CATEGORIES: &[&str] =
    &["config", "sandbox", "skill", "tool", "memory", "engine", "governance", "unknown"];

/// The line for `logs/tools.jsonl` that a tool state gives, newline included.
#[must_use]
pub fn tool_record(view: &View<'_, '_>, observed: &Observed, call: &Call) -> String {
    let event = view.event;
    let ends = view.role.is_tool_end();
    let status = match view.role {
        Role::ToolStart => CallStatus::Open,
        Role::ToolFail => CallStatus::Failed,
        Role::ToolBlocked => CallStatus::Blocked,
        _ => CallStatus::Completed,
    };
    let call_id = view.call_id().unwrap_or_else(|| match observed.start {
        Some(_) => Cow::Borrowed(call.id.as_str()),
        None => event.event_id.clone(),
    });
    let started = if ends { observed.start.map(|start| start.time) } else { Some(event.timestamp) };
    let mut record = ObjectText::new();
    record.text("call_id", &call_id);
    record.text("tool_name", &view.tool());
    optional(&mut record, "action", event.data.present("action"));
    text_or_null(&mut record, "started_at", started.map(|time| time.to_string()).as_deref());
    let completed = ends.then(|| event.timestamp.to_string());
    text_or_null(&mut record, "completed_at", completed.as_deref());
    match observed.duration_ms.filter(|_| ends) {
        Some(duration) => record.plain("duration_ms", duration),
        None => record.plain("duration_ms", "null"),
    };
    record.text("status", status.name());
    optional(&mut record, "args_summary", view.arguments());
    optional(&mut record, "result_summary", view.result().filter(|_| ends));
    optional(&mut record, "artifacts", event.data.present("artifacts"));
    match view.error_text().filter(|_| matches!(view.role, Role::ToolFail | Role::ToolBlocked)) {
        Some(text) => record.text("error", &cut(&text, MAX_TEXT)),
        None => record.plain("error", "null"),
    };
    record.plain("sequence", event.sequence);
    record.finish() + "\n"
}

/// Whether an event gets a record in `logs/errors.jsonl`.
#[must_use]
pub fn is_error(view: &View<'_, '_>) -> bool {
    view.severity == Severity::Error
        || matches!(view.role, Role::Error | Role::ToolFail | Role::Rejected)
}

/// The line for `logs/errors.jsonl` that an error gives, newline included.
#[must_use]
pub fn error_record(view: &View<'_, '_>) -> String {
    let event = view.event;
    let detail =
        |name: &str| event.data.path(&format!("error.{name}")).or_else(|| event.data.path(name));
    let category = detail("category").and_then(Json::as_str);
    let category = CATEGORIES
        .iter()
        .find(|known| category.as_ref().is_some_and(|given| given == *known))
        .copied()
        .unwrap_or(match view.role {
            Role::ToolFail => "tool",
            Role::Rejected => "sandbox",
            _ => "unknown",
        });
    let message = view.error_text().or_else(|| event.summary.clone());
    let mut record = ObjectText::new();
    optional(&mut record, "code", detail("code"));
    text_or_null(
        &mut record,
        "message",
        message.as_deref().map(|text| cut(text, MAX_TEXT)).as_deref(),
    );
    record.text("category", category);
    optional(&mut record, "retryable", detail("retryable").filter(|v| v.kind() == Kind::Bool));
    optional(&mut record, "details", detail("details"));
    record.text("event_id", &event.event_id);
    record.plain("sequence", event.sequence);
    record.text("timestamp", &event.timestamp.to_string());
    record.text("type", &event.kind);
    record.text("actor", &event.actor);
    record.text("task_id", &event.task_id);
    text_or_null(&mut record, "correlation_id", event.correlation_id.as_deref());
    record.finish() + "\n"
}

fn optional(record: &mut ObjectText, name: &str, value: Option<Json<'_>>) {
    match value {
        Some(value) => record.plain(name, summarized(value)),
        None => record.plain(name, "null"),
    };
}

fn text_or_null(record: &mut ObjectText, name: &str, value: Option<&str>) {
    match value {
        Some(value) => record.text(name, value),
        None => record.plain(name, "null"),
    };
}

/// The value itself while it is small, else the beginning of its text.
fn summarized(value: Json<'_>) -> String {
    let compact = value.compact();
    match value.kind() {
        _ if Reference::of(value).is_some() => quoted(&cut(&as_text(value), MAX_TEXT)),
        Kind::Object | Kind::Array if compact.len() <= MAX_JSON => compact.into_owned(),
        Kind::Object | Kind::Array | Kind::String => quoted(&cut(&as_text(value), MAX_TEXT)),
        _ => compact.into_owned(),
    }
}
