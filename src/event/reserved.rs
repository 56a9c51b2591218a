//! Keys of a payload that only this program writes.

use super::blob;
use crate::json::{Json, Kind};

/// How many secrets were replaced in the event: a number.
pub(crate) const REDACTIONS: &str = "_redactions";

/// A reserved key that a payload holds, at any depth.
#[must_use]
pub(crate) fn reserved_key(data: Json<'_>) -> Option<&'static str> {
    let text = data.text().as_bytes();
    // They begin with one of these, which may be written as an escape.
    let possible = memchr::memchr3_iter(b'$', b'_', b'\\', text).any(|at| match text[at] {
        b'\\' => text.get(at + 1) == Some(&b'u'),
        _ => at > 0 && text[at - 1] == b'"',
    });
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
