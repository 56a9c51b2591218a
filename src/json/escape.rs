//! Decoding of the escapes in JSON strings (RFC 8259, section 7).

use std::borrow::Cow;

/// The character of the escape at the start of `text`, and the length of the escape in bytes.
/// `None` if there is no valid escape. A lone surrogate becomes U+FFFD.
pub(crate) fn escape(text: &str) -> Option<(char, usize)> {
    let unit = |at: usize| {
        let digits = text.as_bytes().get(at..at + 4)?;
        digits.iter().try_fold(0, |unit, digit| Some(unit * 16 + char::from(*digit).to_digit(16)?))
    };
    let second = || text.as_bytes().get(6..8).filter(|mark| mark == b"\\u").and_then(|_| unit(8));
    match text.as_bytes().get(..2)? {
        b"\\n" => Some(('\n', 2)),
        b"\\t" => Some(('\t', 2)),
        b"\\r" => Some(('\r', 2)),
        b"\\b" => Some(('\u{8}', 2)),
        b"\\f" => Some(('\u{c}', 2)),
        b"\\\"" => Some(('"', 2)),
        b"\\\\" => Some(('\\', 2)),
        b"\\/" => Some(('/', 2)),
        b"\\u" => match (unit(2)?, second()) {
            (high @ 0xD800..=0xDBFF, Some(low @ 0xDC00..=0xDFFF)) => {
                let point = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                Some((char::from_u32(point)?, 12))
            }
            (point, _) => Some((char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER), 6)),
        },
        _ => None,
    }
}

/// Decodes the text between a string's quotes. A backslash without a valid escape is kept.
pub(crate) fn unescape(inner: &str) -> Cow<'_, str> {
    let mut next = memchr::memchr(b'\\', inner.as_bytes());
    if next.is_none() {
        return Cow::Borrowed(inner);
    }
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = next {
        let (character, length) = escape(&rest[at..]).unwrap_or(('\\', 1));
        out.push_str(&rest[..at]);
        out.push(character);
        rest = &rest[at + length..];
        next = memchr::memchr(b'\\', rest.as_bytes());
    }
    out.push_str(rest);
    Cow::Owned(out)
}
