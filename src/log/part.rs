//! Consecutive lines of a log, held in memory.

use super::LogError;
use super::reader::{Body, Line, LogReader};

/// Lines of a log.
#[derive(Debug, Default)]
pub struct LogPart {
    held: LineBytes,
    lines: Vec<LinePlace>,
}

/// The bytes of the lines: text, unless some of them are not.
#[derive(Debug)]
enum LineBytes {
    Text(String),
    Bytes(Vec<u8>),
}

/// A line whose bytes lie in a part.
#[derive(Clone, Copy, Debug)]
struct LinePlace {
    number: u64,
    offset: u64,
    body: Body<(usize, usize)>,
}

impl Default for LineBytes {
    fn default() -> Self {
        Self::Bytes(Vec::new())
    }
}

impl LineBytes {
    fn of(bytes: Vec<u8>) -> Self {
        String::from_utf8(bytes).map_or_else(|error| Self::Bytes(error.into_bytes()), Self::Text)
    }

    fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.into_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }

    fn bytes(&self, (from, to): (usize, usize)) -> &[u8] {
        match self {
            Self::Text(text) => &text.as_bytes()[from..to],
            Self::Bytes(bytes) => &bytes[from..to],
        }
    }

    fn text(&self, (from, to): (usize, usize)) -> Option<&str> {
        match self {
            Self::Text(text) => text.get(from..to),
            Self::Bytes(_) => None,
        }
    }
}

impl LogPart {
    /// Replaces its lines by the next ones. False at the end of the log.
    ///
    /// # Errors
    /// When the log cannot be read; the lines before are there.
    pub fn fill(&mut self, reader: &mut LogReader) -> Result<bool, LogError> {
        self.lines.clear();
        let lines = &mut self.lines;
        let mut bytes = std::mem::take(&mut self.held).into_bytes();
        let more = reader.next_lines(&mut bytes, |Line { number, offset, .. }, body| {
            lines.push(LinePlace { number: *number, offset: *offset, body });
        });
        self.held = LineBytes::of(bytes);
        more
    }

    /// The lines.
    pub fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        self.lines.iter().map(|LinePlace { number, offset, body }| {
            let text = match body {
                Body::Complete(place) => self.held.text(*place),
                _ => None,
            };
            let body = body.map(|place| self.held.bytes(place));
            Line { number: *number, offset: *offset, body, text }
        })
    }
}
