-- Views for DuckDB: duckdb runs.db < FILE, or for one session: duckdb -init FILE
-- The view `lines` has the lines of the logs where they lie: nothing is copied, and nothing is computed.
-- Damaged lines and a last line that is being written are left out. `runlog validate` reports them.

-- Days are in UTC, as in `runlog stats`. Another session needs this line too.
SET TimeZone = 'UTC';

CREATE OR REPLACE VIEW lines AS
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

CREATE OR REPLACE VIEW runs AS
SELECT * FROM read_parquet('/srv/lake/runs/*/*.parquet', hive_partitioning = true);

CREATE OR REPLACE VIEW calls AS
SELECT * FROM read_parquet('/srv/lake/calls/*/*.parquet', hive_partitioning = true);

CREATE OR REPLACE VIEW usage AS
SELECT * FROM read_parquet('/srv/lake/usage/*/*.parquet', hive_partitioning = true);

CREATE OR REPLACE VIEW events AS
SELECT * FROM read_parquet('/srv/lake/events/*/*.parquet', hive_partitioning = true);

CREATE OR REPLACE VIEW findings AS
SELECT * FROM read_parquet('/srv/lake/findings/*/*.parquet', hive_partitioning = true);

CREATE OR REPLACE VIEW files AS
SELECT * FROM read_parquet('/srv/lake/files/*/*.parquet', hive_partitioning = true);
