//! Where a run stands, and how it may get elsewhere.

use crate::event::role::Role;

/// Where a run stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Created, not started.
    #[default]
    Created,
    /// At work.
    Running,
    /// Suspended.
    Paused,
    /// Ended well.
    Completed,
    /// Ended badly.
    Failed,
    /// Ended with work missing.
    Incomplete,
    /// Called off.
    Cancelled,
    /// Imported from a log that does not say how the run ended. Not final: more may follow.
    Imported,
}

impl Status {
    /// All of them.
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

    /// The status of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }

    /// Whether nothing is at work: the run has ended, or the log that it was imported from has.
    #[must_use]
    pub fn is_over(self) -> bool {
        self.is_terminal() || self == Self::Imported
    }

    /// Whether the run has ended for good.
    #[must_use]
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Incomplete | Self::Cancelled)
    }

    /// The status in which an event of that role ends a run; `None` for other roles.
    #[must_use]
    pub(crate) fn ended_by(role: Role) -> Option<Self> {
        Self::of_role(role).filter(|status| status.is_terminal())
    }

    /// What an event of that role makes of a run; `None` for roles that do not say.
    pub(super) fn of_role(role: Role) -> Option<Self> {
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

    /// Whether a run may go from this status to `next`.
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
