//! What the log has of a session from other sources than the one that is being read: its newest total, and
//! which model calls that total includes.

use std::borrow::Cow;
use std::collections::BTreeSet;

use foldhash::{HashMap, HashSet};

use crate::event::draft::Draft;
use crate::event::envelope::Event;
use crate::event::fields::{LAST_CALL, NOT_INCLUDED, UsageScope, View};
use crate::event::role::Role;
use crate::history::usage::Usage;
use crate::json::Json;
use crate::run::RunError;
use crate::run::recorder::Recorder;

/// How deep sub-agents start sub-agents.
const DEPTH: usize = 16;

/// What the log has of each session of a stream, from the moment when it was first asked for.
#[derive(Default)]
pub(super) struct SessionsInLog(HashMap<String, CallsInLog>);

impl SessionsInLog {
    /// What the log has of a session; see [`CallsInLog::read`].
    ///
    /// # Errors
    /// The log cannot be read.
    pub(super) fn of(
        &mut self,
        session: &str,
        own: &str,
        recorder: &Recorder,
        held: &[Draft<'_>],
    ) -> Result<&CallsInLog, RunError> {
        if !self.0.contains_key(session) {
            let known = CallsInLog::read(session, own, recorder, held)?;
            self.0.insert(session.to_owned(), known);
        }
        Ok(self.0.entry(session.to_owned()).or_default())
    }

    /// The same, if it was asked for before.
    pub(super) fn known(&mut self, session: &str) -> Option<&mut CallsInLog> {
        self.0.get_mut(session)
    }
}

/// The model calls that the log has of a session.
#[derive(Default)]
pub(super) struct CallsInLog {
    /// The newest total.
    newest: Option<Usage>,
    /// Whether its source told the calls that it includes.
    calls_told: bool,
    /// The ids of the model calls of the main agent, in the order of the log.
    calls: Vec<String>,
    /// The ids of the model calls of sub-agents, in the order of the log.
    of_agents: Vec<String>,
    /// All these ids.
    seen: HashSet<String>,
    /// The tool calls that started the agents, by the ids of the agents' model calls.
    started_by: HashMap<String, String>,
    /// The model calls that asked for tool calls, by the ids of the tool calls and of the agents that
    /// these started.
    asked_by: HashMap<String, String>,
    /// The model calls that the newest total includes.
    included: HashSet<String>,
}

impl CallsInLog {
    /// Reads the log for a session, and the events that are not in it yet. It may have the stream
    /// already, whose first total has the id `own`.
    ///
    /// # Errors
    /// The log cannot be read.
    fn read(
        session: &str,
        own: &str,
        recorder: &Recorder,
        held: &[Draft<'_>],
    ) -> Result<Self, RunError> {
        let mut in_log = Self::default();
        let mut is_before = true;
        let mut take = |event: &Event<'_>| {
            let view = View::of(event);
            if event.session_id == session && view.is_imported() {
                is_before &= event.event_id != own;
                match view.role {
                    Role::Usage => in_log.take(&view, is_before),
                    role => in_log.take_call(role, &view),
                }
            }
        };
        recorder.each_event(held, &mut take)?;
        Ok(in_log)
    }

    /// The newest total.
    pub(super) fn newest(&self) -> Option<&Usage> {
        self.newest.as_ref()
    }

    /// Takes the next event that reports usage. `is_before`: whether it is from another source.
    fn take(&mut self, view: &View<'_, '_>, is_before: bool) {
        match view.usage_scope() {
            UsageScope::Session if is_before => {
                self.newest = Usage::of(view).or(self.newest);
                self.calls_told = view.data.get(LAST_CALL).is_some();
                let left_out: HashSet<_> = texts(view.data.get(NOT_INCLUDED)).collect();
                let known = self.calls.iter().chain(&self.of_agents);
                self.included = known.filter(|id| !left_out.contains(*id)).cloned().collect();
            }
            UsageScope::Call => {
                let new = view.model_call_id().filter(|id| !self.seen.contains(&**id));
                let Some(id) = new.map(Cow::into_owned) else { return };
                if !view.is_of_sub_agent() {
                    self.calls.push(id.clone());
                } else if let Some(call) = starting_call(view) {
                    self.of_agents.push(id.clone());
                    self.started_by.insert(id.clone(), call.into_owned());
                } else {
                    return;
                }
                self.seen.insert(id);
            }
            UsageScope::Session | UsageScope::Model => {}
        }
    }

    /// Takes the start or the end of a tool call, which may start a sub-agent.
    pub(super) fn take_call(&mut self, role: Role, view: &View<'_, '_>) {
        let Some(call) = view.event.correlation_id.as_deref() else { return };
        if role == Role::ToolStart {
            let asked_by = view.model_call_id();
            self.asked_by.extend(asked_by.map(|by| (call.to_owned(), by.into_owned())));
        } else if role.is_tool_end()
            && let Some((agent, by)) = view.field("spawned_agent_id").zip(self.asked_by.get(call))
        {
            let by = by.clone();
            self.asked_by.insert(agent.into_owned(), by);
        }
    }

    /// The model calls that neither the newest total includes nor another one, which is added to it. `total`:
    /// the calls of the main agent in that one. `None`: it is not known what it includes.
    pub(super) fn not_in(&self, total: Option<&BTreeSet<String>>) -> Vec<String> {
        let Some(total) = total else { return Vec::new() };
        let calls = self.calls.iter().filter(|id| !total.contains(*id));
        // A sub-agent counts in the process that started it.
        let is_of_other = |id: &&String| {
            let asked_by = self.started_by.get(*id).and_then(|call| self.asked_by_main(call));
            asked_by.is_some_and(|by| !total.contains(by) && !self.included.contains(by))
        };
        let others = calls.chain(self.of_agents.iter().filter(is_of_other));
        others.filter(|id| !self.included.contains(*id)).cloned().collect()
    }

    /// Whether the newest total does not include the agent that this event is of: another process started
    /// it.
    pub(super) fn is_of_other_process(&self, view: &View<'_, '_>) -> bool {
        let call = starting_call(view).filter(|_| self.calls_told);
        let asked_by = call.as_deref().and_then(|call| self.asked_by_main(call));
        asked_by.is_some_and(|by| !self.included.contains(by))
    }

    /// The model call of the main agent that asked for a tool call, or for the agent that made it.
    fn asked_by_main<'s>(&'s self, mut call: &'s str) -> Option<&'s String> {
        for _ in 0..DEPTH {
            let asked_by = self.asked_by.get(call)?;
            match self.started_by.get(asked_by) {
                Some(above) => call = above,
                None => return Some(asked_by),
            }
        }
        None
    }
}

/// The tool call that started the agent of an event.
fn starting_call<'v>(view: &View<'v, '_>) -> Option<Cow<'v, str>> {
    ["spawned_by", "agent_id"].iter().find_map(|name| view.field(name))
}

/// The texts in a list.
fn texts(list: Option<Json<'_>>) -> impl Iterator<Item = String> {
    let all = list.into_iter().flat_map(Json::items);
    all.filter_map(Json::as_str).map(Cow::into_owned)
}
