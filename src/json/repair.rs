//! Repairs three faults of JSON that other programs write: half of a surrogate pair (an emoji cut in
//! two), bytes that are not UTF-8, and the numbers `NaN` and `Infinity`, which Python writes.

use std::borrow::Cow;

use memchr::memmem;

/// What stands for a character that is lost, as an escape.
const LOST: &[u8] = br"\ufffd";

/// The numbers that are not JSON.
const NO_NUMBERS: [&[u8]; 3] = [b"NaN", b"Infinity", b"-Infinity"];

/// The text with U+FFFD in place of each half of a surrogate pair and of bytes that are not UTF-8, and
/// with `null` in place of `NaN` and `Infinity`. `None` if there are none.
#[must_use]
pub(crate) fn repaired(text: &[u8]) -> Option<Vec<u8>> {
    let whole = with_whole_characters(text);
    let numbers = with_null_numbers(whole.as_deref().unwrap_or(text));
    numbers.or(whole)
}

/// The text with `null` in place of the numbers that are not JSON. `None` if there are none.
pub(crate) fn with_null_numbers(text: &[u8]) -> Option<Vec<u8>> {
    if NO_NUMBERS.iter().all(|name| memmem::find(text, name).is_none()) {
        return None;
    }
    let mut out = Vec::new();
    let (mut kept, mut at) = (0, 0);
    while let Some(byte) = text.get(at) {
        if *byte == b'"' {
            at = after_string(text, at);
            continue;
        }
        let Some(name) = NO_NUMBERS.iter().find(|name| text[at..].starts_with(name)) else {
            at += 1;
            continue;
        };
        out.extend_from_slice(&text[kept..at]);
        out.extend_from_slice(b"null");
        at += name.len();
        kept = at;
    }
    out.extend_from_slice(&text[kept..]);
    (kept > 0).then_some(out)
}

/// The place after the string that begins at a place, or the end of the text.
fn after_string(text: &[u8], begin: usize) -> usize {
    let mut at = begin + 1;
    while let Some(next) = memchr::memchr2(b'"', b'\\', &text[at.min(text.len())..]) {
        at += next;
        if text[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    text.len()
}

/// The text with U+FFFD in place of each half of a surrogate pair and of bytes that are not UTF-8.
/// `None` if there are none.
fn with_whole_characters(text: &[u8]) -> Option<Vec<u8>> {
    let has_unit = memmem::find(text, br"\u").is_some();
    if !has_unit && std::str::from_utf8(text).is_ok() {
        return None;
    }
    let valid = String::from_utf8_lossy(text);
    let bytes = valid.as_bytes();
    let mut out: Vec<u8> = Vec::new();
    let mut kept = 0;
    let mut at = 0;
    while let Some(next) = memchr::memchr(b'\\', &bytes[at..]) {
        let escape = at + next;
        at = match unit(bytes, escape) {
            // Any other escape has two bytes.
            None => bytes.len().min(escape + 2),
            Some(first @ 0xD800..=0xDFFF) => {
                let is_pair = first < 0xDC00
                    && unit(bytes, escape + 6).is_some_and(|next| (0xDC00..0xE000).contains(&next));
                if is_pair {
                    escape + 12
                } else {
                    out.extend_from_slice(&bytes[kept..escape]);
                    out.extend_from_slice(LOST);
                    kept = escape + 6;
                    kept
                }
            }
            Some(_) => escape + 6,
        };
    }
    if kept == 0 && matches!(valid, Cow::Borrowed(_)) {
        return None;
    }
    out.extend_from_slice(&bytes[kept..]);
    Some(out)
}

/// The UTF-16 unit of the escape `\uXXXX` at a place, if there is one.
fn unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(br"\u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If this fails, a line of another program is lost because of one character, or a good line
    /// is changed.
    #[test]
    fn what_is_lost_is_marked() {
        let in_strings = br#"{"NaN":"-Infinity","a\"":"\\","b":[null],"Infinity":1,"c":"NaN"#;
        let others = [&br#"{"a":"\ud83d\ude00 \n \\ud83d"}"#[..], b"{}", b"\\", br"\u12", b""];
        for good in others.into_iter().chain([&in_strings[..]]) {
            assert_eq!(repaired(good), None, "{}", good.escape_ascii());
        }
        for (bad, fixed) in [
            (&br#"["\ud83d"]"#[..], r#"["\ufffd"]"#),
            (br#"["\ud83dx\ude00"]"#, r#"["\ufffdx\ufffd"]"#),
            (br#"["\ud83d\ud83d\ude00"]"#, r#"["\ufffd\ud83d\ude00"]"#),
            (br#"["\\\ud83d"]"#, r#"["\\\ufffd"]"#),
            (b"[\"a\xff\"]", "[\"a\u{fffd}\"]"),
            (b"{\"a\": NaN, \"NaN\": [-Infinity,Infinity]}", r#"{"a": null, "NaN": [null,null]}"#),
            (b"[NaN,\"\xff\",\"\\\"NaN\"]", "[null,\"\u{fffd}\",\"\\\"NaN\"]"),
            (b"[\"a\xff\\ude00\"]", "[\"a\u{fffd}\\ufffd\"]"),
        ] {
            assert_eq!(repaired(bad).as_deref(), Some(fixed.as_bytes()));
        }
    }
}
