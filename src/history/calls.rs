//! Tool calls: pairs starts with ends.

use std::collections::BTreeMap;

use foldhash::HashMap;
use serde::{Serialize, Serializer};

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
#[derive(Clone, Debug)]
pub struct Call {
    id: InternedName,
    /// The tool and the actor of the first event. They pair events without ids.
    pair: (InternedName, InternedName),
    /// The first start.
    pub first: Option<Start>,
    /// The newest start.
    pub newest: Option<Start>,
    /// Whether there is no end after the newest start.
    open: bool,
    /// The state after the last end.
    pub status: CallStatus,
    /// The number of ends.
    pub ends: u32,
    /// Sequence of the last end.
    pub end_sequence: Option<u64>,
    /// Duration of the last end in milliseconds; `None` if unknown.
    pub duration_ms: Option<u64>,
    /// Whether an error of the same agent came while the call was open.
    pub error_followed: bool,
}

/// The run and the agent that a call or an error belongs to.
struct Owner {
    /// `runId` of gateway events.
    run: Option<InternedName>,
    /// The agent, else the actor.
    agent: InternedName,
}

/// The parts of a call's id.
#[derive(Clone, Copy)]
struct CallId<'i> {
    whole: &'i str,
    /// The part before the last slash, if there is one.
    prefix: Option<&'i str>,
    /// The part after it.
    last: InternedName,
}

/// The effect of an event on the calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observed {
    /// Index of the call in [`Calls::all`].
    pub call: usize,
    /// Whether the call had an end before this one.
    pub repeated_end: bool,
    /// For an end: its own duration, else the time since its start if known.
    pub duration_ms: Option<u64>,
    /// For an end: its start.
    pub start: Option<Start>,
}

/// All calls of a run, in the order of their first event.
#[derive(Clone, Debug, Default)]
pub struct Calls {
    calls: Vec<Call>,
    names: Names,
    /// The whole ids and their last segments: `R/tc1` and `tc1` share the segment `tc1`.
    ids: Names,
    /// Calls by the last segment of their ids.
    by_segment: Vec<Segment>,
    /// Starts in order, by tool and actor. Closed ones are dropped when they are found.
    open_by_tool: HashMap<(InternedName, InternedName), Vec<usize>>,
    /// Calls by the scope of the errors that apply to them. The first such error takes them out.
    endless: HashMap<ErrorScope, Vec<usize>>,
}

/// The calls whose ids have the same last segment.
#[derive(Clone, Debug, Default)]
struct Segment {
    /// The call whose id is the segment alone.
    bare: Option<usize>,
    /// Calls with prefixed ids; rare.
    prefixed: Option<Box<Prefixed>>,
}

/// Calls whose prefixed ids have the same last segment.
#[derive(Clone, Debug, Default)]
struct Prefixed {
    /// Calls by the prefix of their ids.
    by_prefix: BTreeMap<String, usize>,
    /// In the order of their starts. Closed ones are dropped when they are found.
    open: Vec<usize>,
    newest: usize,
    /// Whether one of the prefixes refers to the bare call.
    names_bare: bool,
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
    /// The calls in the order of their first event.
    #[must_use]
    pub fn all(&self) -> &[Call] {
        &self.calls
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

    /// The id of a call from its first event. Default: the id of that event.
    #[must_use]
    pub fn id(&self, call: &Call) -> &str {
        self.ids.text(call.id)
    }

    /// Index of the call with that id, if known.
    #[must_use]
    pub fn named(&self, id: &str) -> Option<usize> {
        let (prefix, last) = split(id);
        let segment = self.by_segment.get(self.ids.known(last)?.index())?;
        let prefixed = segment.prefixed.as_deref();
        match prefix {
            None => segment.bare.or(prefixed.map(|prefixed| prefixed.newest)),
            Some(prefix) => prefixed
                .and_then(|prefixed| prefixed.by_prefix.get(prefix).copied())
                .or(segment.bare.filter(|_| !prefixed.is_some_and(|known| known.names_bare))),
        }
    }

    /// The name of a call's tool.
    #[must_use]
    pub fn tool(&self, call: &Call) -> &str {
        self.names.text(call.pair.0)
    }

    /// The state of a call. In a run that has ended, an open call that was followed by an error of
    /// its agent has failed.
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
        let id = self.split(&id);
        let call = self.find(id).unwrap_or_else(|| self.add(view, id));
        let entry = &mut self.calls[call];
        entry.first.get_or_insert(start);
        entry.newest = Some(start);
        entry.open = true;
        let pair = entry.pair;
        if id.prefix.is_some() {
            self.segment(id.last).prefixed.get_or_insert_default().open.push(call);
        }
        let starts = self.open_by_tool.entry(pair).or_default();
        while starts.last().is_some_and(|call| !self.calls[*call].open) {
            starts.pop();
        }
        starts.push(call);
        Observed { call, repeated_end: false, duration_ms: None, start: None }
    }

    fn end(&mut self, view: &View<'_, '_>, offset: u64) -> Observed {
        let event = view.event;
        let call = match view.call_id() {
            Some(id) => {
                let id = self.split(&id);
                self.find(id).unwrap_or_else(|| self.add(view, id))
            }
            None => self.newest_open(view).unwrap_or_else(|| {
                let id = self.split(&event.event_id);
                self.add(view, id)
            }),
        };
        let entry = &mut self.calls[call];
        let start =
            entry.newest.filter(|start| offset.saturating_sub(start.offset) <= PAIRING_WINDOW);
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
        let Owner { run, agent } = self.owner(view);
        let concerns = match run {
            Some(run) => vec![ErrorScope::Run(run), ErrorScope::AgentOfNoRun(agent)],
            None => vec![ErrorScope::Agent(agent)],
        };
        for call in concerns.iter().filter_map(|concern| self.endless.remove(concern)).flatten() {
            self.calls[call].error_followed |= self.calls[call].ends == 0;
        }
    }

    fn owner(&mut self, view: &View<'_, '_>) -> Owner {
        let run = view.field("runId").map(|run| self.names.get(&run));
        Owner { run, agent: self.names.get(&view.agent()) }
    }

    /// The tool and the actor of an event.
    fn pair(&mut self, view: &View<'_, '_>) -> (InternedName, InternedName) {
        (self.names.get(&view.tool()), self.names.get(&view.event.actor))
    }

    /// Splits an id and registers its last segment.
    fn split<'i>(&mut self, whole: &'i str) -> CallId<'i> {
        let (prefix, last) = split(whole);
        CallId { whole, prefix, last: self.ids.get(last) }
    }

    fn add(&mut self, view: &View<'_, '_>, id: CallId<'_>) -> usize {
        let index = self.calls.len();
        let Owner { run, agent } = self.owner(view);
        for concern in
            [run.map_or(ErrorScope::AgentOfNoRun(agent), ErrorScope::Run), ErrorScope::Agent(agent)]
        {
            let endless = self.endless.entry(concern).or_default();
            while endless.last().is_some_and(|call| self.calls[*call].ends > 0) {
                endless.pop();
            }
            endless.push(index);
        }
        let pair = self.pair(view);
        self.calls.push(Call {
            id: id.prefix.map_or(id.last, |_| self.ids.get(id.whole)),
            pair,
            first: None,
            newest: None,
            open: false,
            status: CallStatus::Open,
            ends: 0,
            end_sequence: None,
            duration_ms: None,
            error_followed: false,
        });
        let segment = self.segment(id.last);
        match id.prefix {
            Some(prefix) => {
                let prefixed = segment.prefixed.get_or_insert_default();
                prefixed.newest = index;
                prefixed.by_prefix.insert(prefix.to_owned(), index);
            }
            None => segment.bare = Some(index),
        }
        index
    }

    /// The calls with that last segment.
    fn segment(&mut self, last: InternedName) -> &mut Segment {
        let at = last.index();
        if self.by_segment.len() <= at {
            self.by_segment.resize_with(at + 1, Segment::default);
        }
        &mut self.by_segment[at]
    }

    /// The call with that id. A bare id also matches a prefixed call, preferably the newest open
    /// one. A prefixed id also matches a bare call that no other prefix has claimed.
    fn find(&mut self, id: CallId<'_>) -> Option<usize> {
        let segment = self.by_segment.get_mut(id.last.index())?;
        let Some(prefix) = id.prefix else {
            let Segment { bare, prefixed } = segment;
            return bare.or_else(|| {
                let Prefixed { open, newest, .. } = prefixed.as_deref_mut()?;
                while open.last().is_some_and(|call| !self.calls[*call].open) {
                    open.pop();
                }
                Some(open.last().copied().unwrap_or(*newest))
            });
        };
        let known = segment.prefixed.as_deref();
        if let Some(call) = known.and_then(|prefixed| prefixed.by_prefix.get(prefix)) {
            return Some(*call);
        }
        let call = segment.bare.filter(|_| !known.is_some_and(|prefixed| prefixed.names_bare))?;
        let prefixed = segment.prefixed.get_or_insert_default();
        prefixed.names_bare = true;
        prefixed.by_prefix.insert(prefix.to_owned(), call);
        Some(call)
    }

    fn newest_open(&mut self, view: &View<'_, '_>) -> Option<usize> {
        let pair = self.pair(view);
        let starts = self.open_by_tool.get_mut(&pair)?;
        while let Some(call) = starts.pop() {
            if self.calls[call].open {
                return Some(call);
            }
        }
        None
    }
}

/// The prefix of an id, if it has one, and its last segment.
fn split(id: &str) -> (Option<&str>, &str) {
    match memchr::memrchr(b'/', id.as_bytes()) {
        Some(slash) => (Some(&id[..slash]), &id[slash + 1..]),
        None => (None, id),
    }
}
