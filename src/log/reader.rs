//! Reads a log line by line. An invalid line is an item, not an error.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use super::LogError;
use super::tail::{is_blank, read_range};
use crate::event::envelope::{self, Event, LineError, LineFault, MAX_LINE};
use crate::event::layout::Layout;
use crate::fs::hash::{Hasher, HexHash, sha256};
use crate::fs::{Access, Action, FsError, PathAt, inspect, open_regular, retried};

/// Reads the complete lines of a log. It stops at the length that the log had when it was opened.
#[derive(Debug)]
pub struct LogReader {
    path: PathBuf,
    file: File,
    /// The offset where reading ends.
    end: u64,
    buffer: Vec<u8>,
    /// The start of the bytes in `buffer` that were not returned yet.
    from: usize,
    filled: usize,
    /// Offset of `buffer[from]` in the file.
    offset: u64,
    number: u64,
    /// Whether the unterminated bytes at the end were returned.
    tail_given: bool,
}

/// One line of a log.
#[derive(Clone, Copy, Debug)]
pub struct Line<'b> {
    /// The line number, from 1.
    pub number: u64,
    /// Byte offset of the line in the file.
    pub offset: u64,
    /// The content.
    pub body: Body<&'b [u8]>,
    /// The text of a complete line, if it is known to be UTF-8.
    pub(super) text: Option<&'b str>,
}

/// The content of a line, as bytes or as a range.
#[derive(Clone, Copy, Debug)]
pub enum Body<B> {
    /// A complete line, without its newline.
    Complete(B),
    /// Bytes after the last newline: a write in progress or a torn tail.
    Unterminated(B),
    /// A line longer than [`MAX_LINE`]; it is skipped.
    Oversized {
        /// Its length.
        bytes: u64,
        /// SHA-256 without the newline; `None` if the line has no newline yet.
        hash: Option<[u8; 32]>,
    },
}

impl<B> Body<B> {
    /// Maps the bytes.
    pub(super) fn map<C>(self, otherwise: impl FnOnce(B) -> C) -> Body<C> {
        match self {
            Self::Complete(bytes) => Body::Complete(otherwise(bytes)),
            Self::Unterminated(bytes) => Body::Unterminated(otherwise(bytes)),
            Self::Oversized { bytes, hash } => Body::Oversized { bytes, hash },
        }
    }
}

impl<'b> Line<'b> {
    /// The event on this line; `None` for a blank line and for unterminated bytes.
    ///
    /// # Errors
    /// Every error of the line.
    pub fn event(&self) -> Result<Option<Event<'b>>, Vec<LineError>> {
        match self.body {
            Body::Complete(bytes) if is_blank(bytes) => Ok(None),
            Body::Complete(bytes) => envelope::parse(bytes).map(Some),
            Body::Unterminated(_) | Body::Oversized { hash: None, .. } => Ok(None),
            Body::Oversized { bytes, hash: Some(_) } => {
                Err(vec![LineError { offset: 0, fault: LineFault::TooLong(bytes) }])
            }
        }
    }

    /// The event with that layout, which was read from this line.
    #[must_use]
    pub fn event_of(&self, layout: &Layout) -> Option<Event<'b>> {
        layout.event(self.text()?)
    }

    /// The text of a complete line; `None` if it is not UTF-8.
    #[must_use]
    pub fn text(&self) -> Option<&'b str> {
        match (self.text, self.body) {
            (None, Body::Complete(bytes)) => std::str::from_utf8(bytes).ok(),
            (text, _) => text,
        }
    }

    /// The `prev_hash` that the next line should have; `None` if this line is blank or incomplete.
    #[must_use]
    pub fn hash(&self) -> Option<HexHash> {
        match self.body {
            Body::Complete(bytes) if !is_blank(bytes) => Some(HexHash::of(&sha256(bytes))),
            Body::Oversized { hash: Some(hash), .. } => Some(HexHash::of(&hash)),
            _ => None,
        }
    }
}

const CHUNK: usize = 256 << 10;

impl LogReader {
    /// Opens the log at `path`. Reading ends at its current end.
    ///
    /// # Errors
    /// The log is missing or not a regular file.
    pub fn open(path: &PathAt) -> Result<Self, LogError> {
        let file = open_regular(path, Access::Read)?;
        let inspected = inspect(&file);
        let end =
            inspected.map_err(|error| FsError::io(path.path(), Action::Inspect, error))?.len();
        Ok(Self::over(path.path(), file, 0, end))
    }

    /// Reads from byte `start`, where a line begins, up to byte `end`.
    #[must_use]
    pub fn over(path: &Path, file: File, start: u64, end: u64) -> Self {
        Self {
            path: path.to_owned(),
            file,
            end,
            buffer: Vec::new(),
            from: 0,
            filled: 0,
            offset: start,
            number: 0,
            tail_given: false,
        }
    }

    /// Extends reading up to byte `end`, to include lines that were appended meanwhile.
    pub fn extend_to(&mut self, end: u64) {
        self.end = self.end.max(end);
        self.tail_given = false;
    }

    /// Skips the next line. `line` is its content with the newline.
    pub fn pass<'b>(&mut self, line: &'b [u8]) -> Line<'b> {
        let offset = self.offset;
        (self.from, self.filled) = (0, 0);
        self.offset += line.len() as u64;
        self.number += 1;
        let body = Body::Complete(line.strip_suffix(b"\n").unwrap_or(line));
        Line { number: self.number, offset, body, text: None }
    }

    /// The offset where reading ends.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.end
    }

    /// The offset of the next line.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The next line; `None` at the end. Unterminated bytes are returned once, as the last item.
    /// After [`LogReader::extend_to`] they are read again.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn next_line(&mut self) -> Result<Option<Line<'_>>, LogError> {
        let mut searched = 0;
        if self.tail_given {
            return Ok(None);
        }
        loop {
            let held = &self.buffer[self.from..self.filled];
            if let Some(at) = memchr::memchr(b'\n', &held[searched..]) {
                return Ok(Some(self.take(searched + at)));
            }
            searched = held.len();
            if searched > MAX_LINE {
                return self.skip_oversized().map(Some);
            }
            if !self.fill()? {
                break;
            }
        }
        if searched == 0 {
            return Ok(None);
        }
        let body = Body::Unterminated(&self.buffer[self.from..self.filled]);
        let line = Line { number: self.number + 1, offset: self.offset, body, text: None };
        self.filled = self.from;
        self.tail_given = true;
        Ok(Some(line))
    }

    /// Calls `each` with the next lines and their ranges in `held`. On return, `held` has the bytes
    /// of exactly these lines. False at the end.
    ///
    /// # Errors
    /// As [`LogReader::next_line`].
    pub(super) fn next_lines(
        &mut self,
        held: &mut Vec<u8>,
        mut each: impl FnMut(&Line<'_>, Body<(usize, usize)>),
    ) -> Result<bool, LogError> {
        let newest = memchr::memrchr(b'\n', &self.buffer[self.from..self.filled]);
        let last = match newest {
            Some(last) => Some(last),
            None if self.fill()? => memchr::memrchr(b'\n', &self.buffer[self.from..self.filled]),
            None => None,
        };
        let Some(last) = last else {
            // A long line or the end of the log.
            held.clear();
            let Some(line) = self.next_line()? else { return Ok(false) };
            let body = line.body.map(|bytes| {
                held.extend_from_slice(bytes);
                (0, held.len())
            });
            each(&line, body);
            return Ok(true);
        };
        let (mut at, end) = (self.from, self.from + last + 1);
        for newline in memchr::memchr_iter(b'\n', &self.buffer[at..end]) {
            let to = self.from + newline;
            self.number += 1;
            let body = Body::Complete(&self.buffer[at..to]);
            let line = Line { number: self.number, offset: self.offset, body, text: None };
            each(&line, Body::Complete((at, to)));
            self.offset += (to + 1 - at) as u64;
            at = to + 1;
        }
        // Move the beginning of the next line to the other buffer.
        let rest = &self.buffer[end..self.filled];
        held.resize(held.len().max(rest.len()).max(CHUNK), 0);
        held[..rest.len()].copy_from_slice(rest);
        (self.from, self.filled) = (0, rest.len());
        std::mem::swap(held, &mut self.buffer);
        held.truncate(end);
        Ok(true)
    }

    fn take(&mut self, length: usize) -> Line<'_> {
        let start = self.from;
        let offset = self.offset;
        self.from += length + 1;
        self.offset += length as u64 + 1;
        self.number += 1;
        let body = Body::Complete(&self.buffer[start..start + length]);
        Line { number: self.number, offset, body, text: None }
    }

    /// Reads more bytes after the buffered ones; false at the end.
    fn fill(&mut self) -> Result<bool, LogError> {
        if self.from > 0 {
            self.buffer.copy_within(self.from..self.filled, 0);
            self.filled -= self.from;
            self.from = 0;
        }
        let at = self.offset + self.filled as u64;
        let left = usize::try_from(self.end.saturating_sub(at)).unwrap_or(usize::MAX);
        if self.filled == self.buffer.len() {
            // A short log needs no large buffer.
            let least = CHUNK.min(self.filled.saturating_add(left));
            self.buffer.resize((self.buffer.len() * 2).max(least), 0);
        }
        let room = (self.buffer.len() - self.filled).min(left);
        let read = read_some(&self.file, &mut self.buffer[self.filled..self.filled + room], at)
            .map_err(|error| FsError::io(&self.path, Action::Read, error))?;
        self.filled += read;
        Ok(read > 0)
    }

    /// Skips a line that is too long, in constant memory.
    fn skip_oversized(&mut self) -> Result<Line<'_>, LogError> {
        let offset = self.offset;
        let mut length = 0_u64;
        let mut hasher = Hasher::default();
        loop {
            let held = &self.buffer[self.from..self.filled];
            if let Some(at) = memchr::memchr(b'\n', held) {
                length += at as u64;
                hasher.update(&held[..at]);
                self.from += at + 1;
                self.offset += at as u64 + 1;
                self.number += 1;
                let body = Body::Oversized { bytes: length, hash: Some(hasher.finish()) };
                return Ok(Line { number: self.number, offset, body, text: None });
            }
            length += held.len() as u64;
            hasher.update(held);
            self.offset += held.len() as u64;
            self.from = self.filled;
            if !self.fill()? {
                let body = Body::Oversized { bytes: length, hash: None };
                return Ok(Line { number: self.number + 1, offset, body, text: None });
            }
        }
    }
}

/// Reads the complete line at byte `offset`, without its newline. Reads at most [`MAX_LINE`] bytes.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn line_at(path: &Path, file: &File, offset: u64) -> Result<Vec<u8>, LogError> {
    let failed = |error| FsError::io(path, Action::Read, error);
    let length = inspect(file).map_err(failed)?.len();
    let end = length.min(offset + MAX_LINE as u64 + 1);
    let mut size = 16 << 10;
    loop {
        let stop = end.min(offset + size);
        let bytes = read_range(file, offset.min(stop), stop).map_err(failed)?;
        match memchr::memchr(b'\n', &bytes) {
            Some(at) => return Ok(bytes[..at].to_vec()),
            None if stop == end => return Ok(bytes),
            None => size *= 16,
        }
    }
}

fn read_some(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    if buffer.is_empty() {
        return Ok(0);
    }
    retried(|| file.read_at(buffer, at))
}
