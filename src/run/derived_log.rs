//! Compares a derived log with the lines that it should have.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, Read as _};

use super::RunError;
use crate::fs::{Access, PathAt, append_lines, keep_copy, open_regular, read_small, replace};

/// Compares a derived log with the lines that it should have.
#[derive(Debug)]
pub(crate) struct DerivedLog {
    path: PathAt,
    existing: Option<BufReader<File>>,
    /// The number of correct bytes at the beginning of the file.
    matched: u64,
    /// The missing lines at the end of the file. In a rebuild, all lines.
    lacking: Vec<u8>,
    rebuild: bool,
    differs: bool,
}

impl DerivedLog {
    /// Compares with the file at `path`, or collects all lines for a rebuild.
    #[must_use]
    pub(crate) fn new(path: PathAt, rebuild: bool) -> Self {
        let existing = if rebuild { None } else { open_existing(&path) };
        Self { path, existing, matched: 0, lacking: Vec::new(), rebuild, differs: false }
    }

    /// Compares the next expected line. An empty line is ignored.
    pub(crate) fn expect(&mut self, line: &str) {
        if line.is_empty() || self.differs {
            return;
        }
        if self.existing.is_none() && self.matched == 0 && self.lacking.is_empty() && !self.rebuild
        {
            // The file may have been created since.
            self.existing = open_existing(&self.path);
        }
        let Some(reader) = self.existing.as_mut() else {
            self.lacking.extend_from_slice(line.as_bytes());
            return;
        };
        let mut there = Vec::with_capacity(line.len());
        let read = reader.take(line.len() as u64).read_to_end(&mut there);
        if read.is_ok() && there.is_empty() {
            self.existing = None;
            self.lacking.extend_from_slice(line.as_bytes());
        } else {
            self.differs = read.is_err() || there != line.as_bytes();
            self.matched += line.len() as u64;
        }
    }

    /// Whether the file has other content than expected. Call it after the last line.
    pub(crate) fn differs(&mut self) -> bool {
        if let Some(reader) = self.existing.as_mut() {
            let mut more = [0];
            self.differs |= !matches!(reader.read(&mut more), Ok(0));
        }
        self.differs
    }

    /// The number of missing bytes at the end of the file.
    #[must_use]
    pub(crate) fn lacking(&self) -> usize {
        self.lacking.len()
    }

    /// Appends the missing lines and continues after them. The caller holds the lock.
    pub(super) fn append(&mut self) -> Result<(), RunError> {
        if !self.rebuild && !self.lacking.is_empty() {
            append_lines(&self.path, &self.lacking)?;
            self.matched += self.lacking.len() as u64;
            self.lacking.clear();
        }
        Ok(())
    }

    /// Whether the file grew after its end was read.
    pub(super) fn is_outdated(&self) -> bool {
        let length = self.path.metadata().map_or(0, |metadata| metadata.len());
        !self.rebuild && self.existing.is_none() && length != self.matched
    }

    pub(super) fn wants_writing(&self) -> bool {
        self.rebuild || !self.lacking.is_empty()
    }

    /// Appends the missing lines or replaces the file. The caller holds the lock. The old file, if it
    /// has other lines, is kept under another name: they may be of events that the log had.
    pub(super) fn write(&self) -> Result<(), RunError> {
        if self.rebuild && (self.path.is_there() || !self.lacking.is_empty()) {
            let old = read_small(&self.path, u64::MAX)?;
            if old.as_deref() == Some(&self.lacking) {
                return Ok(());
            }
            if old.is_some_and(|old| !lines(&old).is_subset(&lines(&self.lacking))) {
                keep_copy(&self.path)?;
            }
            replace(&self.path, &self.lacking)?;
        } else if !self.lacking.is_empty() {
            append_lines(&self.path, &self.lacking)?;
        }
        Ok(())
    }
}

fn lines(bytes: &[u8]) -> HashSet<&[u8]> {
    bytes.split(|byte| *byte == b'\n').collect()
}

fn open_existing(path: &PathAt) -> Option<BufReader<File>> {
    let file = open_regular(path, Access::Read).ok()?;
    Some(BufReader::with_capacity(64 << 10, file))
}
