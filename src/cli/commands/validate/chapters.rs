//! The chapters of a run held against its tasks, and their files against both.

use crate::chapter::index::Index;
use crate::check::chapters::event;
use crate::check::finding::Findings;
use crate::event::templates::Templates;
use crate::ops::chapter::compare;
use crate::ops::read::each_event;
use crate::ops::turn;
use crate::run::dir::RunDir;

/// Reads the run once more, as the chapters do: its tasks as of each chapter's event.
pub(super) fn check(
    run: &RunDir,
    templates: &'static Templates,
    findings: &mut Findings,
) -> anyhow::Result<()> {
    let mut found = Findings::default();
    let mut index = Index::with_calls(templates);
    each_event(run, |view, line| {
        event(view, line, &index, &mut found);
        index.observe(view, line.offset);
    })?;
    findings.all.append(&mut found.all);
    let mut exported = compare(run, &index)?;
    if !exported.edited.is_empty() {
        // Somebody may just have folded more, and be writing.
        let mut index = Index::new(templates);
        each_event(run, |view, line| {
            index.observe(view, line.offset);
        })?;
        exported = compare(run, &index)?;
        if turn::is_taken(&run.chapters()) {
            exported.behind.append(&mut exported.edited);
        }
    }
    exported.finish(findings);
    Ok(())
}
