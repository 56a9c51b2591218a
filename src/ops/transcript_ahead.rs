//! Builds the transcript of a run in one pass over its events: while they are recorded, or while
//! they are validated.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::transcript;
use crate::event::fields::View;
use crate::event::role::Role;
use crate::run::RunError;
use crate::run::derive::EventObserver;
use crate::run::dir::RunDir;
use crate::transcript::fold::TranscriptFold;

/// The transcript of a run that is being recorded.
#[derive(Clone, Default)]
pub(crate) struct TranscriptAhead(Arc<Mutex<OnePass>>);

/// A fold over events that are seen once, in their order.
#[derive(Default)]
pub(crate) struct OnePass {
    fold: TranscriptFold,
    /// The agents of the events so far.
    agents: HashSet<String>,
    /// Whether an event changes how an earlier one is shown. The events must then be read again.
    is_late: bool,
}

impl TranscriptAhead {
    /// The observer that builds it. It must see all events of the run, in their order.
    pub(crate) fn observer(&self) -> EventObserver {
        let ahead = Arc::clone(&self.0);
        Box::new(move |view, offset| {
            ahead.lock().unwrap_or_else(PoisonError::into_inner).observe(view, offset);
        })
    }

    /// Writes `transcript.md`. If the observer has not seen all events, or if it is not enough to
    /// see them in their order, they are read from the log.
    ///
    /// # Errors
    /// When the log cannot be read or the file cannot be written.
    pub(crate) fn write(self, run: &RunDir, has_all: bool) -> Result<(), RunError> {
        let mut ahead = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match std::mem::take(&mut *ahead).finish().filter(|_| has_all) {
            Some(fold) => transcript::write_folded(run, fold),
            None => transcript::write(run),
        }
    }
}

impl OnePass {
    /// A pass that continues with the given fold, which has seen no event.
    pub(crate) fn new(fold: TranscriptFold) -> Self {
        Self { fold, ..Self::default() }
    }

    /// The fold over all events; `None` if they must be read again.
    pub(crate) fn finish(self) -> Option<TranscriptFold> {
        Some(self.fold).filter(|_| !self.is_late)
    }

    /// Adds the next event, whose line begins at this byte.
    pub(crate) fn observe(&mut self, view: &View<'_, '_>, offset: u64) {
        if self.is_late {
            return;
        }
        for name in ["agentId", "agent_id", "childAgentId"] {
            if let Some(agent) = view.field(name)
                && !self.agents.contains(agent.as_ref())
            {
                self.agents.insert(agent.into_owned());
            }
        }
        // A summary may be recorded after its event, and a call's result names the agent that it
        // spawned after the agent's own events.
        self.is_late |= view.role == Role::Backfill || self.names_known_agent(view);
        if self.is_late {
            self.fold = TranscriptFold::default();
            return;
        }
        self.fold.observe(view, offset, view.event.summary.as_deref());
    }

    /// Whether the event is a result that names an agent which was there before. The agent is then
    /// known to later events.
    fn names_known_agent(&mut self, view: &View<'_, '_>) -> bool {
        let child = view.field("spawned_agent_id").filter(|_| view.role.is_tool_end());
        child.is_some_and(|child| !self.agents.insert(child.into_owned()))
    }
}
