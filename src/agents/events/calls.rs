//! The calls of a stream: which end belongs to which start.
//!
//! A call is found by its id, else by the line that asked for it, which is the line of its end if the end
//! names none, else it is the oldest open one without an id, of the same tool and family. An id that a known
//! call has names that call again: for the same response of the model, or while the call is open. Otherwise
//! it is another call, whose events are named by its other id or by its place.

use std::collections::{HashMap, VecDeque};

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
}

/// A call.
#[derive(Debug)]
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
    /// The bits of the reports of its start.
    started: u8,
    has_ended: bool,
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
        let own = own_id(call.id.as_deref(), agent);
        let other_id = call.other_id.as_deref();
        let message = other_id.or(call.message.as_deref()).filter(|id| !is_placeholder(id));
        let line = place.id.unwrap_or(place.line);
        let other_report = || self.unconfirmed(call, agent);
        let known = own.clone().or_else(other_report).and_then(|key| self.known.get_mut(&key));
        if let Some(known) = known {
            if call.report == Report::Line && known.line == line {
                return Some(known.id.clone());
            }
            if known.is_again(call.report, message) {
                return None;
            }
        }
        let is_known = own.as_ref().is_some_and(|own| self.known.contains_key(own));
        let own_if_free = own.clone().filter(|_| !is_known).or_else(|| own_id(other_id, agent));
        let id = own_if_free.unwrap_or_else(|| place.call_id(agent));
        let key = own.clone().unwrap_or_else(|| id.clone());
        if own.is_none() {
            self.unnamed.push_back((agent.id.as_deref().map(str::to_owned), key.clone()));
        }
        self.by_line.entry(line.to_owned()).or_default().push(key.clone());
        if let Some(spawned) = &call.spawned {
            self.spawners.insert(spawned.as_ref().to_owned(), id.clone());
        }
        let started = PairedCall {
            id: id.clone(),
            tool: if call.tool.is_empty() { "tool" } else { &call.tool }.to_owned(),
            family: call.family.clone().into_owned(),
            message: message.map(str::to_owned),
            line: line.to_owned(),
            started: call.report.bit(),
            has_ended: false,
            goes_on: false,
        };
        self.known.insert(key, started);
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

    /// The key of the call without an id that ends: one of the line that the end names, else the oldest one.
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
        if let Some(key) = of_line.and_then(|keys| keys.iter().find(is_open)) {
            return Some(key.clone());
        }
        let mut open = self.unnamed.iter().filter(|(of, key)| {
            let of_kind = |open: &PairedCall| {
                let is_of_tool = end.tool.as_ref().is_none_or(|tool| open.tool == *tool);
                is_of_tool && open.family == end.family
            };
            is_of(of, agent) && self.known.get(key).is_some_and(of_kind)
        });
        open.next().map(|(_, key)| key.clone())
    }

    /// The end of a call; `None` if it was reported.
    pub(super) fn end(
        &mut self,
        end: &CallEnd<'_>,
        place: &PlaceInLine<'_>,
        agent: &SubAgent<'_>,
    ) -> Option<EndOfCall> {
        let own = own_id(end.id.as_deref(), agent).filter(|key| !self.is_of_other_line(key, end));
        let key = own.or_else(|| self.unnamed_end(end, place, agent));
        if let Some(key) = key.as_ref().filter(|_| !self.unnamed.is_empty()) {
            self.unnamed.retain(|(_, open)| open != key);
        }
        let key = key.unwrap_or_else(|| place.call_id(agent));
        let call = self.known.entry(key).or_insert_with_key(|key| PairedCall {
            id: key.clone(),
            tool: end.tool.as_deref().unwrap_or("tool").to_owned(),
            family: String::new(),
            message: None,
            line: end.line.as_deref().unwrap_or_default().to_owned(),
            started: 0,
            has_ended: false,
            goes_on: false,
        });
        let (id, tool) = (call.id.clone(), call.tool.clone());
        for spawned in end.spawned.iter().chain(&end.also_spawned) {
            self.spawners.insert(spawned.as_ref().to_owned(), id.clone());
        }
        let goes_on = std::mem::replace(&mut call.goes_on, end.goes_on);
        match std::mem::replace(&mut call.has_ended, true) {
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

    /// Takes another report with the id of the call. Returns whether it is about the same call.
    fn is_again(&mut self, report: Report, message: Option<&str>) -> bool {
        let is_late_report = matches!(report, Report::Kind(_)) && !self.has(report);
        let is_same = match (self.message.as_deref(), message) {
            _ if report == Report::Line => false,
            (Some(own), Some(message)) => own == message,
            _ => !self.has_ended || is_late_report,
        };
        if is_same {
            self.started |= report.bit();
        }
        is_same
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
