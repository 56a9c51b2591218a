//! JSON text for readers that refuse escapes of lone surrogates (`"\ud800"`).

use std::borrow::Cow;

/// The same text, in which each escape of a lone surrogate is the escape of U+FFFD.
#[must_use]
pub(super) fn without_lone_surrogates(text: &str) -> Cow<'_, str> {
    let is_surrogate = |at: usize| {
        let escape = text.as_bytes().get(at..at + 4);
        escape.is_some_and(|escape| escape.starts_with(b"\\u") && matches!(escape[2], b'd' | b'D'))
    };
    if !memchr::memchr_iter(b'\\', text.as_bytes()).any(is_surrogate) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        // A valid escape is two characters long, or six, or twelve for a pair of surrogates.
        let length = match (unit(escape), escape.get(6..).and_then(unit)) {
            (None, _) => 2,
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                out.push_str("\\ufffd");
                rest = escape.get(6..).unwrap_or_default();
                continue;
            }
            (Some(_), _) => 6,
        };
        let length = escape.ceil_char_boundary(length.min(escape.len()));
        out.push_str(&escape[..length]);
        rest = &escape[length..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The code unit of the escape `\uXXXX` at the start of a text.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::without_lone_surrogates as cleaned;

    /// If this fails, readers in Python refuse an exported run, or characters are lost.
    #[test]
    fn only_lone_surrogates_change() {
        for (text, expected) in [
            (r#"{"a":"\ud83d\ude00\n\u00e9"}"#, r#"{"a":"\ud83d\ude00\n\u00e9"}"#),
            (r#"["\ud83d"]"#, r#"["\ufffd"]"#),
            (r#"["\uDE00\ud83d\uD83D\uDE00"]"#, r#"["\ufffd\ufffd\uD83D\uDE00"]"#),
            (r#"["\\ud83d","é\ud83dé"]"#, r#"["\\ud83d","é\ufffdé"]"#),
        ] {
            assert_eq!(cleaned(text), expected);
        }
    }
}
