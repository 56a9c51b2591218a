//! The records of `logs/tools.jsonl` and `logs/errors.jsonl`: one a tool call
//! state, one an error (seed *kgent-event-transcript*).

use std::borrow::Cow;

use crate::conversation::calls::{CallStatus, Calls, Observed};
use crate::event::blob::Reference;
use crate::event::envelope::Severity;
use crate::event::fields::{View, as_text};
use crate::event::json::{Json, Kind, ObjectText};
use crate::event::role::Role;
use crate::event::template::cut;
use crate::event::time::Timestamp;

/// Longest text of a value in a record, in characters; the event has the whole.
const MAX_TEXT: usize = 500;
/// Longest object or list kept as it is, in bytes; beyond that its text is cut.
const MAX_JSON: usize = 2048;

/// The categories of errors.
const CATEGORIES: &[&str] =
    &["config", "sandbox", "skill", "tool", "memory", "engine", "governance", "unknown"];

/// Appends the line for `logs/tools.jsonl` that a tool state gives, newline included.
pub fn tool_record(view: &View<'_, '_>, observed: &Observed, calls: &Calls, out: &mut String) {
    let event = view.event;
    let ends = view.role.is_tool_end();
    let status = match view.role {
        Role::ToolStart => CallStatus::Open,
        Role::ToolFail => CallStatus::Failed,
        Role::ToolBlocked => CallStatus::Blocked,
        _ => CallStatus::Completed,
    };
    let call_id = view.call_id().unwrap_or_else(|| match observed.start {
        Some(_) => Cow::Borrowed(calls.id(&calls.all()[observed.call])),
        None => event.event_id.clone(),
    });
    let started = if ends { observed.start.map(|start| start.time) } else { Some(event.timestamp) };
    let mut record = ObjectText::behind(std::mem::take(out));
    record.text("call_id", &call_id);
    record.text("tool_name", &view.tool());
    optional(&mut record, "action", view.data.present("action"));
    time_or_null(&mut record, "started_at", started);
    time_or_null(&mut record, "completed_at", ends.then_some(event.timestamp));
    match observed.duration_ms.filter(|_| ends) {
        Some(duration) => record.plain("duration_ms", duration),
        None => record.json("duration_ms", Json::NULL),
    };
    record.text("status", status.name());
    optional(&mut record, "args_summary", view.arguments());
    optional(&mut record, "result_summary", view.result().filter(|_| ends));
    optional(&mut record, "artifacts", view.data.present("artifacts"));
    match view.error_text().filter(|_| matches!(view.role, Role::ToolFail | Role::ToolBlocked)) {
        Some(text) => record.text("error", &cut(&text, MAX_TEXT)),
        None => record.json("error", Json::NULL),
    };
    record.plain("sequence", event.sequence);
    *out = record.finish() + "\n";
}

/// Whether an event gets a record in `logs/errors.jsonl`.
#[must_use]
pub fn is_error(view: &View<'_, '_>) -> bool {
    view.severity == Severity::Error
        || matches!(view.role, Role::Error | Role::ToolFail | Role::Rejected)
}

/// Appends the line for `logs/errors.jsonl` that an error gives, newline included.
pub fn error_record(view: &View<'_, '_>, out: &mut String) {
    let event = view.event;
    let detail =
        |name: &str| view.data.path(&format!("error.{name}")).or_else(|| view.data.path(name));
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
    let mut record = ObjectText::behind(std::mem::take(out));
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
    time_or_null(&mut record, "timestamp", Some(event.timestamp));
    record.text("type", &event.kind);
    record.text("actor", &event.actor);
    record.text("task_id", &event.task_id);
    text_or_null(&mut record, "correlation_id", event.correlation_id.as_deref());
    *out = record.finish() + "\n";
}

/// The value itself while it is small, else the beginning of its text.
fn optional(record: &mut ObjectText, name: &str, value: Option<Json<'_>>) {
    let Some(value) = value else {
        record.json(name, Json::NULL);
        return;
    };
    let compact = value.compact();
    let short = match value.kind() {
        Kind::Object | Kind::Array => compact.len() <= MAX_JSON && Reference::of(value).is_none(),
        // A text of so many bytes has no more characters.
        Kind::String => compact.len() <= MAX_TEXT && !compact.contains('\\'),
        _ => true,
    };
    match short {
        true => record.json(name, Json::trusted(&compact)),
        false => record.text(name, &cut(&as_text(value), MAX_TEXT)),
    };
}

fn time_or_null(record: &mut ObjectText, name: &str, time: Option<Timestamp>) {
    let Some(time) = time else {
        record.json(name, Json::NULL);
        return;
    };
    match time.canonical().as_ref().map(|text| std::str::from_utf8(text)) {
        Some(Ok(text)) => record.text(name, text),
        _ => record.text(name, &time.to_string()),
    };
}

fn text_or_null(record: &mut ObjectText, name: &str, value: Option<&str>) {
    match value {
        Some(value) => record.text(name, value),
        None => record.json(name, Json::NULL),
    };
}
