//! The calls of a transcript and the agents that they spawned.

use serde::Serialize;

use super::items::Entry;
use crate::event::time::Timestamp;
use crate::history::arguments::Telling;
use crate::history::calls::CallStatus;
use crate::transcript::call_form::CallForm;
use crate::transcript::changed_lines::ChangedLines;
use crate::transcript::diff::FileDiff;

/// A tool call.
#[derive(Debug, Serialize)]
pub(crate) struct CallEntry {
    /// Sequence of its first event.
    pub sequence: u64,
    /// Sequence of its last event; null while the call is open.
    pub end_sequence: Option<u64>,
    /// When it started.
    pub time: Option<Timestamp>,
    /// The tool's name.
    pub tool: String,
    /// The arguments in one line.
    pub arguments: String,
    /// How many lines it adds and removes, if it changes a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<ChangedLines>,
    /// How it ended.
    pub status: CallStatus,
    /// Its exit code, if it failed with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// How long it took, in milliseconds.
    pub duration_ms: Option<u64>,
    /// The arguments, cut if they are very long. Only kept if the fold keeps results.
    pub input: Option<String>,
    /// The result, cut if it is very long. Only kept if the fold keeps results.
    pub result: Option<String>,
    /// What a page shows of the arguments; `None` for other formats.
    #[serde(skip)]
    pub page: Option<Box<PageCall>>,
    /// Why it failed, in one line.
    #[serde(skip)]
    pub reason: Option<String>,
    /// The most informative line of the result.
    #[serde(skip)]
    pub returned: Option<String>,
    /// The summary that its end was given in place of the template's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The part of the result worth showing next to the call.
    #[serde(skip)]
    pub telling: Telling,
    /// The agents that it spawned.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<SpawnedAgent>,
}

impl CallEntry {
    /// The lines that it has added and removed. A call that failed changed nothing.
    #[must_use]
    pub(crate) fn applied(&self) -> Option<ChangedLines> {
        let has_failed = matches!(self.status, CallStatus::Failed | CallStatus::Blocked);
        self.changes.filter(|_| !has_failed)
    }
}

/// What a page shows of the arguments of a call.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageCall {
    /// The command that a shell runs.
    pub command: Option<String>,
    /// The agent's own description of the call.
    pub description: Option<String>,
    /// The changes of files.
    pub edits: Vec<FileDiff>,
    /// The list, the plan or the questions.
    pub form: Option<CallForm>,
    /// The type of the agent that the call spawns.
    pub agent_type: Option<String>,
    /// All other arguments.
    pub rest: String,
}

/// An agent that a call spawned.
#[derive(Debug, Serialize)]
pub(crate) struct SpawnedAgent {
    /// Its id.
    pub id: String,
    /// The number of its task; null if it was given none.
    pub task: Option<u64>,
    /// The title of that task.
    pub title: Option<String>,
    /// Sequence of the first event of that task.
    #[serde(skip)]
    pub first_sequence: Option<u64>,
    /// Its index among all spawned agents of the run, starting from 0.
    #[serde(skip)]
    pub index: usize,
    /// Its type, model, tokens and time; empty if the fold does not keep them.
    #[serde(skip)]
    pub facts: AgentFacts,
    /// What happened, in order.
    pub items: Vec<Entry>,
    /// Calls that were dropped from the items and that the Timeline may show.
    #[serde(skip)]
    pub aside: Vec<CallEntry>,
}

/// What a page says in the heading of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AgentFacts {
    /// Its type, if its own events name it.
    pub kind: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// Input and output tokens.
    pub tokens: Option<String>,
    /// The time from its first to its last event, in milliseconds.
    pub duration_ms: Option<u64>,
}

impl SpawnedAgent {
    /// Sequence of its first event.
    #[must_use]
    pub(crate) fn sequence(&self) -> u64 {
        self.first_sequence.or(self.items.first().map(Entry::sequence)).unwrap_or(0)
    }

    /// The heading: the agent's id and its task.
    #[must_use]
    pub(crate) fn heading(&self) -> String {
        let number = self.task.map(|number| format!(" [{number}]")).unwrap_or_default();
        let title = self.title.as_ref().map(|title| format!(": {title}")).unwrap_or_default();
        format!("agent {}{number}{title}", self.id)
    }
}
