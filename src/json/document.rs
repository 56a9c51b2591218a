//! JSON documents that this program writes: indented, with a newline at the end.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde::Serialize;

use crate::text::inert::is_live;

/// A document as the text of its file. Characters that could control a terminal or reorder text are
/// escaped, so that it can be printed; programs read them unchanged.
///
/// # Panics
/// If a value cannot be serialized. The documents hold strings, numbers, lists and maps with string
/// keys, so this is a bug. A panic is better than replacing a file by an empty one.
#[must_use]
#[expect(clippy::expect_used, reason = "an empty document would replace a valid one")]
pub(crate) fn document<T: Serialize>(value: &T) -> String {
    let text = serde_json::to_string_pretty(value).expect("a document of plain values") + "\n";
    escape_live(&text).into_owned()
}

/// The same in one line, without a newline at the end: for programs that send it on.
///
/// # Panics
/// As [`document`].
#[cfg(feature = "mcp")]
#[must_use]
#[expect(clippy::expect_used, reason = "an empty document would be taken for an answer")]
pub(crate) fn one_line<T: Serialize>(value: &T) -> String {
    let text = serde_json::to_string(value).expect("a document of plain values");
    escape_live(&text).into_owned()
}

/// JSON text in which characters that could control a terminal or reorder text are escaped. Programs
/// read it unchanged.
#[must_use]
pub(crate) fn escape_live(text: &str) -> Cow<'_, str> {
    // The other control characters are escaped in all JSON; outside strings they are white space.
    let live = |c: char| c == '\u{7f}' || !c.is_ascii() && is_live(c);
    if !text.contains(live) {
        return Cow::Borrowed(text);
    }
    // Outside strings, JSON is ASCII.
    let mut out = String::with_capacity(text.len() + 64);
    for character in text.chars() {
        if live(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(character);
        }
    }
    Cow::Owned(out)
}
