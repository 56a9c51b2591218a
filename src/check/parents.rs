//! The parents that events name: whether they are in the log, and whether they form a cycle.

use super::finding::{Finding, Findings, Place};
use super::ids::Ids;
use super::parent_cycles::ParentCycles;
use super::references::{OpenReference, OpenReferences};
use super::table::{Code, Level};
use crate::event::fields::View;

/// The checks on parents.
#[derive(Debug, Default)]
pub(super) struct Parents {
    missing: OpenReferences,
    cycles: ParentCycles,
}

impl Parents {
    /// Takes an event whose id is in `ids`.
    pub(super) fn observe(
        &mut self,
        view: &View<'_, '_>,
        ids: &Ids,
        place: impl Fn() -> Place,
        findings: &mut Findings,
    ) {
        let (event, imported) = (view.event, view.is_imported());
        let parent = event.parent_event_id.as_deref();
        if let Some(parent) = parent {
            self.missing.add(parent, imported, ids, &place);
        }
        if self.cycles.closes(&event.event_id, parent, ids) {
            let message = "this event is its own ancestor";
            let finding = Finding::new(Code::RL206, place(), message);
            findings.push(if imported { finding.at_most(Level::Info) } else { finding });
        }
    }

    /// Adds the findings after the last line: the parents that are not in the log.
    pub(super) fn finish(self, ids: &Ids, findings: &mut Findings) {
        let (parents, more) = self.missing.finish(ids);
        for OpenReference { id, place, imported } in parents {
            let message = format!("the parent {id} is not in the log");
            let finding = Finding::new(Code::RL201, place, message);
            findings.push(if imported { finding.at_most(Level::Info) } else { finding });
        }
        findings.add(Code::RL201, Code::RL201.check().level, more[0]);
        findings.add(Code::RL201, Level::Info, more[1]);
    }
}
