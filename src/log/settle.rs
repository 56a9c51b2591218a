//! What the holder of the lock does first: learn the next sequence, and bring an
//! unterminated end in order without losing a byte.

use std::path::Path;

use super::lock::Locked;
use super::rejected::{Origin, Rejected};
use super::tail::{read_range, read_tail};
use super::{LogError, Position};
use crate::event::envelope::{self, Event, MAX_LINE, MAX_SEQUENCE};
use crate::event::hash::line_hash;
use crate::event::time::Timestamp;
use crate::fs::{FsError, append_lines, make_dir, sync_dir, sync_file};

/// What was done about unterminated bytes.
#[derive(Debug, PartialEq, Eq)]
pub enum Repair {
    /// The log ended in a newline, or was empty.
    None,
    /// The bytes were a whole next record that lacked only its newline; it got one.
    /// This is the record.
    Completed(Vec<u8>),
    /// The bytes were moved away; a `log.recovered` event should tell it.
    Quarantined {
        /// How many.
        bytes: u64,
    },
}

/// Bytes of a torn tail that go into one record of `logs/rejected.jsonl`.
const PIECE: u64 = 1 << 20;

impl Locked<'_> {
    /// Finds where the next line goes, repairing the tail on the way.
    ///
    /// `run_id` is the run that the last line must belong to; `rejected` is the path
    /// of `logs/rejected.jsonl`.
    ///
    /// # Errors
    /// [`LogError::Damaged`] when the last complete line is no event of this run:
    /// nothing is written then.
    pub fn settle(
        &mut self,
        run_id: Option<&str>,
        rejected: &Path,
        now: Timestamp,
    ) -> Result<(Position, Repair), LogError> {
        let log = self.log();
        let path = log.path().to_owned();
        let length = self.length();
        let read = |error| LogError::from(FsError::io(&path, "read", error));
        let tail = read_tail(log.file(), length).map_err(read)?;
        let position = match &tail.last {
            None => Position { sequence: 0, hash: None, end: tail.torn_at },
            Some(line) => {
                let damaged =
                    |reason| LogError::Damaged { path: path.clone(), offset: tail.last_at, reason };
                let event = last_event(line, run_id).map_err(damaged)?;
                if event.sequence == MAX_SEQUENCE {
                    return Err(damaged("its sequence is the greatest there is".to_owned()));
                }
                let hash = Some(line_hash(line));
                Position { sequence: event.sequence, hash, end: tail.torn_at }
            }
        };
        if tail.torn_at == length {
            return Ok((position, Repair::None));
        }
        if length - tail.torn_at <= MAX_LINE as u64 {
            let torn = read_range(log.file(), tail.torn_at, length).map_err(read)?;
            if continues(&torn, &position, run_id) {
                self.append(b"\n")?;
                let position = Position {
                    sequence: position.sequence + 1,
                    hash: Some(line_hash(&torn)),
                    end: self.length(),
                };
                return Ok((position, Repair::Completed(torn)));
            }
        }
        self.quarantine(tail.torn_at, length, rejected, now)?;
        Ok((position, Repair::Quarantined { bytes: length - tail.torn_at }))
    }

    /// Copies the bytes to `logs/rejected.jsonl`, makes that durable, and only then
    /// cuts them off the log.
    fn quarantine(
        &mut self,
        from: u64,
        to: u64,
        rejected: &Path,
        now: Timestamp,
    ) -> Result<(), LogError> {
        let directory = rejected.parent().unwrap_or(Path::new("."));
        let made = make_dir(directory)?;
        let reason = "unterminated end of the log, left by an interrupted write";
        let mut at = from;
        while at < to {
            let end = to.min(at + PIECE);
            let content = read_range(self.log().file(), at, end)
                .map_err(|error| FsError::io(self.log().path(), "read", error))?;
            let mut line = Vec::new();
            let record = Rejected {
                time: now,
                origin: Origin::Tail,
                source: None,
                line: None,
                offset: at,
                reason,
                bytes: content.len(),
                content: &content,
            };
            record.write(&mut line);
            let file = append_lines(rejected, &line)?;
            if end == to {
                sync_file(rejected, &file)?;
            }
            at = end;
        }
        sync_dir(directory)?;
        if made && let Some(parent) = directory.parent() {
            sync_dir(parent)?;
        }
        self.truncate(from)
    }
}

/// The last complete line as an event of this run; else why it is not.
fn last_event<'l>(line: &'l [u8], run_id: Option<&str>) -> Result<Event<'l>, String> {
    let event = envelope::parse(line)
        .map_err(|faults| faults.first().map(ToString::to_string).unwrap_or_default())?;
    match run_id {
        Some(run_id) if event.run_id != run_id => {
            Err(format!("it belongs to the run {:?}, not to {run_id}", event.run_id))
        }
        _ => Ok(event),
    }
}

/// Whether unterminated bytes are the whole record that would come next.
fn continues(torn: &[u8], position: &Position, run_id: Option<&str>) -> bool {
    let Ok(event) = last_event(torn, run_id) else { return false };
    let chained =
        event.prev_hash.is_none() || event.prev_hash.as_deref() == position.hash.as_deref();
    event.sequence == position.sequence + 1 && chained
}
