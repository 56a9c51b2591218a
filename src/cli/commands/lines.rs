//! Splits bytes that arrive in pieces into lines.

/// A longer line is returned in pieces, to limit memory use.
pub(super) const MAX_HELD: usize = 64 << 20;

/// A buffer that returns complete lines.
#[derive(Default)]
pub(super) struct LineBuffer {
    held: Vec<u8>,
    /// The start of the next line in `held`.
    from: usize,
    /// There is no line end before this position.
    searched: usize,
    ended: bool,
}

impl LineBuffer {
    /// The next complete line, and the number of its bytes. The last line may lack its newline.
    pub(super) fn next(&mut self) -> Option<(&[u8], u64)> {
        let end = self.line_end();
        let from = self.from;
        let waiting = &self.held[from..];
        let (line, length) = match end {
            Some(at) => (&waiting[..at], at + 1),
            None if (self.ended && !waiting.is_empty()) || waiting.len() > MAX_HELD => {
                (waiting, waiting.len())
            }
            None => return None,
        };
        self.from += length;
        self.searched = self.from;
        Some((line, length as u64))
    }

    /// The next line without consuming it, if it is complete or there is no more input.
    pub(super) fn first(&mut self) -> Option<&[u8]> {
        let end = self.line_end();
        let waiting = self.waiting();
        match end {
            Some(end) => Some(&waiting[..end]),
            None if self.ended || waiting.len() > MAX_HELD => Some(waiting),
            None => None,
        }
    }

    /// Ends the input: the remaining bytes are the last line.
    pub(super) fn end(&mut self) {
        self.ended = true;
    }

    /// The end of the next line, relative to its start.
    fn line_end(&mut self) -> Option<usize> {
        let found = memchr::memchr(b'\n', &self.held[self.searched..]);
        match found {
            Some(at) => Some(self.searched + at - self.from),
            None => {
                self.searched = self.held.len();
                None
            }
        }
    }

    /// The bytes not returned yet.
    pub(super) fn waiting(&self) -> &[u8] {
        &self.held[self.from..]
    }

    /// Appends the bytes that `read` provides. `read` gets a buffer of `room` bytes and returns how
    /// many it used. Zero ends the input.
    pub(super) fn fill<E>(
        &mut self,
        room: usize,
        read: impl FnOnce(&mut [u8]) -> Result<usize, E>,
    ) -> Result<(), E> {
        self.held.drain(..self.from);
        self.searched -= self.from;
        self.from = 0;
        let end = self.held.len();
        self.held.resize(end + room, 0);
        let read = read(&mut self.held[end..]);
        self.held.truncate(end + *read.as_ref().unwrap_or(&0));
        self.ended = read? == 0;
        Ok(())
    }

    /// Whether the input has ended.
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }
}
