//! The findings on the end of a log.

use crate::check::finding::{Finding, Place};
use crate::check::log::LOG;
use crate::check::table::Code;
use crate::fs::Access;
use crate::log::lock::LogFile;
use crate::log::rejected::moved_from;
use crate::run::dir::RunDir;
use crate::text::human::plural;

/// The finding on bytes after the last newline. They are a torn tail only if no writer holds the
/// lock.
pub(super) fn unterminated(run: &RunDir, number: u64, offset: u64, length: u64) -> Finding {
    let place = Place { line: Some(number), offset: Some(offset), ..Place::file(LOG) };
    if is_settled(run, offset + length) {
        let message =
            format!("{} after the last newline; no writer is active", plural(length, "byte"));
        Finding::new(Code::RL010, place, message)
    } else {
        Finding::new(Code::RL011, place, "a writer was active here")
    }
}

/// The finding on bytes moved from the end of the log without an event that records it. `None` if a
/// writer is active, because it may be about to append that event.
pub(super) fn moved_away(run: &RunDir, end: u64) -> Option<Finding> {
    let moved = moved_from(&run.rejected(), end).filter(|_| is_settled(run, end))?.bytes;
    let place = Place { offset: Some(end), ..Place::file(LOG) };
    let message = format!("{moved} bytes, starting here, were moved to logs/rejected.jsonl");
    Some(Finding::new(Code::RL013, place, message))
}

/// Whether the log ends at byte `end`, and no writer holds its lock.
fn is_settled(run: &RunDir, end: u64) -> bool {
    LogFile::open(&run.events(), Access::Read)
        .is_ok_and(|log| log.is_free() && log.length().is_ok_and(|now| now == end))
}
