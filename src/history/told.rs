//! The facts of a run as text: the list that the overview and every transcript print.

use super::facts::RunFacts;
use super::models;
use super::request::own_words;
use crate::event::fields::as_text;
use crate::json::Json;
use crate::text::human::{count, dollars, duration, plural};

/// The name of a fact in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FactName {
    /// The run's id.
    Run,
    /// Its title.
    Title,
    /// The session's id.
    Session,
    /// The run's task.
    Task,
    /// Its status.
    Status,
    /// Start of the work.
    Started,
    /// End of the work.
    Ended,
    /// Duration of the work.
    Duration,
    /// Start of the recording.
    Recorded,
    /// The agent.
    Agent,
    /// The models that answered.
    Model,
    /// The working directory.
    Directory,
    /// The branch in version control.
    Branch,
    /// The number of events.
    Events,
    /// The number of prompts.
    Prompts,
    /// The number of calls, and of failed calls.
    Calls,
    /// Input and output tokens.
    Tokens,
    /// Cost.
    Cost,
    /// The numbers of errors and warnings.
    Errors,
    /// The state of the deliverables.
    Deliverables,
    /// The error that the run failed with.
    Error,
    /// Why the run is incomplete or was cancelled.
    Reason,
    /// Other metadata of `run.created`.
    Given(String),
}

/// Names of metadata that have their own lines.
const LISTED: &[&str] = &["agent", "agent_version", "model", "cwd", "git_branch", "title"];

impl FactName {
    /// The label for people.
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
            Self::Reason => "Reason",
            Self::Given(name) => name,
        }
    }
}

impl RunFacts {
    /// Input and output tokens; `unknown` if no event reports any.
    #[must_use]
    pub fn tokens_told(&self) -> String {
        self.counts.usage.told().unwrap_or_else(|| "unknown".to_owned())
    }

    /// The cost and the number of model calls without one; `unknown` if nothing is known. An
    /// estimate is marked.
    #[must_use]
    pub fn cost_told(&self) -> String {
        self.cost_told_by(&format!("the list prices of {}", models::AS_OF))
    }

    /// The same for an estimate by other prices, which are named.
    #[must_use]
    pub(crate) fn cost_told_by(&self, prices: &str) -> String {
        let usage = &self.counts.usage;
        let known = usage.cost_told().map(|cost| {
            let by = match (usage.estimated_micros, usage.reported_micros()) {
                (None, _) => String::new(),
                (Some(_), None) => format!(" (estimated by {prices})"),
                (Some(_), Some(reported)) => {
                    format!(" ({} reported, the rest estimated by {prices})", dollars(reported))
                }
            };
            match usage.uncosted_calls {
                0 if usage.cost_is_lower_bound() => {
                    format!("{cost}{by}; not all output tokens are known")
                }
                0 => format!("{cost}{by}"),
                without => format!("{cost}{by}; {} without a cost", plural(without, "model call")),
            }
        });
        known.unwrap_or_else(|| "unknown".to_owned())
    }

    /// The number of calls, and of failed calls.
    #[must_use]
    pub fn calls_told(&self) -> String {
        let failed = match self.counts.tool_failures {
            0 => String::new(),
            failed => format!(", {failed} failed"),
        };
        format!("{}{failed}", count(self.counts.tool_calls))
    }

    /// Every fact with its name, in the order of the list. Text from the log is not escaped yet.
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
        tell(FactName::Title, self.metadata("title").map(|title| own_words(&title).into_owned()));
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
        tell(FactName::Reason, self.reason.clone());
        let given = Json::trusted(&self.metadata);
        for (name, value) in given.members().filter(|(name, _)| !LISTED.contains(&name.as_ref())) {
            let value = as_text(value);
            let is_told = |(told, known): &(FactName, String)| {
                told.label().eq_ignore_ascii_case(&name) && *known == value
            };
            if !value.is_empty() && !told.iter().any(is_told) {
                told.push((FactName::Given(name.into_owned()), value.into_owned()));
            }
        }
        told
    }

    /// The number of required deliverables and the last verdict. `None` if none is required and no
    /// check was recorded.
    #[must_use]
    pub fn deliverables_told(&self) -> Option<String> {
        let Self { deliverables, .. } = self;
        let required = deliverables.required.len() as u64;
        let verdict = deliverables.status.as_deref();
        (required > 0 || verdict.is_some())
            .then(|| format!("{required} required, {}", verdict.unwrap_or("not checked")))
    }
}
