//! Where tasks begin.

use super::chapter_choice;
use crate::event::fields::View;
use crate::event::role::Role;

/// The signal that begins a new task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Signal {
    /// A change of `task_id`, until there is a better signal.
    #[default]
    TaskId,
    /// Events of role `task_start`.
    Start,
}

/// Finds the events that begin tasks.
#[derive(Clone, Debug, Default)]
pub(crate) struct TaskSplit {
    signal: Signal,
    task_id: Option<String>,
}

/// The task that an event begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaskBeginning {
    /// None.
    None,
    /// A task, because the `task_id` changed.
    ByTaskId,
    /// A task, because the event is of role `task_start`.
    ByStart,
    /// The first real task: tasks that began by their `task_id` do not count any more.
    FirstByStart,
}

impl TaskSplit {
    /// Takes the next event.
    pub(crate) fn observe(&mut self, view: &View<'_, '_>) -> TaskBeginning {
        if view.role == Role::Chapter {
            // Chapters refer to task numbers. From now on, only real starts add tasks.
            self.signal = Signal::Start;
        }
        if view.role.is_bookkeeping() {
            return TaskBeginning::None;
        }
        if view.role == Role::TaskStart {
            let decides = chapter_choice::begins(view);
            // Chapters are chosen by the existing numbers, so these stay valid.
            return match std::mem::replace(&mut self.signal, Signal::Start) {
                Signal::TaskId if !decides => TaskBeginning::FirstByStart,
                _ => TaskBeginning::ByStart,
            };
        }
        let task_id = &view.event.task_id;
        if self.signal == Signal::TaskId && self.task_id.as_deref() != Some(task_id) {
            self.task_id = Some(task_id.clone().into_owned());
            return TaskBeginning::ByTaskId;
        }
        TaskBeginning::None
    }
}
