//! Large values. A string over the limit is moved into a file named by its hash. The event keeps a
//! reference with the beginning and the end of the string.

use crate::fs::hash::{hex, sha256};
use crate::json::{Json, Kind, ObjectText, escape_into};

/// The key that makes an object a reference.
pub(crate) const KEY: &str = "$blob";
const KEY_START: u8 = KEY.as_bytes()[0];

/// Bytes of a large value that stay in the event at its beginning, and as many at its end.
const KEPT: usize = 512;

/// A value that was moved out of its event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Blob {
    /// Lower-case hex SHA-256 of the content; the name of its file.
    pub hash: String,
    /// The characters of the string.
    pub content: String,
}

/// The object that replaces the value in the event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reference<'a> {
    /// Lower-case hex SHA-256 of the content.
    pub hash: &'a str,
    /// Bytes of the content.
    pub bytes: u64,
    value: Json<'a>,
}

/// What follows the numbers in an excerpt.
const LEFT_OUT: &str = " bytes left out: blobs/";

/// The number of bytes that an excerpt leaves out, if the text has the place where it says so.
#[must_use]
pub(crate) fn left_out_in(text: &str) -> Option<u64> {
    let (before, _) = text.split_once(LEFT_OUT)?;
    let (_, numbers) = before.rsplit_once("… ")?;
    numbers.split_once(" of ")?.0.parse().ok()
}

impl<'a> Reference<'a> {
    /// Reads a value as a reference; `None` if it is not one.
    #[must_use]
    pub(crate) fn of(value: Json<'a>) -> Option<Self> {
        // Logs hold many objects and few references: check the first key first.
        let (key, first) = value.raw_members().next()?;
        if key != KEY {
            return None;
        }
        let hash = first.text().strip_prefix('"')?.strip_suffix('"')?;
        let hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if hash.len() != 64 || !hash.bytes().all(hex) {
            return None;
        }
        Some(Self { hash, bytes: value.get("bytes")?.as_u64()?, value })
    }

    /// The beginning and the end of the content, and between them how much is left out and where it
    /// is. A short content is returned whole.
    #[must_use]
    pub(crate) fn excerpt(&self) -> String {
        let [head, tail] =
            ["head", "tail"].map(|part| self.value.text_at(part).unwrap_or_default());
        let shown = (head.len() + tail.len()) as u64;
        let Some(left_out @ 1..) = self.bytes.checked_sub(shown).filter(|_| !tail.is_empty())
        else {
            return self.preview();
        };
        let Self { bytes, hash, .. } = self;
        format!("{head}\n… {left_out} of {bytes}{LEFT_OUT}{hash} …\n{tail}")
    }

    /// The beginning of the content.
    #[must_use]
    pub(crate) fn head(&self) -> String {
        self.value.text_at("head").unwrap_or_default().into_owned()
    }

    /// The end of the content.
    #[must_use]
    pub(crate) fn tail(&self) -> String {
        self.value.text_at("tail").unwrap_or_default().into_owned()
    }

    /// The value as it is in the event.
    #[must_use]
    pub(crate) fn text(&self) -> &'a str {
        self.value.text()
    }

    /// The beginning of the content and a note of its size. A short content is returned whole.
    #[must_use]
    pub(crate) fn preview(&self) -> String {
        let head = self.head();
        if head.len() as u64 == self.bytes {
            return head;
        }
        format!("{head}… [{} bytes, blobs/{}]", self.bytes, self.hash)
    }
}

/// Moves strings of more than `limit` bytes out of a checked object; `None` if there are none.
#[must_use]
pub(crate) fn move_out(data: Json<'_>, limit: usize) -> Option<(String, Vec<Blob>)> {
    if data.text().len() <= limit {
        return None;
    }
    let mut out = String::new();
    let mut blobs = Vec::new();
    rewrite(data, &mut out, &mut |value, out| {
        // The escaped text is never shorter than the characters.
        let text = (value.kind() == Kind::String && value.text().len() > limit)
            .then(|| value.as_str())
            .flatten()
            .filter(|text| text.len() > limit);
        let Some(text) = text else { return false };
        let hash = hex(&sha256(text.as_bytes()));
        let mut reference = ObjectText::new();
        reference.text(KEY, &hash).plain("bytes", text.len());
        reference.text("head", &text[..text.floor_char_boundary(KEPT)]);
        reference.text("tail", &text[text.ceil_char_boundary(text.len() - KEPT.min(text.len()))..]);
        out.push_str(&reference.finish());
        blobs.push(Blob { hash, content: text.into_owned() });
        true
    });
    (!blobs.is_empty()).then_some((out, blobs))
}

/// Replaces references by their contents. A reference stays where `content` returns `None`.
#[must_use]
pub(crate) fn put_back(
    data: Json<'_>,
    content: &mut impl FnMut(&Reference<'_>) -> Option<String>,
) -> String {
    let mut out = String::new();
    rewrite(data, &mut out, &mut |value, out| {
        let content = Reference::of(value).and_then(|reference| content(&reference));
        let Some(content) = content else { return false };
        escape_into(&content, out);
        true
    });
    out
}

/// Calls `each` with each reference in a value.
pub(crate) fn references<'a>(value: Json<'a>, each: &mut impl FnMut(&Reference<'a>)) {
    let text = value.text().as_bytes();
    if !memchr::memchr_iter(KEY_START, text).any(|at| text[at..].starts_with(KEY.as_bytes())) {
        return;
    }
    match (Reference::of(value), value.kind()) {
        (Some(reference), _) => each(&reference),
        (None, Kind::Object) => value.raw_members().for_each(|(_, value)| references(value, each)),
        (None, Kind::Array) => value.items().for_each(|value| references(value, each)),
        _ => {}
    }
}

/// Calls `each` with every value that has the key of a reference and is none.
pub(crate) fn malformed_references<'a>(value: Json<'a>, each: &mut impl FnMut(Json<'a>)) {
    let text = value.text().as_bytes();
    if !memchr::memchr_iter(KEY_START, text).any(|at| text[at..].starts_with(KEY.as_bytes())) {
        return;
    }
    match value.kind() {
        Kind::Object if Reference::of(value).is_some() => {}
        Kind::Object => {
            if value.raw_members().any(|(key, _)| key == KEY) {
                each(value);
            }
            value.raw_members().for_each(|(_, value)| malformed_references(value, each));
        }
        Kind::Array => value.items().for_each(|value| malformed_references(value, each)),
        _ => {}
    }
}

/// Writes a value as compact JSON. `replace` returns true if it wrote something in its place.
fn rewrite(
    value: Json<'_>,
    out: &mut String,
    replace: &mut impl FnMut(Json<'_>, &mut String) -> bool,
) {
    if replace(value, out) {
        return;
    }
    match value.kind() {
        Kind::Object => {
            out.push('{');
            for (index, (key, value)) in value.raw_members().enumerate() {
                out.push_str(if index > 0 { ",\"" } else { "\"" });
                out.push_str(key);
                out.push_str("\":");
                rewrite(value, out, replace);
            }
            out.push('}');
        }
        Kind::Array => {
            out.push('[');
            for (index, value) in value.items().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                rewrite(value, out, replace);
            }
            out.push(']');
        }
        _ => out.push_str(value.text()),
    }
}
