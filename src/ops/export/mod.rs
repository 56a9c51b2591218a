//! Writes runs in the formats of other programs.

mod csv;
mod ddl;
#[cfg(feature = "parquet")]
mod lake_manifest;
mod listed;
mod one_run;
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
pub(crate) use one_run::{RunFormat, render_run};
#[cfg(feature = "parquet")]
pub(crate) use parquet::{ParquetExport, ParquetWritten};
#[cfg(feature = "sqlite")]
pub(crate) use sqlite::export_sqlite;
pub(crate) use table_set::TableSet;
use table_sink::write_run;
pub(crate) use table_sink::{RowSource, TableSink};

use std::time::Duration;

use crate::fs::PathAt;
use crate::ops::error::OpsError;
use crate::ops::turn::{self, WaitEnd};

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
