//! Tool calls: pairs starts with ends.

use std::collections::VecDeque;
use std::num::NonZeroU32;

use foldhash::HashMap;
use serde::{Serialize, Serializer};

use super::call_ids::{CallId, CallIds};
use super::names::{InternedName, Names};
use crate::event::fields::View;
use crate::event::role::Role;
use crate::event::time::Timestamp;

/// Maximum distance in bytes of log between a start and its end for which a duration is computed.
/// With this limit, recording and rebuilding agree at bounded cost.
pub(crate) const PAIRING_WINDOW: u64 = 4 << 20;

/// The state of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallStatus {
    /// It has no end.
    Open,
    /// It succeeded.
    Completed,
    /// It ended with an error.
    Failed,
    /// It was blocked.
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

impl Serialize for CallStatus {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
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

/// One call with all its events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The sequence and the time of its first start.
    pub first: Option<(u64, Timestamp)>,
    /// The state after the last end.
    pub status: CallStatus,
    /// The number of ends.
    pub ends: u32,
    /// Sequence of the last end.
    pub end_sequence: Option<u64>,
    /// Duration of the last end in milliseconds; `None` if unknown.
    pub duration_ms: Option<u64>,
}

/// The effect of an event on the calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observed {
    /// Index of the call in [`Calls`].
    pub call: usize,
    /// Whether the call had an end before this one.
    pub repeated_end: bool,
    /// For an end: its own duration, else the time since its start if known.
    pub duration_ms: Option<u64>,
    /// For an end: its start.
    pub start: Option<Start>,
}

/// All calls of a run, in the order of their first event. A call without an end takes about 60
/// bytes.
#[derive(Clone, Debug, Default)]
pub struct Calls {
    known: KnownCalls,
    ids: CallIds,
    /// Tools, actors, agents and runs.
    names: Names,
    callers: Vec<Caller>,
    by_caller: HashMap<Caller, u32>,
    recent: RecentStarts,
    /// Starts in order, by tool and actor. Closed ones are dropped when they are found.
    open_by_tool: HashMap<(InternedName, InternedName), Vec<u32>>,
    /// The number of calls at the last error of each scope.
    last_errors: HashMap<ErrorScope, usize>,
}

/// The calls as they are kept.
#[derive(Clone, Debug, Default)]
struct KnownCalls {
    calls: Vec<KnownCall>,
    /// The ends, in the order of the first end of each call.
    ends: Vec<KnownEnd>,
}

/// A call as it is kept.
#[derive(Clone, Copy, Debug)]
struct KnownCall {
    /// Index of its caller.
    caller: u32,
    /// The sequence of the first start; 0 if there is none.
    first: u64,
    /// The time of the first start.
    time: Timestamp,
    /// The newest start.
    newest: Option<StartNumber>,
    /// Number of its end, from 1.
    end: Option<NonZeroU32>,
}

/// The end of a call.
#[derive(Clone, Copy, Debug)]
struct KnownEnd {
    /// Sequence of the last end.
    sequence: u64,
    /// Its duration; [`UNKNOWN`] if it is not known.
    duration_ms: u64,
    /// The number of ends.
    count: u32,
    status: CallStatus,
    /// Whether the call started again after it.
    open_again: bool,
}

const UNKNOWN: u64 = u64::MAX;

/// The tool and the actor of a call's first event, and the agent and the run that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Caller {
    tool: InternedName,
    actor: InternedName,
    /// `runId` of gateway events.
    run: Option<InternedName>,
    /// The agent, else the actor.
    agent: InternedName,
}

/// The errors that apply to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum ErrorScope {
    /// Errors of that run.
    Run(InternedName),
    /// Errors of that agent without a run.
    Agent(InternedName),
    /// Errors of that agent, for a call without a run.
    AgentOfNoRun(InternedName),
}

impl KnownCalls {
    fn end_of(&self, index: usize) -> Option<&KnownEnd> {
        self.ends.get(self.calls[index].end?.get() as usize - 1)
    }

    fn end_of_mut(&mut self, index: usize) -> Option<&mut KnownEnd> {
        self.ends.get_mut(self.calls[index].end?.get() as usize - 1)
    }

    /// Whether there is no end after the newest start.
    fn is_open(&self, index: usize) -> bool {
        let end = self.end_of(index);
        end.map_or(self.calls[index].newest.is_some(), |end| end.open_again)
    }
}

impl Calls {
    /// The number of calls.
    #[must_use]
    pub fn len(&self) -> usize {
        self.known.calls.len()
    }

    /// Whether there are no calls.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.known.calls.is_empty()
    }

    /// The call with that index.
    #[must_use]
    pub fn get(&self, index: usize) -> Call {
        let known = &self.known.calls[index];
        let end = self.known.end_of(index);
        Call {
            first: (known.first > 0).then_some((known.first, known.time)),
            status: end.map_or(CallStatus::Open, |end| end.status),
            ends: end.map_or(0, |end| end.count),
            end_sequence: end.map(|end| end.sequence),
            duration_ms: end.map(|end| end.duration_ms).filter(|ms| *ms != UNKNOWN),
        }
    }

    /// The calls in the order of their first event.
    pub fn iter(&self) -> impl Iterator<Item = Call> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// The states of the calls, in the same order; see [`Calls::status`].
    pub fn statuses(&self, run_ended: bool) -> impl Iterator<Item = CallStatus> {
        (0..self.len()).map(move |index| self.status(index, run_ended))
    }

    /// Takes the next event, whose line begins at byte `offset`. `None` if it is not a state of a
    /// tool call.
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

    /// Index of the call with that id, if known.
    #[must_use]
    pub fn named(&self, id: &str) -> Option<usize> {
        self.ids.named(id)
    }

    /// The name of a call's tool.
    #[must_use]
    pub fn tool(&self, index: usize) -> &str {
        self.names.text(self.caller(index).tool)
    }

    /// The state of a call. In a run that has ended, an open call that was followed by an error of
    /// its agent has failed.
    #[must_use]
    pub fn status(&self, index: usize, run_ended: bool) -> CallStatus {
        match self.known.end_of(index) {
            Some(end) => end.status,
            None if run_ended && self.is_followed_by_error(index) => CallStatus::Failed,
            None => CallStatus::Open,
        }
    }

    fn is_followed_by_error(&self, index: usize) -> bool {
        let Caller { run, agent, .. } = *self.caller(index);
        let own = run.map_or(ErrorScope::AgentOfNoRun(agent), ErrorScope::Run);
        let scopes = [own, ErrorScope::Agent(agent)];
        scopes.iter().any(|scope| self.last_errors.get(scope).is_some_and(|calls| index < *calls))
    }

    fn caller(&self, index: usize) -> &Caller {
        &self.callers[self.known.calls[index].caller as usize]
    }

    fn start(&mut self, view: &View<'_, '_>, offset: u64) -> Observed {
        let event = view.event;
        let start = Start { sequence: event.sequence, offset, time: event.timestamp };
        let id = self.ids.id(&view.call_id_or_own());
        let call = self.find(id).unwrap_or_else(|| self.add(view, id));
        self.ids.start(id, call);
        let known = &mut self.known.calls[call];
        if known.first == 0 {
            (known.first, known.time) = (start.sequence, start.time);
        }
        known.newest = self.recent.push(start);
        if let Some(end) = self.known.end_of_mut(call) {
            end.open_again = true;
        }
        let Caller { tool, actor, .. } = *self.caller(call);
        let starts = self.open_by_tool.entry((tool, actor)).or_default();
        while starts.last().is_some_and(|call| !self.known.is_open(*call as usize)) {
            starts.pop();
        }
        starts.push(number(call));
        Observed { call, repeated_end: false, duration_ms: None, start: None }
    }

    fn end(&mut self, view: &View<'_, '_>, offset: u64) -> Observed {
        let event = view.event;
        let call = match view.call_id() {
            Some(id) => {
                let id = self.ids.id(&id);
                self.find(id).unwrap_or_else(|| self.add(view, id))
            }
            None => self.newest_open(view).unwrap_or_else(|| {
                let id = self.ids.id(&event.event_id);
                self.add(view, id)
            }),
        };
        let newest = self.known.calls[call].newest;
        let start = newest.and_then(|newest| self.recent.get(newest));
        let start = start.filter(|start| offset.saturating_sub(start.offset) <= PAIRING_WINDOW);
        let duration_ms = view.duration_ms().or_else(|| event.timestamp.since(start?.time));
        let status = match view.role {
            Role::ToolFail => CallStatus::Failed,
            Role::ToolBlocked => CallStatus::Blocked,
            _ => CallStatus::Completed,
        };
        let end = KnownEnd {
            sequence: event.sequence,
            duration_ms: duration_ms.unwrap_or(UNKNOWN),
            count: 1,
            status,
            open_again: false,
        };
        let earlier = self.known.end_of_mut(call);
        let repeated_end = earlier.is_some();
        match earlier {
            Some(earlier) => *earlier = KnownEnd { count: earlier.count.saturating_add(1), ..end },
            None => {
                self.known.ends.push(end);
                self.known.calls[call].end = NonZeroU32::new(number(self.known.ends.len()));
            }
        }
        Observed { call, repeated_end, duration_ms, start }
    }

    fn error(&mut self, view: &View<'_, '_>) {
        let run = self.run(view);
        let agent = self.names.get(&view.agent());
        let scopes = match run {
            Some(run) => [ErrorScope::Run(run), ErrorScope::AgentOfNoRun(agent)],
            None => [ErrorScope::Agent(agent); 2],
        };
        let calls = self.len();
        self.last_errors.extend(scopes.map(|scope| (scope, calls)));
    }

    fn run(&mut self, view: &View<'_, '_>) -> Option<InternedName> {
        view.field("runId").map(|run| self.names.get(&run))
    }

    fn add(&mut self, view: &View<'_, '_>, id: CallId) -> usize {
        let index = self.len();
        let caller = Caller {
            tool: self.names.get(&view.tool()),
            actor: self.names.get(&view.event.actor),
            run: self.run(view),
            agent: self.names.get(&view.agent()),
        };
        let callers = &mut self.callers;
        let caller = *self.by_caller.entry(caller).or_insert_with(|| {
            callers.push(caller);
            number(callers.len() - 1)
        });
        self.ids.add(id, index);
        let time = view.event.timestamp;
        self.known.calls.push(KnownCall { caller, first: 0, time, newest: None, end: None });
        index
    }

    fn find(&mut self, id: CallId) -> Option<usize> {
        self.ids.find(id, |call| self.known.is_open(call))
    }

    fn newest_open(&mut self, view: &View<'_, '_>) -> Option<usize> {
        let pair = (self.names.get(&view.tool()), self.names.get(&view.event.actor));
        loop {
            let call = self.open_by_tool.get_mut(&pair)?.pop()? as usize;
            if self.known.is_open(call) {
                return Some(call);
            }
        }
    }
}

/// The index of a call or of an end as it is kept. No log has as many as there are numbers.
fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// The number of a start: 1, 2, 3 …
type StartNumber = NonZeroU32;

/// The starts within the last [`PAIRING_WINDOW`] bytes of log.
#[derive(Clone, Debug, Default)]
struct RecentStarts {
    starts: VecDeque<Start>,
    /// The number of starts that are too far back.
    dropped: u32,
}

impl RecentStarts {
    fn push(&mut self, start: Start) -> Option<StartNumber> {
        while self.starts.front().is_some_and(|old| old.offset + PAIRING_WINDOW < start.offset) {
            self.starts.pop_front();
            self.dropped += 1;
        }
        self.starts.push_back(start);
        StartNumber::new(self.dropped.saturating_add(number(self.starts.len())))
    }

    fn get(&self, start: StartNumber) -> Option<Start> {
        let at = start.get().checked_sub(self.dropped + 1)?;
        self.starts.get(at as usize).copied()
    }
}
