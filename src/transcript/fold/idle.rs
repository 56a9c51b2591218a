//! Times in which nothing happened, and the time that the agent waited for prompts.

use std::collections::HashSet;

use crate::event::catalogue;
use crate::event::fields::View;
use crate::event::role::Role;
use crate::event::time::Timestamp;
use crate::transcript::value::IdleTime;

/// Minimum duration of such a time in milliseconds: five minutes. Models and people often need a
/// minute or two.
const IDLE: u64 = 5 * 60_000;

/// Times in which nothing happened.
#[derive(Debug, Default)]
pub(crate) struct IdleTimes {
    found: Vec<IdleTime>,
    /// The latest time of an event so far.
    latest: Option<Timestamp>,
    /// The same without what a client adds for the model, which it does just before a prompt.
    worked: Option<Timestamp>,
    /// Whether there was a prompt.
    is_asked: bool,
    /// The ids of the calls that run.
    running: HashSet<String>,
    /// The sum of the times before each prompt except the first, without those in which a call ran,
    /// in milliseconds.
    pub(crate) waited_ms: u64,
}

impl IdleTimes {
    /// Processes the next event. Before the end of a call, the call was running.
    pub(super) fn observe(&mut self, view: &View<'_, '_>) {
        if view.role.is_lifecycle() || view.role.is_bookkeeping() {
            return;
        }
        let (sequence, time) = (view.event.sequence, view.event.timestamp);
        let duration_ms = self.latest.and_then(|latest| time.since(latest)).unwrap_or(0);
        if duration_ms >= IDLE && !view.role.is_tool_end() {
            self.found.push(IdleTime { sequence, duration_ms });
        }
        if view.is_prompt() {
            if self.is_asked && self.running.is_empty() {
                let since_work = self.worked.and_then(|worked| time.since(worked));
                self.waited_ms += since_work.unwrap_or(0);
            }
            self.is_asked = true;
        }
        if view.role == Role::ToolStart {
            self.running.insert(view.call_id_or_own().into_owned());
        } else if view.role.is_tool_end() && !self.running.is_empty() {
            self.running.remove(view.call_id_or_own().as_ref());
        }
        self.latest = self.latest.max(Some(time));
        let is_added = view.event.kind == catalogue::MESSAGE_SYSTEM || view.role == Role::Note;
        if !is_added {
            self.worked = self.worked.max(Some(time));
        }
    }

    /// All of them, in the order of the log.
    pub(crate) fn finish(&mut self) -> Vec<IdleTime> {
        std::mem::take(&mut self.found)
    }
}
