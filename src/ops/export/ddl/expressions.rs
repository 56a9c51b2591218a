//! The parts of SQL that engines write in different ways, and what the views build from them.

use super::quoted;
use crate::event::catalogue;
use crate::event::fields::{ARGUMENTS, ERROR_TEXT, RESULT};
use crate::event::id::UNIQUE;
use crate::event::reserved::OWN;
use crate::event::role::Role;
use crate::event::schema::Field;

/// The kind of a field of the envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EnvelopeKind {
    Text,
    Sequence,
    Time,
    Object,
}

/// The fields of the envelope, in the order in which they are written.
pub(super) fn envelope() -> impl Iterator<Item = (&'static str, EnvelopeKind)> {
    Field::ALL.iter().map(|field| {
        let kind = match field {
            Field::Sequence => EnvelopeKind::Sequence,
            Field::Timestamp => EnvelopeKind::Time,
            Field::Data => EnvelopeKind::Object,
            _ => EnvelopeKind::Text,
        };
        (field.name(), kind)
    })
}

/// What the engines write in different ways. `of` is a column or an expression with JSON, and a
/// path is the names of members from the outside in.
pub(super) trait Expressions {
    /// A member as text: a string as its characters, another value as JSON, null if there is none.
    fn text(&self, of: &str, path: &[&str]) -> String;
    /// A member if it is a string, else null.
    fn string(&self, of: &str, path: &[&str]) -> String;
    /// A member as JSON text, null if there is none or it is null.
    fn json(&self, of: &str, path: &[&str]) -> String;
    /// A member that is a whole number and not negative, else null.
    fn count(&self, of: &str, path: &[&str]) -> String;
    /// A member that is a number, rounded to a whole one, if that is not negative; else null.
    fn rounded(&self, of: &str, path: &[&str]) -> String;
    /// A member that is a number and not negative as dollars, else null.
    fn dollars(&self, of: &str, path: &[&str]) -> String;
    /// A number of millionths of a dollar, which is rounded, as dollars.
    fn dollars_of_micros(&self, micros: &str) -> String;
    /// The milliseconds between two times.
    fn milliseconds(&self, from: &str, to: &str) -> String;
    /// The time so many milliseconds later.
    fn later(&self, time: &str, milliseconds: &str) -> String;
    /// Whether a pattern (RE2) matches a part of a text.
    fn matches(&self, text: &str, pattern: &str) -> String;
    /// The first group of the first match, an empty text if there is none.
    fn extract(&self, text: &str, pattern: &str) -> String;
    /// A text without each match, or without the first one.
    fn without(&self, text: &str, pattern: &str) -> String;
    /// The command in the arguments of a call, which are JSON.
    fn command(&self, arguments: &str) -> String;
    /// The length in bytes of the text that views show for a result, which is JSON.
    fn text_bytes(&self, result: &str) -> String;
    /// The bounds of a window that ends at the end of its partition.
    fn rows_to_end(&self) -> &'static str {
        "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"
    }
}

/// The payload of an event.
pub(super) const DATA: &str = "data";

/// The columns with numbers of tokens.
pub(super) const TOKENS: &[&str] =
    &["input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens"];

/// A number above every sequence.
pub(super) const NEVER: &str = "9007199254740992";

/// The types with one of these roles, as a list.
pub(super) fn types(is_wanted: impl Fn(Role) -> bool) -> String {
    let rows = catalogue::rows().iter().filter(|row| is_wanted(row.role));
    rows.map(|row| quoted(row.name)).collect::<Vec<_>>().join(", ")
}

/// The roles of which this is true, as a list.
pub(super) fn roles(is_wanted: impl Fn(Role) -> bool) -> String {
    let roles = Role::ALL.iter().filter(|role| is_wanted(**role));
    roles.map(|role| quoted(role.name())).collect::<Vec<_>>().join(", ")
}

/// The first of these that is not null.
pub(super) fn coalesce(each: impl Iterator<Item = String>) -> String {
    format!("coalesce({})", each.collect::<Vec<_>>().join(", "))
}

/// The first of these members of the payload that is there, as text.
pub(super) fn first_text(sql: &dyn Expressions, names: &[&str]) -> String {
    coalesce(names.iter().map(|name| sql.text(DATA, &[name])))
}

/// A member of what only this program says of an event, if it is a string. An earlier version (0.1)
/// wrote it into the payload itself.
pub(super) fn own_string(sql: &dyn Expressions, name: &str) -> String {
    let (own, earlier) = (sql.string(DATA, &[OWN, name]), sql.string(DATA, &[name]));
    let has_own = sql.json(DATA, &[OWN]);
    format!("CASE WHEN ({has_own}) IS NOT NULL THEN {own} ELSE {earlier} END")
}

/// The first of these members that is a string.
pub(super) fn first_string(sql: &dyn Expressions, of: &str, names: &[&str]) -> String {
    coalesce(names.iter().map(|name| sql.string(of, &[name])))
}

/// The first of these members of the payload that is there, as a count.
pub(super) fn first_count(sql: &dyn Expressions, names: &[&str]) -> String {
    coalesce(names.iter().map(|name| sql.count(DATA, &[name])))
}

/// The arguments of a call, as JSON.
pub(super) fn arguments(sql: &dyn Expressions) -> String {
    coalesce(ARGUMENTS.iter().map(|name| sql.json(DATA, &[name])))
}

/// The result of a call, as JSON.
pub(super) fn result(sql: &dyn Expressions) -> String {
    coalesce(RESULT.iter().map(|name| sql.json(DATA, &[name])))
}

/// What a call printed: its result, else the error of a call that did not succeed.
pub(super) fn output(sql: &dyn Expressions) -> String {
    let errors = ERROR_TEXT.iter().map(|path| {
        let path: Vec<&str> = path.split('.').collect();
        sql.json(DATA, &path)
    });
    let error = coalesce(errors);
    format!("coalesce({}, CASE WHEN role <> 'tool_end' THEN {error} END)", result(sql))
}

/// The place of work whose id is unique in the world, which is everywhere the same; else null.
pub(super) fn everywhere(sql: &dyn Expressions, id: &str) -> String {
    let id = format!("coalesce({id}, '')");
    let [random @ .., uuid] = UNIQUE;
    let random = random.map(|pattern| sql.matches(&id, pattern)).join(" AND ");
    format!("CASE WHEN ({random}) OR {} THEN '' END", sql.matches(&id, uuid))
}

/// An id, unless it is one that unrelated events share.
pub(super) fn id(text: &str) -> String {
    format!(
        "CASE WHEN {text} IN ('', 'REDACTED') OR {text} LIKE '[%]' OR {text} LIKE '<%>' \
         THEN NULL ELSE {text} END"
    )
}
