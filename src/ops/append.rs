//! Appends events to a run and updates the derived files.

use std::time::Duration;

use super::refresh::{RefreshWarning, refresh_derived};
use super::report::{Notice, Reporter, report_recovery, report_stale};
use crate::event::advice::{advice, advice_on_metadata};
use crate::event::catalogue;
use crate::event::draft::Draft;
use crate::fs::read_small;
use crate::history::facts::RunFacts;
use crate::history::status::Status;
use crate::run::RunError;
use crate::run::batch::{Batch, RecordedEvent};
use crate::run::derive::MAX_STATE;
use crate::run::dir::RunDir;
use crate::run::document::stored_facts;
use crate::run::options::RecordOptions;
use crate::run::recorder::Recorder;
use crate::run::requirement::advice_on_required;

/// The result of an append and of the refresh after it.
#[derive(Debug)]
pub(crate) struct AppendOutcome {
    /// The events, in the order of the drafts.
    pub(crate) recorded: Vec<RecordedEvent>,
    /// The derived files that could not be updated.
    pub(crate) warnings: Vec<RefreshWarning>,
}

/// Appends the drafts in one write. Does not update the derived files.
///
/// # Errors
/// When the log cannot be appended to, or a draft is refused.
pub(crate) fn append(
    run: &RunDir,
    drafts: &[Draft<'_>],
    options: RecordOptions,
) -> Result<Vec<RecordedEvent>, RunError> {
    Recorder::open(run, options)?.append(drafts)?.outcomes.into_iter().collect()
}

/// Checks that the run can be recorded to, before something is paid for that is to be recorded.
///
/// # Errors
/// The same as for [`append`].
pub(crate) fn check_recordable(run: &RunDir, options: RecordOptions) -> Result<(), RunError> {
    Recorder::open(run, options)?.append(&[]).map(drop)
}

/// Appends the drafts in one write, then updates the derived files and the transcript.
///
/// # Errors
/// The same as for [`append`].
pub(crate) fn append_and_refresh(
    run: &RunDir,
    drafts: &[Draft<'_>],
    options: RecordOptions,
) -> Result<AppendOutcome, RunError> {
    let recorded = append(run, drafts, options)?;
    let warnings = refresh_derived(run, options.lock_timeout, true);
    Ok(AppendOutcome { recorded, warnings })
}

/// Appends one event through an open recorder, and updates the derived files after a lifecycle
/// event. `None` means that the recorder returned no outcome, which is a bug.
///
/// # Errors
/// When the log cannot be appended to, or the event is refused.
pub(crate) fn append_event(
    recorder: &mut Recorder,
    draft: &Draft<'_>,
    lock_timeout: Duration,
    report: &dyn Reporter,
) -> Result<Option<RecordedEvent>, RunError> {
    let before = match may_follow_end(&draft.kind) {
        true => facts_at_last_change(recorder.run()),
        false => None,
    };
    let mut batch = append_batch(recorder, std::slice::from_ref(draft), report)?;
    if batch.lifecycle {
        report_stale(&refresh_derived(recorder.run(), lock_timeout, true), report);
    }
    report_after_end(before, &batch.ends_and_starts, report);
    let recorded = batch.outcomes.pop().transpose()?;
    let told = |_| {
        let (kind, data) = (&draft.kind, draft.data());
        advice(kind, data)
            .or_else(|| advice_on_metadata(kind, data))
            .or_else(|| advice_on_required(kind, data))
    };
    if let Some(advice) = recorded.as_ref().and_then(told) {
        report.report(&Notice::Recording(&advice));
    }
    Ok(recorded)
}

/// Whether an event of that type ends a run, or begins work in it.
fn may_follow_end(kind: &str) -> bool {
    let role = catalogue::role(kind);
    Status::ended_by(role).is_some() || role.goes_on()
}

/// Reports the new events (their types are given, each once) that came after the run had ended: other
/// ends, and the first event that goes on. Only a worse end changes the status. `before`: the facts
/// before these events.
pub(crate) fn report_after_end(before: Option<RunFacts>, kinds: &[String], report: &dyn Reporter) {
    let Some(mut facts) = before.filter(|_| !kinds.is_empty()) else { return };
    for kind in kinds {
        let Some(end) = Status::ended_by(catalogue::role(kind)) else { continue };
        let status = facts.status;
        let is_worse = end.is_worse_end_than(status);
        if ended_otherwise(&facts, end) {
            let worse = is_worse.then_some(end);
            report.report(&Notice::EndedBefore { kind, status, worse });
        }
        if is_worse || !status.is_over() {
            facts.status = end;
        }
    }
    let status = facts.status;
    let goes_on = kinds.iter().find(|kind| catalogue::role(kind).goes_on());
    if let Some(kind) = goes_on.filter(|_| status.is_terminal()) {
        report.report(&Notice::GoesOnAfterEnd { kind, status });
    }
}

/// The facts of a run when its status last changed. If the state could not be written then, they
/// are older.
pub(crate) fn facts_at_last_change(run: &RunDir) -> Option<RunFacts> {
    let stored = read_small(&run.state(), MAX_STATE).ok().flatten();
    stored.and_then(|stored| stored_facts(&stored))
}

/// Whether a run had ended in another way before this end.
fn ended_otherwise(facts: &RunFacts, status: Status) -> bool {
    // A verdict on the deliverables makes `incomplete` of `completed`.
    let by_verdict = status == Status::Completed && facts.status == Status::Incomplete;
    let by_verdict = by_verdict && facts.deliverables.status.is_some();
    facts.status.is_over() && facts.status != status && !by_verdict
}

/// Appends the drafts in one write through an open recorder, and reports its warnings. Each draft
/// has its own outcome. Does not update the derived files.
///
/// # Errors
/// When the log cannot be appended to.
pub(crate) fn append_batch(
    recorder: &mut Recorder,
    drafts: &[Draft<'_>],
    report: &dyn Reporter,
) -> Result<Batch, RunError> {
    let batch = recorder.append(drafts)?;
    batch.warnings.iter().for_each(|warning| report.report(&Notice::Recording(warning)));
    report_recovery(batch.recovered_bytes, report);
    Ok(batch)
}
