//! Updates the files derived from a log after an append.

use std::fmt;
use std::time::Duration;

use super::error::OpsError;
use super::transcript;
use super::transcript_ahead::TranscriptAhead;
use crate::run::RunError;
use crate::run::derive::{Refreshed, refresh};
use crate::run::dir::RunDir;
use crate::run::follower::Follower;

/// A derived file that is out of date. The events are in the log and the file can be rebuilt from
/// it, so this is only a warning.
#[derive(Debug)]
pub(crate) enum RefreshWarning {
    /// `run.json` and the records were not updated.
    State(RunError),
    /// The log no longer has the line with this sequence, which `run.json` names as head.
    HeadMissing(u64),
    /// `transcript.md` was not written.
    Transcript(RunError),
    /// The exported tree of chapters was not updated.
    Chapters(OpsError),
}

impl fmt::Display for RefreshWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::State(error) => write!(f, "run.json was not updated: {error}"),
            Self::HeadMissing(sequence) => write!(
                f,
                "the log was changed: its line {sequence} is not the one that run.json names; \
                 run.json still names it, and its numbers are those of the log as it is now"
            ),
            Self::Transcript(error) => write!(f, "transcript.md was not written: {error}"),
            Self::Chapters(error) => write!(f, "chapters/ was not updated: {error}"),
        }
    }
}

/// Updates `run.json` and the records. With `transcript`, also `transcript.md`.
pub(crate) fn refresh_derived(
    run: &RunDir,
    lock_timeout: Duration,
    transcript: bool,
) -> Vec<RefreshWarning> {
    refresh_derived_from(None, run, lock_timeout, transcript)
}

/// Like [`refresh_derived`], but continues from what a follower has already read.
pub(crate) fn refresh_derived_from(
    ahead: Option<Follower>,
    run: &RunDir,
    lock_timeout: Duration,
    transcript: bool,
) -> Vec<RefreshWarning> {
    let refreshed = match ahead {
        Some(ahead) => ahead.finish(lock_timeout),
        None => refresh(run, lock_timeout),
    };
    let mut warnings: Vec<RefreshWarning> = state_warning(refreshed).into_iter().collect();
    if transcript {
        warnings.extend(transcript::write(run).err().map(RefreshWarning::Transcript));
    }
    warnings
}

/// Like [`refresh_derived`], but continues from what a follower and its observer have read.
pub(crate) fn refresh_derived_observed(
    ahead: Follower,
    observer: TranscriptAhead,
    run: &RunDir,
    lock_timeout: Duration,
) -> Vec<RefreshWarning> {
    let refreshed = ahead.finish(lock_timeout);
    let is_observed = refreshed.as_ref().is_ok_and(|refreshed| refreshed.is_observed);
    let written = observer.write(run, is_observed);
    let transcript = written.err().map(RefreshWarning::Transcript);
    state_warning(refreshed).into_iter().chain(transcript).collect()
}

fn state_warning(refreshed: Result<Refreshed, RunError>) -> Option<RefreshWarning> {
    match refreshed {
        Ok(refreshed) => {
            refreshed.head_mismatch.map(|head| RefreshWarning::HeadMissing(head.sequence))
        }
        Err(error) => Some(RefreshWarning::State(error)),
    }
}
