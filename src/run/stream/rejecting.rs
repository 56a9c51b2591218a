//! Keeps the lines that are rejected, and the reasons.

use super::{MAX_HELD, Reader, Stream};
use crate::event::time::Timestamp;
use crate::log::rejected::fingerprints;
use crate::run::RunError;
use crate::run::rejects::{LongLine, Rejection};
use crate::run::stream_line::{HeldLine, LineReading};

impl Stream<'_> {
    pub(super) fn reject(&mut self, line: &HeldLine, content: &[u8], reason: &str, now: Timestamp) {
        let reason = self.told(line.number, reason);
        let rejection = self.rejection(line.number, line.offset, &reason, now);
        self.rejects.line(&rejection, content);
    }

    /// Takes a line that is too long to be read whole. It took `length` bytes of the stream.
    pub(super) fn push_long(&mut self, line: &LongLine, length: u64, now: Timestamp) {
        self.counter.counts().lines += 1;
        let (number, offset) = (self.counter.counts().lines, self.offset);
        self.offset += length;
        let reason = format!("the line has {} bytes; at most {MAX_HELD} are read", line.bytes);
        let reason = self.told(number, &reason);
        let rejection = self.rejection(number, offset, &reason, now);
        self.rejects.long_line(&rejection, line);
    }

    /// Counts a rejection, and returns the reason without secrets.
    fn told(&mut self, number: u64, reason: &str) -> String {
        let redacted = self.recorder.secrets().and_then(|rules| rules.redact(reason));
        let reason = redacted.map_or_else(|| reason.to_owned(), |redacted| redacted.text);
        self.counter.counts().rejected += 1;
        self.first_rejection.get_or_insert_with(|| format!("line {number}: {reason}"));
        reason
    }

    fn rejection<'s>(
        &self,
        line: u64,
        offset: u64,
        reason: &'s str,
        time: Timestamp,
    ) -> Rejection<'s> {
        let source = match &self.reader {
            Reader::Lines(LineReading::Native) => Some("native"),
            Reader::Lines(LineReading::Copy(_)) => Some("runlog"),
            Reader::Dialect(importer) => Some(importer.dialect()),
            Reader::Elsewhere(dialect) => Some(dialect.name),
            Reader::Undecided(_) | Reader::Unknown => None,
        };
        Rejection { time, source, line, offset, reason }
    }

    /// Leaves out the rejected lines that the run has from an earlier import.
    pub(crate) fn leave_out_known_rejects(&mut self) {
        self.rejects.leave_out(fingerprints(&self.recorder.run().rejected()));
    }

    pub(super) fn flush_rejects(&mut self) -> Result<(), RunError> {
        if self.rejects.waiting() > 0 {
            let range = self.recorder.reject(&self.rejects.take())?;
            self.rejects.wrote(range);
        }
        Ok(())
    }

    /// Records how many lines were rejected, after the last [`Stream::commit`]. A run without events
    /// stays without.
    ///
    /// # Errors
    /// Recording in the run is not possible.
    pub(crate) fn tell_rejects(&mut self, now: Timestamp) -> Result<(), RunError> {
        self.rejects.end(now);
        self.flush_rejects()?;
        if let Some(mut event) = self.rejects.event()
            && self.recorder.has_events()?
        {
            // In an imported run, the time of recording would be after that of later work.
            if matches!(self.reader, Reader::Dialect(_) | Reader::Elsewhere(_)) {
                let last = self.counter.counts().last_time.as_deref();
                event.timestamp = last.and_then(Timestamp::parse);
            }
            self.recorder.append(&[event])?;
        }
        Ok(())
    }
}
