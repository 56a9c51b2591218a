//! What happened, piece by piece.

use std::borrow::Cow;

use crate::event::time::Timestamp;
use crate::history::arguments::Telling;
use crate::secret::Rules;

/// What one call of a model took in and gave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sample {
    /// The event.
    pub sequence: u64,
    /// When.
    pub time: Timestamp,
    /// Tokens of its context, cached ones among them.
    pub context: u64,
    /// Tokens that it gave out.
    pub output: u64,
}

/// One line with the event that it rests on.
#[derive(Clone, Debug)]
pub(crate) struct Remark {
    /// The event.
    pub sequence: u64,
    /// The line.
    pub text: String,
    /// What the event says in several lines, where one line does not show all of it; empty where
    /// it does.
    pub more: String,
    /// `error` or `warning`, where it is one.
    pub level: Option<&'static str>,
    /// Whether only a transcript in full detail shows it.
    pub minor: bool,
}

/// An error or a warning.
#[derive(Clone, Debug)]
pub(crate) struct Trouble {
    /// The event.
    pub sequence: u64,
    /// When.
    pub time: Timestamp,
    /// The event's type.
    pub kind: String,
    /// Whether it is an error, not a warning.
    pub error: bool,
    /// What went wrong.
    pub text: String,
}

/// What happened in one task.
#[derive(Clone, Debug, Default)]
pub(crate) struct Turn {
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
    Remark(Remark),
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

/// What somebody said.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    /// The first event.
    pub sequence: u64,
    /// When.
    pub time: Timestamp,
    /// Who.
    pub who: String,
    /// The words, cut where very long.
    pub text: String,
    /// Whether it was thought, not said.
    pub thought: bool,
}

impl Said {
    /// The text for people: a secret that came in pieces, none of which showed it, is not
    /// shown whole either.
    #[must_use]
    pub(crate) fn shown(&self) -> Cow<'_, str> {
        let redacted = Rules::built_in().redact(&self.text);
        redacted.map_or(Cow::Borrowed(self.text.as_str()), |redacted| redacted.text.into())
    }
}

/// A tool call in the flow of the run.
#[derive(Clone, Debug)]
pub(crate) struct CallLine {
    /// Sequence of its first event.
    pub sequence: u64,
    /// Index of the call in the state's calls.
    pub call: usize,
    /// What it was called with, one short line.
    pub arguments: String,
    /// What of its result is worth showing.
    pub telling: Telling,
}
