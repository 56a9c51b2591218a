//! Tasks: numbered once, never renumbered (seed *agex-chapters*).

use std::borrow::Cow;

use serde::{Serialize, Serializer};

use crate::event::catalogue;
use crate::event::fields::{View, as_text};
use crate::event::role::{Role, TaskEnding};
use crate::event::time::Timestamp;
use crate::history::usage::{Usage, UsageFold};
use crate::text::inert::preview;

/// How a task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaskOutcome {
    /// It said that it succeeded.
    Succeeded,
    /// It said that it failed.
    Failed,
    /// It asked back.
    Clarify,
    /// It was called off.
    Cancelled,
    /// It ended without saying how: the next one began, or the run ended.
    Ended,
    /// It goes on.
    Running,
}

impl TaskOutcome {
    /// The name in JSON.
    #[must_use]
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Clarify => "clarify",
            Self::Cancelled => "cancelled",
            Self::Ended => "ended",
            Self::Running => "running",
        }
    }

    /// As the type of the last event says.
    fn of(ending: Option<TaskEnding>) -> Self {
        match ending {
            Some(TaskEnding::Succeeded) => Self::Succeeded,
            Some(TaskEnding::Failed) => Self::Failed,
            Some(TaskEnding::Clarify) => Self::Clarify,
            Some(TaskEnding::Cancelled) => Self::Cancelled,
            None => Self::Ended,
        }
    }
}

impl Serialize for TaskOutcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Columns of what the end of a task says, behind its title.
const ENDING: usize = 40;

/// The name of the task in which an agent decides on chapters.
pub(crate) const CHAPTER_TASK: &str = "__chapter__";

/// One task.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    /// 1, 2, 3 …; never changes.
    pub number: u64,
    /// Its name, where it has one apart from its message.
    pub name: String,
    /// What was asked, one line or many; empty when unknown.
    pub message: String,
    /// Sequence of its first event.
    pub first_sequence: u64,
    /// Sequence of its last event so far.
    pub last_sequence: u64,
    /// How many events it owns.
    pub events: u64,
    /// What its terminator says: a result, a reason, a question; empty where it says nothing.
    pub ending: String,
    /// How it ended by its own terminator.
    terminated: Option<TaskOutcome>,
    /// Time of its first event.
    pub started: Timestamp,
    usage: UsageFold,
}

impl Task {
    /// Tokens and cost of the task.
    #[must_use]
    pub(crate) fn usage(&self) -> Usage {
        self.usage.sum()
    }

    /// Name and message in one line, for lists.
    #[must_use]
    pub(crate) fn title(&self) -> &str {
        let title = if self.message.is_empty() { &self.name } else { &self.message };
        if title.is_empty() { "(no message)" } else { title }
    }
}

/// What splits the events into tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Split {
    /// Each change of `task_id`, as long as there is no better sign.
    ByTaskId,
    /// Events of role `task_start`.
    ByStart,
}

/// The tasks of a run.
#[derive(Clone, Debug)]
pub(crate) struct Tasks {
    tasks: Vec<Task>,
    split: Split,
    task_id: Option<String>,
    ended: bool,
}

impl Default for Tasks {
    fn default() -> Self {
        Self { tasks: Vec::new(), split: Split::ByTaskId, task_id: None, ended: false }
    }
}

impl Tasks {
    /// Takes the next event. The number of the task that owns it, if one does.
    pub(crate) fn observe(&mut self, view: &View<'_, '_>) -> Option<u64> {
        match view.role {
            role if role.ends_run() => self.ended = true,
            Role::RunStarted | Role::RunResumed => self.ended = false,
            // Chapters refer to numbers, so from now on only real starts add tasks.
            Role::Chapter => self.split = Split::ByStart,
            _ => {}
        }
        if view.role.is_bookkeeping() {
            return None;
        }
        let event = view.event;
        if view.role == Role::TaskStart {
            let decides = view.field("task_name").is_some_and(|name| name == CHAPTER_TASK);
            if self.split == Split::ByTaskId && !decides {
                self.tasks.clear();
            }
            // Chapters are being decided on by the numbers so far: they stay.
            self.split = Split::ByStart;
            self.begin(view);
        } else if self.split == Split::ByTaskId && self.task_id.as_deref() != Some(&event.task_id) {
            self.task_id = Some(event.task_id.clone().into_owned());
            self.begin(view);
            if let Some(task) = self.tasks.last_mut() {
                task.name = event.task_id.clone().into_owned();
            }
        }
        let task = self.tasks.last_mut()?;
        task.last_sequence = event.sequence;
        task.events += 1;
        task.usage.observe(view);
        if view.role == Role::TaskEnd {
            let number = task.number;
            self.end(view);
            return Some(number);
        }
        Some(task.number)
    }

    /// Notes how a task ended: the newest of the name that the terminator gives and that has
    /// not ended (steps run side by side), else the newest.
    fn end(&mut self, view: &View<'_, '_>) {
        let ending = catalogue::row(&view.event.kind).and_then(|row| row.ending);
        let name = name_of(view);
        let named = self.tasks.iter().rposition(|task| {
            task.terminated.is_none() && name.as_deref().is_some_and(|name| task.name == name)
        });
        let newest = self.tasks.len().checked_sub(1);
        if let Some(task) = named.or(newest).and_then(|at| self.tasks.get_mut(at)) {
            task.terminated = Some(TaskOutcome::of(ending));
            let said = view.result().map(as_text).or_else(|| view.text());
            task.ending = said.unwrap_or_default().into_owned();
        }
    }

    /// The tasks in order.
    #[must_use]
    pub(crate) fn all(&self) -> &[Task] {
        &self.tasks
    }

    /// The task that owns the event of that sequence, if one does.
    #[must_use]
    pub(crate) fn owner(&self, sequence: u64) -> Option<&Task> {
        let after = self.tasks.partition_point(|task| task.first_sequence <= sequence);
        self.tasks.get(after.checked_sub(1)?).filter(|task| sequence <= task.last_sequence)
    }

    /// Whether the run has ended.
    #[must_use]
    pub(crate) fn run_has_ended(&self) -> bool {
        self.ended
    }

    /// The task of that number.
    #[must_use]
    pub(crate) fn get(&self, number: u64) -> Option<&Task> {
        self.tasks.get(usize::try_from(number.checked_sub(1)?).ok()?)
    }

    /// How the task stands: without a terminator the last one runs while the run does.
    /// A task in which chapters are decided does not count as the last one.
    #[must_use]
    pub(crate) fn outcome(&self, task: &Task) -> TaskOutcome {
        if let Some(outcome) = task.terminated {
            return outcome;
        }
        let last = self.tasks.iter().rfind(|task| task.name != CHAPTER_TASK);
        let is_last = last.is_some_and(|last| last.number == task.number);
        if is_last && !self.ended { TaskOutcome::Running } else { TaskOutcome::Ended }
    }

    /// How the task stands, in parentheses with a blank before, with the beginning of what its
    /// end says; nothing where it ended without saying how.
    #[must_use]
    pub(crate) fn remark(&self, task: &Task) -> String {
        match self.outcome(task) {
            TaskOutcome::Ended => String::new(),
            TaskOutcome::Running => " (in progress)".to_owned(),
            outcome if task.ending.is_empty() => format!(" ({})", outcome.name()),
            outcome => format!(" ({}: {})", outcome.name(), preview(&task.ending, ENDING)),
        }
    }

    fn begin(&mut self, view: &View<'_, '_>) {
        let event = view.event;
        let name = name_of(view);
        let asked = (view.role == Role::TaskStart)
            .then(|| view.text().or_else(|| view.field("action")))
            .flatten();
        self.tasks.push(Task {
            number: self.tasks.len() as u64 + 1,
            name: name.unwrap_or_default().into_owned(),
            message: asked.unwrap_or_default().into_owned(),
            first_sequence: event.sequence,
            last_sequence: event.sequence,
            events: 0,
            ending: String::new(),
            terminated: None,
            started: event.timestamp,
            usage: UsageFold::default(),
        });
    }
}

/// The name that an event gives its task.
fn name_of<'a>(view: &View<'_, 'a>) -> Option<Cow<'a, str>> {
    ["task_name", "step_id", "step", "target"].iter().find_map(|name| view.field(name))
}
