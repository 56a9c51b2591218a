//! Statistics over runs.

use crate::ops::report::Reporter;
use crate::ops::tables::{Copies, read_rows};
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::tables::statistics::{Dimension, Groups, StatisticsSink};

/// The groups of one run.
///
/// # Errors
/// When the log cannot be read.
pub(crate) fn run_groups(
    run: &RunDir,
    dimensions: &[Dimension],
    copies: &Copies,
    report: &dyn Reporter,
) -> Result<Groups, RunError> {
    let mut sink = StatisticsSink::new(dimensions);
    read_rows(run, false, (copies, report), &mut sink)?;
    Ok(sink.finish())
}
