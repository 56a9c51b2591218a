//! A numbered task as documents for programs hold it.

use serde::Serialize;

use super::tasks::{Task, TaskOutcome, Tasks};

/// A task in `chapter index --format json` and `transcript --format json`.
#[derive(Debug, Serialize)]
pub(crate) struct TaskDocument {
    number: u64,
    name: String,
    message: String,
    outcome: TaskOutcome,
    first_sequence: u64,
    last_sequence: u64,
    events: u64,
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

impl TaskDocument {
    /// A task of these tasks, with its outcome so far.
    #[must_use]
    pub(crate) fn of(task: &Task, tasks: &Tasks) -> Self {
        let usage = tasks.usage(task);
        Self {
            number: task.number,
            name: task.name.clone(),
            message: task.message.clone(),
            outcome: tasks.outcome(task),
            first_sequence: task.first_sequence,
            last_sequence: task.last_sequence,
            events: task.events,
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
        }
    }
}
