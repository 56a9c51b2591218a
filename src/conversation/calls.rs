//! Tool calls: starts paired with their ends.

use std::collections::HashMap;

use crate::event::fields::View;
use crate::event::role::Role;
use crate::event::time::Timestamp;

/// A duration is computed only from a start that lies at most this many bytes of
/// log before its end, so that recording and rebuilding agree at bounded cost.
pub const PAIRING_WINDOW: u64 = 4 << 20;

/// How a call stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallStatus {
    /// No end was seen.
    Open,
    /// It ended well.
    Completed,
    /// It ended with an error.
    Failed,
    /// It was not allowed.
    Blocked,
}

impl CallStatus {
    /// The name in `logs/tools.jsonl`; an open call is `started`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "started",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Blocked => "blocked",
        }
    }
}

/// The start of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// Sequence of the event.
    pub sequence: u64,
    /// Byte offset of its line in the log.
    pub offset: u64,
    /// Its time.
    pub time: Timestamp,
}

/// One call, whatever number of events told of it.
#[derive(Clone, Debug)]
pub struct Call {
    /// Its id, as the first event gave it; the event's own id where it gave none.
    pub id: String,
    /// The tool's name.
    pub tool: String,
    /// Who recorded the start; with the tool's name it pairs events without ids.
    pub actor: String,
    /// Run and agent of the start, to tell whose error follows.
    pub owner: Owner,
    /// The first start.
    pub first: Option<Start>,
    /// The newest start.
    pub newest: Option<Start>,
    /// Whether no end came after the newest start.
    open: bool,
    /// How the last end left it.
    pub status: CallStatus,
    /// How many ends were seen.
    pub ends: u32,
    /// Sequence of the last end.
    pub end_sequence: Option<u64>,
    /// Duration in milliseconds, of the last end; `None` when unknown.
    pub duration_ms: Option<u64>,
    /// Whether an error of the same agent came while it was open.
    pub error_followed: bool,
}

/// Whose call it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// `runId` of gateway events.
    pub run: Option<String>,
    /// The agent, else the actor.
    pub agent: String,
}

impl Owner {
    fn of(view: &View<'_, '_>) -> Self {
        let run = view.field("runId").map(std::borrow::Cow::into_owned);
        Self { run, agent: view.agent().into_owned() }
    }

    fn is_hit_by(&self, error: &Self) -> bool {
        match (&self.run, &error.run) {
            (Some(own), Some(other)) => own == other,
            _ => self.agent == error.agent,
        }
    }
}

/// What an event did to the calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observed {
    /// Index of the call in [`Calls::all`].
    pub call: usize,
    /// Whether the call had an end before this one.
    pub repeated_end: bool,
    /// For an end: its own duration, else the time since its start, if known.
    pub duration_ms: Option<u64>,
    /// For an end: the start that it belongs to.
    pub start: Option<Start>,
}

/// All calls of a run, in the order of their first event.
#[derive(Clone, Debug, Default)]
pub struct Calls {
    calls: Vec<Call>,
    /// By the last segment of the id: `R/tc1` and `tc1` both lie under `tc1`.
    by_segment: HashMap<String, Vec<usize>>,
    /// Starts in order, by tool and actor; the closed ones are dropped when met.
    open_by_tool: HashMap<(String, String), Vec<usize>>,
    /// Calls without an end so far; the ended ones are dropped when met.
    endless: Vec<usize>,
}

impl Calls {
    /// The calls in the order of their first event.
    #[must_use]
    pub fn all(&self) -> &[Call] {
        &self.calls
    }

    /// Takes the next event, whose line begins at byte `offset`. `None` when it is
    /// no state of a tool call.
    pub fn observe(&mut self, view: &View<'_, '_>, offset: u64) -> Option<Observed> {
        match view.role {
            Role::ToolStart => Some(self.start(view, offset)),
            role if role.is_tool_end() => Some(self.end(view, offset)),
            Role::Error => {
                self.error(view);
                None
            }
            _ => None,
        }
    }

    /// How a call stands, given whether its run has ended: one that an error of its
    /// agent cut short has failed then.
    #[must_use]
    pub fn status(call: &Call, run_ended: bool) -> CallStatus {
        if call.status == CallStatus::Open && call.error_followed && run_ended {
            CallStatus::Failed
        } else {
            call.status
        }
    }

    fn start(&mut self, view: &View<'_, '_>, offset: u64) -> Observed {
        let event = view.event;
        let start = Start { sequence: event.sequence, offset, time: event.timestamp };
        let id = view.call_id().unwrap_or_else(|| event.event_id.clone());
        let call = self.find(&id).unwrap_or_else(|| self.add(view, &id));
        let entry = &mut self.calls[call];
        entry.first.get_or_insert(start);
        entry.newest = Some(start);
        entry.open = true;
        let key = (entry.tool.clone(), entry.actor.clone());
        self.open_by_tool.entry(key).or_default().push(call);
        Observed { call, repeated_end: false, duration_ms: None, start: None }
    }

    fn end(&mut self, view: &View<'_, '_>, offset: u64) -> Observed {
        let event = view.event;
        let call = match view.call_id() {
            Some(id) => self.find(&id).unwrap_or_else(|| self.add(view, &id)),
            None => self.newest_open(view).unwrap_or_else(|| self.add(view, &event.event_id)),
        };
        let entry = &mut self.calls[call];
        let start = entry.newest.filter(|start| offset - start.offset <= PAIRING_WINDOW);
        let duration_ms = view.duration_ms().or_else(|| event.timestamp.since(start?.time));
        let repeated_end = entry.ends > 0;
        entry.status = match view.role {
            Role::ToolFail => CallStatus::Failed,
            Role::ToolBlocked => CallStatus::Blocked,
            _ => CallStatus::Completed,
        };
        entry.open = false;
        entry.ends += 1;
        entry.end_sequence = Some(event.sequence);
        entry.duration_ms = duration_ms;
        Observed { call, repeated_end, duration_ms, start }
    }

    fn error(&mut self, view: &View<'_, '_>) {
        let error = Owner::of(view);
        let calls = &mut self.calls;
        self.endless.retain(|index| {
            let call = &mut calls[*index];
            call.error_followed |= call.ends == 0 && call.owner.is_hit_by(&error);
            call.ends == 0 && !call.error_followed
        });
    }

    fn add(&mut self, view: &View<'_, '_>, id: &str) -> usize {
        let index = self.calls.len();
        self.calls.push(Call {
            id: id.to_owned(),
            tool: view.tool().into_owned(),
            actor: view.event.actor.clone().into_owned(),
            owner: Owner::of(view),
            first: None,
            newest: None,
            open: false,
            status: CallStatus::Open,
            ends: 0,
            end_sequence: None,
            duration_ms: None,
            error_followed: false,
        });
        self.by_segment.entry(last_segment(id).to_owned()).or_default().push(index);
        self.endless.push(index);
        index
    }

    fn find(&self, id: &str) -> Option<usize> {
        let candidates = self.by_segment.get(last_segment(id))?;
        candidates.iter().rev().copied().find(|index| same_call(&self.calls[*index].id, id))
    }

    fn newest_open(&mut self, view: &View<'_, '_>) -> Option<usize> {
        let key = (view.tool().into_owned(), view.event.actor.clone().into_owned());
        let starts = self.open_by_tool.get_mut(&key)?;
        while let Some(call) = starts.pop() {
            if self.calls[call].open {
                return Some(call);
            }
        }
        None
    }
}

fn last_segment(id: &str) -> &str {
    id.rsplit('/').next().unwrap_or(id)
}

/// Whether two ids name one call: equal, or one of them is the other without its prefix.
#[must_use]
pub fn same_call(one: &str, other: &str) -> bool {
    one == other
        || (last_segment(one) == last_segment(other)
            && (!one.contains('/') || !other.contains('/')))
}
