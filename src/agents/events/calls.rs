//! The calls of a stream: which end belongs to which start.
//!
//! An end belongs to a call with its id, of its agent if there is one; else to a call of the line that it
//! names, or of its own line; else to the oldest open call without an id, of the same tool and family; else
//! to the newest call. Of several calls with an id, it belongs to the one of the line that it names, else to
//! an open one of the newest response, the oldest first. A call that was asked for before the newest prompt,
//! or before an interruption, comes after all others.
//!
//! A start with the id of a known call is another call, unless something shows that it is the same: its other
//! id, its line, another kind of report, or a copy of the line (at the same time, or with the same arguments
//! while the call is open).

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher as _;

use foldhash::fast::FixedState;

use super::PlaceInLine;
use crate::agents::said::{CallEnd, Outcome, Report, SaidCall, SubAgent};
use crate::event::fields::is_placeholder;

/// The number of calls with one id, and of open calls without an id, that are looked at.
const NEWEST: usize = 64;

/// The calls that a stream has reported.
#[derive(Debug, Default)]
pub(super) struct PairedCalls {
    /// All calls, in order.
    calls: Vec<PairedCall>,
    /// The places in `calls` of the calls with each id of their own.
    by_id: HashMap<String, Vec<usize>>,
    /// Those of the calls of each line, by its id, or by its place.
    by_line: HashMap<String, Vec<usize>>,
    /// Those of the open calls without an id of their own, oldest first.
    unnamed: Vec<usize>,
    /// Those of the calls since the newest prompt.
    recent: Vec<usize>,
    /// The ids that events have.
    used: HashSet<String>,
    /// The calls that spawned sub-agents, by the ids of these.
    spawners: HashMap<String, String>,
}

/// A call.
#[derive(Debug, Default)]
struct PairedCall {
    /// The id that its events have.
    id: String,
    tool: String,
    agent: Option<String>,
    /// See [`SaidCall::family`].
    family: String,
    /// See [`SaidCall::other_id`].
    other_id: Option<String>,
    /// The response of the model that asked for it.
    message: Option<String>,
    /// The line that asked for it: its id, or its place. And the number of calls before it there.
    line: String,
    number: usize,
    /// A hash of its arguments, if it has any: they may follow.
    content: Option<u64>,
    /// The time of the line that asked for it; of its end, if that came first.
    time: Option<String>,
    /// The bits of the reports of its start.
    started: u8,
    has_ended: bool,
    /// A hash of the result.
    result: u64,
    /// Whether it ended with a process that went on in the background.
    goes_on: bool,
    /// Whether a prompt or an interruption followed before its end.
    is_abandoned: bool,
}

/// A call that begins.
pub(super) struct BegunCall {
    /// The place of the call.
    pub(super) at: usize,
    /// The id of its events; `None` if its start was reported.
    pub(super) id: Option<String>,
}

/// What the id of a known call names in another start.
enum Named {
    /// The same call, whose start is not in the log yet, or is there with the same id.
    Again,
    /// The same call, whose start was reported.
    Same,
    /// Another call.
    Other,
}

/// The end of a call.
#[derive(Debug)]
pub(super) enum EndOfCall {
    /// Its first one, with the id of its events and its tool. Or a further result of it.
    First {
        /// The id.
        id: String,
        /// The tool.
        tool: String,
        /// Whether its start is known.
        is_started: bool,
    },
    /// That of its process, which had gone on in the background, and failed.
    Late {
        /// The tool.
        tool: String,
    },
}

impl PairedCalls {
    /// A call that begins.
    pub(super) fn start(
        &mut self,
        call: &SaidCall<'_>,
        place: &PlaceInLine<'_>,
        agent: &SubAgent<'_>,
    ) -> BegunCall {
        let own = own_id(call.id.as_deref(), agent);
        let text = |text: Option<&str>| text.filter(|id| !is_placeholder(id)).map(str::to_owned);
        let line = place.id.unwrap_or(place.line);
        let mut begun = PairedCall {
            tool: if call.tool.is_empty() { "tool" } else { &call.tool }.to_owned(),
            agent: agent.id.as_deref().map(str::to_owned),
            family: call.family.clone().into_owned(),
            other_id: text(call.other_id.as_deref()),
            message: text(call.message.as_deref()),
            line: line.to_owned(),
            number: place.calls,
            content: call.args.hash(),
            time: place.time.map(str::to_owned),
            started: call.report.bit(),
            ..PairedCall::default()
        };
        let known = match &own {
            Some(own) => self.known(own, &begun, place),
            None => self.unconfirmed(call, &begun),
        };
        if let Some(at) = known
            && let Some(known) = self.calls.get_mut(at)
        {
            match known.names(&begun, call, place) {
                Named::Again => {
                    known.started |= begun.started;
                    return BegunCall { at, id: Some(known.id.clone()) };
                }
                Named::Same => {
                    known.started |= begun.started;
                    return BegunCall { at, id: None };
                }
                Named::Other => {}
            }
        }
        let by_place = || place.call_id(agent);
        let other = begun.other_id.as_deref().map(|id| agent.call_id(id));
        let free = own.clone().into_iter().chain(other).find(|id| !self.used.contains(id));
        begun.id = free.unwrap_or_else(by_place);
        if let Some(spawned) = &call.spawned {
            self.spawners.insert(spawned.as_ref().to_owned(), begun.id.clone());
        }
        BegunCall { id: Some(begun.id.clone()), at: self.add(own, begun) }
    }

    /// Adds a call. Returns its place.
    fn add(&mut self, own: Option<String>, call: PairedCall) -> usize {
        let at = self.calls.len();
        self.by_line.entry(call.line.clone()).or_default().push(at);
        self.used.insert(call.id.clone());
        self.recent.push(at);
        match own {
            Some(own) => self.by_id.entry(own).or_default().push(at),
            None => {
                // The calls of an earlier response get no result any more.
                for earlier in &self.unnamed {
                    if let Some(earlier) = self.calls.get_mut(*earlier)
                        && earlier.agent == call.agent
                        && earlier.message != call.message
                    {
                        earlier.is_abandoned = true;
                    }
                }
                if self.unnamed.len() == NEWEST {
                    self.unnamed.remove(0);
                }
                self.unnamed.push(at);
            }
        }
        self.calls.push(call);
        at
    }

    /// The known call that a start with an id may be about: that of the same line or with the same other id,
    /// else the newest one of its agent.
    fn known(&self, own: &str, begun: &PairedCall, place: &PlaceInLine<'_>) -> Option<usize> {
        let newest = self.newest(own).filter(|(_, call)| call.agent == begun.agent);
        let is_same = |call: &PairedCall| {
            (call.is_of_line(begun) && place.ids_name_lines)
                || (call.other_id.is_some() && call.other_id == begun.other_id)
        };
        let all: Vec<_> = newest.collect();
        let same = all.iter().find(|(_, call)| is_same(call));
        same.or(all.first()).map(|(at, _)| *at)
    }

    /// The calls with that id of their own, the newest first.
    fn newest(&self, own: &str) -> impl Iterator<Item = (usize, &PairedCall)> {
        let places = self.by_id.get(own).into_iter().flatten().rev().take(NEWEST);
        places.filter_map(|at| Some((*at, self.calls.get(*at)?)))
    }

    /// The open call without an id whose start another report may be about.
    fn unconfirmed(&self, call: &SaidCall<'_>, begun: &PairedCall) -> Option<usize> {
        if !matches!(call.report, Report::Kind(_)) {
            return None;
        }
        // A line with both ends is about an open call, if there is one.
        let is_this = |open: &PairedCall| {
            open.is_like(begun) && (call.end.is_some() || open.started & begun.started == 0)
        };
        let mut open = self.unnamed.iter().filter_map(|at| Some((*at, self.calls.get(*at)?)));
        open.find(|(_, open)| is_this(open)).map(|(at, _)| at)
    }

    /// Takes a prompt to an agent, or an interruption of it: what was asked for before gets no result any
    /// more, if another call may have it.
    pub(super) fn interrupt(&mut self, agent: &SubAgent<'_>) {
        let recent = std::mem::take(&mut self.recent);
        for at in recent {
            match self.calls.get_mut(at) {
                Some(call) if call.has_ended => {}
                Some(call) if call.agent.as_deref() == agent.id.as_deref() => {
                    call.is_abandoned = true;
                }
                _ => self.recent.push(at),
            }
        }
    }

    /// The call that an end belongs to, if it is known.
    fn of(
        &self,
        end: &CallEnd<'_>,
        place: &PlaceInLine<'_>,
        agent: &SubAgent<'_>,
    ) -> Option<usize> {
        match own_id(end.id.as_deref(), agent) {
            Some(own) => self.of_id(&own, end, agent),
            None => self.unnamed_end(end, place, agent),
        }
    }

    fn of_id(&self, own: &str, end: &CallEnd<'_>, agent: &SubAgent<'_>) -> Option<usize> {
        let mut all: Vec<_> = self.newest(own).collect();
        if all.iter().any(|(_, call)| call.agent.as_deref() == agent.id.as_deref()) {
            all.retain(|(_, call)| call.agent.as_deref() == agent.id.as_deref());
        }
        let is_open = |(_, call): &&(usize, &PairedCall)| !call.has_ended;
        if let Some(line) = end.line.as_deref() {
            let mut of_line = all.iter().filter(|(_, call)| call.line == line);
            let first = of_line.next();
            if first.is_some() || all.iter().any(|(_, call)| call.has(Report::Line)) {
                return first.map(|(at, _)| *at);
            }
        }
        // Those of an interrupted turn come last.
        let current = all.iter().filter(is_open).filter(|(_, call)| !call.is_abandoned);
        let newest = current.clone().next().map(|(_, call)| &call.message);
        let oldest = current.rev().find(|(_, call)| Some(&call.message) == newest);
        oldest.or_else(|| all.iter().find(is_open)).or(all.first()).map(|(at, _)| *at)
    }

    /// The call without an id that ends.
    fn unnamed_end(
        &self,
        end: &CallEnd<'_>,
        place: &PlaceInLine<'_>,
        agent: &SubAgent<'_>,
    ) -> Option<usize> {
        let call = |at: &usize| self.calls.get(*at);
        let line = end.line.as_deref().or(place.id).unwrap_or(place.line);
        let of_line = self.by_line.get(line).map(Vec::as_slice).unwrap_or_default();
        let is_open = |at: &&usize| call(at).is_some_and(|call| !call.has_ended);
        let named = of_line.last().filter(|_| end.line.is_some());
        if let Some(at) = of_line.iter().find(is_open).or(named) {
            return Some(*at);
        }
        let may_end = |call: &PairedCall| {
            let is_of_tool = end.tool.as_ref().is_none_or(|tool| call.tool == *tool);
            !call.has_ended && is_of_tool && call.family == end.family
        };
        let of_agent = |call: &PairedCall| call.agent.as_deref() == agent.id.as_deref();
        let mut unnamed =
            self.unnamed.iter().filter(|at| call(at).is_some_and(|c| of_agent(c) && may_end(c)));
        let current = unnamed.clone().find(|at| call(at).is_some_and(|call| !call.is_abandoned));
        let newest = self.calls.last().filter(|call| may_end(call)).map(|_| self.calls.len() - 1);
        current.copied().or(newest).or_else(|| unnamed.next_back().copied())
    }

    /// The end of a call; `None` if it was reported. `at`: the place of the call, if it is known.
    pub(super) fn end(
        &mut self,
        at: Option<usize>,
        end: &CallEnd<'_>,
        place: &PlaceInLine<'_>,
        agent: &SubAgent<'_>,
    ) -> Option<EndOfCall> {
        let at = at.or_else(|| self.of(end, place, agent)).unwrap_or_else(|| {
            let own = own_id(end.id.as_deref(), agent);
            let id = own.clone().filter(|id| !self.used.contains(id));
            let call = PairedCall {
                id: id.unwrap_or_else(|| place.call_id(agent)),
                tool: end.tool.as_deref().unwrap_or("tool").to_owned(),
                agent: agent.id.as_deref().map(str::to_owned),
                line: end.line.as_deref().unwrap_or_default().to_owned(),
                time: place.time.map(str::to_owned),
                ..PairedCall::default()
            };
            self.add(own.or_else(|| Some(call.id.clone())), call)
        });
        self.unnamed.retain(|open| *open != at);
        let call = self.calls.get_mut(at)?;
        let result = FixedState::default().hash_one(end.text.as_ref());
        let goes_on = std::mem::replace(&mut call.goes_on, end.goes_on);
        let is_late = goes_on && end.outcome == Outcome::Failed;
        let is_first = !std::mem::replace(&mut call.has_ended, true);
        let has_kinds = call.started & !(Report::Only.bit() | Report::Line.bit()) != 0;
        // A call may have several results, but some clients write one again in another form.
        let is_more = !has_kinds
            && call.other_id.is_none()
            && (call.result != result || place.ids_name_lines);
        if is_first || is_more {
            call.result = result;
            for spawned in end.spawned.iter().chain(&end.also_spawned) {
                self.spawners.insert(spawned.as_ref().to_owned(), call.id.clone());
            }
            let is_started = call.started != 0;
            return Some(EndOfCall::First {
                id: call.id.clone(),
                tool: call.tool.clone(),
                is_started,
            });
        }
        if is_late {
            return Some(EndOfCall::Late { tool: call.tool.clone() });
        }
        call.goes_on = goes_on;
        None
    }

    /// The call that spawned the sub-agent with that id.
    pub(super) fn spawner(&self, agent: &str) -> Option<&str> {
        self.spawners.get(agent).map(String::as_str)
    }

    /// Whether a call with that id began or ended.
    pub(super) fn is_known(&self, id: Option<&str>, agent: &SubAgent<'_>) -> bool {
        own_id(id, agent).is_some_and(|id| self.by_id.contains_key(&id))
    }
}

impl PairedCall {
    /// Whether that kind of report of its start has come.
    fn has(&self, report: Report) -> bool {
        self.started & report.bit() != 0
    }

    /// Whether it is the same call of the same line.
    fn is_of_line(&self, other: &Self) -> bool {
        self.line == other.line && self.number == other.number
    }

    /// Whether it is of the same agent, tool and family.
    fn is_like(&self, other: &Self) -> bool {
        self.agent == other.agent && self.tool == other.tool && self.family == other.family
    }

    /// What the id of the call names in another start.
    fn names(&self, other: &Self, call: &SaidCall<'_>, place: &PlaceInLine<'_>) -> Named {
        let differ = |one: &Option<String>, other: &Option<String>| {
            one.as_ref().zip(other.as_ref()).map(|(one, other)| one != other)
        };
        let same = |is_same: bool| if is_same { Named::Same } else { Named::Other };
        let is_later = differ(&self.time, &other.time);
        let is_unlike = self.content.zip(other.content).is_some_and(|(one, other)| one != other);
        if self.started == 0 {
            // Its end came first: from a file without its start, or it is that of an earlier call.
            let is_earlier =
                self.time.as_ref().zip(other.time.as_ref()).is_some_and(|(a, b)| a < b);
            return if is_earlier { Named::Other } else { Named::Again };
        }
        if self.is_of_line(other) && (place.ids_name_lines || call.report == Report::Line) {
            return Named::Again;
        }
        if let Some(is_other) = differ(&self.other_id, &other.other_id) {
            return same(!is_other);
        }
        match call.report {
            Report::Line => Named::Other,
            Report::Kind(_) if call.end.is_some() && (!self.has_ended || self.goes_on) => {
                Named::Same
            }
            Report::Kind(_) => same(!self.has(call.report)),
            // Two calls of one line.
            Report::Only if self.line == other.line && self.number != other.number => Named::Other,
            // A line of the same time is a copy, perhaps an edited one.
            Report::Only if is_later == Some(false) => Named::Same,
            Report::Only => match differ(&self.message, &other.message) {
                Some(true) => Named::Other,
                Some(false) if is_later.is_some() => same(!is_unlike && !self.has_ended),
                Some(false) => same(!is_unlike),
                None => same(!is_unlike && !self.has_ended),
            },
        }
    }
}

/// The id that a source gives a call, apart from those of agents that number their calls alike.
fn own_id(id: Option<&str>, agent: &SubAgent<'_>) -> Option<String> {
    let id = id.filter(|id| !is_placeholder(id))?;
    Some(agent.call_id(id))
}

impl SubAgent<'_> {
    /// The id of the events of a call that has that id among the agent's own calls.
    fn call_id(&self, id: &str) -> String {
        match self.id.as_deref().filter(|_| self.numbers_calls) {
            Some(agent) => format!("{agent}:{id}"),
            None => id.to_owned(),
        }
    }
}

impl PlaceInLine<'_> {
    /// The id of the events of a call without an id of its own.
    fn call_id(&self, agent: &SubAgent<'_>) -> String {
        agent.call_id(&format!("{}.{}", self.line, self.calls))
    }
}
