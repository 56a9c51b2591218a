//! `runlog validate --fix`: what can be mended without losing anything.

use super::one::Validated;
use crate::check::derived::TRANSCRIPT;
use crate::check::mend::{Action, Standing, Status, Step, plan};
use crate::check::{chapters, state};
use crate::cli::clock::now;
use crate::cli::exit::{Exit, Failure, explain};
use crate::cli::ui::Ui;
use crate::fs::{is_regular, keep_aside};
use crate::ops::chapter::rebuild;
use crate::ops::transcript;
use crate::run::derive::refresh;
use crate::run::dir::RunDir;
use crate::run::mend::{ending, mend};
use crate::run::options::Options;

/// What was done, and why not all of it.
pub(super) struct Fixed {
    pub(super) steps: Vec<Step>,
    pub(super) failure: Option<Failure>,
}

/// Plans, shows and does it; with `dry_run` it only plans.
pub(super) fn fix(
    run: &RunDir,
    found: &Validated,
    options: &Options,
    dry_run: bool,
    ui: &Ui,
) -> anyhow::Result<Fixed> {
    let ending = ending(run, found.last_sequence, now())?;
    let findings = &found.report.findings;
    let mut steps = plan(&Standing {
        findings,
        ending: &ending,
        is_empty: found.report.events == 0,
        is_stale: found.is_stale,
        lost: found.lost,
    });
    refuse(run, &mut steps);
    if dry_run {
        return Ok(Fixed { steps, failure: None });
    }
    for step in steps.iter().filter(|step| step.status == Status::Planned) {
        ui.note(&format!("{}: {}", found.report.run_id, step.message));
    }
    let edited = findings.all.iter().any(|finding| finding.code == "RL504");
    let end_in_order =
        || Ok(mend(run, ending.damaged.as_ref(), found.last_sequence, *options).map(drop)?);
    let records = || Ok(refresh(run, options.lock_timeout).map(drop)?);
    let transcript = || {
        if found.lost && edited {
            keep_aside(&run.transcript())?;
        }
        Ok(transcript::write(run)?)
    };
    let tree = || Ok(rebuild(run, options, ui)?);
    let outcomes = [
        attempt(&mut steps, |step| step.action != Action::Rebuild, end_in_order),
        attempt(&mut steps, is_record, records),
        attempt(&mut steps, |step| step.file == TRANSCRIPT, transcript),
        attempt(&mut steps, |step| step.file == chapters::FOLDER, tree),
    ];
    let failure = outcomes.into_iter().find_map(Result::err);
    Ok(Fixed { failure: failure.map(|error| failed(&error, &steps)), steps })
}

/// Does the steps that are meant, all at once, if any of them is planned.
fn attempt(
    steps: &mut [Step],
    is_meant: impl Fn(&Step) -> bool,
    act: impl FnOnce() -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let meant = |step: &&mut Step| step.status == Status::Planned && is_meant(step);
    let mut meant: Vec<&mut Step> = steps.iter_mut().filter(meant).collect();
    if meant.is_empty() {
        return Ok(());
    }
    let outcome = act();
    for step in &mut meant {
        match &outcome {
            Ok(()) => step.status = Status::Done,
            Err(error) => step.stop(Status::Failed, &format!("{error:#}")),
        }
    }
    outcome
}

/// A lock that was not to be had is told as such where nothing was written.
fn failed(error: &anyhow::Error, steps: &[Step]) -> Failure {
    let failure = explain(error);
    let untouched = steps.iter().all(|step| step.status != Status::Done);
    let exit = if failure.exit == Exit::Busy && untouched { Exit::Busy } else { Exit::Io };
    Failure::new(exit, failure.message)
        .hint("the report tells what was mended; try again when the cause is gone")
}

/// Whether a step makes one of the files that are made together.
fn is_record(step: &Step) -> bool {
    step.file == state::STATE || step.file.starts_with("logs/")
}

/// Refuses what would take something's place that is no derived file.
fn refuse(run: &RunDir, steps: &mut [Step]) {
    let taken = |file: &str| {
        let path = run.path().join(file);
        path.symlink_metadata().is_ok() && !is_regular(&path)
    };
    let records = steps.iter().find(|step| is_record(step) && taken(&step.file));
    let records = records.map(|step| format!("{} is no regular file; move it away", step.file));
    for step in steps.iter_mut().filter(|step| step.action == Action::Rebuild) {
        if is_record(step) {
            if let Some(reason) = &records {
                step.stop(Status::Refused, reason);
            }
        } else if step.file == chapters::FOLDER {
            if run.chapters().symlink_metadata().is_ok_and(|there| !there.is_dir()) {
                step.stop(Status::Refused, "something else has that name; move it away");
            }
        } else if taken(&step.file) {
            step.stop(Status::Refused, "it is no regular file; move it away");
        }
    }
}
