//! Reads the rows of runs.

mod copies;

pub(crate) use copies::{Copies, related_runs};

use crate::fs::hash::line_hash;
use crate::fs::{Access, open_regular};
use crate::log::reader::line_at;
use crate::ops::read::events_before;
use crate::ops::report::{Reporter, report_bad_lines};
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::tables::{LogHead, RowPass, RowSink, TableFold};

/// Reads the log of a run twice and gives its rows to the sink: those of `runs`, `calls`, `usage`
/// and `files`, and those of `events` if they are wanted. What is appended after the first pass
/// has begun is left out. Lines that cannot be read are reported.
///
/// # Errors
/// When the log cannot be read.
pub(crate) fn read_rows(
    run: &RunDir,
    with_events: bool,
    source: (&Copies, &dyn Reporter),
    sink: &mut impl RowSink,
) -> Result<(), RunError> {
    read_rows_until(run, u64::MAX, with_events, source, sink)
}

/// Like [`read_rows`], for the lines that begin before byte `end`.
///
/// # Errors
/// When the log cannot be read.
pub(crate) fn read_rows_until(
    run: &RunDir,
    end: u64,
    with_events: bool,
    (copies, report): (&Copies, &dyn Reporter),
    sink: &mut impl RowSink,
) -> Result<(), RunError> {
    let mut fold = TableFold::default();
    let mut last = None;
    let read = events_before(run, end, |view, line| {
        fold.observe(view, line.offset);
        last = Some((view.event.sequence, line.offset));
    })?;
    report_bad_lines(read.bad_lines, run, report);
    let head = match last {
        Some((sequence, offset)) => head_at(run, sequence, offset)?,
        None => LogHead::default(),
    };
    let shared = copies.of_run(&run.name(), fold.run_id());
    let mut pass = RowPass::new(&fold, &shared, with_events);
    let mut row = pass.run(&head);
    if row.run_id.is_empty() {
        // The log has no event that names the run.
        run.name().clone_into(&mut row.run_id);
    }
    sink.run(row);
    sink.agents(pass.agents());
    events_before(run, read.end, |view, line| pass.observe(view, line.offset, sink))?;
    pass.finish(sink);
    Ok(())
}

/// The event with this number as the last one of the log. Its line begins at byte `offset`.
///
/// # Errors
/// When the log cannot be read.
pub(crate) fn head_at(run: &RunDir, sequence: u64, offset: u64) -> Result<LogHead, RunError> {
    let log = run.events();
    let line = line_at(log.path(), &open_regular(&log, Access::Read)?, offset)?;
    Ok(LogHead { sequence: Some(sequence), hash: Some(line_hash(&line)) })
}
