//! A borrowed view of checked JSON text.

use std::borrow::Cow;
use std::fmt;

use super::escape::unescape;
use super::index::{JsonIndex, LONG};
use super::plain::plain_length;

/// One JSON value as its own checked text.
///
/// Reading is lazy: [`Json::get`] and the iterators read its index, or walk the text, without copying. On unchecked
/// text they end early and do not panic.
#[derive(Clone, Copy)]
pub struct Json<'a> {
    text: &'a str,
    /// The index of the document, if there is one.
    index: Option<&'a JsonIndex>,
}

impl PartialEq for Json<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Json<'_> {}

impl fmt::Debug for Json<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Json").field(&self.text).finish()
    }
}

/// The six kinds of JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// any number
    Number,
    /// a string
    String,
    /// a list
    Array,
    /// an object
    Object,
}

impl<'a> Json<'a> {
    /// The empty object.
    pub const EMPTY: Json<'static> = Json { text: "{}", index: None };
    /// `null`.
    pub const NULL: Json<'static> = Json { text: "null", index: None };

    /// Wraps text that is known to be one JSON value without white space around it.
    pub(crate) fn trusted(text: &'a str) -> Self {
        Self { text, index: None }
    }

    /// The same, for a part of a document with an index.
    pub(super) fn indexed(text: &'a str, index: &'a JsonIndex) -> Self {
        Self { text, index: Some(index) }
    }

    /// Whether its parts are found by an index.
    pub(crate) fn has_index(self) -> bool {
        self.index.is_some()
    }

    /// A part of this value.
    pub(super) fn part(self, text: &'a str) -> Self {
        Self { text, ..self }
    }

    /// The end of the value at `at`.
    fn end_of(self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        let Some(index) = self.index else { return value_end(bytes, at) };
        match bytes.get(at) {
            // Most strings are short, and then the index does not have them.
            Some(b'"') => short_string_end(bytes, at)
                .or_else(|| Some(at + index.long_length(self.text, at)?))
                .unwrap_or_else(|| string_end(bytes, at)),
            Some(b'{' | b'[') => index
                .long_length(self.text, at)
                .map_or_else(|| value_end(bytes, at), |length| at + length),
            _ => value_end(bytes, at),
        }
    }

    /// The value at the beginning of a text, which must begin with a value.
    pub(crate) fn leading(text: &'a str) -> Self {
        Self::trusted(text.get(..value_end(text.as_bytes(), 0)).unwrap_or_default())
    }

    /// The value's own text, byte for byte.
    #[must_use]
    pub fn text(self) -> &'a str {
        self.text
    }

    /// The kind of the value.
    #[must_use]
    pub fn kind(self) -> Kind {
        match self.text.as_bytes().first() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            Some(b't' | b'f') => Kind::Bool,
            Some(b'n') | None => Kind::Null,
            Some(_) => Kind::Number,
        }
    }

    /// Whether this is `null`.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// Whether this is an object.
    #[must_use]
    pub fn is_object(self) -> bool {
        self.kind() == Kind::Object
    }

    /// The string's characters, unescaped; `None` for other kinds.
    #[must_use]
    pub fn as_str(self) -> Option<Cow<'a, str>> {
        let inner = self.text.strip_prefix('"')?.strip_suffix('"')?;
        Some(unescape(inner))
    }

    /// The boolean; `None` for other kinds.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        match self.text {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// The number as the nearest double; `None` for other kinds and for infinite results (`1e400`).
    #[must_use]
    pub fn as_f64(self) -> Option<f64> {
        if self.kind() != Kind::Number {
            return None;
        }
        self.text.parse().ok().filter(|number: &f64| number.is_finite())
    }

    /// The number as a `u64`; `None` for any other value.
    #[must_use]
    pub fn as_u64(self) -> Option<u64> {
        if let Ok(number) = self.text.parse() {
            return Some(number);
        }
        let number = self.as_f64()?;
        (number.fract() == 0.0 && (0.0..9_007_199_254_740_992.0).contains(&number))
            .then_some(number as u64)
    }

    /// The first member with that name; `None` if it is missing or this is not an object.
    #[must_use]
    pub fn get(self, key: &str) -> Option<Json<'a>> {
        // With escapes, a name is longer than what it stands for.
        let named = |raw: &str| {
            raw == key || (raw.len() > key.len() && has_escape(raw) && unescape(raw) == key)
        };
        self.raw_members().find(|(raw, _)| named(raw)).map(|(_, value)| value)
    }

    /// Like [`Json::get`], but `null` counts as missing.
    #[must_use]
    pub fn present(self, key: &str) -> Option<Json<'a>> {
        self.get(key).filter(|value| !value.is_null())
    }

    /// The value at a dotted path (`error.message`); `null` counts as missing.
    #[must_use]
    pub fn path(self, dotted: &str) -> Option<Json<'a>> {
        dotted.split('.').try_fold(self, Json::present)
    }

    /// The string at a dotted path.
    #[must_use]
    pub fn text_at(self, dotted: &str) -> Option<Cow<'a, str>> {
        self.path(dotted)?.as_str()
    }

    /// The name and value of each member, in order; nothing for other kinds.
    pub fn members(self) -> impl Iterator<Item = (Cow<'a, str>, Json<'a>)> {
        self.raw_members().map(|(key, value)| (unescape(key), value))
    }

    /// Like [`Json::members`], but with raw names, as written between their quotes.
    pub fn raw_members(self) -> impl Iterator<Item = (&'a str, Json<'a>)> {
        let text = self.text;
        let mut at = if self.is_object() { 1 } else { text.len() };
        let mut known = self.index.and_then(|index| index.members_of(text));
        std::iter::from_fn(move || {
            if let Some(known) = &mut known {
                return known.next().map(|(key, value)| (key, self.part(value)));
            }
            at = skip(text, at, b',');
            if text.as_bytes().get(at) != Some(&b'"') {
                return None;
            }
            let key_end = string_end(text.as_bytes(), at);
            let key = text.get(at + 1..key_end - 1)?;
            let start = skip(text, key_end, b':');
            at = self.end_of(start);
            Some((key, self.part(text.get(start..at)?)))
        })
    }

    /// Each element of a list, in order; nothing for other kinds.
    pub fn items(self) -> impl Iterator<Item = Json<'a>> {
        let text = self.text;
        let mut at = if self.kind() == Kind::Array { 1 } else { text.len() };
        std::iter::from_fn(move || {
            at = skip(text, at, b',');
            if matches!(text.as_bytes().get(at), None | Some(b']')) {
                return None;
            }
            let start = at;
            at = self.end_of(start);
            text.get(start..at).filter(|item| !item.is_empty()).map(|item| self.part(item))
        })
    }

    /// The same value without white space between its tokens. The tokens are unchanged.
    #[must_use]
    pub fn compact(self) -> Cow<'a, str> {
        if self.index.is_some_and(JsonIndex::is_compact) {
            return Cow::Borrowed(self.text);
        }
        let bytes = self.text.as_bytes();
        let mut out = String::new();
        let mut kept = 0;
        let mut at = 0;
        while at < bytes.len() {
            match bytes[at] {
                b'"' => at = self.end_of(at),
                b' ' | b'\t' | b'\r' | b'\n' => {
                    out.push_str(&self.text[kept..at]);
                    at = skip(self.text, at, b' ');
                    kept = at;
                }
                _ => at += 1,
            }
        }
        if kept == 0 {
            return Cow::Borrowed(self.text);
        }
        out.push_str(&self.text[kept..]);
        Cow::Owned(out)
    }
}

/// The first position from `at` on that is neither white space nor `mark`.
fn skip(text: &str, mut at: usize, mark: u8) -> usize {
    let bytes = text.as_bytes();
    while bytes
        .get(at)
        .is_some_and(|byte| *byte == mark || matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
    {
        at += 1;
    }
    at
}

/// The end of the value that starts at `at`.
fn value_end(bytes: &[u8], mut at: usize) -> usize {
    let mut depth = 0_usize;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => at = string_end(bytes, at),
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                at += 1;
            }
            _ if depth == 0 => {
                while bytes.get(at).is_some_and(|byte| !b",:]} \t\r\n".contains(byte)) {
                    at += 1;
                }
            }
            _ => {
                let rest = &bytes[at..];
                at += rest
                    .iter()
                    .position(|byte| matches!(byte, b'"' | b'{' | b'[' | b'}' | b']'))
                    .unwrap_or(rest.len());
            }
        }
        if depth == 0 {
            return at;
        }
    }
    bytes.len()
}

/// Whether a name has escapes. Names are short.
pub(super) fn has_escape(name: &str) -> bool {
    name.bytes().any(|byte| byte == b'\\')
}

/// The end of the string whose opening quote is at `at`, if it is short and has no escape.
#[inline]
fn short_string_end(bytes: &[u8], at: usize) -> Option<usize> {
    let from = (at + 1).min(bytes.len());
    let near = &bytes[from..bytes.len().min(from + LONG)];
    let end = from + plain_length(near);
    (bytes.get(end) == Some(&b'"')).then_some(end + 1)
}

/// The end of the string whose opening quote is at `at`, after its closing quote.
fn string_end(bytes: &[u8], at: usize) -> usize {
    if let Some(end) = short_string_end(bytes, at) {
        return end;
    }
    let mut at = at + 1;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        at += found;
        if bytes[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    bytes.len()
}
