//! The facts of a run. The fold of the run's state computes them once; the views only format them.

use super::request::own_words;
use super::status::Status;
use super::usage::Usage;
use crate::event::time::Timestamp;
use crate::json::Json;

/// The required deliverables and their state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deliverables {
    /// Paths that `run.created` requires.
    pub required: Vec<String>,
    /// The last recorded verdict.
    pub status: Option<String>,
    /// Paths found missing by the last recorded check, up to a maximum number.
    pub missing: Vec<String>,
}

/// Numbers of things in a run. `None` is unknown, never 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Events.
    pub events: u64,
    /// Prompts by users.
    pub prompts: u64,
    /// Distinct tool calls, including blocked ones.
    pub tool_calls: u64,
    /// Tool calls that failed.
    pub tool_failures: u64,
    /// Records of `logs/errors.jsonl`.
    pub errors: u64,
    /// Events of severity warning.
    pub warnings: u64,
    /// Tokens and cost.
    pub usage: Usage,
}

/// The facts of a run, in one list (docs/format.md).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunFacts {
    /// The run's id.
    pub run_id: String,
    /// The session: that of the source if the run was imported.
    pub session_id: String,
    /// The run's task.
    pub task_id: String,
    /// The run's status.
    pub status: Status,
    /// Time of the first event.
    pub created_at: Option<Timestamp>,
    /// Time when recording began.
    pub recorded_at: Option<Timestamp>,
    /// Whether events were imported from another program's log. The times below are then from that
    /// log.
    pub is_imported: bool,
    /// Time when the work began; `None` if unknown.
    pub started_at: Option<Timestamp>,
    /// Time when the work ended; `None` while it continues.
    pub ended_at: Option<Timestamp>,
    /// Duration of the work in milliseconds. `None` while it continues, and if the clock went back.
    pub duration_ms: Option<u64>,
    /// The error that the run failed with: a JSON object as text.
    pub error: Option<String>,
    /// Why the run is incomplete or was cancelled. `None` in facts that were read from `run.json`.
    pub reason: Option<String>,
    /// The required deliverables.
    pub deliverables: Deliverables,
    /// A JSON object as text: agent, agent_version, model, cwd, git_branch and title if known, and
    /// all other metadata of `run.created`.
    pub metadata: String,
    /// The names of the models that answered, the one with the most tokens first.
    pub models: Vec<String>,
    /// The beginning of the first prompt in one line.
    pub prompt: Option<String>,
    /// The numbers of things.
    pub counts: Counts,
    /// What identifies the first prompt and the first model call, in other runs too. Runs with the same
    /// first message may share more.
    pub first_message: Vec<String>,
}

impl Counts {
    /// Adds each number.
    pub(crate) fn add(&mut self, other: &Self) {
        self.events += other.events;
        self.prompts += other.prompts;
        self.tool_calls += other.tool_calls;
        self.tool_failures += other.tool_failures;
        self.errors += other.errors;
        self.warnings += other.warnings;
        self.usage.add(&other.usage);
    }

    /// Number by number, the greater one. Usage, events and warnings are not compared.
    #[must_use]
    pub(crate) fn greater(&self, other: &Self) -> Self {
        Self {
            prompts: self.prompts.max(other.prompts),
            tool_calls: self.tool_calls.max(other.tool_calls),
            tool_failures: self.tool_failures.max(other.tool_failures),
            errors: self.errors.max(other.errors),
            ..*self
        }
    }

    /// Takes each number away.
    pub(crate) fn subtract(&mut self, other: &Self) {
        self.prompts = self.prompts.saturating_sub(other.prompts);
        self.tool_calls = self.tool_calls.saturating_sub(other.tool_calls);
        self.tool_failures = self.tool_failures.saturating_sub(other.tool_failures);
        self.errors = self.errors.saturating_sub(other.errors);
        self.usage.subtract(&other.usage);
    }
}

/// The counts of several runs. What some of them repeat of others is counted once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Total {
    /// Runs.
    pub runs: u64,
    /// The numbers of things.
    pub counts: Counts,
    /// What was left out because another of the runs has it too.
    pub copied: Counts,
}

impl Total {
    /// The sum of some runs that share nothing.
    pub(crate) fn sum<'f>(runs: impl Iterator<Item = &'f RunFacts>) -> Self {
        let mut total = Self::default();
        for facts in runs {
            total.runs += 1;
            total.counts.add(&facts.counts);
        }
        total
    }
}

impl RunFacts {
    /// Time when the run began, if known.
    #[must_use]
    pub fn began_at(&self) -> Option<Timestamp> {
        // The time of recording says nothing about imported work.
        self.started_at.or(self.created_at.filter(|_| !self.is_imported))
    }

    /// The time by which runs are chosen and sorted: when the work began, or if no event tells
    /// that (a stream without times), when recording began.
    #[must_use]
    pub fn dated_at(&self) -> Option<Timestamp> {
        self.began_at().or(self.recorded_at)
    }

    /// A text value of the metadata.
    #[must_use]
    pub fn metadata(&self, name: &str) -> Option<String> {
        let text = Json::trusted(&self.metadata).text_at(name);
        text.map(std::borrow::Cow::into_owned).filter(|text| !text.is_empty())
    }

    /// The run's title, else its first prompt, else the command that it was made for.
    #[must_use]
    pub fn title(&self) -> Option<String> {
        let title = self.metadata("title").map(|title| own_words(&title).into_owned());
        title.or_else(|| self.prompt.clone()).or_else(|| self.metadata("command"))
    }

    /// The text of the error that the run failed with.
    #[must_use]
    pub fn error_message(&self) -> Option<String> {
        let error = Json::trusted(self.error.as_deref()?);
        Some(error.text_at("message").unwrap_or_else(|| error.compact()).into_owned())
    }
}
