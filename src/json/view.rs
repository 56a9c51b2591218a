//! A borrowed view of checked JSON text.

use std::borrow::Cow;

use super::check::plain_length;
use super::escape::unescape;

/// One JSON value as its own checked text.
///
/// Reading is lazy: [`Json::get`] and the iterators walk the text without copying. On unchecked
/// text they end early and do not panic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Json<'a>(&'a str);

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
    pub const EMPTY: Json<'static> = Json("{}");
    /// `null`.
    pub const NULL: Json<'static> = Json("null");

    /// Wraps text that is known to be one JSON value without white space around it.
    pub(crate) fn trusted(text: &'a str) -> Self {
        Self(text)
    }

    /// The value at the beginning of a text, which must begin with a value.
    pub(crate) fn leading(text: &'a str) -> Self {
        Self(text.get(..value_end(text, 0)).unwrap_or_default())
    }

    /// The value's own text, byte for byte.
    #[must_use]
    pub fn text(self) -> &'a str {
        self.0
    }

    /// The kind of the value.
    #[must_use]
    pub fn kind(self) -> Kind {
        match self.0.as_bytes().first() {
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
        let inner = self.0.strip_prefix('"')?.strip_suffix('"')?;
        Some(unescape(inner))
    }

    /// The boolean; `None` for other kinds.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        match self.0 {
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
        self.0.parse().ok().filter(|number: &f64| number.is_finite())
    }

    /// The number as a `u64`; `None` for any other value.
    #[must_use]
    pub fn as_u64(self) -> Option<u64> {
        if let Ok(number) = self.0.parse() {
            return Some(number);
        }
        let number = self.as_f64()?;
        (number.fract() == 0.0 && (0.0..9_007_199_254_740_992.0).contains(&number))
            .then_some(number as u64)
    }

    /// The first member with that name; `None` if it is missing or this is not an object.
    #[must_use]
    pub fn get(self, key: &str) -> Option<Json<'a>> {
        let named = |raw: &str| {
            raw == key || (memchr::memchr(b'\\', raw.as_bytes()).is_some() && unescape(raw) == key)
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
        let text = self.0;
        let mut at = if self.is_object() { 1 } else { text.len() };
        std::iter::from_fn(move || {
            at = skip(text, at, b',');
            if text.as_bytes().get(at) != Some(&b'"') {
                return None;
            }
            let key_end = string_end(text.as_bytes(), at);
            let key = text.get(at + 1..key_end - 1)?;
            let start = skip(text, key_end, b':');
            at = value_end(text, start);
            Some((key, Json(text.get(start..at)?)))
        })
    }

    /// Each element of a list, in order; nothing for other kinds.
    pub fn items(self) -> impl Iterator<Item = Json<'a>> {
        let text = self.0;
        let mut at = if self.kind() == Kind::Array { 1 } else { text.len() };
        std::iter::from_fn(move || {
            at = skip(text, at, b',');
            if matches!(text.as_bytes().get(at), None | Some(b']')) {
                return None;
            }
            let start = at;
            at = value_end(text, start);
            text.get(start..at).filter(|item| !item.is_empty()).map(Json)
        })
    }

    /// The same value without white space between its tokens. The tokens are unchanged.
    #[must_use]
    pub fn compact(self) -> Cow<'a, str> {
        let bytes = self.0.as_bytes();
        let mut out = String::new();
        let mut kept = 0;
        let mut at = 0;
        while at < bytes.len() {
            match bytes[at] {
                b'"' => at = value_end(self.0, at),
                b' ' | b'\t' | b'\r' | b'\n' => {
                    out.push_str(&self.0[kept..at]);
                    at = skip(self.0, at, b' ');
                    kept = at;
                }
                _ => at += 1,
            }
        }
        if kept == 0 {
            return Cow::Borrowed(self.0);
        }
        out.push_str(&self.0[kept..]);
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
fn value_end(text: &str, mut at: usize) -> usize {
    let bytes = text.as_bytes();
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

/// The end of the string whose opening quote is at `at`, after its closing quote.
fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    // Most strings are short.
    let near = &bytes[at.min(bytes.len())..bytes.len().min(at + 64)];
    at += plain_length(near);
    if bytes.get(at) == Some(&b'"') {
        return at + 1;
    }
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        at += found;
        if bytes[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    bytes.len()
}
