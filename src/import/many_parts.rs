//! Lines that were made to fill the memory: a list with more parts than any message of an agent has.

use crate::json::{Json, Kind};

/// Whether a line of that length has a list with more objects than any message of an agent.
pub(super) fn has_many_parts(length: usize, json: Json<'_>) -> bool {
    length > LONG && has_many(json, WITHIN)
}

/// Lines from this length on are searched for lists that are too long.
const LONG: usize = 512 << 10;
/// Maximum number of objects in a list of a line, and how deep the lists are that are counted. Each part
/// becomes an event, or several.
const MOST_PARTS: usize = 10_000;
const WITHIN: usize = 4;

/// Whether a list in a line has more objects than any message of an agent.
fn has_many(json: Json<'_>, depth: usize) -> bool {
    match json.kind() {
        _ if depth == 0 => false,
        Kind::Object => json.raw_members().any(|(_, value)| has_many(value, depth - 1)),
        Kind::Array => {
            json.items().filter(|item| item.is_object()).nth(MOST_PARTS).is_some()
                || json.items().take(MOST_PARTS).any(|item| has_many(item, depth - 1))
        }
        _ => false,
    }
}
