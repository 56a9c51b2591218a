//! How much of the input was rejected, by what the log says about it.

use super::finding::{Finding, Place};
use super::log::LOG;
use super::table::{Code, Level};
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
    /// Calls that have begun and not ended.
    open_calls: u64,
    /// Whether lines were rejected during a call: the call is that of the program that wrote them.
    is_in_call: bool,
    /// The place of the newest event that reports rejected lines.
    place: Option<Place>,
}

impl Rejections {
    /// Takes the next event, at that place.
    pub(super) fn observe(&mut self, view: &View<'_, '_>, place: impl Fn() -> Place) {
        match view.role {
            Role::ToolStart => self.open_calls += 1,
            Role::ToolEnd | Role::ToolFail => self.open_calls = self.open_calls.saturating_sub(1),
            _ => {}
        }
        match view.role {
            Role::RejectedLines => {
                let lines = view.data.get("lines").and_then(Json::as_u64).unwrap_or(0);
                self.rejected = self.rejected.saturating_add(lines);
                self.place = Some(place());
                self.is_in_call |= self.open_calls > 0;
            }
            Role::Recovered => {}
            // The beginning and the end of the run are not input.
            role if Status::of_role(role).is_some() => {}
            _ => self.accepted += 1,
        }
    }

    /// The finding if lines were rejected. It is a note unless they are more than the events recorded.
    pub(super) fn finding(self) -> Option<Finding> {
        let Self { rejected, place, .. } = self;
        // The start and the end of that call are no input.
        let accepted = self.accepted.saturating_sub(if self.is_in_call { 2 } else { 0 });
        let place = place.filter(|_| rejected > 0)?;
        let level = if rejected > accepted { Level::Warning } else { Level::Info };
        let (lines, events) = (plural(rejected, "line"), plural(accepted, "event"));
        let message = format!(
            "{lines} rejected, {events} recorded, not counting the start and end of the run"
        );
        let place = Place { file: LOG.into(), ..place };
        Some(Finding::new(Code::RL015, place, message).at_most(level))
    }
}
