-- Views over the logs of runlog for DuckDB, where the logs lie. Nothing is copied.
-- Load them:  duckdb runs.db < FILE   or, for one session:  duckdb -init FILE
-- The views runs, calls, usage, events and files have the names and the columns of the exported
-- tables. They read events.jsonl, and run.json for what concludes a whole run: its status, times,
-- title, metadata, deliverables and error, and what a session's total adds to its model calls. That
-- is as old as the run's last lifecycle event; `runlog validate --fix` brings it up to date.
-- A run without run.json has no status.
-- They answer all of the ten questions in docs/queries, with the same SQL. One figure is missing:
-- the lines that each change added and removed, which take a line diff. Ask for files with
-- 05-files-views.sql.
-- Not in the views: the table findings, the rows of files for deliverables, calls.spawned_by,
-- model_call, model and error, usage.work_key, files.added, removed, bytes, sha256 and verdict.
-- `runlog export --to parquet` has them.
-- Each question reads the files again. If you ask several, make tables of the views once, in the
-- order events, calls, usage, runs, files:
--   CREATE TABLE events_now AS FROM events; CREATE OR REPLACE VIEW events AS FROM events_now;
-- Differences: a bare id of a call that has several prefixed forms is a call of its own, and costs
-- that run.json estimates with an older price list count only in its calls. A copy of a run's
-- directory counts a second time.
-- Damaged lines and a last line that is being written are skipped. `runlog validate`
-- reports them.

-- Days are in UTC, as in `runlog stats`. Another session needs this line too.
SET TimeZone = 'UTC';

CREATE OR REPLACE VIEW runlog_events AS
SELECT * EXCLUDE (filename), filename AS log
FROM read_json('/srv/runs/*/events.jsonl',
  format = 'newline_delimited', filename = true, ignore_errors = true,
  maximum_object_size = 16777216,
  columns = {
    event_id: 'VARCHAR',
    sequence: 'BIGINT',
    run_id: 'VARCHAR',
    session_id: 'VARCHAR',
    task_id: 'VARCHAR',
    type: 'VARCHAR',
    timestamp: 'TIMESTAMPTZ',
    actor: 'VARCHAR',
    severity: 'VARCHAR',
    summary: 'VARCHAR',
    data: 'JSON',
    correlation_id: 'VARCHAR',
    parent_event_id: 'VARCHAR',
    branch: 'VARCHAR',
    prev_hash: 'VARCHAR'
  })
WHERE sequence IS NOT NULL AND event_id IS NOT NULL;

CREATE OR REPLACE VIEW runlog_documents AS
SELECT * FROM read_json('/srv/runs/*/run.json',
  format = 'unstructured', maximum_object_size = 16777216,
  columns = {
    run_id: 'VARCHAR',
    session_id: 'VARCHAR',
    task_id: 'VARCHAR',
    status: 'VARCHAR',
    created_at: 'TIMESTAMPTZ',
    recorded_at: 'TIMESTAMPTZ',
    imported: 'BOOLEAN',
    started_at: 'TIMESTAMPTZ',
    ended_at: 'TIMESTAMPTZ',
    duration_ms: 'BIGINT',
    error: 'JSON',
    deliverables: 'JSON',
    metadata: 'JSON',
    models: 'JSON',
    prompt: 'VARCHAR',
    counts: 'JSON',
    head: 'JSON'
  })
WHERE run_id IS NOT NULL;

CREATE OR REPLACE MACRO runlog_label_bytes(part) AS
CASE WHEN part->>'$.type' IN ('image', 'image_url', 'input_image', 'audio', 'input_audio', 'video',
  'file', 'document')
THEN strlen(part->>'$.type') + 2 + coalesce(list_transform(
  [regexp_replace(coalesce(part->>'$.data', part->>'$.source.data', part->>'$.image_url.url',
    part->>'$.image_url', part->>'$.file.file_data'), '^.*?;base64,', '')],
  lambda encoded: strlen(CASE
    WHEN strlen(encoded) * 3 // 4 < 1000
      THEN format(', {} B', strlen(encoded) * 3 // 4 - strlen(regexp_extract(encoded, '=*$')))
    WHEN strlen(encoded) * 3 // 4 < 999500 THEN format(', {:.0f} kB', strlen(encoded) * 3 // 4 / 1e3)
    ELSE format(', {:.1f} MB', strlen(encoded) * 3 // 4 / 1e6)
  END))[1], 0) END;

CREATE OR REPLACE VIEW runlog_prices AS
SELECT * FROM (VALUES
    ('claude-3-5-haiku', 0.8, 4.0, 0.08, 1.0),
    ('claude-3-5-sonnet', 3.0, 15.0, 0.3, 3.75),
    ('claude-3-7-sonnet', 3.0, 15.0, 0.3, 3.75),
    ('claude-3-opus', 15.0, 75.0, 1.5, 18.75),
    ('claude-fable-5', 10.0, 50.0, 1.0, 12.5),
    ('claude-fable-5-1', 10.0, 50.0, 0.25, 12.5),
    ('claude-haiku-4-5', 1.0, 5.0, 0.1, 1.25),
    ('claude-haiku-5-5', 0.1, 0.5, 0.01, 0.125),
    ('claude-mythos-5', 10.0, 50.0, 1.0, 12.5),
    ('claude-mythos-5-1', 10.0, 50.0, 0.25, 12.5),
    ('claude-mythos-preview', 10.0, 50.0, 1.0, 12.5),
    ('claude-opus-4', 15.0, 75.0, 1.5, 18.75),
    ('claude-opus-4-1', 15.0, 75.0, 1.5, 18.75),
    ('claude-opus-4-5', 5.0, 25.0, 0.5, 6.25),
    ('claude-opus-4-6', 5.0, 25.0, 0.5, 6.25),
    ('claude-opus-4-7', 5.0, 25.0, 0.5, 6.25),
    ('claude-opus-4-8', 5.0, 25.0, 0.5, 6.25),
    ('claude-opus-5', 5.0, 25.0, 0.5, 6.25),
    ('claude-opus-5-5', 4.0, 20.0, 0.2, 5.0),
    ('claude-sonnet-4', 3.0, 15.0, 0.3, 3.75),
    ('claude-sonnet-4-5', 3.0, 15.0, 0.3, 3.75),
    ('claude-sonnet-4-6', 3.0, 15.0, 0.3, 3.75),
    ('claude-sonnet-5', 2.0, 10.0, 0.2, 2.5),
    ('claude-sonnet-5-5', 2.0, 10.0, 0.1, 2.5),
    ('deepseek-r1', 0.55, 2.19, 0.14, 0.55),
    ('deepseek-v3', 0.27, 1.1, 0.07, 0.27),
    ('deepseek-v3.2', 0.28, 0.4, 0.028, 0.28),
    ('deepseek-v4-flash', 0.3, 1.2, 0.006, 0.3),
    ('deepseek-v4-pro', 1.32, 3.96, 0.044, 1.32),
    ('gemini-2.5-flash', 0.3, 2.5, 0.03, 0.3),
    ('gemini-2.5-flash-lite', 0.1, 0.4, 0.01, 0.1),
    ('gemini-2.5-flash-lite-preview', 0.1, 0.4, 0.01, 0.1),
    ('gemini-2.5-flash-preview', 0.3, 2.5, 0.03, 0.3),
    ('gemini-2.5-pro', 1.25, 10.0, 0.125, 1.25),
    ('gemini-3-flash-preview', 0.5, 3.0, 0.05, 0.5),
    ('gemini-3-pro-preview', 2.0, 12.0, 0.2, 2.0),
    ('gemini-3.1-flash-lite', 0.25, 1.5, 0.025, 0.25),
    ('gemini-3.1-flash-lite-preview', 0.25, 1.5, 0.025, 0.25),
    ('gemini-3.1-pro-preview', 2.0, 12.0, 0.2, 2.0),
    ('gemini-3.1-pro-preview-customtools', 2.0, 12.0, 0.2, 2.0),
    ('gemini-3.5-flash', 1.5, 9.0, 0.15, 1.5),
    ('gemini-3.5-flash-lite', 0.3, 2.5, 0.03, 0.3),
    ('gemini-3.6-flash', 0.75, 3.75, 0.075, 0.75),
    ('gemini-3.7-flash', 0.75, 3.75, 0.075, 0.75),
    ('gemini-3.8-flash', 0.75, 3.75, 0.075, 0.75),
    ('gemini-4-argon', 2.0, 10.0, 0.1, 2.0),
    ('glm-4.6', 0.6, 2.2, 0.11, 0.6),
    ('glm-4.7', 0.6, 2.2, 0.11, 0.6),
    ('glm-5', 1.0, 3.2, 0.2, 1.0),
    ('glm-5.1', 1.4, 4.4, 0.26, 1.4),
    ('glm-5.2', 1.4, 4.4, 0.26, 1.4),
    ('glm-5.3', 1.4, 4.4, 0.26, 1.4),
    ('glm-5.3-flash', 0.15, 0.5, 0.03, 0.15),
    ('glm-5v-turbo', 1.2, 4.0, 0.24, 1.2),
    ('gpt-3.5-turbo', 0.5, 1.5, 0.5, 0.5),
    ('gpt-4', 30.0, 60.0, 30.0, 30.0),
    ('gpt-4-turbo', 10.0, 30.0, 10.0, 10.0),
    ('gpt-4.1', 2.0, 8.0, 0.5, 2.0),
    ('gpt-4.1-mini', 0.4, 1.6, 0.1, 0.4),
    ('gpt-4.1-nano', 0.1, 0.4, 0.025, 0.1),
    ('gpt-4o', 2.5, 10.0, 1.25, 2.5),
    ('gpt-4o-mini', 0.15, 0.6, 0.075, 0.15),
    ('gpt-5', 1.25, 10.0, 0.125, 1.25),
    ('gpt-5-codex', 1.25, 10.0, 0.125, 1.25),
    ('gpt-5-mini', 0.25, 2.0, 0.025, 0.25),
    ('gpt-5-nano', 0.05, 0.4, 0.005, 0.05),
    ('gpt-5-pro', 15.0, 120.0, 15.0, 15.0),
    ('gpt-5.1', 1.25, 10.0, 0.125, 1.25),
    ('gpt-5.1-codex', 1.25, 10.0, 0.125, 1.25),
    ('gpt-5.1-codex-max', 1.25, 10.0, 0.125, 1.25),
    ('gpt-5.1-codex-mini', 0.25, 2.0, 0.025, 0.25),
    ('gpt-5.2', 1.75, 14.0, 0.175, 1.75),
    ('gpt-5.2-codex', 1.75, 14.0, 0.175, 1.75),
    ('gpt-5.2-pro', 21.0, 168.0, 21.0, 21.0),
    ('gpt-5.3-codex', 1.75, 14.0, 0.175, 1.75),
    ('gpt-5.4', 2.5, 15.0, 0.25, 2.5),
    ('gpt-5.4-mini', 0.75, 4.5, 0.075, 0.75),
    ('gpt-5.4-nano', 0.2, 1.25, 0.02, 0.2),
    ('gpt-5.4-pro', 30.0, 180.0, 30.0, 30.0),
    ('gpt-5.5', 5.0, 30.0, 0.5, 5.0),
    ('gpt-5.5-pro', 30.0, 180.0, 30.0, 30.0),
    ('gpt-5.6', 4.0, 20.0, 0.4, 5.0),
    ('gpt-5.6-luna', 0.2, 1.2, 0.02, 0.25),
    ('gpt-5.6-sol', 4.0, 20.0, 0.4, 5.0),
    ('gpt-5.6-terra', 2.0, 12.0, 0.2, 2.5),
    ('gpt-6-astra', 10.0, 50.0, 1.0, 12.5),
    ('gpt-6-luna', 0.1, 0.5, 0.01, 0.125),
    ('gpt-6-sol', 2.0, 10.0, 0.2, 2.5),
    ('gpt-6.1-sol', 2.0, 10.0, 0.1, 2.5),
    ('gpt-6.1-terra', 1.0, 5.0, 0.05, 1.25),
    ('grok-4.20', 1.25, 2.5, 0.2, 1.25),
    ('grok-4.3', 1.25, 2.5, 0.2, 1.25),
    ('grok-4.5', 2.0, 6.0, 0.3, 2.0),
    ('grok-4.6', 2.0, 6.0, 0.5, 2.0),
    ('grok-4.7', 2.0, 6.0, 0.5, 2.0),
    ('grok-build-0.1', 1.0, 2.0, 0.2, 1.0),
    ('grok-code-fast', 1.0, 2.0, 0.2, 1.0),
    ('grok-code-fast-1', 1.0, 2.0, 0.2, 1.0),
    ('kimi-k2.5', 0.6, 3.0, 0.1, 0.6),
    ('kimi-k2.6', 0.95, 4.0, 0.16, 0.95),
    ('kimi-k2.7-code', 0.95, 4.0, 0.19, 0.95),
    ('kimi-k3', 3.0, 15.0, 0.3, 3.0),
    ('kimi-k3.1-pro', 2.0, 10.0, 0.2, 2.0),
    ('minimax-m2', 0.3, 1.2, 0.03, 0.375),
    ('minimax-m2.1', 0.3, 1.2, 0.03, 0.375),
    ('minimax-m2.1-lightning', 0.3, 2.4, 0.03, 0.375),
    ('minimax-m2.5', 0.3, 1.2, 0.03, 0.375),
    ('minimax-m2.5-lightning', 0.3, 2.4, 0.03, 0.375),
    ('minimax-m3', 0.3, 1.2, 0.06, 0.3),
    ('mistral-large-3', 0.5, 1.5, 0.05, 0.5),
    ('mistral-large-4', 1.36, 4.18, 0.14, 1.36),
    ('mistral-medium-3', 1.5, 7.5, 0.15, 1.5),
    ('mistral-medium-3.5', 1.5, 7.5, 0.15, 1.5),
    ('o1', 15.0, 60.0, 7.5, 15.0),
    ('o1-pro', 150.0, 600.0, 150.0, 150.0),
    ('o3', 2.0, 8.0, 0.5, 2.0),
    ('o3-mini', 1.1, 4.4, 0.55, 1.1),
    ('o3-pro', 20.0, 80.0, 20.0, 20.0),
    ('o4-mini', 1.1, 4.4, 0.275, 1.1),
    ('qwen3-vl-235b-a22b-instruct', 0.4, 1.6, 0.4, 0.4),
    ('qwen3-vl-235b-a22b-thinking', 0.4, 4.0, 0.4, 0.4),
    ('qwen3-vl-32b-instruct', 0.16, 0.64, 0.16, 0.16),
    ('qwen3-vl-32b-thinking', 0.16, 2.87, 0.16, 0.16),
    ('qwen3.7-max', 2.5, 7.5, 0.5, 3.125),
    ('qwen3.8-flash', 0.15, 0.47, 0.016, 0.2),
    ('qwen3.8-max', 2.0, 6.0, 0.25, 2.0)
) AS prices (name, input, output, cache_read, cache_creation);

CREATE OR REPLACE VIEW runlog_states AS
SELECT run_id, session_id, task_id, status,
  status IN ('completed', 'failed', 'incomplete', 'cancelled', 'imported') AS is_over,
  recorded_at, started_at, ended_at, duration_ms,
  CASE
    WHEN started_at IS NOT NULL THEN started_at
    WHEN coalesce(imported, false) THEN NULL ELSE created_at
  END AS began_at,
  nullif(CASE WHEN json_type(metadata, '$.agent') = 'VARCHAR' THEN metadata->>'$.agent' END, '') AS agent, nullif(CASE WHEN json_type(metadata, '$.agent_version') = 'VARCHAR' THEN metadata->>'$.agent_version' END, '') AS agent_version, nullif(CASE WHEN json_type(metadata, '$.model') = 'VARCHAR' THEN metadata->>'$.model' END, '') AS model, nullif(CASE WHEN json_type(metadata, '$.cwd') = 'VARCHAR' THEN metadata->>'$.cwd' END, '') AS project,
  nullif(CASE WHEN json_type(metadata, '$.git_branch') = 'VARCHAR' THEN metadata->>'$.git_branch' END, '') AS git_branch, coalesce(nullif(CASE WHEN json_type(metadata, '$.title') = 'VARCHAR' THEN metadata->>'$.title' END, ''), prompt, nullif(CASE WHEN json_type(metadata, '$.command') = 'VARCHAR' THEN metadata->>'$.command' END, '')) AS title,
  models, nullif(regexp_extract((models->>'$'), '^\[\s*"((?:[^"\\]|\\.)*)"\s*\]$', 1), '') AS only_model, metadata,
  (deliverables->>'$.status') AS deliverables,
  coalesce((error->>'$.message'), (error->>'$')) AS error,
  CASE WHEN json_type(counts, '$.input_tokens') IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND (counts->>'$.input_tokens')::DOUBLE BETWEEN 0 AND 9007199254740991 AND (counts->>'$.input_tokens')::DOUBLE = floor((counts->>'$.input_tokens')::DOUBLE) THEN (counts->>'$.input_tokens')::DOUBLE::BIGINT END AS input_tokens,
  CASE WHEN json_type(counts, '$.output_tokens') IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND (counts->>'$.output_tokens')::DOUBLE BETWEEN 0 AND 9007199254740991 AND (counts->>'$.output_tokens')::DOUBLE = floor((counts->>'$.output_tokens')::DOUBLE) THEN (counts->>'$.output_tokens')::DOUBLE::BIGINT END AS output_tokens,
  CASE WHEN json_type(counts, '$.cache_read_tokens') IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND (counts->>'$.cache_read_tokens')::DOUBLE BETWEEN 0 AND 9007199254740991 AND (counts->>'$.cache_read_tokens')::DOUBLE = floor((counts->>'$.cache_read_tokens')::DOUBLE) THEN (counts->>'$.cache_read_tokens')::DOUBLE::BIGINT END AS cache_read_tokens,
  CASE WHEN json_type(counts, '$.cache_creation_tokens') IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND (counts->>'$.cache_creation_tokens')::DOUBLE BETWEEN 0 AND 9007199254740991 AND (counts->>'$.cache_creation_tokens')::DOUBLE = floor((counts->>'$.cache_creation_tokens')::DOUBLE) THEN (counts->>'$.cache_creation_tokens')::DOUBLE::BIGINT END AS cache_creation_tokens,
  coalesce((counts->>'$.cost_estimated') = 'true', false) AS cost_estimated,
  CASE WHEN json_type(counts, '$.uncosted_calls') IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND (counts->>'$.uncosted_calls')::DOUBLE BETWEEN 0 AND 9007199254740991 AND (counts->>'$.uncosted_calls')::DOUBLE = floor((counts->>'$.uncosted_calls')::DOUBLE) THEN (counts->>'$.uncosted_calls')::DOUBLE::BIGINT END AS uncosted_calls,
  CASE WHEN json_type(counts, '$.cost_usd') IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND round((counts->>'$.cost_usd')::DOUBLE * 1e6) BETWEEN 0 AND 9007199254740991 THEN (counts->>'$.cost_usd')::DOUBLE::DECIMAL(18, 6) END AS cost_usd, (counts->>'$.prices_as_of') AS prices_as_of,
  CASE WHEN json_type(head, '$.sequence') IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND (head->>'$.sequence')::DOUBLE BETWEEN 0 AND 9007199254740991 AND (head->>'$.sequence')::DOUBLE = floor((head->>'$.sequence')::DOUBLE) THEN (head->>'$.sequence')::DOUBLE::BIGINT END AS head_sequence, (head->>'$.hash') AS head_hash,
  (counts->>'$.copied.from') AS copied_from
FROM runlog_documents;

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
    coalesce((data->>'$.output.status') = 'denied', false) AS is_denied,
    (((data->>'$.error')) IS NOT NULL OR ((data->>'$.output.error')) IS NOT NULL OR coalesce((data->>'$.is_error') = 'true', false)) AS has_failed,
    coalesce((data->>'$.task_name') = '__chapter__', false) AS is_chapter_task,
    CASE WHEN (CASE WHEN (nullif(CAST(data->'$._runlog' AS VARCHAR), 'null')) IS NOT NULL THEN CASE WHEN json_type(data, '$._runlog.dialect') = 'VARCHAR' THEN data->>'$._runlog.dialect' END ELSE CASE WHEN json_type(data, '$.dialect') = 'VARCHAR' THEN data->>'$.dialect' END END) NOT IN ('aos', 'agex', 'gateway') THEN CASE WHEN (data->>'$.agent_id') IN ('', 'REDACTED') OR (data->>'$.agent_id') LIKE '[%]' OR (data->>'$.agent_id') LIKE '<%>' THEN NULL ELSE (data->>'$.agent_id') END END AS sub_agent,
    CASE WHEN type IN ('summary.backfilled') THEN (data->>'$.target_event_id') ELSE event_id END AS summarized
  FROM runlog_events
),
-- Tasks. Bookkeeping belongs to none. Until the first start of a task, a new task_id begins one.
owned AS (
  SELECT *,
    type_role NOT IN ('run_created', 'run_started', 'run_paused', 'run_resumed', 'run_completed', 'run_failed', 'run_incomplete', 'run_cancelled', 'run_imported', 'deliverable_check', 'deliverable_missing', 'deliverable_verdict', 'backfill', 'session_summary', 'chapter', 'chapter_removed', 'recovered', 'rejected_lines') AS has_owner,
    first_value("timestamp") OVER (PARTITION BY run_id ORDER BY sequence) AS recorded_at,
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
      WHEN has_owner AND sequence < coalesce(first_start, 9007199254740992)
        AND sequence < coalesce(first_chapter, 9007199254740992)
        AND (first_start IS NULL OR coalesce(first_chapter, 9007199254740992) < first_start
          OR coalesce(first_chapter_task, 9007199254740992) = first_start)
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
    min(CASE WHEN type_role = 'task_end' AND coalesce((data->>'$.task_name') = '__chapter__', true)
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
    max(CASE WHEN sequence = last_backfill THEN (data->>'$.summary') END)
      OVER (PARTITION BY run_id, summarized) AS new_summary
  FROM finished
)
SELECT run_id, sequence, event_id, "timestamp" AS "time", type AS event_type,
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
      WHEN is_choice = 1 AND sequence <= coalesce(chosen_at, 9007199254740992) THEN task_number
      WHEN sub_agent IS NULL AND (is_choice = 1 OR some_agent IS NOT NULL) THEN main_task
      ELSE coalesce(own_task, main_task, task_number)
    END AS BIGINT) END AS task,
  coalesce(CASE WHEN (data->>'$.runId') IN ('', 'REDACTED') OR (data->>'$.runId') LIKE '[%]' OR (data->>'$.runId') LIKE '<%>' THEN NULL ELSE (data->>'$.runId') END, CASE WHEN (data->>'$.agentId') IN ('', 'REDACTED') OR (data->>'$.agentId') LIKE '[%]' OR (data->>'$.agentId') LIKE '<%>' THEN NULL ELSE (data->>'$.agentId') END, CASE WHEN (data->>'$.agent_id') IN ('', 'REDACTED') OR (data->>'$.agent_id') LIKE '[%]' OR (data->>'$.agent_id') LIKE '<%>' THEN NULL ELSE (data->>'$.agent_id') END, CASE WHEN (data->>'$.full_namespace') IN ('', 'REDACTED') OR (data->>'$.full_namespace') LIKE '[%]' OR (data->>'$.full_namespace') LIKE '<%>' THEN NULL ELSE (data->>'$.full_namespace') END, CASE WHEN (data->>'$.agent_name') IN ('', 'REDACTED') OR (data->>'$.agent_name') LIKE '[%]' OR (data->>'$.agent_name') LIKE '<%>' THEN NULL ELSE (data->>'$.agent_name') END) AS agent_id,
  CASE
    WHEN type_role NOT IN ('tool_start', 'tool_end', 'tool_fail', 'tool_blocked') THEN NULL
    WHEN type LIKE 'repl!_%' ESCAPE '!' THEN 'repl'
    ELSE coalesce(coalesce((data->>'$.tool_name'), (data->>'$.tool'), (data->>'$.name')), 'tool')
  END AS tool,
  CASE WHEN type_role <> 'backfill' THEN coalesce(new_summary, summary) ELSE summary END AS summary,
  data,
  (CASE WHEN (nullif(CAST(data->'$._runlog' AS VARCHAR), 'null')) IS NOT NULL THEN CASE WHEN json_type(data, '$._runlog.dialect') = 'VARCHAR' THEN data->>'$._runlog.dialect' END ELSE CASE WHEN json_type(data, '$.dialect') = 'VARCHAR' THEN data->>'$.dialect' END END) IS NOT NULL AS imported,
  coalesce(coalesce((data->>'$.agentId'), (data->>'$.agent_id'), (data->>'$.agent'), (data->>'$.childAgentId'), (data->>'$.full_namespace'), (data->>'$.agent_name')), actor) AS agent_name,
  recorded_at, sub_agent
FROM backfilled;

CREATE OR REPLACE VIEW calls AS
WITH rounds AS (
  SELECT run_id, sequence, event_id, "time", role, tool, agent_id, agent_name, task,
    recorded_at,
    CASE WHEN events.actor = 'agent' AND event_type IN ('tool_call', 'tool_result', 'repl_input', 'repl_output') THEN 'tool'
      ELSE events.actor END AS actor,
    imported AND (coalesce(CASE WHEN (nullif(CAST(data->'$._runlog' AS VARCHAR), 'null')) IS NOT NULL THEN CASE WHEN json_type(data, '$._runlog.time_origin') = 'VARCHAR' THEN data->>'$._runlog.time_origin' END ELSE CASE WHEN json_type(data, '$.time_origin') = 'VARCHAR' THEN data->>'$.time_origin' END END, '') <> 'time_of_reading' OR (data->>'$.history_place') IS NOT NULL OR CASE WHEN (regexp_matches(coalesce(correlation_id, ''), '(^|[_-])[A-Za-z0-9]{20,}$') AND regexp_matches(coalesce(correlation_id, ''), '[0-9][A-Za-z]*[0-9][A-Za-z0-9]*$') AND regexp_matches(coalesce(correlation_id, ''), '[a-z][A-Z0-9]*[a-z][A-Za-z0-9]*$')) OR regexp_matches(coalesce(correlation_id, ''), '(^|[_-])[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$') THEN '' END IS NOT NULL) AS may_be_copied,
    coalesce(CASE WHEN (regexp_matches(coalesce(correlation_id, ''), '(^|[_-])[A-Za-z0-9]{20,}$') AND regexp_matches(coalesce(correlation_id, ''), '[0-9][A-Za-z]*[0-9][A-Za-z0-9]*$') AND regexp_matches(coalesce(correlation_id, ''), '[a-z][A-Z0-9]*[a-z][A-Za-z0-9]*$')) OR regexp_matches(coalesce(correlation_id, ''), '(^|[_-])[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$') THEN '' END, (data->>'$.history_place')) AS history, correlation_id,
    role IN ('tool_start', 'tool_end', 'tool_fail', 'tool_blocked') AS is_state,
    coalesce(CASE WHEN json_type(data, '$.duration_ms') IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND floor((data->>'$.duration_ms')::DOUBLE + 0.5) BETWEEN 0 AND 9007199254740991 THEN floor((data->>'$.duration_ms')::DOUBLE + 0.5)::BIGINT END, CASE WHEN json_type(data, '$.durationMs') IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND floor((data->>'$.durationMs')::DOUBLE + 0.5) BETWEEN 0 AND 9007199254740991 THEN floor((data->>'$.durationMs')::DOUBLE + 0.5)::BIGINT END) AS own_duration, coalesce((data->>'$.exit_code'), (data->>'$.exitCode')) AS exit_status, (data->>'$.runId') AS run_ref,
    CASE WHEN coalesce(CASE WHEN (nullif(CAST(data->'$._runlog' AS VARCHAR), 'null')) IS NOT NULL THEN CASE WHEN json_type(data, '$._runlog.time_origin') = 'VARCHAR' THEN data->>'$._runlog.time_origin' END ELSE CASE WHEN json_type(data, '$.time_origin') = 'VARCHAR' THEN data->>'$.time_origin' END END, '') <> 'time_of_reading' THEN 0 ELSE 1 END AS is_read,
    CASE WHEN role = 'tool_start' THEN coalesce(CASE WHEN CASE WHEN json_type(data, '$.message_id') = 'VARCHAR' THEN data->>'$.message_id' END IN ('', 'REDACTED') OR CASE WHEN json_type(data, '$.message_id') = 'VARCHAR' THEN data->>'$.message_id' END LIKE '[%]' OR CASE WHEN json_type(data, '$.message_id') = 'VARCHAR' THEN data->>'$.message_id' END LIKE '<%>' THEN NULL ELSE CASE WHEN json_type(data, '$.message_id') = 'VARCHAR' THEN data->>'$.message_id' END END, CASE WHEN CASE WHEN json_type(data, '$.request_id') = 'VARCHAR' THEN data->>'$.request_id' END IN ('', 'REDACTED') OR CASE WHEN json_type(data, '$.request_id') = 'VARCHAR' THEN data->>'$.request_id' END LIKE '[%]' OR CASE WHEN json_type(data, '$.request_id') = 'VARCHAR' THEN data->>'$.request_id' END LIKE '<%>' THEN NULL ELSE CASE WHEN json_type(data, '$.request_id') = 'VARCHAR' THEN data->>'$.request_id' END END) END AS response,
    CASE WHEN role IN ('tool_start', 'tool_end', 'tool_fail', 'tool_blocked') THEN coalesce(nullif(CAST(data->'$.args_summary' AS VARCHAR), 'null'), nullif(CAST(data->'$.args' AS VARCHAR), 'null'), nullif(CAST(data->'$.input' AS VARCHAR), 'null'), nullif(CAST(data->'$.arguments' AS VARCHAR), 'null'), nullif(CAST(data->'$.tool_input' AS VARCHAR), 'null'), nullif(CAST(data->'$.params' AS VARCHAR), 'null'), nullif(CAST(data->'$.inputs' AS VARCHAR), 'null'), nullif(CAST(data->'$.code' AS VARCHAR), 'null'), nullif(CAST(data->'$.terminal' AS VARCHAR), 'null'), nullif(CAST(data->'$.command' AS VARCHAR), 'null')) END AS arguments,
    CASE WHEN role IN ('tool_end', 'tool_fail', 'tool_blocked') THEN coalesce(coalesce(nullif(CAST(data->'$.result_summary' AS VARCHAR), 'null'), nullif(CAST(data->'$.result' AS VARCHAR), 'null'), nullif(CAST(data->'$.output' AS VARCHAR), 'null'), nullif(CAST(data->'$.tool_response' AS VARCHAR), 'null'), nullif(CAST(data->'$.stdout' AS VARCHAR), 'null'), nullif(CAST(data->'$.parts' AS VARCHAR), 'null'), nullif(CAST(data->'$.final_text' AS VARCHAR), 'null')), CASE WHEN role <> 'tool_end' THEN coalesce(nullif(CAST(data->'$.error.message' AS VARCHAR), 'null'), nullif(CAST(data->'$.error' AS VARCHAR), 'null'), nullif(CAST(data->'$.reason' AS VARCHAR), 'null'), nullif(CAST(data->'$.stderr' AS VARCHAR), 'null')) END) END AS wrapped_result,
    CASE WHEN coalesce(correlation_id, coalesce((data->>'$.call_id'), (data->>'$.toolCallId'), (data->>'$.tool_use_id'), (data->>'$.id'))) IN ('', 'REDACTED') OR coalesce(correlation_id, coalesce((data->>'$.call_id'), (data->>'$.toolCallId'), (data->>'$.tool_use_id'), (data->>'$.id'))) LIKE '[%]' OR coalesce(correlation_id, coalesce((data->>'$.call_id'), (data->>'$.toolCallId'), (data->>'$.tool_use_id'), (data->>'$.id'))) LIKE '<%>' THEN NULL ELSE coalesce(correlation_id, coalesce((data->>'$.call_id'), (data->>'$.toolCallId'), (data->>'$.tool_use_id'), (data->>'$.id'))) END AS given_id,
    CASE WHEN (role = 'usage' OR (role = 'message' AND (coalesce(CASE WHEN json_type(data, '$.input_tokens') IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND (data->>'$.input_tokens')::DOUBLE BETWEEN 0 AND 9007199254740991 AND (data->>'$.input_tokens')::DOUBLE = floor((data->>'$.input_tokens')::DOUBLE) THEN (data->>'$.input_tokens')::DOUBLE::BIGINT END, CASE WHEN json_type(data, '$.inputTokens') IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND (data->>'$.inputTokens')::DOUBLE BETWEEN 0 AND 9007199254740991 AND (data->>'$.inputTokens')::DOUBLE = floor((data->>'$.inputTokens')::DOUBLE) THEN (data->>'$.inputTokens')::DOUBLE::BIGINT END, CASE WHEN json_type(data, '$.tokensIn') IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND (data->>'$.tokensIn')::DOUBLE BETWEEN 0 AND 9007199254740991 AND (data->>'$.tokensIn')::DOUBLE = floor((data->>'$.tokensIn')::DOUBLE) THEN (data->>'$.tokensIn')::DOUBLE::BIGINT END)) IS NOT NULL))
      AND coalesce((data->>'$.scope') <> 'total', true) THEN coalesce(CASE WHEN CASE WHEN json_type(data, '$.message_id') = 'VARCHAR' THEN data->>'$.message_id' END IN ('', 'REDACTED') OR CASE WHEN json_type(data, '$.message_id') = 'VARCHAR' THEN data->>'$.message_id' END LIKE '[%]' OR CASE WHEN json_type(data, '$.message_id') = 'VARCHAR' THEN data->>'$.message_id' END LIKE '<%>' THEN NULL ELSE CASE WHEN json_type(data, '$.message_id') = 'VARCHAR' THEN data->>'$.message_id' END END, CASE WHEN CASE WHEN json_type(data, '$.request_id') = 'VARCHAR' THEN data->>'$.request_id' END IN ('', 'REDACTED') OR CASE WHEN json_type(data, '$.request_id') = 'VARCHAR' THEN data->>'$.request_id' END LIKE '[%]' OR CASE WHEN json_type(data, '$.request_id') = 'VARCHAR' THEN data->>'$.request_id' END LIKE '<%>' THEN NULL ELSE CASE WHEN json_type(data, '$.request_id') = 'VARCHAR' THEN data->>'$.request_id' END END, concat('#', CAST(sequence AS VARCHAR))) END AS answer
  FROM events
  WHERE role IN ('tool_start', 'tool_end', 'tool_fail', 'tool_blocked', 'usage', 'message', 'task_start', 'error')
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
    max(CASE WHEN role IN ('task_start', 'tool_end', 'tool_fail', 'tool_blocked') THEN sequence END)
      OVER (PARTITION BY run_id, agent_id ORDER BY sequence) AS last_break,
    min(answered) OVER (PARTITION BY run_id, agent_id ORDER BY sequence ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS next_answer,
    max(answered) OVER (PARTITION BY run_id, coalesce(answer, response)) AS own_answer,
    min(CASE WHEN role = 'task_start' THEN sequence END)
      OVER (PARTITION BY run_id, agent_id ORDER BY sequence ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS next_task,
    max(CASE WHEN role IN ('tool_end', 'tool_fail', 'tool_blocked') THEN 2 * sequence + CASE role WHEN 'tool_fail' THEN 1 ELSE 0 END
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
  SELECT run_id, sequence, event_id, "time", role, tool, actor, agent_id, task, recorded_at, history,
    had_failed, given_id, own_duration, is_read, exit_status, arguments, wrapped_result,
    last_error_of_ref, last_error_of_agent, last_error_of_any,
    CASE
      WHEN response IS NOT NULL THEN own_answer
      WHEN last_answer > coalesce(last_break, 0) THEN last_answer
      WHEN next_answer < coalesce(next_task, 9007199254740992) THEN next_answer
    END AS asker,
    CASE WHEN may_be_copied THEN correlation_id END AS work_id,
    coalesce(regexp_replace(given_id, '^.*/', ''), event_id) AS id_end
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
    min(sequence) OVER (PARTITION BY run_id, call_key) AS first_event,
    min(CASE WHEN role = 'tool_start' THEN sequence END) OVER (PARTITION BY run_id, call_key) AS first_start,
    max(CASE WHEN role <> 'tool_start' THEN sequence END) OVER (PARTITION BY run_id, call_key) AS last_end
  FROM paired
),
restarted AS (
  SELECT *,
    max(CASE WHEN role = 'tool_start' AND sequence < last_end THEN sequence END) OVER (PARTITION BY run_id, call_key)
      AS last_start,
    CASE WHEN sequence = first_start AND row_number() OVER (PARTITION BY run_id, agent_id, tool,
      sequence = first_start, coalesce(arguments, '') ORDER BY sequence) > 1 THEN 1 ELSE 0 END
      AS repeats
  FROM placed
),
told AS (
  SELECT *,
    max(CASE WHEN sequence = first_start THEN "time" END) OVER (PARTITION BY run_id, call_key) AS started_at,
    max(CASE WHEN sequence = last_start THEN "time" END) OVER (PARTITION BY run_id, call_key) AS restarted_at,
    max(CASE WHEN sequence = last_end THEN "time" END) OVER (PARTITION BY run_id, call_key) AS end_time,
    max(CASE WHEN sequence = last_end THEN role END) OVER (PARTITION BY run_id, call_key) AS end_role,
    max(CASE WHEN sequence = first_start THEN asker END) OVER (PARTITION BY run_id, call_key) AS asked_by,
    max(CASE WHEN sequence = first_start THEN had_failed END) OVER (PARTITION BY run_id, call_key) AS retry,
    max(CASE WHEN sequence = first_start THEN repeats END) OVER (PARTITION BY run_id, call_key) AS repeat_of,
    max(CASE WHEN sequence = last_end THEN own_duration END) OVER (PARTITION BY run_id, call_key) AS own_duration_ms,
    max(CASE WHEN sequence = last_end THEN is_read END) OVER (PARTITION BY run_id, call_key) AS end_is_read,
    max(CASE WHEN sequence = last_end THEN exit_status END) OVER (PARTITION BY run_id, call_key) AS exit_text,
    max(CASE WHEN sequence = last_end THEN wrapped_result END) OVER (PARTITION BY run_id, call_key) AS wrapped
  FROM restarted
),
timed AS (
  SELECT *,
    CASE
      WHEN own_duration_ms IS NOT NULL THEN own_duration_ms
      WHEN end_time > restarted_at OR (end_time = restarted_at AND end_is_read = 0) THEN epoch_ms(end_time) - epoch_ms(restarted_at)
    END AS duration_ms,
    CASE json_type(coalesce(arguments->'$.command', arguments->'$.cmd'))
      WHEN 'VARCHAR' THEN coalesce(arguments->'$.command', arguments->'$.cmd')->>'$'
      WHEN 'OBJECT' THEN CASE WHEN coalesce(arguments->'$.command', arguments->'$.cmd')->>'$."$blob"' IS NOT NULL THEN coalesce(arguments->'$.command', arguments->'$.cmd')->>'$.head' END
      WHEN 'ARRAY' THEN CASE
        WHEN json_array_length(coalesce(arguments->'$.command', arguments->'$.cmd')) = 3 AND coalesce(arguments->'$.command', arguments->'$.cmd')->>'$[0]' LIKE '%sh'
          AND coalesce(arguments->'$.command', arguments->'$.cmd')->>'$[1]' LIKE '-%'
          THEN CASE WHEN coalesce(arguments->'$.command', arguments->'$.cmd')->>'$[2]."$blob"' IS NULL THEN coalesce(arguments->'$.command', arguments->'$.cmd')->>'$[2]'
            ELSE coalesce(arguments->'$.command', arguments->'$.cmd')->>'$[2].head' END
        WHEN json_array_length(coalesce(arguments->'$.command', arguments->'$.cmd')) > 0 THEN array_to_string(coalesce(arguments->'$.command', arguments->'$.cmd')->>'$[*]', ' ')
      END
    END AS command,
    coalesce(nullif(CAST(wrapped->'$.result' AS VARCHAR), 'null'), wrapped) AS result
  FROM told WHERE sequence = first_event
),
ended AS (SELECT run_id, is_over FROM runlog_states),
-- The runs of which another run tells everything.
told_elsewhere AS (
  SELECT DISTINCT told.run_id AS run_id
  FROM runlog_states AS told
  CROSS JOIN (SELECT copied_from AS copied FROM runlog_states
    WHERE copied_from LIKE '%"all_of_events"%') AS telling
  WHERE replace(copied, concat('"runs":["', told.run_id, '"],"all_of_events":',
    CAST(coalesce(told.head_sequence, 0) AS VARCHAR), ','), '') <> copied
)
SELECT timed.run_id AS run_id, timed.sequence AS sequence, last_end AS end_sequence,
  coalesce(given_id, event_id) AS call_id, tool,
  CASE
    WHEN (regexp_matches(coalesce(arguments, ''), '\*\*\* Begin Patch(?:.|\s)*\\n\*\*\* (?:Add|Update|Delete) File: ') OR regexp_matches(coalesce(nullif(CAST(arguments->'$.changes' AS VARCHAR), 'null'), ''), '"(?:type|kind)": ?"(?:add|delete|update)"|"(?:add|delete|update)": ?[{\["ntf0-9-]') OR regexp_matches(coalesce(nullif(CAST(arguments->'$.changes' AS VARCHAR), 'null'), ''), '"(?:new_string|new_str|newString|newText|new_text|new_source)": ?"') OR (coalesce(CASE WHEN json_type(arguments, '$.file_path') = 'VARCHAR' THEN arguments->>'$.file_path' END, CASE WHEN json_type(arguments, '$.path') = 'VARCHAR' THEN arguments->>'$.path' END, CASE WHEN json_type(arguments, '$.filePath') = 'VARCHAR' THEN arguments->>'$.filePath' END, CASE WHEN json_type(arguments, '$.notebook_path') = 'VARCHAR' THEN arguments->>'$.notebook_path' END, CASE WHEN json_type(arguments, '$.filename') = 'VARCHAR' THEN arguments->>'$.filename' END, CASE WHEN json_type(arguments, '$.target_file') = 'VARCHAR' THEN arguments->>'$.target_file' END, CASE WHEN json_type(arguments, '$.file') = 'VARCHAR' THEN arguments->>'$.file' END) IS NOT NULL AND (coalesce(CASE WHEN json_type(arguments, '$.old_string') = 'VARCHAR' THEN arguments->>'$.old_string' END, CASE WHEN json_type(arguments, '$.old_str') = 'VARCHAR' THEN arguments->>'$.old_str' END, CASE WHEN json_type(arguments, '$.oldString') = 'VARCHAR' THEN arguments->>'$.oldString' END, CASE WHEN json_type(arguments, '$.oldText') = 'VARCHAR' THEN arguments->>'$.oldText' END, CASE WHEN json_type(arguments, '$.old_text') = 'VARCHAR' THEN arguments->>'$.old_text' END, CASE WHEN json_type(arguments, '$.old_source') = 'VARCHAR' THEN arguments->>'$.old_source' END, CASE WHEN json_type(arguments, '$.new_string') = 'VARCHAR' THEN arguments->>'$.new_string' END, CASE WHEN json_type(arguments, '$.new_str') = 'VARCHAR' THEN arguments->>'$.new_str' END, CASE WHEN json_type(arguments, '$.newString') = 'VARCHAR' THEN arguments->>'$.newString' END, CASE WHEN json_type(arguments, '$.newText') = 'VARCHAR' THEN arguments->>'$.newText' END, CASE WHEN json_type(arguments, '$.new_text') = 'VARCHAR' THEN arguments->>'$.new_text' END, CASE WHEN json_type(arguments, '$.new_source') = 'VARCHAR' THEN arguments->>'$.new_source' END) IS NOT NULL OR regexp_matches(coalesce(nullif(CAST(arguments->'$.edits' AS VARCHAR), 'null'), ''), '"(?:old_string|old_str|oldString|oldText|old_text|old_source|new_string|new_str|newString|newText|new_text|new_source)": ?"') OR coalesce(CASE WHEN json_type(arguments, '$.patch') = 'VARCHAR' THEN arguments->>'$.patch' END, CASE WHEN json_type(arguments, '$.diff') = 'VARCHAR' THEN arguments->>'$.diff' END, CASE WHEN json_type(arguments, '$.unified_diff') = 'VARCHAR' THEN arguments->>'$.unified_diff' END) IS NOT NULL OR (coalesce(CASE WHEN json_type(arguments, '$.content') = 'VARCHAR' THEN arguments->>'$.content' END, CASE WHEN json_type(arguments, '$.file_text') = 'VARCHAR' THEN arguments->>'$.file_text' END, CASE WHEN json_type(arguments, '$.contents') = 'VARCHAR' THEN arguments->>'$.contents' END, CASE WHEN json_type(arguments, '$.text') = 'VARCHAR' THEN arguments->>'$.text' END) IS NOT NULL AND regexp_matches(lower(tool), 'write|create|edit|save')))) OR (NOT coalesce(CASE WHEN json_type(arguments, '$.file_path') = 'VARCHAR' THEN arguments->>'$.file_path' END, CASE WHEN json_type(arguments, '$.path') = 'VARCHAR' THEN arguments->>'$.path' END, CASE WHEN json_type(arguments, '$.filePath') = 'VARCHAR' THEN arguments->>'$.filePath' END, CASE WHEN json_type(arguments, '$.notebook_path') = 'VARCHAR' THEN arguments->>'$.notebook_path' END, CASE WHEN json_type(arguments, '$.filename') = 'VARCHAR' THEN arguments->>'$.filename' END, CASE WHEN json_type(arguments, '$.target_file') = 'VARCHAR' THEN arguments->>'$.target_file' END, CASE WHEN json_type(arguments, '$.file') = 'VARCHAR' THEN arguments->>'$.file' END) IS NOT NULL AND regexp_matches(coalesce(coalesce(CASE WHEN json_type(arguments, '$.patch') = 'VARCHAR' THEN arguments->>'$.patch' END, CASE WHEN json_type(arguments, '$.diff') = 'VARCHAR' THEN arguments->>'$.diff' END, CASE WHEN json_type(arguments, '$.unified_diff') = 'VARCHAR' THEN arguments->>'$.unified_diff' END), ''), '(?:^|\n)--- [^\n]*\n\+\+\+ '))) THEN 'edit'
    WHEN command IS NOT NULL AND NOT command IN ('view', 'create', 'str_replace', 'insert', 'undo_edit') AND regexp_matches(command, '(?:^|[\n;&|()])[ \t\r]*(?:(?:[A-Za-z0-9_]+=[^\s;&|()]*|npx|bunx|pnpm[ \t\r]+exec|yarn[ \t\r]+exec|uv[ \t\r]+run|poetry[ \t\r]+run|pipenv[ \t\r]+run|hatch[ \t\r]+run|bundle[ \t\r]+exec|sudo|time|env|nice|xvfb-run)[ \t\r]+)*(?:(?:[^\s;&|()]*/)?pytest|(?:[^\s;&|()]*/)?py\.test|(?:[^\s;&|()]*/)?python[ \t\r]+-m(?::[^\s;&|()]*)?[ \t\r]+pytest(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?python3[ \t\r]+-m(?::[^\s;&|()]*)?[ \t\r]+pytest(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?python[ \t\r]+-m(?::[^\s;&|()]*)?[ \t\r]+unittest(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?python3[ \t\r]+-m(?::[^\s;&|()]*)?[ \t\r]+unittest(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?python[ \t\r]+manage\.py(?::[^\s;&|()]*)?[ \t\r]+test(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?tox|(?:[^\s;&|()]*/)?nox|(?:[^\s;&|()]*/)?cargo[ \t\r]+test(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?cargo[ \t\r]+nextest(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?go[ \t\r]+test(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?npm[ \t\r]+test(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?npm[ \t\r]+t(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?npm[ \t\r]+run(?::[^\s;&|()]*)?[ \t\r]+test(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?pnpm[ \t\r]+test(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?pnpm[ \t\r]+run(?::[^\s;&|()]*)?[ \t\r]+test(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?yarn[ \t\r]+test(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?yarn[ \t\r]+run(?::[^\s;&|()]*)?[ \t\r]+test(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?bun[ \t\r]+test(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?bun[ \t\r]+run(?::[^\s;&|()]*)?[ \t\r]+test(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?deno[ \t\r]+test(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?node[ \t\r]+--test(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?jest|(?:[^\s;&|()]*/)?vitest|(?:[^\s;&|()]*/)?mocha|(?:[^\s;&|()]*/)?ava|(?:[^\s;&|()]*/)?playwright[ \t\r]+test(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?cypress[ \t\r]+run(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?make[ \t\r]+test(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?make[ \t\r]+check(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?ctest|(?:[^\s;&|()]*/)?bazel[ \t\r]+test(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?mvn[ \t\r]+test(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?mvn[ \t\r]+verify(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?gradle[ \t\r]+test(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?gradle[ \t\r]+check(?::[^\s;&|()]*)?|\./gradlew[ \t\r]+test(?::[^\s;&|()]*)?|\./gradlew[ \t\r]+check(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?dotnet[ \t\r]+test(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?swift[ \t\r]+test(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?rspec|(?:[^\s;&|()]*/)?rake[ \t\r]+test(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?rails[ \t\r]+test(?::[^\s;&|()]*)?|bin/rails[ \t\r]+test(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?phpunit|vendor/bin/phpunit|(?:[^\s;&|()]*/)?pest|(?:[^\s;&|()]*/)?mix[ \t\r]+test(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?sbt[ \t\r]+test(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?lein[ \t\r]+test(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?stack[ \t\r]+test(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?cabal[ \t\r]+test(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?zig[ \t\r]+build(?::[^\s;&|()]*)?[ \t\r]+test(?::[^\s;&|()]*)?|(?:[^\s;&|()]*/)?prove|(?:[^\s;&|()]*/)?bats)(?:[\s;&|()]|$)') THEN 'test'
    WHEN command IS NOT NULL AND NOT command IN ('view', 'create', 'str_replace', 'insert', 'undo_edit') THEN 'command'
    WHEN command = 'view' THEN 'read'
    WHEN command IS NOT NULL THEN 'edit'
    WHEN regexp_matches(lower(tool), 'websearch|web_search|webfetch|web_fetch|fetch|browser') THEN 'web'
    WHEN regexp_matches(lower(tool), 'todo|plan|think|askuser|ask_user|question|finish') THEN 'plan'
    WHEN regexp_matches(lower(tool), 'notebookedit|edit|write|patch|str_replace|replace') THEN 'edit'
    WHEN regexp_matches(lower(tool), 'grep|glob|search|find|list|ls') THEN 'search'
    WHEN regexp_matches(lower(tool), 'bash|shell|exec|terminal|command|run|repl') THEN 'command'
    WHEN regexp_matches(lower(tool), 'read|view|open|cat') THEN 'read'
    WHEN regexp_matches(lower(tool), 'task|agent|delegate') THEN 'agent'
    ELSE 'other'
  END AS kind,
  agent_id, task, started_at,
  CASE WHEN started_at IS NOT NULL AND duration_ms IS NOT NULL THEN started_at + to_milliseconds(duration_ms) END AS ended_at,
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
    row_number() OVER (PARTITION BY work_id, coalesce(history, CAST("time" AS VARCHAR))
      ORDER BY CASE WHEN end_role IS NULL THEN 1 ELSE 0 END, recorded_at, timed.run_id) = 1
  END AS first_seen,
  coalesce(CASE WHEN json_type(arguments, '$.file_path') = 'VARCHAR' THEN arguments->>'$.file_path' END, CASE WHEN json_type(arguments, '$.path') = 'VARCHAR' THEN arguments->>'$.path' END, CASE WHEN json_type(arguments, '$.notebook_path') = 'VARCHAR' THEN arguments->>'$.notebook_path' END) AS path,
  CASE WHEN NOT command IN ('view', 'create', 'str_replace', 'insert', 'undo_edit') THEN command END AS command,
  CASE WHEN regexp_matches(coalesce(exit_text, ''), '^[-+]?[0-9]{1,18}$') THEN CAST(exit_text AS BIGINT) END AS exit_code,
  CASE json_type(result)
    WHEN 'VARCHAR' THEN strlen(result->>'$')
    WHEN 'OBJECT' THEN CASE
      WHEN result->>'$."$blob"' IS NULL
        THEN coalesce(runlog_label_bytes(result), strlen(result))
      ELSE CAST(result->>'$.bytes' AS BIGINT)
    END
    WHEN 'ARRAY' THEN coalesce(list_transform([list_transform(json_extract(result, '$[*]'), lambda part: CASE
        WHEN json_type(part) = 'VARCHAR' THEN strlen(part->>'$')
        WHEN json_type(part, '$.type') <> 'VARCHAR' THEN NULL
        ELSE coalesce(runlog_label_bytes(part), strlen(coalesce(part->>'$.text',
          part->>'$.thinking', part->>'$.content')),
          strlen(part->>'$.type') + 3 + strlen(CAST(part AS VARCHAR)))
      END)],
      lambda sizes: CASE WHEN len(sizes) > 0 AND list_count(sizes) = len(sizes)
        THEN list_sum(sizes) + (len(sizes) - 1) * CASE
          WHEN len(list_filter(json_extract(result, '$[*]'), lambda part: json_type(part) <> 'VARCHAR'
            OR strlen(part->>'$') > 40 OR contains(part->>'$', chr(10)))) = 0 THEN 2 ELSE 1 END
      END)[1], strlen(result))
    ELSE strlen(result)
  END AS result_bytes,
  arguments, asked_by,
  CASE WHEN end_role = 'tool_end' AND regexp_matches(concat(coalesce(command, CASE WHEN json_type(arguments, '$.script') = 'VARCHAR' THEN arguments->>'$.script' END, ''), ' ', tool), 'gh pr create|glab mr create|hub pull-request|pull_request|merge_request') THEN nullif(regexp_replace(regexp_extract(coalesce(result, ''), '(https://[^\s"''<>)\]`\\]*?(?:/pull/|/merge_requests/|/pulls/|/pull-requests/)[^\s"''<>)\]`\\]*)', 1), '[.,]+$', ''), '') END AS pull_request,
  "time"
FROM timed
LEFT JOIN ended ON ended.run_id = timed.run_id
LEFT JOIN told_elsewhere ON told_elsewhere.run_id = timed.run_id;

CREATE OR REPLACE VIEW usage AS
WITH reports AS (
  SELECT run_id, sequence, "time", session_id, agent_id, sub_agent, task, role,
    imported AND (coalesce(CASE WHEN (nullif(CAST(data->'$._runlog' AS VARCHAR), 'null')) IS NOT NULL THEN CASE WHEN json_type(data, '$._runlog.time_origin') = 'VARCHAR' THEN data->>'$._runlog.time_origin' END ELSE CASE WHEN json_type(data, '$.time_origin') = 'VARCHAR' THEN data->>'$.time_origin' END END, '') <> 'time_of_reading' OR (data->>'$.request_id') IS NOT NULL OR (data->>'$.history_place') IS NOT NULL) AS may_be_copied,
    imported, recorded_at, (data->>'$.history_place') AS history, CASE WHEN (regexp_matches(coalesce(coalesce(CASE WHEN CASE WHEN json_type(data, '$.message_id') = 'VARCHAR' THEN data->>'$.message_id' END IN ('', 'REDACTED') OR CASE WHEN json_type(data, '$.message_id') = 'VARCHAR' THEN data->>'$.message_id' END LIKE '[%]' OR CASE WHEN json_type(data, '$.message_id') = 'VARCHAR' THEN data->>'$.message_id' END LIKE '<%>' THEN NULL ELSE CASE WHEN json_type(data, '$.message_id') = 'VARCHAR' THEN data->>'$.message_id' END END, CASE WHEN CASE WHEN json_type(data, '$.request_id') = 'VARCHAR' THEN data->>'$.request_id' END IN ('', 'REDACTED') OR CASE WHEN json_type(data, '$.request_id') = 'VARCHAR' THEN data->>'$.request_id' END LIKE '[%]' OR CASE WHEN json_type(data, '$.request_id') = 'VARCHAR' THEN data->>'$.request_id' END LIKE '<%>' THEN NULL ELSE CASE WHEN json_type(data, '$.request_id') = 'VARCHAR' THEN data->>'$.request_id' END END), ''), '(^|[_-])[A-Za-z0-9]{20,}$') AND regexp_matches(coalesce(coalesce(CASE WHEN CASE WHEN json_type(data, '$.message_id') = 'VARCHAR' THEN data->>'$.message_id' END IN ('', 'REDACTED') OR CASE WHEN json_type(data, '$.message_id') = 'VARCHAR' THEN data->>'$.message_id' END LIKE '[%]' OR CASE WHEN json_type(data, '$.message_id') = 'VARCHAR' THEN data->>'$.message_id' END LIKE '<%>' THEN NULL ELSE CASE WHEN json_type(data, '$.message_id') = 'VARCHAR' THEN data->>'$.message_id' END END, CASE WHEN CASE WHEN json_type(data, '$.request_id') = 'VARCHAR' THEN data->>'$.request_id' END IN ('', 'REDACTED') OR CASE WHEN json_type(data, '$.request_id') = 'VARCHAR' THEN data->>'$.request_id' END LIKE '[%]' OR CASE WHEN json_type(data, '$.request_id') = 'VARCHAR' THEN data->>'$.request_id' END LIKE '<%>' THEN NULL ELSE CASE WHEN json_type(data, '$.request_id') = 'VARCHAR' THEN data->>'$.request_id' END END), ''), '[0-9][A-Za-z]*[0-9][A-Za-z0-9]*$') AND regexp_matches(coalesce(coalesce(CASE WHEN CASE WHEN json_type(data, '$.message_id') = 'VARCHAR' THEN data->>'$.message_id' END IN ('', 'REDACTED') OR CASE WHEN json_type(data, '$.message_id') = 'VARCHAR' THEN data->>'$.message_id' END LIKE '[%]' OR CASE WHEN json_type(data, '$.message_id') = 'VARCHAR' THEN data->>'$.message_id' END LIKE '<%>' THEN NULL ELSE CASE WHEN json_type(data, '$.message_id') = 'VARCHAR' THEN data->>'$.message_id' END END, CASE WHEN CASE WHEN json_type(data, '$.request_id') = 'VARCHAR' THEN data->>'$.request_id' END IN ('', 'REDACTED') OR CASE WHEN json_type(data, '$.request_id') = 'VARCHAR' THEN data->>'$.request_id' END LIKE '[%]' OR CASE WHEN json_type(data, '$.request_id') = 'VARCHAR' THEN data->>'$.request_id' END LIKE '<%>' THEN NULL ELSE CASE WHEN json_type(data, '$.request_id') = 'VARCHAR' THEN data->>'$.request_id' END END), ''), '[a-z][A-Z0-9]*[a-z][A-Za-z0-9]*$')) OR regexp_matches(coalesce(coalesce(CASE WHEN CASE WHEN json_type(data, '$.message_id') = 'VARCHAR' THEN data->>'$.message_id' END IN ('', 'REDACTED') OR CASE WHEN json_type(data, '$.message_id') = 'VARCHAR' THEN data->>'$.message_id' END LIKE '[%]' OR CASE WHEN json_type(data, '$.message_id') = 'VARCHAR' THEN data->>'$.message_id' END LIKE '<%>' THEN NULL ELSE CASE WHEN json_type(data, '$.message_id') = 'VARCHAR' THEN data->>'$.message_id' END END, CASE WHEN CASE WHEN json_type(data, '$.request_id') = 'VARCHAR' THEN data->>'$.request_id' END IN ('', 'REDACTED') OR CASE WHEN json_type(data, '$.request_id') = 'VARCHAR' THEN data->>'$.request_id' END LIKE '[%]' OR CASE WHEN json_type(data, '$.request_id') = 'VARCHAR' THEN data->>'$.request_id' END LIKE '<%>' THEN NULL ELSE CASE WHEN json_type(data, '$.request_id') = 'VARCHAR' THEN data->>'$.request_id' END END), ''), '(^|[_-])[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$') THEN '' END AS everywhere,
    (data->>'$.model') AS model, (data->>'$.message_id') AS message_id, (data->>'$.request_id') AS request_id,
    coalesce(CASE WHEN CASE WHEN json_type(data, '$.message_id') = 'VARCHAR' THEN data->>'$.message_id' END IN ('', 'REDACTED') OR CASE WHEN json_type(data, '$.message_id') = 'VARCHAR' THEN data->>'$.message_id' END LIKE '[%]' OR CASE WHEN json_type(data, '$.message_id') = 'VARCHAR' THEN data->>'$.message_id' END LIKE '<%>' THEN NULL ELSE CASE WHEN json_type(data, '$.message_id') = 'VARCHAR' THEN data->>'$.message_id' END END, CASE WHEN CASE WHEN json_type(data, '$.request_id') = 'VARCHAR' THEN data->>'$.request_id' END IN ('', 'REDACTED') OR CASE WHEN json_type(data, '$.request_id') = 'VARCHAR' THEN data->>'$.request_id' END LIKE '[%]' OR CASE WHEN json_type(data, '$.request_id') = 'VARCHAR' THEN data->>'$.request_id' END LIKE '<%>' THEN NULL ELSE CASE WHEN json_type(data, '$.request_id') = 'VARCHAR' THEN data->>'$.request_id' END END) AS model_call_id, coalesce(CASE WHEN CASE WHEN json_type(data, '$.message_id') = 'VARCHAR' THEN data->>'$.message_id' END IN ('', 'REDACTED') OR CASE WHEN json_type(data, '$.message_id') = 'VARCHAR' THEN data->>'$.message_id' END LIKE '[%]' OR CASE WHEN json_type(data, '$.message_id') = 'VARCHAR' THEN data->>'$.message_id' END LIKE '<%>' THEN NULL ELSE CASE WHEN json_type(data, '$.message_id') = 'VARCHAR' THEN data->>'$.message_id' END END, CASE WHEN CASE WHEN json_type(data, '$.request_id') = 'VARCHAR' THEN data->>'$.request_id' END IN ('', 'REDACTED') OR CASE WHEN json_type(data, '$.request_id') = 'VARCHAR' THEN data->>'$.request_id' END LIKE '[%]' OR CASE WHEN json_type(data, '$.request_id') = 'VARCHAR' THEN data->>'$.request_id' END LIKE '<%>' THEN NULL ELSE CASE WHEN json_type(data, '$.request_id') = 'VARCHAR' THEN data->>'$.request_id' END END, concat('#', CAST(sequence AS VARCHAR))) AS answer,
    coalesce((data->>'$.scope') = 'total', false) AS is_total,
    (data->>'$.last_message_id') IS NOT NULL AS calls_told,
    coalesce((data->>'$.not_in_total') = 'true', false) AS not_in_total,
    coalesce((data->>'$.scope') = 'model', false) AS is_of_model,
    coalesce((data->>'$.scope') = 'calls', false) AS is_of_several,
    coalesce(CASE WHEN json_type(data, '$.input_tokens') IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND (data->>'$.input_tokens')::DOUBLE BETWEEN 0 AND 9007199254740991 AND (data->>'$.input_tokens')::DOUBLE = floor((data->>'$.input_tokens')::DOUBLE) THEN (data->>'$.input_tokens')::DOUBLE::BIGINT END, CASE WHEN json_type(data, '$.inputTokens') IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND (data->>'$.inputTokens')::DOUBLE BETWEEN 0 AND 9007199254740991 AND (data->>'$.inputTokens')::DOUBLE = floor((data->>'$.inputTokens')::DOUBLE) THEN (data->>'$.inputTokens')::DOUBLE::BIGINT END, CASE WHEN json_type(data, '$.tokensIn') IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND (data->>'$.tokensIn')::DOUBLE BETWEEN 0 AND 9007199254740991 AND (data->>'$.tokensIn')::DOUBLE = floor((data->>'$.tokensIn')::DOUBLE) THEN (data->>'$.tokensIn')::DOUBLE::BIGINT END) AS input_tokens, coalesce(CASE WHEN json_type(data, '$.output_tokens') IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND (data->>'$.output_tokens')::DOUBLE BETWEEN 0 AND 9007199254740991 AND (data->>'$.output_tokens')::DOUBLE = floor((data->>'$.output_tokens')::DOUBLE) THEN (data->>'$.output_tokens')::DOUBLE::BIGINT END, CASE WHEN json_type(data, '$.outputTokens') IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND (data->>'$.outputTokens')::DOUBLE BETWEEN 0 AND 9007199254740991 AND (data->>'$.outputTokens')::DOUBLE = floor((data->>'$.outputTokens')::DOUBLE) THEN (data->>'$.outputTokens')::DOUBLE::BIGINT END, CASE WHEN json_type(data, '$.tokensOut') IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND (data->>'$.tokensOut')::DOUBLE BETWEEN 0 AND 9007199254740991 AND (data->>'$.tokensOut')::DOUBLE = floor((data->>'$.tokensOut')::DOUBLE) THEN (data->>'$.tokensOut')::DOUBLE::BIGINT END) AS output_tokens,
    coalesce((data->>'$.output_tokens_at_least') = 'true', false) AS output_at_least,
    coalesce(CASE WHEN json_type(data, '$.cache_read_tokens') IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND (data->>'$.cache_read_tokens')::DOUBLE BETWEEN 0 AND 9007199254740991 AND (data->>'$.cache_read_tokens')::DOUBLE = floor((data->>'$.cache_read_tokens')::DOUBLE) THEN (data->>'$.cache_read_tokens')::DOUBLE::BIGINT END, CASE WHEN json_type(data, '$.cacheReadTokens') IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND (data->>'$.cacheReadTokens')::DOUBLE BETWEEN 0 AND 9007199254740991 AND (data->>'$.cacheReadTokens')::DOUBLE = floor((data->>'$.cacheReadTokens')::DOUBLE) THEN (data->>'$.cacheReadTokens')::DOUBLE::BIGINT END) AS cache_read_tokens, coalesce(CASE WHEN json_type(data, '$.cache_creation_tokens') IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND (data->>'$.cache_creation_tokens')::DOUBLE BETWEEN 0 AND 9007199254740991 AND (data->>'$.cache_creation_tokens')::DOUBLE = floor((data->>'$.cache_creation_tokens')::DOUBLE) THEN (data->>'$.cache_creation_tokens')::DOUBLE::BIGINT END, CASE WHEN json_type(data, '$.cacheCreationTokens') IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND (data->>'$.cacheCreationTokens')::DOUBLE BETWEEN 0 AND 9007199254740991 AND (data->>'$.cacheCreationTokens')::DOUBLE = floor((data->>'$.cacheCreationTokens')::DOUBLE) THEN (data->>'$.cacheCreationTokens')::DOUBLE::BIGINT END) AS cache_creation_tokens,
    coalesce(CASE WHEN json_type(data, '$.cache_creation_1h_tokens') IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND (data->>'$.cache_creation_1h_tokens')::DOUBLE BETWEEN 0 AND 9007199254740991 AND (data->>'$.cache_creation_1h_tokens')::DOUBLE = floor((data->>'$.cache_creation_1h_tokens')::DOUBLE) THEN (data->>'$.cache_creation_1h_tokens')::DOUBLE::BIGINT END) AS for_an_hour,
    coalesce(CASE WHEN json_type(data, '$.cost_usd') IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND round((data->>'$.cost_usd')::DOUBLE * 1e6) BETWEEN 0 AND 9007199254740991 THEN (data->>'$.cost_usd')::DOUBLE::DECIMAL(18, 6) END, CASE WHEN json_type(data, '$.cost') IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND round((data->>'$.cost')::DOUBLE * 1e6) BETWEEN 0 AND 9007199254740991 THEN (data->>'$.cost')::DOUBLE::DECIMAL(18, 6) END) AS reported_usd
  FROM events WHERE role IN ('usage', 'message')
),
-- The costs that an agent reports in its messages count if it reports none with its usage. They
-- cover its model calls.
told AS (
  SELECT *,
    max(CASE WHEN (role = 'usage' OR input_tokens IS NOT NULL) OR reported_usd IS NULL THEN 0 ELSE 1 END)
      OVER (PARTITION BY run_id, coalesce(agent_id, '')) AS in_messages,
    max(CASE WHEN (role = 'usage' OR input_tokens IS NOT NULL) AND reported_usd IS NOT NULL THEN 1 ELSE 0 END)
      OVER (PARTITION BY run_id, coalesce(agent_id, '')) AS in_usage
  FROM reports
),
counted AS (
  SELECT *,
    max(CASE WHEN is_total AND NOT calls_told AND role = 'usage' THEN 1 ELSE 0 END)
      OVER (PARTITION BY run_id) AS has_totals,
    first_value("time") OVER (PARTITION BY run_id, is_total, answer ORDER BY sequence)
      AS first_time,
    min(sequence) OVER (PARTITION BY run_id, is_total, answer) AS first_sequence,
    row_number() OVER (PARTITION BY run_id, is_total, answer ORDER BY sequence DESC) AS place
  FROM told WHERE (role = 'usage' OR input_tokens IS NOT NULL) AND NOT is_of_model
),
priced AS (
  SELECT counted.*,
    CASE WHEN may_be_copied OR (imported AND everywhere IS NOT NULL) THEN model_call_id END AS work_id,
    CASE WHEN reported_usd IS NULL AND input_tokens IS NOT NULL AND output_tokens IS NOT NULL
      AND (in_messages = 0 OR in_usage = 1) THEN CAST(round((input_tokens * runlog_prices.input + output_tokens * runlog_prices.output + coalesce(cache_read_tokens, 0) * runlog_prices.cache_read + coalesce(cache_creation_tokens, 0) * runlog_prices.cache_creation + coalesce(for_an_hour, 0) * (2 * runlog_prices.input - runlog_prices.cache_creation))) / 1e6 AS DECIMAL(18, 6)) END AS estimated_usd
  FROM counted LEFT JOIN runlog_prices ON runlog_prices.name = CASE WHEN regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(lower(trim(counted.model)), '^.*/', ''), '^.*?anthropic\.', ''), '[@\[:].*$', ''), '-v[12]$', ''), '-latest$', ''), '-(?:[0-9]{8}|[0-9]{4}-[0-9]{2}-[0-9]{2})$', '') LIKE 'claude-%' THEN replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(lower(trim(counted.model)), '^.*/', ''), '^.*?anthropic\.', ''), '[@\[:].*$', ''), '-v[12]$', ''), '-latest$', ''), '-(?:[0-9]{8}|[0-9]{4}-[0-9]{2}-[0-9]{2})$', ''), '.', '-') ELSE regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(lower(trim(counted.model)), '^.*/', ''), '^.*?anthropic\.', ''), '[@\[:].*$', ''), '-v[12]$', ''), '-latest$', ''), '-(?:[0-9]{8}|[0-9]{4}-[0-9]{2}-[0-9]{2})$', '') END
  WHERE place = 1 AND NOT is_total
),
-- The runs of which another run tells everything.
told_elsewhere AS (
  SELECT DISTINCT told.run_id AS run_id
  FROM runlog_states AS told
  CROSS JOIN (SELECT copied_from AS copied FROM runlog_states
    WHERE copied_from LIKE '%"all_of_events"%') AS telling
  WHERE replace(copied, concat('"runs":["', told.run_id, '"],"all_of_events":',
    CAST(coalesce(told.head_sequence, 0) AS VARCHAR), ','), '') <> copied
),
asked AS (
  SELECT run_id, asked_by, count(*) AS calls,
    sum(CASE WHEN is_retry THEN 1 ELSE 0 END) AS retries,
    sum(CASE WHEN is_repeat THEN 1 ELSE 0 END) AS repeats
  FROM calls WHERE asked_by IS NOT NULL GROUP BY run_id, asked_by
),
model_calls AS (
  SELECT priced.run_id AS run_id, sequence, first_sequence, first_time, imported, session_id, task, agent_id,
    sub_agent, not_in_total, model, message_id, request_id,
    CASE WHEN coalesce(told_elsewhere.run_id, '') <> '' THEN false
      WHEN work_id IS NULL OR has_totals = 1 THEN true ELSE
      row_number() OVER (PARTITION BY work_id,
        coalesce(everywhere, request_id, history, CAST(first_time AS VARCHAR))
        ORDER BY CASE WHEN output_at_least THEN 1 ELSE 0 END,
          CASE WHEN output_at_least THEN coalesce(output_tokens, 0) ELSE 0 END DESC,
          recorded_at, priced.run_id) = 1
    END AS first_seen,
    is_of_several, input_tokens, output_tokens, output_at_least, cache_read_tokens, cache_creation_tokens,
    CASE WHEN NOT is_of_several THEN
      input_tokens + coalesce(cache_read_tokens, 0) + coalesce(cache_creation_tokens, 0)
    END AS context_tokens,
    coalesce(reported_usd, estimated_usd) AS cost_usd,
    estimated_usd IS NOT NULL AS cost_estimated,
    coalesce(asked.calls, 0) AS calls, coalesce(asked.retries, 0) AS retries,
    coalesce(asked.repeats, 0) AS repeats
  FROM priced
  LEFT JOIN asked ON asked.run_id = priced.run_id AND asked.asked_by = priced.first_sequence
  LEFT JOIN told_elsewhere ON told_elsewhere.run_id = priced.run_id
),
messages AS (
  SELECT told.run_id AS run_id, told.sequence AS sequence, told."time" AS "time",
    told.session_id AS session_id, told.task AS task, told.agent_id AS agent_id,
    coalesce(told.model, nullif(runlog_states.only_model, '')) AS model,
    coalesce(told_elsewhere.run_id, '') = '' AS first_seen, told.reported_usd AS cost_usd
  FROM told
  LEFT JOIN told_elsewhere ON told_elsewhere.run_id = told.run_id
  LEFT JOIN runlog_states ON runlog_states.run_id = told.run_id
  WHERE told.reported_usd IS NOT NULL AND told.role = 'message' AND told.input_tokens IS NULL
    AND told.in_usage = 0
),
known AS (
  SELECT run_id,
    sum(input_tokens) AS input_tokens,
    sum(output_tokens) AS output_tokens,
    sum(cache_read_tokens) AS cache_read_tokens,
    sum(cache_creation_tokens) AS cache_creation_tokens,
    sum(cost_usd) AS cost_usd
  FROM (
    SELECT run_id, input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens, cost_usd FROM model_calls
    UNION ALL SELECT run_id, NULL, NULL, NULL, NULL, cost_usd FROM messages
  ) AS told_so_far GROUP BY run_id
),
-- The newest totals of the models of each session.
session_totals AS (
  SELECT *,
    row_number() OVER (PARTITION BY run_id, session_id, model ORDER BY sequence DESC) AS place
  FROM reports
  WHERE is_of_model AND model IS NOT NULL AND (role = 'usage' OR input_tokens IS NOT NULL)
),
last_totals AS (
  SELECT run_id, session_id, max(sequence) AS last_total, max("time") AS last_time,
    max(CASE WHEN calls_told THEN sequence END) AS last_with_calls
  FROM reports WHERE is_total AND (role = 'usage' OR input_tokens IS NOT NULL)
  GROUP BY run_id, session_id
),
model_totals AS (
  SELECT session_totals.run_id AS run_id, session_totals.session_id AS session_id, model,
    input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens, reported_usd,
    CASE WHEN reported_usd IS NULL AND input_tokens IS NOT NULL AND output_tokens IS NOT NULL
      THEN CAST(round((input_tokens * runlog_prices.input + output_tokens * runlog_prices.output + coalesce(cache_read_tokens, 0) * runlog_prices.cache_read + coalesce(cache_creation_tokens, 0) * runlog_prices.cache_creation + coalesce(for_an_hour, 0) * (2 * runlog_prices.input - runlog_prices.cache_creation))) / 1e6 AS DECIMAL(18, 6)) END AS estimated_usd
  FROM session_totals
  JOIN last_totals ON last_totals.run_id = session_totals.run_id
    AND last_totals.session_id = session_totals.session_id
  LEFT JOIN runlog_prices ON runlog_prices.name = CASE WHEN regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(lower(trim(session_totals.model)), '^.*/', ''), '^.*?anthropic\.', ''), '[@\[:].*$', ''), '-v[12]$', ''), '-latest$', ''), '-(?:[0-9]{8}|[0-9]{4}-[0-9]{2}-[0-9]{2})$', '') LIKE 'claude-%' THEN replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(lower(trim(session_totals.model)), '^.*/', ''), '^.*?anthropic\.', ''), '[@\[:].*$', ''), '-v[12]$', ''), '-latest$', ''), '-(?:[0-9]{8}|[0-9]{4}-[0-9]{2}-[0-9]{2})$', ''), '.', '-') ELSE regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(lower(trim(session_totals.model)), '^.*/', ''), '^.*?anthropic\.', ''), '[@\[:].*$', ''), '-v[12]$', ''), '-latest$', ''), '-(?:[0-9]{8}|[0-9]{4}-[0-9]{2}-[0-9]{2})$', '') END
  WHERE place = 1 AND sequence > last_total
),
known_of_models AS (
  SELECT model_calls.run_id AS run_id, model_calls.session_id AS session_id,
    coalesce(model, '') AS model,
    sum(input_tokens) AS input_tokens,
    sum(output_tokens) AS output_tokens,
    sum(cache_read_tokens) AS cache_read_tokens,
    sum(cache_creation_tokens) AS cache_creation_tokens,
    sum(cost_usd) AS cost_usd, max(CASE WHEN cost_estimated THEN 1 ELSE 0 END) AS estimates,
    max(CASE WHEN cost_usd IS NULL OR cost_estimated THEN 0 ELSE 1 END) AS reports
  FROM model_calls
  JOIN last_totals ON last_totals.run_id = model_calls.run_id
    AND last_totals.session_id = model_calls.session_id
  WHERE NOT (imported AND first_sequence > last_total AND (first_time >= last_time
    OR ((sub_agent IS NULL OR not_in_total) AND coalesce(last_with_calls, 0) = last_total)))
  GROUP BY model_calls.run_id, model_calls.session_id, coalesce(model, '')
),
-- The sessions whose totals lack the model of one of their calls.
unfit AS (
  SELECT known_of_models.run_id AS run_id, known_of_models.session_id AS session_id,
    count(*) AS models
  FROM known_of_models
  LEFT JOIN model_totals ON model_totals.run_id = known_of_models.run_id
    AND model_totals.session_id = known_of_models.session_id
    AND model_totals.model = known_of_models.model
  WHERE coalesce(model_totals.run_id, '') = ''
  GROUP BY known_of_models.run_id, known_of_models.session_id
),
paired AS (
  SELECT model_totals.run_id AS run_id, model_totals.model AS model,
    coalesce(model_totals.input_tokens, known_of_models.input_tokens) AS total_input_tokens,
    known_of_models.input_tokens AS known_input_tokens,
    coalesce(model_totals.output_tokens, known_of_models.output_tokens) AS total_output_tokens,
    known_of_models.output_tokens AS known_output_tokens,
    coalesce(model_totals.cache_read_tokens, known_of_models.cache_read_tokens) AS total_cache_read_tokens,
    known_of_models.cache_read_tokens AS known_cache_read_tokens,
    coalesce(model_totals.cache_creation_tokens, known_of_models.cache_creation_tokens) AS total_cache_creation_tokens,
    known_of_models.cache_creation_tokens AS known_cache_creation_tokens,
    CASE WHEN reported_usd IS NOT NULL THEN reported_usd
      WHEN known_of_models.cost_usd IS NULL THEN estimated_usd
      WHEN estimated_usd IS NULL OR known_of_models.reports = 1 OR ((model_totals.input_tokens IS NULL OR model_totals.input_tokens = coalesce(known_of_models.input_tokens, 0)) AND (model_totals.output_tokens IS NULL OR model_totals.output_tokens = coalesce(known_of_models.output_tokens, 0)) AND (model_totals.cache_read_tokens IS NULL OR model_totals.cache_read_tokens = coalesce(known_of_models.cache_read_tokens, 0)) AND (model_totals.cache_creation_tokens IS NULL OR model_totals.cache_creation_tokens = coalesce(known_of_models.cache_creation_tokens, 0)))
      THEN known_of_models.cost_usd ELSE estimated_usd END AS total_cost_usd,
    known_of_models.cost_usd AS known_cost_usd,
    CASE WHEN reported_usd IS NOT NULL THEN 0
      WHEN known_of_models.cost_usd IS NULL
      THEN CASE WHEN estimated_usd IS NULL THEN 0 ELSE 1 END
      WHEN estimated_usd IS NULL OR known_of_models.reports = 1 OR ((model_totals.input_tokens IS NULL OR model_totals.input_tokens = coalesce(known_of_models.input_tokens, 0)) AND (model_totals.output_tokens IS NULL OR model_totals.output_tokens = coalesce(known_of_models.output_tokens, 0)) AND (model_totals.cache_read_tokens IS NULL OR model_totals.cache_read_tokens = coalesce(known_of_models.cache_read_tokens, 0)) AND (model_totals.cache_creation_tokens IS NULL OR model_totals.cache_creation_tokens = coalesce(known_of_models.cache_creation_tokens, 0)))
      THEN known_of_models.estimates ELSE 1 END AS is_estimated
  FROM model_totals
  LEFT JOIN known_of_models ON known_of_models.run_id = model_totals.run_id
    AND known_of_models.session_id = model_totals.session_id
    AND known_of_models.model = model_totals.model
  LEFT JOIN unfit ON unfit.run_id = model_totals.run_id
    AND unfit.session_id = model_totals.session_id
  WHERE coalesce(unfit.models, 0) = 0
),
beyond_of_models AS (
  SELECT run_id, model,
    nullif(coalesce(sum(total_input_tokens), 0) - coalesce(sum(known_input_tokens), 0), 0) AS input_tokens,
    nullif(coalesce(sum(total_output_tokens), 0) - coalesce(sum(known_output_tokens), 0), 0) AS output_tokens,
    nullif(coalesce(sum(total_cache_read_tokens), 0) - coalesce(sum(known_cache_read_tokens), 0), 0) AS cache_read_tokens,
    nullif(coalesce(sum(total_cache_creation_tokens), 0) - coalesce(sum(known_cache_creation_tokens), 0), 0) AS cache_creation_tokens,
    nullif(coalesce(sum(total_cost_usd), 0) - coalesce(sum(known_cost_usd), 0), 0) AS cost_usd,
    max(is_estimated) AS estimates
  FROM paired GROUP BY run_id, model
),
told_of_models AS (
  SELECT run_id,
    sum(input_tokens) AS input_tokens,
    sum(output_tokens) AS output_tokens,
    sum(cache_read_tokens) AS cache_read_tokens,
    sum(cache_creation_tokens) AS cache_creation_tokens, sum(cost_usd) AS cost_usd
  FROM beyond_of_models GROUP BY run_id
),
reported AS (SELECT run_id, max(sequence) AS last_report FROM reports GROUP BY run_id),
-- What run.json has beyond the calls, if it is as new as the last report.
beyond AS (
  SELECT runlog_states.run_id AS run_id, runlog_states.session_id AS session_id,
    coalesce(ended_at, began_at) AS "time", runlog_states.only_model AS model,
    nullif(coalesce(runlog_states.input_tokens, 0) - coalesce(known.input_tokens, 0) - coalesce(told_of_models.input_tokens, 0), 0) AS input_tokens,
    nullif(coalesce(runlog_states.output_tokens, 0) - coalesce(known.output_tokens, 0) - coalesce(told_of_models.output_tokens, 0), 0) AS output_tokens,
    nullif(coalesce(runlog_states.cache_read_tokens, 0) - coalesce(known.cache_read_tokens, 0) - coalesce(told_of_models.cache_read_tokens, 0), 0) AS cache_read_tokens,
    nullif(coalesce(runlog_states.cache_creation_tokens, 0) - coalesce(known.cache_creation_tokens, 0) - coalesce(told_of_models.cache_creation_tokens, 0), 0) AS cache_creation_tokens,
    CASE WHEN NOT runlog_states.cost_estimated OR prices_as_of = '2026-11' THEN nullif(coalesce(runlog_states.cost_usd, 0) - coalesce(known.cost_usd, 0) - coalesce(told_of_models.cost_usd, 0), 0) END AS cost_usd,
    runlog_states.cost_estimated AND nullif(coalesce(runlog_states.cost_usd, 0) - coalesce(known.cost_usd, 0) - coalesce(told_of_models.cost_usd, 0), 0) IS NOT NULL AS cost_estimated
  FROM runlog_states
  JOIN reported ON reported.run_id = runlog_states.run_id
  LEFT JOIN known ON known.run_id = runlog_states.run_id
  LEFT JOIN told_of_models ON told_of_models.run_id = runlog_states.run_id
  WHERE head_sequence >= last_report
  UNION ALL
  SELECT runlog_states.run_id, runlog_states.session_id, coalesce(ended_at, began_at),
    beyond_of_models.model, beyond_of_models.input_tokens,
    beyond_of_models.output_tokens,
    beyond_of_models.cache_read_tokens,
    beyond_of_models.cache_creation_tokens, beyond_of_models.cost_usd,
    estimates = 1 AND beyond_of_models.cost_usd IS NOT NULL
  FROM beyond_of_models
  JOIN runlog_states ON runlog_states.run_id = beyond_of_models.run_id
  JOIN reported ON reported.run_id = beyond_of_models.run_id
  WHERE head_sequence >= last_report
)
SELECT run_id, sequence, CASE WHEN is_of_several THEN 'calls' ELSE 'call' END AS kind, first_time AS "time", session_id, task, agent_id, model,
  message_id, request_id, first_seen, input_tokens, output_tokens, output_at_least,
  cache_read_tokens, cache_creation_tokens, context_tokens, cost_usd, cost_estimated,
  calls, retries, repeats
FROM model_calls
WHERE NOT is_of_several OR coalesce(cost_usd, 0) + coalesce(input_tokens, 0) + coalesce(output_tokens, 0) + coalesce(cache_read_tokens, 0) + coalesce(cache_creation_tokens, 0) > 0
UNION ALL
SELECT run_id, sequence, 'message', "time", session_id, task, agent_id, model, NULL, NULL,
  first_seen, NULL, NULL, false, NULL, NULL, NULL, cost_usd, false, 0, 0, 0
FROM messages
UNION ALL
SELECT beyond.run_id, NULL, 'total', "time", session_id, NULL, NULL, model, NULL, NULL,
  coalesce(told_elsewhere.run_id, '') = '',
  input_tokens, output_tokens, false, cache_read_tokens, cache_creation_tokens, NULL, cost_usd,
  cost_estimated, 0, 0, 0
FROM beyond LEFT JOIN told_elsewhere ON told_elsewhere.run_id = beyond.run_id
WHERE coalesce(input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens) IS NOT NULL
  OR cost_usd IS NOT NULL;

CREATE OR REPLACE VIEW runs AS
WITH recorded AS (
  SELECT run_id, count(*) AS events, min(recorded_at) AS recorded_at,
    max(sequence) AS head_sequence,
    sum(CASE WHEN role = 'task_start' AND actor = 'user' AND sub_agent IS NULL THEN 1 ELSE 0 END) AS prompts, sum(CASE WHEN severity = 'error' OR role IN ('error', 'tool_fail', 'rejected') THEN 1 ELSE 0 END) AS errors, sum(CASE WHEN severity = 'warning' THEN 1 ELSE 0 END) AS warnings,
    sum(CASE WHEN imported THEN 1 ELSE 0 END) > 0 AS imported,
    max(CASE WHEN role = 'note' AND coalesce((data->>'$.text'), (data->>'$.content'), (data->>'$.message'), (data->>'$.response'), (data->>'$.prompt'), (data->>'$.brief'), (data->>'$.title')) LIKE 'Pull request%' AND regexp_replace(regexp_extract(coalesce(coalesce((data->>'$.text'), (data->>'$.content'), (data->>'$.message'), (data->>'$.response'), (data->>'$.prompt'), (data->>'$.brief'), (data->>'$.title')), ''), '(https://[^\s"''<>)\]`\\]*?(?:/pull/|/merge_requests/|/pulls/|/pull-requests/)[^\s"''<>)\]`\\]*)', 1), '[.,]+$', '') <> ''
      THEN concat(lpad(CAST(sequence AS VARCHAR), 16, '0'), regexp_replace(regexp_extract(coalesce(coalesce((data->>'$.text'), (data->>'$.content'), (data->>'$.message'), (data->>'$.response'), (data->>'$.prompt'), (data->>'$.brief'), (data->>'$.title')), ''), '(https://[^\s"''<>)\]`\\]*?(?:/pull/|/merge_requests/|/pulls/|/pull-requests/)[^\s"''<>)\]`\\]*)', 1), '[.,]+$', '')) END) AS request
  FROM events GROUP BY run_id
),
tokens AS (
  SELECT run_id, sum(CASE WHEN kind IN ('call', 'calls') THEN 1 ELSE 0 END) AS model_calls,
    sum(input_tokens) AS input_tokens,
    sum(output_tokens) AS output_tokens,
    sum(cache_read_tokens) AS cache_read_tokens,
    sum(cache_creation_tokens) AS cache_creation_tokens,
    sum(cost_usd) AS cost_usd,
    max(CASE WHEN cost_estimated THEN 1 ELSE 0 END) = 1 AS cost_estimated
  FROM usage GROUP BY run_id
),
-- Files that events of their own say were changed.
changes AS (
  SELECT run_id, max(CASE WHEN CASE WHEN coalesce((data->>'$.path'), (data->>'$.file_path'), (data->>'$.content_path')) IS NOT NULL THEN coalesce((data->>'$.operation'), regexp_extract(event_type, '([^._]*)$', 1)) NOT IN ('read', 'accessed', 'access') ELSE coalesce(nullif(CAST(data->'$.added' AS VARCHAR), 'null'), '') LIKE '%"%' OR coalesce(nullif(CAST(data->'$.modified' AS VARCHAR), 'null'), '') LIKE '%"%' OR coalesce(nullif(CAST(data->'$.removed' AS VARCHAR), 'null'), '') LIKE '%"%' END THEN sequence END) AS last_change
  FROM events WHERE role = 'file' GROUP BY run_id
),
edited AS (
  SELECT calls.run_id AS run_id, sequence, end_sequence, kind, status, pull_request,
    coalesce(changes.last_change, 0) AS last_change,
    max(CASE WHEN kind = 'edit' AND status = 'completed' THEN end_sequence END)
      OVER (PARTITION BY calls.run_id) AS last_edit,
    max(CASE WHEN kind = 'test' AND status <> 'blocked' THEN sequence END) OVER (PARTITION BY calls.run_id) AS last_test
  FROM calls LEFT JOIN changes ON changes.run_id = calls.run_id
),
called AS (
  SELECT run_id, count(*) AS tool_calls, sum(CASE WHEN status = 'failed' THEN 1 ELSE 0 END) AS tool_failures, sum(CASE WHEN kind = 'edit' AND status = 'completed' THEN 1 ELSE 0 END) AS edits,
    sum(CASE WHEN kind = 'test' AND status <> 'blocked' THEN 1 ELSE 0 END) AS tests, sum(CASE WHEN kind = 'test' AND status <> 'blocked' AND sequence > coalesce(last_edit, 0) AND sequence > last_change THEN 1 ELSE 0 END) AS tests_after,
    max(CASE WHEN sequence = last_test THEN status END) AS last_test_status,
    max(CASE WHEN pull_request IS NOT NULL THEN concat(lpad(CAST(end_sequence AS VARCHAR), 16, '0'), pull_request) END) AS request
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
  coalesce(tokens.input_tokens, CASE WHEN state.input_tokens = 0 THEN 0 END) AS input_tokens,
  coalesce(tokens.output_tokens, CASE WHEN state.output_tokens = 0 THEN 0 END) AS output_tokens,
  coalesce(tokens.cache_read_tokens, CASE WHEN state.cache_read_tokens = 0 THEN 0 END) AS cache_read_tokens,
  coalesce(tokens.cache_creation_tokens, CASE WHEN state.cache_creation_tokens = 0 THEN 0 END) AS cache_creation_tokens,
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
LEFT JOIN changes ON changes.run_id = recorded.run_id;

CREATE OR REPLACE VIEW files AS
WITH given AS (
  SELECT run_id, sequence, call_id, time, agent_id, lower(tool) AS tool, kind, arguments,
    status = 'completed' AS applied,
    CASE WHEN arguments LIKE '%*** Begin Patch%' THEN
      list_filter(list_concat([arguments->>'$'], json_extract_string(arguments, '$.*'),
        json_extract_string(arguments, '$.*[*]')),
        lambda one: regexp_matches(one, '\*\*\* Begin Patch(.|\s)*\n\*\*\* (Add|Update|Delete) File: '))[1]
    END AS patch,
    CASE WHEN json_type(arguments, '$.changes') = 'OBJECT' THEN arguments->'$.changes' END AS changes,
    coalesce(CASE WHEN json_type(arguments, '$.file_path') = 'VARCHAR' THEN arguments->>'$.file_path' END, CASE WHEN json_type(arguments, '$.path') = 'VARCHAR' THEN arguments->>'$.path' END, CASE WHEN json_type(arguments, '$.filePath') = 'VARCHAR' THEN arguments->>'$.filePath' END, CASE WHEN json_type(arguments, '$.notebook_path') = 'VARCHAR' THEN arguments->>'$.notebook_path' END, CASE WHEN json_type(arguments, '$.filename') = 'VARCHAR' THEN arguments->>'$.filename' END, CASE WHEN json_type(arguments, '$.target_file') = 'VARCHAR' THEN arguments->>'$.target_file' END, CASE WHEN json_type(arguments, '$.file') = 'VARCHAR' THEN arguments->>'$.file' END) AS path
  FROM calls WHERE arguments IS NOT NULL
),
patched AS (
  SELECT *, unnest(regexp_extract_all(
    regexp_extract(patch, '(?s)\*\*\* Begin Patch(.*?)(?:\n\s*\*\*\* End Patch|$)', 1),
    '\n\*\*\* (?:Add|Update|Delete) File: [^\n]*(?:\n\*\*\* Move to: [^\n]*)?')) AS head
  FROM given WHERE patch IS NOT NULL
),
recorded AS (
  SELECT *, changes->('/' || replace(replace(file, '~', '~0'), '/', '~1')) AS change FROM (
    SELECT *, unnest(json_keys(changes)) AS file
    FROM given WHERE patch IS NULL AND changes IS NOT NULL
  ) AS keys
  UNION ALL
  SELECT * EXCLUDE (change), change->>'$.path' AS file, change FROM (
    SELECT *, unnest(json_extract(arguments, '$.changes[*]')) AS change
    FROM given WHERE patch IS NULL AND json_type(arguments, '$.changes') = 'ARRAY'
  ) AS listed
  WHERE change->>'$.path' IS NOT NULL
),
parts AS (
  SELECT *, coalesce(change->>'$.type', change->>'$.kind', '') AS word,
    coalesce(change->'$.update', change)->>'$.move_path' AS moved_to,
    coalesce(CASE WHEN json_type(change, '$.old_string') = 'VARCHAR' THEN change->>'$.old_string' END, CASE WHEN json_type(change, '$.old_str') = 'VARCHAR' THEN change->>'$.old_str' END, CASE WHEN json_type(change, '$.oldString') = 'VARCHAR' THEN change->>'$.oldString' END, CASE WHEN json_type(change, '$.oldText') = 'VARCHAR' THEN change->>'$.oldText' END, CASE WHEN json_type(change, '$.old_text') = 'VARCHAR' THEN change->>'$.old_text' END, CASE WHEN json_type(change, '$.old_source') = 'VARCHAR' THEN change->>'$.old_source' END) AS old_text, coalesce(CASE WHEN json_type(change, '$.new_string') = 'VARCHAR' THEN change->>'$.new_string' END, CASE WHEN json_type(change, '$.new_str') = 'VARCHAR' THEN change->>'$.new_str' END, CASE WHEN json_type(change, '$.newString') = 'VARCHAR' THEN change->>'$.newString' END, CASE WHEN json_type(change, '$.newText') = 'VARCHAR' THEN change->>'$.newText' END, CASE WHEN json_type(change, '$.new_text') = 'VARCHAR' THEN change->>'$.new_text' END, CASE WHEN json_type(change, '$.new_source') = 'VARCHAR' THEN change->>'$.new_source' END) AS new_text
  FROM recorded
),
unified AS (
  SELECT *, unnest(regexp_extract_all(text, '(?:^|\n)--- [^\n]*\n\+\+\+ [^\n]*')) AS head FROM (
    SELECT *, coalesce(CASE WHEN json_type(arguments, '$.patch') = 'VARCHAR' THEN arguments->>'$.patch' END, CASE WHEN json_type(arguments, '$.diff') = 'VARCHAR' THEN arguments->>'$.diff' END, CASE WHEN json_type(arguments, '$.unified_diff') = 'VARCHAR' THEN arguments->>'$.unified_diff' END) AS text FROM given
    WHERE patch IS NULL AND changes IS NULL AND path IS NULL
  ) AS texts
),
named AS (
  SELECT *, regexp_replace(trim(regexp_extract(head, '--- ([^\t\n]*)', 1)), '^[ab]/', '') AS old,
    regexp_replace(trim(regexp_extract(head, '\+\+\+ ([^\t\n]*)', 1)), '^[ab]/', '') AS new
  FROM unified
),
single AS (
  SELECT *,
    CASE
      WHEN coalesce(CASE WHEN json_type(arguments, '$.old_string') = 'VARCHAR' THEN arguments->>'$.old_string' END, CASE WHEN json_type(arguments, '$.old_str') = 'VARCHAR' THEN arguments->>'$.old_str' END, CASE WHEN json_type(arguments, '$.oldString') = 'VARCHAR' THEN arguments->>'$.oldString' END, CASE WHEN json_type(arguments, '$.oldText') = 'VARCHAR' THEN arguments->>'$.oldText' END, CASE WHEN json_type(arguments, '$.old_text') = 'VARCHAR' THEN arguments->>'$.old_text' END, CASE WHEN json_type(arguments, '$.old_source') = 'VARCHAR' THEN arguments->>'$.old_source' END, CASE WHEN json_type(arguments, '$.new_string') = 'VARCHAR' THEN arguments->>'$.new_string' END, CASE WHEN json_type(arguments, '$.new_str') = 'VARCHAR' THEN arguments->>'$.new_str' END, CASE WHEN json_type(arguments, '$.newString') = 'VARCHAR' THEN arguments->>'$.newString' END, CASE WHEN json_type(arguments, '$.newText') = 'VARCHAR' THEN arguments->>'$.newText' END, CASE WHEN json_type(arguments, '$.new_text') = 'VARCHAR' THEN arguments->>'$.new_text' END, CASE WHEN json_type(arguments, '$.new_source') = 'VARCHAR' THEN arguments->>'$.new_source' END) IS NOT NULL OR regexp_matches(coalesce(nullif(CAST(arguments->'$.edits' AS VARCHAR), 'null'), ''), '"(?:old_string|old_str|oldString|oldText|old_text|old_source|new_string|new_str|newString|newText|new_text|new_source)": ?"') OR coalesce(CASE WHEN json_type(arguments, '$.patch') = 'VARCHAR' THEN arguments->>'$.patch' END, CASE WHEN json_type(arguments, '$.diff') = 'VARCHAR' THEN arguments->>'$.diff' END, CASE WHEN json_type(arguments, '$.unified_diff') = 'VARCHAR' THEN arguments->>'$.unified_diff' END) IS NOT NULL THEN 'edited'
      WHEN coalesce(nullif(CAST(arguments->'$.content' AS VARCHAR), 'null'), nullif(CAST(arguments->'$.file_text' AS VARCHAR), 'null'), nullif(CAST(arguments->'$.contents' AS VARCHAR), 'null'), nullif(CAST(arguments->'$.text' AS VARCHAR), 'null')) IS NOT NULL AND regexp_matches(tool, 'write|create|edit|save') THEN
        CASE WHEN arguments->>'$.command' = 'create' OR tool LIKE '%create%' THEN 'created'
          ELSE 'written' END
    END AS change
  FROM given WHERE patch IS NULL AND changes IS NULL
),
touched AS (
  SELECT run_id, sequence, call_id, time, agent_id, applied,
    trim(regexp_extract(head, 'File: ([^\n]*)', 1)) AS path,
    CASE
      WHEN head LIKE '%*** Move to: %' THEN 'moved' WHEN head LIKE '_*** Add%' THEN 'created'
      WHEN head LIKE '_*** Delete%' THEN 'deleted' ELSE 'edited'
    END AS action
  FROM patched
  UNION ALL
  SELECT run_id, sequence, call_id, time, agent_id, applied,
    trim(regexp_extract(head, 'Move to: ([^\n]*)', 1)), 'edited'
  FROM patched WHERE head LIKE '%*** Move to: %'
  UNION ALL
  SELECT run_id, sequence, call_id, time, agent_id, applied, file,
    CASE
      WHEN new_text IS NOT NULL AND word IN ('', 'diff') THEN
        CASE WHEN old_text IS NULL THEN 'created' ELSE 'edited' END
      WHEN word = 'add' OR json_exists(change, '$.add') THEN 'created'
      WHEN word = 'delete' OR json_exists(change, '$.delete') THEN 'deleted'
      WHEN moved_to IS NOT NULL THEN 'moved' ELSE 'edited'
    END
  FROM parts
  WHERE word IN ('add', 'delete', 'update', 'diff') OR json_exists(change, '$.add')
    OR (word = '' AND new_text IS NOT NULL)
    OR json_exists(change, '$.delete') OR json_exists(change, '$.update')
  UNION ALL
  SELECT run_id, sequence, call_id, time, agent_id, applied, moved_to, 'edited'
  FROM parts
  WHERE moved_to IS NOT NULL AND (word = 'update' OR json_exists(change, '$.update'))
  UNION ALL
  SELECT run_id, sequence, call_id, time, agent_id, applied,
    CASE WHEN new = '/dev/null' THEN old ELSE new END,
    CASE WHEN new = '/dev/null' THEN 'deleted' WHEN old = '/dev/null' THEN 'created'
      ELSE 'edited' END
  FROM named
  UNION ALL
  SELECT run_id, sequence, call_id, time, agent_id, applied, path, change
  FROM single WHERE path IS NOT NULL AND change IS NOT NULL
  UNION ALL
  SELECT run_id, sequence, call_id, time, agent_id, applied, coalesce(CASE WHEN json_type(arguments, '$.file_path') = 'VARCHAR' THEN arguments->>'$.file_path' END, CASE WHEN json_type(arguments, '$.path') = 'VARCHAR' THEN arguments->>'$.path' END, CASE WHEN json_type(arguments, '$.notebook_path') = 'VARCHAR' THEN arguments->>'$.notebook_path' END),
    CASE kind WHEN 'read' THEN 'read' ELSE 'edited' END
  FROM single
  WHERE (path IS NULL OR change IS NULL) AND kind IN ('read', 'edit') AND coalesce(CASE WHEN json_type(arguments, '$.file_path') = 'VARCHAR' THEN arguments->>'$.file_path' END, CASE WHEN json_type(arguments, '$.path') = 'VARCHAR' THEN arguments->>'$.path' END, CASE WHEN json_type(arguments, '$.notebook_path') = 'VARCHAR' THEN arguments->>'$.notebook_path' END) IS NOT NULL
    AND NOT coalesce(regexp_matches(coalesce(CASE WHEN json_type(arguments, '$.patch') = 'VARCHAR' THEN arguments->>'$.patch' END, CASE WHEN json_type(arguments, '$.diff') = 'VARCHAR' THEN arguments->>'$.diff' END, CASE WHEN json_type(arguments, '$.unified_diff') = 'VARCHAR' THEN arguments->>'$.unified_diff' END), '(?:^|\n)--- [^\n]*\n\+\+\+ ') AND path IS NULL, false)
)
SELECT * FROM touched
UNION ALL
SELECT run_id, sequence, NULL AS call_id, time, agent_id, true AS applied, coalesce((data->>'$.path'), (data->>'$.file_path'), (data->>'$.content_path')) AS path,
  coalesce((data->>'$.operation'), regexp_extract(event_type, '([^._]*)$', 1)) AS action
FROM events WHERE role = 'file' AND coalesce((data->>'$.path'), (data->>'$.file_path'), (data->>'$.content_path')) IS NOT NULL
UNION ALL
SELECT run_id, sequence, NULL, time, agent_id, true,
  unnest(json_extract_string(data, '$.added[*]')), 'created'
FROM events WHERE role = 'file' AND coalesce((data->>'$.path'), (data->>'$.file_path'), (data->>'$.content_path')) IS NULL
UNION ALL
SELECT run_id, sequence, NULL, time, agent_id, true,
  unnest(json_extract_string(data, '$.modified[*]')), 'edited'
FROM events WHERE role = 'file' AND coalesce((data->>'$.path'), (data->>'$.file_path'), (data->>'$.content_path')) IS NULL
UNION ALL
SELECT run_id, sequence, NULL, time, agent_id, true,
  unnest(json_extract_string(data, '$.removed[*]')), 'deleted'
FROM events WHERE role = 'file' AND coalesce((data->>'$.path'), (data->>'$.file_path'), (data->>'$.content_path')) IS NULL;
