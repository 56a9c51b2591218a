//! The transcript as a value of its own: what programs read (`transcript --format json`), and
//! what the page and the text for the terminal are rendered from.

mod from_model;

use std::borrow::Cow;

use serde::{Serialize, Serializer};

use crate::history::arguments::Telling;
use crate::history::facts::RunFacts;
use crate::run::document::RunDocument;

/// The whole transcript.
#[derive(Debug, Serialize)]
pub(crate) struct Document {
    schema_version: u32,
    /// The facts of the run, as `run.json` tells them.
    #[serde(serialize_with = "as_run_json")]
    pub facts: RunFacts,
    /// What the run was asked to do.
    pub prompt: Option<String>,
    /// What the agent was told to be.
    pub system_prompt: Option<String>,
    /// The harness's other files: their names, and their texts.
    pub harness: Vec<(&'static str, String)>,
    /// Skills, configurations and memory, one line each.
    pub remarks: Vec<Line>,
    /// The tools, and how often they were called.
    pub tools: Vec<Tool>,
    /// The outermost chapters.
    pub chapters: Vec<ChapterLine>,
    /// What happened, task by task.
    pub turns: Vec<Section>,
    /// The files touched, and how.
    pub files: Vec<File>,
    /// What the run must leave, and whether it was missing at the last check.
    pub deliverables: Vec<Deliverable>,
    /// Verdict of the last check of the deliverables.
    pub deliverables_status: Option<String>,
    /// Errors and warnings.
    pub troubles: Vec<Trouble>,
    /// What calls of models took in and gave out.
    pub tokens: Vec<Tokens>,
    /// Sequence of the last event.
    pub last_sequence: u64,
}

/// One line with the event that it rests on.
#[derive(Debug, Serialize)]
pub(crate) struct Line {
    /// The event.
    pub sequence: u64,
    /// The line.
    pub text: String,
}

/// One tool.
#[derive(Debug, Serialize)]
pub(crate) struct Tool {
    /// Its name.
    pub name: String,
    /// How often it was called.
    pub calls: u64,
    /// How often it failed.
    pub failures: u64,
    /// How often it was not allowed.
    pub blocked: u64,
    /// All its time, in milliseconds.
    pub duration_ms: Option<u64>,
}

/// One chapter.
#[derive(Debug, Serialize)]
pub(crate) struct ChapterLine {
    /// Its name.
    pub name: String,
    /// Its name in paths.
    pub slug: String,
    /// What is worth knowing of it.
    pub message: String,
    /// Sequence of its first event.
    pub first_sequence: u64,
    /// Sequence of its last event.
    pub last_sequence: u64,
}

/// What happened in one task, or before the first.
#[derive(Debug, Serialize)]
pub(crate) struct Section {
    /// The task's number; null before the first.
    pub task: Option<u64>,
    /// What it was about.
    pub title: String,
    /// When it began.
    pub time: Option<String>,
    /// All of what was asked, where the title is the beginning of it.
    pub message: Option<String>,
    /// `succeeded`, `failed`, …; null before the first task.
    pub outcome: Option<&'static str>,
    /// Sequence of its first event.
    pub first_sequence: Option<u64>,
    /// What happened, in order.
    pub items: Vec<Entry>,
}

/// Something that happened.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Entry {
    /// Somebody said something.
    Said {
        /// The first event.
        sequence: u64,
        /// When.
        time: String,
        /// Who.
        who: String,
        /// The words, cut where very long.
        text: String,
        /// Whether it was thought, not said.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        thought: bool,
    },
    /// A tool was called.
    Call(Call),
    /// A note, a decision, a step.
    Note {
        /// The event.
        sequence: u64,
        /// The line.
        text: String,
        /// All of it in several lines, where the line does not show that.
        #[serde(skip_serializing_if = "String::is_empty")]
        more: String,
        /// `error` or `warning`, where it is one.
        #[serde(skip_serializing_if = "Option::is_none")]
        level: Option<&'static str>,
        /// Whether only full detail shows it.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        minor: bool,
    },
    /// A section that was written for the transcript.
    Section {
        /// The event.
        sequence: u64,
        /// Its heading.
        title: String,
        /// Its text.
        text: String,
    },
}

/// A tool call.
#[derive(Debug, Serialize)]
pub(crate) struct Call {
    /// Its first event.
    pub sequence: u64,
    /// Its last event; null while it is open.
    pub end_sequence: Option<u64>,
    /// When it began.
    pub time: Option<String>,
    /// The same in milliseconds since 1970.
    #[serde(skip)]
    pub began: Option<i64>,
    /// The tool.
    pub tool: String,
    /// What it was called with, one line.
    pub arguments: String,
    /// `started`, `completed`, `failed` or `blocked`.
    pub status: &'static str,
    /// How long it took, in milliseconds.
    pub duration_ms: Option<u64>,
    /// What it was called with, cut where very long.
    pub input: Option<String>,
    /// What it returned, cut where very long.
    pub result: Option<String>,
    /// What of it is worth a look at once.
    #[serde(skip)]
    pub telling: Telling,
    /// Agents that it spawned.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<Agent>,
}

/// An agent that a call spawned.
#[derive(Debug, Serialize)]
pub(crate) struct Agent {
    /// Its id.
    pub id: String,
    /// The number of the task that it was given; null where it was told in another way.
    pub task: Option<u64>,
    /// What the task was.
    pub title: Option<String>,
    /// What happened, in order.
    pub items: Vec<Entry>,
}

/// A file, and how often what was done to it.
#[derive(Debug, Serialize)]
pub(crate) struct File {
    /// Its path.
    pub path: String,
    /// The operations, and how often.
    pub operations: std::collections::BTreeMap<String, u64>,
}

/// Something that the run must leave.
#[derive(Debug, Serialize)]
pub(crate) struct Deliverable {
    /// As it was required.
    pub path: String,
    /// Whether the last check did not find it.
    pub missing: bool,
}

/// An error or a warning.
#[derive(Debug, Serialize)]
pub(crate) struct Trouble {
    /// The event.
    pub sequence: u64,
    /// When.
    pub time: String,
    /// The event's type.
    #[serde(rename = "type")]
    pub kind: String,
    /// `error` or `warning`.
    pub level: &'static str,
    /// What went wrong.
    pub text: String,
}

/// What one call of a model took in and gave out.
#[derive(Debug, Serialize)]
pub(crate) struct Tokens {
    /// The event.
    pub sequence: u64,
    /// When.
    pub time: String,
    /// The same in milliseconds since 1970.
    #[serde(skip)]
    pub at: i64,
    /// Tokens of its context.
    pub context: u64,
    /// Tokens that it gave out.
    pub output: u64,
}

fn as_run_json<S: Serializer>(facts: &RunFacts, serializer: S) -> Result<S::Ok, S::Error> {
    RunDocument::new(facts, None).serialize(serializer)
}

impl Document {
    /// The last thing that was said, which mostly is the answer.
    #[must_use]
    pub(crate) fn answer(&self) -> Option<&Entry> {
        let mut entries = self.turns.iter().flat_map(|turn| &turn.items);
        entries.rfind(|entry| matches!(entry, Entry::Said { thought: false, .. }))
    }

    /// Everything that happened, what spawned agents did behind the calls that spawned them.
    #[must_use]
    pub(crate) fn entries(&self) -> Vec<&Entry> {
        let mut all = Vec::new();
        self.turns.iter().for_each(|turn| gather(&turn.items, &mut all));
        all
    }
}

fn gather<'d>(items: &'d [Entry], all: &mut Vec<&'d Entry>) {
    for entry in items {
        all.push(entry);
        if let Entry::Call(call) = entry {
            call.agents.iter().for_each(|agent| gather(&agent.items, all));
        }
    }
}

impl Agent {
    /// What it is called where it is told: its id, and its task.
    #[must_use]
    pub(crate) fn heading(&self) -> String {
        let number = self.task.map(|number| format!(" [{number}]")).unwrap_or_default();
        let title = self.title.as_ref().map(|title| format!(": {title}")).unwrap_or_default();
        format!("agent {}{number}{title}", self.id)
    }
}

impl Entry {
    /// The event that it begins with.
    #[must_use]
    pub(crate) fn sequence(&self) -> u64 {
        match self {
            Self::Said { sequence, .. }
            | Self::Note { sequence, .. }
            | Self::Section { sequence, .. } => *sequence,
            Self::Call(call) => call.sequence,
        }
    }

    /// Who did it, and what there is to read.
    #[must_use]
    pub(crate) fn told(&self) -> (Cow<'_, str>, &str) {
        match self {
            Self::Said { who, text, .. } => (Cow::Borrowed(who), text),
            Self::Note { text, level: Some(level), .. } => (Cow::Borrowed(*level), text),
            Self::Note { text, .. } => (Cow::Borrowed("note"), text),
            Self::Section { title, text, .. } => (Cow::Borrowed(title), text),
            Self::Call(call) => (Cow::Borrowed(&call.tool), &call.arguments),
        }
    }
}

/// Whether a text says more than the one line that stands for it, which may be the end of it
/// (`name: value`).
pub(super) fn says_more(text: &str, line: &str) -> bool {
    let text = text.trim();
    text.contains('\n') || !text.ends_with(line) || line.is_empty() && !text.is_empty()
}
