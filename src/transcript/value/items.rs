//! The items of a transcript: sections, messages, notes.

use std::borrow::Cow;

use serde::Serialize;

use super::calls::{CallEntry, SpawnedAgent};
use crate::event::time::Timestamp;
use crate::history::tasks::TaskOutcome;
use crate::secret::SecretRules;
use crate::transcript::quoted::Quoted;

/// What happened in one task, or before the first.
#[derive(Debug, Serialize)]
pub(crate) struct Section {
    /// The task's number; null before the first task.
    pub task: Option<u64>,
    /// The title.
    pub title: String,
    /// When it started.
    pub time: Option<Timestamp>,
    /// The full message of the task.
    #[serde(skip)]
    pub prompt: Option<Quoted>,
    /// Whether a person began it.
    #[serde(skip)]
    pub is_prompt: bool,
    /// Whether an agent chooses chapters in it, which needs no answer.
    #[serde(skip)]
    pub chooses_chapters: bool,
    /// Whether its message is the prompt of the run.
    #[serde(skip)]
    pub is_first: bool,
    /// The full message, if the title shows only its beginning.
    pub message: Option<Quoted>,
    /// The outcome; null before the first task.
    pub outcome: Option<TaskOutcome>,
    /// Sequence of its first event.
    pub first_sequence: Option<u64>,
    /// Sequence of its last event.
    #[serde(skip)]
    pub last_sequence: Option<u64>,
    /// What happened, in order.
    pub items: Vec<Entry>,
    /// Calls that were dropped from the items and that the Timeline may show.
    #[serde(skip)]
    pub aside: Vec<CallEntry>,
}

/// One item of a section.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Entry {
    /// A message.
    Said(SpokenText),
    /// A tool call.
    Call(CallEntry),
    /// A note, decision or step.
    Note(Note),
    /// An agent that no known call spawned.
    Agent(SpawnedAgent),
    /// A section written for the transcript by an event.
    Section {
        /// Sequence of the event.
        sequence: u64,
        /// The heading.
        title: String,
        /// The text.
        text: String,
    },
    /// Stands for what was dropped here: `transcript.md` leaves out the middle of long turns.
    Dropped {
        /// What was dropped.
        what: DroppedKind,
        /// How many.
        number: u64,
    },
}

/// What was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DroppedKind {
    /// Thoughts.
    Thoughts,
    /// Items that are not thoughts.
    Others,
    /// Calls of one item.
    Calls,
}

/// A message.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SpokenText {
    /// Sequence of the first event.
    pub sequence: u64,
    /// Time of the first event.
    pub time: Timestamp,
    /// The speaker.
    pub who: String,
    /// The text, cut if it is very long.
    pub text: String,
    /// Whether it is a thought.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub thought: bool,
    /// Whether a person is the speaker.
    #[serde(skip)]
    pub by_user: bool,
    /// The hash of the id of the model call that it is from; only kept for a page.
    #[serde(skip)]
    pub model_call: Option<u64>,
    /// The output tokens of that call.
    #[serde(skip)]
    pub tokens: Option<OutputTokens>,
}

/// The output tokens of a model call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OutputTokens {
    /// How many.
    pub number: u64,
    /// Whether there may be more.
    pub at_least: bool,
}

impl SpokenText {
    /// Whether an agent says it, and not only thinks it.
    #[must_use]
    pub(in crate::transcript) fn is_answer(&self) -> bool {
        !self.thought && !self.by_user
    }

    /// Redacts a secret that was split over several pieces of a stream.
    #[must_use]
    pub(in crate::transcript) fn redacted(self) -> Self {
        let redacted = SecretRules::built_in().redact(&self.text);
        Self { text: redacted.map_or(self.text, |redacted| redacted.text), ..self }
    }
}

/// A line about an event.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Note {
    /// Sequence of the event.
    pub sequence: u64,
    /// The line.
    pub text: String,
    /// The full content in several lines if `text` does not show all of it; otherwise empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub more: String,
    /// Whether it is an error or a warning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<NoteLevel>,
    /// Whether it is shown only at full detail.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub minor: bool,
    /// What it is about.
    #[serde(skip)]
    pub mark: NoteMark,
}

/// What a note is about. A page shows some notes in their own ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum NoteMark {
    /// Anything.
    #[default]
    Plain,
    /// A text of the client, not of a person or an agent.
    Client,
    /// What a hook printed.
    Hook,
    /// The conversation was replaced by a summary, or the summary itself.
    Compaction,
}

/// The level of a note, an error or a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NoteLevel {
    /// Something that may need attention.
    Warning,
    /// Something failed.
    Error,
}

impl NoteLevel {
    /// The name of the level.
    #[must_use]
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl Section {
    /// Whether an answer follows the last call.
    #[must_use]
    pub(crate) fn has_answer(&self) -> bool {
        self.ends_with_answer() == Some(true)
    }

    /// The same; `None` without any message or call.
    pub(super) fn ends_with_answer(&self) -> Option<bool> {
        let last = self.items.iter().rev().find(|entry| match entry {
            Entry::Said(said) => !said.thought,
            Entry::Call(_) | Entry::Dropped { what: DroppedKind::Calls, .. } => true,
            _ => false,
        })?;
        Some(matches!(last, Entry::Said(said) if said.is_answer()))
    }

    /// Whether the task began with a message.
    #[must_use]
    pub(crate) fn asks(&self) -> bool {
        self.prompt.as_ref().is_some_and(|prompt| !prompt.text.trim().is_empty())
    }

    /// What is said if it asks, and the task or the run is over without such a message; with the
    /// last message, which more calls followed.
    #[must_use]
    pub(crate) fn lack_of_answer(&self) -> Option<String> {
        let is_over = self.outcome.is_some_and(|outcome| outcome != TaskOutcome::Running);
        if !self.asks() || self.chooses_chapters || !is_over || self.has_answer() {
            return None;
        }
        let said = self.items.iter().rev().find_map(|entry| match entry {
            Entry::Said(said) if said.is_answer() => Some(said.sequence),
            _ => None,
        });
        let said = said.map(|sequence| format!("; its last message is #{sequence}"));
        Some(format!("this task ended without an answer{}", said.unwrap_or_default()))
    }
}

/// The index of the last message that is not a thought.
pub(in crate::transcript) fn last_message(items: &[Entry]) -> Option<usize> {
    items.iter().rposition(|entry| matches!(entry, Entry::Said(said) if !said.thought))
}

impl Entry {
    /// Sequence of its first event.
    #[must_use]
    pub(crate) fn sequence(&self) -> u64 {
        match self {
            Self::Said(said) => said.sequence,
            Self::Note(note) => note.sequence,
            Self::Section { sequence, .. } => *sequence,
            Self::Call(call) => call.sequence,
            Self::Agent(agent) => agent.sequence(),
            Self::Dropped { .. } => 0,
        }
    }

    /// The number of items or calls that it stands for.
    pub(in crate::transcript) fn weight(&self) -> usize {
        match self {
            Self::Dropped { number, .. } => usize::try_from(*number).unwrap_or(usize::MAX),
            _ => 1,
        }
    }

    /// The call, if this is one.
    #[must_use]
    pub(crate) fn call(&self) -> Option<&CallEntry> {
        if let Self::Call(call) = self { Some(call) } else { None }
    }

    /// The agents in it: those that its call spawned, or the agent that it is.
    #[must_use]
    pub(crate) fn agents(&self) -> &[SpawnedAgent] {
        match self {
            Self::Call(call) => &call.agents,
            Self::Agent(agent) => std::slice::from_ref(agent),
            _ => &[],
        }
    }

    /// The actor or tool, and the text.
    #[must_use]
    pub(crate) fn told(&self) -> (Cow<'_, str>, &str) {
        match self {
            Self::Said(said) => (Cow::Borrowed(&said.who), &said.text),
            Self::Note(note) => {
                (Cow::Borrowed(note.level.map_or("note", NoteLevel::name)), &note.text)
            }
            Self::Section { title, text, .. } => (Cow::Borrowed(title), text),
            Self::Call(call) => (Cow::Borrowed(&call.tool), &call.arguments),
            Self::Agent(agent) => (Cow::Borrowed("agent"), &agent.id),
            Self::Dropped { .. } => (Cow::Borrowed("note"), "omitted"),
        }
    }
}
