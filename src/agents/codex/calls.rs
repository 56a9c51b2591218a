//! The calls of a session. Several lines report the same start or the same end of a call.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};

use super::outcome::RolloutOutcome;
use super::twins::{Channel, Channels};
use crate::agents::SourceText;
use crate::agents::source::{EndedCall, StartedCall, call_end, text_event};
use crate::event::draft::Draft;
use crate::event::fields::is_placeholder;
use crate::event::reserved::reserved_key;
use crate::event::severity::Severity;
use crate::json::{self, Json, JsonRules, MAX_DEPTH, ObjectText};

/// The calls so far, and which lines have reported them.
#[derive(Debug, Default)]
pub(super) struct RolloutCalls {
    /// The newest call with each id.
    by_id: HashMap<String, RolloutCall>,
    /// Open calls without a usable id.
    nameless: VecDeque<NamelessCall>,
    /// The threads of the sub-agents that open calls started, by the calls' ids.
    spawned: HashMap<String, String>,
}

/// The number of open calls without an id that are kept.
const NAMELESS: usize = 64;

/// Levels of nesting that arguments may not use: they are inside an envelope, inside `data`.
const WRAPPING: usize = 3;

/// An open call without a usable id.
#[derive(Debug)]
struct NamelessCall {
    /// The id in its events.
    id: String,
    tool: String,
    family: Option<String>,
}

impl NamelessCall {
    /// Whether a line without a usable id may be its end.
    fn may_end_with(&self, report: &CallReport<'_>) -> bool {
        report.tool.as_ref().is_none_or(|named| *named == self.tool) && report.family == self.family
    }
}

#[derive(Debug, Default)]
struct RolloutCall {
    /// The id in its events. A repeated id gets a number.
    id: String,
    tool: String,
    number: u32,
    started: Channels,
    ended: Channels,
    /// Whether it ended with a process that went on in the background.
    in_background: bool,
}

/// A call as one line reports it.
#[derive(Debug, Default)]
pub(super) struct CallReport<'s> {
    /// Its own id.
    pub id: Option<Cow<'s, str>>,
    /// The tool, if the line names it.
    pub tool: Option<String>,
    /// What the types of its start and its end have in common; see [`family`].
    pub family: Option<String>,
    /// The arguments: JSON, or other text.
    pub args: Option<String>,
    /// More about the start.
    pub more: ObjectText,
}

impl RolloutCalls {
    /// The start of a call; `None` if another line reported it.
    pub(super) fn start(
        &mut self,
        source: &SourceText<'_>,
        channel: Channel,
        report: &CallReport<'_>,
    ) -> Option<Draft<'static>> {
        let tool = report.tool.as_deref().unwrap_or("tool");
        let own = report.id.as_deref().filter(|id| !is_placeholder(id));
        let id = match own {
            Some(own) => self.starts(own, tool, channel)?,
            None => {
                let id = format!("{}.0", source.place);
                if self.nameless.len() == NAMELESS {
                    self.nameless.pop_front();
                }
                let family = report.family.clone();
                let tool = tool.to_owned();
                self.nameless.push_back(NamelessCall { id: id.clone(), tool, family });
                id
            }
        };
        let call = StartedCall { id: Some(id.as_str().into()), tool, args: None };
        Some(source.call(&call, 0, |data| {
            if let Some(args) = &report.args {
                arguments(data, args);
            }
            data.members(Json::trusted(&report.more.clone().finish()));
        }))
    }

    /// The end of a call; `None` if another line reported it.
    pub(super) fn end(
        &mut self,
        source: &SourceText<'_>,
        channel: Channel,
        report: &CallReport<'_>,
        outcome: &RolloutOutcome,
    ) -> Option<Draft<'static>> {
        let own = report.id.as_deref().filter(|id| !is_placeholder(id));
        let (id, tool) = match own {
            Some(own) => self.ends(own, report.tool.as_deref(), channel)?,
            None => {
                let open = self.nameless.iter().position(|open| open.may_end_with(report));
                let open = open.and_then(|at| self.nameless.remove(at));
                let open = open.map(|open| (open.id, open.tool));
                let tool = || report.tool.clone().unwrap_or_else(|| "tool".to_owned());
                open.unwrap_or_else(|| (format!("{}.0", source.place), tool()))
            }
        };
        let spawned = own.and_then(|own| self.spawned.remove(own));
        if let Some(call) = own.and_then(|own| self.by_id.get_mut(own)) {
            call.in_background = outcome.in_background;
        }
        Some(ended(&id, &tool, outcome, spawned.as_deref()))
    }

    /// A note that the process of a call, which went on in the background, has failed.
    pub(super) fn late_failure(
        &mut self,
        own: &str,
        outcome: &RolloutOutcome,
    ) -> Option<Draft<'static>> {
        let call = self.by_id.get_mut(own).filter(|call| call.in_background && outcome.failed)?;
        call.in_background = false;
        let how = match outcome.exit_code {
            Some(code) => format!("ended with exit code {code}"),
            None => "failed".to_owned(),
        };
        let mut text = format!("The background process of {} {how}", call.tool);
        if !outcome.text.is_empty() {
            text.push_str(&format!(":\n{}", outcome.text));
        }
        let mut draft = text_event("note", &text);
        draft.severity = Some(Severity::Warning);
        Some(draft)
    }

    /// Takes the thread of the sub-agent that an open call started.
    pub(super) fn spawns(&mut self, own: &str, thread: &str) {
        if self.is_open(own) {
            self.spawned.insert(own.to_owned(), thread.to_owned());
        }
    }

    /// Both ends of a call from one line. Ends that other lines reported are left out.
    pub(super) fn whole(
        &mut self,
        source: &SourceText<'_>,
        channel: Channel,
        report: &CallReport<'_>,
        outcome: &RolloutOutcome,
    ) -> Vec<Draft<'static>> {
        let is_nameless_end = self.is_nameless_end(report);
        let start = match report.id.as_deref().and_then(|id| self.by_id.get_mut(id)) {
            Some(call) if call.ended.is_empty() => {
                call.started.add(channel);
                None
            }
            _ if is_nameless_end => None,
            _ => self.start(source, channel, report),
        };
        let end = self.end(source, channel, report, outcome);
        start.into_iter().chain(end).collect()
    }

    /// Whether a line without a usable id may end an open call.
    fn is_nameless_end(&self, report: &CallReport<'_>) -> bool {
        report.id.as_deref().is_none_or(is_placeholder)
            && self.nameless.iter().any(|open| open.may_end_with(report))
    }

    /// Whether a call with that id began.
    pub(super) fn is_known(&self, id: &str) -> bool {
        self.by_id.contains_key(id)
    }

    /// Whether a call with that id is open.
    pub(super) fn is_open(&self, id: &str) -> bool {
        self.by_id.get(id).is_some_and(|call| call.ended.is_empty())
    }

    /// The id of the events of the call that starts; `None` if another channel reported it.
    fn starts(&mut self, own: &str, tool: &str, channel: Channel) -> Option<String> {
        let number = match self.by_id.get_mut(own) {
            Some(call) => {
                if call.started.add(channel) {
                    return None;
                }
                call.number + 1
            }
            None => 1,
        };
        let id = if number == 1 { own.to_owned() } else { format!("{own}.{number}") };
        let mut call =
            RolloutCall { id: id.clone(), tool: tool.to_owned(), number, ..RolloutCall::default() };
        call.started.add(channel);
        self.by_id.insert(own.to_owned(), call);
        Some(id)
    }

    /// The id and the tool of the call that ends; `None` if it has ended.
    fn ends(
        &mut self,
        own: &str,
        tool: Option<&str>,
        channel: Channel,
    ) -> Option<(String, String)> {
        let call = self.by_id.entry(own.to_owned()).or_insert_with(|| RolloutCall {
            id: own.to_owned(),
            tool: tool.unwrap_or("tool").to_owned(),
            number: 1,
            ..RolloutCall::default()
        });
        let is_open = call.ended.is_empty();
        call.ended.add(channel);
        is_open.then(|| (call.id.clone(), call.tool.clone()))
    }
}

/// What the types of the start and the end of a call have in common: `custom_tool` of
/// `custom_tool_call` and `custom_tool_call_output`.
pub(super) fn family(kind: &str) -> Option<String> {
    let ends = ["_output", "_result", "_begin", "_end", "_request", "_response"];
    let stem = ends.iter().find_map(|end| kind.strip_suffix(end)).unwrap_or(kind);
    Some(stem.strip_suffix("_call").unwrap_or(stem).to_owned())
}

fn ended(id: &str, tool: &str, outcome: &RolloutOutcome, spawned: Option<&str>) -> Draft<'static> {
    let more = |data: &mut ObjectText| {
        if let Some(code) = outcome.exit_code {
            data.plain("exit_code", code);
        }
        if let Some(duration) = outcome.duration_ms {
            data.plain("duration_ms", duration);
        }
        data.text_if("spawned_agent_id", outcome.spawned.as_deref().or(spawned));
    };
    if !outcome.denied {
        let end = EndedCall { id, tool, text: &outcome.text, failed: outcome.failed };
        return call_end(&end, more);
    }
    let mut data = ObjectText::new();
    data.text("tool_name", tool).text("reason", &outcome.text);
    more(&mut data);
    let mut draft = Draft::new("tool.blocked", data);
    draft.correlation_id = Some(id.to_owned().into());
    draft
}

/// Adds the arguments: the object that the text holds, else the text.
fn arguments(data: &mut ObjectText, text: &str) {
    let rules = JsonRules { max_depth: MAX_DEPTH - WRAPPING, ..JsonRules::STRICT };
    match json::check(text.as_bytes(), rules) {
        Ok(value) if value.is_object() && reserved_key(value, true).is_none() => {
            data.json("args", Json::trusted(&value.compact()))
        }
        _ => data.text("args", text),
    };
}
