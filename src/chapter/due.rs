//! When an agent is asked what to fold: its context is too large, something can be folded, and no
//! round was about the same model call.

use std::fmt;

use super::index::Index;
use crate::history::tasks::{Task, TaskOutcome};
use crate::history::usage::NewestCall;

/// Whether a round is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// Ask the agent because of this call.
    Ask(NewestCall),
    /// No event tells the input of a single model call.
    NoCall,
    /// The input of the newest call is not over this trigger.
    Below(NewestCall, u64),
    /// The agent was asked about the newest call.
    Asked {
        /// The call.
        call: NewestCall,
        /// Sequence of the first event of that round.
        round: u64,
        /// Whether its answer was used.
        is_decided: bool,
    },
    /// No task is finished and outside all chapters, and there are no two chapters to nest.
    NothingToFold,
}

impl Due {
    /// Decides by the newest model call, the tasks and the chapters. With `retry`, rounds without a
    /// usable answer do not count.
    #[must_use]
    pub(crate) fn of(index: &Index, trigger: u64, retry: bool) -> Self {
        let Some(call) = index.newest_call else { return Self::NoCall };
        if !call.exceeds(trigger) {
            Self::Below(call, trigger)
        } else if let Some((round, is_decided)) = round_after(index, call.sequence, retry) {
            Self::Asked { call, round, is_decided }
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
            Self::NoCall => {
                write!(f, "not due: no event tells the input tokens of a single model call")
            }
            Self::Below(call, trigger) => {
                write!(f, "not due: not more than {trigger}; {}", call.composition())
            }
            Self::Asked { call, round, is_decided } => {
                let call = call.sequence;
                write!(
                    f,
                    "not due: the agent was asked about the model call of event {call} at event {round}"
                )?;
                let outcome = if *is_decided { "" } else { ", without a usable answer" };
                f.write_str(outcome)
            }
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

/// The last round that began after that event: the sequence of its first event, and whether its
/// answer was used. `only_usable` passes over those whose answer was not.
fn round_after(index: &Index, sequence: u64, only_usable: bool) -> Option<(u64, bool)> {
    let rounds = index.tasks.all().iter().rev().filter(|task| task.chooses_chapters());
    let told = rounds
        .map(|task| (task.first_sequence, index.tasks.outcome(task) == TaskOutcome::Succeeded));
    let mut later = told.take_while(|(first, _)| *first > sequence);
    later.find(|(_, is_decided)| *is_decided || !only_usable)
}
