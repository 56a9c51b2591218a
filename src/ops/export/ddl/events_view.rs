//! The view of events.

use super::expressions::{
    DATA, Expressions, NEVER, coalesce, first_text, id, own_string, roles, types,
};
use super::quoted;
use crate::event::fields::{AGENT, AGENT_ID, NAMING_ALL, TOOL};
use crate::event::role::Role;
use crate::history::tasks::CHAPTER_TASK;

/// The query. Beside the columns of the table it has some that the other views need.
pub(super) fn events(sql: &dyn Expressions) -> String {
    let type_roles: String = Role::ALL
        .iter()
        .filter(|role| **role != Role::Note && !types(|other| other == **role).is_empty())
        .map(|role| {
            let types = types(|other| other == *role);
            format!("      WHEN type IN ({types}) THEN '{}'\n", role.name())
        })
        .collect();
    let text = |path: &[&str]| sql.text(DATA, path);
    let agent = AGENT_ID.map(|name| id(&text(&[name])));
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
{type_roles}      ELSE 'note'
    END AS type_role,
    coalesce({denied} = 'denied', false) AS is_denied,
    {failed} AS has_failed,
    coalesce({task_name} = {chapter_task}, false) AS is_chapter_task,
    CASE WHEN ({dialect}) NOT IN ({naming_all}) THEN {sub_agent} END AS sub_agent,
    CASE WHEN type IN ({backfills}) THEN {target} ELSE event_id END AS summarized
  FROM runlog_events
),
-- Tasks. Bookkeeping belongs to none. Until the first start of a task, a new task_id begins one.
owned AS (
  SELECT *,
    type_role NOT IN ({bookkeeping}) AS has_owner,
    first_value(\"timestamp\") OVER (PARTITION BY run_id ORDER BY sequence) AS recorded_at,
    min(CASE WHEN type_role = 'task_start' THEN sequence END) OVER (PARTITION BY run_id)
      AS first_start,
    min(CASE WHEN type_role = 'task_start' AND is_chapter_task THEN sequence END)
      OVER (PARTITION BY run_id) AS first_chapter_task,
    min(CASE WHEN type_role = 'chapter' THEN sequence END) OVER (PARTITION BY run_id)
      AS first_chapter
  FROM typed
),
followed AS (
  SELECT *,
    lag(task_id) OVER (PARTITION BY run_id, has_owner AND type_role <> 'task_start'
      ORDER BY sequence) AS task_id_before
  FROM owned
),
begun AS (
  SELECT *,
    CASE
      WHEN type_role = 'task_start' THEN 1
      WHEN has_owner AND sequence < coalesce(first_start, {NEVER})
        AND sequence < coalesce(first_chapter, {NEVER})
        AND (first_start IS NULL OR coalesce(first_chapter, {NEVER}) < first_start
          OR coalesce(first_chapter_task, {NEVER}) = first_start)
        AND (task_id_before IS NULL OR task_id_before <> task_id) THEN 1
      ELSE 0
    END AS begins_task
  FROM followed
),
numbered AS (
  SELECT *, sum(begins_task) OVER (PARTITION BY run_id ORDER BY sequence) AS task_number
  FROM begun
),
-- The events of an agent and those of its sub-agents may alternate. Each has a newest task. When
-- chapters have been chosen, the work goes on in the task before that.
placed AS (
  SELECT *,
    max(CASE WHEN begins_task = 1 AND NOT is_chapter_task THEN task_number END)
      OVER (PARTITION BY run_id, sub_agent ORDER BY sequence) AS own_task,
    max(CASE WHEN begins_task = 1 AND NOT is_chapter_task AND sub_agent IS NULL
      THEN task_number END) OVER (PARTITION BY run_id ORDER BY sequence) AS main_task,
    max(CASE WHEN begins_task = 1 THEN sub_agent END)
      OVER (PARTITION BY run_id ORDER BY sequence) AS some_agent,
    max(CASE WHEN begins_task = 1 AND is_chapter_task THEN 1 ELSE 0 END)
      OVER (PARTITION BY run_id, task_number) AS is_choice,
    min(CASE WHEN type_role = 'task_end' AND coalesce({task_name} = {chapter_task}, true)
      THEN sequence END) OVER (PARTITION BY run_id, task_number) AS chosen_at
  FROM numbered
),
finished AS (
  SELECT *,
    max(CASE WHEN type_role = 'backfill' THEN sequence END)
      OVER (PARTITION BY run_id, summarized) AS last_backfill,
    max(CASE WHEN has_owner THEN sequence END) OVER (PARTITION BY run_id, task_number)
      AS task_end
  FROM placed
),
backfilled AS (
  SELECT *,
    max(CASE WHEN sequence = last_backfill THEN {summary} END)
      OVER (PARTITION BY run_id, summarized) AS new_summary
  FROM finished
)
SELECT run_id, sequence, event_id, \"timestamp\" AS \"time\", type AS event_type,
  CASE
    WHEN type_role = 'tool_end' AND is_denied THEN 'tool_blocked'
    WHEN type_role = 'tool_end' AND has_failed THEN 'tool_fail'
    ELSE type_role
  END AS role,
  CASE
    WHEN type_role = 'tool_end' AND has_failed AND NOT is_denied THEN 'error'
    ELSE severity
  END AS severity,
  actor, session_id, correlation_id, parent_event_id,
  CASE WHEN task_number > 0 AND sequence <= task_end
    THEN CAST(CASE
      WHEN is_choice = 1 AND sequence <= coalesce(chosen_at, {NEVER}) THEN task_number
      WHEN sub_agent IS NULL AND (is_choice = 1 OR some_agent IS NOT NULL) THEN main_task
      ELSE coalesce(own_task, main_task, task_number)
    END AS BIGINT) END AS task,
  {agent} AS agent_id,
  CASE
    WHEN type_role NOT IN ({states}) THEN NULL
    WHEN type LIKE 'repl!_%' ESCAPE '!' THEN 'repl'
    ELSE coalesce({tool}, 'tool')
  END AS tool,
  CASE WHEN type_role <> 'backfill' THEN coalesce(new_summary, summary) ELSE summary END AS summary,
  data,
  ({dialect}) IS NOT NULL AS imported,
  coalesce({speaker}, actor) AS agent_name,
  recorded_at, sub_agent
FROM backfilled",
        denied = text(&["output", "status"]),
        task_name = text(&["task_name"]),
        chapter_task = quoted(CHAPTER_TASK),
        bookkeeping = roles(Role::is_bookkeeping),
        target = text(&["target_event_id"]),
        summary = text(&["summary"]),
        backfills = types(|role| role == Role::Backfill),
        agent = coalesce(agent.into_iter()),
        states = roles(Role::is_tool_state),
        tool = first_text(sql, TOOL),
        dialect = own_string(sql, "dialect"),
        naming_all = NAMING_ALL.map(quoted).join(", "),
        sub_agent = id(&text(&["agent_id"])),
        speaker = first_text(sql, AGENT),
    )
}
