//! The view of tool calls.

use super::call_kinds::{kind, opens_pull_request};
use super::expressions::{
    DATA, Expressions, NEVER, arguments, coalesce, everywhere, first_count, first_string,
    first_text, id, output, own_string, roles,
};
use super::quoted;
use super::runs_view::told_elsewhere;
use crate::event::catalogue;
use crate::event::fields::{CALL_ID, DURATION, HISTORY, INPUT_TOKENS, MODEL_CALL, TIME_OF_READING};
use crate::event::role::Role;
use crate::history::arguments::PATHS;

/// The query. Beside the columns of the table it has `asked_by`: the first event of the model call
/// that asked for the call.
pub(super) fn calls(sql: &dyn Expressions) -> String {
    let of_call = "OVER (PARTITION BY run_id, call_key)";
    let at = |place: &str, what: &str| format!("max(CASE WHEN sequence = {place} THEN {what} END)");
    let exit_number = format!(
        "CASE WHEN {} THEN CAST(exit_text AS BIGINT) END",
        sql.matches("coalesce(exit_text, '')", "^[-+]?[0-9]{1,18}$")
    );
    let call_id = format!("coalesce(correlation_id, {})", first_text(sql, CALL_ID));
    format!(
        "WITH rounds AS (
  SELECT run_id, sequence, event_id, \"time\", role, tool, agent_id, agent_name, task,
    recorded_at,
    CASE WHEN events.actor = '{calling}' AND event_type IN ({of_two_actors}) THEN 'tool'
      ELSE events.actor END AS actor,
    imported AND ({has_time} OR {history} IS NOT NULL OR {everywhere} IS NOT NULL) AS may_be_copied,
    coalesce({everywhere}, {history}) AS history, correlation_id,
    role IN ({states}) AS is_state,
    {own_duration} AS own_duration, {exit_code} AS exit_status, {run_ref} AS run_ref,
    CASE WHEN {has_time} THEN 0 ELSE 1 END AS is_read,
    CASE WHEN role = 'tool_start' THEN {response} END AS response,
    CASE WHEN role IN ({states}) THEN {arguments} END AS arguments,
    CASE WHEN role IN ({ends}) THEN {result} END AS wrapped_result,
    {call_id} AS given_id,
    CASE WHEN (role = 'usage' OR (role = 'message' AND ({input}) IS NOT NULL))
      AND coalesce({scope} <> 'total', true) THEN {model_call} END AS answer
  FROM events
  WHERE role IN ({states}, 'usage', 'message', 'task_start', 'error')
),
answers AS (
  SELECT *,
    CASE WHEN answer IS NOT NULL AND row_number() OVER (PARTITION BY run_id, answer
      ORDER BY sequence) = 1 THEN sequence END AS answered
  FROM rounds
),
-- The model call that asked for a call is the one that it names, else the agent's latest one, unless a result or a prompt came
-- after it: then it is the next one before the next prompt.
asked AS (
  SELECT *,
    max(answered) OVER (PARTITION BY run_id, agent_id ORDER BY sequence) AS last_answer,
    max(CASE WHEN role IN ('task_start', {ends}) THEN sequence END)
      OVER (PARTITION BY run_id, agent_id ORDER BY sequence) AS last_break,
    min(answered) OVER (PARTITION BY run_id, agent_id ORDER BY sequence {to_end}) AS next_answer,
    max(answered) OVER (PARTITION BY run_id, coalesce(answer, response)) AS own_answer,
    min(CASE WHEN role = 'task_start' THEN sequence END)
      OVER (PARTITION BY run_id, agent_id ORDER BY sequence {to_end}) AS next_task,
    max(CASE WHEN role IN ({ends}) THEN 2 * sequence + CASE role WHEN 'tool_fail' THEN 1 ELSE 0 END
      END) OVER (PARTITION BY run_id, agent_id, tool ORDER BY sequence) % 2 AS had_failed,
    -- Errors of the call's run inside the run, or of its agent, if one of them names no run.
    CASE WHEN run_ref IS NOT NULL THEN max(CASE WHEN role = 'error' THEN sequence END)
      OVER (PARTITION BY run_id, run_ref) END AS last_error_of_ref,
    max(CASE WHEN role = 'error' AND run_ref IS NULL THEN sequence END)
      OVER (PARTITION BY run_id, agent_name) AS last_error_of_agent,
    CASE WHEN run_ref IS NULL THEN max(CASE WHEN role = 'error' THEN sequence END)
      OVER (PARTITION BY run_id, agent_name) END AS last_error_of_any
  FROM answers
),
-- Calls by their ids. `R/tc1` and `tc1` are one call, unless several prefixes have a `tc1`.
named AS (
  SELECT run_id, sequence, event_id, \"time\", role, tool, actor, agent_id, task, recorded_at, history,
    had_failed, given_id, own_duration, is_read, exit_status, arguments, wrapped_result,
    last_error_of_ref, last_error_of_agent, last_error_of_any,
    CASE
      WHEN response IS NOT NULL THEN own_answer
      WHEN last_answer > coalesce(last_break, 0) THEN last_answer
      WHEN next_answer < coalesce(next_task, {NEVER}) THEN next_answer
    END AS asker,
    CASE WHEN may_be_copied THEN correlation_id END AS work_id,
    coalesce({last_part}, event_id) AS id_end
  FROM asked WHERE is_state
),
forms AS (
  SELECT *,
    min(CASE WHEN given_id <> id_end THEN given_id END) OVER (PARTITION BY run_id, id_end)
      AS lowest_form,
    max(CASE WHEN given_id <> id_end THEN given_id END) OVER (PARTITION BY run_id, id_end)
      AS highest_form
  FROM named
),
keyed AS (
  SELECT *,
    CASE WHEN lowest_form = highest_form THEN id_end ELSE coalesce(given_id, event_id) END AS own_key
  FROM forms
),
-- An end without an id takes the newest open start of the same tool and actor, as a closing bracket
-- takes the newest open one: the depth of brackets pairs them.
stepped AS (
  SELECT *,
    CASE
      WHEN role <> 'tool_start' AND given_id IS NULL THEN -1
      WHEN role = 'tool_start'
        AND max(CASE WHEN role <> 'tool_start' AND given_id IS NOT NULL THEN 1 ELSE 0 END)
          OVER (PARTITION BY run_id, own_key) = 0
        AND row_number() OVER (PARTITION BY run_id, own_key ORDER BY sequence) = 1 THEN 1
      ELSE 0
    END AS step
  FROM keyed
),
summed AS (
  SELECT *, sum(step) OVER (PARTITION BY run_id, tool, actor ORDER BY sequence) AS height
  FROM stepped
),
grounded AS (
  SELECT *, least(min(height) OVER (PARTITION BY run_id, tool, actor ORDER BY sequence), 0) AS ground
  FROM summed
),
levelled AS (
  SELECT *,
    CASE
      WHEN step = 1 THEN height - ground
      WHEN step = -1 AND coalesce(lag(ground) OVER (PARTITION BY run_id, tool, actor
        ORDER BY sequence), 0) = ground THEN height - ground + 1
    END AS level
  FROM grounded
),
bracketed AS (
  SELECT *,
    sum(CASE WHEN step = 1 THEN 1 ELSE 0 END) OVER (PARTITION BY run_id, tool, actor, level
      ORDER BY sequence) AS place_at_level
  FROM levelled
),
paired AS (
  SELECT *,
    CASE
      WHEN step = -1 AND level IS NOT NULL THEN max(CASE WHEN step = 1 THEN own_key END)
        OVER (PARTITION BY run_id, tool, actor, level, place_at_level)
      ELSE own_key
    END AS call_key
  FROM bracketed
),
placed AS (
  SELECT *,
    min(sequence) {of_call} AS first_event,
    min(CASE WHEN role = 'tool_start' THEN sequence END) {of_call} AS first_start,
    max(CASE WHEN role <> 'tool_start' THEN sequence END) {of_call} AS last_end
  FROM paired
),
restarted AS (
  SELECT *,
    max(CASE WHEN role = 'tool_start' AND sequence < last_end THEN sequence END) {of_call}
      AS last_start,
    CASE WHEN sequence = first_start AND row_number() OVER (PARTITION BY run_id, agent_id, tool,
      sequence = first_start, coalesce(arguments, '') ORDER BY sequence) > 1 THEN 1 ELSE 0 END
      AS repeats
  FROM placed
),
told AS (
  SELECT *,
    {start_time} {of_call} AS started_at,
    {newest_time} {of_call} AS restarted_at,
    {end_time} {of_call} AS end_time,
    {end_role} {of_call} AS end_role,
    {asker} {of_call} AS asked_by,
    {retry} {of_call} AS retry,
    {repeat} {of_call} AS repeat_of,
    {end_duration} {of_call} AS own_duration_ms,
    {end_read} {of_call} AS end_is_read,
    {end_exit} {of_call} AS exit_text,
    {end_result} {of_call} AS wrapped
  FROM restarted
),
timed AS (
  SELECT *,
    CASE
      WHEN own_duration_ms IS NOT NULL THEN own_duration_ms
      WHEN end_time > restarted_at OR (end_time = restarted_at AND end_is_read = 0) THEN {elapsed}
    END AS duration_ms,
    {command} AS command,
    coalesce({unwrapped}, wrapped) AS result
  FROM told WHERE sequence = first_event
),
ended AS (SELECT run_id, is_over FROM runlog_states),
-- The runs of which another run tells everything.
told_elsewhere AS (
  {told_elsewhere}
)
SELECT timed.run_id AS run_id, timed.sequence AS sequence, last_end AS end_sequence,
  coalesce(given_id, event_id) AS call_id, tool,
  {kind} AS kind,
  agent_id, task, started_at,
  CASE WHEN started_at IS NOT NULL AND duration_ms IS NOT NULL THEN {ended_at} END AS ended_at,
  duration_ms,
  CASE
    WHEN end_role = 'tool_end' THEN 'completed' WHEN end_role = 'tool_fail' THEN 'failed'
    WHEN end_role = 'tool_blocked' THEN 'blocked'
    WHEN coalesce(ended.is_over, false) AND (coalesce(last_error_of_ref, 0) > sequence
      OR coalesce(last_error_of_agent, 0) > sequence OR coalesce(last_error_of_any, 0) > sequence)
      THEN 'failed'
    ELSE 'started'
  END AS status,
  coalesce(retry = 1, false) AS is_retry, coalesce(repeat_of = 1, false) AS is_repeat,
  CASE WHEN coalesce(told_elsewhere.run_id, '') <> '' THEN false WHEN work_id IS NULL THEN true ELSE
    row_number() OVER (PARTITION BY work_id, coalesce(history, CAST(\"time\" AS VARCHAR))
      ORDER BY CASE WHEN end_role IS NULL THEN 1 ELSE 0 END, recorded_at, timed.run_id) = 1
  END AS first_seen,
  {path} AS path,
  CASE WHEN NOT {is_editor} THEN command END AS command,
  {exit_number} AS exit_code,
  {result_bytes} AS result_bytes,
  arguments, asked_by,
  CASE WHEN end_role = 'tool_end' AND {opens} THEN nullif({link}, '') END AS pull_request,
  \"time\"
FROM timed
LEFT JOIN ended ON ended.run_id = timed.run_id
LEFT JOIN told_elsewhere ON told_elsewhere.run_id = timed.run_id",
        told_elsewhere = told_elsewhere(),
        states = roles(Role::is_tool_state),
        ends = roles(Role::is_tool_end),
        call_id = id(&call_id),
        input = first_count(sql, INPUT_TOKENS),
        scope = sql.text(DATA, &["scope"]),
        model_call = model_call(sql),
        to_end = sql.rows_to_end(),
        arguments = arguments(sql),
        last_part = sql.without("given_id", "^.*/"),
        start_time = at("first_start", "\"time\""),
        newest_time = at("last_start", "\"time\""),
        end_time = at("last_end", "\"time\""),
        end_role = at("last_end", "role"),
        asker = at("first_start", "asker"),
        retry = at("first_start", "had_failed"),
        repeat = at("first_start", "repeats"),
        own_duration = coalesce(DURATION.iter().map(|name| sql.rounded(DATA, &[name]))),
        result = output(sql),
        end_duration = at("last_end", "own_duration"),
        end_read = at("last_end", "is_read"),
        response = response(sql),
        end_exit = at("last_end", "exit_status"),
        end_result = at("last_end", "wrapped_result"),
        unwrapped = sql.json("wrapped", &["result"]),
        result_bytes = sql.text_bytes("result"),
        exit_code = first_text(sql, &["exit_code", "exitCode"]),
        link = link(sql, "result"),
        elapsed = sql.milliseconds("restarted_at", "end_time"),
        command = sql.command("arguments"),
        run_ref = sql.text(DATA, &["runId"]),
        has_time = has_work_time(sql),
        history = sql.text(DATA, &[HISTORY]),
        everywhere = everywhere(sql, "correlation_id"),
        calling = catalogue::CALLING,
        of_two_actors = catalogue::calls_of_two_actors().map(quoted).collect::<Vec<_>>().join(", "),
        kind = kind(sql),
        ended_at = sql.later("started_at", "duration_ms"),
        path = first_string(sql, "arguments", PATHS),
        is_editor = super::call_kinds::is_editor("command"),
        opens = opens_pull_request(sql),
    )
}

/// Whether the time of an event is one of the work. A time of reading identifies nothing.
pub(super) fn has_work_time(sql: &dyn Expressions) -> String {
    let origin = own_string(sql, "time_origin");
    format!("coalesce({origin}, '') <> '{TIME_OF_READING}'")
}

/// The id of the model call that an event belongs to.
fn response(sql: &dyn Expressions) -> String {
    coalesce(MODEL_CALL.iter().map(|name| id(&sql.string(DATA, &[name]))))
}

/// The id of a model call, else a text that only this event has.
pub(super) fn model_call(sql: &dyn Expressions) -> String {
    let ids = MODEL_CALL.iter().map(|name| id(&sql.string(DATA, &[name])));
    coalesce(ids.chain(["concat('#', CAST(sequence AS VARCHAR))".to_owned()]))
}

/// The first address of a pull request in a text.
pub(super) fn link(sql: &dyn Expressions, text: &str) -> String {
    // The text may be JSON, in which a backslash begins an escape.
    let word = r#"[^\s"'<>)\]`\\]"#;
    let pattern =
        format!("(https://{word}*?(?:/pull/|/merge_requests/|/pulls/|/pull-requests/){word}*)");
    let found = sql.extract(&format!("coalesce({text}, '')"), &pattern);
    sql.without(&found, "[.,]+$")
}
