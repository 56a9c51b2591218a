//! The views that engines with JSON functions have over the logs. They have the names and the
//! columns of the tables, as far as SQL can compute them.

use super::quoted;
use crate::event::catalogue;
use crate::event::fields::{
    CACHE_CREATION, CACHE_READ, CALL_ID, COST, DURATION, INPUT_TOKENS, MODEL_CALL, OUTPUT_AT_LEAST,
    OUTPUT_TOKENS, TOOL,
};
use crate::event::role::Role;
use crate::event::schema::Field;

/// The kind of a field of the envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EnvelopeKind {
    Text,
    Sequence,
    Time,
    Object,
}

/// The fields of the envelope, in the order in which they are written.
pub(super) fn envelope() -> impl Iterator<Item = (&'static str, EnvelopeKind)> {
    Field::ALL.iter().map(|field| {
        let kind = match field {
            Field::Sequence => EnvelopeKind::Sequence,
            Field::Timestamp => EnvelopeKind::Time,
            Field::Data => EnvelopeKind::Object,
            _ => EnvelopeKind::Text,
        };
        (field.name(), kind)
    })
}

/// What the engines write in different ways. Members are those of the column `data`.
pub(super) trait Expressions {
    /// A member as text: a string as its characters, another value as JSON, null if there is none.
    fn text(&self, path: &[&str]) -> String;
    /// A member that is a whole number and not negative, else null.
    fn count(&self, name: &str) -> String;
    /// A member that is a number and not negative, else null.
    fn dollars(&self, name: &str) -> String;
    /// The milliseconds between two times.
    fn milliseconds(&self, from: &str, to: &str) -> String;
    /// The time so many milliseconds later.
    fn later(&self, time: &str, milliseconds: &str) -> String;
}

/// What the views leave out.
pub(super) const NOTE: &str = "\
-- The views runs, calls, usage and events have the names and the columns of the exported tables.
-- Left out, because it takes more than the events at hand: retries and repeats, the model call that
-- asked for a tool call, prompts (column task), costs estimated by list prices, statuses, titles
-- and deliverables of runs, findings and files. `runlog export --to parquet` has them. Differences:
-- calls without an id are not paired, and usage has no row for what a session's total adds.
";

/// The views, above a view `runlog_events` of the lines.
pub(super) fn views(of: &dyn Expressions, create: &str) -> String {
    let views =
        [("events", events(of)), ("calls", calls(of)), ("usage", usage(of)), ("runs", runs(of))];
    let views = views.map(|(name, query)| format!("{create} {name} AS\n{query};\n"));
    views.join("\n")
}

/// The types with a role, as a list.
fn types(role: Role) -> String {
    let rows = catalogue::rows().iter().filter(|row| row.role == role);
    rows.map(|row| quoted(row.name)).collect::<Vec<_>>().join(", ")
}

/// The first of these members that is there, as text.
fn first(of: &dyn Expressions, names: &[&str]) -> String {
    let texts: Vec<String> = names.iter().map(|name| of.text(&[name])).collect();
    format!("coalesce({})", texts.join(", "))
}

/// The first of these members that is there, as a count.
fn count(of: &dyn Expressions, names: &[&str]) -> String {
    let counts: Vec<String> = names.iter().map(|name| of.count(name)).collect();
    format!("coalesce({})", counts.join(", "))
}

/// An id, unless it is one that unrelated events share.
fn id(text: &str) -> String {
    format!(
        "CASE WHEN {text} IN ('', 'REDACTED') OR {text} LIKE '[%]' OR {text} LIKE '<%>' \
         THEN NULL ELSE {text} END"
    )
}

fn events(of: &dyn Expressions) -> String {
    let roles: String = Role::ALL
        .iter()
        .filter(|role| **role != Role::Note && !types(**role).is_empty())
        .map(|role| format!("      WHEN type IN ({}) THEN '{}'\n", types(*role), role.name()))
        .collect();
    let text = |path: &[&str]| of.text(path);
    let agent: Vec<String> = ["runId", "agentId", "agent_id"].map(|name| id(&text(&[name]))).into();
    let denied = format!("coalesce({} = 'denied', false)", text(&["output", "status"]));
    let failed = format!(
        "(({}) IS NOT NULL OR ({}) IS NOT NULL OR coalesce({} = 'true', false))",
        text(&["error"]),
        text(&["output", "error"]),
        text(&["is_error"])
    );
    format!(
        "WITH typed AS (
  SELECT *,
    CASE
{roles}      ELSE 'note'
    END AS type_role,
    {denied} AS is_denied,
    {failed} AS has_failed
  FROM runlog_events
),
recordings AS (
  SELECT run_id, \"timestamp\" AS recorded_at FROM runlog_events WHERE sequence = 1
),
backfilled AS (
  SELECT run_id, target, summary FROM (
    SELECT run_id, {target} AS target, {summary} AS summary,
      row_number() OVER (PARTITION BY run_id, {target} ORDER BY sequence DESC) AS place
    FROM runlog_events WHERE type IN ({backfills})
  ) AS all_backfills WHERE place = 1 AND summary IS NOT NULL
)
SELECT typed.run_id AS run_id, typed.sequence AS sequence, typed.event_id AS event_id,
  typed.\"timestamp\" AS \"time\", typed.type AS event_type,
  CASE
    WHEN type_role = 'tool_end' AND is_denied THEN 'tool_blocked'
    WHEN type_role = 'tool_end' AND has_failed THEN 'tool_fail'
    ELSE type_role
  END AS role,
  CASE
    WHEN type_role = 'tool_end' AND has_failed AND NOT is_denied THEN 'error'
    ELSE typed.severity
  END AS severity,
  typed.actor AS actor, typed.session_id AS session_id, typed.correlation_id AS correlation_id,
  typed.parent_event_id AS parent_event_id,
  coalesce({agent}) AS agent_id,
  CASE
    WHEN type_role NOT IN ('tool_start', 'tool_end', 'tool_fail', 'tool_blocked') THEN NULL
    WHEN typed.type LIKE 'repl!_%' ESCAPE '!' THEN 'repl'
    ELSE coalesce({tool}, 'tool')
  END AS tool,
  coalesce(backfilled.summary, typed.summary) AS summary,
  typed.data AS data,
  ({dialect}) IS NOT NULL AS imported,
  recordings.recorded_at AS recorded_at
FROM typed
LEFT JOIN recordings ON recordings.run_id = typed.run_id
LEFT JOIN backfilled
  ON backfilled.run_id = typed.run_id AND backfilled.target = typed.event_id",
        target = text(&["target_event_id"]),
        summary = text(&["summary"]),
        backfills = types(Role::Backfill),
        agent = agent.join(", "),
        tool = first(of, TOOL),
        dialect = text(&["dialect"]),
    )
}

fn calls(of: &dyn Expressions) -> String {
    format!(
        "WITH states AS (
  SELECT run_id, sequence, \"time\", role, tool, agent_id, recorded_at,
    CASE WHEN imported THEN correlation_id END AS work_id,
    coalesce({call_id}, event_id) AS call_id,
    {duration} AS own_duration_ms
  FROM events
  WHERE role IN ('tool_start', 'tool_end', 'tool_fail', 'tool_blocked')
),
numbered AS (
  SELECT *,
    row_number() OVER (PARTITION BY run_id, call_id ORDER BY sequence) AS place,
    row_number() OVER (PARTITION BY run_id, call_id, role = 'tool_start'
      ORDER BY sequence) AS place_of_kind,
    row_number() OVER (PARTITION BY run_id, call_id, role = 'tool_start'
      ORDER BY sequence DESC) AS place_from_end
  FROM states
),
starts AS (SELECT * FROM numbered WHERE role = 'tool_start' AND place_of_kind = 1),
ends AS (SELECT * FROM numbered WHERE role <> 'tool_start' AND place_from_end = 1),
paired AS (
  SELECT begun.run_id AS run_id, begun.sequence AS sequence, ends.sequence AS end_sequence,
    begun.call_id AS call_id, begun.tool AS tool, begun.agent_id AS agent_id,
    CASE WHEN begun.work_id IS NULL THEN true ELSE
      row_number() OVER (PARTITION BY begun.work_id, begun.\"time\"
        ORDER BY begun.recorded_at, begun.run_id) = 1
    END AS first_seen,
    starts.\"time\" AS started_at,
    CASE ends.role
      WHEN 'tool_end' THEN 'completed' WHEN 'tool_fail' THEN 'failed'
      WHEN 'tool_blocked' THEN 'blocked' ELSE 'started'
    END AS status,
    CASE
      WHEN ends.own_duration_ms IS NOT NULL THEN ends.own_duration_ms
      WHEN ends.\"time\" >= starts.\"time\" THEN {elapsed}
    END AS duration_ms
  FROM (SELECT * FROM numbered WHERE place = 1) AS begun
  LEFT JOIN starts ON starts.run_id = begun.run_id AND starts.call_id = begun.call_id
  LEFT JOIN ends ON ends.run_id = begun.run_id AND ends.call_id = begun.call_id
)
SELECT run_id, sequence, end_sequence, call_id, tool, agent_id, started_at,
  CASE WHEN started_at IS NOT NULL AND duration_ms IS NOT NULL
    THEN {ended_at} END AS ended_at,
  duration_ms, status, first_seen
FROM paired",
        call_id = id(&format!("coalesce(correlation_id, {})", first(of, CALL_ID))),
        duration = count(of, DURATION),
        elapsed = of.milliseconds("starts.\"time\"", "ends.\"time\""),
        ended_at = of.later("started_at", "duration_ms"),
    )
}

/// The reports of usage, as columns of the given name before `FROM events`.
fn reports(of: &dyn Expressions) -> String {
    let ids: Vec<String> = MODEL_CALL.iter().map(|name| id(&of.text(&[name]))).collect();
    let costs: Vec<String> = COST.iter().map(|name| of.dollars(name)).collect();
    format!(
        "reports AS (
  SELECT run_id, sequence, \"time\", session_id, agent_id, role,
    imported, recorded_at,
    {model} AS model, {message} AS message_id, {request} AS request_id,
    coalesce({ids}) AS model_call_id,
    coalesce({scope} = 'total', false) AS is_total,
    {input} AS input_tokens, {output} AS output_tokens,
    coalesce({at_least} = 'true', false) AS output_at_least,
    {read} AS cache_read_tokens, {creation} AS cache_creation_tokens,
    coalesce({costs}) AS cost_usd
  FROM events WHERE role IN ('usage', 'message')
),
counted AS (
  SELECT *,
    first_value(\"time\") OVER (PARTITION BY run_id, is_total,
      coalesce(model_call_id, concat('#', CAST(sequence AS VARCHAR)))
      ORDER BY sequence) AS first_time,
    row_number() OVER (PARTITION BY run_id, is_total,
      coalesce(model_call_id, concat('#', CAST(sequence AS VARCHAR)))
      ORDER BY sequence DESC) AS place
  FROM reports WHERE role = 'usage' OR input_tokens IS NOT NULL
)",
        model = of.text(&["model"]),
        message = of.text(&["message_id"]),
        request = of.text(&["request_id"]),
        ids = ids.join(", "),
        scope = of.text(&["scope"]),
        input = count(of, INPUT_TOKENS),
        output = count(of, OUTPUT_TOKENS),
        at_least = of.text(&[OUTPUT_AT_LEAST]),
        read = count(of, CACHE_READ),
        creation = count(of, CACHE_CREATION),
        costs = costs.join(", "),
    )
}

fn usage(of: &dyn Expressions) -> String {
    format!(
        "WITH {},
runs_with_totals AS (SELECT DISTINCT run_id FROM reports WHERE is_total AND role = 'usage'),
calls_of_models AS (
  SELECT counted.*,
    CASE WHEN imported AND runs_with_totals.run_id IS NULL THEN model_call_id END AS work_id
  FROM counted LEFT JOIN runs_with_totals ON runs_with_totals.run_id = counted.run_id
  WHERE place = 1 AND NOT is_total
)
SELECT run_id, sequence, 'call' AS kind, first_time AS \"time\", session_id, agent_id, model,
  message_id, request_id,
  CASE WHEN work_id IS NULL THEN true ELSE
    row_number() OVER (PARTITION BY work_id, coalesce(request_id, CAST(first_time AS VARCHAR))
      ORDER BY recorded_at, run_id) = 1
  END AS first_seen,
  input_tokens, output_tokens, output_at_least, cache_read_tokens, cache_creation_tokens,
  input_tokens + coalesce(cache_read_tokens, 0) + coalesce(cache_creation_tokens, 0)
    AS context_tokens,
  cost_usd
FROM calls_of_models",
        reports(of)
    )
}

/// The columns with numbers of tokens.
const TOKENS: &[&str] =
    &["input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens"];

fn runs(of: &dyn Expressions) -> String {
    let columns = |each: &dyn Fn(&str) -> String| {
        TOKENS.iter().map(|name| each(name)).collect::<Vec<_>>().join(",\n    ")
    };
    let is_prompt = "role = 'task_start' AND actor = 'user'";
    let is_error = "severity = 'error' OR role IN ('error', 'tool_fail', 'rejected')";
    let number = |condition: &str| format!("sum(CASE WHEN {condition} THEN 1 ELSE 0 END)");
    let metadata = |name: &str| {
        let value = of.text(&["metadata", name]);
        format!("max(CASE WHEN role = 'run_created' THEN {value} END)")
    };
    format!(
        "WITH {reports},
totals AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY run_id, session_id ORDER BY sequence DESC) AS newest
    FROM reports WHERE is_total AND role = 'usage'
  ) AS all_totals WHERE newest = 1
),
sessions AS (
  SELECT run_id, session_id, count(*) AS model_calls,
    {call_sums}
  FROM counted WHERE place = 1 AND NOT is_total GROUP BY run_id, session_id
),
reported AS (
  SELECT run_id, session_id FROM totals
  UNION DISTINCT SELECT run_id, session_id FROM sessions
),
tokens AS (
  SELECT reported.run_id AS run_id, sum(coalesce(sessions.model_calls, 0)) AS model_calls,
    {sums}
  FROM reported
  LEFT JOIN totals
    ON totals.run_id = reported.run_id AND totals.session_id = reported.session_id
  LEFT JOIN sessions
    ON sessions.run_id = reported.run_id AND sessions.session_id = reported.session_id
  GROUP BY reported.run_id
),
called AS (
  SELECT run_id, count(*) AS tool_calls,
    sum(CASE WHEN status = 'failed' THEN 1 ELSE 0 END) AS tool_failures
  FROM calls GROUP BY run_id
),
recorded AS (
  SELECT run_id, count(*) AS events, min(\"time\") AS first_time, max(sequence) AS head_sequence,
    {prompts} AS prompts, {errors} AS errors, {warnings} AS warnings,
    {imports} > 0 AS has_imports,
    {agent} AS agent, {version} AS agent_version, {project} AS project, {branch} AS git_branch,
    min(CASE WHEN {worked} THEN \"time\" END) AS first_work,
    max(CASE WHEN {worked} THEN \"time\" END) AS last_work,
    min(CASE WHEN role = 'run_started' THEN \"time\" END) AS first_start
  FROM events GROUP BY run_id
)
SELECT recorded.run_id AS run_id,
  recorded.agent AS agent, recorded.agent_version AS agent_version,
  recorded.project AS project, recorded.git_branch AS git_branch,
  CASE WHEN has_imports THEN first_work ELSE first_start END AS started_at,
  has_imports AS imported, recorded.events AS events, recorded.prompts AS prompts,
  coalesce(tokens.model_calls, 0) AS model_calls, coalesce(called.tool_calls, 0) AS tool_calls,
  coalesce(called.tool_failures, 0) AS tool_failures, recorded.errors AS errors,
  recorded.warnings AS warnings,
  {kept},
  recorded.head_sequence AS head_sequence
FROM recorded
LEFT JOIN tokens ON tokens.run_id = recorded.run_id
LEFT JOIN called ON called.run_id = recorded.run_id",
        reports = reports(of),
        call_sums = columns(&|name| format!("sum({name}) AS {name}")),
        sums = columns(&|name| format!("sum(coalesce(totals.{name}, sessions.{name})) AS {name}")),
        kept = columns(&|name| format!("tokens.{name} AS {name}")).replace("\n    ", "\n  "),
        prompts = number(is_prompt),
        errors = number(is_error),
        warnings = number("severity = 'warning'"),
        imports = number("imported"),
        agent = metadata("agent"),
        version = metadata("agent_version"),
        project = metadata("cwd"),
        branch = metadata("git_branch"),
        worked = format!("imported AND ({}) IS NULL", of.text(&["time_origin"])),
    )
}
