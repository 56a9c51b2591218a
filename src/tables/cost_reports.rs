//! What reports a cost as a whole: it covers the model calls that report none.

use foldhash::{HashMap, HashSet};

use super::fold::agent_of;
use super::rows::UsageRow;
use crate::event::fields::{UsageScope, View};
use crate::event::role::Role;
use crate::history::usage::Usage;

/// What reports a cost as a whole.
#[derive(Clone, Debug, Default)]
pub(crate) struct CostReports {
    /// The sessions that report a total.
    sessions: HashSet<String>,
    /// The agents that report costs, by their ids; the agent without an id is empty.
    agents: HashMap<String, AgentReports>,
}

/// Where an agent reports costs.
#[derive(Clone, Copy, Debug, Default)]
struct AgentReports {
    in_messages: bool,
    in_usage: bool,
}

impl CostReports {
    /// Takes the next event, and what it reports.
    pub(super) fn observe(&mut self, view: &View<'_, '_>, usage: Option<&Usage>) {
        let cost = match usage {
            Some(usage) => usage.reported_micros(),
            None => cost_in_message(view),
        };
        if cost.is_none() {
            return;
        }
        if usage.is_some() && view.usage_scope() == UsageScope::Session {
            self.sessions.insert(view.event.session_id.clone().into_owned());
        }
        let agent = agent_of(view).unwrap_or_default().into_owned();
        let reports = self.agents.entry(agent).or_default();
        match usage {
            Some(_) => reports.in_usage = true,
            None => reports.in_messages = true,
        }
    }

    /// Whether the costs that an agent reports in its messages count: it reports none with its
    /// usage.
    pub(super) fn is_by_messages(&self, agent: Option<&str>) -> bool {
        let reports = self.agents.get(agent.unwrap_or_default());
        reports.is_some_and(|reports| reports.in_messages && !reports.in_usage)
    }

    /// Whether a reported cost covers the model call.
    pub(super) fn covers(&self, usage: &UsageRow) -> bool {
        self.sessions.contains(&usage.session_id) || self.is_by_messages(usage.agent_id.as_deref())
    }
}

/// The cost that a message reports, in millionths of a dollar.
pub(super) fn cost_in_message(view: &View<'_, '_>) -> Option<i64> {
    if view.role == Role::Message { view.cost_micros() } else { None }
}
