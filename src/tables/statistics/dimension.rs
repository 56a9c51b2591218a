//! What statistics are grouped by.

use crate::event::time::Timestamp;
use crate::tables::{CallRow, FileRow, RunTableRow, UsageRow};

/// What rows are grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dimension {
    /// The model that answered, or that asked for the call.
    Model,
    /// The day of the work, in UTC.
    Day,
    /// The month of the work, in UTC.
    Month,
    /// The agent's program.
    Agent,
    /// The version of the agent's program.
    Version,
    /// The directory in which the agent worked.
    Project,
    /// The branch that was checked out.
    Branch,
    /// The pull request that the run opened.
    PullRequest,
    /// The status of the run.
    Status,
    /// The run.
    Run,
    /// The number of the prompt (of the task) in its run.
    Prompt,
    /// The agent inside the run; `main` for none.
    Subagent,
    /// The tool.
    Tool,
    /// What the call does: edit, read, search, command, test, web, agent, plan or other.
    Kind,
    /// The file.
    File,
}

/// Which rows have a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DimensionScope {
    /// Every row of a run has the same value.
    Run,
    /// Model calls and tool calls have it.
    Work,
    /// Only tool calls have it.
    Call,
    /// Only files have it.
    File,
}

/// A row of a run, as dimensions see it.
#[derive(Clone, Copy, Debug)]
pub(super) enum AnyRow<'r> {
    Run,
    Usage(&'r UsageRow),
    Call(&'r CallRow),
    File(&'r FileRow),
}

impl Dimension {
    /// All dimensions.
    pub(crate) const ALL: [Self; 15] = [
        Self::Model,
        Self::Day,
        Self::Month,
        Self::Agent,
        Self::Version,
        Self::Project,
        Self::Branch,
        Self::PullRequest,
        Self::Status,
        Self::Run,
        Self::Prompt,
        Self::Subagent,
        Self::Tool,
        Self::Kind,
        Self::File,
    ];

    /// The name on the command line and in documents.
    #[must_use]
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Day => "day",
            Self::Month => "month",
            Self::Agent => "agent",
            Self::Version => "version",
            Self::Project => "project",
            Self::Branch => "branch",
            Self::PullRequest => "pull-request",
            Self::Status => "status",
            Self::Run => "run",
            Self::Prompt => "prompt",
            Self::Subagent => "subagent",
            Self::Tool => "tool",
            Self::Kind => "kind",
            Self::File => "file",
        }
    }

    /// Which rows have it.
    #[must_use]
    pub(crate) fn scope(self) -> DimensionScope {
        match self {
            Self::Agent
            | Self::Version
            | Self::Project
            | Self::Branch
            | Self::PullRequest
            | Self::Status
            | Self::Run => DimensionScope::Run,
            Self::Model | Self::Day | Self::Month | Self::Prompt | Self::Subagent => {
                DimensionScope::Work
            }
            Self::Tool | Self::Kind => DimensionScope::Call,
            Self::File => DimensionScope::File,
        }
    }

    /// The value in a row of that run; `None` if it is unknown.
    pub(super) fn value(self, run: &RunTableRow, row: AnyRow<'_>) -> Option<String> {
        let number = |number: u64| number.to_string();
        match (self, row) {
            (Self::Agent, _) => run.agent.clone(),
            (Self::Version, _) => run.agent_version.clone(),
            (Self::Project, _) => run.project.clone(),
            (Self::Branch, _) => run.git_branch.clone(),
            (Self::PullRequest, _) => run.pull_request.clone(),
            (Self::Status, _) => Some(run.status.to_owned()),
            (Self::Run, _) => Some(run.run_id.clone()),
            (Self::Model, AnyRow::Usage(usage)) => usage.model.clone(),
            (Self::Model, AnyRow::Call(call)) => call.model.clone(),
            (Self::Model, _) => run.model.clone(),
            (Self::Day, row) => time(run, row).map(|time| date(time, 10)),
            (Self::Month, row) => time(run, row).map(|time| date(time, 7)),
            (Self::Prompt, AnyRow::Usage(usage)) => usage.task.map(number),
            (Self::Prompt, AnyRow::Call(call)) => call.task.map(number),
            (Self::Subagent, row) => Some(subagent(row).unwrap_or("main").to_owned()),
            (Self::Tool, AnyRow::Call(call)) => Some(call.tool.clone()),
            (Self::Kind, AnyRow::Call(call)) => Some(call.kind.to_owned()),
            (Self::File, AnyRow::File(file)) => Some(file.path.clone()),
            (Self::Prompt | Self::Tool | Self::Kind | Self::File, _) => None,
        }
    }
}

fn time(run: &RunTableRow, row: AnyRow<'_>) -> Option<Timestamp> {
    let own = match row {
        AnyRow::Run => None,
        AnyRow::Usage(usage) => usage.time,
        AnyRow::Call(call) => call.started_at,
        AnyRow::File(file) => file.time,
    };
    own.or(run.started_at).or(run.recorded_at)
}

fn subagent<'r>(row: AnyRow<'r>) -> Option<&'r str> {
    match row {
        AnyRow::Run => None,
        AnyRow::Usage(usage) => usage.agent_id.as_deref(),
        AnyRow::Call(call) => call.agent_id.as_deref(),
        AnyRow::File(file) => file.agent_id.as_deref(),
    }
}

/// The first characters of a time in UTC.
fn date(time: Timestamp, length: usize) -> String {
    time.to_string().chars().take(length).collect()
}
