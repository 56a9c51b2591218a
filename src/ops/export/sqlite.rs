//! Tables as an SQLite database.

use std::ops::Range;

use rusqlite::types::ToSqlOutput;
use rusqlite::{Connection, Statement, ToSql, params};

use super::{RowSource, TableSet, TableSink, TablesWritten, write_run};
use crate::fs::{PathAt, PendingFile, remove_unfinished};
use crate::ops::error::OpsError;
use crate::run::dir::RunDir;
use crate::run::output_path::refuse_others;
use crate::tables::{
    CellKind, Column, EventRow, TABLES_VERSION, TableCell, TableName, TableRow, TranscriptEvent,
    columns_of,
};

/// Writes a database with the tables, and with `transcript_events` if `events` is one of them. It
/// replaces the file when it is complete. The same runs give the same bytes. `step` is called
/// after each run.
///
/// # Errors
/// When a run cannot be read, or the database cannot be written.
pub(crate) fn export_sqlite(
    runs: &[RunDir],
    tables: &TableSet,
    source: &RowSource<'_>,
    out: &PathAt,
    step: &dyn Fn(),
) -> Result<TablesWritten, OpsError> {
    refuse_others(out, |old| {
        let number = old.get(APPLICATION).and_then(|bytes| bytes.try_into().ok());
        old.starts_with(b"SQLite format 3\0") && number.map(u32::from_be_bytes) == Some(OURS)
    })?;
    remove_unfinished(&out.parent());
    let file = PendingFile::create(out.clone())?;
    let failed = |error: rusqlite::Error| failure(file.path(), &error);
    let connection = Connection::open(file.temporary()).map_err(failed)?;
    // Nobody else sees the file before it is complete, so it needs no journal.
    connection
        .execute_batch(&format!(
            "PRAGMA page_size = 4096; PRAGMA encoding = 'UTF-8'; PRAGMA auto_vacuum = NONE;
             PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
             PRAGMA temp_store = MEMORY; PRAGMA user_version = {TABLES_VERSION};
             PRAGMA application_id = {OURS};
             BEGIN; {}",
            schema(tables)
        ))
        .map_err(failed)?;
    let mut sink = SqliteSink::new(&connection, tables).map_err(failed)?;
    for run in runs {
        write_run(run, u64::MAX, tables, source, &mut sink).map_err(|error| match error {
            OpsError::Format { reason, .. } => {
                OpsError::Format { path: file.path().to_owned(), reason }
            }
            error => error,
        })?;
        step();
    }
    let rows = sink.rows;
    drop(sink);
    connection.execute_batch(&format!("{} COMMIT;", indexes(tables))).map_err(failed)?;
    connection.close().map_err(|(_, error)| failed(error))?;
    let bytes = std::fs::metadata(file.temporary()).map_or(0, |metadata| metadata.len());
    file.place()?;
    Ok(TablesWritten { runs: runs.len() as u64, files: 1, rows, bytes })
}

fn failure(path: &std::path::Path, error: &rusqlite::Error) -> OpsError {
    OpsError::Format { path: path.to_owned(), reason: error.to_string() }
}

/// The number by which a database says that it is of this program (`PRAGMA application_id`).
const OURS: u32 = 0x726c_6f67;
/// Its bytes in the file (SQLite, database file format).
const APPLICATION: Range<usize> = 68..72;

/// The table of platforms.
const TRANSCRIPT_EVENTS: &str = "transcript_events";

/// The statements that make the tables.
fn schema(tables: &TableSet) -> String {
    let mut sql = format!(
        "CREATE TABLE meta (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL);\n\
         INSERT INTO meta VALUES ('tables_version', '{TABLES_VERSION}');\n\
         INSERT INTO meta VALUES ('runlog_version', '{}');\n",
        env!("CARGO_PKG_VERSION")
    );
    for table in tables.all() {
        let columns: Vec<String> = columns_of(*table).iter().map(column).collect();
        let columns = columns.join(",\n  ");
        sql.push_str(&format!("CREATE TABLE {} (\n  {columns}\n);\n", table.name()));
    }
    if tables.has(TableName::Events) {
        sql.push_str(&format!(
            "CREATE TABLE {TRANSCRIPT_EVENTS} (\n  id INTEGER PRIMARY KEY,\n  \
             session_id TEXT NOT NULL,\n  event_type TEXT NOT NULL,\n  payload TEXT NOT NULL,\n  \
             summary TEXT,\n  created_at TEXT NOT NULL\n);\n"
        ));
    }
    sql
}

fn column(column: &Column) -> String {
    let kind = match column.kind {
        CellKind::Text | CellKind::Json | CellKind::Time => "TEXT",
        CellKind::Integer | CellKind::Boolean => "INTEGER",
        CellKind::Dollars => "REAL",
    };
    let required = if column.optional { "" } else { " NOT NULL" };
    format!("\"{}\" {kind}{required}", column.name)
}

/// The statements that make the indexes. They come last, which is faster.
fn indexes(tables: &TableSet) -> String {
    let index = |table: &str, columns: &str| {
        let name = columns.replace(", ", "_");
        format!("CREATE INDEX {table}_{name} ON {table} ({columns});\n")
    };
    let mut sql: String = tables.all().iter().map(|table| index(table.name(), "run_id")).collect();
    if tables.has(TableName::Events) {
        sql.push_str(&index(TRANSCRIPT_EVENTS, "session_id"));
    }
    sql
}

/// Inserts rows.
struct SqliteSink<'c> {
    statements: Vec<(TableName, Statement<'c>)>,
    transcript_events: Option<Statement<'c>>,
    rows: u64,
}

impl<'c> SqliteSink<'c> {
    fn new(connection: &'c Connection, tables: &TableSet) -> rusqlite::Result<Self> {
        let mut statements = Vec::new();
        for table in tables.all() {
            let places = vec!["?"; columns_of(*table).len()].join(", ");
            let sql = format!("INSERT INTO {} VALUES ({places})", table.name());
            statements.push((*table, connection.prepare(&sql)?));
        }
        let sql = format!(
            "INSERT INTO {TRANSCRIPT_EVENTS} \
             (session_id, event_type, payload, summary, created_at) VALUES (?, ?, ?, ?, ?)"
        );
        let has_events = tables.has(TableName::Events);
        let transcript_events = if has_events { Some(connection.prepare(&sql)?) } else { None };
        Ok(Self { statements, transcript_events, rows: 0 })
    }

    fn insert(&mut self, table: TableName, cells: &[TableCell<'_>]) -> rusqlite::Result<()> {
        let Some((_, statement)) = self.statements.iter_mut().find(|(known, _)| *known == table)
        else {
            return Ok(());
        };
        for (at, cell) in cells.iter().enumerate() {
            statement.raw_bind_parameter(at + 1, SqliteCell(*cell))?;
        }
        statement.raw_execute()?;
        self.rows += 1;
        Ok(())
    }

    fn insert_event(&mut self, row: &EventRow) -> rusqlite::Result<()> {
        self.insert(TableName::Events, &row.cells())?;
        let Some(statement) = &mut self.transcript_events else { return Ok(()) };
        let event = TranscriptEvent::of_row(row);
        statement.execute(params![
            event.session_id,
            event.event_type,
            event.payload.compact(),
            event.summary,
            event.created_at.to_string(),
        ])?;
        self.rows += 1;
        Ok(())
    }
}

/// The error of a sink. The caller adds the path.
fn unplaced(error: &rusqlite::Error) -> OpsError {
    failure(std::path::Path::new(""), error)
}

impl TableSink for SqliteSink<'_> {
    fn row(&mut self, table: TableName, cells: &[TableCell<'_>]) -> Result<(), OpsError> {
        self.insert(table, cells).map_err(|error| unplaced(&error))
    }

    fn event(&mut self, row: &EventRow) -> Result<(), OpsError> {
        self.insert_event(row).map_err(|error| unplaced(&error))
    }
}

/// A value as SQLite takes it.
struct SqliteCell<'r>(TableCell<'r>);

impl ToSql for SqliteCell<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.0 {
            TableCell::Null => rusqlite::types::Null.into(),
            TableCell::Text(text) | TableCell::Json(text) => text.into(),
            TableCell::Integer(number) => number.into(),
            TableCell::Dollars(dollars) => dollars.number().into(),
            TableCell::Boolean(flag) => flag.into(),
            TableCell::Time(time) => time.to_string().into(),
        })
    }
}
