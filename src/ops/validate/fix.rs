//! Fixes that lose no data: planned from the findings, then applied.

use super::leftovers::temporary_files;
use super::validation::Validated;
use crate::check::derived::TRANSCRIPT;
use crate::check::finding::{Finding, Findings};
use crate::check::mend::{FixAction, FixInput, Step, StepStatus, plan};
use crate::check::table::Code;
use crate::check::{chapters, state};
use crate::event::time::Timestamp;
use crate::fs::{is_regular, keep_copy, read_small, remove_file};
use crate::ops::chapter::{is_witness, rebuild};
use crate::ops::error::OpsError;
use crate::ops::report::Reporter;
use crate::ops::transcript;
use crate::run::RunError;
use crate::run::derive::{MAX_STATE, refresh};
use crate::run::dir::RunDir;
use crate::run::mend::{LogEnd, ending, mend};
use crate::run::options::RecordOptions;
use crate::run::witness;

/// The plan of a fix.
pub(crate) struct FixPlan {
    /// The steps, in order.
    pub(crate) steps: Vec<Step>,
    ending: LogEnd,
    last_sequence: u64,
    /// Whether `run.json` may be the only witness of what the log was: its head could not be read, or
    /// it disagrees with a damaged log.
    unread: bool,
}

/// The result of a fix.
pub(crate) struct Fixed {
    /// The steps, in order.
    pub(crate) steps: Vec<Step>,
    /// The first error. Later steps were still tried.
    pub(crate) error: Option<OpsError>,
}

impl Fixed {
    /// Whether no step was done.
    pub(crate) fn is_untouched(&self) -> bool {
        self.steps.iter().all(|step| step.status != StepStatus::Done)
    }
}

/// Plans what can be fixed in a run.
///
/// # Errors
/// When the log cannot be read.
pub(crate) fn plan_fix(
    run: &RunDir,
    found: &Validated,
    now: Timestamp,
) -> Result<FixPlan, RunError> {
    let ending = ending(run, found.last_sequence, now)?;
    let findings = &found.report.findings;
    let mut steps = plan(&FixInput {
        findings,
        ending: &ending,
        is_empty: found.report.events == 0,
        is_stale: found.is_stale,
    });
    let has = |code| findings.all.iter().any(|finding| finding.code == code);
    let unread = has(Code::RL404) || (found.lost && has(Code::RL405));
    tell_kept(run, findings, unread && may_tell_head(run), &mut steps);
    refuse(run, &mut steps);
    Ok(FixPlan { steps, ending, last_sequence: found.last_sequence, unread })
}

impl FixPlan {
    /// The planned steps.
    pub(crate) fn planned(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(|step| step.status == StepStatus::Planned)
    }

    /// Does the planned steps. If a step fails, the others are still done.
    pub(crate) fn apply(
        self,
        run: &RunDir,
        options: &RecordOptions,
        report: &dyn Reporter,
    ) -> Fixed {
        let Self { mut steps, ending, last_sequence, unread } = self;
        let end_in_order =
            || Ok(mend(run, ending.damaged.as_ref(), last_sequence, *options).map(drop)?);
        let records = || {
            if unread && may_tell_head(run) {
                keep_copy(&run.state())?;
            }
            Ok(refresh(run, options.lock_timeout).map(drop)?)
        };
        let transcript = || Ok(transcript::write(run)?);
        let tree = || rebuild(run, options, report);
        let ends = |step: &Step| !matches!(step.action, FixAction::Rebuild | FixAction::Clear);
        let outcomes = [
            attempt(&mut steps, ends, end_in_order),
            attempt(&mut steps, is_record, records),
            attempt(&mut steps, |step| step.file == TRANSCRIPT, transcript),
            attempt(&mut steps, |step| step.file == chapters::FOLDER, tree),
            attempt(&mut steps, |step| step.action == FixAction::Clear, || clear(run)),
        ];
        let error = outcomes.into_iter().find_map(Result::err);
        Fixed { steps, error }
    }
}

/// Whether a person may still find out from `run.json` how the log ended.
fn may_tell_head(run: &RunDir) -> bool {
    let stored = read_small(&run.state(), MAX_STATE).ok().flatten().unwrap_or_default();
    String::from_utf8_lossy(&stored).contains("\"hash\"")
}

/// Removes the temporary files of processes that no longer exist.
fn clear(run: &RunDir) -> Result<(), OpsError> {
    for file in temporary_files(run) {
        remove_file(&file)?;
    }
    Ok(())
}

/// Does the planned steps selected by `is_meant` with a single call of `act`, if there are any.
fn attempt(
    steps: &mut [Step],
    is_meant: impl Fn(&Step) -> bool,
    act: impl FnOnce() -> Result<(), OpsError>,
) -> Result<(), OpsError> {
    let meant = |step: &&mut Step| step.status == StepStatus::Planned && is_meant(step);
    let mut meant: Vec<&mut Step> = steps.iter_mut().filter(meant).collect();
    if meant.is_empty() {
        return Ok(());
    }
    let outcome = act();
    for step in &mut meant {
        match &outcome {
            Ok(()) => step.status = StepStatus::Done,
            Err(error) => step.stop(StepStatus::Failed, &error.to_string()),
        }
    }
    outcome
}

/// Whether a step rebuilds one of the files that are rebuilt together.
fn is_record(step: &Step) -> bool {
    step.file == state::STATE || step.file.starts_with("logs/")
}

/// Says which of the old files are kept: those that may have what the log has lost.
fn tell_kept(run: &RunDir, findings: &Findings, keeps_state: bool, steps: &mut [Step]) {
    for step in steps.iter_mut().filter(|step| step.action == FixAction::Rebuild) {
        let of_file = |finding: &&Finding| finding.place.file == step.file;
        let mut found = findings.all.iter().filter(of_file);
        let path = run.directory().join(&step.file);
        let is_kept = match step.file.as_str() {
            state::STATE => keeps_state,
            chapters::FOLDER => is_witness(run),
            TRANSCRIPT => read_small(&path, u64::MAX)
                .ok()
                .flatten()
                .is_some_and(|old| witness::is_witness(&run.events(), &old)),
            _ => found.any(|finding| finding.code == Code::RL502) && path.is_there(),
        };
        if is_kept {
            step.message += "; the old file is kept next to it";
        }
    }
}

/// Refuses the steps that would replace something that is not a derived file.
fn refuse(run: &RunDir, steps: &mut [Step]) {
    let taken = |file: &str| {
        let path = run.directory().join(file);
        path.is_there() && !is_regular(&path)
    };
    let records = steps.iter().find(|step| is_record(step) && taken(&step.file));
    let records = records.map(|step| format!("{} is not a regular file; move it away", step.file));
    for step in steps.iter_mut().filter(|step| step.action == FixAction::Rebuild) {
        if is_record(step) {
            if let Some(reason) = &records {
                step.stop(StepStatus::Refused, reason);
            }
        } else if step.file == chapters::FOLDER {
            if run.chapters().metadata().is_ok_and(|there| !there.is_dir()) {
                step.stop(StepStatus::Refused, "something else has this name; move it away");
            }
        } else if taken(&step.file) {
            step.stop(StepStatus::Refused, "it is not a regular file; move it away");
        }
    }
}
