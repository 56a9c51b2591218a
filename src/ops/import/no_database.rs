//! What this build does with databases, for which it lacks SQLite.

use std::io::{self, Read};
use std::path::Path;

use super::Session;
use super::look::NotImported;
use crate::fs::FsError;

/// Whether a file is a database that this build reads: never.
pub(super) fn is_database(_path: &Path) -> bool {
    false
}

/// The sessions in a database: unknown.
///
/// # Errors
/// Always.
pub(super) fn sessions(_path: &Path) -> Result<Vec<Session>, NotImported> {
    Err(NotImported::Database("this build lacks SQLite".to_owned()))
}

/// The lines of stored sessions: none.
///
/// # Errors
/// Never.
pub(super) fn lines(_path: &Path, _sessions: &[(String, usize)]) -> Result<Box<dyn Read>, FsError> {
    Ok(Box::new(io::empty()))
}
