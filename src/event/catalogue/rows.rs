//! The table of event types. To add a type, add a row.
//!
//! Columns: family, type, role, summary class, default severity, default actor,
//! label (in file names of chapters), template, data fields. In the last, `?`
//! marks an optional field and `*` one whose absence is worth a warning.

use super::{Class, Row};
use crate::event::role::{Role, TaskEnding};
use crate::event::severity::Severity;

use Class::{Llm, None, Template};
use Severity::{Debug, Error, Info, Warning};

/// Every known type, by family, in the order in which the catalogue is printed.
#[rustfmt::skip]
pub(super) static ROWS: &[Row] = &[
    row("kgent", "run.created", Role::RunCreated, Template, Info, "runtime", "run-created", "Run created", "session_id? task_id? deliverables{required[]}? metadata{}?"),
    row("kgent", "run.started", Role::RunStarted, Template, Info, "runtime", "run-started", "Run started", ""),
    row("kgent", "run.completed", Role::RunCompleted, Template, Info, "runtime", "run-completed", "Run completed", "final_text?"),
    row("kgent", "run.failed", Role::RunFailed, Template, Error, "runtime", "run-failed", "Run failed: {error.message,error,reason|unknown error}", "error{code,message,category,retryable,details?}"),
    row("kgent", "config.loaded", Role::Config, Template, Info, "runtime", "config-loaded", "Config loaded: {path,profile_id|config}", "path? profile_id? config_fingerprint?"),
    row("kgent", "prompt.rendered", Role::Prompt, Template, Info, "runtime", "prompt-rendered", "Prompt rendered: {path|prompt}", "path? chars? prompt?"),
    row("kgent", "skill.indexed", Role::Skill, Template, Info, "runtime", "skill-indexed", "{count|0} skills indexed", "count skills[]?"),
    row("kgent", "skill.loaded", Role::Skill, Template, Info, "runtime", "skill-loaded", "Skill {skill_id,name|unknown} loaded", "skill_id"),
    row("kgent", "memory.recall.started", Role::Memory, Template, Info, "memory", "memory-recall-started", "Memory recall: {query|no query}", "query scope? limit?"),
    row("kgent", "memory.recall.completed", Role::Memory, Template, Info, "memory", "memory-recall-completed", "{result_count,count|0} memories recalled", "result_count duration_ms?"),
    row("kgent", "memory.write.requested", Role::Memory, Template, Info, "memory", "memory-write-requested", "Memory write requested ({scope,mode|default})", "scope? mode? tags[]?"),
    row("kgent", "tool.started", Role::ToolStart, Template, Info, "tool", "tool-started", "{tool_name,tool,name|tool} started", "tool_name* action? args_summary{}?"),
    row("kgent", "tool.completed", Role::ToolEnd, Template, Info, "tool", "tool-completed", "{tool_name,tool,name|tool} completed", "tool_name* duration_ms? result_summary? artifacts[]? exit_code?"),
    row("kgent", "tool.failed", Role::ToolFail, Template, Error, "tool", "tool-failed", "{tool_name,tool,name|tool} failed: {error.message,error,reason|unknown error}", "tool_name* duration_ms? error{}? exit_code?"),
    row("kgent", "file.read", Role::File, Template, Info, "filesystem", "file-read", "Read {path|file}", "path* bytes?"),
    row("kgent", "file.written", Role::File, Template, Info, "filesystem", "file-written", "Wrote {path|file}", "path* bytes?"),
    row("kgent", "file.rejected", Role::Rejected, Template, Warning, "filesystem", "file-rejected", "Rejected {operation|access} to {path|file}: {reason|not allowed}", "path* operation? reason?"),
    row("kgent", "deliverable.check.started", Role::DeliverableCheck, Template, Info, "governance", "deliverable-check-started", "Deliverable check started", "required[]?"),
    row("kgent", "deliverable.check.completed", Role::DeliverableVerdict, Template, Info, "governance", "deliverable-check-completed", "Deliverable check {status|finished}", "status(passed|failed|incomplete|blocked)* missing[]?"),
    row("kgent", "deliverable.missing", Role::DeliverableMissing, Template, Warning, "governance", "deliverable-missing", "Missing deliverable: {path|unknown}", "path*"),
    row("kgent", "error", Role::Error, Template, Error, "runtime", "error", "{code|error}: {message,error.message,error|unknown error}", "code? message* category? retryable? details{}?"),

    row("aos", "file_changed", Role::File, Template, Info, "agent", "file-changed", "{agentId|unknown} {operation|changed} {path|file}", "agentId operation(created|modified|deleted) path"),
    row("aos", "token_usage", Role::Usage, Template, Info, "runtime", "token-usage", "{agentId|unknown} used {tokensIn|0}+{tokensOut|0} tokens (${cost:.4|0})", "agentId tokensIn tokensOut cost model?"),
    row("aos", "agent_destroyed", Role::AgentEnd, Template, Info, "runtime", "agent-destroyed", "{childAgentId|agent} finished ({reason|done})", "childAgentId parentAgentId? reason?"),
    row("aos", "constraint_check", Role::Constraint, Template, Info, "runtime", "constraint-check", "Round {round|?}: {elapsed_minutes,state.elapsed_minutes:.1|0}min, ${budget_spent,state.budget_spent:.2|0} spent", "round elapsed_minutes budget_spent (top level, else under state)"),
    row("aos", "domain_access", Role::File, Template, Info, "agent", "domain-access", "{agentId|unknown} {operation|accessed} {path|path}", "agentId operation(read|write) path"),
    row("aos", "agent_spawn", Role::AgentStart, Template, Info, "runtime", "agent-spawn", "Spawned {agentId|agent}", "agentId"),
    row("aos", "agent_destroy", Role::AgentEnd, Template, Info, "runtime", "agent-destroy", "Destroyed {agentId|agent}", "agentId"),
    row("aos", "session_start", Role::RunStarted, Template, Info, "runtime", "session-start", "Session started with profile {profile|unknown}", "profile session_id|sessionId participants[]? constraints{}?"),
    row("aos", "session_end", Role::RunCompleted, Template, Info, "runtime", "session-end", "Session ended ({roundsCompleted|0} rounds)", "roundsCompleted"),
    row("aos", "session_paused", Role::RunPaused, Template, Info, "runtime", "session-paused", "Session paused: {reason|user requested}", "reason? checkpoint{}?"),
    row("aos", "session_resumed", Role::RunResumed, Template, Info, "runtime", "session-resumed", "Session resumed from checkpoint", "priorSessionId?"),
    row("aos", "delegation", Role::TaskStart, Llm, Info, "agent", "delegation", "", "round target message parallel[] sequential[]"),
    row("aos", "response", Role::Message, Llm, Info, "agent", "response", "", "agentId round text cost status"),
    row("aos", "child_delegation", Role::Message, Llm, Info, "agent", "child-delegation", "", "parentAgentId childAgentId message"),
    row("aos", "child_response", Role::Message, Llm, Info, "agent", "child-response", "", "parentAgentId childAgentId response|content cost?"),
    row("aos", "domain_violation", Role::Rejected, Llm, Warning, "runtime", "domain-violation", "", "agentId path reason?"),
    row("aos", "expertise_updated", Role::Note, Llm, Info, "agent", "expertise-updated", "", "agentId additions removals"),
    row("aos", "gate_reached", Role::Gate, Llm, Info, "runtime", "gate-reached", "", "gate_id prompt"),
    row("aos", "gate_result", Role::Gate, Llm, Info, "runtime", "gate-result", "", "gate_id result(pass|fail|escalate|approved|rejected|needs-revision)"),
    row("aos", "final_statement", Role::Message, Llm, Info, "agent", "final-statement", "", "agentId text"),
    row("aos", "review_submission", Role::Message, Llm, Info, "agent", "review-submission", "", ""),
    row("aos", "agent_spawned", Role::AgentStart, Template, Info, "runtime", "agent-spawned", "{parentAgentId|agent} spawned {childAgentId|agent}", "parentAgentId childAgentId depth? config{}?"),
    row("aos", "gate_prompt", Role::Gate, Template, Info, "runtime", "gate-prompt", "Gate {gate_id|gate} asks for a decision", "gate_id after_step prompt iteration?"),
    row("aos", "constraint_warning", Role::Constraint, Template, Warning, "runtime", "constraint-warning", "Round {round|?}: limits near", "round approaching_max_time approaching_max_budget approaching_max_rounds"),
    row("aos", "budget_estimate", Role::Constraint, Template, Info, "runtime", "budget-estimate", "Round {round|?}: estimated ${estimatedCost:.4|0}, headroom ${headroom:.4|0}", "round estimatedCost headroom action droppedCount"),
    row("aos", "end_session", Role::Note, Template, Info, "runtime", "end-session", "Session closing", "sessionId closingMessage?"),
    row("aos", "workflow_start", Role::Workflow, Template, Info, "runtime", "workflow-start", "Workflow {workflow_id|workflow} started", "workflow_id steps[]"),
    row("aos", "step_start", Role::TaskStart, Template, Info, "runtime", "step-start", "Step {step_id|step} started", "step_id action agents[]"),
    row("aos", "step_end", Role::TaskEnd, Template, Info, "runtime", "step-end", "Step {step_id|step} finished", "step_id artifact_id? duration_seconds"),
    row("aos", "workflow_end", Role::Workflow, Template, Info, "runtime", "workflow-end", "Workflow {workflow_id|workflow} finished", "workflow_id steps_completed gates_passed"),
    row("aos", "artifact_write", Role::File, Template, Info, "agent", "artifact-write", "Artifact {artifact_id|artifact} written", "artifact_id format revision content_path?"),
    row("aos", "tool-denied", Role::Rejected, Template, Warning, "runtime", "tool-denied", "{agent,agentId|agent} denied {tool|tool}: {reason|not allowed}", "tool agent reason detail?"),

    row("gateway", "connected", Role::Note, None, Debug, "runtime", "connected", "", "sessionId"),
    row("gateway", "user", Role::TaskStart, None, Info, "user", "user", "", "content runId timestamp?"),
    row("gateway", "text", Role::Chunk, None, Info, "agent", "text", "", "runId parentId? id* content*"),
    row("gateway", "reasoning", Role::Chunk, None, Info, "agent", "reasoning", "", "runId parentId? id* content*"),
    row("gateway", "tool_call", Role::ToolStart, Template, Info, "agent", "tool-call", "{name|tool} called", "runId parentId? id* name* input"),
    row("gateway", "tool_result", Role::ToolEnd, Template, Info, "tool", "tool-result", "{name|tool} returned", "runId parentId? id* name* output{context?,result?|status:denied,reason?|error}"),
    row("gateway", "tool_progress", Role::ToolProgress, None, Debug, "tool", "tool-progress", "", "runId id toolCallId* name content"),
    row("gateway", "relay", Role::Permission, Template, Info, "runtime", "relay", "Permission asked for {tool|tool}", "runId id kind toolCallId tool params{}"),
    row("gateway", "usage", Role::Usage, Template, Info, "runtime", "usage", "{inputTokens|0}+{outputTokens|0} tokens", "runId inputTokens* outputTokens* cacheReadTokens? cacheCreationTokens?"),
    row("gateway", "harness_start", Role::AgentStart, Template, Info, "runtime", "harness-start", "Harness started", "runId parentId? depth? maxIterations?"),
    row("gateway", "harness_end", Role::AgentEnd, Template, Info, "runtime", "harness-end", "Harness ended ({reason|done})", "runId reason? iterations? totalUsage{}? (a cross-check only: never added to usage)"),
    row("gateway", "repl_input", Role::ToolStart, Template, Info, "agent", "repl-input", "Code cell {iteration|?} entered", "runId id code iteration?"),
    row("gateway", "repl_progress", Role::ToolProgress, None, Debug, "tool", "repl-progress", "", "runId id chunk stream(stdout|stderr)"),
    row("gateway", "repl_output", Role::ToolEnd, Template, Info, "tool", "repl-output", "Code cell {iteration|?} finished", "runId id stdout error? done iteration? durationMs? truncated?"),

    row("agex", "task.started", Role::TaskStart, Template, Info, "agent", "taskstart", "Task started: {message,task_name|task}", "task_name? message? inputs{}?"),
    row("agex", "task.action", Role::Message, None, Info, "agent", "action", "", "title? thinking? code? terminal? input_tokens? output_tokens?"),
    row("agex", "task.output", Role::Message, None, Info, "tool", "output", "", "parts[]"),
    row("agex", "task.succeeded", Role::TaskEnd, Template, Info, "agent", "success", "Task succeeded", "result?").ending(TaskEnding::Succeeded),
    row("agex", "task.failed", Role::TaskEnd, Template, Error, "agent", "fail", "Task failed: {message|unknown error}", "message").ending(TaskEnding::Failed),
    row("agex", "task.clarify", Role::TaskEnd, Template, Info, "agent", "clarify", "Clarification asked: {message|none}", "message").ending(TaskEnding::Clarify),
    row("agex", "task.cancelled", Role::TaskEnd, Template, Warning, "agent", "cancelled", "Task cancelled", "task_name? iterations_completed?").ending(TaskEnding::Cancelled),
    row("agex", "task.file", Role::File, Template, Info, "agent", "file", "{file_source|agent} changed files: +{added.len|0} ~{modified.len|0} -{removed.len|0}", "file_source added[] modified[] removed[]"),
    row("agex", "task.system_note", Role::Note, Template, Info, "runtime", "systemnote", "{message|note}", "message"),

    row("runlog", "message.user", Role::TaskStart, None, Info, "user", "message-user", "", "text* (what the person asked; an imported tool result is never this)"),
    row("runlog", "message.assistant", Role::Message, None, Info, "agent", "message-assistant", "", "text* model? message_id?"),
    row("runlog", "message.reasoning", Role::Message, None, Debug, "agent", "message-reasoning", "", "text*"),
    row("runlog", "message.system", Role::Message, None, Debug, "runtime", "message-system", "", "text*"),
    row("runlog", "llm.usage", Role::Usage, Template, Info, "runtime", "llm-usage", "{input_tokens|0}+{output_tokens|0} tokens", "input_tokens* output_tokens* cache_read_tokens? cache_creation_tokens? reasoning_tokens? cost_usd? model? message_id? scope(call|total)? (one per model response: of repeated lines of one message_id the last counts)"),
    row("runlog", "tool.blocked", Role::ToolBlocked, Template, Warning, "governance", "tool-blocked", "{tool_name,tool,name|tool} blocked: {reason|not allowed}", "tool_name* reason?"),
    row("runlog", "run.incomplete", Role::RunIncomplete, Template, Warning, "runtime", "run-incomplete", "Run incomplete: {reason|work is missing}", "reason?"),
    row("runlog", "run.cancelled", Role::RunCancelled, Template, Warning, "runtime", "run-cancelled", "Run cancelled: {reason|no reason given}", "reason?"),
    row("runlog", "note", Role::Note, Template, Info, "user", "note", "{text|note}", "text*"),
    row("runlog", "transcript.section", Role::Section, Template, Info, "agent", "transcript-section", "Transcript section: {title|untitled}", "title* content*"),
    row("runlog", "summary.backfilled", Role::Backfill, None, Debug, "runlog", "summary-backfilled", "", "target_event_id* summary* source(template|llm)* model? batch?"),
    row("runlog", "session.summarized", Role::SessionSummary, None, Info, "runlog", "session-summarized", "", "see SPEC 6.1"),
    row("runlog", "chapter.created", Role::Chapter, Template, Info, "agent", "chapter", "Chapter: {name|untitled}", "see SPEC 5"),
    row("runlog", "chapter.removed", Role::ChapterRemoved, Template, Info, "agent", "chapter-removed", "Chapter removed: {slug|unknown}", "slug*"),
    row("runlog", "log.recovered", Role::Recovered, Template, Warning, "runlog", "log-recovered", "Recovered {bytes|0} bytes of a torn last line", "bytes* moved_to* sha256*"),
    row("runlog", "run.imported", Role::RunImported, Template, Info, "runlog", "run-imported", "Imported: the source ends here", "source? last_time?"),
    row("runlog", "stream.rejected", Role::RejectedLines, Template, Warning, "runlog", "stream-rejected", "Rejected {lines|0} lines of the input", "lines* bytes* kept* sha256* reasons{}"),
    row("runlog", "user.interrupted", Role::Note, Template, Warning, "user", "user-interrupted", "Interrupted by the user", "tool_name? reason?"),
];

#[expect(clippy::too_many_arguments, reason = "the columns of the table, in their order")]
const fn row(
    family: &'static str,
    name: &'static str,
    role: Role,
    class: Class,
    severity: Severity,
    actor: &'static str,
    label: &'static str,
    template: &'static str,
    fields: &'static str,
) -> Row {
    Row {
        family,
        name,
        role,
        class,
        severity,
        actor,
        label,
        template,
        fields,
        ending: Option::None,
    }
}

impl Row {
    /// The same row, for a type that ends a task in that way.
    const fn ending(self, ending: TaskEnding) -> Self {
        Self { ending: Some(ending), ..self }
    }
}
