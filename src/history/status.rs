//! The status of a run and its transitions.

use crate::event::role::Role;

/// The status of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Created but not started.
    #[default]
    Created,
    /// Running.
    Running,
    /// Suspended.
    Paused,
    /// Succeeded.
    Completed,
    /// Failed.
    Failed,
    /// Ended with work missing.
    Incomplete,
    /// Cancelled.
    Cancelled,
    /// Imported from a log that does not show how the run ended. Not final: more may follow.
    Imported,
}

impl Status {
    /// All statuses.
    pub const ALL: [Self; 8] = [
        Self::Created,
        Self::Running,
        Self::Paused,
        Self::Completed,
        Self::Failed,
        Self::Incomplete,
        Self::Cancelled,
        Self::Imported,
    ];

    /// The name in `run.json`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Incomplete => "incomplete",
            Self::Cancelled => "cancelled",
            Self::Imported => "imported",
        }
    }

    /// The status with that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }

    /// Whether the run, or the log that it was imported from, has ended.
    #[must_use]
    pub fn is_over(self) -> bool {
        self.is_terminal() || self == Self::Imported
    }

    /// Whether the run has ended; this is final.
    #[must_use]
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Incomplete | Self::Cancelled)
    }

    /// Whether this end of a run is worse than that one. A worse end always counts, a better one never.
    #[must_use]
    pub fn is_worse_end_than(self, other: Self) -> bool {
        let rank = |status| match status {
            Self::Completed => Some(0),
            Self::Cancelled => Some(1),
            Self::Incomplete => Some(2),
            Self::Failed => Some(3),
            _ => None,
        };
        rank(self).zip(rank(other)).is_some_and(|(own, other)| own > other)
    }

    /// The status in which an event of that role ends a run; `None` for other roles.
    #[must_use]
    pub(crate) fn ended_by(role: Role) -> Option<Self> {
        Self::of_role(role).filter(|status| status.is_terminal())
    }

    /// The status that an event of that role sets; `None` if it sets none.
    pub(crate) fn of_role(role: Role) -> Option<Self> {
        Some(match role {
            Role::RunCreated => Self::Created,
            Role::RunStarted | Role::RunResumed => Self::Running,
            Role::RunPaused => Self::Paused,
            Role::RunCompleted => Self::Completed,
            Role::RunFailed => Self::Failed,
            Role::RunIncomplete => Self::Incomplete,
            Role::RunCancelled => Self::Cancelled,
            Role::RunImported => Self::Imported,
            _ => return None,
        })
    }

    /// The status after an event of that role.
    #[must_use]
    pub(crate) fn after(self, role: Role) -> Self {
        Self::of_role(role).filter(|next| self.may_become(*next)).unwrap_or(self)
    }

    /// Whether the status may change from this one to `next`.
    #[must_use]
    pub fn may_become(self, next: Self) -> bool {
        match (self, next) {
            (Self::Created | Self::Imported, _) | (Self::Running, Self::Paused) => true,
            (Self::Running | Self::Paused, Self::Imported) => true,
            (Self::Running | Self::Paused, next) if next.is_terminal() => true,
            (Self::Paused, Self::Running) => true,
            (one, other) => one == other && one.is_terminal(),
        }
    }
}
