//! `logs/rejected.jsonl`: what could not be taken, word for word, with the reason.

use base64::Engine as _;

use crate::event::json::ObjectText;
use crate::event::time::Timestamp;

/// Where rejected bytes came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A line of an input stream.
    Stream,
    /// The unterminated end of a log.
    Tail,
}

/// One record of `logs/rejected.jsonl`.
#[derive(Clone, Copy, Debug)]
pub struct Rejected<'r> {
    /// When it was put aside.
    pub time: Timestamp,
    /// Where it came from.
    pub origin: Origin,
    /// The dialect of the stream.
    pub source: Option<&'r str>,
    /// Line of the stream, from 1.
    pub line: Option<u64>,
    /// Byte offset in the stream or in the log.
    pub offset: u64,
    /// Why.
    pub reason: &'r str,
    /// How many bytes there were.
    pub bytes: usize,
    /// The bytes themselves, without their secrets.
    pub content: &'r [u8],
}

impl Rejected<'_> {
    /// Appends the record as one line: `text` where the bytes are that, else `base64`.
    pub fn write(&self, out: &mut Vec<u8>) {
        let origin = match self.origin {
            Origin::Stream => "stream",
            Origin::Tail => "tail",
        };
        let mut object = ObjectText::new();
        object.text("time", &self.time.to_string()).text("origin", origin);
        object.text_if("source", self.source);
        if let Some(line) = self.line {
            object.plain("line", line);
        }
        object.plain("offset", self.offset).plain("bytes", self.bytes);
        object.text("reason", self.reason);
        // Six bytes a control character would be too much.
        let controls = self.content.iter().filter(|byte| byte.is_ascii_control()).count();
        match std::str::from_utf8(self.content) {
            Ok(text) if controls <= self.content.len() / 4 => object.text("text", text),
            _ => object.text("base64", &base64::prelude::BASE64_STANDARD.encode(self.content)),
        };
        out.extend_from_slice(object.finish().as_bytes());
        out.push(b'\n');
    }
}
