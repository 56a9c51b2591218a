//! The transcript as a value. Markdown, HTML, terminal text and JSON are rendered from it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use super::changed_lines::ChangedLines;
use super::diff::FileDiff;
use super::open_call::OpenCall;
pub(crate) use super::quoted::{QuoteSource, Quoted};
use super::todo::TodoState;
use super::trouble_groups::TroubleGroup;
use crate::event::time::Timestamp;
use crate::history::arguments::Telling;
use crate::history::calls::CallStatus;
use crate::history::facts::RunFacts;
use crate::history::tasks::TaskOutcome;
use crate::run::document::RunDocument;
use crate::secret::SecretRules;

/// The whole transcript.
#[derive(Debug, Serialize)]
pub(crate) struct Transcript {
    pub(super) schema_version: u32,
    /// The facts of the run, as in `run.json`.
    #[serde(serialize_with = "as_run_json")]
    pub facts: RunFacts,
    /// What the run was asked to do.
    pub prompt: Option<Quoted>,
    /// The instructions of the agent.
    pub system_prompt: Option<Quoted>,
    /// The harness's other files: their names, and their texts.
    pub harness: Vec<(&'static str, Quoted)>,
    /// Identifies the content of the harness's files; `None` if there are none.
    #[serde(skip)]
    pub fingerprint: Option<String>,
    /// Skills, settings and memory.
    pub remarks: Remarks,
    /// The tools, and how often they were called.
    pub tools: Vec<Tool>,
    /// The outermost chapters.
    pub chapters: Vec<ChapterLine>,
    /// What happened, task by task.
    pub turns: Vec<Section>,
    /// The files touched, and the operations on them.
    pub files: Vec<File>,
    /// The number of files that were dropped.
    #[serde(skip)]
    pub more_files: u64,
    /// The required deliverables, and whether the last check found them missing.
    pub deliverables: Vec<RequiredFile>,
    /// Verdict of the last check of the deliverables.
    pub deliverables_status: Option<String>,
    /// Errors and warnings. Empty if the fold keeps only what `transcript.md` shows.
    pub troubles: Vec<Trouble>,
    /// Equal errors and warnings together, those worth reading first before the others.
    pub trouble_groups: Vec<TroubleGroup>,
    /// The number of errors and warnings that are in no group.
    #[serde(skip)]
    pub more_troubles: u64,
    /// How the agent was confined, and which version it was.
    pub setting: RunSetting,
    /// Times when nothing happened.
    pub pauses: Vec<Pause>,
    /// The calls that have not ended.
    pub open_calls: Vec<OpenCall>,
    /// The agent's list of things to do after its last update.
    pub todo: Option<TodoState>,
    /// The address of the pull request that the run opened.
    pub pull_request: Option<String>,
    /// Tokens of each model call.
    pub tokens: Vec<Tokens>,
    /// The number of calls with a known time and duration, and whether any two of them ran in
    /// parallel.
    #[serde(skip)]
    pub timed_calls: (u64, bool),
    /// The times in which nothing happened.
    #[serde(skip)]
    pub idle: Vec<IdleTime>,
    /// Tasks of the run itself, without those of spawned agents.
    #[serde(skip)]
    pub own_tasks: u64,
    /// Sequence of the last event.
    pub last_sequence: u64,
}

/// How the agent was confined, and which version it was. Events name these, or the metadata does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct RunSetting {
    /// The version of the agent.
    pub version: Option<String>,
    /// The branch in version control.
    pub branch: Option<String>,
    /// The sandbox.
    pub sandbox: Option<String>,
    /// What the agent may do without asking.
    pub approval: Option<String>,
}

/// A time when nothing happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Pause {
    /// Sequence of the first event after it.
    pub sequence: u64,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
}

/// Maximum width of a task's title in a heading. If the message is longer, it is shown below the
/// heading.
pub(super) const TITLE: usize = 100;

/// Remarks about the agent rather than its work.
#[derive(Debug, Default)]
pub(crate) struct Remarks {
    /// Skills that were indexed or loaded.
    pub skills: Vec<Note>,
    /// Settings that were loaded.
    pub settings: Vec<Note>,
    /// Memory that was searched or written.
    pub memory: Vec<Note>,
}

impl Remarks {
    /// All of them, in the order of the log.
    #[must_use]
    pub(crate) fn all(&self) -> Vec<&Note> {
        let mut all: Vec<&Note> =
            [&self.skills, &self.settings, &self.memory].into_iter().flatten().collect();
        all.sort_by_key(|note| note.sequence);
        all
    }
}

impl Serialize for Remarks {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct RemarkLine<'n> {
            sequence: u64,
            text: &'n str,
        }
        let all = self.all();
        serializer.collect_seq(
            all.iter().map(|note| RemarkLine { sequence: note.sequence, text: &note.text }),
        )
    }
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
    /// How often it was blocked.
    pub blocked: u64,
    /// Total time, in milliseconds.
    pub duration_ms: Option<u64>,
}

/// One chapter.
#[derive(Debug, Serialize)]
pub(crate) struct ChapterLine {
    /// Its name.
    pub name: String,
    /// Its slug, used in paths.
    pub slug: String,
    /// Its message.
    pub message: Quoted,
    /// Sequence of its first event.
    pub first_sequence: u64,
    /// Sequence of its last event.
    pub last_sequence: u64,
    /// Numbers of its first and last task.
    #[serde(skip)]
    pub tasks: (u64, u64),
    /// How many events it covers.
    #[serde(skip)]
    pub events: u64,
}

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
    Said(Said),
    /// A tool call.
    Call(CallEntry),
    /// A note, decision or step.
    Note(Note),
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
pub(crate) struct Said {
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
}

impl Said {
    /// Redacts a secret that was split over several pieces of a stream.
    #[must_use]
    pub(super) fn redacted(self) -> Self {
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
    /// The part of the result worth showing next to the call.
    #[serde(skip)]
    pub telling: Telling,
    /// The agents that it spawned.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<SpawnedAgent>,
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
    /// All other arguments.
    pub rest: String,
}

/// A time in which nothing happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IdleTime {
    /// Sequence of the first event after it.
    pub sequence: u64,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
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
    /// What happened, in order.
    pub items: Vec<Entry>,
    /// Calls that were dropped from the items and that the Timeline may show.
    #[serde(skip)]
    pub aside: Vec<CallEntry>,
}

/// A file and the operations on it.
#[derive(Debug, Serialize)]
pub(crate) struct File {
    /// Its path.
    pub path: String,
    /// The operations, and how often each was done.
    pub operations: BTreeMap<String, u64>,
}

/// A required deliverable.
#[derive(Debug, Serialize)]
pub(crate) struct RequiredFile {
    /// The path as it was required.
    pub path: String,
    /// Whether the last check found it missing.
    pub missing: bool,
}

/// An error or a warning.
#[derive(Debug, Serialize)]
pub(crate) struct Trouble {
    /// Sequence of the event.
    pub sequence: u64,
    /// When it happened.
    pub time: Timestamp,
    /// The event's type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Error or warning.
    pub level: NoteLevel,
    /// The message.
    pub text: String,
}

/// Tokens of one model call.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Tokens {
    /// Sequence of the event.
    pub sequence: u64,
    /// When it happened.
    pub time: Timestamp,
    /// Tokens of the context, including cached tokens.
    pub context: u64,
    /// Output tokens.
    pub output: u64,
}

fn as_run_json<S: Serializer>(facts: &RunFacts, serializer: S) -> Result<S::Ok, S::Error> {
    RunDocument::new(facts, None).serialize(serializer)
}

impl Transcript {
    /// The last message, which is usually the answer.
    #[must_use]
    pub(crate) fn answer(&self) -> Option<&Said> {
        let mut entries = self.turns.iter().flat_map(|turn| &turn.items).rev();
        entries.find_map(|entry| match entry {
            Entry::Said(said) if !said.thought => Some(said),
            _ => None,
        })
    }

    /// All items. The items of a spawned agent follow the call that spawned it.
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

impl Section {
    /// Whether a message follows the last call.
    #[must_use]
    pub(crate) fn has_answer(&self) -> bool {
        ends_with_message(&self.items)
    }

    /// Whether the task is over, or the run is, without such a message.
    #[must_use]
    pub(crate) fn lacks_answer(&self) -> bool {
        let is_over = self.outcome.is_some_and(|outcome| outcome != TaskOutcome::Running);
        self.task.is_some() && is_over && !self.has_answer()
    }
}

fn ends_with_message(items: &[Entry]) -> bool {
    let last = items.iter().rev().find(|entry| match entry {
        Entry::Said(said) => !said.thought,
        Entry::Call(_) | Entry::Dropped { what: DroppedKind::Calls, .. } => true,
        _ => false,
    });
    matches!(last, Some(Entry::Said(_)))
}

/// The index of the last message that is not a thought.
pub(super) fn last_message(items: &[Entry]) -> Option<usize> {
    items.iter().rposition(|entry| matches!(entry, Entry::Said(said) if !said.thought))
}

impl SpawnedAgent {
    /// The heading: the agent's id and its task.
    #[must_use]
    pub(crate) fn heading(&self) -> String {
        let number = self.task.map(|number| format!(" [{number}]")).unwrap_or_default();
        let title = self.title.as_ref().map(|title| format!(": {title}")).unwrap_or_default();
        format!("agent {}{number}{title}", self.id)
    }
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
            Self::Dropped { .. } => 0,
        }
    }

    /// The number of items or calls that it stands for.
    pub(super) fn weight(&self) -> usize {
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
            Self::Dropped { .. } => (Cow::Borrowed("note"), "omitted"),
        }
    }
}

/// Whether a path that the run touched is one of its deliverables.
pub(super) fn is_in_deliverables(path: &str) -> bool {
    path.contains("deliverables/")
}

/// Whether a text has more content than the line that represents it. The line may be only the end
/// of the text (`name: value`).
pub(super) fn says_more(text: &str, line: &str) -> bool {
    let text = text.trim();
    text.contains('\n') || !text.ends_with(line) || line.is_empty() && !text.is_empty()
}
