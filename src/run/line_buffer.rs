//! Splits bytes that arrive in pieces into lines.

use sha2::{Digest as _, Sha256};

use super::rejects::{LongLine, SEARCHED};
use super::stream::{InputLine, MAX_HELD};

/// The beginning of a long line, of which the rest is still to come.
struct Passing {
    line: LongLine,
    hash: Sha256,
}

/// A buffer that returns complete lines.
#[derive(Default)]
pub(crate) struct LineBuffer {
    held: Vec<u8>,
    /// The end of the bytes that were read. What follows in `held` is free room.
    filled: usize,
    /// The start of the next line in `held`.
    from: usize,
    /// There is no line end before this position.
    searched: usize,
    ended: bool,
    /// The long line that is being read.
    passing: Option<Passing>,
}

impl LineBuffer {
    /// The next complete line, and the number of its bytes. The last line may lack its newline.
    pub(crate) fn next(&mut self) -> Option<(InputLine<'_>, u64)> {
        let end = self.line_end();
        let waiting = self.filled - self.from;
        let (length, taken) = match end {
            Some(at) => (at, at + 1),
            None if self.ended || self.passing.is_some() || waiting > MAX_HELD => {
                (waiting, waiting)
            }
            None => return None,
        };
        let line = self.from..self.from + length;
        self.from += taken;
        self.searched = self.from;
        let whole = end.is_some() || self.ended;
        if self.passing.is_none() && whole && length <= MAX_HELD {
            return (taken > 0).then(|| (InputLine::Whole(&self.held[line]), taken as u64));
        }
        let passing = self.passing.get_or_insert_with(Passing::new);
        passing.push(&self.held[line]);
        if !whole {
            return None;
        }
        let bytes = passing.line.bytes + u64::from(end.is_some());
        Some((InputLine::Long(self.passing.take()?.finish()), bytes))
    }

    /// The next line without consuming it, if it is complete or there is no more input.
    pub(crate) fn first(&mut self) -> Option<&[u8]> {
        let end = self.line_end();
        let waiting = self.waiting();
        match end {
            Some(end) => Some(&waiting[..end]),
            None if self.ended || waiting.len() > MAX_HELD => Some(waiting),
            None => None,
        }
    }

    /// Ends the input: the remaining bytes are the last line.
    pub(crate) fn end(&mut self) {
        self.ended = true;
    }

    /// The end of the next line, relative to its start.
    fn line_end(&mut self) -> Option<usize> {
        let found = memchr::memchr(b'\n', &self.held[self.searched..self.filled]);
        match found {
            Some(at) => Some(self.searched + at - self.from),
            None => {
                self.searched = self.filled;
                None
            }
        }
    }

    /// The bytes not returned yet.
    pub(crate) fn waiting(&self) -> &[u8] {
        &self.held[self.from..self.filled]
    }

    /// Appends the bytes that `read` provides. `read` gets a buffer of `room` bytes and returns how
    /// many it used. Zero ends the input.
    pub(crate) fn fill<E>(
        &mut self,
        room: usize,
        read: impl FnOnce(&mut [u8]) -> Result<usize, E>,
    ) -> Result<(), E> {
        if self.from > 0 {
            self.held.copy_within(self.from..self.filled, 0);
        }
        self.searched -= self.from;
        self.filled -= self.from;
        self.from = 0;
        let end = self.filled + room;
        // Bytes that were used before need not be cleared again.
        if self.held.len() < end {
            self.held.resize(end, 0);
        }
        let read = read(&mut self.held[self.filled..end])?;
        self.filled += read;
        self.ended = read == 0;
        Ok(())
    }

    /// Whether the input has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }
}

impl Passing {
    fn new() -> Self {
        let line = LongLine { bytes: 0, sha256: [0; 32], head: Vec::new(), tail: Vec::new() };
        Self { line, hash: Sha256::new() }
    }

    fn push(&mut self, bytes: &[u8]) {
        let LongLine { bytes: length, head, tail, .. } = &mut self.line;
        *length += bytes.len() as u64;
        self.hash.update(bytes);
        head.extend(bytes.iter().take(SEARCHED.saturating_sub(head.len())));
        tail.extend_from_slice(&bytes[bytes.len().saturating_sub(SEARCHED)..]);
        tail.drain(..tail.len().saturating_sub(SEARCHED));
    }

    fn finish(self) -> LongLine {
        LongLine { sha256: self.hash.finalize().into(), ..self.line }
    }
}
