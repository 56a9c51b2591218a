//! Derived files as witnesses: while the log is damaged, an older derived file may be the only place
//! that has what the log said before, so it is kept beside the file that replaces it.

use super::dir::RunDir;
use crate::fs::hash::HexHash;
use crate::fs::{FsError, PathAt, entries, keep_copy};
use crate::log::reader::{Body, LogReader};

/// Maximum number of kept copies of one file.
const MOST: usize = 16;

/// Whether the first `through` events of the log are not what they were: a line cannot be read, the
/// numbers have a gap, the hash chain is broken, or events are missing.
pub(crate) fn is_damaged(run: &RunDir, through: u64) -> bool {
    let Ok(mut reader) = LogReader::open(&run.events()) else { return true };
    let (mut last, mut previous) = (0, None::<HexHash>);
    // The hash of a line is in the line after it.
    while last <= through {
        let Ok(line) = reader.next_line() else { return true };
        let Some(line) = line.filter(|line| !matches!(line.body, Body::Unterminated(_))) else {
            break;
        };
        match line.event() {
            Err(_) => return true,
            Ok(None) => continue,
            Ok(Some(event)) => {
                let is_next = match (event.prev_hash, previous) {
                    (Some(given), Some(hash)) => hash.is(&given),
                    (Some(_), None) => false,
                    (None, _) => true,
                };
                if !is_next || event.sequence != last + 1 {
                    return true;
                }
                last = event.sequence;
            }
        }
        previous = line.hash();
    }
    through != u64::MAX && last < through
}

/// Keeps a copy of a derived file, unless many of its copies are kept.
///
/// # Errors
/// When the file cannot be read, or the copy not be written.
pub(crate) fn keep(file: &PathAt) -> Result<(), FsError> {
    let stem = file.path().file_stem().unwrap_or_default().to_string_lossy();
    let copies = format!("{stem}.kept-");
    let of_file = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with(&copies);
    let kept = entries(&file.parent())?.iter().filter(|(name, _)| of_file(name)).count();
    if kept < MOST { keep_copy(file) } else { Ok(()) }
}
