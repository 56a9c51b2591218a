//! The outcome of drafts: recorded or refused.

use super::RunError;
use crate::event::id::EventId;

/// A recorded event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedEvent {
    /// Its id.
    pub event_id: EventId,
    /// Its sequence.
    pub sequence: u64,
    /// Whether the log already had the event, because the call was repeated.
    pub repeated: bool,
}

/// The outcome of a batch.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    /// The outcome of each draft, in order: the event, or the reason why it was refused.
    pub outcomes: Vec<Result<RecordedEvent, RunError>>,
    /// Whether the state of the run changed, so that derived files must be updated.
    pub lifecycle: bool,
    /// The types of the new events that end the run or begin work, each once.
    pub ends_and_starts: Vec<String>,
    /// The number of bytes of a torn tail that were moved away first.
    pub recovered_bytes: u64,
    /// Errors in derived files. They never make recording fail.
    pub warnings: Vec<String>,
}
