//! The view of runs, and the view of the files `run.json` below it.

use super::calls_view::link;
use super::expressions::{DATA, Expressions, TOKENS, coalesce, first_text};
use super::quoted;
use crate::event::fields::{self, TEXT};
use crate::history::copied::ALL_OF_EVENTS;
use crate::tables::FILE_LISTS;
use crate::transcript::diff::LOOKS;

/// The query over a view `runlog_documents` of the files `run.json`, with its members as JSON.
pub(super) fn states(sql: &dyn Expressions) -> String {
    let count = |name: &str| format!("{} AS {name}", sql.count("counts", &[name]));
    let metadata = |name: &str| format!("nullif({}, '')", sql.string("metadata", &[name]));
    format!(
        "SELECT run_id, session_id, task_id, status,
  status IN ('completed', 'failed', 'incomplete', 'cancelled', 'imported') AS is_over,
  recorded_at, started_at, ended_at, duration_ms,
  CASE
    WHEN started_at IS NOT NULL THEN started_at
    WHEN coalesce(imported, false) THEN NULL ELSE created_at
  END AS began_at,
  {agent} AS agent, {version} AS agent_version, {model} AS model, {project} AS project,
  {branch} AS git_branch, coalesce({title}, prompt, {command}) AS title,
  models, nullif({only_model}, '') AS only_model, metadata,
  {deliverables} AS deliverables,
  coalesce({message}, {error}) AS error,
  {counts},
  coalesce({estimated} = 'true', false) AS cost_estimated,
  {uncosted} AS uncosted_calls,
  {cost} AS cost_usd, {as_of} AS prices_as_of,
  {sequence} AS head_sequence, {hash} AS head_hash,
  {copied_from} AS copied_from
FROM runlog_documents",
        agent = metadata("agent"),
        version = metadata("agent_version"),
        model = metadata("model"),
        project = metadata("cwd"),
        branch = metadata("git_branch"),
        title = metadata("title"),
        command = metadata("command"),
        only_model = sql.extract(&sql.text("models", &[]), r#"^\[\s*"((?:[^"\\]|\\.)*)"\s*\]$"#),
        deliverables = sql.text("deliverables", &["status"]),
        message = sql.text("error", &["message"]),
        error = sql.text("error", &[]),
        counts = TOKENS.iter().map(|name| count(name)).collect::<Vec<_>>().join(",\n  "),
        estimated = sql.text("counts", &["cost_estimated"]),
        uncosted = sql.count("counts", &["uncosted_calls"]),
        cost = sql.dollars("counts", &["cost_usd"]),
        as_of = sql.text("counts", &["prices_as_of"]),
        sequence = sql.count("head", &["sequence"]),
        hash = sql.text("head", &["hash"]),
        copied_from = sql.text("counts", &["copied", "from"]),
    )
}

/// A query of the runs of which another run tells everything, in another form.
pub(super) fn told_elsewhere() -> String {
    format!(
        "SELECT DISTINCT told.run_id AS run_id
  FROM runlog_states AS told
  CROSS JOIN (SELECT copied_from AS copied FROM runlog_states
    WHERE copied_from LIKE '%\"{ALL_OF_EVENTS}\"%') AS telling
  WHERE replace(copied, concat('\"runs\":[\"', told.run_id, '\"],\"{ALL_OF_EVENTS}\":',
    CAST(coalesce(told.head_sequence, 0) AS VARCHAR), ','), '') <> copied"
    )
}

/// A call that ran tests: one that was denied did not run.
const IS_TEST: &str = "kind = 'test' AND status <> 'blocked'";

/// Whether an event of role `file` changed a file.
fn file_changed(sql: &dyn Expressions) -> String {
    let path = first_text(sql, fields::PATH);
    let looks = LOOKS.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(", ");
    let lists = FILE_LISTS
        .iter()
        .map(|(name, _)| format!("coalesce({}, '') LIKE '%\"%'", sql.json(DATA, &[name])));
    let lists = lists.collect::<Vec<_>>().join(" OR ");
    format!("CASE WHEN {path} IS NOT NULL THEN {} NOT IN ({looks}) ELSE {lists} END", action(sql))
}

/// What an event of role `file` says happened to its file.
pub(super) fn action(sql: &dyn Expressions) -> String {
    let of_type = sql.extract("event_type", "([^._]*)$");
    coalesce([sql.text(DATA, &["operation"]), of_type].into_iter())
}

/// The query.
pub(super) fn runs(sql: &dyn Expressions) -> String {
    let columns = |one: &dyn Fn(&str) -> String| {
        TOKENS.iter().map(|name| one(name)).collect::<Vec<_>>().join(",\n    ")
    };
    let number = |condition: &str| format!("sum(CASE WHEN {condition} THEN 1 ELSE 0 END)");
    let note = first_text(sql, TEXT);
    format!(
        "WITH recorded AS (
  SELECT run_id, count(*) AS events, min(recorded_at) AS recorded_at,
    max(sequence) AS head_sequence,
    {prompts} AS prompts, {errors} AS errors, {warnings} AS warnings,
    {imports} > 0 AS imported,
    max(CASE WHEN role = 'note' AND {note} LIKE 'Pull request%' AND {link} <> ''
      THEN {numbered_link} END) AS request
  FROM events GROUP BY run_id
),
tokens AS (
  SELECT run_id, {model_calls} AS model_calls,
    {sums},
    sum(cost_usd) AS cost_usd,
    max(CASE WHEN cost_estimated THEN 1 ELSE 0 END) = 1 AS cost_estimated
  FROM usage GROUP BY run_id
),
-- Files that events of their own say were changed.
changes AS (
  SELECT run_id, max(CASE WHEN {file_changed} THEN sequence END) AS last_change
  FROM events WHERE role = 'file' GROUP BY run_id
),
edited AS (
  SELECT calls.run_id AS run_id, sequence, end_sequence, kind, status, pull_request,
    coalesce(changes.last_change, 0) AS last_change,
    max(CASE WHEN kind = 'edit' AND status = 'completed' THEN end_sequence END)
      OVER (PARTITION BY calls.run_id) AS last_edit,
    max(CASE WHEN {is_test} THEN sequence END) OVER (PARTITION BY calls.run_id) AS last_test
  FROM calls LEFT JOIN changes ON changes.run_id = calls.run_id
),
called AS (
  SELECT run_id, count(*) AS tool_calls, {failed} AS tool_failures, {edits} AS edits,
    {tests} AS tests, {tested} AS tests_after,
    max(CASE WHEN sequence = last_test THEN status END) AS last_test_status,
    max(CASE WHEN pull_request IS NOT NULL THEN {numbered_request} END) AS request
  FROM edited GROUP BY run_id
)
SELECT recorded.run_id AS run_id, state.session_id AS session_id, state.task_id AS task_id,
  state.status AS status, state.agent AS agent, state.agent_version AS agent_version,
  state.model AS model, state.models AS models, state.project AS project,
  state.git_branch AS git_branch, state.title AS title, 
  -- The newest address, after the number of its event.
  substr(CASE WHEN coalesce(recorded.request, '') > coalesce(called.request, '')
    THEN recorded.request ELSE called.request END, 17) AS pull_request,
  state.recorded_at AS recorded_at, state.began_at AS started_at, state.ended_at AS ended_at,
  state.duration_ms AS duration_ms, recorded.imported AS imported, recorded.events AS events,
  recorded.prompts AS prompts, coalesce(tokens.model_calls, 0) AS model_calls,
  coalesce(called.tool_calls, 0) AS tool_calls, coalesce(called.tool_failures, 0) AS tool_failures,
  recorded.errors AS errors, recorded.warnings AS warnings,
  {kept},
  tokens.cost_usd AS cost_usd,
  coalesce(CASE WHEN state.head_sequence = recorded.head_sequence THEN state.cost_estimated
    ELSE tokens.cost_estimated END, false) AS cost_estimated,
  coalesce(state.uncosted_calls, 0) AS uncosted_calls,
  coalesce(called.edits, 0) AS edits, coalesce(called.tests, 0) AS tests,
  CASE WHEN called.edits > 0 OR changes.last_change > 0 THEN coalesce(called.tests_after, 0)
    END AS tests_after_last_edit,
  called.last_test_status AS last_test_status, state.deliverables AS deliverables,
  state.error AS error, recorded.head_sequence AS head_sequence,
  CASE WHEN state.head_sequence = recorded.head_sequence THEN state.head_hash END AS head_hash,
  state.metadata AS metadata
FROM recorded
LEFT JOIN runlog_states AS state ON state.run_id = recorded.run_id
LEFT JOIN tokens ON tokens.run_id = recorded.run_id
LEFT JOIN called ON called.run_id = recorded.run_id
LEFT JOIN changes ON changes.run_id = recorded.run_id",
        prompts = number("role = 'task_start' AND actor = 'user' AND sub_agent IS NULL"),
        errors = number("severity = 'error' OR role IN ('error', 'tool_fail', 'rejected')"),
        warnings = number("severity = 'warning'"),
        imports = number("imported"),
        model_calls = number("kind IN ('call', 'calls')"),
        sums = columns(&|name| format!("sum({name}) AS {name}")),
        failed = number("status = 'failed'"),
        edits = number("kind = 'edit' AND status = 'completed'"),
        tests = number(IS_TEST),
        tested = number(&format!(
            "{IS_TEST} AND sequence > coalesce(last_edit, 0) AND sequence > last_change"
        )),
        is_test = IS_TEST,
        file_changed = file_changed(sql),
        link = link(sql, &note),
        numbered_link = numbered("sequence", &link(sql, &note)),
        numbered_request = numbered("end_sequence", "pull_request"),
        // A total of 0 has no row in `usage`.
        kept = columns(&|name| {
            format!("coalesce(tokens.{name}, CASE WHEN state.{name} = 0 THEN 0 END) AS {name}")
        })
        .replace("\n    ", "\n  "),
    )
}

/// A text after a number of 16 digits, so that the greatest one has the greatest number.
fn numbered(number: &str, text: &str) -> String {
    format!("concat(lpad(CAST({number} AS VARCHAR), 16, '0'), {text})")
}
