//! Tokens over time, and their cost by a table of prices.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::event::fields::{UsageScope, View};
use crate::event::role::Role;
use crate::event::time::Timestamp;
use crate::history::model_totals::{CallOfModel, ModelTotals};
use crate::history::usage::{Usage, list_price};
use crate::history::usage_fold::UsageFold;
use crate::summary::prices::Prices;

/// The usage of a run, call by call.
#[derive(Clone, Debug)]
pub(crate) struct Spending {
    prices: &'static Prices,
    calls: Vec<ModelCall>,
    /// Calls by the id of the model response. Of repeated lines, the last counts.
    by_message: HashMap<String, usize>,
    sessions: HashMap<String, usize>,
    /// Agents with their models, in the order of their first calls.
    spenders: Vec<(String, String)>,
    /// The usage of the run by these prices.
    fold: UsageFold,
    /// The totals of the models of the sessions.
    totals: ModelTotals,
    /// Whether totals of sessions were reported.
    has_totals: bool,
    /// Costs that messages report, in millionths of a dollar, by the agent.
    said: BTreeMap<String, i64>,
    /// The agents that report costs with their usage. Then those in messages are not added.
    costed: BTreeSet<String>,
}

#[derive(Clone, Copy, Debug)]
struct ModelCall {
    /// The time of its first line.
    time: Timestamp,
    /// Sequence of its first line.
    first_sequence: u64,
    imported: bool,
    may_be_in_earlier_total: bool,
    session: usize,
    /// Index of its agent and model.
    spender: usize,
    usage: Usage,
}

/// The usage of one agent with one model.
#[derive(Clone, Debug)]
pub(crate) struct Spent {
    /// The agent.
    pub agent: String,
    /// The model, if the calls name it.
    pub model: Option<String>,
    /// Calls of the model.
    pub calls: u64,
    /// Tokens and cost.
    pub usage: Usage,
}

/// Stands for the agents of the usage that only the totals of sessions report.
const IN_TOTALS: &str = "(only in totals)";

impl Spending {
    /// No usage yet, with those prices.
    #[must_use]
    pub(crate) fn new(prices: &'static Prices) -> Self {
        Self {
            prices,
            calls: Vec::new(),
            by_message: HashMap::new(),
            sessions: HashMap::new(),
            spenders: Vec::new(),
            fold: UsageFold::default(),
            totals: ModelTotals::default(),
            has_totals: false,
            said: BTreeMap::new(),
            costed: BTreeSet::new(),
        }
    }

    /// Takes the next event.
    pub(crate) fn observe(&mut self, view: &View<'_, '_>) {
        let named = view.field("model");
        let price = |usage: &Usage| {
            let own = named.as_deref().and_then(|model| self.prices.micros(model, usage));
            own.or_else(|| list_price(view, usage))
        };
        let usage = Usage::reported(view).map(|usage| usage.estimated(price));
        self.fold.take(view, usage);
        let Some(usage) = usage else {
            if view.role == Role::Message
                && let Some(cost) = view.cost_micros()
            {
                let said = self.said.entry(view.agent().into_owned()).or_default();
                *said = said.saturating_add(cost);
            }
            return;
        };
        if usage.reported_micros().is_some() && view.usage_scope() != UsageScope::Model {
            self.costed.insert(view.agent().into_owned());
        }
        let session_id = view.event.session_id.clone().into_owned();
        let next = self.sessions.len();
        let session = *self.sessions.entry(session_id).or_insert(next);
        match view.usage_scope() {
            UsageScope::Call => {}
            UsageScope::Session => {
                self.has_totals = true;
                return self.totals.total(view);
            }
            UsageScope::Model => return self.totals.model(view, usage),
        }
        let spender = self.spender(&view.agent(), named.as_deref().unwrap_or_default());
        let call = ModelCall {
            time: view.event.timestamp,
            first_sequence: view.event.sequence,
            imported: view.is_imported(),
            may_be_in_earlier_total: view.may_be_in_earlier_total(),
            session,
            spender,
            usage,
        };
        let known = view
            .model_call_id()
            .map(|id| *self.by_message.entry(id.into_owned()).or_insert(self.calls.len()));
        match known.and_then(|index| self.calls.get_mut(index)) {
            Some(old) => {
                *old = ModelCall { time: old.time, first_sequence: old.first_sequence, ..call }
            }
            None => self.calls.push(call),
        }
    }

    fn spender(&mut self, agent: &str, model: &str) -> usize {
        let known = self.spenders.iter().position(|(one, other)| one == agent && other == model);
        known.unwrap_or_else(|| {
            self.spenders.push((agent.to_owned(), model.to_owned()));
            self.spenders.len() - 1
        })
    }

    /// The usage of each agent with each model, in the order of their first calls. Last, what the
    /// totals of sessions say beyond their calls. `run` is the usage of the run.
    #[must_use]
    pub(crate) fn by_agent(&self, run: &Usage) -> Vec<Spent> {
        let spent = |(agent, model): &(String, String)| Spent {
            agent: agent.clone(),
            model: Some(model.clone()).filter(|model| !model.is_empty()),
            calls: 0,
            usage: Usage::default(),
        };
        let mut all: Vec<Spent> = self.spenders.iter().map(spent).collect();
        for call in &self.calls {
            if let Some(spent) = all.get_mut(call.spender) {
                spent.calls += 1;
                spent.usage.add(&call.usage);
            }
        }
        self.add_said(&mut all);
        let mut told = Usage::default();
        all.iter().for_each(|spent| told.add(&spent.usage));
        let in_totals =
            |model, usage| Spent { agent: IN_TOTALS.to_owned(), model, calls: 0, usage };
        for (model, usage) in self.beyond_of_models() {
            told.add(&usage);
            all.push(in_totals(Some(model), usage));
        }
        if let Some(usage) = run.beyond(&told).filter(|_| self.has_totals) {
            all.push(in_totals(None, usage));
        }
        all
    }

    /// Adds the costs that only messages report, as the usage of the run does.
    fn add_said(&self, all: &mut Vec<Spent>) {
        let said = self.said.iter().filter(|(agent, _)| !self.costed.contains(*agent));
        let said: Vec<(&String, i64)> = said.map(|(agent, cost)| (agent, *cost)).collect();
        for (agent, cost) in said {
            // What is reported in another way is not estimated.
            for Spent { usage, .. } in all.iter_mut().filter(|spent| spent.agent == *agent) {
                usage.cost_micros = usage.reported_micros();
                (usage.estimated_micros, usage.uncosted_calls) = (None, 0);
            }
            let usage = Usage { cost_micros: Some(cost), ..Usage::default() };
            match all.iter_mut().find(|spent| spent.agent == *agent) {
                Some(spent) => spent.usage.add(&usage),
                None => all.push(Spent { agent: agent.clone(), model: None, calls: 0, usage }),
            }
        }
    }

    /// What the totals of models say beyond their calls.
    fn beyond_of_models(&self) -> Vec<(String, Usage)> {
        let mut totals = self.totals.clone();
        let mut sessions = vec![""; self.sessions.len()];
        for (id, at) in &self.sessions {
            sessions[*at] = id;
        }
        for call in &self.calls {
            totals.call(&CallOfModel {
                session_id: sessions[call.session],
                model: &self.spenders[call.spender].1,
                usage: &call.usage,
                first_sequence: call.first_sequence,
                time: call.time,
                imported: call.imported,
                may_be_in_earlier_total: call.may_be_in_earlier_total,
            });
        }
        let totals = totals.finish().into_iter();
        totals.filter_map(|(model, (total, calls))| Some((model, total.beyond(&calls)?))).collect()
    }

    /// Whether the estimates are by the user's prices. Models that these do not have are estimated
    /// by list prices.
    #[must_use]
    pub(crate) fn has_own_prices(&self) -> bool {
        !self.prices.is_empty()
    }

    /// The usage of the run, with the cost by the user's prices if there are any.
    #[must_use]
    pub(crate) fn priced(&self, usage: Usage) -> Usage {
        if !self.has_own_prices() {
            return usage;
        }
        let Usage { cost_micros, estimated_micros, uncosted_calls, .. } = self.fold.sum();
        Usage { cost_micros, estimated_micros, uncosted_calls, ..usage }
    }

    /// The estimated part of the cost; `None` if no price applies.
    #[must_use]
    pub(crate) fn estimated(&self) -> Option<i64> {
        self.fold.sum().estimated_micros
    }

    /// Tokens in `spans` equal spans of time, from the first call to the last. Empty if all calls
    /// have the same time.
    #[must_use]
    pub(crate) fn over_time(&self, spans: usize) -> Vec<u64> {
        let times = || self.calls.iter().map(|call| call.time.millis());
        let (Some(first), Some(last)) = (times().min(), times().max()) else { return Vec::new() };
        if first == last {
            return Vec::new();
        }
        let mut tokens = vec![0_u64; spans];
        for call in &self.calls {
            let place = (call.time.millis() - first) as i128 * spans as i128;
            let span = (place / i128::from(last - first + 1)) as usize;
            if let Some(sum) = tokens.get_mut(span) {
                let input = call.usage.context_tokens().unwrap_or(0);
                *sum = sum.saturating_add(input);
                *sum = sum.saturating_add(call.usage.output_tokens.unwrap_or(0));
            }
        }
        tokens
    }
}
