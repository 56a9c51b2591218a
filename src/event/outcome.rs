//! Summaries that follow the real outcome. The summary of a failed or denied call never says
//! "completed". A task or run with a result has the result in its summary. These summaries take
//! precedence over the template of the type.

use std::borrow::Cow;

use super::catalogue::{self, Class};
use super::fields::{as_text, effective, failure_of, result_of, tool_name};
use super::role::Role;
use super::template::{MAX_SUMMARY_CHARS, cut, one_line, printed};
use crate::json::{Json, Kind, Members};

/// The label of the rows that end a task with success.
const SUCCESS: &str = "success";

/// The summary by outcome; `None` if the template is enough.
#[must_use]
pub(super) fn summary(kind: &str, data: &Members<'_>) -> Option<String> {
    let row = catalogue::row(kind).filter(|row| row.class == Class::Template)?;
    let (role, _) = effective(row.role, row.severity, data);
    let failure = || failure_of(data).map(as_in_template).filter(|text| !text.trim().is_empty());
    let (lead, text) = match role {
        Role::ToolFail => {
            let reason = failure().unwrap_or(Cow::Borrowed("unknown error"));
            (format!("{} failed", tool_name(kind, data, as_in_template)), reason)
        }
        Role::ToolBlocked if row.role != Role::ToolBlocked => {
            let reason = failure().unwrap_or(Cow::Borrowed("not allowed"));
            (format!("{} denied", tool_name(kind, data, as_in_template)), reason)
        }
        Role::TaskEnd if row.label == SUCCESS => ("Task succeeded".to_owned(), result(data)?),
        Role::RunCompleted => {
            let text = data.present("final_text").map(as_text)?;
            ("Run completed".to_owned(), Some(text).filter(|text| !text.trim().is_empty())?)
        }
        _ => return None,
    };
    let whole = format!("{}: {}", one_line(&lead), one_line(text.trim()));
    Some(cut(&whole, MAX_SUMMARY_CHARS).into_owned())
}

/// A value as templates print it; parts of a message as their texts.
fn as_in_template(value: Json<'_>) -> Cow<'_, str> {
    let is_plain = match value.kind() {
        Kind::Number => true,
        Kind::Array => !value.items().any(Json::is_object),
        _ => false,
    };
    is_plain.then(|| printed(value)).flatten().unwrap_or_else(|| as_text(value))
}

fn result<'a>(data: &Members<'a>) -> Option<Cow<'a, str>> {
    result_of(data).map(as_text).filter(|text| !text.trim().is_empty())
}
