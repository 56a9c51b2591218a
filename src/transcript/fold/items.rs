//! The items of a turn: messages, calls, notes and sections.

use super::kept::{KeptCalls, KeptItems};
use crate::history::arguments::Telling;
use crate::transcript::changed_lines::ChangedLines;
use crate::transcript::value::{Note, SpokenText};

/// What happened in one task.
#[derive(Clone, Debug, Default)]
pub(crate) struct TaskTurn {
    /// The task's number; `None` before the first task.
    pub task: Option<u64>,
    /// What happened, in order.
    pub items: KeptItems,
}

/// One item of a turn.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    /// A message.
    SpokenText(SpokenText),
    /// One or more consecutive tool calls.
    Calls(KeptCalls),
    /// A note, decision or workflow step: one line.
    Note(Note),
    /// The agent with this index that no known call spawned.
    Agent(usize),
    /// A section written for the transcript by an event.
    Section {
        /// Sequence of the event.
        sequence: u64,
        /// The heading.
        title: String,
        /// The text.
        content: String,
    },
}

impl Item {
    /// Whether it is a thought, which some transcripts leave out.
    pub(super) fn is_thought(&self) -> bool {
        matches!(self, Self::SpokenText(said) if said.thought)
    }

    /// Whether it may be the last answer of the run.
    pub(super) fn is_spoken(&self) -> bool {
        matches!(self, Self::SpokenText(said) if said.is_answer())
    }
}

/// A tool call in a turn.
#[derive(Clone, Debug)]
pub(crate) struct CallLine {
    /// Sequence of its first event.
    pub sequence: u64,
    /// Index of the call in the state's calls.
    pub call: usize,
    /// The arguments in one short line.
    pub arguments: String,
    /// How many lines it adds and removes, if it changes a file.
    pub changes: Option<ChangedLines>,
    /// The part of the result worth showing.
    pub telling: Telling,
}

/// One of the lists of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ItemList {
    /// The list of the turn with this index.
    Turn(usize),
    /// The list of the spawned agent with this index.
    Agent(usize),
    /// The list of the agent with this index that no known call spawned.
    Unlinked(usize),
}

impl Default for ItemList {
    fn default() -> Self {
        Self::Turn(0)
    }
}
