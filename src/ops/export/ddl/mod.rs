//! SQL definitions for other engines: a view of the lines of the logs, and views or tables of what was
//! exported. What the lines mean is computed by this program alone.

mod postgres;

use crate::event::envelope::MAX_LINE;
use crate::event::schema::Field;
use crate::tables::TableName;

/// An engine that SQL is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SqlEngine {
    /// DuckDB.
    Duckdb,
    /// ClickHouse.
    Clickhouse,
    /// PostgreSQL.
    Postgres,
}

impl SqlEngine {
    /// All engines.
    pub(crate) const ALL: [Self; 3] = [Self::Duckdb, Self::Clickhouse, Self::Postgres];

    /// The name on the command line.
    #[must_use]
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Duckdb => "duckdb",
            Self::Clickhouse => "clickhouse",
            Self::Postgres => "postgres",
        }
    }
}

/// What the SQL for the engines that read files begins with.
const NOTE: &str = "\
-- The view `lines` has the lines of the logs where they lie: nothing is copied, and nothing is computed.
-- Damaged lines and a last line that is being written are left out. `runlog validate` reports them.
";

/// What it says if no export was named.
const NO_EXPORT: &str = "\
-- What the lines mean, such as calls, costs and tasks, is in the exported tables. For views of these:
--   runlog export --to parquet --out DIR
--   runlog export --to ddl ENGINE DIR
";

/// The SQL for an engine. `runs_dir` is the absolute path of the runs directory, `export` that of a
/// directory that `--to parquet` wrote.
#[must_use]
pub(crate) fn ddl(engine: SqlEngine, runs_dir: &str, export: Option<&str>) -> String {
    match engine {
        SqlEngine::Duckdb => duckdb(runs_dir, export),
        SqlEngine::Clickhouse => clickhouse(runs_dir, export),
        SqlEngine::Postgres => postgres::ddl(),
    }
}

/// The columns of a line: its fields, with their types in an engine.
fn columns(form: impl Fn(&str, Field) -> String) -> String {
    Field::ALL.iter().map(|field| form(field.name(), *field)).collect::<Vec<_>>().join(",\n")
}

/// The views of the exported tables. `read` is an expression that reads the files of a table.
fn tables(export: Option<&str>, read: impl Fn(&str) -> String) -> String {
    let Some(export) = export else { return NO_EXPORT.to_owned() };
    let view = |table: TableName| {
        let files = read(&format!("{export}/{}/*/*.parquet", table.name()));
        format!("CREATE OR REPLACE VIEW {} AS\nSELECT * FROM {files};\n", table.name())
    };
    TableName::ALL.map(view).join("\n")
}

fn duckdb(runs_dir: &str, export: Option<&str>) -> String {
    let columns = columns(|name, field| {
        let kind = match field {
            Field::Sequence => "BIGINT",
            Field::Timestamp => "TIMESTAMPTZ",
            Field::Data => "JSON",
            _ => "VARCHAR",
        };
        format!("    {name}: '{kind}'")
    });
    let files = quoted(&format!("{}/*/events.jsonl", glob_escaped(runs_dir)));
    let most = 2 * MAX_LINE;
    let tables = tables(export.map(glob_escaped).as_deref(), |files| {
        format!("read_parquet({}, hive_partitioning = true)", quoted(files))
    });
    format!(
        "-- Views for DuckDB: duckdb runs.db < FILE, or for one session: duckdb -init FILE\n\
         {NOTE}\n\
         -- Days are in UTC, as in `runlog stats`. Another session needs this line too.\n\
         SET TimeZone = 'UTC';\n\n\
         CREATE OR REPLACE VIEW lines AS\n\
         SELECT * EXCLUDE (filename), filename AS log\n\
         FROM read_json({files},\n  format = 'newline_delimited', filename = true, \
         ignore_errors = true,\n  maximum_object_size = {most},\n  columns = {{\n{columns}\n  }})\n\
         WHERE sequence IS NOT NULL AND event_id IS NOT NULL;\n\n{tables}"
    )
}

fn clickhouse(runs_dir: &str, export: Option<&str>) -> String {
    let columns = columns(|name, field| {
        let kind = match field {
            Field::Sequence => "Int64",
            Field::Timestamp => r"DateTime64(3, \'UTC\')",
            _ => "String",
        };
        format!("   {name} Nullable({kind})")
    });
    let runs_dir = escaped(runs_dir);
    let tables =
        tables(export.map(escaped).as_deref(), |files| format!("file('{files}', Parquet)"));
    format!(
        "-- Views for ClickHouse: clickhouse local --path DIR --multiquery < FILE\n\
         -- A server reads files only below its user_files_path: link the directories there and change \
         the paths.\n\
         {NOTE}\n\
         -- Another session that asks needs this line too.\n\
         SET prefer_column_name_to_alias = 1, cast_keep_nullable = 1;\n\n\
         CREATE OR REPLACE VIEW lines AS\n\
         SELECT *, _path AS log\n\
         FROM file('{runs_dir}/*/events.jsonl', JSONEachRow, '\n{columns}')\n\
         WHERE sequence IS NOT NULL AND event_id IS NOT NULL\n\
         SETTINGS input_format_skip_unknown_fields = 1, date_time_input_format = 'best_effort',\n  \
         input_format_json_read_objects_as_strings = 1, input_format_allow_errors_ratio = 1,\n  \
         input_format_allow_errors_num = 1000000000;\n\n{tables}"
    )
}

/// The path, without characters that DuckDB takes as patterns.
fn glob_escaped(path: &str) -> String {
    let escaped = |character| match character {
        '*' | '?' | '[' => format!("[{character}]"),
        other => other.to_string(),
    };
    path.chars().map(escaped).collect()
}

/// The path, without characters that ClickHouse takes as patterns or as the end of a string.
fn escaped(path: &str) -> String {
    let escaped = |character| match character {
        '\'' | '\\' => format!("\\{character}"),
        '*' | '?' | '{' | '}' => "?".to_owned(),
        other => other.to_string(),
    };
    path.chars().map(escaped).collect()
}

/// A text as an SQL string, for engines that know no escapes but a doubled quote.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
