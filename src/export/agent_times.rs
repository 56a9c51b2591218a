//! When each agent was ready for its next model call, and from when to when it worked.

use std::collections::VecDeque;

use crate::event::fields::View;
use crate::event::role::Role;
use crate::event::time::Timestamp;
use crate::summary::context::part::is_agent;

/// The number of times that are kept per agent. A response is logged soon after what it answers.
const KEPT: usize = 16;

/// The times of an agent.
#[derive(Clone, Debug, Default)]
pub(super) struct AgentTimes {
    /// The newest times at which a model call could begin.
    ready: VecDeque<Timestamp>,
    /// The first and the last time.
    pub(super) worked: Option<(Timestamp, Timestamp)>,
}

impl AgentTimes {
    /// Takes an event of the agent.
    pub(super) fn observe(&mut self, view: &View<'_, '_>) {
        self.cover(view.event.timestamp);
        let is_answer = match view.role {
            Role::Message | Role::Chunk => is_agent(view),
            Role::ToolStart | Role::ToolProgress | Role::Usage => true,
            _ => false,
        };
        if !is_answer {
            self.ready_at(view.event.timestamp);
        }
    }

    /// Makes the work of the agent include a time.
    pub(super) fn cover(&mut self, time: Timestamp) {
        let (first, last) = self.worked.unwrap_or((time, time));
        self.worked = Some((first.min(time), last.max(time)));
    }

    /// When the response that began to be logged at `first` was asked for: the end of what the
    /// agent did before, else the same time.
    #[must_use]
    pub(super) fn asked_at(&self, first: Timestamp) -> Timestamp {
        let before = self.ready.iter().rev().find(|time| **time <= first);
        before.copied().unwrap_or(first)
    }

    /// A model call can begin from now on.
    pub(super) fn ready_at(&mut self, time: Timestamp) {
        if self.ready.len() == KEPT {
            self.ready.pop_front();
        }
        self.ready.push_back(time);
    }
}
