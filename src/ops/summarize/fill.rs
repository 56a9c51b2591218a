//! Adds missing summaries, from templates and from a model.

use super::reading::RunReading;
use super::served::Served;
use super::worker::Worker;
use crate::event::draft::Draft;
use crate::ops::error::OpsError;
use crate::ops::refresh::refresh_derived;
use crate::ops::report::{Reporter, report_stale};
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::run::options::RecordOptions;
use crate::run::recorder::Recorder;

/// The worker for a run, and whether it continues until the run ends.
#[derive(Clone, Copy)]
pub(crate) struct Service<'w> {
    /// The worker.
    pub(crate) worker: &'w Worker<'w>,
    /// Whether it continues until the run ends.
    pub(crate) follow: bool,
}

/// The summaries that were added.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FillOutcome {
    /// Number of summaries from templates.
    pub(crate) by_templates: u64,
    /// The result of the model calls.
    pub(crate) served: Served,
}

/// Adds the missing summaries of a run, first from templates and then from a worker if there is
/// one. Updates the derived files if they are out of date.
///
/// # Errors
/// When the run cannot be read or recorded to, or another worker serves it for too long.
pub(crate) fn fill_run(
    reading: &mut RunReading,
    service: Option<Service<'_>>,
    options: RecordOptions,
    report: &dyn Reporter,
) -> Result<FillOutcome, OpsError> {
    let by_templates = fill(reading, options)?;
    let served = match service {
        None => Served::default(),
        Some(Service { worker, follow: true }) => worker.follow(reading)?,
        Some(Service { worker, follow: false }) => worker.serve(reading)?,
    };
    if !reading.derived_files_are_right() {
        report_stale(&refresh_derived(&reading.run, options.lock_timeout, false), report);
    }
    Ok(FillOutcome { by_templates, served })
}

/// Records the summaries from templates. Returns their number.
///
/// # Errors
/// When the run cannot be read or recorded to.
pub(super) fn fill(reading: &mut RunReading, options: RecordOptions) -> Result<u64, RunError> {
    let drafts = reading.plan.drafts();
    if drafts.is_empty() {
        return Ok(0);
    }
    let (filled, _) = append(&reading.run, options, &drafts)?;
    reading.catch_up()?;
    Ok(filled)
}

/// Appends events whose ids are derived from their content. Returns how many are new, and how many
/// have an id that another event already has.
///
/// # Errors
/// When the run cannot be recorded to.
pub(super) fn append(
    run: &RunDir,
    options: RecordOptions,
    drafts: &[Draft<'_>],
) -> Result<(u64, u64), RunError> {
    let mut recorder = Recorder::open(run, options)?;
    recorder.expect_many_ids();
    let (mut new, mut taken) = (0, 0);
    for outcome in recorder.append(drafts)?.outcomes {
        match outcome {
            Ok(event) => new += u64::from(!event.repeated),
            Err(RunError::Conflict { .. }) => taken += 1,
            Err(error) => return Err(error),
        }
    }
    Ok((new, taken))
}
