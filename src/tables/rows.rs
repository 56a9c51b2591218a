//! The six tables and their columns.

use super::cell::{Dollars, JsonText};
use super::columns::{Column, TableRow, table};
use crate::event::time::Timestamp;

/// A table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TableName {
    /// One row per run.
    Runs,
    /// One row per tool call.
    Calls,
    /// One row per model call.
    Usage,
    /// One row per event.
    Events,
    /// One row per finding of `validate`.
    Findings,
    /// One row per file that a call read or changed, and per deliverable.
    Files,
}

impl TableName {
    /// All tables.
    pub const ALL: [Self; 6] =
        [Self::Runs, Self::Calls, Self::Usage, Self::Events, Self::Findings, Self::Files];

    /// What one of its rows is.
    #[must_use]
    pub fn purpose(self) -> &'static str {
        match self {
            Self::Runs => "One row per run. The counts are those of `run.json`.",
            Self::Calls => "One row per tool call.",
            Self::Usage => {
                "One row per model call, one per message that reports a cost, and one per \
                 difference between a total that a program reported and its calls. The sum over a \
                 run's rows is the usage in `run.json`."
            }
            Self::Events => "One row per event.",
            Self::Findings => "One row per finding of `validate`.",
            Self::Files => "One row per file that a call read or changed, and per deliverable.",
        }
    }

    /// The name in files and queries.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Runs => "runs",
            Self::Calls => "calls",
            Self::Usage => "usage",
            Self::Events => "events",
            Self::Findings => "findings",
            Self::Files => "files",
        }
    }
}

/// The columns of a table.
#[must_use]
pub fn columns_of(table: TableName) -> &'static [Column] {
    match table {
        TableName::Runs => RunTableRow::COLUMNS,
        TableName::Calls => CallRow::COLUMNS,
        TableName::Usage => UsageRow::COLUMNS,
        TableName::Events => EventRow::COLUMNS,
        TableName::Findings => FindingRow::COLUMNS,
        TableName::Files => FileRow::COLUMNS,
    }
}

table! {
    /// A run. The counts are those of `run.json`.
    Runs RunTableRow {
        /// The run's id.
        run_id: String,
        /// The session that was recorded.
        session_id: String,
        /// The run's task.
        task_id: String,
        /// The run's status.
        status: &'static str,
        /// The agent's program.
        agent: Option<String>,
        /// The version of the program.
        agent_version: Option<String>,
        /// The model that the beginning of the run names.
        model: Option<String>,
        /// All models that answered, as a JSON array.
        models: JsonText,
        /// The directory in which the agent worked.
        project: Option<String>,
        /// The branch that was checked out.
        git_branch: Option<String>,
        /// The title, else the first prompt.
        title: Option<String>,
        /// The newest pull request that the run opened.
        pull_request: Option<String>,
        /// When recording began.
        recorded_at: Option<Timestamp>,
        /// When the work began.
        started_at: Option<Timestamp>,
        /// When the work ended.
        ended_at: Option<Timestamp>,
        /// Duration of the work in milliseconds.
        duration_ms: Option<u64>,
        /// Whether the run was imported from another program's log.
        imported: bool,
        /// Events.
        events: u64,
        /// Prompts by users.
        prompts: u64,
        /// Model calls that report tokens or cost.
        model_calls: u64,
        /// Tool calls.
        tool_calls: u64,
        /// Tool calls that failed.
        tool_failures: u64,
        /// Errors.
        errors: u64,
        /// Warnings.
        warnings: u64,
        /// Input tokens without cached ones.
        input_tokens: Option<u64>,
        /// Output tokens.
        output_tokens: Option<u64>,
        /// Whether the output tokens are a lower bound.
        output_at_least: bool,
        /// Input tokens read from a cache.
        cache_read_tokens: Option<u64>,
        /// Input tokens written to a cache.
        cache_creation_tokens: Option<u64>,
        /// Cost in dollars.
        cost_usd: Option<Dollars>,
        /// Whether a part of the cost is estimated by list prices.
        cost_estimated: bool,
        /// Model calls whose cost is unknown. The cost of the run does not contain it.
        uncosted_calls: u64,
        /// Calls that changed a file.
        edits: u64,
        /// Calls that ran tests.
        tests: u64,
        /// Tests that began after the last change of a file. Null if no file was changed.
        tests_after_last_edit: Option<u64>,
        /// The status of the last call that ran tests.
        last_test_status: Option<&'static str>,
        /// The state of the required deliverables at the last check.
        deliverables: Option<String>,
        /// The error that the run failed with.
        error: Option<String>,
        /// The number of the last event.
        head_sequence: Option<u64>,
        /// The SHA-256 of the last line of the log.
        head_hash: Option<String>,
        /// All metadata, as a JSON object.
        metadata: JsonText,
    }
}

table! {
    /// A tool call.
    Calls CallRow {
        /// The run.
        run_id: String,
        /// The number of the call's first event.
        sequence: u64,
        /// The number of the call's last event, if it ended.
        end_sequence: Option<u64>,
        /// The call's id.
        call_id: String,
        /// The tool.
        tool: String,
        /// What the call does: edit, read, search, command, test, web, agent, plan or other.
        kind: &'static str,
        /// The agent that made the call, if the log names one.
        agent_id: Option<String>,
        /// The number of the first event of the call that spawned this agent.
        spawned_by: Option<u64>,
        /// The number of the task (of the prompt).
        task: Option<u64>,
        /// The number of the event with the usage of the model call that asked for it.
        model_call: Option<u64>,
        /// The model that asked for it.
        model: Option<String>,
        /// When the call began.
        started_at: Option<Timestamp>,
        /// When the call ended.
        ended_at: Option<Timestamp>,
        /// Duration in milliseconds.
        duration_ms: Option<u64>,
        /// The status: started, completed, failed or blocked.
        status: &'static str,
        /// Whether the same agent's latest call of the tool before it had failed.
        is_retry: bool,
        /// Whether the same agent made a call with the same arguments before.
        is_repeat: bool,
        /// False if another run's copy of this call counts instead. The first copy with an end counts.
        first_seen: bool,
        /// The file that the call is about.
        path: Option<String>,
        /// The command that the call ran.
        command: Option<String>,
        /// The exit status of the command.
        exit_code: Option<i64>,
        /// The error, at most 1000 characters.
        error: Option<String>,
        /// The length in bytes of the result, or of the error of a call that did not succeed.
        result_bytes: Option<u64>,
        /// The arguments, as JSON.
        arguments: Option<JsonText>,
    }
}

table! {
    /// A model call, a message that reports a cost, or the difference between the total that a
    /// program reported and its calls. The sum over a run's rows is the usage in `run.json`.
    Usage UsageRow {
        /// The run.
        run_id: String,
        /// The number of the event that counts.
        sequence: Option<u64>,
        /// What the row is: call; calls for the sum of several model calls, of which nobody says how
        /// many; message for the cost that a message of an agent reports; or total for what a
        /// reported total adds to the calls.
        kind: &'static str,
        /// The time.
        time: Option<Timestamp>,
        /// The session.
        session_id: String,
        /// The number of the task (of the prompt).
        task: Option<u64>,
        /// The agent that asked, if the log names one.
        agent_id: Option<String>,
        /// The model that answered.
        model: Option<String>,
        /// The id of the response.
        message_id: Option<String>,
        /// The id of the request.
        request_id: Option<String>,
        /// False if another run's copy of this model call counts instead. The first complete copy counts.
        first_seen: bool,
        /// What identifies the model call in every run that repeats it.
        work_key: Option<String>,
        /// Input tokens without cached ones.
        input_tokens: Option<i64>,
        /// Output tokens.
        output_tokens: Option<i64>,
        /// Whether the output tokens are a lower bound.
        output_at_least: bool,
        /// Input tokens read from a cache.
        cache_read_tokens: Option<i64>,
        /// Input tokens written to a cache.
        cache_creation_tokens: Option<i64>,
        /// All input tokens of the call: the size of its context.
        context_tokens: Option<u64>,
        /// Cost in dollars.
        cost_usd: Option<Dollars>,
        /// Whether the cost is estimated by list prices.
        cost_estimated: bool,
        /// The number of model calls in the row whose cost nobody reports and no list has.
        uncosted_calls: u64,
        /// Tool calls that the response asked for.
        calls: u64,
        /// Those that are retries.
        retries: u64,
        /// Those that repeat an earlier call.
        repeats: u64,
    }
}

table! {
    /// An event.
    Events EventRow {
        /// The run.
        run_id: String,
        /// The event's number.
        sequence: u64,
        /// The event's id.
        event_id: String,
        /// The time.
        time: Timestamp,
        /// The type.
        event_type: String,
        /// What the event means, whatever its type is called.
        role: &'static str,
        /// The severity.
        severity: &'static str,
        /// Who wrote it.
        actor: String,
        /// The session.
        session_id: String,
        /// The id that connects the events of a call.
        correlation_id: Option<String>,
        /// The event that caused it.
        parent_event_id: Option<String>,
        /// The number of the task (of the prompt).
        task: Option<u64>,
        /// The agent, if the log names one.
        agent_id: Option<String>,
        /// The tool, if the event belongs to a call.
        tool: Option<String>,
        /// The summary that is in effect.
        summary: Option<String>,
        /// The payload, as a JSON object.
        data: JsonText,
    }
}

table! {
    /// A finding of `validate`.
    Findings FindingRow {
        /// The run.
        run_id: String,
        /// The code.
        code: &'static str,
        /// The level: error, warning or info.
        level: &'static str,
        /// What was found.
        message: String,
        /// The number of the event that it is about.
        sequence: Option<u64>,
        /// The line of the log that it is about.
        line: Option<u64>,
        /// The file that it is about.
        path: Option<String>,
    }
}

table! {
    /// A file that a call read or changed, or a deliverable.
    Files FileRow {
        /// The run.
        run_id: String,
        /// The path, as the call gives it.
        path: String,
        /// What was done: read, created, written, edited, deleted, moved, another word that the
        /// log gives, or deliverable.
        action: String,
        /// The number of the event.
        sequence: Option<u64>,
        /// The id of the call.
        call_id: Option<String>,
        /// The time.
        time: Option<Timestamp>,
        /// The agent, if the log names one.
        agent_id: Option<String>,
        /// Whether the call succeeded.
        applied: bool,
        /// Lines added.
        added: Option<u64>,
        /// Lines removed.
        removed: Option<u64>,
        /// The size of a recorded deliverable in bytes.
        bytes: Option<u64>,
        /// The SHA-256 of a recorded deliverable.
        sha256: Option<String>,
        /// Whether a deliverable passed or is missing at the last check.
        verdict: Option<&'static str>,
    }
}
