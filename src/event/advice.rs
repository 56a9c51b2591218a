//! "Did you mean": types and keys that are nearly those of the catalogue.

use super::catalogue::{self, rows};
use super::fields::{CACHE_CREATION, CACHE_READ, COST, INPUT_TOKENS, OUTPUT_TOKENS};
use super::role::Role;
use crate::json::{Json, Kind};
use crate::text::near::nearest;

/// The only field of `deliverables` in `run.created`.
const REQUIRED: &str = "required";
const DELIVERABLES: &str = "deliverables";

/// What `run.json` and the lists read from the metadata of `run.created`.
const METADATA: &[&str] = &["title", "agent", "agent_version", "model", "cwd", "git_branch"];

/// Advice on an event whose type, or a key of whose data, is nearly a known one. `None` where
/// nothing looks misspelt.
#[must_use]
pub(crate) fn advice(kind: &str, data: Json<'_>) -> Option<String> {
    let Some(row) = catalogue::row(kind) else {
        let near = near_type(kind)?;
        return Some(format!("{kind} is not a known type; did you mean {near}?"));
    };
    if row.role == Role::RunCreated
        && let Some(key) = unknown_list(data)
    {
        let hint = match requires(data) {
            false => format!("; did you mean {REQUIRED}?"),
            true => String::new(),
        };
        return Some(format!("{kind} has the unknown field deliverables.{key}{hint}"));
    }
    if row.role == Role::RunCreated
        && let Some(key) = misplaced(data)
    {
        return Some(format!(
            "{kind} has the unknown field {key}; did you mean {DELIVERABLES} with {REQUIRED} in it?"
        ));
    }
    if matches!(row.role, Role::Usage | Role::Message)
        && let Some((key, text)) =
            counted(data).find_map(|key| Some((key, data.get(key)?.as_str()?)))
    {
        let number = text.parse::<f64>().is_ok();
        let remedy =
            if number { format!("; -F {key}={text} records a number") } else { String::new() };
        return Some(format!("{key} is a text and is not counted{remedy}"));
    }
    let known: Vec<&str> = row.field_names().collect();
    let (key, near) = data.members().find_map(|(key, _)| {
        // A short key is too near to others.
        let unknown = key.len() >= 5 && !known.contains(&key.as_ref());
        let near =
            nearest(&key, known.iter().copied()).filter(|near| unknown && near.len() >= 5)?;
        data.present(near).is_none().then(|| (key.into_owned(), near))
    })?;
    Some(format!("{kind} has the unknown field {key}; did you mean {near}?"))
}

/// Advice on a `run.created` with a field that is read only in its metadata. Other programs may
/// have a use for such a field.
#[must_use]
pub(crate) fn advice_on_metadata(kind: &str, data: Json<'_>) -> Option<String> {
    catalogue::row(kind).filter(|row| row.role == Role::RunCreated)?;
    let key = METADATA.iter().find(|key| data.present(key).is_some())?;
    Some(format!("{kind} has the unknown field {key}; did you mean metadata.{key}?"))
}

/// Whether the data of a `run.created` has deliverables, but no list of those that are required:
/// most likely the list, or the field itself, has another name.
#[must_use]
pub(crate) fn hides_deliverables(data: Json<'_>) -> bool {
    let holds = |value: Json<'_>| matches!(value.kind(), Kind::Object | Kind::Array);
    let is_misspelt = |key: &str| {
        is_misplaced(key) || (key != DELIVERABLES && nearest(key, [DELIVERABLES]).is_some())
    };
    let is_inside = |key: &str, value: Json<'_>| key != DELIVERABLES && holds_list(value);
    let misspelt = || {
        let mut members = data.members();
        members.any(|(key, value)| is_misspelt(&key) && holds(value) || is_inside(&key, value))
    };
    let names_none = || {
        let required = data.present(DELIVERABLES).and_then(|found| found.present(REQUIRED));
        required.is_none_or(|required| required.items().next().is_none())
    };
    unknown_list(data).is_some() && !requires(data) || names_none() && misspelt()
}

/// Whether the required deliverables of a `run.created`, if it has any, are a list of paths.
#[must_use]
pub(crate) fn lists_deliverables(data: Json<'_>) -> bool {
    let Some(deliverables) = data.present(DELIVERABLES) else { return true };
    deliverables.is_object()
        && deliverables.present(REQUIRED).is_none_or(|required| {
            required.kind() == Kind::Array && required.items().all(|path| path.as_str().is_some())
        })
}

/// Whether a field of `run.created` was meant as the list in `deliverables`.
fn is_misplaced(key: &str) -> bool {
    const OTHER: [&str; 2] = ["required_deliverables", "deliverables_required"];
    key == REQUIRED
        || OTHER.contains(&key)
        || key.strip_prefix(DELIVERABLES).is_some_and(|rest| rest.starts_with('.'))
}

/// Whether a value has the list of required deliverables in it, as `run.created` should have.
fn holds_list(value: Json<'_>) -> bool {
    let list = value.get(DELIVERABLES).and_then(|found| found.get(REQUIRED));
    list.is_some_and(|list| list.items().next().is_some())
}

/// A field of `run.created` that was meant as the list in `deliverables`: one with nearly its name,
/// or `deliverables` in an object where nobody looks for it.
fn misplaced(data: Json<'_>) -> Option<String> {
    data.members().find_map(|(key, value)| match is_misplaced(&key) {
        true => Some(key.into_owned()),
        false if key == DELIVERABLES => None,
        false => holds_list(value).then(|| format!("{key}.{DELIVERABLES}")),
    })
}

/// A field of `deliverables` that has no meaning.
fn unknown_list(data: Json<'_>) -> Option<String> {
    let mut keys = data.get(DELIVERABLES)?.members().map(|(key, _)| key.into_owned());
    keys.find(|key| key != REQUIRED)
}

/// Whether the deliverables have a list of those that are required.
fn requires(data: Json<'_>) -> bool {
    data.get(DELIVERABLES).is_some_and(|deliverables| deliverables.present(REQUIRED).is_some())
}

/// The fields of a payload that hold tokens or a cost.
fn counted(data: Json<'_>) -> impl Iterator<Item = &'static str> {
    let names = [INPUT_TOKENS, OUTPUT_TOKENS, CACHE_READ, CACHE_CREATION, COST].into_iter();
    names.flatten().copied().filter(move |name| data.get(name).is_some())
}

/// The known type that an unknown one is nearly, or that says the same in another word.
#[must_use]
pub(crate) fn near_type(kind: &str) -> Option<&'static str> {
    nearest(kind, rows().iter().map(|row| row.name)).or_else(|| same_type(kind))
}

/// Words that end a type and say the same.
const SAME: [&[&str]; 6] = [
    &["started", "start", "begin", "began", "begun", "begins", "opened", "launched"],
    &[
        "completed",
        "succeeded",
        "complete",
        "done",
        "end",
        "ended",
        "finish",
        "finished",
        "ok",
        "success",
        "successful",
        "stop",
        "stopped",
    ],
    &["failed", "fail", "failure", "error", "errored", "crashed"],
    &["cancelled", "cancel", "canceled", "abort", "aborted", "killed"],
    &["blocked", "block", "denied", "refused", "rejected"],
    &["usage", "call", "called", "request", "response", "used"],
];

/// The known type that says the same in another word, or in the other order: `task.completed`,
/// `user.message`.
fn same_type(kind: &str) -> Option<&'static str> {
    let (subject, last) = kind.rsplit_once(['.', '_', '-', ':', '/'])?;
    let is_same = |one: &str, other: &str| {
        one == other || SAME.iter().any(|words| words.contains(&one) && words.contains(&other))
    };
    let known = rows().iter().filter_map(|row| Some((row.name, row.name.rsplit_once('.')?)));
    let mut known = known.filter(|(name, _)| *name != kind);
    known
        .find(|(_, (known, end))| {
            (*known == subject && is_same(end, last)) || (*known == last && *end == subject)
        })
        .map(|(name, _)| name)
}
