//! Lines out of bytes that come in pieces.

/// A line longer than this is handed out in pieces, so that memory is bounded.
pub(super) const MAX_HELD: usize = 64 << 20;

/// Bytes of which complete lines are taken.
#[derive(Default)]
pub(super) struct LineBuffer {
    held: Vec<u8>,
    /// Where the next line begins in `held`.
    from: usize,
    /// No line ends before this.
    searched: usize,
    ended: bool,
}

impl LineBuffer {
    /// The next complete line and the bytes that it took; the last one may lack its newline.
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

    /// The next line, if it is complete or no more can come; it stays the next one.
    pub(super) fn first(&mut self) -> Option<&[u8]> {
        let end = self.line_end();
        let waiting = self.waiting();
        match end {
            Some(end) => Some(&waiting[..end]),
            None if self.ended || waiting.len() > MAX_HELD => Some(waiting),
            None => None,
        }
    }

    /// No more bytes will come: what waits is the last line.
    pub(super) fn end(&mut self) {
        self.ended = true;
    }

    /// Where the next line ends, counted from where it begins.
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

    /// What was not handed out yet.
    pub(super) fn waiting(&self) -> &[u8] {
        &self.held[self.from..]
    }

    /// Takes the bytes that `read` puts behind the others; it gets room for `room` bytes and
    /// tells how many it used. None at all is the end.
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

    /// Whether no more bytes will come.
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }
}
