//! The costs that agents report in their messages. They are in the place of the estimates for the
//! agents' calls.

use std::hash::BuildHasher as _;

use foldhash::quality::RandomState;

use super::gradual_map::GradualMap;
use super::usage::Usage;

/// The costs of agents.
#[derive(Clone, Debug, Default)]
pub(super) struct AgentCosts {
    /// By the hash of the agent.
    agents: GradualMap<AgentCost>,
    /// By the hash of the agent and the number of its calls.
    estimates: GradualMap<AgentEstimate>,
    hasher: RandomState,
}

/// The costs that an agent reported.
#[derive(Clone, Copy, Debug, Default)]
struct AgentCost {
    /// In messages, in millionths of a dollar.
    said: Option<i64>,
    /// Whether it also reported costs in usage events. Then those in messages are not added.
    in_usage: bool,
}

/// What the calls of an agent in a session cost, as far as no event reports it.
#[derive(Clone, Copy, Debug, Default)]
struct AgentEstimate {
    /// The hash of the agent.
    agent: u64,
    /// The number of the session, or of the calls after its total.
    session: u32,
    /// The estimate, in millionths of a dollar.
    estimated: i64,
    /// Its calls whose cost is unknown.
    uncosted: u64,
}

impl AgentCosts {
    /// Takes a cost in a message, in millionths of a dollar.
    pub(super) fn says(&mut self, agent: &str, cost: i64) {
        let agent = self.agent(agent);
        agent.said = Some(agent.said.unwrap_or(0).saturating_add(cost));
    }

    /// Takes note that an agent reports costs with its usage.
    pub(super) fn reports(&mut self, agent: &str) {
        self.agent(agent).in_usage = true;
    }

    /// Takes what a call used, after what an earlier line of it said. `session` is the number of the
    /// session, or of the calls after its total.
    pub(super) fn calls(&mut self, agent: &str, session: u32, (old, new): (&Usage, &Usage)) {
        let agent = self.hasher.hash_one(agent);
        let first = AgentEstimate { agent, session, ..AgentEstimate::default() };
        let hash = self.hasher.hash_one((agent, session));
        let estimate = self.estimates.insert(hash, first).0;
        let estimated = |usage: &Usage| usage.estimated_micros.unwrap_or(0);
        estimate.estimated = estimate.estimated.saturating_sub(estimated(old));
        estimate.estimated = estimate.estimated.saturating_add(estimated(new));
        estimate.uncosted =
            estimate.uncosted.saturating_sub(old.uncosted_calls) + new.uncosted_calls;
    }

    /// Puts the costs that messages report in the place of the estimates. `is_in_sum`: whether the
    /// sum has the cost of the calls with that number, not of the total of their session.
    pub(super) fn settle(&self, sum: &mut Usage, is_in_sum: impl Fn(u32) -> bool) {
        for estimate in self.estimates.values() {
            let cost = self.agents.get(estimate.agent).and_then(AgentCost::told);
            if cost.is_some() && is_in_sum(estimate.session) {
                estimate.leave(sum);
            }
        }
        for cost in self.agents.values().filter_map(AgentCost::told) {
            sum.cost_micros = Some(sum.cost_micros.unwrap_or(0).saturating_add(cost));
        }
    }

    fn agent(&mut self, agent: &str) -> &mut AgentCost {
        self.agents.insert(self.hasher.hash_one(agent), AgentCost::default()).0
    }
}

impl AgentCost {
    /// The cost in messages, if it counts.
    fn told(self) -> Option<i64> {
        self.said.filter(|_| !self.in_usage)
    }
}

impl AgentEstimate {
    /// Takes it out of a sum.
    fn leave(&self, sum: &mut Usage) {
        let all = sum.estimated_micros.unwrap_or(0);
        let own = self.estimated.clamp(0, all.max(0));
        sum.estimated_micros = sum.estimated_micros.map(|all| all - own).filter(|rest| *rest > 0);
        sum.cost_micros = sum.cost_micros.map(|cost| cost.saturating_sub(own));
        sum.uncosted_calls = sum.uncosted_calls.saturating_sub(self.uncosted);
    }
}
