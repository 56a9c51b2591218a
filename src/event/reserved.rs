//! Payload keys that only this program may write.

use super::blob;
use crate::json::{Json, Kind};

/// The number of secrets replaced in the event.
pub(crate) const REDACTIONS: &str = "_redactions";

/// A reserved key in a payload, at any depth.
#[must_use]
pub(crate) fn reserved_key(data: Json<'_>) -> Option<&'static str> {
    let text = data.text().as_bytes();
    // A reserved key begins with `$` or `_`, which may be escaped.
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
