//! Gives the rows of runs to the writer of a format.

use super::TableSet;
use crate::check::finding::Finding;
use crate::check::log::LOG;
use crate::event::envelope::peek;
use crate::fs::{Access, open_regular};
use crate::log::reader::line_at;
use crate::ops::error::OpsError;
use crate::ops::report::Reporter;
use crate::ops::tables::{Copies, read_rows_until};
use crate::ops::validate::{Criteria, validate};
use crate::run::dir::RunDir;
use crate::tables::{
    CallRow, EventRow, FileRow, FindingRow, RowSink, RunTableRow, TableCell, TableName, TableRow,
    UsageRow,
};

/// Writes rows in a format.
pub(crate) trait TableSink {
    /// Takes the next row of a table.
    ///
    /// # Errors
    /// When it cannot be written.
    fn row(&mut self, table: TableName, cells: &[TableCell<'_>]) -> Result<(), OpsError>;

    /// Takes the next row of `events`.
    ///
    /// # Errors
    /// When it cannot be written.
    fn event(&mut self, row: &EventRow) -> Result<(), OpsError> {
        self.row(TableName::Events, &row.cells())
    }
}

/// What a row needs besides the log of its run.
pub(crate) struct RowSource<'c> {
    /// Which run had a piece of work first.
    pub(crate) copies: &'c Copies,
    /// Hears of lines that cannot be read.
    pub(crate) report: &'c (dyn Reporter + Sync),
    /// What the runs are validated against, for the table `findings`.
    pub(crate) criteria: &'c Criteria<'c>,
}

/// Gives the rows of these tables of a run to the sink. Of the log, the lines that begin before
/// byte `end` are read.
///
/// # Errors
/// When the run cannot be read, or a row cannot be written.
pub(super) fn write_run(
    run: &RunDir,
    end: u64,
    tables: &TableSet,
    source: &RowSource<'_>,
    sink: &mut impl TableSink,
) -> Result<(), OpsError> {
    let run = &run.hold()?;
    let mut rows = RowWriter { name: run.name(), tables, sink, outcome: Ok(()) };
    if tables.all().iter().any(|table| *table != TableName::Findings) {
        let with_events = tables.has(TableName::Events);
        read_rows_until(run, end, with_events, (source.copies, source.report), &mut rows)?;
    }
    if tables.has(TableName::Findings) && rows.outcome.is_ok() {
        let report = validate(run, source.criteria)?.report;
        for finding in &report.findings.all {
            rows.put(&FindingRow {
                run_id: report.run_id.clone(),
                code: finding.code.name(),
                level: finding.level.name(),
                message: finding.message.clone(),
                sequence: sequence_of(run, finding),
                line: finding.place.line,
                path: Some(finding.place.file.clone().into_owned()).filter(|path| !path.is_empty()),
            });
        }
    }
    rows.outcome
}

/// The number of the event that a finding is about.
fn sequence_of(run: &RunDir, finding: &Finding) -> Option<u64> {
    let offset = finding.place.offset.filter(|_| finding.place.file == LOG)?;
    finding.place.event_id.as_ref()?;
    let log = run.events();
    let file = open_regular(&log, Access::Read).ok()?;
    Some(peek(&line_at(log.path(), &file, offset).ok()?)?.sequence)
}

/// Takes typed rows and writes their cells, until a row cannot be written.
struct RowWriter<'w, S> {
    /// The name of the run's directory.
    name: String,
    tables: &'w TableSet,
    sink: &'w mut S,
    outcome: Result<(), OpsError>,
}

impl<S: TableSink> RowWriter<'_, S> {
    fn put<R: TableRow>(&mut self, row: &R) {
        if self.outcome.is_ok() && self.tables.has(R::TABLE) {
            self.outcome = self.sink.row(R::TABLE, &row.cells());
        }
    }
}

impl<S: TableSink> RowSink for RowWriter<'_, S> {
    fn run(&mut self, mut row: RunTableRow) {
        // An empty log does not say whose it is.
        if row.run_id.is_empty() {
            row.run_id.clone_from(&self.name);
        }
        self.put(&row);
    }

    fn call(&mut self, row: CallRow) {
        self.put(&row);
    }

    fn usage(&mut self, row: UsageRow) {
        self.put(&row);
    }

    fn file(&mut self, row: FileRow) {
        self.put(&row);
    }

    fn event(&mut self, row: EventRow) {
        if self.outcome.is_ok() && self.tables.has(TableName::Events) {
            self.outcome = self.sink.event(&row);
        }
    }
}
