//! Compares the chapters of a run with its tasks, and the exported files with both.

use crate::chapter::index::Index;
use crate::check::chapters::event;
use crate::check::finding::Findings;
use crate::event::templates::Templates;
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
    let mut index = Index::with_calls(templates);
    each_event(run, |view, line| {
        event(view, line, &index, &mut found);
        index.observe(view, line.offset);
    })?;
    findings.append(found);
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
