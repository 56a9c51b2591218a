//! How much of the input was rejected, by what the log says about it.

use super::finding::{Finding, Place};
use super::log::LOG;
use super::table::Code;
use crate::event::fields::View;
use crate::event::role::Role;
use crate::history::status::Status;
use crate::json::Json;
use crate::text::human::plural;

/// Counts accepted events and rejected lines.
#[derive(Debug, Default)]
pub(super) struct Rejections {
    /// Events, without those that only report on the recording or the state of the run.
    accepted: u64,
    /// Rejected lines.
    rejected: u64,
    /// The place of the newest event that reports rejected lines.
    place: Option<Place>,
}

impl Rejections {
    /// Takes the next event, at that place.
    pub(super) fn observe(&mut self, view: &View<'_, '_>, place: impl Fn() -> Place) {
        match view.role {
            Role::RejectedLines => {
                let lines = view.data.get("lines").and_then(Json::as_u64).unwrap_or(0);
                self.rejected = self.rejected.saturating_add(lines);
                self.place = Some(place());
            }
            Role::Recovered => {}
            // The beginning and the end of the run are not input.
            role if Status::of_role(role).is_some() => {}
            _ => self.accepted += 1,
        }
    }

    /// The finding if more lines were rejected than events recorded.
    pub(super) fn finding(self) -> Option<Finding> {
        let Self { accepted, rejected, place } = self;
        let place = place.filter(|_| rejected > accepted)?;
        let (lines, events) = (plural(rejected, "line"), plural(accepted, "event"));
        let message = format!("{lines} rejected, {events} recorded");
        Some(Finding::new(Code::RL015, Place { file: LOG.into(), ..place }, message))
    }
}
