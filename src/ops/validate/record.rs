//! Records the verdict on the deliverables as events.

use crate::check::deliverables::{Deliverable, Verdict, worst};
use crate::check::report::RunReport;
use crate::event::draft::Draft;
use crate::json::{Json, ObjectText, quoted};
use crate::ops::append::append_and_refresh;
use crate::ops::refresh::RefreshWarning;
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::run::options::RecordOptions;

/// Appends one event for the check, one per deliverable that did not pass, and one for the verdict,
/// with the recorded files that nothing requires now, or that changed (`kept`).
/// Returns the derived files that could not be updated.
///
/// # Errors
/// When the log cannot be appended to.
pub(crate) fn record(
    run: &RunDir,
    report: &RunReport,
    options: RecordOptions,
) -> Result<Vec<RefreshWarning>, RunError> {
    let RunReport { deliverables, kept, has_changed, .. } = report;
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
    let changed = if *has_changed { Verdict::Failed } else { Verdict::Passed };
    completed.text("status", worst(deliverables).max(changed).name());
    completed.json("missing", Json::trusted(&list(&mut unmet())));
    let files = deliverables.iter().flat_map(|one| &one.files).map(|file| {
        let mut object = ObjectText::new();
        object.text("path", &file.path).plain("bytes", file.bytes);
        object.text_if("sha256", file.sha256.as_deref()).text("status", file.verdict.name());
        object.finish()
    });
    // A file stays evidence, whether the next check names it or not.
    let kept = kept.iter().map(|file| {
        let mut object = ObjectText::new();
        object.text("path", &file.path).plain("bytes", file.bytes);
        object.text("sha256", &file.sha256).text("status", Verdict::Passed.name());
        object.finish()
    });
    let files = format!("[{}]", files.chain(kept).collect::<Vec<_>>().join(","));
    completed.json("files", Json::trusted(&files));
    drafts.push(Draft::new("deliverable.check.completed", completed));
    Ok(append_and_refresh(run, &drafts, options)?.warnings)
}
