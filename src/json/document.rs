//! Whole documents of this program's own: indented, with a newline at the end.

use serde::Serialize;

/// A document as the text of its file.
///
/// # Panics
/// When a value cannot be serialized. The documents of this program hold strings, numbers, lists
/// and maps with string keys, of which none can fail; an empty file in place of one would hide a
/// bug.
#[must_use]
#[expect(clippy::expect_used, reason = "an empty document would replace a good one")]
pub(crate) fn document<T: Serialize>(value: &T) -> String {
    serde_json::to_string_pretty(value).expect("a document of plain values") + "\n"
}
