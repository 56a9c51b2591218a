//! Follows a live run to find out when a round is due.

use crate::chapter::due::Due;
use crate::event::templates::Templates;
use crate::history::usage::NewestCall;
use crate::ops::error::OpsError;
use crate::ops::live::LiveTasks;
use crate::run::dir::RunDir;

/// A run that is followed.
pub(crate) struct FollowedTasks {
    tasks: LiveTasks,
    trigger: u64,
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
        let tasks = LiveTasks::open(run, templates)?;
        Ok(Self { tasks, trigger, asked: 0, asked_about: 0 })
    }

    /// Reads the new part of the log. The agent is asked if a round is due, a task has finished
    /// since the last question, and the model call is another one.
    ///
    /// # Errors
    /// When the log no longer exists or cannot be read.
    pub(crate) fn look(&mut self) -> Result<Next, OpsError> {
        let grown = self.tasks.catch_up()?;
        if grown && let Due::Ask(call) = Due::of(&self.tasks.index, self.trigger, false) {
            let done = self.tasks.finished();
            if done > self.asked && call.sequence > self.asked_about {
                self.asked = done;
                self.asked_about = call.sequence;
                return Ok(Next::Ask(call));
            }
        }
        Ok(if self.tasks.run_has_ended() { Next::Stop } else { Next::Wait })
    }
}
