//! The conversation graph of a run.

use crate::graph::GraphFold;
use crate::graph::model::Graph;
use crate::ops::read::each_event;
use crate::ops::report::{Reporter, report_bad_lines};
use crate::run::RunError;
use crate::run::dir::RunDir;

/// Reads the graph of a run. With `events`, every event is a node.
///
/// # Errors
/// When the log cannot be read.
pub(crate) fn graph(run: &RunDir, events: bool, report: &dyn Reporter) -> Result<Graph, RunError> {
    let mut fold = GraphFold::new(events);
    let read = each_event(run, |view, line| fold.observe(view, line.offset))?;
    report_bad_lines(read.bad_lines, run, report);
    Ok(fold.finish())
}
