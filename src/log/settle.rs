//! The first step of the holder of the lock: find the next sequence, and repair an
//! unterminated end without losing a byte.

use super::lock::{Locked, LogFile};
use super::rejected::{Moved, Rejected, RejectedContent, RejectedOrigin, moved_from};
use super::tail::{Tail, hash_range, read_range, read_tail};
use super::{LogError, LogPosition};
use crate::event::envelope::{self, Event, MAX_LINE};
use crate::event::schema::MAX_SEQUENCE;
use crate::event::time::Timestamp;
use crate::fs::hash::{HexHash, sha256};
use crate::fs::{Action, FsError, PathAt, append_lines, make_dir, sync_dir, sync_file};

/// How unterminated bytes were handled.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Repair {
    /// The log ended in a newline, or was empty.
    None,
    /// The bytes were a whole next record that lacked only its newline; it got one.
    /// This is the record.
    Completed(Vec<u8>),
    /// Bytes were moved to `logs/rejected.jsonl`, now or by writers that were killed before they
    /// could record it; a `log.recovered` event should.
    Quarantined(Moved),
}

/// The bytes after the last newline of a log.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unterminated {
    /// Nothing.
    Nothing,
    /// The whole next record of the run, without its newline.
    Record(Vec<u8>),
    /// Something else: the number of bytes of an interrupted write.
    Torn(u64),
    /// Nothing: bytes were moved away, but the move is unrecorded.
    Moved(Moved),
}

/// A last complete line that is known to be no event of the run, behind which recording is to
/// go on all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ResumeAfter {
    /// Byte offset of that line.
    pub offset: u64,
    /// The sequence that counts as the last one.
    pub sequence: u64,
}

/// Bytes of a torn tail that go into one record of `logs/rejected.jsonl`.
const PIECE: u64 = 1 << 20;

impl LogFile {
    /// Looks at the end of the first `length` bytes: where the next line goes, and what stands
    /// in its way. Only the holder of the lock may rely on it.
    ///
    /// `run_id` is the run that the last line must belong to; `rejected` is the path
    /// of `logs/rejected.jsonl`.
    ///
    /// # Errors
    /// [`LogError::Damaged`] when the last complete line is no event of this run, and not
    /// the one of the `resumption`.
    pub(crate) fn examine(
        &self,
        length: u64,
        run_id: Option<&str>,
        resumption: Option<ResumeAfter>,
        rejected: &PathAt,
    ) -> Result<(LogPosition, Unterminated), LogError> {
        let read = |error| LogError::from(FsError::io(self.path(), Action::Read, error));
        let tail = read_tail(self.file(), length).map_err(read)?;
        let position = self.position(&tail, run_id, resumption)?;
        let bytes = length - tail.torn_at;
        if bytes == 0 {
            return Ok(match moved_from(rejected, position.end) {
                None => (position, Unterminated::Nothing),
                Some(moved) => (position, Unterminated::Moved(moved)),
            });
        }
        if bytes <= MAX_LINE as u64 {
            let torn = read_range(self.file(), tail.torn_at, length).map_err(read)?;
            if continues(&torn, &position, run_id) {
                return Ok((position, Unterminated::Record(torn)));
            }
        }
        Ok((position, Unterminated::Torn(bytes)))
    }

    /// The position after the last complete line.
    fn position(
        &self,
        tail: &Tail,
        run_id: Option<&str>,
        resumption: Option<ResumeAfter>,
    ) -> Result<LogPosition, LogError> {
        let end = tail.torn_at;
        let Some(line) = &tail.last else {
            return Ok(LogPosition { sequence: 0, hash: None, end });
        };
        let damaged = |reason| LogError::Damaged {
            path: self.path().to_owned(),
            offset: tail.last_at,
            reason,
        };
        match (last_event(line, run_id), resumption) {
            (Ok(event), _) if event.sequence == MAX_SEQUENCE => {
                Err(damaged("its sequence is the greatest there is".to_owned()))
            }
            (Ok(event), _) => Ok(LogPosition {
                sequence: event.sequence,
                hash: Some(HexHash::of(&sha256(line))),
                end,
            }),
            (Err(_), Some(ResumeAfter { offset, sequence })) if offset == tail.last_at => {
                let hash = hash_range(self.file(), tail.last_at, tail.last_end)
                    .map_err(|error| FsError::io(self.path(), Action::Read, error))?;
                Ok(LogPosition { sequence, hash: Some(HexHash::of(&hash)), end })
            }
            (Err(reason), _) => Err(damaged(reason)),
        }
    }
}

impl Locked<'_> {
    /// Finds where the next line goes, repairing the tail on the way.
    ///
    /// `run_id` is the run that the last line must belong to; `rejected` is the path
    /// of `logs/rejected.jsonl`.
    ///
    /// # Errors
    /// As [`LogFile::examine`]: nothing is written then.
    pub(crate) fn settle(
        &mut self,
        run_id: Option<&str>,
        resumption: Option<ResumeAfter>,
        rejected: &PathAt,
        now: Timestamp,
    ) -> Result<(LogPosition, Repair), LogError> {
        let length = self.length();
        let (position, unterminated) = self.log().examine(length, run_id, resumption, rejected)?;
        match unterminated {
            Unterminated::Nothing => Ok((position, Repair::None)),
            Unterminated::Moved(moved) => Ok((position, Repair::Quarantined(moved))),
            Unterminated::Record(record) => {
                self.append(b"\n")?;
                let position = LogPosition {
                    sequence: position.sequence + 1,
                    hash: Some(HexHash::of(&sha256(&record))),
                    end: self.length(),
                };
                Ok((position, Repair::Completed(record)))
            }
            Unterminated::Torn(bytes) => {
                self.quarantine(position.end, length, rejected, now)?;
                // Other writers may have moved bytes from there without recording it.
                let moved = moved_from(rejected, position.end);
                let moved = moved.unwrap_or(Moved { bytes, sha256: String::new() });
                Ok((position, Repair::Quarantined(moved)))
            }
        }
    }

    /// Copies the bytes to `logs/rejected.jsonl`, makes that durable, and only then
    /// cuts them off the log.
    fn quarantine(
        &mut self,
        from: u64,
        to: u64,
        rejected: &PathAt,
        now: Timestamp,
    ) -> Result<(), LogError> {
        let directory = rejected.parent();
        let made = make_dir(&directory)?;
        let reason = "unterminated end of the log, left by an interrupted write";
        let mut at = from;
        while at < to {
            let end = to.min(at + PIECE);
            let content = read_range(self.log().file(), at, end)
                .map_err(|error| FsError::io(self.log().path(), Action::Read, error))?;
            let mut line = Vec::new();
            let record = Rejected {
                time: now,
                origin: RejectedOrigin::Tail,
                source: None,
                line: None,
                offset: at,
                reason,
                bytes: content.len() as u64,
                content: RejectedContent::Whole(&content),
            };
            record.write(&mut line);
            let file = append_lines(rejected, &line)?;
            if end == to {
                sync_file(rejected, &file)?;
            }
            at = end;
        }
        sync_dir(&directory)?;
        if made {
            sync_dir(&directory.parent())?;
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
fn continues(torn: &[u8], position: &LogPosition, run_id: Option<&str>) -> bool {
    let Ok(event) = last_event(torn, run_id) else { return false };
    let chained = event.prev_hash.is_none()
        || event.prev_hash.as_deref() == position.hash.as_ref().map(HexHash::as_str);
    event.sequence == position.sequence + 1 && chained
}
