-- Views for ClickHouse: clickhouse local --path DIR --multiquery < FILE
-- A server reads files only below its user_files_path: link the directories there and change the paths.
-- The view `lines` has the lines of the logs where they lie: nothing is copied, and nothing is computed.
-- Damaged lines and a last line that is being written are left out. `runlog validate` reports them.

-- Another session that asks needs this line too.
SET prefer_column_name_to_alias = 1, cast_keep_nullable = 1;

CREATE OR REPLACE VIEW lines AS
SELECT *, _path AS log
FROM file('/srv/runs/*/events.jsonl', JSONEachRow, '
   event_id Nullable(String),
   sequence Nullable(Int64),
   run_id Nullable(String),
   session_id Nullable(String),
   task_id Nullable(String),
   type Nullable(String),
   timestamp Nullable(DateTime64(3, \'UTC\')),
   actor Nullable(String),
   severity Nullable(String),
   summary Nullable(String),
   data Nullable(String),
   correlation_id Nullable(String),
   parent_event_id Nullable(String),
   branch Nullable(String),
   prev_hash Nullable(String)')
WHERE sequence IS NOT NULL AND event_id IS NOT NULL
SETTINGS input_format_skip_unknown_fields = 1, date_time_input_format = 'best_effort',
  input_format_json_read_objects_as_strings = 1, input_format_allow_errors_ratio = 1,
  input_format_allow_errors_num = 1000000000;

CREATE OR REPLACE VIEW runs AS
SELECT * FROM file('/srv/lake/runs/*/*.parquet', Parquet);

CREATE OR REPLACE VIEW calls AS
SELECT * FROM file('/srv/lake/calls/*/*.parquet', Parquet);

CREATE OR REPLACE VIEW usage AS
SELECT * FROM file('/srv/lake/usage/*/*.parquet', Parquet);

CREATE OR REPLACE VIEW events AS
SELECT * FROM file('/srv/lake/events/*/*.parquet', Parquet);

CREATE OR REPLACE VIEW findings AS
SELECT * FROM file('/srv/lake/findings/*/*.parquet', Parquet);

CREATE OR REPLACE VIEW files AS
SELECT * FROM file('/srv/lake/files/*/*.parquet', Parquet);
