//! The lines of a stream, and how native ones are read.

use std::ops::Range;

use super::receipt::LineFacts;
use crate::event::blob;
use crate::event::draft::Draft;
use crate::event::json::{self, Json, Rules};
use crate::event::reserved::reserved_key;

/// A line of the stream.
pub(super) struct WaitingLine {
    pub(super) number: u64,
    pub(super) offset: u64,
    pub(super) content: Vec<u8>,
}

/// A line whose events wait for the next write.
pub(super) struct PendingLine {
    pub(super) line: WaitingLine,
    pub(super) drafts: Range<usize>,
    /// What the receipt says of it, once its events are in the log.
    pub(super) facts: LineFacts,
}

/// Reads a native line.
pub(super) fn native(line: &[u8]) -> Result<Draft, String> {
    let json: Json<'_> = json::check(line, Rules::STRICT).map_err(|error| error.to_string())?;
    Draft::native(json).map_err(|error| error.to_string())
}

/// Reads a line of another run's log.
pub(super) fn copied(line: &[u8]) -> Result<Draft, String> {
    let json = json::check(line, Rules::STRICT).map_err(|error| error.to_string())?;
    let draft = Draft::copied(json).map_err(|error| error.to_string())?;
    match reserved_key(draft.data()) {
        Some(blob::KEY) => Err("a large value is left out; `show --full` puts it back".to_owned()),
        _ => Ok(draft),
    }
}
