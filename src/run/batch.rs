//! The outcome of drafts: recorded or refused.

use super::RunError;
use crate::event::id::EventId;

/// An event that is in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedEvent {
    /// Its id.
    pub event_id: EventId,
    /// Its sequence.
    pub sequence: u64,
    /// Whether the log already had it: the call was repeated.
    pub repeated: bool,
}

/// The outcome of a batch.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    /// One for each draft, in order: the event, or why this draft was refused.
    pub outcomes: Vec<Result<RecordedEvent, RunError>>,
    /// Whether the state of the run changed, so that derived files must be updated.
    pub lifecycle: bool,
    /// Bytes of a torn tail that were moved away before.
    pub recovered_bytes: u64,
    /// Errors in derived files, which never make recording fail.
    pub warnings: Vec<String>,
}
