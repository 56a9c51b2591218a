//! Compares the chapters of a run with its tasks, and the exported files with both.

use crate::chapter::index::Index;
use crate::chapter::outline::Outlines;
use crate::check::chapters::{FOLDER, event};
use crate::check::finding::{Finding, Findings, Place};
use crate::check::table::Code;
use crate::event::templates::Templates;
use crate::fs::check_dir;
use crate::ops::chapter::{compare, is_exported};
use crate::ops::error::OpsError;
use crate::ops::read::each_event;
use crate::ops::turn;
use crate::run::dir::RunDir;

/// Reads the run again, to compare each chapter with the tasks at the time of its event.
///
/// # Errors
/// When the log cannot be read, or an event has changed.
pub(super) fn check(
    run: &RunDir,
    templates: &'static Templates,
    findings: &mut Findings,
) -> Result<(), OpsError> {
    let mut found = Findings::default();
    let (mut index, mut outlines) = (Index::without_chapters(templates), Outlines::default());
    each_event(run, |view, line| {
        event(view, line, (&index, &outlines), &mut found);
        index.observe(view, line.offset);
        outlines.observe(view);
    })?;
    findings.append(found);
    match check_dir(&run.chapters()) {
        Ok(()) => {}
        // Nothing was exported.
        Err(error) if error.is_missing() => return Ok(()),
        // Nobody knows what the pages say that a reader finds there.
        Err(error) => {
            findings.push(Finding::new(Code::RL712, Place::file(FOLDER), error.to_string()));
            return Ok(());
        }
    }
    if let Err(error) = run.chapters().path().read_dir() {
        let place = Place::file(FOLDER);
        let message = format!("the folder cannot be read: {error}");
        findings.push(Finding::new(Code::RL712, place, message));
        return Ok(());
    }
    // The texts of the chapters are only needed here.
    drop((index, outlines));
    let mut index = Index::new(templates);
    each_event(run, |view, line| {
        index.observe(view, line.offset);
    })?;
    let mut exported = compare(run, &index)?;
    if !exported.edited.is_empty() || !exported.foreign.is_empty() {
        // Another process may have folded more in the meantime and may be writing the files.
        let mut index = Index::new(templates);
        each_event(run, |view, line| {
            index.observe(view, line.offset);
        })?;
        exported = compare(run, &index)?;
        if turn::is_taken(&run.chapters()) {
            exported.behind.append(&mut exported.edited);
            exported.foreign.clear();
        }
    }
    if !is_exported(run) {
        // Nobody has asked for the files.
        exported.behind.clear();
    }
    exported.finish(findings);
    Ok(())
}
