//! The end of a log: its last complete line, and what follows the last newline.
//!
//! It is found by reading backwards, so the time does not depend on the length of the log.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use crate::event::envelope::MAX_LINE;
use crate::fs::hash::Hasher;

/// The end of a log.
#[derive(Debug, Default)]
pub struct Tail {
    /// Where the unterminated bytes begin: just after the last newline.
    pub torn_at: u64,
    /// The last line that is not blank, without its newline; `None` in a log without any.
    pub last: Option<Vec<u8>>,
    /// Where that line begins.
    pub last_at: u64,
    /// Where its newline is.
    pub last_end: u64,
}

/// Bytes read at first; most logs need no more.
const FIRST_CHUNK: u64 = 4 << 10;
const CHUNK: u64 = 64 << 10;

/// Reads the end of the first `length` bytes of a log. A last line longer than
/// [`MAX_LINE`] is returned cut, and so does not parse.
///
/// # Errors
/// When the file cannot be read.
pub fn read_tail(file: &File, length: u64) -> io::Result<Tail> {
    let mut window = Window { file, start: length, bytes: Vec::new() };
    let Some(newline) = window.newline_before(length)? else { return Ok(Tail::default()) };
    let torn_at = newline + 1;
    let mut line_end = newline;
    loop {
        let newline = window.newline_before(line_end)?;
        let line_start = newline.map_or(0, |at| at + 1);
        let line = window.line(line_start, line_end)?;
        if !is_blank(&line) {
            let last = Some(line);
            return Ok(Tail { torn_at, last, last_at: line_start, last_end: line_end });
        }
        match newline {
            Some(at) => line_end = at,
            None => return Ok(Tail { torn_at, ..Tail::default() }),
        }
    }
}

/// Whether a line holds nothing but white space.
#[must_use]
pub fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
}

/// A part of the file that moves backwards.
struct Window<'f> {
    file: &'f File,
    start: u64,
    bytes: Vec<u8>,
}

impl Window<'_> {
    /// Where the last newline before `end` is.
    fn newline_before(&mut self, end: u64) -> io::Result<Option<u64>> {
        let mut end = end;
        while end > 0 {
            if end <= self.start || end > self.start + self.bytes.len() as u64 {
                let size = if self.bytes.is_empty() { FIRST_CHUNK } else { CHUNK };
                self.start = end.saturating_sub(size);
                self.bytes = read_range(self.file, self.start, end)?;
            }
            let within = (end - self.start) as usize;
            if let Some(at) = memchr::memrchr(b'\n', &self.bytes[..within]) {
                return Ok(Some(self.start + at as u64));
            }
            end = self.start;
        }
        Ok(None)
    }

    fn line(&self, from: u64, to: u64) -> io::Result<Vec<u8>> {
        let to = to.min(from + MAX_LINE as u64 + 1);
        if from >= self.start && to <= self.start + self.bytes.len() as u64 {
            let at = |offset: u64| (offset - self.start) as usize;
            return Ok(self.bytes[at(from)..at(to)].to_vec());
        }
        read_range(self.file, from, to)
    }
}

/// The SHA-256 of the bytes from `from` up to `to`, in constant memory.
///
/// # Errors
/// When the file is shorter or cannot be read.
pub(crate) fn hash_range(file: &File, from: u64, to: u64) -> io::Result<[u8; 32]> {
    let mut hasher = Hasher::default();
    let mut at = from;
    while at < to {
        let end = to.min(at + CHUNK);
        hasher.update(&read_range(file, at, end)?);
        at = end;
    }
    Ok(hasher.finish())
}

/// Reads the bytes from `from` up to `to`.
///
/// # Errors
/// When the file is shorter or cannot be read.
pub(crate) fn read_range(file: &File, from: u64, to: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; (to - from) as usize];
    file.read_exact_at(&mut bytes, from)?;
    Ok(bytes)
}
