//! The calls of a stream: which end belongs to which start.
//!
//! A call is found by its id, else by the line that asked for it, which is the line of its end if the end
//! names none, else it is the oldest open one without an id, of the same tool and family, else the newest one.
//! An id that a known call has names that call again: for the same response of the model, or while the call
//! is open, unless its arguments are others. Otherwise it is another call, whose events are named by its
//! other id or by its place. If several calls of one response have an id, it names none of them.

use std::collections::{HashMap, HashSet, VecDeque};

use super::PlaceInLine;
use crate::agents::said::{CallEnd, Outcome, Report, SaidCall, SubAgent};
use crate::event::fields::is_placeholder;

/// The calls that a stream has reported.
#[derive(Debug, Default)]
pub(super) struct PairedCalls {
    /// The newest call with each key: its own id, or the id that its place gives it.
    known: HashMap<String, PairedCall>,
    /// The keys of the open calls without an id of their own, oldest first, with their agents.
    unnamed: VecDeque<(Option<String>, String)>,
    /// The keys of the calls of each line, by its id, or by its place.
    by_line: HashMap<String, Vec<String>>,
    /// The calls that spawned sub-agents, by the ids of these.
    spawners: HashMap<String, String>,
    /// The ids that several calls have.
    shared: HashSet<String>,
    /// The key of the newest call.
    newest: Option<String>,
}

/// A call.
#[derive(Debug, Default)]
struct PairedCall {
    /// The id that its events have.
    id: String,
    tool: String,
    /// See [`SaidCall::family`].
    family: String,
    /// The response of the model that asked for it, or its other id.
    message: Option<String>,
    /// The line that asked for it: its id, or its place.
    line: String,
    /// A hash of its tool and its arguments, if it has any: they may follow.
    content: Option<u64>,
    /// The time of the line that asked for it.
    time: Option<String>,
    /// The bits of the reports of its start.
    started: u8,
    has_ended: bool,
    /// The id of the line that ended it.
    ended_by: Option<String>,
    /// Whether it ended with a process that went on in the background.
    goes_on: bool,
}

impl PairedCalls {
    /// The id of the events of a call that begins; `None` if its start was reported.
    pub(super) fn start(
        &mut self,
        call: &SaidCall<'_>,
        place: &PlaceInLine<'_>,
        agent: &SubAgent<'_>,
    ) -> Option<String> {
        let mut own = own_id(call.id.as_deref(), agent).filter(|id| !self.shared.contains(id));
        let other_id = call.other_id.as_deref();
        let message = other_id.or(call.message.as_deref()).filter(|id| !is_placeholder(id));
        let line = place.id.unwrap_or(place.line);
        let mut begun = PairedCall {
            tool: if call.tool.is_empty() { "tool" } else { &call.tool }.to_owned(),
            family: call.family.clone().into_owned(),
            message: message.map(str::to_owned),
            line: line.to_owned(),
            content: call.args.hash().filter(|_| call.report == Report::Only),
            time: place.time.map(str::to_owned),
            started: call.report.bit(),
            ..PairedCall::default()
        };
        let other_report = || self.unconfirmed(call, agent);
        let known = own.clone().or_else(other_report).and_then(|key| self.known.get_mut(&key));
        match known.map(|known| (known.names(&begun, call.report, place.ids_name_lines), known)) {
            Some((Named::Again, known)) => {
                known.started |= begun.started;
                return Some(known.id.clone());
            }
            Some((Named::Same, known)) => {
                known.started |= begun.started;
                return None;
            }
            Some((Named::Shared, known)) => {
                let open = own.take().filter(|_| !known.has_ended);
                self.shared.extend(call.id.as_deref().and_then(|id| own_id(Some(id), agent)));
                self.unnamed.extend(open.map(|key| (agent.id.as_deref().map(str::to_owned), key)));
            }
            Some((Named::Other, _)) | None => {}
        }
        let is_known = own.as_ref().is_some_and(|own| self.known.contains_key(own));
        let own_if_free = own.clone().filter(|_| !is_known).or_else(|| own_id(other_id, agent));
        let id = own_if_free.unwrap_or_else(|| place.call_id(agent));
        let key = own.clone().unwrap_or_else(|| id.clone());
        if own.is_none() {
            // The calls of an earlier response get no result any more.
            let is_newest = |key: &String| {
                let earlier = self.known.get(key).and_then(|call| call.message.as_deref());
                earlier.is_none() || message.is_none() || earlier == message
            };
            self.unnamed.retain(|(of, key)| !is_of(of, agent) || is_newest(key));
            self.unnamed.push_back((agent.id.as_deref().map(str::to_owned), key.clone()));
        }
        self.by_line.entry(line.to_owned()).or_default().push(key.clone());
        if let Some(spawned) = &call.spawned {
            self.spawners.insert(spawned.as_ref().to_owned(), id.clone());
        }
        begun.id.clone_from(&id);
        self.newest = Some(key.clone());
        self.known.insert(key, begun);
        Some(id)
    }

    /// The key of the open call without an id whose start another report may be about.
    fn unconfirmed(&self, call: &SaidCall<'_>, agent: &SubAgent<'_>) -> Option<String> {
        let is_this = |key: &&String| {
            let open = self.known.get(*key);
            // A line with both ends is about an open call, if there is one.
            let is_new = |open: &PairedCall| call.end.is_some() || !open.has(call.report);
            open.is_some_and(|open| {
                open.tool == call.tool && open.family == call.family && is_new(open)
            })
        };
        let is_of_agent = |(of, _): &&(_, _)| is_of(of, agent);
        let mut open = self.unnamed.iter().filter(is_of_agent).map(|(_, key)| key);
        open.find(|key| matches!(call.report, Report::Kind(_)) && is_this(key)).cloned()
    }

    /// The key of the call without an id that ends: one of the line that the end names, else the oldest one,
    /// else the newest of all calls.
    fn unnamed_end(
        &self,
        end: &CallEnd<'_>,
        place: &PlaceInLine<'_>,
        agent: &SubAgent<'_>,
    ) -> Option<String> {
        let line = end.line.as_deref().or(place.id).unwrap_or(place.line);
        let is_open = |key: &&String| {
            self.known.get(*key).is_some_and(|call| !call.has_ended && call.line == line)
        };
        let of_line = self.by_line.get(line);
        let is_named = |_: &&String| end.line.is_some();
        if let Some(key) = of_line
            .and_then(|keys| keys.iter().find(is_open).or_else(|| keys.last().filter(is_named)))
        {
            return Some(key.clone());
        }
        let may_end = |key: &&String| {
            self.known.get(*key).is_some_and(|open| {
                let is_of_tool = end.tool.as_ref().is_none_or(|tool| open.tool == *tool);
                !open.has_ended && is_of_tool && open.family == end.family
            })
        };
        let unnamed = self.unnamed.iter().filter(|(of, _)| is_of(of, agent)).map(|(_, key)| key);
        unnamed.chain(&self.newest).find(may_end).cloned()
    }

    /// The end of a call; `None` if it was reported.
    pub(super) fn end(
        &mut self,
        end: &CallEnd<'_>,
        place: &PlaceInLine<'_>,
        agent: &SubAgent<'_>,
    ) -> Option<EndOfCall> {
        let own = own_id(end.id.as_deref(), agent)
            .filter(|id| !self.shared.contains(id) && !self.is_of_other_line(id, end));
        let key = own.or_else(|| self.unnamed_end(end, place, agent));
        if let Some(key) = key.as_ref().filter(|_| !self.unnamed.is_empty()) {
            self.unnamed.retain(|(_, open)| open != key);
        }
        let key = key.unwrap_or_else(|| place.call_id(agent));
        let call = self.known.entry(key).or_insert_with_key(|key| PairedCall {
            id: key.clone(),
            tool: end.tool.as_deref().unwrap_or("tool").to_owned(),
            line: end.line.as_deref().unwrap_or_default().to_owned(),
            ..PairedCall::default()
        });
        let (id, tool) = (call.id.clone(), call.tool.clone());
        for spawned in end.spawned.iter().chain(&end.also_spawned) {
            self.spawners.insert(spawned.as_ref().to_owned(), id.clone());
        }
        let goes_on = std::mem::replace(&mut call.goes_on, end.goes_on);
        // A call may have several results that name only its line.
        let is_more = end.line.is_some() && end.id.as_deref().is_none_or(is_placeholder);
        let is_copy = place.ids_name_lines && place.id.is_some();
        let is_again = is_more || (is_copy && call.ended_by.as_deref() == place.id);
        let is_first = !std::mem::replace(&mut call.has_ended, true) || is_again;
        if is_first {
            call.ended_by = place.id.map(str::to_owned);
        }
        match !is_first {
            false => Some(EndOfCall::First { id, tool, is_started: call.started != 0 }),
            true if goes_on && end.outcome == Outcome::Failed => Some(EndOfCall::Late { tool }),
            true => {
                call.goes_on = goes_on;
                None
            }
        }
    }

    /// Whether each line is a call of its own, and the newest call with that key is of another line than the
    /// one that ends.
    fn is_of_other_line(&self, key: &str, end: &CallEnd<'_>) -> bool {
        let newest = self.known.get(key).filter(|call| call.has(Report::Line));
        newest.zip(end.line.as_deref()).is_some_and(|(call, line)| call.line != line)
    }

    /// The call that spawned the sub-agent with that id.
    pub(super) fn spawner(&self, agent: &str) -> Option<&str> {
        self.spawners.get(agent).map(String::as_str)
    }

    /// Whether a call with that id began or ended.
    pub(super) fn is_known(&self, id: Option<&str>, agent: &SubAgent<'_>) -> bool {
        own_id(id, agent).is_some_and(|id| self.known.contains_key(&id))
    }
}

/// What the id of a known call names in another start.
enum Named {
    /// The same call, in the same line, which is read again.
    Again,
    /// The same call, in another line.
    Same,
    /// Another call.
    Other,
    /// One of several calls, which have one id.
    Shared,
}

/// The end of a call.
#[derive(Debug)]
pub(super) enum EndOfCall {
    /// Its first one, with the id of its events and its tool.
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

/// Whether an open call is of that agent.
fn is_of(of: &Option<String>, agent: &SubAgent<'_>) -> bool {
    of.as_deref() == agent.id.as_deref()
}

impl PairedCall {
    /// Whether that report of its start has come.
    fn has(&self, report: Report) -> bool {
        self.started & report.bit() != 0
    }

    /// What the id of the call names in another start. `ids_name_lines`: see `SourceText`.
    fn names(&self, other: &Self, report: Report, ids_name_lines: bool) -> Named {
        let differ = |one: Option<&str>, other: Option<&str>| {
            one.zip(other).map(|(one, other)| one != other)
        };
        let is_of_line = self.line == other.line && (ids_name_lines || report == Report::Line);
        let is_unlike = self.content.zip(other.content).is_some_and(|(one, other)| one != other);
        // A line of the same time is a copy, perhaps an edited one.
        let is_later = differ(self.time.as_deref(), other.time.as_deref());
        match (report, differ(self.message.as_deref(), other.message.as_deref())) {
            // Its end may have come first, from a file without its start.
            _ if is_of_line || self.started == 0 => Named::Again,
            (Report::Line, _) => Named::Other,
            (Report::Kind(_), _) if self.has_ended && self.has(report) => Named::Other,
            (Report::Kind(_), _) => Named::Same,
            (Report::Only, Some(true)) if self.has_ended || is_unlike => Named::Other,
            (Report::Only, None) if self.has_ended && is_later != Some(false) => Named::Other,
            (Report::Only, _) => match is_later {
                Some(true) if is_unlike || self.has_ended => Named::Shared,
                None if is_unlike => Named::Shared,
                _ => Named::Same,
            },
        }
    }
}

/// The id that a source gives a call, apart from those of other agents.
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
