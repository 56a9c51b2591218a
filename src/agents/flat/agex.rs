//! The events of agex agents: the fields of an event, with its class name in `type`.

use crate::agents::Dialect;
use std::borrow::Cow;

use super::{FlatDialect, error_message, of_family, said_of_error};
use crate::agents::SessionEnd;
use crate::event::catalogue::Row;
use crate::json::{Json, ObjectText};

/// What the program knows of the agent.
pub(crate) static AGENT: Dialect = Dialect {
    name: "agex",
    about: "agex: the events of its agents, with the class name as type",
    sign: |line| AGEX.sign(line),
    weak_signs: &[CLASS],
    ending,
    reader: || AGEX.reader(),
    ..Dialect::PLAIN
};

/// The dialect.
pub(crate) static AGEX: FlatDialect = FlatDialect { name: "agex", kind, evidence, complete };

/// The catalogue type of each class. A chapter becomes a note: it refers to events by references
/// that only its own store can follow.
const CLASSES: &[(&str, &str)] = &[
    ("TaskStartEvent", "task.started"),
    ("ActionEvent", "task.action"),
    ("OutputEvent", "task.output"),
    ("SuccessEvent", "task.succeeded"),
    ("FailEvent", "task.failed"),
    ("ClarifyEvent", "task.clarify"),
    ("CancelledEvent", "task.cancelled"),
    ("ErrorEvent", "error"),
    ("FileEvent", "task.file"),
    ("SystemNoteEvent", "task.system_note"),
    ("ChapterEvent", "note"),
];

fn kind(kind: &str) -> Option<&'static str> {
    let class = CLASSES.iter().find(|(class, _)| *class == kind);
    class.map(|(_, kind)| *kind).or_else(|| of_family("agex", kind))
}

/// How a task ended that no other task contains: only such a task has a namespace without a slash.
pub(crate) fn ending(line: Json<'_>) -> Option<SessionEnd> {
    let row = AGEX.row(line)?;
    let is_inner = |name: Cow<'_, str>| name.contains('/');
    if line.text_at("full_namespace").is_some_and(is_inner) {
        return None;
    }
    match row.name {
        "task.succeeded" => Some(SessionEnd::completed()),
        "task.failed" => {
            Some(SessionEnd::failed(said_of_error(line).unwrap_or("task failed".into())))
        }
        "task.cancelled" => Some(SessionEnd::cancelled()),
        _ => None,
    }
}

/// The sign of a line with only the name of a class, which another program may have too.
pub(crate) const CLASS: &str = "the name of a class";

/// Most events name the agent or its task.
fn evidence(_: &'static Row, line: Json<'_>) -> Option<&'static str> {
    let named = ["full_namespace", "agent_name"].into_iter();
    let named = named.chain(["task_name"]).find(|name| line.text_at(name).is_some());
    let kind = line.text_at("type")?;
    let is_class = CLASSES.iter().any(|(class, _)| *class == kind);
    named.or(is_class.then_some(CLASS))
}

fn complete(row: &Row, line: Json<'_>, data: &mut ObjectText) {
    error_message(row, line, data);
    if row.name == "note" && line.get("text").is_none() {
        let name = line.text_at("name").unwrap_or("untitled".into());
        data.text("text", &format!("Context compacted into the chapter {name:?}"));
    }
}
