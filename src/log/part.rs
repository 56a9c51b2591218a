//! A stretch of a log that is held in memory: some lines, one behind the other.

use super::LogError;
use super::reader::{Body, Line, LogReader};

/// Lines of a log, with what somebody found out about each.
#[derive(Debug)]
pub struct Part<T> {
    bytes: Vec<u8>,
    lines: Vec<(Place, T)>,
}

/// A line whose bytes lie in a part.
#[derive(Clone, Copy, Debug)]
struct Place {
    number: u64,
    offset: u64,
    body: Body<(usize, usize)>,
}

impl<T> Default for Part<T> {
    fn default() -> Self {
        Self { bytes: Vec::new(), lines: Vec::new() }
    }
}

impl<T> Part<T> {
    /// Takes the next lines in the place of those that it holds, and what `look` finds out
    /// about each. False at the end of the log.
    ///
    /// # Errors
    /// When the log cannot be read; the lines before are there.
    pub fn fill(
        &mut self,
        reader: &mut LogReader,
        mut look: impl FnMut(&Line<'_>) -> T,
    ) -> Result<bool, LogError> {
        self.lines.clear();
        let lines = &mut self.lines;
        reader.next_lines(&mut self.bytes, |line, body| {
            let Line { number, offset, .. } = *line;
            lines.push((Place { number, offset, body }, look(line)));
        })
    }

    /// The lines, and what is known about each.
    pub fn lines(&self) -> impl Iterator<Item = (Line<'_>, &T)> {
        self.lines.iter().map(|(Place { number, offset, body }, found)| {
            let body = body.map(|(from, to)| &self.bytes[from..to]);
            (Line { number: *number, offset: *offset, body }, found)
        })
    }
}
