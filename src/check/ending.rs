//! The statuses that a run must have for its verdict to be good.

use std::str::FromStr;

use super::finding::{Finding, Place};
use super::table::Code;
use crate::history::state::RunState;
use crate::history::status::Status;
use crate::text::inert::preview;

/// Maximum width of the reason why a run did not complete, in columns.
const REASON: usize = 120;

/// The statuses accepted when a run is validated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ExpectedStatus {
    /// Any status.
    Any,
    /// One of these statuses.
    OneOf(Vec<Status>),
}

impl Default for ExpectedStatus {
    /// The run completed, or it was imported.
    fn default() -> Self {
        Self::OneOf(vec![Status::Completed, Status::Imported])
    }
}

impl FromStr for ExpectedStatus {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "any" {
            return Ok(Self::Any);
        }
        let status = |name: &str| {
            Status::parse(name.trim()).ok_or_else(|| {
                let known = Status::ALL.map(Status::name).join(", ");
                format!("\"{name}\" is not a status; use any, or one or more of {known}")
            })
        };
        text.split(',').map(status).collect::<Result<_, _>>().map(Self::OneOf)
    }
}

impl ExpectedStatus {
    /// Whether this status is accepted.
    #[must_use]
    pub(crate) fn accepts(&self, status: Status) -> bool {
        match self {
            Self::Any => true,
            Self::OneOf(statuses) => statuses.contains(&status),
        }
    }

    /// The finding for a run with an unexpected status. `place` is its last event.
    #[must_use]
    pub(crate) fn finding(&self, state: &RunState, place: Place) -> Option<Finding> {
        let Self::OneOf(statuses) = self else { return None };
        let status = state.status();
        if self.accepts(status) {
            return None;
        }
        let names: Vec<&str> = statuses.iter().map(|status| status.name()).collect();
        let reason = state.end_reason().map(|reason| format!(" ({})", preview(&reason, REASON)));
        let message = format!(
            "the run is {}{}, expected {}",
            status.name(),
            reason.unwrap_or_default(),
            names.join(" or ")
        );
        Some(Finding::new(Code::RL409, place, message))
    }
}
