//! Events appended to a run, all of them or an error.

use super::refresh::{RefreshWarning, refresh_derived};
use crate::event::draft::Draft;
use crate::run::RunError;
use crate::run::batch::Recorded;
use crate::run::dir::RunDir;
use crate::run::options::Options;
use crate::run::recorder::Recorder;

/// What an append and the refresh after it return.
#[derive(Debug)]
pub(crate) struct Appended {
    /// The events, in the order of the drafts.
    pub(crate) recorded: Vec<Recorded>,
    /// The derived files that could not be brought up to date.
    pub(crate) warnings: Vec<RefreshWarning>,
}

/// Appends the drafts in one write. The derived files are left to the caller.
///
/// # Errors
/// When the log cannot be appended to, or a draft is refused.
pub(crate) fn append(
    run: &RunDir,
    drafts: &[Draft<'_>],
    options: Options,
) -> Result<Vec<Recorded>, RunError> {
    Recorder::open(run.clone(), options)?.append(drafts)?.outcomes.into_iter().collect()
}

/// Appends the drafts in one write, then brings the derived files and the transcript up to date.
///
/// # Errors
/// As [`append`].
pub(crate) fn append_and_refresh(
    run: &RunDir,
    drafts: &[Draft<'_>],
    options: Options,
) -> Result<Appended, RunError> {
    let recorded = append(run, drafts, options)?;
    let warnings = refresh_derived(run, options.lock_timeout, true);
    Ok(Appended { recorded, warnings })
}
