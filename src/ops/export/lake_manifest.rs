//! The list of the Parquet files that are current.

use serde::{Deserialize, Serialize};

use crate::fs::{PathAt, read_small, replace};
use crate::json::document;
use crate::ops::error::OpsError;
use crate::tables::{TABLES_VERSION, TableName};

/// The name of the list in the directory of an export.
pub(super) const MANIFEST: &str = "manifest.json";
/// Maximum size of a list that is read, in bytes.
const MAX_MANIFEST: u64 = 1 << 30;
/// Version of the list's format.
const SCHEMA_VERSION: u32 = 1;

/// The list.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct LakeManifest {
    schema_version: u32,
    tables_version: u32,
    /// The partitions by date. While only some tables are brought up to date, a date has two.
    pub(super) partitions: Vec<PartitionEntry>,
}

/// Files of the same runs.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct PartitionEntry {
    /// The day on which the work of the runs began.
    pub(super) date: String,
    /// The name of the files, without its ending.
    pub(super) name: String,
    /// The runs, by id.
    pub(super) runs: Vec<RunEntry>,
    /// The files, one for each table.
    pub(super) files: Vec<FileEntry>,
}

/// A run in a partition.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct RunEntry {
    /// The run's id.
    pub(super) run_id: String,
    /// The SHA-256 of the last line of its log.
    pub(super) head: String,
}

/// A file of a partition.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct FileEntry {
    /// The table.
    pub(super) table: String,
    /// The path of the file in the directory of the export.
    pub(super) file: String,
    /// Number of rows.
    pub(super) rows: u64,
    /// Size in bytes.
    pub(super) bytes: u64,
}

impl Default for LakeManifest {
    fn default() -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            tables_version: TABLES_VERSION,
            partitions: Vec::new(),
        }
    }
}

impl LakeManifest {
    /// The list in a directory. It is empty if there is none.
    ///
    /// # Errors
    /// When it cannot be read, or was written by another program or by a newer version.
    pub(super) fn read(out: &PathAt) -> Result<Self, OpsError> {
        let path = out.join(MANIFEST);
        let Some(bytes) = read_small(&path, MAX_MANIFEST)? else { return Ok(Self::default()) };
        let list: Option<Self> = serde_json::from_slice(&bytes).ok();
        let is_known = |list: &Self| {
            list.schema_version == SCHEMA_VERSION && list.tables_version <= TABLES_VERSION
        };
        list.filter(is_known)
            .ok_or_else(|| OpsError::UnknownManifest { path: path.path().to_owned() })
    }

    /// Removes all entries if they are of an older version of the tables.
    pub(super) fn upgrade(&mut self) {
        if self.tables_version != TABLES_VERSION {
            *self = Self::default();
        }
    }

    /// Writes the list, unless it is the same.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn write(&mut self, out: &PathAt) -> Result<(), OpsError> {
        self.partitions
            .sort_by(|one, other| (&one.date, &one.name).cmp(&(&other.date, &other.name)));
        let (path, bytes) = (out.join(MANIFEST), document(self).into_bytes());
        if read_small(&path, MAX_MANIFEST)?.as_deref() != Some(&bytes) {
            replace(&path, &bytes)?;
        }
        Ok(())
    }

    /// The entry of a file.
    #[must_use]
    pub(super) fn find(&self, table: TableName, date: &str, name: &str) -> Option<&FileEntry> {
        let entry =
            self.partitions.iter().find(|entry| (&*entry.date, &*entry.name) == (date, name));
        entry?.files.iter().find(|file| file.table == table.name())
    }
}
