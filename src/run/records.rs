//! The records of `logs/tools.jsonl` and `logs/errors.jsonl`: one per state of a tool call and one
//! per error.

use std::borrow::Cow;
use std::collections::VecDeque;

use foldhash::HashMap;

use crate::event::blob::Reference;
use crate::event::fields::{View, as_text};
use crate::event::role::Role;
use crate::event::template::cut;
use crate::event::time::Timestamp;
use crate::history::calls::{CallStatus, Observed, PAIRING_WINDOW};
use crate::json::{Json, Kind, escape_into};

/// Maximum length of a text in a record, in characters. The event has the whole text.
const MAX_TEXT: usize = 500;
/// Maximum length of an object or list in a record, in bytes. The text of a longer one is cut.
const MAX_JSON: usize = 2048;

/// The categories of errors.
const CATEGORIES: &[&str] =
    &["config", "sandbox", "skill", "tool", "memory", "engine", "governance", "unknown"];

/// The text before the value of a record's first member.
macro_rules! first {
    ($name:literal) => {
        concat!("{\"", $name, "\":")
    };
}

/// The text before the value of any other member.
macro_rules! next {
    ($name:literal) => {
        concat!(",\"", $name, "\":")
    };
}

/// The starts of calls, for the records of their ends. Only starts in the last part of the log
/// are kept. So memory stays bounded, and recording and rebuilding agree.
#[derive(Clone, Debug, Default)]
pub(crate) struct Starts {
    /// The newest start of each call.
    by_call: HashMap<usize, RecordedStart>,
    /// Offsets of starts, with their calls. Starts that are too far back are dropped.
    order: VecDeque<(u64, usize)>,
}

impl Starts {
    fn keep(&mut self, call: usize, start: RecordedStart) {
        let offset = start.offset;
        while let Some((at, old)) = self.order.front().copied()
            && at + PAIRING_WINDOW < offset
        {
            self.order.pop_front();
            if self.by_call.get(&old).is_some_and(|kept| kept.offset == at) {
                self.by_call.remove(&old);
            }
        }
        self.order.push_back((offset, call));
        self.by_call.insert(call, start);
    }

    /// Takes a start without writing its record.
    pub(crate) fn observe(&mut self, view: &View<'_, '_>, observed: &Observed, offset: u64) {
        if view.role == Role::ToolStart {
            let values = [view.data.present("action"), view.arguments()];
            let given = values.map(|value| {
                let mut text = String::new();
                optional(&mut text, "", Some(value?));
                Some(text)
            });
            let id = view.call_id_or_own().into_owned();
            self.keep(observed.call, RecordedStart { offset, id, given });
        }
    }

    /// The call's start: the event itself, or the start that an end belongs to.
    fn of(&self, view: &View<'_, '_>, observed: &Observed) -> Option<&RecordedStart> {
        let is_its_start = |start: &&RecordedStart| match view.role {
            Role::ToolStart => true,
            _ => observed.start.is_some_and(|found| found.offset == start.offset),
        };
        self.by_call.get(&observed.call).filter(is_its_start)
    }
}

/// What the records of a call's end repeat of its start.
#[derive(Clone, Debug)]
struct RecordedStart {
    /// Byte offset of its line in the log.
    offset: u64,
    /// The id of the call, else of the event.
    id: String,
    /// The members `action` and `args_summary` as JSON text.
    given: [Option<String>; 2],
}

/// The form of a tool record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecordForm {
    /// An end repeats the arguments of its start.
    Current,
    /// Older versions did not repeat them.
    Older,
}

/// Appends the line of a tool state for `logs/tools.jsonl`, including its newline.
pub(crate) fn tool_record(
    view: &View<'_, '_>,
    observed: &Observed,
    (starts, form): (&Starts, RecordForm),
    out: &mut String,
) {
    let event = view.event;
    let start = starts.of(view, observed);
    let ends = view.role.is_tool_end();
    let status = match view.role {
        Role::ToolStart => CallStatus::Open,
        Role::ToolFail => CallStatus::Failed,
        Role::ToolBlocked => CallStatus::Blocked,
        _ => CallStatus::Completed,
    };
    // An end may have the id without the prefix that its start has.
    let of_start = start.map(|start| Cow::Borrowed(start.id.as_str()));
    let call_id = match form {
        RecordForm::Current => of_start.or_else(|| view.call_id()),
        RecordForm::Older => view.call_id().or(of_start),
    };
    let call_id = call_id.unwrap_or_else(|| event.event_id.clone());
    let started = if ends { observed.start.map(|start| start.time) } else { Some(event.timestamp) };
    text(out, first!("call_id"), &call_id);
    text(out, next!("tool_name"), &view.tool());
    let start = start.filter(|_| form == RecordForm::Current);
    let given = |at: usize| (start.and_then(|start| start.given[at].as_deref()), ends);
    argument(out, next!("action"), view.data.present("action"), given(0));
    time_or_null(out, next!("started_at"), started);
    time_or_null(out, next!("completed_at"), ends.then_some(event.timestamp));
    number_or_null(out, next!("duration_ms"), observed.duration_ms.filter(|_| ends));
    text(out, next!("status"), status.name());
    argument(out, next!("args_summary"), view.arguments(), given(1));
    optional(out, next!("result_summary"), view.result().filter(|_| ends));
    optional(out, next!("artifacts"), view.data.present("artifacts"));
    let error = match view.role {
        Role::ToolFail | Role::ToolBlocked => view.error_text(),
        _ => None,
    };
    text_or_null(out, next!("error"), error.as_deref().map(|text| cut(text, MAX_TEXT)).as_deref());
    number_or_null(out, next!("sequence"), Some(event.sequence));
    out.push_str("}\n");
}

/// Appends the line of an error for `logs/errors.jsonl`, including its newline.
pub(crate) fn error_record(view: &View<'_, '_>, out: &mut String) {
    let event = view.event;
    let detail = |name: &str| {
        let of_error = || view.data.path(&format!("error.{name}"));
        let of_output = || view.data.path(&format!("output.error.{name}"));
        of_error().or_else(of_output).or_else(|| view.data.path(name))
    };
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
    optional(out, first!("code"), detail("code"));
    let message = message.as_deref().map(|text| cut(text, MAX_TEXT));
    text_or_null(out, next!("message"), message.as_deref());
    text(out, next!("category"), category);
    let retryable = detail("retryable").filter(|value| value.kind() == Kind::Bool);
    optional(out, next!("retryable"), retryable);
    optional(out, next!("details"), detail("details"));
    text(out, next!("event_id"), &event.event_id);
    number_or_null(out, next!("sequence"), Some(event.sequence));
    time_or_null(out, next!("timestamp"), Some(event.timestamp));
    text(out, next!("type"), &event.kind);
    text(out, next!("actor"), &event.actor);
    text(out, next!("task_id"), &event.task_id);
    text_or_null(out, next!("correlation_id"), event.correlation_id.as_deref());
    out.push_str("}\n");
}

/// The value itself if it is small, otherwise the beginning of its text.
fn optional(out: &mut String, lead: &str, value: Option<Json<'_>>) {
    let Some(value) = value else { return null(out, lead) };
    let compact = value.compact();
    let short = match value.kind() {
        Kind::Object | Kind::Array => compact.len() <= MAX_JSON && Reference::of(value).is_none(),
        // The number of characters is at most the number of bytes.
        Kind::String => compact.len() <= MAX_TEXT && !compact.contains('\\'),
        _ => true,
    };
    match short {
        true => plain(out, lead, &compact),
        false => text(out, lead, &cut(&as_text(value), MAX_TEXT)),
    }
}

/// The event's own value. An end without one repeats the value of its start; that of a start is
/// text already.
fn argument(
    out: &mut String,
    lead: &str,
    own: Option<Json<'_>>,
    (from_start, ends): (Option<&str>, bool),
) {
    match from_start.filter(|_| !ends || own.is_none()) {
        Some(text) => plain(out, lead, text),
        None => optional(out, lead, own),
    }
}

fn time_or_null(out: &mut String, lead: &str, time: Option<Timestamp>) {
    match time {
        Some(time) => {
            out.push_str(lead);
            out.push('"');
            time.write(out);
            out.push('"');
        }
        None => null(out, lead),
    }
}

fn number_or_null(out: &mut String, lead: &str, number: Option<u64>) {
    match number {
        Some(number) => plain(out, lead, itoa::Buffer::new().format(number)),
        None => null(out, lead),
    }
}

fn text_or_null(out: &mut String, lead: &str, value: Option<&str>) {
    match value {
        Some(value) => text(out, lead, value),
        None => null(out, lead),
    }
}

fn text(out: &mut String, lead: &str, value: &str) {
    out.push_str(lead);
    escape_into(value, out);
}

fn null(out: &mut String, lead: &str) {
    plain(out, lead, "null");
}

/// A value that is JSON.
fn plain(out: &mut String, lead: &str, value: &str) {
    out.push_str(lead);
    out.push_str(value);
}
