//! What happened, piece by piece.

use crate::history::arguments::Telling;
use crate::transcript::value::{Note, Said};

/// What happened in one task.
#[derive(Clone, Debug, Default)]
pub(crate) struct TaskTurn {
    /// The task's number; `None` before the first task.
    pub task: Option<u64>,
    /// What happened, in order.
    pub items: Vec<Item>,
}

/// Something that happened.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    /// Somebody said something.
    Said(Said),
    /// Tools were called, one after the other.
    Calls(Vec<CallLine>),
    /// A note, a decision, a workflow step: one line.
    Note(Note),
    /// A section that was written for the transcript.
    Section {
        /// The event.
        sequence: u64,
        /// Its heading.
        title: String,
        /// Its text.
        content: String,
    },
}

/// A tool call in the flow of the run.
#[derive(Clone, Debug)]
pub(crate) struct CallLine {
    /// Sequence of its first event.
    pub sequence: u64,
    /// Index of the call in the state's calls.
    pub call: usize,
    /// The arguments in one short line.
    pub arguments: String,
    /// Which part of its result is worth showing.
    pub telling: Telling,
}
