//! `runlog validate --fix`: what can be mended without losing anything.

use super::one::Validated;
use crate::check::derived::TRANSCRIPT;
use crate::check::mend::{Action, Standing, Status, Step, plan};
use crate::check::{chapters, state};
use crate::cli::clock::now;
use crate::cli::commands::{chapter, transcript};
use crate::cli::ui::Ui;
use crate::fs::{is_regular, keep_aside};
use crate::run::derive::refresh;
use crate::run::dir::RunDir;
use crate::run::mend::{ending, mend};
use crate::run::options::Options;

/// Plans, shows and does it; with `dry_run` it only plans.
pub(super) fn fix(
    run: &RunDir,
    found: &Validated,
    options: &Options,
    dry_run: bool,
    ui: &Ui,
) -> anyhow::Result<Vec<Step>> {
    let ending = ending(run, found.last_sequence, now())?;
    let mut steps = plan(&Standing {
        findings: &found.report.findings,
        ending: &ending,
        is_stale: found.is_stale,
        lost: found.lost,
    });
    refuse(run, &mut steps);
    if dry_run {
        return Ok(steps);
    }
    for step in steps.iter().filter(|step| step.status == Status::Planned) {
        ui.note(&format!("{}: {}", found.report.run_id, step.message));
    }
    let is = |file: &'static str| move |step: &Step| step.file == file;
    let wanted = |meant: &dyn Fn(&Step) -> bool| {
        steps.iter().any(|step| step.status == Status::Planned && meant(step))
    };
    if wanted(&|step| step.action != Action::Rebuild) {
        mend(run, ending.damaged.as_ref(), found.last_sequence, *options)?;
    }
    if wanted(&is_record) {
        refresh(run, options.lock_timeout)?;
    }
    if wanted(&is(TRANSCRIPT)) {
        let findings = &found.report.findings.all;
        if found.lost && findings.iter().any(|finding| finding.code == "RL504") {
            keep_aside(&run.transcript())?;
        }
        transcript::write(run)?;
    }
    if wanted(&is(chapters::FOLDER)) {
        chapter::rebuild(run, options, ui)?;
    }
    for step in steps.iter_mut().filter(|step| step.status == Status::Planned) {
        step.status = Status::Done;
    }
    Ok(steps)
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
                step.refuse(reason);
            }
        } else if step.file != chapters::FOLDER && taken(&step.file) {
            step.refuse("it is no regular file; move it away");
        }
    }
}
