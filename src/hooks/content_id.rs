//! Ids of calls and prompts that have none of their own: from their content and their number.

use crate::fs::hash::{hex, sha256};
use crate::json::{Json, Kind};

/// The id of the `number`th call (from 1) of a session with that tool and those arguments.
#[must_use]
pub(crate) fn call_content_id(tool: &str, arguments: Option<Json<'_>>, number: u64) -> String {
    let arguments = arguments.map(sorted).unwrap_or_default();
    format!("call_{}.{number}", short_hash(&[tool, &arguments]))
}

/// The id of the `number`th prompt (from 1) of a session with that text.
#[must_use]
pub(crate) fn prompt_content_id(text: &str, number: u64) -> String {
    format!("prompt_{}.{number}", short_hash(&[text.trim()]))
}

fn short_hash(parts: &[&str]) -> String {
    hex(&sha256(parts.join("\0").as_bytes())[..8])
}

/// The arguments with their members in the order of their names: programs write them in different
/// orders. Arguments that are JSON as text are read first.
fn sorted(arguments: Json<'_>) -> String {
    if let Some(text) = arguments.as_str() {
        let read = crate::json::check(text.as_bytes(), crate::json::JsonRules::STRICT);
        return match read {
            Ok(read) if read.kind() == Kind::Object => sorted(read),
            _ => text.into_owned(),
        };
    }
    if arguments.kind() != Kind::Object {
        return arguments.compact().into_owned();
    }
    let mut members: Vec<String> =
        arguments.members().map(|(name, value)| format!("{name}\0{}", value.compact())).collect();
    members.sort();
    members.join("\0")
}
