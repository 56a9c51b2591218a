//! Files that hold many sessions, one per line.

use std::cell::OnceCell;
use std::ops::Range;
use std::path::Path;

use super::bytes::open;
use crate::agents::Dialect;
use crate::fs::{Action, FsError, retried};
use crate::json::{JsonIndex, JsonRules, repaired};
use crate::run::line_buffer::LineBuffer;
use crate::run::stream::InputLine;

/// Size of each read, in bytes.
const READ: usize = 1 << 20;

/// The sessions in a file with their places, if it holds several. Other lines belong to the
/// session before them.
pub(super) fn runs_in_file(
    path: &Path,
    dialect: &Dialect,
) -> Result<Vec<(String, Range<u64>)>, FsError> {
    let Some(whole_session) = dialect.whole_session else { return Ok(Vec::new()) };
    let mut file = open(path, 0)?.bytes;
    let (mut lines, mut runs, mut at) = (LineBuffer::default(), Vec::new(), 0);
    while !lines.has_ended() {
        let filled = lines.fill(READ, |room| retried(|| file.read(room)));
        filled.map_err(|error| FsError::io(path, Action::Read, error))?;
        while let Some((line, length)) = lines.next() {
            let (start, mut index) = (at, JsonIndex::default());
            at += length;
            let InputLine::Whole(line) = line else { continue };
            if line.trim_ascii().is_empty() {
                continue;
            }
            let (fixed, mut fixed_index) = (OnceCell::new(), JsonIndex::default());
            let json = index.check(line, JsonRules::LENIENT).ok().or_else(|| {
                let fixed = fixed.get_or_init(|| repaired(line)).as_deref()?;
                fixed_index.check(fixed, JsonRules::LENIENT).ok()
            });
            match json.and_then(whole_session) {
                Some(id) => runs.push((id, start..at)),
                // The file is of another kind.
                None if runs.is_empty() => return Ok(runs),
                None => {}
            }
            if let Some((_, place)) = runs.last_mut() {
                place.end = at;
            }
        }
    }
    if runs.len() < 2 {
        runs.clear();
    }
    Ok(runs)
}
