//! Which model call asked for which tool call, and which calls are retries or repeats.

use std::hash::BuildHasher as _;

use foldhash::quality::RandomState;
use foldhash::{HashMap, HashSet};

use super::fold::agent_of;
use crate::event::fields::{UsageScope, View};
use crate::event::role::Role;
use crate::event::time::Timestamp;
use crate::history::usage::Usage;
use crate::json::Json;

/// A model call.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoggedModelCall {
    /// The event that counts: the last one with the id of the response.
    pub(super) sequence: u64,
    /// The first event with this id.
    pub(super) first_sequence: u64,
    /// Its time.
    pub(super) first: Timestamp,
    /// Whether it stands for several model calls.
    pub(super) is_sum: bool,
    /// Whether all numbers of the newest event are 0.
    pub(super) is_nothing: bool,
    /// Index of the model's name.
    model: Option<u32>,
    /// Tool calls that the response asked for.
    pub(super) calls: u32,
    /// Those that are retries.
    pub(super) retries: u32,
    /// Those that repeat an earlier call.
    pub(super) repeats: u32,
}

/// A call, as the rounds see it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CallInRound {
    /// Index of the model call that asked for it.
    pub(super) model_call: Option<u32>,
    /// Whether the agent's latest call of the tool had failed.
    pub(super) is_retry: bool,
    /// Whether the agent made a call with the same arguments before.
    pub(super) is_repeat: bool,
}

/// The rounds of all agents. A round is a response of the model and the calls that it asks for, up
/// to the first result or prompt, or the calls that name the response. Programs log the usage of a
/// response before, between or after its calls.
#[derive(Debug, Default)]
pub(super) struct ModelRounds {
    /// The model calls, in the order of their first events.
    pub(super) model_calls: Vec<LoggedModelCall>,
    /// The calls, by their index.
    calls: HashMap<usize, CallInRound>,
    /// The names of the models.
    models: Vec<String>,
    by_id: HashMap<u64, u32>,
    /// Calls that name their response, until its usage is known.
    by_response: HashMap<u64, Vec<usize>>,
    agents: HashMap<u64, OpenRound>,
    /// Whether the agent's latest call of a tool failed.
    failed: HashMap<u64, bool>,
    /// Calls with their arguments.
    seen: HashSet<u64>,
    hasher: RandomState,
}

/// The round of an agent that has no result yet.
#[derive(Debug, Default)]
struct OpenRound {
    /// The model call, once it is known.
    model_call: Option<u32>,
    /// The calls that wait for it.
    waiting: Vec<usize>,
}

impl ModelRounds {
    /// Takes the next event. `call` is the call that it is a state of.
    pub(super) fn observe(&mut self, view: &View<'_, '_>, call: Option<usize>) {
        let agent = agent_of(view);
        let agent = self.hasher.hash_one(agent.as_deref().unwrap_or_default());
        let usage = Usage::of(view);
        if let Some(usage) = usage {
            self.usage(view, agent, &usage);
        }
        if view.role == Role::TaskStart {
            self.agents.remove(&agent);
        }
        let Some(call) = call else { return };
        let tool = self.hasher.hash_one((agent, view.tool()));
        if view.role == Role::ToolStart {
            self.start(view, agent, tool, call);
        } else {
            self.failed.insert(tool, view.role == Role::ToolFail);
            self.agents.entry(agent).or_default().model_call = None;
        }
    }

    /// The number of model calls. A sum of several counts as one, unless it is 0.
    #[must_use]
    pub(super) fn number_of_model_calls(&self) -> u64 {
        let counts = |call: &&LoggedModelCall| !(call.is_sum && call.is_nothing);
        self.model_calls.iter().filter(counts).count() as u64
    }

    /// The call with this index.
    #[must_use]
    pub(super) fn call(&self, call: usize) -> CallInRound {
        self.calls.get(&call).copied().unwrap_or_default()
    }

    /// The name of the model that answered.
    #[must_use]
    pub(super) fn model(&self, call: &LoggedModelCall) -> Option<&str> {
        Some(self.models.get(call.model? as usize)?.as_str())
    }

    fn model_number(&mut self, name: &str) -> u32 {
        let known = self.models.iter().position(|model| model == name);
        let number = known.unwrap_or_else(|| {
            self.models.push(name.to_owned());
            self.models.len() - 1
        });
        u32::try_from(number).unwrap_or(u32::MAX)
    }

    fn usage(&mut self, view: &View<'_, '_>, agent: u64, usage: &Usage) {
        let event = view.event;
        if view.usage_scope() != UsageScope::Call {
            return;
        }
        let next = u32::try_from(self.model_calls.len()).unwrap_or(u32::MAX);
        let id = view.model_call_id().map(|id| self.hasher.hash_one(id.as_ref()));
        let known = id.and_then(|id| self.by_id.get(&id).copied());
        let (is_sum, is_nothing) = (!view.is_of_one_call(), usage.is_nothing());
        if let Some(known) = known {
            let known = &mut self.model_calls[known as usize];
            *known = LoggedModelCall { sequence: event.sequence, is_sum, is_nothing, ..*known };
            return;
        }
        if let Some(id) = id {
            self.by_id.insert(id, next);
        }
        let model = view.field("model").map(|model| self.model_number(&model));
        self.model_calls.push(LoggedModelCall {
            sequence: event.sequence,
            first_sequence: event.sequence,
            first: event.timestamp,
            is_sum,
            is_nothing,
            model,
            calls: 0,
            retries: 0,
            repeats: 0,
        });
        let round = self.agents.entry(agent).or_default();
        round.model_call = Some(next);
        let waiting = std::mem::take(&mut round.waiting);
        let named = id.and_then(|id| self.by_response.remove(&id)).unwrap_or_default();
        for call in waiting.into_iter().chain(named) {
            self.ask(next, call);
        }
    }

    fn start(&mut self, view: &View<'_, '_>, agent: u64, tool: u64, call: usize) {
        if self.calls.contains_key(&call) {
            return;
        }
        let arguments = view.arguments().map(Json::compact).unwrap_or_default();
        let known = CallInRound {
            model_call: None,
            is_retry: self.failed.get(&tool).copied().unwrap_or(false),
            is_repeat: !self.seen.insert(self.hasher.hash_one((tool, arguments))),
        };
        self.calls.insert(call, known);
        // A response can ask for more calls after the results of the first ones.
        if let Some(response) = view.model_call_id() {
            let response = self.hasher.hash_one(response.as_ref());
            match self.by_id.get(&response) {
                Some(model_call) => self.ask(*model_call, call),
                None => self.by_response.entry(response).or_default().push(call),
            }
            return;
        }
        let round = self.agents.entry(agent).or_default();
        match round.model_call {
            Some(model_call) => self.ask(model_call, call),
            None => round.waiting.push(call),
        }
    }

    fn ask(&mut self, model_call: u32, call: usize) {
        let Some(known) = self.calls.get_mut(&call) else { return };
        known.model_call = Some(model_call);
        let model_call = &mut self.model_calls[model_call as usize];
        model_call.calls += 1;
        model_call.retries += u32::from(known.is_retry);
        model_call.repeats += u32::from(known.is_repeat);
    }
}
