//! SQL definitions for other engines: views over the logs where they lie, and tables to load.

mod call_kinds;
mod calls_view;
mod clickhouse;
mod duckdb;
mod events_view;
mod expressions;
mod files_view;
mod postgres;
mod runs_view;
mod usage_view;
mod views;

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

/// The SQL for an engine. `runs_dir` is the absolute path of the runs directory.
#[must_use]
pub(crate) fn ddl(engine: SqlEngine, runs_dir: &str) -> String {
    match engine {
        SqlEngine::Duckdb => duckdb::ddl(runs_dir),
        SqlEngine::Clickhouse => clickhouse::ddl(runs_dir),
        SqlEngine::Postgres => postgres::ddl(),
    }
}

/// A text as an SQL string, for engines that know no escapes but a doubled quote.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
