//! Follows a live run to find out when a round is due.

use crate::chapter::index::Index;
use crate::event::fields::View;
use crate::event::templates::Templates;
use crate::history::tasks::{CHAPTER_TASK, TaskOutcome, Tasks};
use crate::history::usage::NewestCall;
use crate::log::reader::LogReader;
use crate::ops::error::OpsError;
use crate::run::RunError;
use crate::run::dir::RunDir;

/// A run that is followed.
pub(crate) struct FollowedTasks {
    run: RunDir,
    trigger: u64,
    index: Index,
    reader: LogReader,
    /// Number of finished tasks when an agent was last asked.
    asked: usize,
}

/// The next action for a followed run.
pub(crate) enum Next {
    /// Ask an agent because of this call.
    Ask(NewestCall),
    /// Look again later.
    Wait,
    /// Stop: the run has ended.
    Stop,
}

impl FollowedTasks {
    /// Follows a run from its first event.
    ///
    /// # Errors
    /// When the log cannot be opened.
    pub(crate) fn open(
        run: RunDir,
        templates: &'static Templates,
        trigger: u64,
    ) -> Result<Self, OpsError> {
        let reader = LogReader::open(&run.events())?;
        Ok(Self { run, trigger, index: Index::new(templates), reader, asked: 0 })
    }

    /// Reads the new part of the log. A round is due if a task has finished since the last round
    /// and no round has decided on the newest call.
    ///
    /// # Errors
    /// When the log no longer exists or cannot be read.
    pub(crate) fn look(&mut self) -> Result<Next, OpsError> {
        if !self.run.has_log()? {
            return Err(RunError::no_such_run(&self.run).into());
        }
        self.reader.extend_to(self.run.events().metadata().map_or(0, |metadata| metadata.len()));
        let mut grown = false;
        while let Some(line) = self.reader.next_line()? {
            if let Ok(Some(event)) = line.event() {
                self.index.observe(&View::of(&event), line.offset);
                grown = true;
            }
        }
        let tasks = &self.index.tasks;
        if grown {
            let done = finished_tasks(tasks);
            let call = self
                .index
                .newest_call
                .filter(|call| call.exceeds(self.trigger) && call.sequence > decided_on(tasks));
            if let Some(call) = call.filter(|_| done > self.asked) {
                self.asked = done;
                return Ok(Next::Ask(call));
            }
        }
        Ok(if tasks.run_has_ended() { Next::Stop } else { Next::Wait })
    }
}

/// Number of finished tasks, without those that decided on chapters.
fn finished_tasks(tasks: &Tasks) -> usize {
    let real = tasks.all().iter().filter(|task| task.name != CHAPTER_TASK);
    real.filter(|task| tasks.outcome(task) != TaskOutcome::Running).count()
}

/// Sequence of the event that last asked an agent with a usable answer.
fn decided_on(tasks: &Tasks) -> u64 {
    let decided = tasks
        .all()
        .iter()
        .rfind(|task| task.name == CHAPTER_TASK && tasks.outcome(task) == TaskOutcome::Succeeded);
    decided.map_or(0, |task| task.first_sequence)
}
