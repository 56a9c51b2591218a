//! An example command for each type: how to record an event with its usual fields.

use super::Row;

/// Types that runlog records itself, and a command that does so.
const BY_RUNLOG: &[(&str, &str)] = &[
    ("summary.backfilled", "runlog summarize --all"),
    ("session.summarized", "runlog summarize RUN --session --extractive"),
    (
        "chapter.created",
        "runlog chapter add RUN --start 1 --end 2 --name 'First steps' --message 'What was done'",
    ),
    ("chapter.removed", "runlog chapter remove RUN first-steps"),
    ("log.recovered", "runlog validate RUN --fix"),
    ("stream.rejected", "runlog emit --run RUN --stdin <events.jsonl"),
    ("run.imported", "runlog import session.jsonl"),
];

/// Optional fields that an example should have all the same.
const TELLING: &[(&str, &[&str])] = &[
    ("run.created", &["metadata.agent"]),
    ("tool.started", &["args_summary.command"]),
    ("tool.completed", &["result_summary"]),
    ("tool.failed", &["error.message"]),
    ("tool.blocked", &["reason"]),
    ("run.failed", &["error.message"]),
    ("task.started", &["message"]),
    ("task.succeeded", &["result"]),
    ("llm.usage", &["model"]),
];

/// Fields that have other values than usual, or that no field list names.
const OWN: &[(&str, &str)] = &[
    ("error", " -f message='no such file'"),
    ("review_submission", " -f text='Looks good'"),
    ("run.incomplete", " -f reason='two tests left'"),
    ("task.failed", " -f message='no such file'"),
];

/// Values of fields that are JSON: numbers, booleans, objects, lists.
const PLAIN: &[(&str, &str)] = &[
    ("additions", "3"),
    ("approaching_max_budget", "false"),
    ("approaching_max_rounds", "true"),
    ("approaching_max_time", "false"),
    ("budget_spent", "1.5"),
    ("cost", "0.02"),
    ("count", "4"),
    ("done", "true"),
    ("droppedCount", "2"),
    ("duration_seconds", "12"),
    ("elapsed_minutes", "5"),
    ("estimatedCost", "0.5"),
    ("exit_code", "1"),
    ("gates_passed", "1"),
    ("headroom", "0.5"),
    ("input", r#"'{"command":"make test"}'"#),
    ("inputTokens", "1200"),
    ("input_tokens", "1200"),
    ("outputTokens", "85"),
    ("output_tokens", "85"),
    ("removals", "1"),
    ("result_count", "3"),
    ("revision", "1"),
    ("round", "1"),
    ("roundsCompleted", "3"),
    ("steps_completed", "4"),
    ("tokensIn", "1200"),
    ("tokensOut", "85"),
];

/// Values of text fields.
const TEXTS: &[(&str, &str)] = &[
    ("agentId", "reviewer"),
    ("args_summary.command", "'make test'"),
    ("childAgentId", "tester"),
    ("code", "'print(1)'"),
    ("error.message", "'no such file'"),
    ("id", "call-1"),
    ("message", "'Fix the login test'"),
    ("metadata.agent", "my-agent"),
    ("model", "claude-sonnet-4-5"),
    ("name", "bash"),
    ("parentAgentId", "planner"),
    ("path", "deliverables/report.md"),
    ("reason", "'not allowed here'"),
    ("result", "'2 tests fixed'"),
    ("result_summary", "'12 passed'"),
    ("runId", "run-1"),
    ("text", "'Fix the login test'"),
    ("content", "'Fix the login test'"),
    ("title", "Review"),
    ("tool", "bash"),
    ("tool_name", "bash"),
];

/// A command that records an event of this type.
#[must_use]
pub(crate) fn example(row: &Row) -> String {
    if let Some((_, command)) = BY_RUNLOG.iter().find(|(name, _)| *name == row.name) {
        return (*command).to_owned();
    }
    if let Some((name, fields)) = OWN.iter().find(|(name, _)| *name == row.name) {
        return format!("runlog emit {name}{fields}");
    }
    let telling = TELLING.iter().find(|(name, _)| *name == row.name);
    let telling = telling.map_or(&[][..], |(_, fields)| fields);
    let mut command = format!("runlog emit {}", row.name);
    for field in row.fields.split(' ').take_while(|field| !field.starts_with('(')) {
        let object = field.split('{').next().unwrap_or(field);
        let is_told = telling.iter().any(|told| told.split('.').next() == Some(object));
        if !field.is_empty() && !is_told && !field.trim_end_matches(')').ends_with('?') {
            command.push_str(&option(field));
        }
    }
    for field in telling {
        command.push_str(&option(field));
    }
    command
}

/// The option that sets a field, as the table of types writes it: `round`, `path*`,
/// `operation(read|write)`, `agents[]`, `response|content`, `output{context?,result?}`.
fn option(field: &str) -> String {
    let ends = |c: char| !c.is_alphanumeric() && c != '_' && c != '.';
    let (name, marks) = field.split_at(field.find(ends).unwrap_or(field.len()));
    if let Some((_, value)) = PLAIN.iter().find(|(plain, _)| *plain == name) {
        return format!(" -F {name}={value}");
    }
    if marks.starts_with("[]") {
        return format!(" -F {name}='[\"one\"]'");
    }
    if let Some(members) = marks.strip_prefix('{') {
        let inner = members.split([',', '?', '|', '}']).next().unwrap_or_default();
        return match inner {
            "" => format!(" -F {name}='{{}}'"),
            inner => format!(" -f {name}.{inner}=example"),
        };
    }
    let choice = marks.strip_prefix('(').and_then(|choices| choices.split(['|', ')']).next());
    let known = TEXTS.iter().find(|(text, _)| *text == name).map(|(_, value)| *value);
    format!(" -f {name}={}", choice.or(known).unwrap_or("example"))
}
