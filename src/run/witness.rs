//! Derived files as witnesses: if the log does not begin any more with the lines that a file was made
//! of, the file may be the only place that has what these lines said. It is kept beside the new one.

use crate::fs::{FsError, PathAt, keep_copy, read_small, replace_derived};
use crate::log::prefix::LogPrefix;

/// Whether a derived file may have what the log has lost: the log does not begin with the lines that
/// the file names, or it names none.
pub(crate) fn is_witness(log: &PathAt, file: &[u8]) -> bool {
    !file.is_empty() && !LogPrefix::named_in(file).is_some_and(|lines| lines.begins(log))
}

/// Replaces a derived file of a log. One that is a witness is kept.
///
/// # Errors
/// When the file cannot be kept or written.
pub(crate) fn put(log: &PathAt, path: &PathAt, new: &[u8]) -> Result<(), FsError> {
    if let Some(old) = read_small(path, u64::MAX).ok().flatten()
        && old != new
        && is_witness(log, &old)
    {
        keep_copy(path)?;
    }
    replace_derived(path, new)
}
