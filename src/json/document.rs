//! JSON documents that this program writes: indented, with a newline at the end.

use serde::Serialize;

/// A document as the text of its file.
///
/// # Panics
/// If a value cannot be serialized. The documents hold strings, numbers, lists and maps with string
/// keys, so this is a bug. A panic is better than replacing a file by an empty one.
#[must_use]
#[expect(clippy::expect_used, reason = "an empty document would replace a valid one")]
pub(crate) fn document<T: Serialize>(value: &T) -> String {
    serde_json::to_string_pretty(value).expect("a document of plain values") + "\n"
}
