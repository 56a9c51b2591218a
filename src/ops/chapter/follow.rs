//! Follows a live run to find out when a round is due.

use crate::chapter::due::{Due, finished_tasks};
use crate::chapter::index::Index;
use crate::event::fields::View;
use crate::event::templates::Templates;
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
    /// Sequence of the model call about which it was asked.
    asked_about: u64,
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
        Ok(Self { run, trigger, index: Index::new(templates), reader, asked: 0, asked_about: 0 })
    }

    /// Reads the new part of the log. The agent is asked if a round is due, a task has finished
    /// since the last question, and the model call is another one.
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
        if grown && let Due::Ask(call) = Due::of(&self.index, self.trigger) {
            let done = finished_tasks(&self.index).count();
            if done > self.asked && call.sequence > self.asked_about {
                self.asked = done;
                self.asked_about = call.sequence;
                return Ok(Next::Ask(call));
            }
        }
        Ok(if self.index.tasks.run_has_ended() { Next::Stop } else { Next::Wait })
    }
}
