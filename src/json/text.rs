//! Writing compact JSON text.

use super::plain::plain_length;
use super::view::Json;

/// Writes an object as compact JSON, member by member, in the order of the calls.
#[derive(Clone, Debug)]
pub struct ObjectText {
    text: String,
}

impl Default for ObjectText {
    fn default() -> Self {
        Self::new()
    }
}

impl ObjectText {
    /// An object without members.
    #[must_use]
    pub fn new() -> Self {
        Self { text: "{".to_owned() }
    }

    /// Goes on with a finished object, without copying it.
    #[must_use]
    pub(crate) fn reopened(finished: String) -> Self {
        let mut text = finished;
        match text.pop() {
            Some('}') => Self { text },
            // This is not an object.
            _ => Self::new(),
        }
    }

    /// Makes room for that many more bytes.
    pub(crate) fn reserve(&mut self, bytes: usize) {
        self.text.reserve(bytes);
    }

    /// Whether no member has been written yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.len() == "{".len()
    }

    /// Adds a member whose value is JSON.
    pub fn json(&mut self, key: &str, value: Json<'_>) -> &mut Self {
        self.key(key);
        self.text.push_str(value.text());
        self
    }

    /// Adds a string member.
    pub fn text(&mut self, key: &str, value: &str) -> &mut Self {
        self.key(key);
        escape_into(value, &mut self.text);
        self
    }

    /// Adds a string member if there is a value.
    pub fn text_if(&mut self, key: &str, value: Option<&str>) -> &mut Self {
        if let Some(value) = value {
            self.text(key, value);
        }
        self
    }

    /// Adds a number, a boolean, or any value that prints as JSON.
    pub fn plain(&mut self, key: &str, value: impl std::fmt::Display) -> &mut Self {
        use std::fmt::Write as _;
        self.key(key);
        let _ = write!(self.text, "{value}");
        self
    }

    /// Adds all members of another object.
    pub fn members(&mut self, object: Json<'_>) -> &mut Self {
        for (key, value) in object.raw_members() {
            self.raw_key(key);
            self.text.push_str(value.text());
        }
        self
    }

    /// The finished object.
    #[must_use]
    pub fn finish(mut self) -> String {
        self.text.push('}');
        self.text
    }

    fn key(&mut self, key: &str) {
        if plain_length(key.as_bytes()) == key.len() {
            return self.raw_key(key);
        }
        self.comma();
        escape_into(key, &mut self.text);
        self.text.push(':');
    }

    fn raw_key(&mut self, key: &str) {
        self.comma();
        self.text.push('"');
        self.text.push_str(key);
        self.text.push_str("\":");
    }

    fn comma(&mut self) {
        if !self.is_empty() {
            self.text.push(',');
        }
    }
}

/// Appends `text` as a JSON string with its quotes.
pub(crate) fn escape_into(text: &str, out: &mut String) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.reserve(text.len() + 2);
    out.push('"');
    let mut rest = text;
    loop {
        let (plain, special) = rest.split_at(plain_length(rest.as_bytes()));
        out.push_str(plain);
        let Some(byte) = special.bytes().next() else { break };
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x08 => out.push_str("\\b"),
            0x0c => out.push_str("\\f"),
            other => {
                out.push_str("\\u00");
                out.push(char::from(HEX[usize::from(other >> 4)]));
                out.push(char::from(HEX[usize::from(other & 15)]));
            }
        }
        rest = &special[1..];
    }
    out.push('"');
}

/// `text` as a JSON string with its quotes.
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut out = String::new();
    escape_into(text, &mut out);
    out
}
