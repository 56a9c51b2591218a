//! Tables as CSV files.

use std::io::Write;
use std::time::Duration;

use super::{RowSource, TableSet, TableSink, TablesWritten, turn_to_export, write_run};
use crate::fs::{PathAt, PendingFile, make_dir, remove_unfinished};
use crate::ops::error::OpsError;
use crate::run::dir::RunDir;
use crate::run::output_path::{has_same_columns, refuse_others};
use crate::tables::{TableCell, TableName, columns_of};
use crate::text::csv::{csv_line, inert_cell, push_known};

/// Writes a file for each table into the directory: `runs.csv` and so on. The files get their
/// names when all are complete. `step` is called after each run.
///
/// # Errors
/// When a run cannot be read, a file cannot be written, or another export writes there.
pub(crate) fn export_csv(
    runs: &[RunDir],
    tables: &TableSet,
    source: &RowSource<'_>,
    out: &PathAt,
    lock_timeout: Duration,
    step: &dyn Fn(),
) -> Result<TablesWritten, OpsError> {
    make_dir(out)?;
    let out = out.hold()?;
    let _turn = turn_to_export(&out, lock_timeout)?;
    remove_unfinished(&out);
    let mut sink = CsvSink { files: Vec::new() };
    for table in tables.all() {
        let path = out.join(format!("{}.csv", table.name()));
        let header = csv_line(columns_of(*table).iter().map(|column| column.name));
        refuse_others(&path, |old| has_same_columns(old, header.as_bytes()))?;
        let file = PendingFile::create(path)?;
        sink.files.push(CsvFile::new(*table, file)?);
    }
    let mut written = TablesWritten { runs: runs.len() as u64, ..TablesWritten::default() };
    for run in runs {
        write_run(run, u64::MAX, tables, source, &mut sink)?;
        step();
    }
    for mut file in sink.files {
        file.flush()?;
        written.rows += file.rows;
        written.files += 1;
        written.bytes += file.out.written();
        file.out.place()?;
    }
    Ok(written)
}

/// Writes one table to a stream. `step` is called after each run.
///
/// # Errors
/// When a run cannot be read, or the stream cannot be written.
pub(crate) fn stream_csv(
    runs: &[RunDir],
    table: TableName,
    source: &RowSource<'_>,
    out: &mut dyn Write,
    step: &dyn Fn(),
) -> Result<(), OpsError> {
    let mut sink = CsvSink { files: vec![CsvFile::new(table, out)?] };
    for run in runs {
        write_run(run, u64::MAX, &TableSet::of(&[table]), source, &mut sink)?;
        step();
    }
    sink.files.iter_mut().try_for_each(CsvFile::flush)
}

/// Number of bytes that are written at once.
const CHUNK: usize = 256 << 10;

/// A table that is being written.
struct CsvFile<W> {
    table: TableName,
    out: W,
    buffer: String,
    rows: u64,
}

impl<W: Write> CsvFile<W> {
    fn new(table: TableName, out: W) -> Result<Self, OpsError> {
        let names = columns_of(table).iter().map(|column| column.name);
        Ok(Self { table, out, buffer: csv_line(names), rows: 0 })
    }

    fn row(&mut self, cells: &[TableCell<'_>]) -> Result<(), OpsError> {
        for (at, cell) in cells.iter().enumerate() {
            if at > 0 {
                self.buffer.push(',');
            }
            match cell {
                TableCell::Null => {}
                TableCell::Text(text) => push_known(&inert_cell(text), &mut self.buffer),
                // No JSON is a formula: only a number begins with a minus.
                TableCell::Json(text) => push_known(text, &mut self.buffer),
                TableCell::Integer(number) => self.buffer.push_str(&number.to_string()),
                TableCell::Dollars(dollars) => self.buffer.push_str(&dollars.to_string()),
                TableCell::Boolean(flag) => self.buffer.push_str(&flag.to_string()),
                TableCell::Time(time) => self.buffer.push_str(&time.to_string()),
            }
        }
        self.buffer.push('\n');
        self.rows += 1;
        if self.buffer.len() > CHUNK { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), OpsError> {
        self.out.write_all(self.buffer.as_bytes()).map_err(OpsError::Output)?;
        self.buffer.clear();
        Ok(())
    }
}

/// The tables that are being written.
struct CsvSink<W> {
    files: Vec<CsvFile<W>>,
}

impl<W: Write> TableSink for CsvSink<W> {
    fn row(&mut self, table: TableName, cells: &[TableCell<'_>]) -> Result<(), OpsError> {
        match self.files.iter_mut().find(|file| file.table == table) {
            Some(file) => file.row(cells),
            None => Ok(()),
        }
    }
}
