//! The state of a run, folded from its events (SPEC: "Run state").

use crate::conversation::calls::{CallStatus, Calls, Observed};
use crate::conversation::usage::{Usage, UsageFold};
use crate::event::blob::{Reference, put_back};
use crate::event::draft::Derived;
use crate::event::envelope::Severity;
use crate::event::fields::{View, as_text};
use crate::event::role::Role;
use crate::event::time::Timestamp;
use crate::run::records;

/// Where a run stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Made, not started.
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
}

impl Status {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Created,
        Self::Running,
        Self::Paused,
        Self::Completed,
        Self::Failed,
        Self::Incomplete,
        Self::Cancelled,
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
        }
    }

    /// Whether the run has ended.
    #[must_use]
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Incomplete | Self::Cancelled)
    }

    /// What an event of that role makes of a run; `None` for roles that do not say.
    fn of_role(role: Role) -> Option<Self> {
        Some(match role {
            Role::RunCreated => Self::Created,
            Role::RunStarted | Role::RunResumed => Self::Running,
            Role::RunPaused => Self::Paused,
            Role::RunCompleted => Self::Completed,
            Role::RunFailed => Self::Failed,
            Role::RunIncomplete => Self::Incomplete,
            Role::RunCancelled => Self::Cancelled,
            _ => return None,
        })
    }

    /// Whether a run may go from this status to `next`.
    #[must_use]
    pub fn may_become(self, next: Self) -> bool {
        match (self, next) {
            (Self::Created, _) | (Self::Running, Self::Paused) => true,
            (Self::Running | Self::Paused, next) if next.is_terminal() => true,
            (Self::Paused, Self::Running) => true,
            (one, other) => one == other && one.is_terminal(),
        }
    }
}

/// A transition that the rules do not allow; the event stands, the status does not follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IllegalTransition {
    /// The status before.
    pub from: Status,
    /// What the event asked for.
    pub to: Status,
}

/// What the run must leave, and how that stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deliverables {
    /// Paths that `run.created` asked for.
    pub required: Vec<String>,
    /// The last recorded verdict.
    pub status: Option<String>,
    /// Paths found missing by the last recorded check.
    pub missing: Vec<String>,
}

/// How much of everything there is. `None` is unknown, never 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Events.
    pub events: u64,
    /// Distinct tool calls, blocked ones included.
    pub tool_calls: u64,
    /// Tool calls that failed.
    pub tool_failures: u64,
    /// Records of `logs/errors.jsonl`.
    pub errors: u64,
    /// Events of severity warning.
    pub warnings: u64,
    /// Tokens and cost.
    pub usage: Usage,
}

/// The state of a run as of the last event taken.
#[derive(Clone, Debug, Default)]
pub struct RunState {
    /// Of the first line.
    pub run_id: String,
    /// Of the first line.
    pub session_id: String,
    /// Of the first line.
    pub task_id: String,
    /// The status by run events alone; see [`RunState::status`].
    phase: Status,
    /// Whether any event was taken.
    begun: bool,
    /// Time of the first event.
    pub created_at: Option<Timestamp>,
    /// Time of the first start.
    pub started_at: Option<Timestamp>,
    /// Time of the first event that ended the run.
    pub ended_at: Option<Timestamp>,
    /// What the run failed of: JSON text.
    pub error: Option<String>,
    /// What it must leave.
    pub deliverables: Deliverables,
    /// Free metadata of `run.created`: JSON text of an object.
    pub metadata: Option<String>,
    /// First and last time of events that were read from another program's log: when the
    /// work was done, where it was recorded later.
    pub imported: Option<(Timestamp, Timestamp)>,
    /// The calls.
    pub calls: Calls,
    /// Tokens and cost.
    pub usage: UsageFold,
    events: u64,
    errors: u64,
    warnings: u64,
}

/// What an event did to the state, for those who keep records or check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// What it did to the tool calls.
    pub call: Option<Observed>,
    /// The transition that it asked for in vain.
    pub illegal: Option<IllegalTransition>,
}

/// An event that adds to the counts, and does nothing else to the state of a run that has
/// begun: most of a long log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    warning: bool,
}

impl Counted {
    /// An event of that role, with what its payload says; `None` when it does more.
    #[must_use]
    pub fn of(role: Role, derived: &Derived) -> Option<Self> {
        let more = role.is_lifecycle()
            || role.is_tool_state()
            || matches!(role, Role::Message | Role::Usage | Role::Error | Role::Rejected)
            || matches!(
                role,
                Role::DeliverableCheck | Role::DeliverableMissing | Role::DeliverableVerdict
            )
            || derived.severity == Severity::Error
            || derived.imported;
        (!more).then_some(Self { warning: derived.severity == Severity::Warning })
    }
}

impl RunState {
    /// Takes the next event, whose line begins at byte `offset` of the log.
    pub fn observe(&mut self, view: &View<'_, '_>, offset: u64) -> Effect {
        let event = view.event;
        if !self.begun {
            self.begun = true;
            self.run_id = event.run_id.clone().into_owned();
            self.session_id = event.session_id.clone().into_owned();
            self.task_id = event.task_id.clone().into_owned();
            self.created_at = Some(event.timestamp);
        }
        self.events += 1;
        self.errors += u64::from(records::is_error(view));
        self.warnings += u64::from(view.severity == Severity::Warning);
        self.usage.observe(view);
        if view.is_imported() && view.data.get("time_origin").is_none() {
            let time = event.timestamp;
            let (first, last) = self.imported.unwrap_or((time, time));
            self.imported = Some((first.min(time), last.max(time)));
        }
        self.details(view);
        Effect { call: self.calls.observe(view, offset), illegal: self.transition(view) }
    }

    /// Whether any event was taken.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.begun
    }

    /// Takes an event that is only counted, so that its line need not be read.
    pub fn count(&mut self, counted: Counted) {
        self.events += 1;
        self.warnings += u64::from(counted.warning);
    }

    /// Where the run stands: a recorded deliverable verdict other than `passed` makes a
    /// completed run incomplete.
    #[must_use]
    pub fn status(&self) -> Status {
        let unmet = self.deliverables.status.as_deref().is_some_and(|status| status != "passed");
        if self.phase == Status::Completed && unmet { Status::Incomplete } else { self.phase }
    }

    /// Milliseconds from the start (else the first event) to the end; `None` while it
    /// runs and when the clock went back.
    #[must_use]
    pub fn duration_ms(&self) -> Option<u64> {
        self.ended_at?.since(self.started_at.or(self.created_at)?)
    }

    /// Milliseconds of work that was recorded later; `None` for a run recorded live.
    #[must_use]
    pub fn work_ms(&self) -> Option<u64> {
        let (first, last) = self.imported?;
        last.since(first)
    }

    /// How much of everything there is.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let ended = self.phase.is_terminal();
        let calls = self.calls.all();
        let failed = |call: &&_| Calls::status(call, ended) == CallStatus::Failed;
        Counts {
            events: self.events,
            tool_calls: calls.len() as u64,
            tool_failures: calls.iter().filter(failed).count() as u64,
            errors: self.errors,
            warnings: self.warnings,
            usage: self.usage.sum(),
        }
    }

    fn transition(&mut self, view: &View<'_, '_>) -> Option<IllegalTransition> {
        let to = Status::of_role(view.role)?;
        let from = self.phase;
        if !from.may_become(to) {
            return Some(IllegalTransition { from, to });
        }
        if view.role == Role::RunStarted {
            self.started_at.get_or_insert(view.event.timestamp);
        }
        self.phase = to;
        if to.is_terminal() {
            self.ended_at.get_or_insert(view.event.timestamp);
        }
        if to == Status::Failed && self.error.is_none() {
            self.error = failure(view);
        }
        None
    }

    fn details(&mut self, view: &View<'_, '_>) {
        let data = &view.data;
        match view.role {
            Role::RunCreated => {
                if let Some(required) = data.path("deliverables.required") {
                    self.deliverables.required =
                        required.items().map(|item| as_text(item).into_owned()).collect();
                }
                if let Some(metadata) = data.present("metadata") {
                    self.metadata = Some(metadata.compact().into_owned());
                }
            }
            Role::DeliverableCheck => self.deliverables.missing.clear(),
            Role::DeliverableMissing => {
                if let Some(path) = view.path() {
                    self.deliverables.missing.push(path.into_owned());
                }
            }
            Role::DeliverableVerdict => {
                self.deliverables.status = view.field("status").map(std::borrow::Cow::into_owned);
            }
            _ => {}
        }
    }
}

/// What a run failed of, as JSON text: the error object itself, or its message in one.
fn failure(view: &View<'_, '_>) -> Option<String> {
    if let Some(error) = view.data.present("error").filter(|error| error.is_object()) {
        let mut preview = |reference: &Reference<'_>| Some(reference.preview());
        return Some(put_back(error, &mut preview));
    }
    let mut object = crate::event::json::ObjectText::new();
    object.text("message", &view.error_text()?);
    Some(object.finish())
}
