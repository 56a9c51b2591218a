//! When an agent is asked what to fold: its context is too large, something can be folded, and no
//! round has decided on the same model call.

use std::fmt;

use super::index::Index;
use crate::history::tasks::{Task, TaskOutcome};
use crate::history::usage::NewestCall;

/// Whether a round is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// Ask the agent because of this call.
    Ask(NewestCall),
    /// No model call has reported its input.
    NoCall,
    /// The input of the newest call is not over this trigger.
    Below(NewestCall, u64),
    /// A round has decided on the newest call. The second number is the sequence of its first
    /// event.
    Decided(NewestCall, u64),
    /// No task is finished and outside all chapters, and there are no two chapters to nest.
    NothingToFold,
}

impl Due {
    /// Decides by the newest model call, the tasks and the chapters.
    #[must_use]
    pub(crate) fn of(index: &Index, trigger: u64) -> Self {
        let Some(call) = index.newest_call else { return Self::NoCall };
        let decided = decided_on(index);
        if !call.exceeds(trigger) {
            Self::Below(call, trigger)
        } else if decided > call.sequence {
            Self::Decided(call, decided)
        } else if !can_fold(index) {
            Self::NothingToFold
        } else {
            Self::Ask(call)
        }
    }
}

impl fmt::Display for Due {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ask(call) => write!(f, "due: {}", call.composition()),
            Self::NoCall => write!(f, "not due: no model call has reported its input tokens"),
            Self::Below(call, trigger) => {
                write!(f, "not due: not more than {trigger}; {}", call.composition())
            }
            Self::Decided(call, round) => write!(
                f,
                "not due: the agent was asked about the model call of event {} at event {round}",
                call.sequence
            ),
            Self::NothingToFold => {
                write!(f, "not due: nothing can be folded; no finished task is outside a chapter")
            }
        }
    }
}

/// The finished tasks, without those in which an agent chose chapters.
pub(crate) fn finished_tasks(index: &Index) -> impl Iterator<Item = &Task> {
    let tasks = &index.tasks;
    let real = tasks.all().iter().filter(|task| !task.chooses_chapters());
    real.filter(|task| tasks.outcome(task) != TaskOutcome::Running)
}

/// Whether a task can be folded, or chapters nested.
fn can_fold(index: &Index) -> bool {
    finished_tasks(index).any(|task| index.chapter_of(task).is_none())
        || index.chapters.children(None).len() > 1
}

/// Sequence of the first event of the last round with a usable answer; 0 if there is none.
fn decided_on(index: &Index) -> u64 {
    let decided = index.tasks.all().iter().rfind(|task| {
        task.chooses_chapters() && index.tasks.outcome(task) == TaskOutcome::Succeeded
    });
    decided.map_or(0, |task| task.first_sequence)
}
