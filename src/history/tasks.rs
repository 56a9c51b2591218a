//! Tasks. Numbers never change (seed *agex-chapters*).

use std::borrow::Cow;
use std::hash::BuildHasher as _;

use foldhash::HashMap;
use foldhash::quality::RandomState;
use serde::{Serialize, Serializer};

use crate::event::catalogue;
use crate::event::fields::{PROMPTS_WITHDRAWN, UsageScope, View, WITHDRAWN, as_text};
use crate::event::id::is_generated_task;
use crate::event::role::{Role, TaskEnding};
use crate::event::time::Timestamp;
use crate::history::task_split::{TaskBeginning, TaskSplit};
use crate::history::usage::{PackedUsage, Usage};
use crate::json::Json;
use crate::text::inert::preview;

/// How a task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaskOutcome {
    /// It reported success.
    Succeeded,
    /// It reported failure.
    Failed,
    /// It asked for clarification.
    Clarify,
    /// It was cancelled.
    Cancelled,
    /// The user went back to what was before it. Its messages are no longer part of the conversation.
    Withdrawn,
    /// It ended without an outcome: the next task began, or the run ended.
    Ended,
    /// It is running.
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
            Self::Withdrawn => "withdrawn",
            Self::Ended => "ended",
            Self::Running => "running",
        }
    }

    /// The outcome that the type of the last event determines.
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

/// Maximum columns of a task's result after its title.
const ENDING: usize = 40;

/// The name of the task in which an agent chooses chapters.
pub(crate) const CHAPTER_TASK: &str = "__chapter__";

/// One task.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    /// 1, 2, 3 …; never changes.
    pub number: u64,
    /// Its name, if it has one.
    pub name: String,
    /// The request, one line or more; empty if unknown.
    pub message: String,
    /// Sequence of its first event.
    pub first_sequence: u64,
    /// Sequence of its last event so far.
    pub last_sequence: u64,
    /// The number of its events.
    pub events: u64,
    /// The text of its last event: a result, a reason or a question; empty if there is none.
    pub ending: String,
    /// The agent that it is of, if agents with names work on parts of the run at the same time.
    agent: Option<String>,
    /// The sub-agent that it is of, in an imported session.
    sub_agent: Option<String>,
    /// The outcome of its own end event.
    terminated: Option<TaskOutcome>,
    /// Sequence of the event that ended the choice of chapters, if an agent chooses chapters in it.
    chosen_at: Option<u64>,
    /// Time of its first event.
    pub started: Timestamp,
    /// Whether a person began it.
    pub is_prompt: bool,
    /// Whether the user interrupted it, and nothing came after that.
    pub is_interrupted: bool,
    /// Whether the user went back to what was before it.
    is_withdrawn: bool,
}

impl Task {
    /// Whether an agent chooses chapters in it, which is no work.
    #[must_use]
    pub(crate) fn chooses_chapters(&self) -> bool {
        self.name == CHAPTER_TASK
    }

    /// The message, else the name, for lists.
    #[must_use]
    pub(crate) fn title(&self) -> &str {
        let title = if self.message.is_empty() { &self.name } else { &self.message };
        if title.is_empty() { "(no prompt)" } else { title }
    }
}

/// The tasks of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tasks {
    tasks: Vec<Task>,
    split: TaskSplit,
    ended: bool,
    /// The indices of the tasks of prompts that the user has not withdrawn.
    live: Vec<usize>,
    /// Whether a task is of a sub-agent.
    has_sub_agents: bool,
    /// The task with the newest line of each model call, and what the call used, by the hash of its id.
    of_calls: HashMap<u64, (u32, PackedUsage)>,
    hasher: RandomState,
}

impl Tasks {
    /// The index of the task that an event is about, which comes when the task at `newest` is the
    /// newest one: the newest task of the event's agent. The events of an agent and those of its
    /// sub-agents may alternate in a log. When chapters have been chosen, the work goes on in the task
    /// before that. `None` if an agent works before its first task, among those of its sub-agents.
    fn index_of(&self, newest: usize, view: &View<'_, '_>) -> Option<usize> {
        let current = &self.tasks[newest];
        let is_choice = current.chooses_chapters();
        let has_gone_on = current.chosen_at.is_some_and(|end| view.event.sequence > end);
        if is_choice != has_gone_on || (!is_choice && !self.has_sub_agents) {
            return Some(newest);
        }
        let newest_of = |agent: Option<&str>| {
            let is_of =
                |task: &Task| !task.chooses_chapters() && task.sub_agent.as_deref() == agent;
            self.tasks[..=newest].iter().rposition(is_of)
        };
        let agent = view.sub_agent();
        let found = newest_of(agent.as_deref()).or_else(|| newest_of(None));
        found.or(agent.is_some().then_some(newest))
    }

    /// Takes what a model call used. It counts in the task of its last line. A total is of no task.
    fn take_usage(&mut self, view: &View<'_, '_>, at: Option<usize>) {
        if view.usage_scope() == UsageScope::Call
            && let Some(usage) = Usage::of(view)
        {
            let id = view.model_call_id();
            let call = self
                .hasher
                .hash_one((id.as_deref(), view.event.sequence * u64::from(id.is_none())));
            let task = u32::try_from(at.map_or(0, |at| at + 1)).unwrap_or(u32::MAX);
            self.of_calls.insert(call, (task, (&usage).into()));
        }
    }

    /// Tokens and cost of a task.
    #[must_use]
    pub(crate) fn usage(&self, task: &Task) -> Usage {
        let mut sum = Usage::default();
        let calls = self.of_calls.values().filter(|(of, _)| u64::from(*of) == task.number);
        calls.for_each(|(_, usage)| sum.add(&(*usage).into()));
        sum
    }

    /// Takes the next event. Returns the number of the task that it is about, else of the newest one, if
    /// there is one.
    pub(crate) fn observe(&mut self, view: &View<'_, '_>) -> Option<u64> {
        match view.role {
            role if role.ends_run() => self.ended = true,
            Role::RunStarted | Role::RunResumed => self.ended = false,
            _ => {}
        }
        let begins = self.split.observe(view);
        if view.role.is_bookkeeping() {
            return None;
        }
        let withdrawn = view.data.get(PROMPTS_WITHDRAWN).and_then(Json::as_u64);
        if let Some(prompts) = withdrawn.filter(|_| !view.is_of_sub_agent()) {
            self.withdraw(prompts);
        }
        let event = view.event;
        match begins {
            TaskBeginning::None => {}
            TaskBeginning::ByTaskId => {
                self.begin(view);
                if let Some(task) = self.tasks.last_mut()
                    && !is_generated_task(&event.task_id)
                {
                    task.name = event.task_id.clone().into_owned();
                }
            }
            TaskBeginning::ByStart => self.begin(view),
            TaskBeginning::FirstByStart => {
                self.tasks.clear();
                self.of_calls.clear();
                self.live.clear();
                self.has_sub_agents = false;
                self.begin(view);
            }
        }
        let newest = self.tasks.last_mut()?;
        newest.last_sequence = event.sequence;
        newest.events += 1;
        let is_chosen = view.role == Role::TaskEnd
            && newest.chooses_chapters()
            && view.field("task_name").is_none_or(|name| name == CHAPTER_TASK);
        if is_chosen {
            newest.chosen_at.get_or_insert(event.sequence);
        }
        let newest = newest.number;
        let at = self.index_of(self.tasks.len() - 1, view);
        self.take_usage(view, at);
        let Some(task) = at.and_then(|at| self.tasks.get_mut(at)) else { return Some(newest) };
        match view.role {
            Role::Note if event.kind == catalogue::INTERRUPTED => {
                task.is_interrupted |= !view.is_of_sub_agent();
            }
            Role::ToolStart | Role::Message if event.actor != "user" => task.is_interrupted = false,
            _ => {}
        }
        if view.role == Role::TaskEnd {
            let number = task.number;
            self.end(view);
            return Some(number);
        }
        Some(task.number)
    }

    /// Records how a task ended. It is the newest open task with the name in the event (steps may
    /// run in parallel), else that of the same agent, else the newest task, without finished tasks that
    /// only chose chapters.
    fn end(&mut self, view: &View<'_, '_>) {
        let ending = catalogue::row(&view.event.kind).and_then(|row| row.ending);
        let name = name_of(view);
        let agent = agent_of(view);
        let newest_open = |is_meant: &dyn Fn(&Task) -> bool| {
            self.tasks.iter().rposition(|task| task.terminated.is_none() && is_meant(task))
        };
        let named = name.and_then(|name| newest_open(&|task| task.name == name));
        let of_agent = || {
            let agent = agent.as_deref()?;
            newest_open(&|task| task.agent.as_deref() == Some(agent))
        };
        // After the choice of chapters, the work goes on.
        let is_over = |task: &Task| task.chooses_chapters() && task.terminated.is_some();
        let newest = self.tasks.iter().rposition(|task| !is_over(task));
        let of_choice = || self.tasks.iter().rposition(Task::chooses_chapters);
        let is_choice = view.field("task_name").is_some_and(|name| name == CHAPTER_TASK);
        let ended = match is_choice {
            true => named.or_else(of_choice),
            false => named.or_else(of_agent).or(newest),
        };
        if let Some(task) = ended.and_then(|at| self.tasks.get_mut(at)) {
            task.terminated = Some(TaskOutcome::of(ending));
            let said = view.result().map(as_text).or_else(|| view.text());
            task.ending = said.unwrap_or_default().into_owned();
        }
    }

    /// Marks the tasks of that number of prompts, from the newest one that is still part of the
    /// conversation.
    fn withdraw(&mut self, prompts: u64) {
        for _ in 0..prompts {
            let Some(first) = self.live.pop() else { return };
            let tasks = self.tasks.iter_mut().enumerate().skip(first);
            for (_, task) in tasks.take_while(|(at, task)| *at == first || !task.is_prompt) {
                task.is_withdrawn = true;
            }
        }
    }

    /// The number of tasks, without those that choose chapters.
    #[must_use]
    pub(crate) fn of_work(&self) -> u64 {
        self.tasks.iter().filter(|task| !task.chooses_chapters()).count() as u64
    }

    /// The tasks in order.
    #[must_use]
    pub(crate) fn all(&self) -> &[Task] {
        &self.tasks
    }

    /// The task that an event is about, if there is one; see [`Tasks::owner`].
    #[must_use]
    pub(crate) fn owner_of(&self, view: &View<'_, '_>) -> Option<&Task> {
        let newest = self.owner(view.event.sequence)?;
        let newest = usize::try_from(newest.number).ok()?.checked_sub(1)?;
        self.tasks.get(self.index_of(newest, view)?)
    }

    /// The task in whose range the event with that sequence is, if there is one. A task ranges up to
    /// the next one; an event of another agent in it may be about an earlier task.
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

    /// The task with that number.
    #[must_use]
    pub(crate) fn get(&self, number: u64) -> Option<&Task> {
        self.tasks.get(usize::try_from(number.checked_sub(1)?).ok()?)
    }

    /// The outcome of a task. Without an end event, the last task runs as long as the run does. A
    /// task for choosing chapters does not count as the last one.
    #[must_use]
    pub(crate) fn outcome(&self, task: &Task) -> TaskOutcome {
        if task.is_withdrawn {
            return TaskOutcome::Withdrawn;
        }
        if let Some(outcome) = task.terminated {
            return outcome;
        }
        let last = self.tasks.iter().rfind(|task| !task.chooses_chapters());
        let is_last = last.is_some_and(|last| last.number == task.number);
        if is_last && !self.ended { TaskOutcome::Running } else { TaskOutcome::Ended }
    }

    /// The outcome in parentheses, after a space, with the beginning of the result. Empty if the
    /// task ended without an outcome.
    #[must_use]
    pub(crate) fn remark(&self, task: &Task) -> String {
        match self.outcome(task) {
            TaskOutcome::Ended if task.is_interrupted => " (interrupted)".to_owned(),
            TaskOutcome::Ended => String::new(),
            TaskOutcome::Running => " (in progress)".to_owned(),
            outcome if task.ending.is_empty() => format!(" ({})", outcome.name()),
            outcome => format!(" ({}: {})", outcome.name(), preview(&task.ending, ENDING)),
        }
    }

    fn begin(&mut self, view: &View<'_, '_>) {
        let event = view.event;
        self.has_sub_agents |= view.is_of_sub_agent();
        if view.is_prompt() && !view.is_set(WITHDRAWN) {
            self.live.push(self.tasks.len());
        }
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
            agent: agent_of(view).map(Cow::into_owned),
            sub_agent: view.sub_agent().map(Cow::into_owned),
            terminated: None,
            chosen_at: None,
            started: event.timestamp,
            is_prompt: view.is_prompt(),
            is_interrupted: false,
            is_withdrawn: view.is_set(WITHDRAWN),
        });
    }
}

/// The agent whose task an event is about (agex).
fn agent_of<'a>(view: &View<'_, 'a>) -> Option<Cow<'a, str>> {
    view.field("full_namespace")
}

/// The name of the task in an event.
fn name_of<'a>(view: &View<'_, 'a>) -> Option<Cow<'a, str>> {
    ["task_name", "step_id", "step", "target"].iter().find_map(|name| view.field(name))
}
