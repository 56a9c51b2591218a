//! The model, the tokens and the time of each spawned agent, for a page.

use std::borrow::Cow;

use foldhash::HashMap;

use super::TranscriptFold;
use super::items::ItemList;
use crate::event::fields::{View, is_placeholder};
use crate::event::time::Timestamp;
use crate::history::ledger::Ledger;
use crate::transcript::value::AgentFacts;

/// The members that name the type of an agent.
const TYPES: &[&str] = &["agent_type", "subagent_type", "agentType"];

/// What is known of the agents so far.
#[derive(Debug, Default)]
pub(crate) struct ObservedAgents {
    agents: HashMap<ItemList, ObservedAgent>,
}

#[derive(Debug, Default)]
struct ObservedAgent {
    span: Option<(Timestamp, Timestamp)>,
    usage: Ledger,
    kind: Option<String>,
    model: Option<String>,
}

impl TranscriptFold {
    /// Takes an event of the current list.
    pub(super) fn observe_agent(&mut self, view: &View<'_, '_>) {
        if self.page_calls.is_none() || matches!(self.here, ItemList::Turn(_)) {
            return;
        }
        let agent = self.observed_agents.agents.entry(self.here).or_default();
        let time = view.event.timestamp;
        if view.time_origin().is_none() {
            let (first, last) = agent.span.unwrap_or((time, time));
            agent.span = Some((first.min(time), last.max(time)));
        }
        agent.usage.observe(view);
        let named = |names: &[&str]| {
            let mut found = names.iter().filter_map(|name| view.data.text_at(name));
            found.find(|name| !is_placeholder(name)).map(Cow::into_owned)
        };
        agent.model = named(&["model"]).or(agent.model.take());
        agent.kind = agent.kind.take().or_else(|| named(TYPES));
    }
}

impl ObservedAgents {
    /// The facts of the agent with that list.
    pub(crate) fn facts(&mut self, list: ItemList) -> AgentFacts {
        let agent = self.agents.remove(&list).unwrap_or_default();
        AgentFacts {
            kind: agent.kind,
            model: agent.model,
            tokens: agent.usage.sum().told(),
            duration_ms: agent.span.and_then(|(first, last)| last.since(first)),
        }
    }
}
