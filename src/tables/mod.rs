//! The tables of runs: runs, calls, usage, events, findings, files. Every export and `runlog stats`
//! read the same rows. No input or output.
//!
//! The rows of a run come from two passes over its log. The first pass ([`TableFold`]) pairs the
//! calls, numbers the tasks and finds which event of a model call counts. The second pass
//! ([`RowPass`]) makes the rows, one event at a time.

mod call_kind;
mod cell;
mod columns;
mod fold;
mod rounds;
mod row_pass;
mod rows;
pub(crate) mod statistics;
mod touched;
mod transcript_event;
mod usage_numbers;

pub use cell::CellKind;
pub(crate) use cell::{Dollars, JsonText, TableCell, time_in_tables};
pub use columns::Column;
pub(crate) use columns::TableRow;
pub(crate) use fold::{LogHead, TableFold};
pub(crate) use row_pass::{RowPass, RowSink, SharedWork};
pub(crate) use rows::{CallRow, EventRow, FileRow, FindingRow, RunTableRow, UsageRow};
pub use rows::{TableName, columns_of};
pub(crate) use transcript_event::TranscriptEvent;

/// Version of the tables: it grows when a column changes its meaning or goes away.
pub(crate) const TABLES_VERSION: u32 = 1;
