//! The events with which an agent chooses chapters. They are about the log, and no part of the work.

use super::tasks::CHAPTER_TASK;
use crate::event::fields::View;
use crate::event::role::Role;

/// Tells the events of the tasks named `__chapter__` from the others.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChapterChoice {
    is_open: bool,
}

impl ChapterChoice {
    /// Takes the next event. Returns whether it is of such a task, from its start to its end.
    pub(crate) fn takes(&mut self, view: &View<'_, '_>) -> bool {
        if view.role == Role::TaskStart {
            self.is_open = begins(view);
        }
        let is_taken = self.is_open;
        self.is_open &= view.role != Role::TaskEnd && !view.role.ends_run();
        is_taken
    }
}

/// Whether an event of role `task_start` begins such a task.
pub(crate) fn begins(view: &View<'_, '_>) -> bool {
    view.field("task_name").is_some_and(|name| name == CHAPTER_TASK)
}
