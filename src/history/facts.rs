//! The facts of a run: computed once, by the fold of its state; every view only formats them.

use super::status::Status;
use super::usage::Usage;
use crate::event::time::Timestamp;
use crate::json::Json;

/// What the run must leave, and how that stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deliverables {
    /// Paths that `run.created` asked for.
    pub required: Vec<String>,
    /// The last recorded verdict.
    pub status: Option<String>,
    /// Paths found missing by the last recorded check.
    pub missing: Vec<String>,
}

/// How much of everything there is. `None` is unknown, never 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Events.
    pub events: u64,
    /// What people asked for.
    pub prompts: u64,
    /// Distinct tool calls, blocked ones included.
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

/// The one list of facts of a run (docs/format.md).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunFacts {
    /// The run's id.
    pub run_id: String,
    /// The session: the source's own where the run was imported.
    pub session_id: String,
    /// The run's own task.
    pub task_id: String,
    /// Where the run stands.
    pub status: Status,
    /// Time of the first event.
    pub created_at: Option<Timestamp>,
    /// When recording began.
    pub recorded_at: Option<Timestamp>,
    /// Whether events were read from another program's log: the times below are then theirs.
    pub is_imported: bool,
    /// When the work began; `None` where nothing says so.
    pub started_at: Option<Timestamp>,
    /// When the work ended; `None` while it goes on.
    pub ended_at: Option<Timestamp>,
    /// How long the work took, in milliseconds; `None` while it goes on, and where the clock
    /// went back.
    pub duration_ms: Option<u64>,
    /// What the run failed of: JSON text of an object.
    pub error: Option<String>,
    /// What it must leave.
    pub deliverables: Deliverables,
    /// JSON text of an object: agent, agent_version, model, cwd, git_branch and title where they
    /// are known, and whatever else `run.created` gave.
    pub metadata: String,
    /// The models that answered, by name.
    pub models: Vec<String>,
    /// The beginning of the first prompt, in one line.
    pub prompt: Option<String>,
    /// How much of everything there is.
    pub counts: Counts,
}

/// The counts of several runs together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Total {
    /// Runs.
    pub runs: u64,
    /// What people asked for.
    pub prompts: u64,
    /// Distinct tool calls, blocked ones included.
    pub tool_calls: u64,
    /// Tool calls that failed.
    pub tool_failures: u64,
    /// Records of `logs/errors.jsonl`.
    pub errors: u64,
    /// Tokens and cost.
    pub usage: Usage,
}

impl Total {
    /// Adds a run.
    pub(crate) fn add(&mut self, facts: &RunFacts) {
        let counts = &facts.counts;
        self.runs += 1;
        self.prompts += counts.prompts;
        self.tool_calls += counts.tool_calls;
        self.tool_failures += counts.tool_failures;
        self.errors += counts.errors;
        self.usage.add(&counts.usage);
    }
}

impl RunFacts {
    /// When the run began, as far as is known.
    #[must_use]
    pub fn began_at(&self) -> Option<Timestamp> {
        self.started_at.or(self.created_at)
    }

    /// A text of the metadata.
    #[must_use]
    pub fn metadata(&self, name: &str) -> Option<String> {
        let text = Json::trusted(&self.metadata).text_at(name);
        text.map(std::borrow::Cow::into_owned).filter(|text| !text.is_empty())
    }

    /// What the run is about: its title, else the first prompt.
    #[must_use]
    pub fn title(&self) -> Option<String> {
        self.metadata("title").or_else(|| self.prompt.clone())
    }

    /// What the run failed of, in words.
    #[must_use]
    pub fn error_message(&self) -> Option<String> {
        let error = Json::trusted(self.error.as_deref()?);
        Some(error.text_at("message").unwrap_or_else(|| error.compact()).into_owned())
    }
}
