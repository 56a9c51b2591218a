//! The list of files that an export wrote. An export recognizes its own files by it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::fs::hash::{hex, sha256};
use crate::fs::{FsError, PathAt, read_small};
use crate::log::prefix::LogPrefix;
use crate::run::dir::RunDir;

/// Name of the list in the exported tree.
pub(super) const MANIFEST: &str = ".runlog-export.json";
/// Maximum size of a list that is read, in bytes.
pub(super) const MAX_MANIFEST: u64 = 256 << 20;
/// Maximum size of a file that is compared, in bytes.
pub(super) const MAX_PAGE: u64 = 64 << 20;

/// The files that an export wrote.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct Manifest {
    /// Version of this list's format.
    pub(super) schema_version: u32,
    /// The run whose chapters they are.
    pub(super) run_id: String,
    /// The lines of the log that they were made of.
    #[serde(default)]
    pub(super) made_of: LogPrefix,
    /// The SHA-256 of each file, or the target of each link, by path. While an export replaces a
    /// file, there are two hashes, separated by a space.
    pub(super) files: BTreeMap<String, String>,
}

impl Manifest {
    /// The bytes of the list in a tree; `None` if it cannot be read.
    pub(super) fn bytes(out: &PathAt) -> Option<Vec<u8>> {
        read_small(&out.join(MANIFEST), MAX_MANIFEST).ok().flatten()
    }

    /// The list in a tree. It is empty if it does not exist or cannot be parsed.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn read(out: &PathAt) -> Result<Self, FsError> {
        let bytes = read_small(&out.join(MANIFEST), MAX_MANIFEST)?;
        Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default())
    }

    /// Whether the files may have what the log has lost: it does not begin with the lines that they
    /// were made of.
    pub(super) fn is_witness(&self, run: &RunDir) -> bool {
        !self.files.is_empty() && !self.made_of.begins(&run.events())
    }

    /// The list as it is stored.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        crate::json::document(self).trim_end().as_bytes().to_vec()
    }
}

/// Whether a file with those bytes is the one that an export listed.
pub(super) fn is_listed(bytes: &[u8], hashes: &str) -> bool {
    let hash = hex(&sha256(bytes));
    hashes.split(' ').any(|listed| listed == hash)
}
