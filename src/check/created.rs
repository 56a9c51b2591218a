//! The checks on `run.created`.

use super::table::Code;
use crate::event::advice::{advice, hides_deliverables, lists_deliverables};
use crate::event::fields::View;
use crate::event::role::Role;

/// What is wrong with an event, if it is a `run.created`. `has_begun`: the log has earlier events.
pub(super) fn faults(view: &View<'_, '_>, has_begun: bool) -> Vec<(Code, String)> {
    if view.role != Role::RunCreated || view.is_imported() {
        return Vec::new();
    }
    let mut faults = Vec::new();
    if has_begun {
        let message = "run.created is not the first event: two logs may have been joined";
        faults.push((Code::RL401, message.to_owned()));
    }
    let (kind, data) = (&view.event.kind, view.event.data);
    let advice = advice(kind, data);
    if !lists_deliverables(data) {
        let message = "deliverables.required is not a list of paths, so nothing is required";
        faults.push((Code::RL906, message.to_owned()));
    } else if hides_deliverables(data) {
        let message =
            "no deliverable is required, but the name of a field is nearly `deliverables`";
        faults.push((Code::RL906, advice.unwrap_or_else(|| message.to_owned())));
    } else if let Some(advice) = advice {
        faults.push((Code::RL905, advice));
    }
    faults
}
