-- Views over the logs of runlog for ClickHouse, where the logs lie. Nothing is copied.
-- Load them:  clickhouse local --path DIR --multiquery < FILE
-- A server reads files only below its user_files_path: link the runs directory there and
-- change the path.
-- The views runs, calls, usage, events and files have the names and the columns of the exported
-- tables. They read events.jsonl, and run.json for what concludes a whole run: its status, times,
-- title, metadata, deliverables and error, and what a session's total adds to its model calls. That
-- is as old as the run's last lifecycle event; `runlog validate --fix` brings it up to date.
-- A run without run.json has no status.
-- They answer the ten questions in docs/queries, with the same SQL, except one: there is no table
-- files, so "which session touched this file?" has no answer here.
-- Not in the views: the tables files and findings, calls.spawned_by, model_call, model and error,
-- usage.work_key. `runlog export --to parquet` has them.
-- Differences: a bare id of a call that has several prefixed forms is a call of its own, and costs that
-- run.json estimates with an older price list count only in its calls. A copy of a run's directory
-- counts a second time.
-- Damaged lines and a last line that is being written are skipped. `runlog validate`
-- reports them.

-- Another session that asks needs this line too.
SET prefer_column_name_to_alias = 1, cast_keep_nullable = 1;

CREATE OR REPLACE VIEW runlog_events AS
SELECT *, _path AS log
FROM file('/srv/runs/*/events.jsonl', JSONEachRow,
  'event_id Nullable(String), sequence Nullable(Int64), run_id Nullable(String), session_id Nullable(String), task_id Nullable(String), type Nullable(String), timestamp Nullable(DateTime64(3, \'UTC\')), actor Nullable(String), severity Nullable(String), summary Nullable(String), data Nullable(String), correlation_id Nullable(String), parent_event_id Nullable(String), branch Nullable(String), prev_hash Nullable(String)')
WHERE run_id IS NOT NULL
  AND sequence IS NOT NULL AND event_id IS NOT NULL
SETTINGS input_format_skip_unknown_fields = 1, date_time_input_format = 'best_effort',
  input_format_json_read_objects_as_strings = 1, input_format_json_read_arrays_as_strings = 1,
  input_format_allow_errors_num = 1000000000;

CREATE OR REPLACE VIEW runlog_documents AS
SELECT *
FROM file('/srv/runs/*/run.json', JSONEachRow,
  'run_id Nullable(String), session_id Nullable(String), task_id Nullable(String), status Nullable(String), created_at Nullable(DateTime64(3, \'UTC\')), recorded_at Nullable(DateTime64(3, \'UTC\')), imported Nullable(Bool), started_at Nullable(DateTime64(3, \'UTC\')), ended_at Nullable(DateTime64(3, \'UTC\')), duration_ms Nullable(Int64), error Nullable(String), deliverables Nullable(String), metadata Nullable(String), models Nullable(String), prompt Nullable(String), counts Nullable(String), head Nullable(String)')
WHERE run_id IS NOT NULL
SETTINGS input_format_skip_unknown_fields = 1, date_time_input_format = 'best_effort',
  input_format_json_read_objects_as_strings = 1, input_format_json_read_arrays_as_strings = 1,
  input_format_allow_errors_num = 1000000000;

CREATE OR REPLACE VIEW runlog_prices AS
SELECT * FROM values('name String, input Nullable(Float64), output Nullable(Float64), cache_read Nullable(Float64), cache_creation Nullable(Float64)',
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
);

CREATE OR REPLACE VIEW runlog_states AS
SELECT run_id, session_id, task_id, status,
  status IN ('completed', 'failed', 'incomplete', 'cancelled', 'imported') AS is_over,
  recorded_at, started_at, ended_at, duration_ms,
  CASE
    WHEN started_at IS NOT NULL THEN started_at
    WHEN coalesce(imported, false) THEN NULL ELSE created_at
  END AS began_at,
  nullif(if(JSONType(ifNull(metadata, ''), 'agent') = 'String', toNullable(JSONExtractString(ifNull(metadata, ''), 'agent')), NULL), '') AS agent, nullif(if(JSONType(ifNull(metadata, ''), 'agent_version') = 'String', toNullable(JSONExtractString(ifNull(metadata, ''), 'agent_version')), NULL), '') AS agent_version, nullif(if(JSONType(ifNull(metadata, ''), 'model') = 'String', toNullable(JSONExtractString(ifNull(metadata, ''), 'model')), NULL), '') AS model, nullif(if(JSONType(ifNull(metadata, ''), 'cwd') = 'String', toNullable(JSONExtractString(ifNull(metadata, ''), 'cwd')), NULL), '') AS project,
  nullif(if(JSONType(ifNull(metadata, ''), 'git_branch') = 'String', toNullable(JSONExtractString(ifNull(metadata, ''), 'git_branch')), NULL), '') AS git_branch, coalesce(nullif(if(JSONType(ifNull(metadata, ''), 'title') = 'String', toNullable(JSONExtractString(ifNull(metadata, ''), 'title')), NULL), ''), prompt, nullif(if(JSONType(ifNull(metadata, ''), 'command') = 'String', toNullable(JSONExtractString(ifNull(metadata, ''), 'command')), NULL), '')) AS title,
  models, nullif(extract(ifNull(multiIf(JSONType(ifNull(models, '')) = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(models, '')) = 'String', JSONExtractString(ifNull(models, '')), JSONExtractRaw(ifNull(models, ''))), ''), '^\\[\\s*"((?:[^"\\\\]|\\\\.)*)"\\s*\\]$'), '') AS only_model, metadata,
  multiIf(JSONType(ifNull(deliverables, ''), 'status') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(deliverables, ''), 'status') = 'String', JSONExtractString(ifNull(deliverables, ''), 'status'), JSONExtractRaw(ifNull(deliverables, ''), 'status')) AS deliverables,
  coalesce(multiIf(JSONType(ifNull(error, ''), 'message') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(error, ''), 'message') = 'String', JSONExtractString(ifNull(error, ''), 'message'), JSONExtractRaw(ifNull(error, ''), 'message')), multiIf(JSONType(ifNull(error, '')) = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(error, '')) = 'String', JSONExtractString(ifNull(error, '')), JSONExtractRaw(ifNull(error, '')))) AS error,
  if(JSONType(ifNull(counts, ''), 'input_tokens') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(ifNull(counts, ''), 'input_tokens') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(ifNull(counts, ''), 'input_tokens') = floor(JSONExtractFloat(ifNull(counts, ''), 'input_tokens')), toNullable(toInt64(JSONExtractFloat(ifNull(counts, ''), 'input_tokens'))), NULL) AS input_tokens,
  if(JSONType(ifNull(counts, ''), 'output_tokens') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(ifNull(counts, ''), 'output_tokens') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(ifNull(counts, ''), 'output_tokens') = floor(JSONExtractFloat(ifNull(counts, ''), 'output_tokens')), toNullable(toInt64(JSONExtractFloat(ifNull(counts, ''), 'output_tokens'))), NULL) AS output_tokens,
  if(JSONType(ifNull(counts, ''), 'cache_read_tokens') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(ifNull(counts, ''), 'cache_read_tokens') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(ifNull(counts, ''), 'cache_read_tokens') = floor(JSONExtractFloat(ifNull(counts, ''), 'cache_read_tokens')), toNullable(toInt64(JSONExtractFloat(ifNull(counts, ''), 'cache_read_tokens'))), NULL) AS cache_read_tokens,
  if(JSONType(ifNull(counts, ''), 'cache_creation_tokens') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(ifNull(counts, ''), 'cache_creation_tokens') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(ifNull(counts, ''), 'cache_creation_tokens') = floor(JSONExtractFloat(ifNull(counts, ''), 'cache_creation_tokens')), toNullable(toInt64(JSONExtractFloat(ifNull(counts, ''), 'cache_creation_tokens'))), NULL) AS cache_creation_tokens,
  coalesce(multiIf(JSONType(ifNull(counts, ''), 'cost_estimated') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(counts, ''), 'cost_estimated') = 'String', JSONExtractString(ifNull(counts, ''), 'cost_estimated'), JSONExtractRaw(ifNull(counts, ''), 'cost_estimated')) = 'true', false) AS cost_estimated,
  if(JSONType(ifNull(counts, ''), 'uncosted_calls') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(ifNull(counts, ''), 'uncosted_calls') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(ifNull(counts, ''), 'uncosted_calls') = floor(JSONExtractFloat(ifNull(counts, ''), 'uncosted_calls')), toNullable(toInt64(JSONExtractFloat(ifNull(counts, ''), 'uncosted_calls'))), NULL) AS uncosted_calls,
  if(JSONType(ifNull(counts, ''), 'cost_usd') IN ('Int64', 'UInt64', 'Double') AND floor(JSONExtractFloat(ifNull(counts, ''), 'cost_usd') * 1e6 + 0.5) BETWEEN 0 AND 9007199254740991, toNullable(toDecimal64('0.000001', 6) * toInt64(floor(JSONExtractFloat(ifNull(counts, ''), 'cost_usd') * 1e6 + 0.5))), NULL) AS cost_usd, multiIf(JSONType(ifNull(counts, ''), 'prices_as_of') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(counts, ''), 'prices_as_of') = 'String', JSONExtractString(ifNull(counts, ''), 'prices_as_of'), JSONExtractRaw(ifNull(counts, ''), 'prices_as_of')) AS prices_as_of,
  if(JSONType(ifNull(head, ''), 'sequence') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(ifNull(head, ''), 'sequence') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(ifNull(head, ''), 'sequence') = floor(JSONExtractFloat(ifNull(head, ''), 'sequence')), toNullable(toInt64(JSONExtractFloat(ifNull(head, ''), 'sequence'))), NULL) AS head_sequence, multiIf(JSONType(ifNull(head, ''), 'hash') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(head, ''), 'hash') = 'String', JSONExtractString(ifNull(head, ''), 'hash'), JSONExtractRaw(ifNull(head, ''), 'hash')) AS head_hash,
  multiIf(JSONType(ifNull(counts, ''), 'copied', 'from') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(counts, ''), 'copied', 'from') = 'String', JSONExtractString(ifNull(counts, ''), 'copied', 'from'), JSONExtractRaw(ifNull(counts, ''), 'copied', 'from')) AS copied_from
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
    coalesce(multiIf(JSONType(ifNull(data, ''), 'output', 'status') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'output', 'status') = 'String', JSONExtractString(ifNull(data, ''), 'output', 'status'), JSONExtractRaw(ifNull(data, ''), 'output', 'status')) = 'denied', false) AS is_denied,
    ((multiIf(JSONType(ifNull(data, ''), 'error') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'error') = 'String', JSONExtractString(ifNull(data, ''), 'error'), JSONExtractRaw(ifNull(data, ''), 'error'))) IS NOT NULL OR (multiIf(JSONType(ifNull(data, ''), 'output', 'error') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'output', 'error') = 'String', JSONExtractString(ifNull(data, ''), 'output', 'error'), JSONExtractRaw(ifNull(data, ''), 'output', 'error'))) IS NOT NULL OR coalesce(multiIf(JSONType(ifNull(data, ''), 'is_error') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'is_error') = 'String', JSONExtractString(ifNull(data, ''), 'is_error'), JSONExtractRaw(ifNull(data, ''), 'is_error')) = 'true', false)) AS has_failed,
    coalesce(multiIf(JSONType(ifNull(data, ''), 'task_name') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'task_name') = 'String', JSONExtractString(ifNull(data, ''), 'task_name'), JSONExtractRaw(ifNull(data, ''), 'task_name')) = '__chapter__', false) AS is_chapter_task,
    CASE WHEN (CASE WHEN (if(JSONType(ifNull(data, ''), '_runlog') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(data, ''), '_runlog')))) IS NOT NULL THEN if(JSONType(ifNull(data, ''), '_runlog', 'dialect') = 'String', toNullable(JSONExtractString(ifNull(data, ''), '_runlog', 'dialect')), NULL) ELSE if(JSONType(ifNull(data, ''), 'dialect') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'dialect')), NULL) END) NOT IN ('aos', 'agex', 'gateway') THEN CASE WHEN multiIf(JSONType(ifNull(data, ''), 'agent_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'agent_id') = 'String', JSONExtractString(ifNull(data, ''), 'agent_id'), JSONExtractRaw(ifNull(data, ''), 'agent_id')) IN ('', 'REDACTED') OR multiIf(JSONType(ifNull(data, ''), 'agent_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'agent_id') = 'String', JSONExtractString(ifNull(data, ''), 'agent_id'), JSONExtractRaw(ifNull(data, ''), 'agent_id')) LIKE '[%]' OR multiIf(JSONType(ifNull(data, ''), 'agent_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'agent_id') = 'String', JSONExtractString(ifNull(data, ''), 'agent_id'), JSONExtractRaw(ifNull(data, ''), 'agent_id')) LIKE '<%>' THEN NULL ELSE multiIf(JSONType(ifNull(data, ''), 'agent_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'agent_id') = 'String', JSONExtractString(ifNull(data, ''), 'agent_id'), JSONExtractRaw(ifNull(data, ''), 'agent_id')) END END AS sub_agent,
    CASE WHEN type IN ('summary.backfilled') THEN multiIf(JSONType(ifNull(data, ''), 'target_event_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'target_event_id') = 'String', JSONExtractString(ifNull(data, ''), 'target_event_id'), JSONExtractRaw(ifNull(data, ''), 'target_event_id')) ELSE event_id END AS summarized
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
    min(CASE WHEN type_role = 'task_end' AND coalesce(multiIf(JSONType(ifNull(data, ''), 'task_name') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'task_name') = 'String', JSONExtractString(ifNull(data, ''), 'task_name'), JSONExtractRaw(ifNull(data, ''), 'task_name')) = '__chapter__', true)
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
    max(CASE WHEN sequence = last_backfill THEN multiIf(JSONType(ifNull(data, ''), 'summary') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'summary') = 'String', JSONExtractString(ifNull(data, ''), 'summary'), JSONExtractRaw(ifNull(data, ''), 'summary')) END)
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
  coalesce(CASE WHEN multiIf(JSONType(ifNull(data, ''), 'runId') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'runId') = 'String', JSONExtractString(ifNull(data, ''), 'runId'), JSONExtractRaw(ifNull(data, ''), 'runId')) IN ('', 'REDACTED') OR multiIf(JSONType(ifNull(data, ''), 'runId') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'runId') = 'String', JSONExtractString(ifNull(data, ''), 'runId'), JSONExtractRaw(ifNull(data, ''), 'runId')) LIKE '[%]' OR multiIf(JSONType(ifNull(data, ''), 'runId') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'runId') = 'String', JSONExtractString(ifNull(data, ''), 'runId'), JSONExtractRaw(ifNull(data, ''), 'runId')) LIKE '<%>' THEN NULL ELSE multiIf(JSONType(ifNull(data, ''), 'runId') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'runId') = 'String', JSONExtractString(ifNull(data, ''), 'runId'), JSONExtractRaw(ifNull(data, ''), 'runId')) END, CASE WHEN multiIf(JSONType(ifNull(data, ''), 'agentId') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'agentId') = 'String', JSONExtractString(ifNull(data, ''), 'agentId'), JSONExtractRaw(ifNull(data, ''), 'agentId')) IN ('', 'REDACTED') OR multiIf(JSONType(ifNull(data, ''), 'agentId') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'agentId') = 'String', JSONExtractString(ifNull(data, ''), 'agentId'), JSONExtractRaw(ifNull(data, ''), 'agentId')) LIKE '[%]' OR multiIf(JSONType(ifNull(data, ''), 'agentId') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'agentId') = 'String', JSONExtractString(ifNull(data, ''), 'agentId'), JSONExtractRaw(ifNull(data, ''), 'agentId')) LIKE '<%>' THEN NULL ELSE multiIf(JSONType(ifNull(data, ''), 'agentId') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'agentId') = 'String', JSONExtractString(ifNull(data, ''), 'agentId'), JSONExtractRaw(ifNull(data, ''), 'agentId')) END, CASE WHEN multiIf(JSONType(ifNull(data, ''), 'agent_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'agent_id') = 'String', JSONExtractString(ifNull(data, ''), 'agent_id'), JSONExtractRaw(ifNull(data, ''), 'agent_id')) IN ('', 'REDACTED') OR multiIf(JSONType(ifNull(data, ''), 'agent_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'agent_id') = 'String', JSONExtractString(ifNull(data, ''), 'agent_id'), JSONExtractRaw(ifNull(data, ''), 'agent_id')) LIKE '[%]' OR multiIf(JSONType(ifNull(data, ''), 'agent_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'agent_id') = 'String', JSONExtractString(ifNull(data, ''), 'agent_id'), JSONExtractRaw(ifNull(data, ''), 'agent_id')) LIKE '<%>' THEN NULL ELSE multiIf(JSONType(ifNull(data, ''), 'agent_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'agent_id') = 'String', JSONExtractString(ifNull(data, ''), 'agent_id'), JSONExtractRaw(ifNull(data, ''), 'agent_id')) END, CASE WHEN multiIf(JSONType(ifNull(data, ''), 'full_namespace') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'full_namespace') = 'String', JSONExtractString(ifNull(data, ''), 'full_namespace'), JSONExtractRaw(ifNull(data, ''), 'full_namespace')) IN ('', 'REDACTED') OR multiIf(JSONType(ifNull(data, ''), 'full_namespace') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'full_namespace') = 'String', JSONExtractString(ifNull(data, ''), 'full_namespace'), JSONExtractRaw(ifNull(data, ''), 'full_namespace')) LIKE '[%]' OR multiIf(JSONType(ifNull(data, ''), 'full_namespace') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'full_namespace') = 'String', JSONExtractString(ifNull(data, ''), 'full_namespace'), JSONExtractRaw(ifNull(data, ''), 'full_namespace')) LIKE '<%>' THEN NULL ELSE multiIf(JSONType(ifNull(data, ''), 'full_namespace') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'full_namespace') = 'String', JSONExtractString(ifNull(data, ''), 'full_namespace'), JSONExtractRaw(ifNull(data, ''), 'full_namespace')) END, CASE WHEN multiIf(JSONType(ifNull(data, ''), 'agent_name') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'agent_name') = 'String', JSONExtractString(ifNull(data, ''), 'agent_name'), JSONExtractRaw(ifNull(data, ''), 'agent_name')) IN ('', 'REDACTED') OR multiIf(JSONType(ifNull(data, ''), 'agent_name') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'agent_name') = 'String', JSONExtractString(ifNull(data, ''), 'agent_name'), JSONExtractRaw(ifNull(data, ''), 'agent_name')) LIKE '[%]' OR multiIf(JSONType(ifNull(data, ''), 'agent_name') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'agent_name') = 'String', JSONExtractString(ifNull(data, ''), 'agent_name'), JSONExtractRaw(ifNull(data, ''), 'agent_name')) LIKE '<%>' THEN NULL ELSE multiIf(JSONType(ifNull(data, ''), 'agent_name') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'agent_name') = 'String', JSONExtractString(ifNull(data, ''), 'agent_name'), JSONExtractRaw(ifNull(data, ''), 'agent_name')) END) AS agent_id,
  CASE
    WHEN type_role NOT IN ('tool_start', 'tool_end', 'tool_fail', 'tool_blocked') THEN NULL
    WHEN type LIKE 'repl!_%' ESCAPE '!' THEN 'repl'
    ELSE coalesce(coalesce(multiIf(JSONType(ifNull(data, ''), 'tool_name') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'tool_name') = 'String', JSONExtractString(ifNull(data, ''), 'tool_name'), JSONExtractRaw(ifNull(data, ''), 'tool_name')), multiIf(JSONType(ifNull(data, ''), 'tool') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'tool') = 'String', JSONExtractString(ifNull(data, ''), 'tool'), JSONExtractRaw(ifNull(data, ''), 'tool')), multiIf(JSONType(ifNull(data, ''), 'name') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'name') = 'String', JSONExtractString(ifNull(data, ''), 'name'), JSONExtractRaw(ifNull(data, ''), 'name'))), 'tool')
  END AS tool,
  CASE WHEN type_role <> 'backfill' THEN coalesce(new_summary, summary) ELSE summary END AS summary,
  data,
  (CASE WHEN (if(JSONType(ifNull(data, ''), '_runlog') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(data, ''), '_runlog')))) IS NOT NULL THEN if(JSONType(ifNull(data, ''), '_runlog', 'dialect') = 'String', toNullable(JSONExtractString(ifNull(data, ''), '_runlog', 'dialect')), NULL) ELSE if(JSONType(ifNull(data, ''), 'dialect') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'dialect')), NULL) END) IS NOT NULL AS imported,
  coalesce(coalesce(multiIf(JSONType(ifNull(data, ''), 'agentId') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'agentId') = 'String', JSONExtractString(ifNull(data, ''), 'agentId'), JSONExtractRaw(ifNull(data, ''), 'agentId')), multiIf(JSONType(ifNull(data, ''), 'agent_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'agent_id') = 'String', JSONExtractString(ifNull(data, ''), 'agent_id'), JSONExtractRaw(ifNull(data, ''), 'agent_id')), multiIf(JSONType(ifNull(data, ''), 'agent') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'agent') = 'String', JSONExtractString(ifNull(data, ''), 'agent'), JSONExtractRaw(ifNull(data, ''), 'agent')), multiIf(JSONType(ifNull(data, ''), 'childAgentId') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'childAgentId') = 'String', JSONExtractString(ifNull(data, ''), 'childAgentId'), JSONExtractRaw(ifNull(data, ''), 'childAgentId')), multiIf(JSONType(ifNull(data, ''), 'full_namespace') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'full_namespace') = 'String', JSONExtractString(ifNull(data, ''), 'full_namespace'), JSONExtractRaw(ifNull(data, ''), 'full_namespace')), multiIf(JSONType(ifNull(data, ''), 'agent_name') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'agent_name') = 'String', JSONExtractString(ifNull(data, ''), 'agent_name'), JSONExtractRaw(ifNull(data, ''), 'agent_name'))), actor) AS agent_name,
  recorded_at, sub_agent
FROM backfilled;

CREATE OR REPLACE VIEW calls AS
WITH rounds AS (
  SELECT run_id, sequence, event_id, "time", role, tool, agent_id, agent_name, task,
    recorded_at,
    CASE WHEN events.actor = 'agent' AND event_type IN ('tool_call', 'tool_result', 'repl_input', 'repl_output') THEN 'tool'
      ELSE events.actor END AS actor,
    imported AND (coalesce(CASE WHEN (if(JSONType(ifNull(data, ''), '_runlog') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(data, ''), '_runlog')))) IS NOT NULL THEN if(JSONType(ifNull(data, ''), '_runlog', 'time_origin') = 'String', toNullable(JSONExtractString(ifNull(data, ''), '_runlog', 'time_origin')), NULL) ELSE if(JSONType(ifNull(data, ''), 'time_origin') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'time_origin')), NULL) END, '') <> 'time_of_reading' OR multiIf(JSONType(ifNull(data, ''), 'history_place') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'history_place') = 'String', JSONExtractString(ifNull(data, ''), 'history_place'), JSONExtractRaw(ifNull(data, ''), 'history_place')) IS NOT NULL OR CASE WHEN (match(ifNull(coalesce(correlation_id, ''), ''), '(^|[_-])[A-Za-z0-9]{20,}$') AND match(ifNull(coalesce(correlation_id, ''), ''), '[0-9][A-Za-z]*[0-9][A-Za-z0-9]*$') AND match(ifNull(coalesce(correlation_id, ''), ''), '[a-z][A-Z0-9]*[a-z][A-Za-z0-9]*$')) OR match(ifNull(coalesce(correlation_id, ''), ''), '(^|[_-])[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$') THEN '' END IS NOT NULL) AS may_be_copied,
    coalesce(CASE WHEN (match(ifNull(coalesce(correlation_id, ''), ''), '(^|[_-])[A-Za-z0-9]{20,}$') AND match(ifNull(coalesce(correlation_id, ''), ''), '[0-9][A-Za-z]*[0-9][A-Za-z0-9]*$') AND match(ifNull(coalesce(correlation_id, ''), ''), '[a-z][A-Z0-9]*[a-z][A-Za-z0-9]*$')) OR match(ifNull(coalesce(correlation_id, ''), ''), '(^|[_-])[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$') THEN '' END, multiIf(JSONType(ifNull(data, ''), 'history_place') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'history_place') = 'String', JSONExtractString(ifNull(data, ''), 'history_place'), JSONExtractRaw(ifNull(data, ''), 'history_place'))) AS history, correlation_id,
    role IN ('tool_start', 'tool_end', 'tool_fail', 'tool_blocked') AS is_state,
    coalesce(if(JSONType(ifNull(data, ''), 'duration_ms') IN ('Int64', 'UInt64', 'Double') AND floor(JSONExtractFloat(ifNull(data, ''), 'duration_ms') + 0.5) BETWEEN 0 AND 9007199254740991, toNullable(toInt64(floor(JSONExtractFloat(ifNull(data, ''), 'duration_ms') + 0.5))), NULL), if(JSONType(ifNull(data, ''), 'durationMs') IN ('Int64', 'UInt64', 'Double') AND floor(JSONExtractFloat(ifNull(data, ''), 'durationMs') + 0.5) BETWEEN 0 AND 9007199254740991, toNullable(toInt64(floor(JSONExtractFloat(ifNull(data, ''), 'durationMs') + 0.5))), NULL)) AS own_duration, coalesce(multiIf(JSONType(ifNull(data, ''), 'exit_code') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'exit_code') = 'String', JSONExtractString(ifNull(data, ''), 'exit_code'), JSONExtractRaw(ifNull(data, ''), 'exit_code')), multiIf(JSONType(ifNull(data, ''), 'exitCode') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'exitCode') = 'String', JSONExtractString(ifNull(data, ''), 'exitCode'), JSONExtractRaw(ifNull(data, ''), 'exitCode'))) AS exit_status, multiIf(JSONType(ifNull(data, ''), 'runId') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'runId') = 'String', JSONExtractString(ifNull(data, ''), 'runId'), JSONExtractRaw(ifNull(data, ''), 'runId')) AS run_ref,
    CASE WHEN coalesce(CASE WHEN (if(JSONType(ifNull(data, ''), '_runlog') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(data, ''), '_runlog')))) IS NOT NULL THEN if(JSONType(ifNull(data, ''), '_runlog', 'time_origin') = 'String', toNullable(JSONExtractString(ifNull(data, ''), '_runlog', 'time_origin')), NULL) ELSE if(JSONType(ifNull(data, ''), 'time_origin') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'time_origin')), NULL) END, '') <> 'time_of_reading' THEN 0 ELSE 1 END AS is_read,
    CASE WHEN role = 'tool_start' THEN coalesce(CASE WHEN if(JSONType(ifNull(data, ''), 'message_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'message_id')), NULL) IN ('', 'REDACTED') OR if(JSONType(ifNull(data, ''), 'message_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'message_id')), NULL) LIKE '[%]' OR if(JSONType(ifNull(data, ''), 'message_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'message_id')), NULL) LIKE '<%>' THEN NULL ELSE if(JSONType(ifNull(data, ''), 'message_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'message_id')), NULL) END, CASE WHEN if(JSONType(ifNull(data, ''), 'request_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'request_id')), NULL) IN ('', 'REDACTED') OR if(JSONType(ifNull(data, ''), 'request_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'request_id')), NULL) LIKE '[%]' OR if(JSONType(ifNull(data, ''), 'request_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'request_id')), NULL) LIKE '<%>' THEN NULL ELSE if(JSONType(ifNull(data, ''), 'request_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'request_id')), NULL) END) END AS response,
    CASE WHEN role IN ('tool_start', 'tool_end', 'tool_fail', 'tool_blocked') THEN coalesce(if(JSONType(ifNull(data, ''), 'args_summary') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(data, ''), 'args_summary'))), if(JSONType(ifNull(data, ''), 'args') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(data, ''), 'args'))), if(JSONType(ifNull(data, ''), 'input') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(data, ''), 'input'))), if(JSONType(ifNull(data, ''), 'arguments') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(data, ''), 'arguments'))), if(JSONType(ifNull(data, ''), 'tool_input') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(data, ''), 'tool_input'))), if(JSONType(ifNull(data, ''), 'params') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(data, ''), 'params'))), if(JSONType(ifNull(data, ''), 'inputs') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(data, ''), 'inputs'))), if(JSONType(ifNull(data, ''), 'code') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(data, ''), 'code'))), if(JSONType(ifNull(data, ''), 'terminal') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(data, ''), 'terminal'))), if(JSONType(ifNull(data, ''), 'command') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(data, ''), 'command')))) END AS arguments,
    CASE WHEN role IN ('tool_end', 'tool_fail', 'tool_blocked') THEN coalesce(coalesce(if(JSONType(ifNull(data, ''), 'result_summary') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(data, ''), 'result_summary'))), if(JSONType(ifNull(data, ''), 'result') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(data, ''), 'result'))), if(JSONType(ifNull(data, ''), 'output') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(data, ''), 'output'))), if(JSONType(ifNull(data, ''), 'tool_response') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(data, ''), 'tool_response'))), if(JSONType(ifNull(data, ''), 'stdout') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(data, ''), 'stdout'))), if(JSONType(ifNull(data, ''), 'parts') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(data, ''), 'parts'))), if(JSONType(ifNull(data, ''), 'final_text') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(data, ''), 'final_text')))), CASE WHEN role <> 'tool_end' THEN coalesce(if(JSONType(ifNull(data, ''), 'error', 'message') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(data, ''), 'error', 'message'))), if(JSONType(ifNull(data, ''), 'error') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(data, ''), 'error'))), if(JSONType(ifNull(data, ''), 'reason') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(data, ''), 'reason'))), if(JSONType(ifNull(data, ''), 'stderr') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(data, ''), 'stderr')))) END) END AS wrapped_result,
    CASE WHEN coalesce(correlation_id, coalesce(multiIf(JSONType(ifNull(data, ''), 'call_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'call_id') = 'String', JSONExtractString(ifNull(data, ''), 'call_id'), JSONExtractRaw(ifNull(data, ''), 'call_id')), multiIf(JSONType(ifNull(data, ''), 'toolCallId') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'toolCallId') = 'String', JSONExtractString(ifNull(data, ''), 'toolCallId'), JSONExtractRaw(ifNull(data, ''), 'toolCallId')), multiIf(JSONType(ifNull(data, ''), 'tool_use_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'tool_use_id') = 'String', JSONExtractString(ifNull(data, ''), 'tool_use_id'), JSONExtractRaw(ifNull(data, ''), 'tool_use_id')), multiIf(JSONType(ifNull(data, ''), 'id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'id') = 'String', JSONExtractString(ifNull(data, ''), 'id'), JSONExtractRaw(ifNull(data, ''), 'id')))) IN ('', 'REDACTED') OR coalesce(correlation_id, coalesce(multiIf(JSONType(ifNull(data, ''), 'call_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'call_id') = 'String', JSONExtractString(ifNull(data, ''), 'call_id'), JSONExtractRaw(ifNull(data, ''), 'call_id')), multiIf(JSONType(ifNull(data, ''), 'toolCallId') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'toolCallId') = 'String', JSONExtractString(ifNull(data, ''), 'toolCallId'), JSONExtractRaw(ifNull(data, ''), 'toolCallId')), multiIf(JSONType(ifNull(data, ''), 'tool_use_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'tool_use_id') = 'String', JSONExtractString(ifNull(data, ''), 'tool_use_id'), JSONExtractRaw(ifNull(data, ''), 'tool_use_id')), multiIf(JSONType(ifNull(data, ''), 'id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'id') = 'String', JSONExtractString(ifNull(data, ''), 'id'), JSONExtractRaw(ifNull(data, ''), 'id')))) LIKE '[%]' OR coalesce(correlation_id, coalesce(multiIf(JSONType(ifNull(data, ''), 'call_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'call_id') = 'String', JSONExtractString(ifNull(data, ''), 'call_id'), JSONExtractRaw(ifNull(data, ''), 'call_id')), multiIf(JSONType(ifNull(data, ''), 'toolCallId') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'toolCallId') = 'String', JSONExtractString(ifNull(data, ''), 'toolCallId'), JSONExtractRaw(ifNull(data, ''), 'toolCallId')), multiIf(JSONType(ifNull(data, ''), 'tool_use_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'tool_use_id') = 'String', JSONExtractString(ifNull(data, ''), 'tool_use_id'), JSONExtractRaw(ifNull(data, ''), 'tool_use_id')), multiIf(JSONType(ifNull(data, ''), 'id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'id') = 'String', JSONExtractString(ifNull(data, ''), 'id'), JSONExtractRaw(ifNull(data, ''), 'id')))) LIKE '<%>' THEN NULL ELSE coalesce(correlation_id, coalesce(multiIf(JSONType(ifNull(data, ''), 'call_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'call_id') = 'String', JSONExtractString(ifNull(data, ''), 'call_id'), JSONExtractRaw(ifNull(data, ''), 'call_id')), multiIf(JSONType(ifNull(data, ''), 'toolCallId') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'toolCallId') = 'String', JSONExtractString(ifNull(data, ''), 'toolCallId'), JSONExtractRaw(ifNull(data, ''), 'toolCallId')), multiIf(JSONType(ifNull(data, ''), 'tool_use_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'tool_use_id') = 'String', JSONExtractString(ifNull(data, ''), 'tool_use_id'), JSONExtractRaw(ifNull(data, ''), 'tool_use_id')), multiIf(JSONType(ifNull(data, ''), 'id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'id') = 'String', JSONExtractString(ifNull(data, ''), 'id'), JSONExtractRaw(ifNull(data, ''), 'id')))) END AS given_id,
    CASE WHEN (role = 'usage' OR (role = 'message' AND (coalesce(if(JSONType(ifNull(data, ''), 'input_tokens') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(ifNull(data, ''), 'input_tokens') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(ifNull(data, ''), 'input_tokens') = floor(JSONExtractFloat(ifNull(data, ''), 'input_tokens')), toNullable(toInt64(JSONExtractFloat(ifNull(data, ''), 'input_tokens'))), NULL), if(JSONType(ifNull(data, ''), 'inputTokens') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(ifNull(data, ''), 'inputTokens') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(ifNull(data, ''), 'inputTokens') = floor(JSONExtractFloat(ifNull(data, ''), 'inputTokens')), toNullable(toInt64(JSONExtractFloat(ifNull(data, ''), 'inputTokens'))), NULL), if(JSONType(ifNull(data, ''), 'tokensIn') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(ifNull(data, ''), 'tokensIn') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(ifNull(data, ''), 'tokensIn') = floor(JSONExtractFloat(ifNull(data, ''), 'tokensIn')), toNullable(toInt64(JSONExtractFloat(ifNull(data, ''), 'tokensIn'))), NULL))) IS NOT NULL))
      AND coalesce(multiIf(JSONType(ifNull(data, ''), 'scope') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'scope') = 'String', JSONExtractString(ifNull(data, ''), 'scope'), JSONExtractRaw(ifNull(data, ''), 'scope')) <> 'total', true) THEN coalesce(CASE WHEN if(JSONType(ifNull(data, ''), 'message_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'message_id')), NULL) IN ('', 'REDACTED') OR if(JSONType(ifNull(data, ''), 'message_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'message_id')), NULL) LIKE '[%]' OR if(JSONType(ifNull(data, ''), 'message_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'message_id')), NULL) LIKE '<%>' THEN NULL ELSE if(JSONType(ifNull(data, ''), 'message_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'message_id')), NULL) END, CASE WHEN if(JSONType(ifNull(data, ''), 'request_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'request_id')), NULL) IN ('', 'REDACTED') OR if(JSONType(ifNull(data, ''), 'request_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'request_id')), NULL) LIKE '[%]' OR if(JSONType(ifNull(data, ''), 'request_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'request_id')), NULL) LIKE '<%>' THEN NULL ELSE if(JSONType(ifNull(data, ''), 'request_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'request_id')), NULL) END, concat('#', CAST(sequence AS VARCHAR))) END AS answer
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
    coalesce(replaceRegexpOne(given_id, '^.*/', ''), event_id) AS id_end
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
      WHEN end_time > restarted_at OR (end_time = restarted_at AND end_is_read = 0) THEN toUnixTimestamp64Milli(end_time) - toUnixTimestamp64Milli(restarted_at)
    END AS duration_ms,
    multiIf(JSONType(ifNull(coalesce(if(JSONType(ifNull(arguments, ''), 'command') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(arguments, ''), 'command'))), if(JSONType(ifNull(arguments, ''), 'cmd') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(arguments, ''), 'cmd')))), '')) = 'String', toNullable(JSONExtractString(ifNull(coalesce(if(JSONType(ifNull(arguments, ''), 'command') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(arguments, ''), 'command'))), if(JSONType(ifNull(arguments, ''), 'cmd') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(arguments, ''), 'cmd')))), ''))),
      JSONHas(ifNull(coalesce(if(JSONType(ifNull(arguments, ''), 'command') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(arguments, ''), 'command'))), if(JSONType(ifNull(arguments, ''), 'cmd') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(arguments, ''), 'cmd')))), ''), '$blob'), toNullable(JSONExtractString(ifNull(coalesce(if(JSONType(ifNull(arguments, ''), 'command') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(arguments, ''), 'command'))), if(JSONType(ifNull(arguments, ''), 'cmd') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(arguments, ''), 'cmd')))), ''), 'head')),
      JSONType(ifNull(coalesce(if(JSONType(ifNull(arguments, ''), 'command') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(arguments, ''), 'command'))), if(JSONType(ifNull(arguments, ''), 'cmd') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(arguments, ''), 'cmd')))), '')) <> 'Array' OR length(arrayMap(word -> multiIf(JSONType(word) = 'String', JSONExtractString(word), JSONHas(word, '$blob'), JSONExtractString(word, 'head'), word), JSONExtractArrayRaw(ifNull(coalesce(if(JSONType(ifNull(arguments, ''), 'command') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(arguments, ''), 'command'))), if(JSONType(ifNull(arguments, ''), 'cmd') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(arguments, ''), 'cmd')))), '')))) = 0, NULL,
      length(arrayMap(word -> multiIf(JSONType(word) = 'String', JSONExtractString(word), JSONHas(word, '$blob'), JSONExtractString(word, 'head'), word), JSONExtractArrayRaw(ifNull(coalesce(if(JSONType(ifNull(arguments, ''), 'command') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(arguments, ''), 'command'))), if(JSONType(ifNull(arguments, ''), 'cmd') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(arguments, ''), 'cmd')))), '')))) = 3 AND arrayMap(word -> multiIf(JSONType(word) = 'String', JSONExtractString(word), JSONHas(word, '$blob'), JSONExtractString(word, 'head'), word), JSONExtractArrayRaw(ifNull(coalesce(if(JSONType(ifNull(arguments, ''), 'command') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(arguments, ''), 'command'))), if(JSONType(ifNull(arguments, ''), 'cmd') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(arguments, ''), 'cmd')))), '')))[1] LIKE '%sh' AND arrayMap(word -> multiIf(JSONType(word) = 'String', JSONExtractString(word), JSONHas(word, '$blob'), JSONExtractString(word, 'head'), word), JSONExtractArrayRaw(ifNull(coalesce(if(JSONType(ifNull(arguments, ''), 'command') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(arguments, ''), 'command'))), if(JSONType(ifNull(arguments, ''), 'cmd') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(arguments, ''), 'cmd')))), '')))[2] LIKE '-%', arrayMap(word -> multiIf(JSONType(word) = 'String', JSONExtractString(word), JSONHas(word, '$blob'), JSONExtractString(word, 'head'), word), JSONExtractArrayRaw(ifNull(coalesce(if(JSONType(ifNull(arguments, ''), 'command') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(arguments, ''), 'command'))), if(JSONType(ifNull(arguments, ''), 'cmd') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(arguments, ''), 'cmd')))), '')))[3],
      arrayStringConcat(arrayMap(word -> multiIf(JSONType(word) = 'String', JSONExtractString(word), JSONHas(word, '$blob'), JSONExtractString(word, 'head'), word), JSONExtractArrayRaw(ifNull(coalesce(if(JSONType(ifNull(arguments, ''), 'command') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(arguments, ''), 'command'))), if(JSONType(ifNull(arguments, ''), 'cmd') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(arguments, ''), 'cmd')))), ''))), ' ')) AS command,
    coalesce(if(JSONType(ifNull(wrapped, ''), 'result') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(wrapped, ''), 'result'))), wrapped) AS result
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
    WHEN (match(ifNull(coalesce(arguments, ''), ''), '\\*\\*\\* Begin Patch(?:.|\\s)*\\\\n\\*\\*\\* (?:Add|Update|Delete) File: ') OR match(ifNull(coalesce(if(JSONType(ifNull(arguments, ''), 'changes') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(arguments, ''), 'changes'))), ''), ''), '"(?:type|kind)": ?"(?:add|delete|update)"|"(?:add|delete|update)": ?[{\\["ntf0-9-]') OR match(ifNull(coalesce(if(JSONType(ifNull(arguments, ''), 'changes') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(arguments, ''), 'changes'))), ''), ''), '"(?:new_string|new_str|newString|newText|new_text|new_source)": ?"') OR (coalesce(if(JSONType(ifNull(arguments, ''), 'file_path') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'file_path')), NULL), if(JSONType(ifNull(arguments, ''), 'path') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'path')), NULL), if(JSONType(ifNull(arguments, ''), 'filePath') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'filePath')), NULL), if(JSONType(ifNull(arguments, ''), 'notebook_path') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'notebook_path')), NULL), if(JSONType(ifNull(arguments, ''), 'filename') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'filename')), NULL), if(JSONType(ifNull(arguments, ''), 'target_file') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'target_file')), NULL), if(JSONType(ifNull(arguments, ''), 'file') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'file')), NULL)) IS NOT NULL AND (coalesce(if(JSONType(ifNull(arguments, ''), 'old_string') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'old_string')), NULL), if(JSONType(ifNull(arguments, ''), 'old_str') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'old_str')), NULL), if(JSONType(ifNull(arguments, ''), 'oldString') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'oldString')), NULL), if(JSONType(ifNull(arguments, ''), 'oldText') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'oldText')), NULL), if(JSONType(ifNull(arguments, ''), 'old_text') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'old_text')), NULL), if(JSONType(ifNull(arguments, ''), 'old_source') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'old_source')), NULL), if(JSONType(ifNull(arguments, ''), 'new_string') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'new_string')), NULL), if(JSONType(ifNull(arguments, ''), 'new_str') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'new_str')), NULL), if(JSONType(ifNull(arguments, ''), 'newString') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'newString')), NULL), if(JSONType(ifNull(arguments, ''), 'newText') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'newText')), NULL), if(JSONType(ifNull(arguments, ''), 'new_text') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'new_text')), NULL), if(JSONType(ifNull(arguments, ''), 'new_source') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'new_source')), NULL)) IS NOT NULL OR match(ifNull(coalesce(if(JSONType(ifNull(arguments, ''), 'edits') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(arguments, ''), 'edits'))), ''), ''), '"(?:old_string|old_str|oldString|oldText|old_text|old_source|new_string|new_str|newString|newText|new_text|new_source)": ?"') OR coalesce(if(JSONType(ifNull(arguments, ''), 'patch') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'patch')), NULL), if(JSONType(ifNull(arguments, ''), 'diff') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'diff')), NULL), if(JSONType(ifNull(arguments, ''), 'unified_diff') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'unified_diff')), NULL)) IS NOT NULL OR (coalesce(if(JSONType(ifNull(arguments, ''), 'content') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'content')), NULL), if(JSONType(ifNull(arguments, ''), 'file_text') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'file_text')), NULL), if(JSONType(ifNull(arguments, ''), 'contents') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'contents')), NULL), if(JSONType(ifNull(arguments, ''), 'text') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'text')), NULL)) IS NOT NULL AND match(ifNull(lower(tool), ''), 'write|create|edit|save')))) OR (NOT coalesce(if(JSONType(ifNull(arguments, ''), 'file_path') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'file_path')), NULL), if(JSONType(ifNull(arguments, ''), 'path') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'path')), NULL), if(JSONType(ifNull(arguments, ''), 'filePath') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'filePath')), NULL), if(JSONType(ifNull(arguments, ''), 'notebook_path') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'notebook_path')), NULL), if(JSONType(ifNull(arguments, ''), 'filename') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'filename')), NULL), if(JSONType(ifNull(arguments, ''), 'target_file') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'target_file')), NULL), if(JSONType(ifNull(arguments, ''), 'file') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'file')), NULL)) IS NOT NULL AND match(ifNull(coalesce(coalesce(if(JSONType(ifNull(arguments, ''), 'patch') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'patch')), NULL), if(JSONType(ifNull(arguments, ''), 'diff') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'diff')), NULL), if(JSONType(ifNull(arguments, ''), 'unified_diff') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'unified_diff')), NULL)), ''), ''), '(?:^|\\n)--- [^\\n]*\\n\\+\\+\\+ '))) THEN 'edit'
    WHEN command IS NOT NULL AND NOT command IN ('view', 'create', 'str_replace', 'insert', 'undo_edit') AND match(ifNull(command, ''), '(?:^|[\\n;&|()])[ \\t\\r]*(?:(?:[A-Za-z0-9_]+=[^\\s;&|()]*|npx|bunx|pnpm[ \\t\\r]+exec|yarn[ \\t\\r]+exec|uv[ \\t\\r]+run|poetry[ \\t\\r]+run|pipenv[ \\t\\r]+run|hatch[ \\t\\r]+run|bundle[ \\t\\r]+exec|sudo|time|env|nice|xvfb-run)[ \\t\\r]+)*(?:(?:[^\\s;&|()]*/)?pytest|(?:[^\\s;&|()]*/)?py\\.test|(?:[^\\s;&|()]*/)?python[ \\t\\r]+-m(?::[^\\s;&|()]*)?[ \\t\\r]+pytest(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?python3[ \\t\\r]+-m(?::[^\\s;&|()]*)?[ \\t\\r]+pytest(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?python[ \\t\\r]+-m(?::[^\\s;&|()]*)?[ \\t\\r]+unittest(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?python3[ \\t\\r]+-m(?::[^\\s;&|()]*)?[ \\t\\r]+unittest(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?python[ \\t\\r]+manage\\.py(?::[^\\s;&|()]*)?[ \\t\\r]+test(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?tox|(?:[^\\s;&|()]*/)?nox|(?:[^\\s;&|()]*/)?cargo[ \\t\\r]+test(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?cargo[ \\t\\r]+nextest(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?go[ \\t\\r]+test(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?npm[ \\t\\r]+test(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?npm[ \\t\\r]+t(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?npm[ \\t\\r]+run(?::[^\\s;&|()]*)?[ \\t\\r]+test(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?pnpm[ \\t\\r]+test(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?pnpm[ \\t\\r]+run(?::[^\\s;&|()]*)?[ \\t\\r]+test(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?yarn[ \\t\\r]+test(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?yarn[ \\t\\r]+run(?::[^\\s;&|()]*)?[ \\t\\r]+test(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?bun[ \\t\\r]+test(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?bun[ \\t\\r]+run(?::[^\\s;&|()]*)?[ \\t\\r]+test(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?deno[ \\t\\r]+test(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?node[ \\t\\r]+--test(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?jest|(?:[^\\s;&|()]*/)?vitest|(?:[^\\s;&|()]*/)?mocha|(?:[^\\s;&|()]*/)?ava|(?:[^\\s;&|()]*/)?playwright[ \\t\\r]+test(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?cypress[ \\t\\r]+run(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?make[ \\t\\r]+test(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?make[ \\t\\r]+check(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?ctest|(?:[^\\s;&|()]*/)?bazel[ \\t\\r]+test(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?mvn[ \\t\\r]+test(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?mvn[ \\t\\r]+verify(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?gradle[ \\t\\r]+test(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?gradle[ \\t\\r]+check(?::[^\\s;&|()]*)?|\\./gradlew[ \\t\\r]+test(?::[^\\s;&|()]*)?|\\./gradlew[ \\t\\r]+check(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?dotnet[ \\t\\r]+test(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?swift[ \\t\\r]+test(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?rspec|(?:[^\\s;&|()]*/)?rake[ \\t\\r]+test(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?rails[ \\t\\r]+test(?::[^\\s;&|()]*)?|bin/rails[ \\t\\r]+test(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?phpunit|vendor/bin/phpunit|(?:[^\\s;&|()]*/)?pest|(?:[^\\s;&|()]*/)?mix[ \\t\\r]+test(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?sbt[ \\t\\r]+test(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?lein[ \\t\\r]+test(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?stack[ \\t\\r]+test(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?cabal[ \\t\\r]+test(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?zig[ \\t\\r]+build(?::[^\\s;&|()]*)?[ \\t\\r]+test(?::[^\\s;&|()]*)?|(?:[^\\s;&|()]*/)?prove|(?:[^\\s;&|()]*/)?bats)(?:[\\s;&|()]|$)') THEN 'test'
    WHEN command IS NOT NULL AND NOT command IN ('view', 'create', 'str_replace', 'insert', 'undo_edit') THEN 'command'
    WHEN command = 'view' THEN 'read'
    WHEN command IS NOT NULL THEN 'edit'
    WHEN match(ifNull(lower(tool), ''), 'websearch|web_search|webfetch|web_fetch|fetch|browser') THEN 'web'
    WHEN match(ifNull(lower(tool), ''), 'todo|plan|think|askuser|ask_user|question|finish') THEN 'plan'
    WHEN match(ifNull(lower(tool), ''), 'notebookedit|edit|write|patch|str_replace|replace') THEN 'edit'
    WHEN match(ifNull(lower(tool), ''), 'grep|glob|search|find|list|ls') THEN 'search'
    WHEN match(ifNull(lower(tool), ''), 'bash|shell|exec|terminal|command|run|repl') THEN 'command'
    WHEN match(ifNull(lower(tool), ''), 'read|view|open|cat') THEN 'read'
    WHEN match(ifNull(lower(tool), ''), 'task|agent|delegate') THEN 'agent'
    ELSE 'other'
  END AS kind,
  agent_id, task, started_at,
  CASE WHEN started_at IS NOT NULL AND duration_ms IS NOT NULL THEN addMilliseconds(started_at, duration_ms) END AS ended_at,
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
  coalesce(if(JSONType(ifNull(arguments, ''), 'file_path') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'file_path')), NULL), if(JSONType(ifNull(arguments, ''), 'path') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'path')), NULL), if(JSONType(ifNull(arguments, ''), 'notebook_path') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'notebook_path')), NULL)) AS path,
  CASE WHEN NOT command IN ('view', 'create', 'str_replace', 'insert', 'undo_edit') THEN command END AS command,
  CASE WHEN match(ifNull(coalesce(exit_text, ''), ''), '^[-+]?[0-9]{1,18}$') THEN CAST(exit_text AS BIGINT) END AS exit_code,
  CAST(multiIf(ifNull(result, '') = '', NULL,
      JSONType(ifNull(result, '')) = 'String', length(JSONExtractString(ifNull(result, ''))),
      JSONHas(ifNull(result, ''), '$blob'), JSONExtractInt(ifNull(result, ''), 'bytes'),
      JSONType(ifNull(result, '')) = 'Array' AND length(JSONExtractArrayRaw(ifNull(result, ''))) > 0
        AND arrayAll(part -> JSONType(part) = 'String' OR JSONType(part, 'type') = 'String', JSONExtractArrayRaw(ifNull(result, ''))),
        arraySum(arrayMap(part -> if(JSONExtractString(part, 'type') IN ('image', 'image_url', 'input_image', 'audio', 'input_audio', 'video', 'file', 'document'), length(JSONExtractString(part, 'type')) + 2 + arraySum(arrayMap(encoded -> multiIf(
  encoded = '', 0,
  intDiv(length(encoded) * 3, 4) < 1000, length(concat(', ', toString(intDiv(length(encoded) * 3, 4)
    - length(extract(encoded, '=*$'))), ' B')),
  intDiv(length(encoded) * 3, 4) < 999500,
    length(printf(', %.0f kB', intDiv(length(encoded) * 3, 4) / 1000)),
  length(printf(', %.1f MB', intDiv(length(encoded) * 3, 4) / 1000000))),
  [replaceRegexpOne(arrayFirst(text -> text <> '', [JSONExtractString(part, 'data'),
    JSONExtractString(part, 'source', 'data'), JSONExtractString(part, 'image_url', 'url'),
    JSONExtractString(part, 'image_url'), JSONExtractString(part, 'file', 'file_data')]),
    '^.*?;base64,', '')])), length(multiIf(JSONType(part) = 'String', JSONExtractString(part), JSONType(part, 'text') = 'String', JSONExtractString(part, 'text'), JSONType(part, 'thinking') = 'String', JSONExtractString(part, 'thinking'), JSONType(part, 'content') = 'String', JSONExtractString(part, 'content'), concat('[', JSONExtractString(part, 'type'), '] ', part)))), JSONExtractArrayRaw(ifNull(result, '')))) + (length(JSONExtractArrayRaw(ifNull(result, ''))) - 1) *
          if(arrayAll(part -> JSONType(part) = 'String' AND length(multiIf(JSONType(part) = 'String', JSONExtractString(part), JSONType(part, 'text') = 'String', JSONExtractString(part, 'text'), JSONType(part, 'thinking') = 'String', JSONExtractString(part, 'thinking'), JSONType(part, 'content') = 'String', JSONExtractString(part, 'content'), concat('[', JSONExtractString(part, 'type'), '] ', part))) <= 40 AND position(multiIf(JSONType(part) = 'String', JSONExtractString(part), JSONType(part, 'text') = 'String', JSONExtractString(part, 'text'), JSONType(part, 'thinking') = 'String', JSONExtractString(part, 'thinking'), JSONType(part, 'content') = 'String', JSONExtractString(part, 'content'), concat('[', JSONExtractString(part, 'type'), '] ', part)), '\n') = 0, JSONExtractArrayRaw(ifNull(result, ''))), 2, 1),
      length(ifNull(result, ''))), 'Nullable(Int64)') AS result_bytes,
  arguments, asked_by,
  CASE WHEN end_role = 'tool_end' AND match(ifNull(concat(coalesce(command, if(JSONType(ifNull(arguments, ''), 'script') = 'String', toNullable(JSONExtractString(ifNull(arguments, ''), 'script')), NULL), ''), ' ', tool), ''), 'gh pr create|glab mr create|hub pull-request|pull_request|merge_request') THEN nullif(replaceRegexpOne(extract(ifNull(coalesce(result, ''), ''), '(https://[^\\s"\'<>)\\]`\\\\]*?(?:/pull/|/merge_requests/|/pulls/|/pull-requests/)[^\\s"\'<>)\\]`\\\\]*)'), '[.,]+$', ''), '') END AS pull_request,
  "time"
FROM timed
LEFT JOIN ended ON ended.run_id = timed.run_id
LEFT JOIN told_elsewhere ON told_elsewhere.run_id = timed.run_id;

CREATE OR REPLACE VIEW usage AS
WITH reports AS (
  SELECT run_id, sequence, "time", session_id, agent_id, sub_agent, task, role,
    imported AND (coalesce(CASE WHEN (if(JSONType(ifNull(data, ''), '_runlog') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(data, ''), '_runlog')))) IS NOT NULL THEN if(JSONType(ifNull(data, ''), '_runlog', 'time_origin') = 'String', toNullable(JSONExtractString(ifNull(data, ''), '_runlog', 'time_origin')), NULL) ELSE if(JSONType(ifNull(data, ''), 'time_origin') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'time_origin')), NULL) END, '') <> 'time_of_reading' OR multiIf(JSONType(ifNull(data, ''), 'request_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'request_id') = 'String', JSONExtractString(ifNull(data, ''), 'request_id'), JSONExtractRaw(ifNull(data, ''), 'request_id')) IS NOT NULL OR multiIf(JSONType(ifNull(data, ''), 'history_place') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'history_place') = 'String', JSONExtractString(ifNull(data, ''), 'history_place'), JSONExtractRaw(ifNull(data, ''), 'history_place')) IS NOT NULL) AS may_be_copied,
    imported, recorded_at, multiIf(JSONType(ifNull(data, ''), 'history_place') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'history_place') = 'String', JSONExtractString(ifNull(data, ''), 'history_place'), JSONExtractRaw(ifNull(data, ''), 'history_place')) AS history, CASE WHEN (match(ifNull(coalesce(coalesce(CASE WHEN if(JSONType(ifNull(data, ''), 'message_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'message_id')), NULL) IN ('', 'REDACTED') OR if(JSONType(ifNull(data, ''), 'message_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'message_id')), NULL) LIKE '[%]' OR if(JSONType(ifNull(data, ''), 'message_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'message_id')), NULL) LIKE '<%>' THEN NULL ELSE if(JSONType(ifNull(data, ''), 'message_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'message_id')), NULL) END, CASE WHEN if(JSONType(ifNull(data, ''), 'request_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'request_id')), NULL) IN ('', 'REDACTED') OR if(JSONType(ifNull(data, ''), 'request_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'request_id')), NULL) LIKE '[%]' OR if(JSONType(ifNull(data, ''), 'request_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'request_id')), NULL) LIKE '<%>' THEN NULL ELSE if(JSONType(ifNull(data, ''), 'request_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'request_id')), NULL) END), ''), ''), '(^|[_-])[A-Za-z0-9]{20,}$') AND match(ifNull(coalesce(coalesce(CASE WHEN if(JSONType(ifNull(data, ''), 'message_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'message_id')), NULL) IN ('', 'REDACTED') OR if(JSONType(ifNull(data, ''), 'message_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'message_id')), NULL) LIKE '[%]' OR if(JSONType(ifNull(data, ''), 'message_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'message_id')), NULL) LIKE '<%>' THEN NULL ELSE if(JSONType(ifNull(data, ''), 'message_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'message_id')), NULL) END, CASE WHEN if(JSONType(ifNull(data, ''), 'request_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'request_id')), NULL) IN ('', 'REDACTED') OR if(JSONType(ifNull(data, ''), 'request_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'request_id')), NULL) LIKE '[%]' OR if(JSONType(ifNull(data, ''), 'request_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'request_id')), NULL) LIKE '<%>' THEN NULL ELSE if(JSONType(ifNull(data, ''), 'request_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'request_id')), NULL) END), ''), ''), '[0-9][A-Za-z]*[0-9][A-Za-z0-9]*$') AND match(ifNull(coalesce(coalesce(CASE WHEN if(JSONType(ifNull(data, ''), 'message_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'message_id')), NULL) IN ('', 'REDACTED') OR if(JSONType(ifNull(data, ''), 'message_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'message_id')), NULL) LIKE '[%]' OR if(JSONType(ifNull(data, ''), 'message_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'message_id')), NULL) LIKE '<%>' THEN NULL ELSE if(JSONType(ifNull(data, ''), 'message_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'message_id')), NULL) END, CASE WHEN if(JSONType(ifNull(data, ''), 'request_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'request_id')), NULL) IN ('', 'REDACTED') OR if(JSONType(ifNull(data, ''), 'request_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'request_id')), NULL) LIKE '[%]' OR if(JSONType(ifNull(data, ''), 'request_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'request_id')), NULL) LIKE '<%>' THEN NULL ELSE if(JSONType(ifNull(data, ''), 'request_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'request_id')), NULL) END), ''), ''), '[a-z][A-Z0-9]*[a-z][A-Za-z0-9]*$')) OR match(ifNull(coalesce(coalesce(CASE WHEN if(JSONType(ifNull(data, ''), 'message_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'message_id')), NULL) IN ('', 'REDACTED') OR if(JSONType(ifNull(data, ''), 'message_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'message_id')), NULL) LIKE '[%]' OR if(JSONType(ifNull(data, ''), 'message_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'message_id')), NULL) LIKE '<%>' THEN NULL ELSE if(JSONType(ifNull(data, ''), 'message_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'message_id')), NULL) END, CASE WHEN if(JSONType(ifNull(data, ''), 'request_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'request_id')), NULL) IN ('', 'REDACTED') OR if(JSONType(ifNull(data, ''), 'request_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'request_id')), NULL) LIKE '[%]' OR if(JSONType(ifNull(data, ''), 'request_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'request_id')), NULL) LIKE '<%>' THEN NULL ELSE if(JSONType(ifNull(data, ''), 'request_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'request_id')), NULL) END), ''), ''), '(^|[_-])[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$') THEN '' END AS everywhere,
    multiIf(JSONType(ifNull(data, ''), 'model') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'model') = 'String', JSONExtractString(ifNull(data, ''), 'model'), JSONExtractRaw(ifNull(data, ''), 'model')) AS model, multiIf(JSONType(ifNull(data, ''), 'message_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'message_id') = 'String', JSONExtractString(ifNull(data, ''), 'message_id'), JSONExtractRaw(ifNull(data, ''), 'message_id')) AS message_id, multiIf(JSONType(ifNull(data, ''), 'request_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'request_id') = 'String', JSONExtractString(ifNull(data, ''), 'request_id'), JSONExtractRaw(ifNull(data, ''), 'request_id')) AS request_id,
    coalesce(CASE WHEN if(JSONType(ifNull(data, ''), 'message_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'message_id')), NULL) IN ('', 'REDACTED') OR if(JSONType(ifNull(data, ''), 'message_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'message_id')), NULL) LIKE '[%]' OR if(JSONType(ifNull(data, ''), 'message_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'message_id')), NULL) LIKE '<%>' THEN NULL ELSE if(JSONType(ifNull(data, ''), 'message_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'message_id')), NULL) END, CASE WHEN if(JSONType(ifNull(data, ''), 'request_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'request_id')), NULL) IN ('', 'REDACTED') OR if(JSONType(ifNull(data, ''), 'request_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'request_id')), NULL) LIKE '[%]' OR if(JSONType(ifNull(data, ''), 'request_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'request_id')), NULL) LIKE '<%>' THEN NULL ELSE if(JSONType(ifNull(data, ''), 'request_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'request_id')), NULL) END) AS model_call_id, coalesce(CASE WHEN if(JSONType(ifNull(data, ''), 'message_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'message_id')), NULL) IN ('', 'REDACTED') OR if(JSONType(ifNull(data, ''), 'message_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'message_id')), NULL) LIKE '[%]' OR if(JSONType(ifNull(data, ''), 'message_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'message_id')), NULL) LIKE '<%>' THEN NULL ELSE if(JSONType(ifNull(data, ''), 'message_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'message_id')), NULL) END, CASE WHEN if(JSONType(ifNull(data, ''), 'request_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'request_id')), NULL) IN ('', 'REDACTED') OR if(JSONType(ifNull(data, ''), 'request_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'request_id')), NULL) LIKE '[%]' OR if(JSONType(ifNull(data, ''), 'request_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'request_id')), NULL) LIKE '<%>' THEN NULL ELSE if(JSONType(ifNull(data, ''), 'request_id') = 'String', toNullable(JSONExtractString(ifNull(data, ''), 'request_id')), NULL) END, concat('#', CAST(sequence AS VARCHAR))) AS answer,
    coalesce(multiIf(JSONType(ifNull(data, ''), 'scope') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'scope') = 'String', JSONExtractString(ifNull(data, ''), 'scope'), JSONExtractRaw(ifNull(data, ''), 'scope')) = 'total', false) AS is_total,
    multiIf(JSONType(ifNull(data, ''), 'last_message_id') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'last_message_id') = 'String', JSONExtractString(ifNull(data, ''), 'last_message_id'), JSONExtractRaw(ifNull(data, ''), 'last_message_id')) IS NOT NULL AS calls_told,
    coalesce(multiIf(JSONType(ifNull(data, ''), 'not_in_total') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'not_in_total') = 'String', JSONExtractString(ifNull(data, ''), 'not_in_total'), JSONExtractRaw(ifNull(data, ''), 'not_in_total')) = 'true', false) AS not_in_total,
    coalesce(multiIf(JSONType(ifNull(data, ''), 'scope') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'scope') = 'String', JSONExtractString(ifNull(data, ''), 'scope'), JSONExtractRaw(ifNull(data, ''), 'scope')) = 'model', false) AS is_of_model,
    coalesce(multiIf(JSONType(ifNull(data, ''), 'scope') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'scope') = 'String', JSONExtractString(ifNull(data, ''), 'scope'), JSONExtractRaw(ifNull(data, ''), 'scope')) = 'calls', false) AS is_of_several,
    coalesce(if(JSONType(ifNull(data, ''), 'input_tokens') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(ifNull(data, ''), 'input_tokens') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(ifNull(data, ''), 'input_tokens') = floor(JSONExtractFloat(ifNull(data, ''), 'input_tokens')), toNullable(toInt64(JSONExtractFloat(ifNull(data, ''), 'input_tokens'))), NULL), if(JSONType(ifNull(data, ''), 'inputTokens') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(ifNull(data, ''), 'inputTokens') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(ifNull(data, ''), 'inputTokens') = floor(JSONExtractFloat(ifNull(data, ''), 'inputTokens')), toNullable(toInt64(JSONExtractFloat(ifNull(data, ''), 'inputTokens'))), NULL), if(JSONType(ifNull(data, ''), 'tokensIn') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(ifNull(data, ''), 'tokensIn') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(ifNull(data, ''), 'tokensIn') = floor(JSONExtractFloat(ifNull(data, ''), 'tokensIn')), toNullable(toInt64(JSONExtractFloat(ifNull(data, ''), 'tokensIn'))), NULL)) AS input_tokens, coalesce(if(JSONType(ifNull(data, ''), 'output_tokens') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(ifNull(data, ''), 'output_tokens') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(ifNull(data, ''), 'output_tokens') = floor(JSONExtractFloat(ifNull(data, ''), 'output_tokens')), toNullable(toInt64(JSONExtractFloat(ifNull(data, ''), 'output_tokens'))), NULL), if(JSONType(ifNull(data, ''), 'outputTokens') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(ifNull(data, ''), 'outputTokens') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(ifNull(data, ''), 'outputTokens') = floor(JSONExtractFloat(ifNull(data, ''), 'outputTokens')), toNullable(toInt64(JSONExtractFloat(ifNull(data, ''), 'outputTokens'))), NULL), if(JSONType(ifNull(data, ''), 'tokensOut') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(ifNull(data, ''), 'tokensOut') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(ifNull(data, ''), 'tokensOut') = floor(JSONExtractFloat(ifNull(data, ''), 'tokensOut')), toNullable(toInt64(JSONExtractFloat(ifNull(data, ''), 'tokensOut'))), NULL)) AS output_tokens,
    coalesce(multiIf(JSONType(ifNull(data, ''), 'output_tokens_at_least') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'output_tokens_at_least') = 'String', JSONExtractString(ifNull(data, ''), 'output_tokens_at_least'), JSONExtractRaw(ifNull(data, ''), 'output_tokens_at_least')) = 'true', false) AS output_at_least,
    coalesce(if(JSONType(ifNull(data, ''), 'cache_read_tokens') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(ifNull(data, ''), 'cache_read_tokens') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(ifNull(data, ''), 'cache_read_tokens') = floor(JSONExtractFloat(ifNull(data, ''), 'cache_read_tokens')), toNullable(toInt64(JSONExtractFloat(ifNull(data, ''), 'cache_read_tokens'))), NULL), if(JSONType(ifNull(data, ''), 'cacheReadTokens') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(ifNull(data, ''), 'cacheReadTokens') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(ifNull(data, ''), 'cacheReadTokens') = floor(JSONExtractFloat(ifNull(data, ''), 'cacheReadTokens')), toNullable(toInt64(JSONExtractFloat(ifNull(data, ''), 'cacheReadTokens'))), NULL)) AS cache_read_tokens, coalesce(if(JSONType(ifNull(data, ''), 'cache_creation_tokens') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(ifNull(data, ''), 'cache_creation_tokens') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(ifNull(data, ''), 'cache_creation_tokens') = floor(JSONExtractFloat(ifNull(data, ''), 'cache_creation_tokens')), toNullable(toInt64(JSONExtractFloat(ifNull(data, ''), 'cache_creation_tokens'))), NULL), if(JSONType(ifNull(data, ''), 'cacheCreationTokens') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(ifNull(data, ''), 'cacheCreationTokens') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(ifNull(data, ''), 'cacheCreationTokens') = floor(JSONExtractFloat(ifNull(data, ''), 'cacheCreationTokens')), toNullable(toInt64(JSONExtractFloat(ifNull(data, ''), 'cacheCreationTokens'))), NULL)) AS cache_creation_tokens,
    coalesce(if(JSONType(ifNull(data, ''), 'cache_creation_1h_tokens') IN ('Int64', 'UInt64', 'Double') AND JSONExtractFloat(ifNull(data, ''), 'cache_creation_1h_tokens') BETWEEN 0 AND 9007199254740991 AND JSONExtractFloat(ifNull(data, ''), 'cache_creation_1h_tokens') = floor(JSONExtractFloat(ifNull(data, ''), 'cache_creation_1h_tokens')), toNullable(toInt64(JSONExtractFloat(ifNull(data, ''), 'cache_creation_1h_tokens'))), NULL)) AS for_an_hour,
    coalesce(if(JSONType(ifNull(data, ''), 'cost_usd') IN ('Int64', 'UInt64', 'Double') AND floor(JSONExtractFloat(ifNull(data, ''), 'cost_usd') * 1e6 + 0.5) BETWEEN 0 AND 9007199254740991, toNullable(toDecimal64('0.000001', 6) * toInt64(floor(JSONExtractFloat(ifNull(data, ''), 'cost_usd') * 1e6 + 0.5))), NULL), if(JSONType(ifNull(data, ''), 'cost') IN ('Int64', 'UInt64', 'Double') AND floor(JSONExtractFloat(ifNull(data, ''), 'cost') * 1e6 + 0.5) BETWEEN 0 AND 9007199254740991, toNullable(toDecimal64('0.000001', 6) * toInt64(floor(JSONExtractFloat(ifNull(data, ''), 'cost') * 1e6 + 0.5))), NULL)) AS reported_usd
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
      AND (in_messages = 0 OR in_usage = 1) THEN toDecimal64('0.000001', 6) * toInt64(floor((input_tokens * runlog_prices.input + output_tokens * runlog_prices.output + coalesce(cache_read_tokens, 0) * runlog_prices.cache_read + coalesce(cache_creation_tokens, 0) * runlog_prices.cache_creation + coalesce(for_an_hour, 0) * (2 * runlog_prices.input - runlog_prices.cache_creation)) + 0.5)) END AS estimated_usd
  FROM counted LEFT JOIN runlog_prices ON runlog_prices.name = CASE WHEN replaceRegexpOne(replaceRegexpOne(replaceRegexpOne(replaceRegexpOne(replaceRegexpOne(replaceRegexpOne(lower(trim(counted.model)), '^.*/', ''), '^.*?anthropic\\.', ''), '[@\\[:].*$', ''), '-v[12]$', ''), '-latest$', ''), '-(?:[0-9]{8}|[0-9]{4}-[0-9]{2}-[0-9]{2})$', '') LIKE 'claude-%' THEN replace(replaceRegexpOne(replaceRegexpOne(replaceRegexpOne(replaceRegexpOne(replaceRegexpOne(replaceRegexpOne(lower(trim(counted.model)), '^.*/', ''), '^.*?anthropic\\.', ''), '[@\\[:].*$', ''), '-v[12]$', ''), '-latest$', ''), '-(?:[0-9]{8}|[0-9]{4}-[0-9]{2}-[0-9]{2})$', ''), '.', '-') ELSE replaceRegexpOne(replaceRegexpOne(replaceRegexpOne(replaceRegexpOne(replaceRegexpOne(replaceRegexpOne(lower(trim(counted.model)), '^.*/', ''), '^.*?anthropic\\.', ''), '[@\\[:].*$', ''), '-v[12]$', ''), '-latest$', ''), '-(?:[0-9]{8}|[0-9]{4}-[0-9]{2}-[0-9]{2})$', '') END
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
      THEN toDecimal64('0.000001', 6) * toInt64(floor((input_tokens * runlog_prices.input + output_tokens * runlog_prices.output + coalesce(cache_read_tokens, 0) * runlog_prices.cache_read + coalesce(cache_creation_tokens, 0) * runlog_prices.cache_creation + coalesce(for_an_hour, 0) * (2 * runlog_prices.input - runlog_prices.cache_creation)) + 0.5)) END AS estimated_usd
  FROM session_totals
  JOIN last_totals ON last_totals.run_id = session_totals.run_id
    AND last_totals.session_id = session_totals.session_id
  LEFT JOIN runlog_prices ON runlog_prices.name = CASE WHEN replaceRegexpOne(replaceRegexpOne(replaceRegexpOne(replaceRegexpOne(replaceRegexpOne(replaceRegexpOne(lower(trim(session_totals.model)), '^.*/', ''), '^.*?anthropic\\.', ''), '[@\\[:].*$', ''), '-v[12]$', ''), '-latest$', ''), '-(?:[0-9]{8}|[0-9]{4}-[0-9]{2}-[0-9]{2})$', '') LIKE 'claude-%' THEN replace(replaceRegexpOne(replaceRegexpOne(replaceRegexpOne(replaceRegexpOne(replaceRegexpOne(replaceRegexpOne(lower(trim(session_totals.model)), '^.*/', ''), '^.*?anthropic\\.', ''), '[@\\[:].*$', ''), '-v[12]$', ''), '-latest$', ''), '-(?:[0-9]{8}|[0-9]{4}-[0-9]{2}-[0-9]{2})$', ''), '.', '-') ELSE replaceRegexpOne(replaceRegexpOne(replaceRegexpOne(replaceRegexpOne(replaceRegexpOne(replaceRegexpOne(lower(trim(session_totals.model)), '^.*/', ''), '^.*?anthropic\\.', ''), '[@\\[:].*$', ''), '-v[12]$', ''), '-latest$', ''), '-(?:[0-9]{8}|[0-9]{4}-[0-9]{2}-[0-9]{2})$', '') END
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
    max(CASE WHEN role = 'note' AND coalesce(multiIf(JSONType(ifNull(data, ''), 'text') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'text') = 'String', JSONExtractString(ifNull(data, ''), 'text'), JSONExtractRaw(ifNull(data, ''), 'text')), multiIf(JSONType(ifNull(data, ''), 'content') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'content') = 'String', JSONExtractString(ifNull(data, ''), 'content'), JSONExtractRaw(ifNull(data, ''), 'content')), multiIf(JSONType(ifNull(data, ''), 'message') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'message') = 'String', JSONExtractString(ifNull(data, ''), 'message'), JSONExtractRaw(ifNull(data, ''), 'message')), multiIf(JSONType(ifNull(data, ''), 'response') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'response') = 'String', JSONExtractString(ifNull(data, ''), 'response'), JSONExtractRaw(ifNull(data, ''), 'response')), multiIf(JSONType(ifNull(data, ''), 'prompt') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'prompt') = 'String', JSONExtractString(ifNull(data, ''), 'prompt'), JSONExtractRaw(ifNull(data, ''), 'prompt')), multiIf(JSONType(ifNull(data, ''), 'brief') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'brief') = 'String', JSONExtractString(ifNull(data, ''), 'brief'), JSONExtractRaw(ifNull(data, ''), 'brief')), multiIf(JSONType(ifNull(data, ''), 'title') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'title') = 'String', JSONExtractString(ifNull(data, ''), 'title'), JSONExtractRaw(ifNull(data, ''), 'title'))) LIKE 'Pull request%' AND replaceRegexpOne(extract(ifNull(coalesce(coalesce(multiIf(JSONType(ifNull(data, ''), 'text') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'text') = 'String', JSONExtractString(ifNull(data, ''), 'text'), JSONExtractRaw(ifNull(data, ''), 'text')), multiIf(JSONType(ifNull(data, ''), 'content') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'content') = 'String', JSONExtractString(ifNull(data, ''), 'content'), JSONExtractRaw(ifNull(data, ''), 'content')), multiIf(JSONType(ifNull(data, ''), 'message') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'message') = 'String', JSONExtractString(ifNull(data, ''), 'message'), JSONExtractRaw(ifNull(data, ''), 'message')), multiIf(JSONType(ifNull(data, ''), 'response') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'response') = 'String', JSONExtractString(ifNull(data, ''), 'response'), JSONExtractRaw(ifNull(data, ''), 'response')), multiIf(JSONType(ifNull(data, ''), 'prompt') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'prompt') = 'String', JSONExtractString(ifNull(data, ''), 'prompt'), JSONExtractRaw(ifNull(data, ''), 'prompt')), multiIf(JSONType(ifNull(data, ''), 'brief') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'brief') = 'String', JSONExtractString(ifNull(data, ''), 'brief'), JSONExtractRaw(ifNull(data, ''), 'brief')), multiIf(JSONType(ifNull(data, ''), 'title') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'title') = 'String', JSONExtractString(ifNull(data, ''), 'title'), JSONExtractRaw(ifNull(data, ''), 'title'))), ''), ''), '(https://[^\\s"\'<>)\\]`\\\\]*?(?:/pull/|/merge_requests/|/pulls/|/pull-requests/)[^\\s"\'<>)\\]`\\\\]*)'), '[.,]+$', '') <> ''
      THEN concat(lpad(CAST(sequence AS VARCHAR), 16, '0'), replaceRegexpOne(extract(ifNull(coalesce(coalesce(multiIf(JSONType(ifNull(data, ''), 'text') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'text') = 'String', JSONExtractString(ifNull(data, ''), 'text'), JSONExtractRaw(ifNull(data, ''), 'text')), multiIf(JSONType(ifNull(data, ''), 'content') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'content') = 'String', JSONExtractString(ifNull(data, ''), 'content'), JSONExtractRaw(ifNull(data, ''), 'content')), multiIf(JSONType(ifNull(data, ''), 'message') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'message') = 'String', JSONExtractString(ifNull(data, ''), 'message'), JSONExtractRaw(ifNull(data, ''), 'message')), multiIf(JSONType(ifNull(data, ''), 'response') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'response') = 'String', JSONExtractString(ifNull(data, ''), 'response'), JSONExtractRaw(ifNull(data, ''), 'response')), multiIf(JSONType(ifNull(data, ''), 'prompt') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'prompt') = 'String', JSONExtractString(ifNull(data, ''), 'prompt'), JSONExtractRaw(ifNull(data, ''), 'prompt')), multiIf(JSONType(ifNull(data, ''), 'brief') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'brief') = 'String', JSONExtractString(ifNull(data, ''), 'brief'), JSONExtractRaw(ifNull(data, ''), 'brief')), multiIf(JSONType(ifNull(data, ''), 'title') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'title') = 'String', JSONExtractString(ifNull(data, ''), 'title'), JSONExtractRaw(ifNull(data, ''), 'title'))), ''), ''), '(https://[^\\s"\'<>)\\]`\\\\]*?(?:/pull/|/merge_requests/|/pulls/|/pull-requests/)[^\\s"\'<>)\\]`\\\\]*)'), '[.,]+$', '')) END) AS request
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
  SELECT run_id, max(CASE WHEN CASE WHEN coalesce(multiIf(JSONType(ifNull(data, ''), 'path') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'path') = 'String', JSONExtractString(ifNull(data, ''), 'path'), JSONExtractRaw(ifNull(data, ''), 'path')), multiIf(JSONType(ifNull(data, ''), 'file_path') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'file_path') = 'String', JSONExtractString(ifNull(data, ''), 'file_path'), JSONExtractRaw(ifNull(data, ''), 'file_path')), multiIf(JSONType(ifNull(data, ''), 'content_path') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'content_path') = 'String', JSONExtractString(ifNull(data, ''), 'content_path'), JSONExtractRaw(ifNull(data, ''), 'content_path'))) IS NOT NULL THEN coalesce(multiIf(JSONType(ifNull(data, ''), 'operation') = 'Null', CAST(NULL, 'Nullable(String)'), JSONType(ifNull(data, ''), 'operation') = 'String', JSONExtractString(ifNull(data, ''), 'operation'), JSONExtractRaw(ifNull(data, ''), 'operation')), extract(ifNull(event_type, ''), '([^._]*)$')) NOT IN ('read', 'accessed', 'access') ELSE coalesce(if(JSONType(ifNull(data, ''), 'added') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(data, ''), 'added'))), '') LIKE '%"%' OR coalesce(if(JSONType(ifNull(data, ''), 'modified') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(data, ''), 'modified'))), '') LIKE '%"%' OR coalesce(if(JSONType(ifNull(data, ''), 'removed') = 'Null', NULL, toNullable(JSONExtractRaw(ifNull(data, ''), 'removed'))), '') LIKE '%"%' END THEN sequence END) AS last_change
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
