-- Tables for PostgreSQL, and the commands that load the CSV files into them.
-- Write the files, then load them in their directory:
--   runlog export --to csv --out DIR
--   cd DIR && psql -v ON_ERROR_STOP=1 -f FILE DATABASE
-- The tables are made anew each time, in one transaction. JSON is of type json:
-- cast it to jsonb where you need that.

BEGIN;

DROP TABLE IF EXISTS runs;
CREATE TABLE runs (
  "run_id" text NOT NULL,
  "session_id" text NOT NULL,
  "task_id" text NOT NULL,
  "status" text NOT NULL,
  "agent" text,
  "agent_version" text,
  "model" text,
  "models" json NOT NULL,
  "project" text,
  "git_branch" text,
  "title" text,
  "pull_request" text,
  "recorded_at" timestamptz,
  "started_at" timestamptz,
  "ended_at" timestamptz,
  "duration_ms" bigint,
  "imported" boolean NOT NULL,
  "events" bigint NOT NULL,
  "prompts" bigint NOT NULL,
  "model_calls" bigint NOT NULL,
  "tool_calls" bigint NOT NULL,
  "tool_failures" bigint NOT NULL,
  "errors" bigint NOT NULL,
  "warnings" bigint NOT NULL,
  "input_tokens" bigint,
  "output_tokens" bigint,
  "output_at_least" boolean NOT NULL,
  "cache_read_tokens" bigint,
  "cache_creation_tokens" bigint,
  "cost_usd" numeric(18, 6),
  "cost_estimated" boolean NOT NULL,
  "uncosted_calls" bigint NOT NULL,
  "edits" bigint NOT NULL,
  "tests" bigint NOT NULL,
  "tests_after_last_edit" bigint,
  "last_test_status" text,
  "deliverables" text,
  "error" text,
  "head_sequence" bigint,
  "head_hash" text,
  "metadata" json NOT NULL
);
COMMENT ON COLUMN runs."run_id" IS 'The run''s id.';
COMMENT ON COLUMN runs."session_id" IS 'The session that was recorded.';
COMMENT ON COLUMN runs."task_id" IS 'The run''s task.';
COMMENT ON COLUMN runs."status" IS 'The run''s status.';
COMMENT ON COLUMN runs."agent" IS 'The agent''s program.';
COMMENT ON COLUMN runs."agent_version" IS 'The version of the program.';
COMMENT ON COLUMN runs."model" IS 'The model that the beginning of the run names.';
COMMENT ON COLUMN runs."models" IS 'All models that answered, as a JSON array.';
COMMENT ON COLUMN runs."project" IS 'The directory in which the agent worked.';
COMMENT ON COLUMN runs."git_branch" IS 'The branch that was checked out.';
COMMENT ON COLUMN runs."title" IS 'The title, else the first prompt.';
COMMENT ON COLUMN runs."pull_request" IS 'The newest pull request that the run opened.';
COMMENT ON COLUMN runs."recorded_at" IS 'When recording began.';
COMMENT ON COLUMN runs."started_at" IS 'When the work began.';
COMMENT ON COLUMN runs."ended_at" IS 'When the work ended.';
COMMENT ON COLUMN runs."duration_ms" IS 'Duration of the work in milliseconds.';
COMMENT ON COLUMN runs."imported" IS 'Whether the run was imported from another program''s log.';
COMMENT ON COLUMN runs."events" IS 'Events.';
COMMENT ON COLUMN runs."prompts" IS 'Prompts by users.';
COMMENT ON COLUMN runs."model_calls" IS 'Model calls that report tokens or cost.';
COMMENT ON COLUMN runs."tool_calls" IS 'Tool calls.';
COMMENT ON COLUMN runs."tool_failures" IS 'Tool calls that failed.';
COMMENT ON COLUMN runs."errors" IS 'Errors.';
COMMENT ON COLUMN runs."warnings" IS 'Warnings.';
COMMENT ON COLUMN runs."input_tokens" IS 'Input tokens without cached ones.';
COMMENT ON COLUMN runs."output_tokens" IS 'Output tokens.';
COMMENT ON COLUMN runs."output_at_least" IS 'Whether the output tokens are a lower bound.';
COMMENT ON COLUMN runs."cache_read_tokens" IS 'Input tokens read from a cache.';
COMMENT ON COLUMN runs."cache_creation_tokens" IS 'Input tokens written to a cache.';
COMMENT ON COLUMN runs."cost_usd" IS 'Cost in dollars.';
COMMENT ON COLUMN runs."cost_estimated" IS 'Whether a part of the cost is estimated by list prices.';
COMMENT ON COLUMN runs."uncosted_calls" IS 'Model calls whose cost is unknown. The cost of the run does not contain it.';
COMMENT ON COLUMN runs."edits" IS 'Calls that changed a file.';
COMMENT ON COLUMN runs."tests" IS 'Calls that ran tests.';
COMMENT ON COLUMN runs."tests_after_last_edit" IS 'Tests that began after the last change of a file. Null if no file was changed.';
COMMENT ON COLUMN runs."last_test_status" IS 'The status of the last call that ran tests.';
COMMENT ON COLUMN runs."deliverables" IS 'The state of the required deliverables at the last check.';
COMMENT ON COLUMN runs."error" IS 'The error that the run failed with.';
COMMENT ON COLUMN runs."head_sequence" IS 'The number of the last event.';
COMMENT ON COLUMN runs."head_hash" IS 'The SHA-256 of the last line of the log.';
COMMENT ON COLUMN runs."metadata" IS 'All metadata, as a JSON object.';

DROP TABLE IF EXISTS calls;
CREATE TABLE calls (
  "run_id" text NOT NULL,
  "sequence" bigint NOT NULL,
  "end_sequence" bigint,
  "call_id" text NOT NULL,
  "tool" text NOT NULL,
  "kind" text NOT NULL,
  "agent_id" text,
  "spawned_by" bigint,
  "task" bigint,
  "model_call" bigint,
  "model" text,
  "started_at" timestamptz,
  "ended_at" timestamptz,
  "duration_ms" bigint,
  "status" text NOT NULL,
  "is_retry" boolean NOT NULL,
  "is_repeat" boolean NOT NULL,
  "first_seen" boolean NOT NULL,
  "path" text,
  "command" text,
  "exit_code" bigint,
  "error" text,
  "result_bytes" bigint,
  "arguments" json
);
COMMENT ON COLUMN calls."run_id" IS 'The run.';
COMMENT ON COLUMN calls."sequence" IS 'The number of the call''s first event.';
COMMENT ON COLUMN calls."end_sequence" IS 'The number of the call''s last event, if it ended.';
COMMENT ON COLUMN calls."call_id" IS 'The call''s id.';
COMMENT ON COLUMN calls."tool" IS 'The tool.';
COMMENT ON COLUMN calls."kind" IS 'What the call does: edit, read, search, command, test, web, agent, plan or other.';
COMMENT ON COLUMN calls."agent_id" IS 'The agent that made the call, if the log names one.';
COMMENT ON COLUMN calls."spawned_by" IS 'The number of the first event of the call that spawned this agent.';
COMMENT ON COLUMN calls."task" IS 'The number of the task (of the prompt).';
COMMENT ON COLUMN calls."model_call" IS 'The number of the event with the usage of the model call that asked for it.';
COMMENT ON COLUMN calls."model" IS 'The model that asked for it.';
COMMENT ON COLUMN calls."started_at" IS 'When the call began.';
COMMENT ON COLUMN calls."ended_at" IS 'When the call ended.';
COMMENT ON COLUMN calls."duration_ms" IS 'Duration in milliseconds.';
COMMENT ON COLUMN calls."status" IS 'The status: started, completed, failed or blocked.';
COMMENT ON COLUMN calls."is_retry" IS 'Whether the same agent''s latest call of the tool before it had failed.';
COMMENT ON COLUMN calls."is_repeat" IS 'Whether the same agent made a call with the same arguments before.';
COMMENT ON COLUMN calls."first_seen" IS 'False if another run''s copy of this call counts instead. The first copy with an end counts.';
COMMENT ON COLUMN calls."path" IS 'The file that the call is about.';
COMMENT ON COLUMN calls."command" IS 'The command that the call ran.';
COMMENT ON COLUMN calls."exit_code" IS 'The exit status of the command.';
COMMENT ON COLUMN calls."error" IS 'The error, at most 1000 characters.';
COMMENT ON COLUMN calls."result_bytes" IS 'The length in bytes of the result, or of the error of a call that did not succeed.';
COMMENT ON COLUMN calls."arguments" IS 'The arguments, as JSON.';

DROP TABLE IF EXISTS usage;
CREATE TABLE usage (
  "run_id" text NOT NULL,
  "sequence" bigint,
  "kind" text NOT NULL,
  "time" timestamptz,
  "session_id" text NOT NULL,
  "task" bigint,
  "agent_id" text,
  "model" text,
  "message_id" text,
  "request_id" text,
  "first_seen" boolean NOT NULL,
  "work_key" text,
  "input_tokens" bigint,
  "output_tokens" bigint,
  "output_at_least" boolean NOT NULL,
  "cache_read_tokens" bigint,
  "cache_creation_tokens" bigint,
  "context_tokens" bigint,
  "cost_usd" numeric(18, 6),
  "cost_estimated" boolean NOT NULL,
  "uncosted_calls" bigint NOT NULL,
  "calls" bigint NOT NULL,
  "retries" bigint NOT NULL,
  "repeats" bigint NOT NULL
);
COMMENT ON COLUMN usage."run_id" IS 'The run.';
COMMENT ON COLUMN usage."sequence" IS 'The number of the event that counts.';
COMMENT ON COLUMN usage."kind" IS 'What the row is: call; calls for the sum of several model calls, of which nobody says how many; message for the cost that a message of an agent reports; or total for what a reported total adds to the calls.';
COMMENT ON COLUMN usage."time" IS 'The time.';
COMMENT ON COLUMN usage."session_id" IS 'The session.';
COMMENT ON COLUMN usage."task" IS 'The number of the task (of the prompt).';
COMMENT ON COLUMN usage."agent_id" IS 'The agent that asked, if the log names one.';
COMMENT ON COLUMN usage."model" IS 'The model that answered.';
COMMENT ON COLUMN usage."message_id" IS 'The id of the response.';
COMMENT ON COLUMN usage."request_id" IS 'The id of the request.';
COMMENT ON COLUMN usage."first_seen" IS 'False if another run''s copy of this model call counts instead. The first complete copy counts.';
COMMENT ON COLUMN usage."work_key" IS 'What identifies the model call in every run that repeats it.';
COMMENT ON COLUMN usage."input_tokens" IS 'Input tokens without cached ones.';
COMMENT ON COLUMN usage."output_tokens" IS 'Output tokens.';
COMMENT ON COLUMN usage."output_at_least" IS 'Whether the output tokens are a lower bound.';
COMMENT ON COLUMN usage."cache_read_tokens" IS 'Input tokens read from a cache.';
COMMENT ON COLUMN usage."cache_creation_tokens" IS 'Input tokens written to a cache.';
COMMENT ON COLUMN usage."context_tokens" IS 'All input tokens of the call: the size of its context.';
COMMENT ON COLUMN usage."cost_usd" IS 'Cost in dollars.';
COMMENT ON COLUMN usage."cost_estimated" IS 'Whether the cost is estimated by list prices.';
COMMENT ON COLUMN usage."uncosted_calls" IS 'The number of model calls in the row whose cost nobody reports and no list has.';
COMMENT ON COLUMN usage."calls" IS 'Tool calls that the response asked for.';
COMMENT ON COLUMN usage."retries" IS 'Those that are retries.';
COMMENT ON COLUMN usage."repeats" IS 'Those that repeat an earlier call.';

DROP TABLE IF EXISTS events;
CREATE TABLE events (
  "run_id" text NOT NULL,
  "sequence" bigint NOT NULL,
  "event_id" text NOT NULL,
  "time" timestamptz NOT NULL,
  "event_type" text NOT NULL,
  "role" text NOT NULL,
  "severity" text NOT NULL,
  "actor" text NOT NULL,
  "session_id" text NOT NULL,
  "correlation_id" text,
  "parent_event_id" text,
  "task" bigint,
  "agent_id" text,
  "tool" text,
  "summary" text,
  "data" json NOT NULL
);
COMMENT ON COLUMN events."run_id" IS 'The run.';
COMMENT ON COLUMN events."sequence" IS 'The event''s number.';
COMMENT ON COLUMN events."event_id" IS 'The event''s id.';
COMMENT ON COLUMN events."time" IS 'The time.';
COMMENT ON COLUMN events."event_type" IS 'The type.';
COMMENT ON COLUMN events."role" IS 'What the event means, whatever its type is called.';
COMMENT ON COLUMN events."severity" IS 'The severity.';
COMMENT ON COLUMN events."actor" IS 'Who wrote it.';
COMMENT ON COLUMN events."session_id" IS 'The session.';
COMMENT ON COLUMN events."correlation_id" IS 'The id that connects the events of a call.';
COMMENT ON COLUMN events."parent_event_id" IS 'The event that caused it.';
COMMENT ON COLUMN events."task" IS 'The number of the task (of the prompt).';
COMMENT ON COLUMN events."agent_id" IS 'The agent, if the log names one.';
COMMENT ON COLUMN events."tool" IS 'The tool, if the event belongs to a call.';
COMMENT ON COLUMN events."summary" IS 'The summary that is in effect.';
COMMENT ON COLUMN events."data" IS 'The payload, as a JSON object.';

DROP TABLE IF EXISTS findings;
CREATE TABLE findings (
  "run_id" text NOT NULL,
  "code" text NOT NULL,
  "level" text NOT NULL,
  "message" text NOT NULL,
  "sequence" bigint,
  "line" bigint,
  "path" text
);
COMMENT ON COLUMN findings."run_id" IS 'The run.';
COMMENT ON COLUMN findings."code" IS 'The code.';
COMMENT ON COLUMN findings."level" IS 'The level: error, warning or info.';
COMMENT ON COLUMN findings."message" IS 'What was found.';
COMMENT ON COLUMN findings."sequence" IS 'The number of the event that it is about.';
COMMENT ON COLUMN findings."line" IS 'The line of the log that it is about.';
COMMENT ON COLUMN findings."path" IS 'The file that it is about.';

DROP TABLE IF EXISTS files;
CREATE TABLE files (
  "run_id" text NOT NULL,
  "path" text NOT NULL,
  "action" text NOT NULL,
  "sequence" bigint,
  "call_id" text,
  "time" timestamptz,
  "agent_id" text,
  "applied" boolean NOT NULL,
  "added" bigint,
  "removed" bigint,
  "bytes" bigint,
  "sha256" text,
  "verdict" text
);
COMMENT ON COLUMN files."run_id" IS 'The run.';
COMMENT ON COLUMN files."path" IS 'The path, as the call gives it.';
COMMENT ON COLUMN files."action" IS 'What was done: read, created, written, edited, deleted, moved, another word that the log gives, or deliverable.';
COMMENT ON COLUMN files."sequence" IS 'The number of the event.';
COMMENT ON COLUMN files."call_id" IS 'The id of the call.';
COMMENT ON COLUMN files."time" IS 'The time.';
COMMENT ON COLUMN files."agent_id" IS 'The agent, if the log names one.';
COMMENT ON COLUMN files."applied" IS 'Whether the call succeeded.';
COMMENT ON COLUMN files."added" IS 'Lines added.';
COMMENT ON COLUMN files."removed" IS 'Lines removed.';
COMMENT ON COLUMN files."bytes" IS 'The size of a recorded deliverable in bytes.';
COMMENT ON COLUMN files."sha256" IS 'The SHA-256 of a recorded deliverable.';
COMMENT ON COLUMN files."verdict" IS 'Whether a deliverable passed or is missing at the last check.';

\copy runs FROM 'runs.csv' CSV HEADER
\copy calls FROM 'calls.csv' CSV HEADER
\copy usage FROM 'usage.csv' CSV HEADER
\copy events FROM 'events.csv' CSV HEADER
\copy findings FROM 'findings.csv' CSV HEADER
\copy files FROM 'files.csv' CSV HEADER

-- An apostrophe before what a spreadsheet would take for a formula is not part of the text.
UPDATE runs SET "run_id" = substr("run_id", 2) WHERE "run_id" LIKE '''%'
  AND left(ltrim("run_id", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE runs SET "session_id" = substr("session_id", 2) WHERE "session_id" LIKE '''%'
  AND left(ltrim("session_id", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE runs SET "task_id" = substr("task_id", 2) WHERE "task_id" LIKE '''%'
  AND left(ltrim("task_id", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE runs SET "status" = substr("status", 2) WHERE "status" LIKE '''%'
  AND left(ltrim("status", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE runs SET "agent" = substr("agent", 2) WHERE "agent" LIKE '''%'
  AND left(ltrim("agent", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE runs SET "agent_version" = substr("agent_version", 2) WHERE "agent_version" LIKE '''%'
  AND left(ltrim("agent_version", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE runs SET "model" = substr("model", 2) WHERE "model" LIKE '''%'
  AND left(ltrim("model", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE runs SET "project" = substr("project", 2) WHERE "project" LIKE '''%'
  AND left(ltrim("project", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE runs SET "git_branch" = substr("git_branch", 2) WHERE "git_branch" LIKE '''%'
  AND left(ltrim("git_branch", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE runs SET "title" = substr("title", 2) WHERE "title" LIKE '''%'
  AND left(ltrim("title", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE runs SET "pull_request" = substr("pull_request", 2) WHERE "pull_request" LIKE '''%'
  AND left(ltrim("pull_request", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE runs SET "last_test_status" = substr("last_test_status", 2) WHERE "last_test_status" LIKE '''%'
  AND left(ltrim("last_test_status", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE runs SET "deliverables" = substr("deliverables", 2) WHERE "deliverables" LIKE '''%'
  AND left(ltrim("deliverables", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE runs SET "error" = substr("error", 2) WHERE "error" LIKE '''%'
  AND left(ltrim("error", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE runs SET "head_hash" = substr("head_hash", 2) WHERE "head_hash" LIKE '''%'
  AND left(ltrim("head_hash", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE calls SET "run_id" = substr("run_id", 2) WHERE "run_id" LIKE '''%'
  AND left(ltrim("run_id", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE calls SET "call_id" = substr("call_id", 2) WHERE "call_id" LIKE '''%'
  AND left(ltrim("call_id", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE calls SET "tool" = substr("tool", 2) WHERE "tool" LIKE '''%'
  AND left(ltrim("tool", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE calls SET "kind" = substr("kind", 2) WHERE "kind" LIKE '''%'
  AND left(ltrim("kind", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE calls SET "agent_id" = substr("agent_id", 2) WHERE "agent_id" LIKE '''%'
  AND left(ltrim("agent_id", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE calls SET "model" = substr("model", 2) WHERE "model" LIKE '''%'
  AND left(ltrim("model", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE calls SET "status" = substr("status", 2) WHERE "status" LIKE '''%'
  AND left(ltrim("status", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE calls SET "path" = substr("path", 2) WHERE "path" LIKE '''%'
  AND left(ltrim("path", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE calls SET "command" = substr("command", 2) WHERE "command" LIKE '''%'
  AND left(ltrim("command", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE calls SET "error" = substr("error", 2) WHERE "error" LIKE '''%'
  AND left(ltrim("error", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE usage SET "run_id" = substr("run_id", 2) WHERE "run_id" LIKE '''%'
  AND left(ltrim("run_id", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE usage SET "kind" = substr("kind", 2) WHERE "kind" LIKE '''%'
  AND left(ltrim("kind", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE usage SET "session_id" = substr("session_id", 2) WHERE "session_id" LIKE '''%'
  AND left(ltrim("session_id", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE usage SET "agent_id" = substr("agent_id", 2) WHERE "agent_id" LIKE '''%'
  AND left(ltrim("agent_id", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE usage SET "model" = substr("model", 2) WHERE "model" LIKE '''%'
  AND left(ltrim("model", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE usage SET "message_id" = substr("message_id", 2) WHERE "message_id" LIKE '''%'
  AND left(ltrim("message_id", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE usage SET "request_id" = substr("request_id", 2) WHERE "request_id" LIKE '''%'
  AND left(ltrim("request_id", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE usage SET "work_key" = substr("work_key", 2) WHERE "work_key" LIKE '''%'
  AND left(ltrim("work_key", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE events SET "run_id" = substr("run_id", 2) WHERE "run_id" LIKE '''%'
  AND left(ltrim("run_id", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE events SET "event_id" = substr("event_id", 2) WHERE "event_id" LIKE '''%'
  AND left(ltrim("event_id", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE events SET "event_type" = substr("event_type", 2) WHERE "event_type" LIKE '''%'
  AND left(ltrim("event_type", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE events SET "role" = substr("role", 2) WHERE "role" LIKE '''%'
  AND left(ltrim("role", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE events SET "severity" = substr("severity", 2) WHERE "severity" LIKE '''%'
  AND left(ltrim("severity", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE events SET "actor" = substr("actor", 2) WHERE "actor" LIKE '''%'
  AND left(ltrim("actor", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE events SET "session_id" = substr("session_id", 2) WHERE "session_id" LIKE '''%'
  AND left(ltrim("session_id", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE events SET "correlation_id" = substr("correlation_id", 2) WHERE "correlation_id" LIKE '''%'
  AND left(ltrim("correlation_id", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE events SET "parent_event_id" = substr("parent_event_id", 2) WHERE "parent_event_id" LIKE '''%'
  AND left(ltrim("parent_event_id", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE events SET "agent_id" = substr("agent_id", 2) WHERE "agent_id" LIKE '''%'
  AND left(ltrim("agent_id", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE events SET "tool" = substr("tool", 2) WHERE "tool" LIKE '''%'
  AND left(ltrim("tool", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE events SET "summary" = substr("summary", 2) WHERE "summary" LIKE '''%'
  AND left(ltrim("summary", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE findings SET "run_id" = substr("run_id", 2) WHERE "run_id" LIKE '''%'
  AND left(ltrim("run_id", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE findings SET "code" = substr("code", 2) WHERE "code" LIKE '''%'
  AND left(ltrim("code", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE findings SET "level" = substr("level", 2) WHERE "level" LIKE '''%'
  AND left(ltrim("level", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE findings SET "message" = substr("message", 2) WHERE "message" LIKE '''%'
  AND left(ltrim("message", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE findings SET "path" = substr("path", 2) WHERE "path" LIKE '''%'
  AND left(ltrim("path", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE files SET "run_id" = substr("run_id", 2) WHERE "run_id" LIKE '''%'
  AND left(ltrim("run_id", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE files SET "path" = substr("path", 2) WHERE "path" LIKE '''%'
  AND left(ltrim("path", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE files SET "action" = substr("action", 2) WHERE "action" LIKE '''%'
  AND left(ltrim("action", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE files SET "call_id" = substr("call_id", 2) WHERE "call_id" LIKE '''%'
  AND left(ltrim("call_id", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE files SET "agent_id" = substr("agent_id", 2) WHERE "agent_id" LIKE '''%'
  AND left(ltrim("agent_id", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE files SET "sha256" = substr("sha256", 2) WHERE "sha256" LIKE '''%'
  AND left(ltrim("sha256", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');
UPDATE files SET "verdict" = substr("verdict", 2) WHERE "verdict" LIKE '''%'
  AND left(ltrim("verdict", ''''), 1) IN ('=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠');

CREATE INDEX ON runs (run_id);
CREATE INDEX ON calls (run_id);
CREATE INDEX ON usage (run_id);
CREATE INDEX ON events (run_id);
CREATE INDEX ON findings (run_id);
CREATE INDEX ON files (run_id);

COMMIT;
