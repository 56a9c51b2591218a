-- Views over the logs of runlog for ClickHouse, where the logs lie. Nothing is copied.
-- Load them:  clickhouse local --path DIR --multiquery < FILE
-- A server reads files only below its user_files_path: link the runs directory there and
-- change the path.
-- The views runs, calls, usage and events have the names and the columns of the exported tables.
-- Left out, because it takes more than the events at hand: retries and repeats, the model call that
-- asked for a tool call, prompts (column task), costs estimated by list prices, statuses, titles
-- and deliverables of runs, findings and files. `runlog export --to parquet` has them. Differences:
-- calls without an id are not paired, and usage has no row for what a session's total adds.
-- Damaged lines and a last line that is being written are skipped. `runlog validate`
-- reports them.

CREATE OR REPLACE VIEW runlog_events AS
SELECT *, _path AS log
FROM file('/srv/runs/*/events.jsonl', JSONEachRow,
  'event_id Nullable(String), sequence Nullable(Int64), run_id Nullable(String), session_id Nullable(String), task_id Nullable(String), type Nullable(String), timestamp Nullable(DateTime64(3, \'UTC\')), actor Nullable(String), severity Nullable(String), summary Nullable(String), data Nullable(String), correlation_id Nullable(String), parent_event_id Nullable(String), branch Nullable(String), prev_hash Nullable(String)')
WHERE sequence IS NOT NULL AND event_id IS NOT NULL
SETTINGS input_format_skip_unknown_fields = 1, date_time_input_format = 'best_effort',
  input_format_json_read_objects_as_strings = 1, input_format_allow_errors_num = 1000000000;

CREATE OR REPLACE VIEW events AS
WITH typed AS (
  SELECT *,
    CASE
      WHEN type IN ('run.created') THEN 'run_created'
      WHEN type IN ('run.started', 'session_start') THEN 'run_started'
      WHEN type IN ('session_paused') THEN 'run_paused'
      WHEN type IN ('session_resumed') THEN 'run_resumed'
      WHEN type IN ('run.completed', 'session_end') THEN 'run_completed'
      WHEN type IN ('run.failed') THEN 'run_failed'
      WHEN type IN ('run.incomplete') THEN 'run_incomplete'
      WHEN type IN ('run.cancelled') THEN 'run_cancelled'
      WHEN type IN ('run.imported') THEN 'run_imported'
      WHEN type IN ('delegation', 'step_start', 'user', 'task.started', 'message.user') THEN 'task_start'
      WHEN type IN ('step_end', 'task.succeeded', 'task.failed', 'task.clarify', 'task.cancelled') THEN 'task_end'
      WHEN type IN ('tool.started', 'tool_call', 'repl_input') THEN 'tool_start'
      WHEN type IN ('tool.completed', 'tool_result', 'repl_output') THEN 'tool_end'
      WHEN type IN ('tool.failed') THEN 'tool_fail'
      WHEN type IN ('tool.blocked') THEN 'tool_blocked'
      WHEN type IN ('tool_progress', 'repl_progress') THEN 'tool_progress'
      WHEN type IN ('response', 'child_delegation', 'child_response', 'final_statement', 'review_submission', 'task.action', 'task.output', 'message.assistant', 'message.reasoning', 'message.system') THEN 'message'
      WHEN type IN ('text', 'reasoning') THEN 'chunk'
      WHEN type IN ('token_usage', 'usage', 'llm.usage') THEN 'usage'
      WHEN type IN ('error') THEN 'error'
      WHEN type IN ('file.rejected', 'domain_violation', 'tool-denied') THEN 'rejected'
      WHEN type IN ('file.read', 'file.written', 'file_changed', 'domain_access', 'artifact_write', 'task.file') THEN 'file'
      WHEN type IN ('skill.indexed', 'skill.loaded') THEN 'skill'
      WHEN type IN ('prompt.rendered') THEN 'prompt'
      WHEN type IN ('config.loaded') THEN 'config'
      WHEN type IN ('memory.recall.started', 'memory.recall.completed', 'memory.write.requested') THEN 'memory'
      WHEN type IN ('agent_spawn', 'agent_spawned', 'harness_start') THEN 'agent_start'
      WHEN type IN ('agent_destroyed', 'agent_destroy', 'harness_end') THEN 'agent_end'
      WHEN type IN ('relay') THEN 'permission'
      WHEN type IN ('gate_reached', 'gate_result', 'gate_prompt') THEN 'gate'
      WHEN type IN ('constraint_check', 'constraint_warning', 'budget_estimate') THEN 'constraint'
      WHEN type IN ('workflow_start', 'workflow_end') THEN 'workflow'
      WHEN type IN ('transcript.section') THEN 'section'
      WHEN type IN ('deliverable.check.started') THEN 'deliverable_check'
      WHEN type IN ('deliverable.missing') THEN 'deliverable_missing'
      WHEN type IN ('deliverable.check.completed') THEN 'deliverable_verdict'
      WHEN type IN ('summary.backfilled') THEN 'backfill'
      WHEN type IN ('session.summarized') THEN 'session_summary'
      WHEN type IN ('chapter.created') THEN 'chapter'
      WHEN type IN ('chapter.removed') THEN 'chapter_removed'
      WHEN type IN ('log.recovered') THEN 'recovered'
      WHEN type IN ('stream.rejected') THEN 'rejected_lines'
      ELSE 'note'
    END AS type_role,
    coalesce(multiIf(JSONType(assumeNotNull(data), 'output', 'status') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'output', 'status') = 'String', JSONExtractString(assumeNotNull(data), 'output', 'status'), JSONExtractRaw(assumeNotNull(data), 'output', 'status')) = 'denied', false) AS is_denied,
    ((multiIf(JSONType(assumeNotNull(data), 'error') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'error') = 'String', JSONExtractString(assumeNotNull(data), 'error'), JSONExtractRaw(assumeNotNull(data), 'error'))) IS NOT NULL OR (multiIf(JSONType(assumeNotNull(data), 'output', 'error') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'output', 'error') = 'String', JSONExtractString(assumeNotNull(data), 'output', 'error'), JSONExtractRaw(assumeNotNull(data), 'output', 'error'))) IS NOT NULL OR coalesce(multiIf(JSONType(assumeNotNull(data), 'is_error') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'is_error') = 'String', JSONExtractString(assumeNotNull(data), 'is_error'), JSONExtractRaw(assumeNotNull(data), 'is_error')) = 'true', false)) AS has_failed
  FROM runlog_events
),
recordings AS (
  SELECT run_id, "timestamp" AS recorded_at FROM runlog_events WHERE sequence = 1
),
backfilled AS (
  SELECT run_id, target, summary FROM (
    SELECT run_id, multiIf(JSONType(assumeNotNull(data), 'target_event_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'target_event_id') = 'String', JSONExtractString(assumeNotNull(data), 'target_event_id'), JSONExtractRaw(assumeNotNull(data), 'target_event_id')) AS target, multiIf(JSONType(assumeNotNull(data), 'summary') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'summary') = 'String', JSONExtractString(assumeNotNull(data), 'summary'), JSONExtractRaw(assumeNotNull(data), 'summary')) AS summary,
      row_number() OVER (PARTITION BY run_id, multiIf(JSONType(assumeNotNull(data), 'target_event_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'target_event_id') = 'String', JSONExtractString(assumeNotNull(data), 'target_event_id'), JSONExtractRaw(assumeNotNull(data), 'target_event_id')) ORDER BY sequence DESC) AS place
    FROM runlog_events WHERE type IN ('summary.backfilled')
  ) AS all_backfills WHERE place = 1 AND summary IS NOT NULL
)
SELECT typed.run_id AS run_id, typed.sequence AS sequence, typed.event_id AS event_id,
  typed."timestamp" AS "time", typed.type AS event_type,
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
  coalesce(CASE WHEN multiIf(JSONType(assumeNotNull(data), 'runId') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'runId') = 'String', JSONExtractString(assumeNotNull(data), 'runId'), JSONExtractRaw(assumeNotNull(data), 'runId')) IN ('', 'REDACTED') OR multiIf(JSONType(assumeNotNull(data), 'runId') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'runId') = 'String', JSONExtractString(assumeNotNull(data), 'runId'), JSONExtractRaw(assumeNotNull(data), 'runId')) LIKE '[%]' OR multiIf(JSONType(assumeNotNull(data), 'runId') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'runId') = 'String', JSONExtractString(assumeNotNull(data), 'runId'), JSONExtractRaw(assumeNotNull(data), 'runId')) LIKE '<%>' THEN NULL ELSE multiIf(JSONType(assumeNotNull(data), 'runId') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'runId') = 'String', JSONExtractString(assumeNotNull(data), 'runId'), JSONExtractRaw(assumeNotNull(data), 'runId')) END, CASE WHEN multiIf(JSONType(assumeNotNull(data), 'agentId') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'agentId') = 'String', JSONExtractString(assumeNotNull(data), 'agentId'), JSONExtractRaw(assumeNotNull(data), 'agentId')) IN ('', 'REDACTED') OR multiIf(JSONType(assumeNotNull(data), 'agentId') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'agentId') = 'String', JSONExtractString(assumeNotNull(data), 'agentId'), JSONExtractRaw(assumeNotNull(data), 'agentId')) LIKE '[%]' OR multiIf(JSONType(assumeNotNull(data), 'agentId') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'agentId') = 'String', JSONExtractString(assumeNotNull(data), 'agentId'), JSONExtractRaw(assumeNotNull(data), 'agentId')) LIKE '<%>' THEN NULL ELSE multiIf(JSONType(assumeNotNull(data), 'agentId') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'agentId') = 'String', JSONExtractString(assumeNotNull(data), 'agentId'), JSONExtractRaw(assumeNotNull(data), 'agentId')) END, CASE WHEN multiIf(JSONType(assumeNotNull(data), 'agent_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'agent_id') = 'String', JSONExtractString(assumeNotNull(data), 'agent_id'), JSONExtractRaw(assumeNotNull(data), 'agent_id')) IN ('', 'REDACTED') OR multiIf(JSONType(assumeNotNull(data), 'agent_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'agent_id') = 'String', JSONExtractString(assumeNotNull(data), 'agent_id'), JSONExtractRaw(assumeNotNull(data), 'agent_id')) LIKE '[%]' OR multiIf(JSONType(assumeNotNull(data), 'agent_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'agent_id') = 'String', JSONExtractString(assumeNotNull(data), 'agent_id'), JSONExtractRaw(assumeNotNull(data), 'agent_id')) LIKE '<%>' THEN NULL ELSE multiIf(JSONType(assumeNotNull(data), 'agent_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'agent_id') = 'String', JSONExtractString(assumeNotNull(data), 'agent_id'), JSONExtractRaw(assumeNotNull(data), 'agent_id')) END) AS agent_id,
  CASE
    WHEN type_role NOT IN ('tool_start', 'tool_end', 'tool_fail', 'tool_blocked') THEN NULL
    WHEN typed.type LIKE 'repl!_%' ESCAPE '!' THEN 'repl'
    ELSE coalesce(coalesce(multiIf(JSONType(assumeNotNull(data), 'tool_name') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'tool_name') = 'String', JSONExtractString(assumeNotNull(data), 'tool_name'), JSONExtractRaw(assumeNotNull(data), 'tool_name')), multiIf(JSONType(assumeNotNull(data), 'tool') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'tool') = 'String', JSONExtractString(assumeNotNull(data), 'tool'), JSONExtractRaw(assumeNotNull(data), 'tool')), multiIf(JSONType(assumeNotNull(data), 'name') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'name') = 'String', JSONExtractString(assumeNotNull(data), 'name'), JSONExtractRaw(assumeNotNull(data), 'name'))), 'tool')
  END AS tool,
  coalesce(backfilled.summary, typed.summary) AS summary,
  typed.data AS data,
  (multiIf(JSONType(assumeNotNull(data), 'dialect') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'dialect') = 'String', JSONExtractString(assumeNotNull(data), 'dialect'), JSONExtractRaw(assumeNotNull(data), 'dialect'))) IS NOT NULL AS imported,
  recordings.recorded_at AS recorded_at
FROM typed
LEFT JOIN recordings ON recordings.run_id = typed.run_id
LEFT JOIN backfilled
  ON backfilled.run_id = typed.run_id AND backfilled.target = typed.event_id;

CREATE OR REPLACE VIEW calls AS
WITH states AS (
  SELECT run_id, sequence, "time", role, tool, agent_id, recorded_at,
    CASE WHEN imported THEN correlation_id END AS work_id,
    coalesce(CASE WHEN coalesce(correlation_id, coalesce(multiIf(JSONType(assumeNotNull(data), 'call_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'call_id') = 'String', JSONExtractString(assumeNotNull(data), 'call_id'), JSONExtractRaw(assumeNotNull(data), 'call_id')), multiIf(JSONType(assumeNotNull(data), 'toolCallId') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'toolCallId') = 'String', JSONExtractString(assumeNotNull(data), 'toolCallId'), JSONExtractRaw(assumeNotNull(data), 'toolCallId')), multiIf(JSONType(assumeNotNull(data), 'tool_use_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'tool_use_id') = 'String', JSONExtractString(assumeNotNull(data), 'tool_use_id'), JSONExtractRaw(assumeNotNull(data), 'tool_use_id')), multiIf(JSONType(assumeNotNull(data), 'id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'id') = 'String', JSONExtractString(assumeNotNull(data), 'id'), JSONExtractRaw(assumeNotNull(data), 'id')))) IN ('', 'REDACTED') OR coalesce(correlation_id, coalesce(multiIf(JSONType(assumeNotNull(data), 'call_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'call_id') = 'String', JSONExtractString(assumeNotNull(data), 'call_id'), JSONExtractRaw(assumeNotNull(data), 'call_id')), multiIf(JSONType(assumeNotNull(data), 'toolCallId') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'toolCallId') = 'String', JSONExtractString(assumeNotNull(data), 'toolCallId'), JSONExtractRaw(assumeNotNull(data), 'toolCallId')), multiIf(JSONType(assumeNotNull(data), 'tool_use_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'tool_use_id') = 'String', JSONExtractString(assumeNotNull(data), 'tool_use_id'), JSONExtractRaw(assumeNotNull(data), 'tool_use_id')), multiIf(JSONType(assumeNotNull(data), 'id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'id') = 'String', JSONExtractString(assumeNotNull(data), 'id'), JSONExtractRaw(assumeNotNull(data), 'id')))) LIKE '[%]' OR coalesce(correlation_id, coalesce(multiIf(JSONType(assumeNotNull(data), 'call_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'call_id') = 'String', JSONExtractString(assumeNotNull(data), 'call_id'), JSONExtractRaw(assumeNotNull(data), 'call_id')), multiIf(JSONType(assumeNotNull(data), 'toolCallId') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'toolCallId') = 'String', JSONExtractString(assumeNotNull(data), 'toolCallId'), JSONExtractRaw(assumeNotNull(data), 'toolCallId')), multiIf(JSONType(assumeNotNull(data), 'tool_use_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'tool_use_id') = 'String', JSONExtractString(assumeNotNull(data), 'tool_use_id'), JSONExtractRaw(assumeNotNull(data), 'tool_use_id')), multiIf(JSONType(assumeNotNull(data), 'id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'id') = 'String', JSONExtractString(assumeNotNull(data), 'id'), JSONExtractRaw(assumeNotNull(data), 'id')))) LIKE '<%>' THEN NULL ELSE coalesce(correlation_id, coalesce(multiIf(JSONType(assumeNotNull(data), 'call_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'call_id') = 'String', JSONExtractString(assumeNotNull(data), 'call_id'), JSONExtractRaw(assumeNotNull(data), 'call_id')), multiIf(JSONType(assumeNotNull(data), 'toolCallId') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'toolCallId') = 'String', JSONExtractString(assumeNotNull(data), 'toolCallId'), JSONExtractRaw(assumeNotNull(data), 'toolCallId')), multiIf(JSONType(assumeNotNull(data), 'tool_use_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'tool_use_id') = 'String', JSONExtractString(assumeNotNull(data), 'tool_use_id'), JSONExtractRaw(assumeNotNull(data), 'tool_use_id')), multiIf(JSONType(assumeNotNull(data), 'id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'id') = 'String', JSONExtractString(assumeNotNull(data), 'id'), JSONExtractRaw(assumeNotNull(data), 'id')))) END, event_id) AS call_id,
    coalesce(if(JSONType(assumeNotNull(data), 'duration_ms') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(assumeNotNull(data), 'duration_ms') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(assumeNotNull(data), 'duration_ms') = floor(JSONExtractFloat(assumeNotNull(data), 'duration_ms')), toNullable(toInt64(JSONExtractFloat(assumeNotNull(data), 'duration_ms'))), NULL), if(JSONType(assumeNotNull(data), 'durationMs') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(assumeNotNull(data), 'durationMs') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(assumeNotNull(data), 'durationMs') = floor(JSONExtractFloat(assumeNotNull(data), 'durationMs')), toNullable(toInt64(JSONExtractFloat(assumeNotNull(data), 'durationMs'))), NULL)) AS own_duration_ms
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
      row_number() OVER (PARTITION BY begun.work_id, begun."time"
        ORDER BY begun.recorded_at, begun.run_id) = 1
    END AS first_seen,
    starts."time" AS started_at,
    CASE ends.role
      WHEN 'tool_end' THEN 'completed' WHEN 'tool_fail' THEN 'failed'
      WHEN 'tool_blocked' THEN 'blocked' ELSE 'started'
    END AS status,
    CASE
      WHEN ends.own_duration_ms IS NOT NULL THEN ends.own_duration_ms
      WHEN ends."time" >= starts."time" THEN toUnixTimestamp64Milli(ends."time") - toUnixTimestamp64Milli(starts."time")
    END AS duration_ms
  FROM (SELECT * FROM numbered WHERE place = 1) AS begun
  LEFT JOIN starts ON starts.run_id = begun.run_id AND starts.call_id = begun.call_id
  LEFT JOIN ends ON ends.run_id = begun.run_id AND ends.call_id = begun.call_id
)
SELECT run_id, sequence, end_sequence, call_id, tool, agent_id, started_at,
  CASE WHEN started_at IS NOT NULL AND duration_ms IS NOT NULL
    THEN addMilliseconds(started_at, duration_ms) END AS ended_at,
  duration_ms, status, first_seen
FROM paired;

CREATE OR REPLACE VIEW usage AS
WITH reports AS (
  SELECT run_id, sequence, "time", session_id, agent_id, role,
    imported, recorded_at,
    multiIf(JSONType(assumeNotNull(data), 'model') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'model') = 'String', JSONExtractString(assumeNotNull(data), 'model'), JSONExtractRaw(assumeNotNull(data), 'model')) AS model, multiIf(JSONType(assumeNotNull(data), 'message_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'message_id') = 'String', JSONExtractString(assumeNotNull(data), 'message_id'), JSONExtractRaw(assumeNotNull(data), 'message_id')) AS message_id, multiIf(JSONType(assumeNotNull(data), 'request_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'request_id') = 'String', JSONExtractString(assumeNotNull(data), 'request_id'), JSONExtractRaw(assumeNotNull(data), 'request_id')) AS request_id,
    coalesce(CASE WHEN multiIf(JSONType(assumeNotNull(data), 'message_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'message_id') = 'String', JSONExtractString(assumeNotNull(data), 'message_id'), JSONExtractRaw(assumeNotNull(data), 'message_id')) IN ('', 'REDACTED') OR multiIf(JSONType(assumeNotNull(data), 'message_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'message_id') = 'String', JSONExtractString(assumeNotNull(data), 'message_id'), JSONExtractRaw(assumeNotNull(data), 'message_id')) LIKE '[%]' OR multiIf(JSONType(assumeNotNull(data), 'message_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'message_id') = 'String', JSONExtractString(assumeNotNull(data), 'message_id'), JSONExtractRaw(assumeNotNull(data), 'message_id')) LIKE '<%>' THEN NULL ELSE multiIf(JSONType(assumeNotNull(data), 'message_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'message_id') = 'String', JSONExtractString(assumeNotNull(data), 'message_id'), JSONExtractRaw(assumeNotNull(data), 'message_id')) END, CASE WHEN multiIf(JSONType(assumeNotNull(data), 'request_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'request_id') = 'String', JSONExtractString(assumeNotNull(data), 'request_id'), JSONExtractRaw(assumeNotNull(data), 'request_id')) IN ('', 'REDACTED') OR multiIf(JSONType(assumeNotNull(data), 'request_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'request_id') = 'String', JSONExtractString(assumeNotNull(data), 'request_id'), JSONExtractRaw(assumeNotNull(data), 'request_id')) LIKE '[%]' OR multiIf(JSONType(assumeNotNull(data), 'request_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'request_id') = 'String', JSONExtractString(assumeNotNull(data), 'request_id'), JSONExtractRaw(assumeNotNull(data), 'request_id')) LIKE '<%>' THEN NULL ELSE multiIf(JSONType(assumeNotNull(data), 'request_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'request_id') = 'String', JSONExtractString(assumeNotNull(data), 'request_id'), JSONExtractRaw(assumeNotNull(data), 'request_id')) END) AS model_call_id,
    coalesce(multiIf(JSONType(assumeNotNull(data), 'scope') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'scope') = 'String', JSONExtractString(assumeNotNull(data), 'scope'), JSONExtractRaw(assumeNotNull(data), 'scope')) = 'total', false) AS is_total,
    coalesce(if(JSONType(assumeNotNull(data), 'input_tokens') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(assumeNotNull(data), 'input_tokens') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(assumeNotNull(data), 'input_tokens') = floor(JSONExtractFloat(assumeNotNull(data), 'input_tokens')), toNullable(toInt64(JSONExtractFloat(assumeNotNull(data), 'input_tokens'))), NULL), if(JSONType(assumeNotNull(data), 'inputTokens') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(assumeNotNull(data), 'inputTokens') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(assumeNotNull(data), 'inputTokens') = floor(JSONExtractFloat(assumeNotNull(data), 'inputTokens')), toNullable(toInt64(JSONExtractFloat(assumeNotNull(data), 'inputTokens'))), NULL), if(JSONType(assumeNotNull(data), 'tokensIn') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(assumeNotNull(data), 'tokensIn') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(assumeNotNull(data), 'tokensIn') = floor(JSONExtractFloat(assumeNotNull(data), 'tokensIn')), toNullable(toInt64(JSONExtractFloat(assumeNotNull(data), 'tokensIn'))), NULL)) AS input_tokens, coalesce(if(JSONType(assumeNotNull(data), 'output_tokens') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(assumeNotNull(data), 'output_tokens') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(assumeNotNull(data), 'output_tokens') = floor(JSONExtractFloat(assumeNotNull(data), 'output_tokens')), toNullable(toInt64(JSONExtractFloat(assumeNotNull(data), 'output_tokens'))), NULL), if(JSONType(assumeNotNull(data), 'outputTokens') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(assumeNotNull(data), 'outputTokens') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(assumeNotNull(data), 'outputTokens') = floor(JSONExtractFloat(assumeNotNull(data), 'outputTokens')), toNullable(toInt64(JSONExtractFloat(assumeNotNull(data), 'outputTokens'))), NULL), if(JSONType(assumeNotNull(data), 'tokensOut') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(assumeNotNull(data), 'tokensOut') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(assumeNotNull(data), 'tokensOut') = floor(JSONExtractFloat(assumeNotNull(data), 'tokensOut')), toNullable(toInt64(JSONExtractFloat(assumeNotNull(data), 'tokensOut'))), NULL)) AS output_tokens,
    coalesce(multiIf(JSONType(assumeNotNull(data), 'output_tokens_at_least') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'output_tokens_at_least') = 'String', JSONExtractString(assumeNotNull(data), 'output_tokens_at_least'), JSONExtractRaw(assumeNotNull(data), 'output_tokens_at_least')) = 'true', false) AS output_at_least,
    coalesce(if(JSONType(assumeNotNull(data), 'cache_read_tokens') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(assumeNotNull(data), 'cache_read_tokens') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(assumeNotNull(data), 'cache_read_tokens') = floor(JSONExtractFloat(assumeNotNull(data), 'cache_read_tokens')), toNullable(toInt64(JSONExtractFloat(assumeNotNull(data), 'cache_read_tokens'))), NULL), if(JSONType(assumeNotNull(data), 'cacheReadTokens') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(assumeNotNull(data), 'cacheReadTokens') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(assumeNotNull(data), 'cacheReadTokens') = floor(JSONExtractFloat(assumeNotNull(data), 'cacheReadTokens')), toNullable(toInt64(JSONExtractFloat(assumeNotNull(data), 'cacheReadTokens'))), NULL)) AS cache_read_tokens, coalesce(if(JSONType(assumeNotNull(data), 'cache_creation_tokens') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(assumeNotNull(data), 'cache_creation_tokens') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(assumeNotNull(data), 'cache_creation_tokens') = floor(JSONExtractFloat(assumeNotNull(data), 'cache_creation_tokens')), toNullable(toInt64(JSONExtractFloat(assumeNotNull(data), 'cache_creation_tokens'))), NULL), if(JSONType(assumeNotNull(data), 'cacheCreationTokens') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(assumeNotNull(data), 'cacheCreationTokens') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(assumeNotNull(data), 'cacheCreationTokens') = floor(JSONExtractFloat(assumeNotNull(data), 'cacheCreationTokens')), toNullable(toInt64(JSONExtractFloat(assumeNotNull(data), 'cacheCreationTokens'))), NULL)) AS cache_creation_tokens,
    coalesce(if(JSONType(assumeNotNull(data), 'cost_usd') IN ('Int64', 'UInt64', 'Double') AND round(JSONExtractFloat(assumeNotNull(data), 'cost_usd') * 1e6) BETWEEN 0 AND 9007199254740991, toNullable(toDecimal64(JSONExtractFloat(assumeNotNull(data), 'cost_usd'), 6)), NULL), if(JSONType(assumeNotNull(data), 'cost') IN ('Int64', 'UInt64', 'Double') AND round(JSONExtractFloat(assumeNotNull(data), 'cost') * 1e6) BETWEEN 0 AND 9007199254740991, toNullable(toDecimal64(JSONExtractFloat(assumeNotNull(data), 'cost'), 6)), NULL)) AS cost_usd
  FROM events WHERE role IN ('usage', 'message')
),
counted AS (
  SELECT *,
    first_value("time") OVER (PARTITION BY run_id, is_total,
      coalesce(model_call_id, concat('#', CAST(sequence AS VARCHAR)))
      ORDER BY sequence) AS first_time,
    row_number() OVER (PARTITION BY run_id, is_total,
      coalesce(model_call_id, concat('#', CAST(sequence AS VARCHAR)))
      ORDER BY sequence DESC) AS place
  FROM reports WHERE role = 'usage' OR input_tokens IS NOT NULL
),
runs_with_totals AS (SELECT DISTINCT run_id FROM reports WHERE is_total AND role = 'usage'),
calls_of_models AS (
  SELECT counted.*,
    CASE WHEN imported AND runs_with_totals.run_id IS NULL THEN model_call_id END AS work_id
  FROM counted LEFT JOIN runs_with_totals ON runs_with_totals.run_id = counted.run_id
  WHERE place = 1 AND NOT is_total
)
SELECT run_id, sequence, 'call' AS kind, first_time AS "time", session_id, agent_id, model,
  message_id, request_id,
  CASE WHEN work_id IS NULL THEN true ELSE
    row_number() OVER (PARTITION BY work_id, coalesce(request_id, CAST(first_time AS VARCHAR))
      ORDER BY recorded_at, run_id) = 1
  END AS first_seen,
  input_tokens, output_tokens, output_at_least, cache_read_tokens, cache_creation_tokens,
  input_tokens + coalesce(cache_read_tokens, 0) + coalesce(cache_creation_tokens, 0)
    AS context_tokens,
  cost_usd
FROM calls_of_models;

CREATE OR REPLACE VIEW runs AS
WITH reports AS (
  SELECT run_id, sequence, "time", session_id, agent_id, role,
    imported, recorded_at,
    multiIf(JSONType(assumeNotNull(data), 'model') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'model') = 'String', JSONExtractString(assumeNotNull(data), 'model'), JSONExtractRaw(assumeNotNull(data), 'model')) AS model, multiIf(JSONType(assumeNotNull(data), 'message_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'message_id') = 'String', JSONExtractString(assumeNotNull(data), 'message_id'), JSONExtractRaw(assumeNotNull(data), 'message_id')) AS message_id, multiIf(JSONType(assumeNotNull(data), 'request_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'request_id') = 'String', JSONExtractString(assumeNotNull(data), 'request_id'), JSONExtractRaw(assumeNotNull(data), 'request_id')) AS request_id,
    coalesce(CASE WHEN multiIf(JSONType(assumeNotNull(data), 'message_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'message_id') = 'String', JSONExtractString(assumeNotNull(data), 'message_id'), JSONExtractRaw(assumeNotNull(data), 'message_id')) IN ('', 'REDACTED') OR multiIf(JSONType(assumeNotNull(data), 'message_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'message_id') = 'String', JSONExtractString(assumeNotNull(data), 'message_id'), JSONExtractRaw(assumeNotNull(data), 'message_id')) LIKE '[%]' OR multiIf(JSONType(assumeNotNull(data), 'message_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'message_id') = 'String', JSONExtractString(assumeNotNull(data), 'message_id'), JSONExtractRaw(assumeNotNull(data), 'message_id')) LIKE '<%>' THEN NULL ELSE multiIf(JSONType(assumeNotNull(data), 'message_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'message_id') = 'String', JSONExtractString(assumeNotNull(data), 'message_id'), JSONExtractRaw(assumeNotNull(data), 'message_id')) END, CASE WHEN multiIf(JSONType(assumeNotNull(data), 'request_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'request_id') = 'String', JSONExtractString(assumeNotNull(data), 'request_id'), JSONExtractRaw(assumeNotNull(data), 'request_id')) IN ('', 'REDACTED') OR multiIf(JSONType(assumeNotNull(data), 'request_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'request_id') = 'String', JSONExtractString(assumeNotNull(data), 'request_id'), JSONExtractRaw(assumeNotNull(data), 'request_id')) LIKE '[%]' OR multiIf(JSONType(assumeNotNull(data), 'request_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'request_id') = 'String', JSONExtractString(assumeNotNull(data), 'request_id'), JSONExtractRaw(assumeNotNull(data), 'request_id')) LIKE '<%>' THEN NULL ELSE multiIf(JSONType(assumeNotNull(data), 'request_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'request_id') = 'String', JSONExtractString(assumeNotNull(data), 'request_id'), JSONExtractRaw(assumeNotNull(data), 'request_id')) END) AS model_call_id,
    coalesce(multiIf(JSONType(assumeNotNull(data), 'scope') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'scope') = 'String', JSONExtractString(assumeNotNull(data), 'scope'), JSONExtractRaw(assumeNotNull(data), 'scope')) = 'total', false) AS is_total,
    coalesce(if(JSONType(assumeNotNull(data), 'input_tokens') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(assumeNotNull(data), 'input_tokens') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(assumeNotNull(data), 'input_tokens') = floor(JSONExtractFloat(assumeNotNull(data), 'input_tokens')), toNullable(toInt64(JSONExtractFloat(assumeNotNull(data), 'input_tokens'))), NULL), if(JSONType(assumeNotNull(data), 'inputTokens') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(assumeNotNull(data), 'inputTokens') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(assumeNotNull(data), 'inputTokens') = floor(JSONExtractFloat(assumeNotNull(data), 'inputTokens')), toNullable(toInt64(JSONExtractFloat(assumeNotNull(data), 'inputTokens'))), NULL), if(JSONType(assumeNotNull(data), 'tokensIn') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(assumeNotNull(data), 'tokensIn') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(assumeNotNull(data), 'tokensIn') = floor(JSONExtractFloat(assumeNotNull(data), 'tokensIn')), toNullable(toInt64(JSONExtractFloat(assumeNotNull(data), 'tokensIn'))), NULL)) AS input_tokens, coalesce(if(JSONType(assumeNotNull(data), 'output_tokens') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(assumeNotNull(data), 'output_tokens') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(assumeNotNull(data), 'output_tokens') = floor(JSONExtractFloat(assumeNotNull(data), 'output_tokens')), toNullable(toInt64(JSONExtractFloat(assumeNotNull(data), 'output_tokens'))), NULL), if(JSONType(assumeNotNull(data), 'outputTokens') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(assumeNotNull(data), 'outputTokens') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(assumeNotNull(data), 'outputTokens') = floor(JSONExtractFloat(assumeNotNull(data), 'outputTokens')), toNullable(toInt64(JSONExtractFloat(assumeNotNull(data), 'outputTokens'))), NULL), if(JSONType(assumeNotNull(data), 'tokensOut') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(assumeNotNull(data), 'tokensOut') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(assumeNotNull(data), 'tokensOut') = floor(JSONExtractFloat(assumeNotNull(data), 'tokensOut')), toNullable(toInt64(JSONExtractFloat(assumeNotNull(data), 'tokensOut'))), NULL)) AS output_tokens,
    coalesce(multiIf(JSONType(assumeNotNull(data), 'output_tokens_at_least') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'output_tokens_at_least') = 'String', JSONExtractString(assumeNotNull(data), 'output_tokens_at_least'), JSONExtractRaw(assumeNotNull(data), 'output_tokens_at_least')) = 'true', false) AS output_at_least,
    coalesce(if(JSONType(assumeNotNull(data), 'cache_read_tokens') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(assumeNotNull(data), 'cache_read_tokens') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(assumeNotNull(data), 'cache_read_tokens') = floor(JSONExtractFloat(assumeNotNull(data), 'cache_read_tokens')), toNullable(toInt64(JSONExtractFloat(assumeNotNull(data), 'cache_read_tokens'))), NULL), if(JSONType(assumeNotNull(data), 'cacheReadTokens') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(assumeNotNull(data), 'cacheReadTokens') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(assumeNotNull(data), 'cacheReadTokens') = floor(JSONExtractFloat(assumeNotNull(data), 'cacheReadTokens')), toNullable(toInt64(JSONExtractFloat(assumeNotNull(data), 'cacheReadTokens'))), NULL)) AS cache_read_tokens, coalesce(if(JSONType(assumeNotNull(data), 'cache_creation_tokens') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(assumeNotNull(data), 'cache_creation_tokens') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(assumeNotNull(data), 'cache_creation_tokens') = floor(JSONExtractFloat(assumeNotNull(data), 'cache_creation_tokens')), toNullable(toInt64(JSONExtractFloat(assumeNotNull(data), 'cache_creation_tokens'))), NULL), if(JSONType(assumeNotNull(data), 'cacheCreationTokens') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(assumeNotNull(data), 'cacheCreationTokens') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(assumeNotNull(data), 'cacheCreationTokens') = floor(JSONExtractFloat(assumeNotNull(data), 'cacheCreationTokens')), toNullable(toInt64(JSONExtractFloat(assumeNotNull(data), 'cacheCreationTokens'))), NULL)) AS cache_creation_tokens,
    coalesce(if(JSONType(assumeNotNull(data), 'cost_usd') IN ('Int64', 'UInt64', 'Double') AND round(JSONExtractFloat(assumeNotNull(data), 'cost_usd') * 1e6) BETWEEN 0 AND 9007199254740991, toNullable(toDecimal64(JSONExtractFloat(assumeNotNull(data), 'cost_usd'), 6)), NULL), if(JSONType(assumeNotNull(data), 'cost') IN ('Int64', 'UInt64', 'Double') AND round(JSONExtractFloat(assumeNotNull(data), 'cost') * 1e6) BETWEEN 0 AND 9007199254740991, toNullable(toDecimal64(JSONExtractFloat(assumeNotNull(data), 'cost'), 6)), NULL)) AS cost_usd
  FROM events WHERE role IN ('usage', 'message')
),
counted AS (
  SELECT *,
    first_value("time") OVER (PARTITION BY run_id, is_total,
      coalesce(model_call_id, concat('#', CAST(sequence AS VARCHAR)))
      ORDER BY sequence) AS first_time,
    row_number() OVER (PARTITION BY run_id, is_total,
      coalesce(model_call_id, concat('#', CAST(sequence AS VARCHAR)))
      ORDER BY sequence DESC) AS place
  FROM reports WHERE role = 'usage' OR input_tokens IS NOT NULL
),
totals AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY run_id, session_id ORDER BY sequence DESC) AS newest
    FROM reports WHERE is_total AND role = 'usage'
  ) AS all_totals WHERE newest = 1
),
sessions AS (
  SELECT run_id, session_id, count(*) AS model_calls,
    sum(input_tokens) AS input_tokens,
    sum(output_tokens) AS output_tokens,
    sum(cache_read_tokens) AS cache_read_tokens,
    sum(cache_creation_tokens) AS cache_creation_tokens
  FROM counted WHERE place = 1 AND NOT is_total GROUP BY run_id, session_id
),
reported AS (
  SELECT run_id, session_id FROM totals
  UNION DISTINCT SELECT run_id, session_id FROM sessions
),
tokens AS (
  SELECT reported.run_id AS run_id, sum(coalesce(sessions.model_calls, 0)) AS model_calls,
    sum(coalesce(totals.input_tokens, sessions.input_tokens)) AS input_tokens,
    sum(coalesce(totals.output_tokens, sessions.output_tokens)) AS output_tokens,
    sum(coalesce(totals.cache_read_tokens, sessions.cache_read_tokens)) AS cache_read_tokens,
    sum(coalesce(totals.cache_creation_tokens, sessions.cache_creation_tokens)) AS cache_creation_tokens
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
  SELECT run_id, count(*) AS events, min("time") AS first_time, max(sequence) AS head_sequence,
    sum(CASE WHEN role = 'task_start' AND actor = 'user' THEN 1 ELSE 0 END) AS prompts, sum(CASE WHEN severity = 'error' OR role IN ('error', 'tool_fail', 'rejected') THEN 1 ELSE 0 END) AS errors, sum(CASE WHEN severity = 'warning' THEN 1 ELSE 0 END) AS warnings,
    sum(CASE WHEN imported THEN 1 ELSE 0 END) > 0 AS has_imports,
    max(CASE WHEN role = 'run_created' THEN multiIf(JSONType(assumeNotNull(data), 'metadata', 'agent') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'metadata', 'agent') = 'String', JSONExtractString(assumeNotNull(data), 'metadata', 'agent'), JSONExtractRaw(assumeNotNull(data), 'metadata', 'agent')) END) AS agent, max(CASE WHEN role = 'run_created' THEN multiIf(JSONType(assumeNotNull(data), 'metadata', 'agent_version') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'metadata', 'agent_version') = 'String', JSONExtractString(assumeNotNull(data), 'metadata', 'agent_version'), JSONExtractRaw(assumeNotNull(data), 'metadata', 'agent_version')) END) AS agent_version, max(CASE WHEN role = 'run_created' THEN multiIf(JSONType(assumeNotNull(data), 'metadata', 'cwd') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'metadata', 'cwd') = 'String', JSONExtractString(assumeNotNull(data), 'metadata', 'cwd'), JSONExtractRaw(assumeNotNull(data), 'metadata', 'cwd')) END) AS project, max(CASE WHEN role = 'run_created' THEN multiIf(JSONType(assumeNotNull(data), 'metadata', 'git_branch') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'metadata', 'git_branch') = 'String', JSONExtractString(assumeNotNull(data), 'metadata', 'git_branch'), JSONExtractRaw(assumeNotNull(data), 'metadata', 'git_branch')) END) AS git_branch,
    min(CASE WHEN imported AND (multiIf(JSONType(assumeNotNull(data), 'time_origin') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'time_origin') = 'String', JSONExtractString(assumeNotNull(data), 'time_origin'), JSONExtractRaw(assumeNotNull(data), 'time_origin'))) IS NULL THEN "time" END) AS first_work,
    max(CASE WHEN imported AND (multiIf(JSONType(assumeNotNull(data), 'time_origin') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(assumeNotNull(data), 'time_origin') = 'String', JSONExtractString(assumeNotNull(data), 'time_origin'), JSONExtractRaw(assumeNotNull(data), 'time_origin'))) IS NULL THEN "time" END) AS last_work,
    min(CASE WHEN role = 'run_started' THEN "time" END) AS first_start
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
  tokens.input_tokens AS input_tokens,
  tokens.output_tokens AS output_tokens,
  tokens.cache_read_tokens AS cache_read_tokens,
  tokens.cache_creation_tokens AS cache_creation_tokens,
  recorded.head_sequence AS head_sequence
FROM recorded
LEFT JOIN tokens ON tokens.run_id = recorded.run_id
LEFT JOIN called ON called.run_id = recorded.run_id;
