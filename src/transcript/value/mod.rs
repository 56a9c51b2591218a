//! The transcript as a value. Markdown, HTML, terminal text and JSON are rendered from it.

mod answer;
mod calls;
mod items;

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use super::images::PageImages;
use super::open_call::OpenCall;
pub(crate) use super::quoted::{QuoteSource, Quoted};
use super::todo::TodoState;
use super::trouble_groups::TroubleGroup;
use crate::event::time::Timestamp;
use crate::history::facts::RunFacts;
use crate::history::last_turn::LastTurn;
use crate::history::tasks::Tasks;
use crate::log::prefix::LogPrefix;
use crate::run::document::RunDocument;
use crate::text::inert::line;
pub(crate) use answer::LastAnswer;
pub(crate) use calls::{AgentFacts, CallEntry, PageCall, SpawnedAgent};
pub(in crate::transcript) use items::last_message;
pub(crate) use items::{
    DroppedKind, Entry, Note, NoteLevel, NoteMark, OutputTokens, Section, SpokenText,
};

/// The whole transcript.
#[derive(Debug, Serialize)]
pub(crate) struct Transcript {
    pub(in crate::transcript) schema_version: u32,
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
    /// All tasks; a document for programs lists them.
    #[serde(skip)]
    pub tasks: Tasks,
    /// The last answer.
    pub answer: Option<LastAnswer>,
    /// The files touched, and the operations on them.
    pub files: Vec<File>,
    /// The number of files that were dropped.
    #[serde(skip)]
    pub more_files: u64,
    /// How the newest turn stands.
    #[serde(skip)]
    pub last_turn: LastTurn,
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
    /// The images of a page; empty for other formats.
    #[serde(skip)]
    pub images: PageImages,
    /// Tokens of each model call.
    pub tokens: Vec<Tokens>,
    /// The number of calls with a known time and duration, and whether any two of them ran in
    /// parallel.
    #[serde(skip)]
    pub timed_calls: (u64, bool),
    /// The times in which nothing happened.
    #[serde(skip)]
    pub idle: Vec<IdleTime>,
    /// The time that the agent waited for prompts, in milliseconds.
    #[serde(skip)]
    pub waited_ms: u64,
    /// Tasks of the run itself, without those of spawned agents.
    #[serde(skip)]
    pub own_tasks: u64,
    /// Sequence of the last event.
    pub last_sequence: u64,
    /// The lines of the events.
    #[serde(skip)]
    pub made_of: LogPrefix,
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
pub(in crate::transcript) const TITLE: usize = 100;

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

/// A time in which nothing happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IdleTime {
    /// Sequence of the first event after it.
    pub sequence: u64,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
}

/// A file and the operations on it.
#[derive(Debug, Serialize)]
pub(crate) struct File {
    /// Its path.
    pub path: String,
    /// The operations, and how often each was done.
    pub operations: BTreeMap<String, u64>,
}

impl File {
    /// The operations as text (`edited ×2, written`). `show` makes the name of one printable.
    pub(in crate::transcript) fn operations_told(&self, show: impl Fn(&str) -> String) -> String {
        let words = self.operations.iter().map(|(operation, times)| {
            let operation = show(operation);
            if *times > 1 { format!("{operation} ×{times}") } else { operation }
        });
        words.collect::<Vec<_>>().join(", ")
    }
}

/// A required deliverable.
#[derive(Debug, Serialize)]
pub(crate) struct RequiredFile {
    /// The path as it was required.
    pub path: String,
    /// Whether it did not pass the last check.
    pub missing: bool,
    /// Why not, if it is there.
    pub reason: Option<String>,
}

impl RequiredFile {
    /// What is wrong with it; `None` if nothing is known to be.
    pub(super) fn fault(&self) -> Option<String> {
        let fault = || match &self.reason {
            Some(reason) => format!("did not pass: {}", line(reason)),
            None => "missing".to_owned(),
        };
        self.missing.then(fault)
    }
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
    /// The tasks of the run after the one whose message is its prompt.
    pub(crate) fn later_tasks(&self) -> impl Iterator<Item = &Section> {
        let after = self.turns.iter().skip_while(|turn| !turn.is_first).skip(1);
        after.filter(|turn| turn.task.is_some())
    }

    /// All items. The items of an agent follow the call that spawned it, or its own item.
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
        entry.agents().iter().for_each(|agent| gather(&agent.items, all));
    }
}

/// Whether a path that the run touched is one of its deliverables.
pub(in crate::transcript) fn is_in_deliverables(path: &str) -> bool {
    path.contains("deliverables/")
}

/// Whether a text has more content than the line that represents it. The line may be only the end
/// of the text (`name: value`).
pub(in crate::transcript) fn says_more(text: &str, line: &str) -> bool {
    let text = text.trim();
    text.contains('\n') || !text.ends_with(line) || line.is_empty() && !text.is_empty()
}
