//! The facts of a run in words: the one list that the overview and every transcript print.

use super::facts::RunFacts;
use crate::event::fields::as_text;
use crate::json::Json;
use crate::text::human::{count, dollars, duration, plural};

/// What a line of the list is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FactName {
    /// The run's id.
    Run,
    /// Its title.
    Title,
    /// The session's id.
    Session,
    /// The run's own task.
    Task,
    /// Where it stands.
    Status,
    /// When the work began.
    Started,
    /// When the work ended.
    Ended,
    /// How long it took.
    Duration,
    /// When it was recorded.
    Recorded,
    /// Which agent worked.
    Agent,
    /// Which models answered.
    Model,
    /// The directory that it worked in.
    Directory,
    /// The branch of version control that it worked on.
    Branch,
    /// How many events there are.
    Events,
    /// What people asked for.
    Prompts,
    /// How many calls, and how many failed.
    Calls,
    /// Tokens in and out.
    Tokens,
    /// What they cost.
    Cost,
    /// Errors and warnings.
    Errors,
    /// How the deliverables stand.
    Deliverables,
    /// What the run failed of.
    Error,
    /// Metadata that `run.created` gave.
    Given(String),
}

/// Names of metadata that have lines of their own.
const LISTED: &[&str] = &["agent", "agent_version", "model", "cwd", "git_branch", "title"];

impl FactName {
    /// How people read it.
    #[must_use]
    pub fn label(&self) -> &str {
        match self {
            Self::Run => "Run",
            Self::Title => "Title",
            Self::Session => "Session",
            Self::Task => "Task",
            Self::Status => "Status",
            Self::Started => "Started",
            Self::Ended => "Ended",
            Self::Duration => "Duration",
            Self::Recorded => "Recorded",
            Self::Agent => "Agent",
            Self::Model => "Model",
            Self::Directory => "Directory",
            Self::Branch => "Branch",
            Self::Events => "Events",
            Self::Prompts => "Prompts",
            Self::Calls => "Tool calls",
            Self::Tokens => "Tokens",
            Self::Cost => "Cost",
            Self::Errors => "Errors",
            Self::Deliverables => "Deliverables",
            Self::Error => "Error",
            Self::Given(name) => name,
        }
    }
}

impl RunFacts {
    /// Tokens in and out; `unknown` where no event reported any.
    #[must_use]
    pub fn tokens_told(&self) -> String {
        self.counts.usage.told().unwrap_or_else(|| "unknown".to_owned())
    }

    /// The cost that events reported, and how many model calls reported none; `unknown` where
    /// all did not.
    #[must_use]
    pub fn cost_told(&self) -> String {
        let usage = &self.counts.usage;
        let known = usage.cost_micros.map(|cost| match usage.uncosted_calls {
            0 => dollars(cost),
            without => {
                format!("{}; {} without a cost", dollars(cost), plural(without, "model call"))
            }
        });
        known.unwrap_or_else(|| "unknown".to_owned())
    }

    /// The calls, and how many failed.
    #[must_use]
    pub fn calls_told(&self) -> String {
        let failed = match self.counts.tool_failures {
            0 => String::new(),
            failed => format!(", {failed} failed"),
        };
        format!("{}{failed}", count(self.counts.tool_calls))
    }

    /// Every fact, with its name, in the order in which it is read. What the log says is not
    /// made inert yet.
    #[must_use]
    pub fn told(&self) -> Vec<(FactName, String)> {
        let mut told = Vec::new();
        let mut tell = |name: FactName, value: Option<String>| {
            told.extend(value.filter(|value| !value.is_empty()).map(|value| (name, value)));
        };
        let utc = |time: Option<crate::event::time::Timestamp>| {
            time.map(|time| format!("{} UTC", time.readable()))
        };
        tell(FactName::Run, Some(self.run_id.clone()));
        tell(FactName::Title, self.metadata("title"));
        tell(FactName::Session, Some(self.session_id.clone()));
        tell(FactName::Task, Some(self.task_id.clone()));
        tell(FactName::Status, Some(self.status.name().to_owned()));
        tell(FactName::Started, utc(self.began_at()));
        tell(FactName::Ended, utc(self.ended_at));
        tell(FactName::Duration, self.duration_ms.map(duration));
        let afterwards = |time| format!("{time}, from another program's log");
        tell(
            FactName::Recorded,
            utc(self.recorded_at).filter(|_| self.is_imported).map(afterwards),
        );
        let agent = self.metadata("agent").map(|agent| match self.metadata("agent_version") {
            Some(version) => format!("{agent} {version}"),
            None => agent,
        });
        tell(FactName::Agent, agent);
        let model = if self.models.is_empty() { self.metadata("model") } else { None };
        tell(FactName::Model, model.or_else(|| Some(self.models.join(", "))));
        tell(FactName::Directory, self.metadata("cwd"));
        tell(FactName::Branch, self.metadata("git_branch"));
        let counts = &self.counts;
        tell(FactName::Events, Some(count(counts.events)));
        tell(FactName::Prompts, Some(count(counts.prompts)));
        tell(FactName::Calls, Some(self.calls_told()));
        tell(FactName::Tokens, Some(self.tokens_told()));
        tell(FactName::Cost, Some(self.cost_told()));
        let (errors, warnings) =
            (plural(counts.errors, "error"), plural(counts.warnings, "warning"));
        tell(FactName::Errors, Some(format!("{errors}, {warnings}")));
        tell(FactName::Deliverables, self.deliverables_told());
        tell(FactName::Error, self.error_message());
        let given = Json::trusted(&self.metadata);
        for (name, value) in given.members().filter(|(name, _)| !LISTED.contains(&name.as_ref())) {
            tell(FactName::Given(name.into_owned()), Some(as_text(value).into_owned()));
        }
        told
    }

    /// How many deliverables are required, and the last verdict; `None` where nothing is
    /// required and nothing was checked.
    #[must_use]
    pub fn deliverables_told(&self) -> Option<String> {
        let Self { deliverables, .. } = self;
        let required = deliverables.required.len() as u64;
        let verdict = deliverables.status.as_deref();
        (required > 0 || verdict.is_some())
            .then(|| format!("{required} required, {}", verdict.unwrap_or("not checked")))
    }
}
