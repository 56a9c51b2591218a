//! The index of tasks and chapters, read from a run.

use crate::chapter::index::Index;
use crate::ops::read::{Read, each_event};
use crate::ops::report::{Report, report_bad_lines};
use crate::run::RunError;
use crate::run::dir::RunDir;

/// Reads the whole run into an empty index.
///
/// # Errors
/// When the log cannot be read.
pub(crate) fn read_index(
    run: &RunDir,
    mut index: Index,
    report: &dyn Report,
) -> Result<(Index, Read), RunError> {
    let read = each_event(run, |view, line| {
        index.observe(view, line.offset);
    })?;
    report_bad_lines(read.bad_lines, run, report);
    Ok((index, read))
}
