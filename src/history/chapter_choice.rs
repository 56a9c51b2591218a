//! The events that say that an agent chooses chapters. They are about the log, and no part of the work.

use super::tasks::CHAPTER_TASK;
use crate::event::fields::View;
use crate::event::role::Role;

/// Tells the starts and ends of the tasks named `__chapter__` from the other events. What is recorded
/// between them may be of another agent.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChapterChoice {
    is_open: bool,
}

impl ChapterChoice {
    /// Takes the next event. Returns whether it starts or ends such a task.
    pub(crate) fn takes(&mut self, view: &View<'_, '_>) -> bool {
        match view.role {
            Role::TaskStart => {
                self.is_open = begins(view);
                self.is_open
            }
            Role::TaskEnd if self.is_open => {
                let ends = view.field("task_name").is_none_or(|name| name == CHAPTER_TASK);
                self.is_open &= !ends;
                ends
            }
            _ => false,
        }
    }
}

/// Whether an event of role `task_start` begins such a task.
pub(crate) fn begins(view: &View<'_, '_>) -> bool {
    view.field("task_name").is_some_and(|name| name == CHAPTER_TASK)
}
