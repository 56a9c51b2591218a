//! Remarks about a run that several commands print.

use super::ui::Ui;
use crate::ops::refresh::RefreshWarning;
use crate::render::human::plural;
use crate::run::dir::RunDir;

/// Warns that lines of the log were skipped, if any were.
pub(super) fn print_bad_lines(bad_lines: u64, run: &RunDir, ui: &Ui) {
    if bad_lines > 0 {
        ui.warn(&format!(
            "{} of {} hold no event and were passed over; `runlog validate {}` names them",
            plural(bad_lines, "line"),
            run.events().display(),
            run.name()
        ));
    }
}

/// Warns of each derived file that is not up to date.
pub(super) fn print_warnings(warnings: &[RefreshWarning], ui: &Ui) {
    warnings.iter().for_each(|warning| ui.warn(&warning.to_string()));
}
