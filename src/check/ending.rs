//! How a run must have ended for its verdict to be good, and what began after its end.

use std::str::FromStr;

use super::finding::{Finding, Place};
use super::table::{Code, Level};
use crate::event::fields::View;
use crate::event::role::Role;
use crate::history::last_turn::LastTurn;
use crate::history::state::RunState;
use crate::history::status::Status;
use crate::history::tasks::CHAPTER_TASK;
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
    /// Those of the statuses that are accepted by default; `None` if there are none.
    #[must_use]
    pub(crate) fn narrowed(&self) -> Option<Self> {
        let Self::OneOf(mut statuses) = Self::default() else { return None };
        statuses.retain(|status| self.accepts(*status));
        (!statuses.is_empty()).then_some(Self::OneOf(statuses))
    }

    /// Whether this status is accepted.
    #[must_use]
    pub(crate) fn accepts(&self, status: Status) -> bool {
        match self {
            Self::Any => true,
            Self::OneOf(statuses) => statuses.contains(&status),
        }
    }

    /// The finding for a run with an unexpected status, for an imported session that breaks off, or for
    /// a run that completed without work. `place` is its last event.
    #[must_use]
    pub(crate) fn finding(
        &self,
        state: &RunState,
        end: &EndOfLog,
        place: Place,
    ) -> Option<Finding> {
        let Self::OneOf(statuses) = self else { return None };
        let status = state.status();
        if self.accepts(status) {
            return end.finding(state, place);
        }
        let names: Vec<String> =
            statuses.iter().map(|status| format!("`{}`", status.name())).collect();
        let reason = state.end_reason().map(|reason| format!(" ({})", preview(&reason, REASON)));
        let message = format!(
            "the status is `{}`{}; expected {}",
            status.name(),
            reason.unwrap_or_default(),
            names.join(" or ")
        );
        Some(Finding::new(Code::RL409, place, message))
    }
}

/// What a log shows of how the run ended, besides its status.
#[derive(Debug, Default)]
pub(crate) struct EndOfLog {
    last_turn: LastTurn,
    /// Whether an event tells of work.
    has_work: bool,
}

impl EndOfLog {
    /// Takes the next event.
    pub(super) fn observe(&mut self, view: &View<'_, '_>) {
        self.last_turn.observe(view);
        self.has_work |= !view.role.is_bookkeeping();
    }

    /// The finding for a run whose status is accepted.
    fn finding(&self, state: &RunState, place: Place) -> Option<Finding> {
        match state.status() {
            Status::Imported => broken_off(self.last_turn, place),
            Status::Completed if !self.has_work && state.deliverables.required.is_empty() => {
                let message = "the run completed, but the log says nothing of what was done";
                Some(Finding::new(Code::RL413, place, message))
            }
            _ => None,
        }
    }
}

/// The finding for an imported session whose last turn has no answer.
fn broken_off(last_turn: LastTurn, place: Place) -> Option<Finding> {
    let (what, level) = match last_turn {
        LastTurn::None | LastTurn::Answered => return None,
        LastTurn::Asked => ("the last prompt of the session has no answer", Level::Info),
        LastTurn::Working => ("no answer follows the last call of the session", Level::Info),
        LastTurn::Interrupted => {
            ("the user interrupted the last turn of the session", Level::Warning)
        }
    };
    let message = format!("{what}; its work may not be done");
    Some(Finding::new(Code::RL412, place, message).at_most(level))
}

/// The tasks and calls that began after the run had ended.
#[derive(Debug, Default)]
pub(super) struct LateWork {
    /// The place of the first one.
    first: Option<Place>,
    count: u64,
    /// Whether one of them was recorded live.
    is_live: bool,
}

impl LateWork {
    /// Takes an event and the state of the run after it.
    pub(super) fn observe(
        &mut self,
        view: &View<'_, '_>,
        state: &RunState,
        place: impl FnOnce() -> Place,
    ) {
        if view.ends_source() {
            // The end of a longer source is about everything before it.
            *self = Self::default();
        }
        let begins = match view.role {
            Role::ToolStart => true,
            Role::TaskStart => view.field("task_name").as_deref() != Some(CHAPTER_TASK),
            _ => false,
        };
        if begins && state.status().is_terminal() {
            self.first.get_or_insert_with(place);
            self.count += 1;
            self.is_live |= !view.is_imported();
        }
    }

    /// The finding, if there is any such work.
    pub(super) fn finding(self) -> Option<Finding> {
        let number = match self.count {
            1 => "1 task or call".to_owned(),
            count => format!("{count} tasks and calls"),
        };
        let message =
            format!("work began after the run had ended ({number}); its end says nothing about it");
        let level = if self.is_live { Level::Warning } else { Level::Info };
        Some(Finding::new(Code::RL411, self.first?, message).at_most(level))
    }
}
