//! Keys of a payload that only this program writes.

use super::blob;
use super::json::{Json, Kind};

/// How many secrets were replaced in the event: a number.
pub const REDACTIONS: &str = "_redactions";

/// A reserved key that a payload holds, at any depth.
#[must_use]
pub fn reserved_key(data: Json<'_>) -> Option<&'static str> {
    let text = data.text().as_bytes();
    let holds = |part: &str| memchr::memmem::find(text, part.as_bytes()).is_some();
    let possible = holds(blob::KEY) || holds(REDACTIONS) || holds("\\u00");
    if possible { find(data) } else { None }
}

fn find(value: Json<'_>) -> Option<&'static str> {
    match value.kind() {
        Kind::Object => value.members().find_map(|(key, value)| {
            let own = [blob::KEY, REDACTIONS].into_iter().find(|reserved| key == *reserved);
            own.or_else(|| find(value))
        }),
        Kind::Array => value.items().find_map(find),
        _ => None,
    }
}
