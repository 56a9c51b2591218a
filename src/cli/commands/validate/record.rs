//! `runlog validate --record`: the verdict on the deliverables as events.

use crate::check::deliverables::{Deliverable, Verdict, worst};
use crate::cli::ui::Ui;
use crate::event::draft::Draft;
use crate::event::json::{Json, ObjectText, quoted};
use crate::ops::append::append_and_refresh;
use crate::ops::report::report_stale;
use crate::run::dir::RunDir;
use crate::run::options::Options;

/// Appends that the deliverables were checked, each that did not pass, and the verdict.
pub(super) fn record(
    run: &RunDir,
    deliverables: &[Deliverable],
    options: Options,
    ui: &Ui,
) -> anyhow::Result<()> {
    let list = |paths: &mut dyn Iterator<Item = &Deliverable>| {
        let paths: Vec<String> = paths.map(|one| quoted(&one.path)).collect();
        format!("[{}]", paths.join(","))
    };
    let unmet = || deliverables.iter().filter(|one| one.verdict != Verdict::Passed);
    let mut started = ObjectText::new();
    started.json("required", Json::trusted(&list(&mut deliverables.iter())));
    let mut drafts = vec![Draft::new("deliverable.check.started", started)];
    for one in unmet() {
        let mut missing = ObjectText::new();
        missing.text("path", &one.path).text("status", one.status);
        missing.text_if("reason", one.reason.as_deref());
        drafts.push(Draft::new("deliverable.missing", missing));
    }
    let mut completed = ObjectText::new();
    completed.text("status", worst(deliverables).name());
    completed.json("missing", Json::trusted(&list(&mut unmet())));
    drafts.push(Draft::new("deliverable.check.completed", completed));
    report_stale(&append_and_refresh(run, &drafts, options)?.warnings, ui);
    Ok(())
}
