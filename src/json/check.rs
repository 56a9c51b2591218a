//! The JSON checker: one pass over the bytes.
//!
//! It is iterative, so deep nesting needs heap, not stack. It takes linear time, except for sorting
//! the keys of very wide objects.

use std::borrow::Cow;
use std::fmt;

use super::escape::unescape;
use super::index::JsonIndex;
use super::plain::plain_length;
use super::view::Json;

/// Maximum nesting of lists and objects in a log.
pub(crate) const MAX_DEPTH: usize = 64;

/// Rules of [`check`] beyond the grammar.
#[derive(Clone, Copy, Debug)]
pub struct JsonRules {
    /// Maximum nesting of lists and objects.
    pub max_depth: usize,
    /// Whether an object may have the same key twice (imports keep such lines as text).
    pub duplicate_keys: bool,
}

impl JsonRules {
    /// For every line that enters a log.
    pub const STRICT: Self = Self { max_depth: MAX_DEPTH, duplicate_keys: false };
    /// For the payload in such a line. The envelope around it uses one level of the depth.
    pub const PAYLOAD: Self = Self { max_depth: MAX_DEPTH - 1, ..Self::STRICT };
    /// For lines of other programs, which are only read.
    pub const LENIENT: Self = Self { max_depth: 512, duplicate_keys: true };
}

/// An error in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Not UTF-8; the offset is the first bad byte.
    Utf8,
    /// Starts with a byte order mark (or is UTF-16).
    ByteOrderMark,
    /// This was expected here.
    Expected(&'static str),
    /// The document ends too early.
    Truncated,
    /// Text after the document.
    Trailing,
    /// A raw control character inside a string.
    ControlCharacter,
    /// An unknown or incomplete escape.
    Escape,
    /// Half of a UTF-16 surrogate pair.
    LoneSurrogate,
    /// A malformed number.
    Number,
    /// The same key twice in one object (also when only equal after unescaping).
    DuplicateKey(String),
    /// Nested deeper than allowed.
    Depth(usize),
}

/// The reason why bytes are not an acceptable document, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// Byte offset from the start of the text.
    pub offset: usize,
    /// The error.
    pub fault: Fault,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.fault {
            Fault::Utf8 => write!(f, "not UTF-8")?,
            Fault::ByteOrderMark => write!(f, "not valid JSON: a byte order mark")?,
            Fault::Expected(what) => write!(f, "not valid JSON: expected {what}")?,
            Fault::Truncated => write!(f, "not valid JSON: the text ends too early")?,
            Fault::Trailing => write!(f, "not valid JSON: text after the value")?,
            Fault::ControlCharacter => write!(f, "not valid JSON: control character in a string")?,
            Fault::Escape => write!(f, "not valid JSON: an invalid escape")?,
            Fault::LoneSurrogate => write!(f, "a lone surrogate in a string")?,
            Fault::Number => write!(f, "not valid JSON: a malformed number")?,
            Fault::DuplicateKey(key) => write!(f, "duplicate key {}", super::quoted(key))?,
            Fault::Depth(max) => write!(f, "nested deeper than {max} levels")?,
        }
        write!(f, " at byte {} (column {})", self.offset, self.offset + 1)
    }
}

impl std::error::Error for JsonError {}

/// Checks that `bytes` are one JSON document. White space around it is allowed.
///
/// # Errors
/// The first error, with its byte offset.
pub fn check(bytes: &[u8], rules: JsonRules) -> Result<Json<'_>, JsonError> {
    check_each(bytes, rules, |_, _| {})
}

/// Like [`check`]. Also calls `member` with each member of the outermost object, in the form of
/// [`Json::raw_members`]. It may be called before an error is found.
///
/// # Errors
/// The first error, with its byte offset.
pub(crate) fn check_each<'a>(
    bytes: &'a [u8],
    rules: JsonRules,
    member: impl FnMut(&'a str, Json<'a>),
) -> Result<Json<'a>, JsonError> {
    let text = utf8(bytes)?;
    let (start, end) = Scan::new(text, rules, member, None).document()?;
    Ok(Json::trusted(&text[start..end]))
}

impl JsonIndex {
    /// Checks a document like [`check`], and keeps what it finds.
    ///
    /// # Errors
    /// The first error, with its byte offset.
    pub(crate) fn check<'a>(
        &'a mut self,
        bytes: &'a [u8],
        rules: JsonRules,
    ) -> Result<Json<'a>, JsonError> {
        self.begin(bytes);
        let text = utf8(bytes)?;
        let (start, end) = Scan::new(text, rules, |_, _: Json<'_>| {}, Some(self)).document()?;
        Ok(Json::indexed(&text[start..end], self))
    }
}

/// The bytes as text without a byte order mark.
fn utf8(bytes: &[u8]) -> Result<&str, JsonError> {
    if bytes.starts_with(b"\xEF\xBB\xBF")
        || bytes.starts_with(b"\xFF\xFE")
        || bytes.starts_with(b"\xFE\xFF")
    {
        return Err(JsonError { offset: 0, fault: Fault::ByteOrderMark });
    }
    std::str::from_utf8(bytes)
        .map_err(|e| JsonError { offset: e.valid_up_to(), fault: Fault::Utf8 })
}

/// Checks the document at the beginning of a text. Other text may follow it.
///
/// # Errors
/// The first error, with its byte offset.
pub(crate) fn check_leading(text: &str, rules: JsonRules) -> Result<Json<'_>, JsonError> {
    let (start, end) = Scan::new(text, rules, |_, _: Json<'_>| {}, None).leading()?;
    Ok(Json::trusted(&text[start..end]))
}

/// Most documents have fewer lists and objects open at once.
const OPEN: usize = 16;

/// One open list or object.
struct Frame {
    object: bool,
    /// Index into `keys` of the object's first key.
    first_key: usize,
    /// Its number in the index.
    place: usize,
}

struct Scan<'a, 'l, M> {
    bytes: &'a [u8],
    text: &'a str,
    at: usize,
    rules: JsonRules,
    open: Vec<Frame>,
    /// Raw keys (offset, text between the quotes) of all open objects.
    keys: Vec<(usize, &'a str)>,
    /// Called with the members of the outermost object.
    member: M,
    /// Offset of the value of the last such member.
    value_at: usize,
    /// Whether there is white space between tokens.
    spaced: bool,
    /// Takes what is found.
    index: Option<&'l mut JsonIndex>,
}

impl<'a, 'l, M: FnMut(&'a str, Json<'a>)> Scan<'a, 'l, M> {
    fn new(text: &'a str, rules: JsonRules, member: M, index: Option<&'l mut JsonIndex>) -> Self {
        let (open, keys) = (Vec::with_capacity(OPEN), Vec::with_capacity(OPEN));
        Self {
            bytes: text.as_bytes(),
            text,
            at: 0,
            rules,
            open,
            keys,
            member,
            value_at: 0,
            spaced: false,
            index,
        }
    }

    fn document(&mut self) -> Result<(usize, usize), JsonError> {
        self.space();
        self.spaced = false;
        let place = self.leading()?;
        if let Some(index) = &mut self.index {
            index.finish(place, !self.spaced);
        }
        self.space();
        if self.at < self.bytes.len() { self.fail(Fault::Trailing) } else { Ok(place) }
    }

    /// Reads the value at the current position and returns its start and end.
    fn leading(&mut self) -> Result<(usize, usize), JsonError> {
        let start = self.at;
        loop {
            if self.value()? {
                continue;
            }
            if !self.after_value()? {
                break;
            }
        }
        Ok((start, self.at))
    }

    /// Reads one value. True if it opened a container; the container's first value comes next.
    fn value(&mut self) -> Result<bool, JsonError> {
        match self.peek() {
            Some(b'{') => {
                self.push(true)?;
                self.space();
                if self.peek() == Some(b'}') {
                    self.close()?;
                    return Ok(false);
                }
                self.key()?;
                Ok(true)
            }
            Some(b'[') => {
                self.push(false)?;
                self.space();
                if self.peek() == Some(b']') {
                    self.close()?;
                    return Ok(false);
                }
                Ok(true)
            }
            Some(b'"') => self.string().map(|_| false),
            Some(b'-' | b'0'..=b'9') => self.number().map(|()| false),
            Some(b't') => self.word("true").map(|()| false),
            Some(b'f') => self.word("false").map(|()| false),
            Some(b'n') => self.word("null").map(|()| false),
            Some(_) => self.fail(Fault::Expected("a value")),
            None => self.fail(Fault::Truncated),
        }
    }

    /// Closes the containers that end here. True if another value follows.
    fn after_value(&mut self) -> Result<bool, JsonError> {
        while let Some(frame) = self.open.last() {
            let object = frame.object;
            if let [Frame { object: true, .. }] = self.open.as_slice()
                && let Some((key_at, key)) = self.keys.last()
            {
                if let Some(index) = &mut self.index {
                    index.add_member(key, key_at + 1, (self.value_at, self.at));
                }
                (self.member)(key, Json::trusted(&self.text[self.value_at..self.at]));
            }
            self.space();
            match self.peek() {
                Some(b',') => {
                    self.at += 1;
                    self.space();
                    if object {
                        self.key()?;
                    }
                    return Ok(true);
                }
                Some(b'}') if object => self.close()?,
                Some(b']') if !object => self.close()?,
                Some(_) if object => return self.fail(Fault::Expected("`,` or `}`")),
                Some(_) => return self.fail(Fault::Expected("`,` or `]`")),
                None => return self.fail(Fault::Truncated),
            }
        }
        Ok(false)
    }

    fn push(&mut self, object: bool) -> Result<(), JsonError> {
        if self.open.len() >= self.rules.max_depth {
            return self.fail(Fault::Depth(self.rules.max_depth));
        }
        let place = self.index.as_mut().map_or(0, |index| index.open(self.at));
        self.open.push(Frame { object, first_key: self.keys.len(), place });
        self.at += 1;
        Ok(())
    }

    fn close(&mut self) -> Result<(), JsonError> {
        self.at += 1;
        let Some(frame) = self.open.pop() else { return Ok(()) };
        if let Some(index) = &mut self.index {
            index.close(frame.place, self.at);
        }
        if frame.object {
            if !self.rules.duplicate_keys
                && let Some((offset, key)) = repeated(&self.keys[frame.first_key..])
            {
                return Err(JsonError { offset, fault: Fault::DuplicateKey(key) });
            }
            self.keys.truncate(frame.first_key);
        }
        Ok(())
    }

    fn key(&mut self) -> Result<(), JsonError> {
        match self.peek() {
            Some(b'"') => {}
            Some(_) => return self.fail(Fault::Expected("a quoted key")),
            None => return self.fail(Fault::Truncated),
        }
        let start = self.at;
        let (from, to) = self.string()?;
        let outermost = self.open.len() == 1;
        if !self.rules.duplicate_keys || outermost {
            self.keys.push((start, &self.text[from..to]));
        }
        self.space();
        match self.peek() {
            Some(b':') => self.at += 1,
            Some(_) => return self.fail(Fault::Expected("`:`")),
            None => return self.fail(Fault::Truncated),
        }
        self.space();
        if outermost {
            self.value_at = self.at;
        }
        Ok(())
    }

    /// Reads a string and returns the range between its quotes.
    fn string(&mut self) -> Result<(usize, usize), JsonError> {
        let from = self.at + 1;
        self.at = from;
        loop {
            self.at += plain_length(&self.bytes[self.at..]);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    if let Some(index) = &mut self.index {
                        index.add_string(from - 1, self.at);
                    }
                    return Ok((from, self.at - 1));
                }
                Some(b'\\') => self.escape()?,
                Some(_) => return self.fail(Fault::ControlCharacter),
                None => return self.fail(Fault::Truncated),
            }
        }
    }

    fn escape(&mut self) -> Result<(), JsonError> {
        let start = self.at;
        match self.bytes.get(start + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.at += 2;
                return Ok(());
            }
            Some(b'u') => {}
            Some(_) => return self.fail(Fault::Escape),
            None => return self.fail(Fault::Truncated),
        }
        let Some(unit) = self.hex(start + 2) else { return self.fail(Fault::Escape) };
        self.at += 6;
        match unit {
            0xD800..=0xDBFF => {
                let low = (self.bytes.get(self.at..self.at + 2) == Some(b"\\u"))
                    .then(|| self.hex(self.at + 2))
                    .flatten();
                if !matches!(low, Some(0xDC00..=0xDFFF)) {
                    return Err(JsonError { offset: start, fault: Fault::LoneSurrogate });
                }
                self.at += 6;
                Ok(())
            }
            0xDC00..=0xDFFF => Err(JsonError { offset: start, fault: Fault::LoneSurrogate }),
            _ => Ok(()),
        }
    }

    fn hex(&self, at: usize) -> Option<u32> {
        let digits = self.bytes.get(at..at + 4)?;
        digits.iter().try_fold(0, |unit, &digit| Some(unit * 16 + char::from(digit).to_digit(16)?))
    }

    fn number(&mut self) -> Result<(), JsonError> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let whole = self.digits();
        let leading_zero = whole > 1 && self.bytes[self.at - whole] == b'0';
        let mut good = whole > 0 && !leading_zero;
        if self.peek() == Some(b'.') {
            self.at += 1;
            good &= self.digits() > 0;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            good &= self.digits() > 0;
        }
        if good { Ok(()) } else { Err(JsonError { offset: start, fault: Fault::Number }) }
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at - start
    }

    fn word(&mut self, word: &'static str) -> Result<(), JsonError> {
        if self.bytes[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            Ok(())
        } else {
            self.fail(Fault::Expected("a value"))
        }
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
            self.spaced = true;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn fail<T>(&self, fault: Fault) -> Result<T, JsonError> {
        Err(JsonError { offset: self.at, fault })
    }
}

/// Objects with up to this many keys are compared pair by pair; wider ones are sorted.
const PAIRWISE: usize = 16;

fn repeated(keys: &[(usize, &str)]) -> Option<(usize, String)> {
    let plain = |key: &str| !key.contains('\\');
    if keys.len() <= PAIRWISE && keys.iter().all(|(_, key)| plain(key)) {
        return keys.iter().enumerate().find_map(|(index, (offset, key))| {
            keys[..index]
                .iter()
                .any(|(_, other)| other == key)
                .then(|| (*offset, (*key).to_owned()))
        });
    }
    let mut sorted: Vec<(Cow<'_, str>, usize)> =
        keys.iter().map(|(offset, key)| (unescape(key), *offset)).collect();
    sorted.sort_unstable();
    sorted
        .windows(2)
        .filter(|pair| pair[0].0 == pair[1].0)
        .map(|pair| (pair[1].1, pair[1].0.clone().into_owned()))
        .min()
}
