//! Consecutive lines of a log, held in memory.

use super::LogError;
use super::reader::{Body, Line, LogReader};

/// Lines of a log.
#[derive(Debug, Default)]
pub struct LogPart {
    held: LineBytes,
    /// The number and the offset in the log of the first line, and where it is in `held`.
    first: (u64, u64, usize),
    /// The ends of the lines in `held`, which are complete. There may be very many short ones.
    ends: Vec<u32>,
    /// A line that is not complete, or too long: the only one.
    single: Option<LinePlace>,
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
        let Self { held, first, ends, single } = self;
        ends.clear();
        *single = None;
        let mut bytes = std::mem::take(held).into_bytes();
        let more = reader.next_lines(&mut bytes, |Line { number, offset, .. }, body| {
            let complete = match body {
                Body::Complete((from, to)) => u32::try_from(to).ok().map(|end| (from, end)),
                _ => None,
            };
            match complete {
                Some((from, end)) => {
                    if ends.is_empty() {
                        *first = (*number, *offset, from);
                    }
                    ends.push(end);
                }
                None => *single = Some(LinePlace { number: *number, offset: *offset, body }),
            }
        });
        self.held = LineBytes::of(bytes);
        more
    }

    /// The number of lines.
    #[must_use]
    pub fn count(&self) -> usize {
        self.ends.len() + usize::from(self.single.is_some())
    }

    /// The lines.
    pub fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        let (number, offset, start) = self.first;
        let ends = self.ends.iter().enumerate().map(move |(index, end)| {
            let from = index.checked_sub(1).map_or(start, |last| self.ends[last] as usize + 1);
            let number = number + index as u64;
            let offset = offset + (from - start) as u64;
            LinePlace { number, offset, body: Body::Complete((from, *end as usize)) }
        });
        ends.chain(self.single).map(|LinePlace { number, offset, body }| {
            let text = match body {
                Body::Complete(place) => self.held.text(place),
                _ => None,
            };
            let body = body.map(|place| self.held.bytes(place));
            Line { number, offset, body, text }
        })
    }
}
