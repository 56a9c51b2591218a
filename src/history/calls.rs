//! Tool calls: pairs starts with ends.

use foldhash::HashMap;
use serde::{Serialize, Serializer};

use super::block_list::BlockList;
use super::call_ids::{CallId, CallIds};
use super::known_calls::{KnownCalls, KnownEnd, KnownStart, number};
use super::names::{InternedName, Names};
use super::recent_starts::RecentStarts;
use crate::event::catalogue;
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
    /// Whether the call was seen under two ids, and this is the end under the second one.
    pub is_second_sight: bool,
    /// For an end: its own duration, else the time since its start if known.
    pub duration_ms: Option<u64>,
    /// For an end: its start.
    pub start: Option<Start>,
}

/// All calls of a run, in the order of their first event. A call with a start or an end takes about
/// 41 bytes, one with both about 65, and one whose id has a prefix 11 more.
#[derive(Clone, Debug, Default)]
pub struct Calls {
    known: KnownCalls,
    ids: CallIds,
    tools: Names,
    /// Actors, agents and runs.
    names: Names,
    callers: Vec<Caller>,
    by_caller: HashMap<Caller, u32>,
    recent: RecentStarts,
    /// Starts in order, by tool and actor. Closed ones are dropped when they are found.
    open_by_tool: HashMap<(InternedName, InternedName), BlockList<u32>>,
    /// The number of calls at the last error of each scope.
    last_errors: HashMap<ErrorScope, usize>,
}

/// Maximum number of tools that are told apart. A run with more is no run of an agent.
const MOST_TOOLS: usize = 1 << 13;
/// Maximum number of actors, agents and runs that are told apart.
const MOST_NAMES: usize = 1 << 15;
/// Up to this many callers are told apart by their runs and agents; up to twice as many by their
/// tools and actors.
const MOST_CALLERS: usize = 1 << 16;

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

impl Calls {
    /// The number of calls.
    #[must_use]
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether there are no calls.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.known.len() == 0
    }

    /// The call with that index.
    #[must_use]
    pub fn get(&self, index: usize) -> Call {
        let end = self.known.end(index);
        Call {
            first: self.known.start(index).map(KnownStart::place),
            status: end.map_or(CallStatus::Open, |end| end.status),
            ends: end.map_or(0, |end| u32::from(end.count)),
            end_sequence: end.map(KnownEnd::sequence),
            duration_ms: end.and_then(KnownEnd::duration_ms),
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
        self.tools.text(self.caller(index).tool)
    }

    /// The state of a call. In a run that has ended, an open call that was followed by an error of
    /// its agent has failed.
    #[must_use]
    pub fn status(&self, index: usize, run_ended: bool) -> CallStatus {
        match self.known.end(index) {
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
        &self.callers[self.known.caller(index)]
    }

    fn start(&mut self, view: &View<'_, '_>, offset: u64) -> Observed {
        let event = view.event;
        let start = Start { sequence: event.sequence, offset, time: event.timestamp };
        let id = self.ids.id(&view.call_id_or_own());
        let call = self.find(id).unwrap_or_else(|| self.add(view, id));
        self.ids.start(call);
        self.known.add_start(call, KnownStart::new(start.sequence, start.time));
        self.recent.push(call, start);
        if let Some(end) = self.known.end_mut(call) {
            end.open_again = true;
        }
        let Caller { tool, actor, .. } = *self.caller(call);
        let starts = self.open_by_tool.entry((tool, actor)).or_default();
        while starts.last().is_some_and(|call| !self.known.is_open(*call as usize)) {
            starts.pop();
        }
        starts.push(number(call));
        let (repeated_end, is_second_sight) = (false, false);
        Observed { call, repeated_end, is_second_sight, duration_ms: None, start: None }
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
        let start = self
            .recent
            .newest(call)
            .filter(|start| offset.saturating_sub(start.offset) <= PAIRING_WINDOW);
        // Two lines that were read at the same moment tell no duration.
        let is_known = |elapsed: &u64| *elapsed > 0 || !view.has_time_of_reading();
        let elapsed = start.and_then(|start| event.timestamp.since(start.time)).filter(is_known);
        let duration_ms = view.duration_ms().or(elapsed);
        let status = match view.role {
            Role::ToolFail => CallStatus::Failed,
            Role::ToolBlocked => CallStatus::Blocked,
            _ => CallStatus::Completed,
        };
        let end = KnownEnd::new(event.sequence, duration_ms, status);
        let earlier = self.known.end_mut(call);
        let repeated_end = earlier.is_some() && !view.revises();
        let is_second = earlier.as_ref().is_some_and(|earlier| earlier.count == 1);
        match earlier {
            Some(earlier) => earlier.replace(end),
            None => self.known.add_end(call, end),
        }
        let is_second_sight = is_second && self.ids.has_two_forms(call);
        Observed { call, repeated_end, is_second_sight, duration_ms, start }
    }

    fn error(&mut self, view: &View<'_, '_>) {
        let run = self.run(view);
        let agent = self.names.get(&view.agent(), MOST_NAMES);
        let scopes = match run {
            Some(run) => [ErrorScope::Run(run), ErrorScope::AgentOfNoRun(agent)],
            None => [ErrorScope::Agent(agent); 2],
        };
        let calls = self.len();
        self.last_errors.extend(scopes.map(|scope| (scope, calls)));
    }

    fn run(&mut self, view: &View<'_, '_>) -> Option<InternedName> {
        view.field("runId").map(|run| self.names.get(&run, MOST_NAMES))
    }

    fn add(&mut self, view: &View<'_, '_>, id: CallId) -> usize {
        let index = self.len();
        let (tool, actor) = self.pair(view);
        let run = self.run(view);
        let agent = self.names.get(&view.agent(), MOST_NAMES);
        let caller = self.known_caller(Caller { tool, actor, run, agent });
        self.ids.add(id);
        self.known.push(caller);
        index
    }

    /// The tool and the actor of an event.
    fn pair(&mut self, view: &View<'_, '_>) -> (InternedName, InternedName) {
        let tool = self.tools.get(&view.tool(), MOST_TOOLS);
        let actor = catalogue::pairing_actor(&view.event.kind, &view.event.actor);
        (tool, self.names.get(actor, MOST_NAMES))
    }

    /// The index of a caller, or of one that stands for it if there are too many.
    fn known_caller(&mut self, caller: Caller) -> u32 {
        let Caller { tool, actor, .. } = caller;
        let (tool_of_other, other) = self.others();
        let candidates = [
            (caller, MOST_CALLERS),
            (Caller { tool, actor, run: None, agent: actor }, 2 * MOST_CALLERS),
            (Caller { tool: tool_of_other, actor: other, run: None, agent: other }, usize::MAX),
        ];
        let known = candidates.into_iter().find_map(|(caller, most)| {
            let full = self.callers.len() >= most;
            let known = self.by_caller.get(&caller).copied();
            known.or_else(|| (!full).then(|| self.add_caller(caller)))
        });
        known.unwrap_or_default()
    }

    fn add_caller(&mut self, caller: Caller) -> u32 {
        let index = number(self.callers.len());
        self.callers.push(caller);
        self.by_caller.insert(caller, index);
        index
    }

    /// The tool and the actor that stand for those that are too many.
    fn others(&mut self) -> (InternedName, InternedName) {
        (self.tools.other(), self.names.other())
    }

    fn find(&mut self, id: CallId) -> Option<usize> {
        self.ids.find(id, |call| self.known.is_open(call))
    }

    fn newest_open(&mut self, view: &View<'_, '_>) -> Option<usize> {
        let mut pair = self.pair(view);
        if !self.open_by_tool.contains_key(&pair) && self.callers.len() >= 2 * MOST_CALLERS {
            pair = self.others();
        }
        loop {
            let call = self.open_by_tool.get_mut(&pair)?.pop()? as usize;
            if self.known.is_open(call) {
                return Some(call);
            }
        }
    }
}
