//! A log in pieces that several threads search at the same time.

use std::fs::File;
use std::os::unix::fs::FileExt as _;

use super::LogError;
use super::reader::{Body, LogReader};
use super::tail::read_range;
use crate::event::envelope::MAX_LINE;
use crate::fs::{Access, Action, FsError, PathAt, inspect, open_regular, retried};

/// A range of a log in bytes. It begins where a line begins and ends where a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LogRange {
    /// The first byte.
    pub(crate) from: u64,
    /// The byte after the last one.
    pub(crate) to: u64,
}

/// Cuts a log into ranges of about `size` bytes, at newlines.
///
/// # Errors
/// When the log cannot be read.
pub(crate) fn ranges(path: &PathAt, size: u64) -> Result<Vec<LogRange>, LogError> {
    let file = open_regular(path, Access::Read)?;
    let failed = |error| FsError::io(path.path(), Action::Read, error);
    let end = inspect(&file).map_err(failed)?.len();
    let mut ranges = Vec::new();
    let mut from = 0;
    while from < end {
        let to = match from + size {
            near if near < end => after_newline(path, &file, near, end)?,
            _ => end,
        };
        ranges.push(LogRange { from, to });
        from = to;
    }
    Ok(ranges)
}

/// The offset after the first newline from `at` on; the end of the log if there is none.
fn after_newline(path: &PathAt, file: &File, mut at: u64, end: u64) -> Result<u64, FsError> {
    let mut buffer = vec![0; 16 << 10];
    while at < end {
        let read = retried(|| file.read_at(&mut buffer, at));
        let read = read.map_err(|error| FsError::io(path.path(), Action::Read, error))?;
        if let Some(newline) = memchr::memchr(b'\n', &buffer[..read]) {
            return Ok(at + newline as u64 + 1);
        }
        if read == 0 {
            break;
        }
        at += read as u64;
    }
    Ok(end)
}

/// Opens a range of a log for reading.
///
/// # Errors
/// When the log cannot be opened.
pub(crate) fn open_range(path: &PathAt, range: LogRange) -> Result<LogReader, LogError> {
    let file = open_regular(path, Access::Read)?;
    Ok(LogReader::over(path.path(), file, range.from, range.to))
}

/// Some complete lines of a log and their bytes in one piece.
#[derive(Debug, Default)]
pub(crate) struct LogChunk {
    bytes: Vec<u8>,
    lines: Vec<ChunkLine>,
}

/// A line in a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChunkLine {
    /// Offset in the log.
    pub(crate) offset: u64,
    /// Start in the chunk.
    pub(crate) from: usize,
    /// End in the chunk, without the newline.
    pub(crate) to: usize,
}

impl LogChunk {
    /// Replaces the lines by the next ones of the reader. False at the end. Lines that are too long
    /// or have no newline are left out.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub(crate) fn fill(&mut self, reader: &mut LogReader) -> Result<bool, LogError> {
        let Self { bytes, lines } = self;
        lines.clear();
        reader.next_lines(bytes, |line, body| {
            if let Body::Complete((from, to)) = body {
                lines.push(ChunkLine { offset: line.offset, from, to });
            }
        })
    }

    /// The lines, in order.
    pub(crate) fn lines(&self) -> &[ChunkLine] {
        &self.lines
    }

    /// The bytes of all lines. Bytes before the first line belong to no line.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The index of the line with the byte at `at`; `None` if no line has it.
    pub(crate) fn line_with(&self, at: usize) -> Option<usize> {
        let index = self.lines.partition_point(|line| line.to <= at);
        self.lines.get(index).filter(|line| line.from <= at).map(|_| index)
    }

    /// The bytes of a line.
    pub(crate) fn line(&self, line: ChunkLine) -> &[u8] {
        &self.bytes[line.from..line.to]
    }
}

/// The complete line that ends before the line at `offset`, with its own offset. `None` at the
/// beginning of the log, and if that line is too long for an event.
///
/// # Errors
/// When the log cannot be read.
pub(crate) fn line_before(
    path: &PathAt,
    file: &File,
    offset: u64,
) -> Result<Option<(u64, Vec<u8>)>, LogError> {
    let Some(end) = offset.checked_sub(1) else { return Ok(None) };
    let mut size = 16_u64 << 10;
    loop {
        let from = end.saturating_sub(size);
        let mut bytes = read_range(file, from, end)
            .map_err(|error| FsError::io(path.path(), Action::Read, error))?;
        match memchr::memrchr(b'\n', &bytes) {
            Some(at) => return Ok(Some((from + at as u64 + 1, bytes.split_off(at + 1)))),
            None if from == 0 => return Ok(Some((0, bytes))),
            None if size > MAX_LINE as u64 => return Ok(None),
            None => size *= 16,
        }
    }
}
