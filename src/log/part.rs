//! A stretch of a log that is held in memory: some lines, one behind the other.

use super::LogError;
use super::reader::{Body, Line, LogReader};

/// Lines of a log.
#[derive(Debug, Default)]
pub struct Part {
    bytes: Vec<u8>,
    lines: Vec<Place>,
}

/// A line whose bytes lie in a part.
#[derive(Clone, Copy, Debug)]
struct Place {
    number: u64,
    offset: u64,
    body: Body<(usize, usize)>,
}

impl Part {
    /// Takes the next lines in the place of those that it holds. False at the end of the log.
    ///
    /// # Errors
    /// When the log cannot be read; the lines before are there.
    pub fn fill(&mut self, reader: &mut LogReader) -> Result<bool, LogError> {
        self.lines.clear();
        let lines = &mut self.lines;
        reader.next_lines(&mut self.bytes, |Line { number, offset, .. }, body| {
            lines.push(Place { number: *number, offset: *offset, body });
        })
    }

    /// The lines.
    pub fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        self.lines.iter().map(|Place { number, offset, body }| {
            let body = body.map(|(from, to)| &self.bytes[from..to]);
            Line { number: *number, offset: *offset, body }
        })
    }
}
