//! Tokens over time, and their cost by a table of prices.

use crate::event::fields::View;
use crate::history::ledger::Ledger;
use crate::history::models::Estimate;
use crate::history::usage::{Usage, list_price};
use crate::summary::prices::Prices;

/// The usage of a run, with the cost by these prices.
#[derive(Clone, Debug)]
pub(crate) struct Spending {
    prices: &'static Prices,
    ledger: Ledger,
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
        Self { prices, ledger: Ledger::default() }
    }

    /// Takes the next event.
    pub(crate) fn observe(&mut self, view: &View<'_, '_>) {
        let named = view.field("model");
        let price = |usage: &Usage| {
            let own = named.as_deref().and_then(|model| self.prices.micros(model, usage));
            let own = own.map(|micros| Estimate { micros, is_at_least: false });
            own.or_else(|| list_price(view, usage))
        };
        let usage = Usage::reported(view).map(|usage| usage.estimated(price));
        self.ledger.take(view, usage);
    }

    /// The usage of each agent with each model, in the order of their first calls. Last, what the
    /// totals of sessions say beyond their calls.
    #[must_use]
    pub(crate) fn by_agent(&self) -> Vec<Spent> {
        let mut all: Vec<Spent> = Vec::new();
        let mut add = |agent: &str, model: Option<&str>, calls: u64, usage: &Usage| {
            let is_same = |spent: &&mut Spent| {
                spent.agent == agent && (calls == 0 || spent.model.as_deref() == model)
            };
            if let Some(spent) = all.iter_mut().find(is_same) {
                spent.calls += calls;
                spent.usage.add(usage);
                return;
            }
            let (agent, model) = (agent.to_owned(), model.map(str::to_owned));
            all.push(Spent { agent, model, calls, usage: *usage });
        };
        for (call, usage) in self.ledger.calls() {
            let (agent, model) = self.ledger.spender(call);
            add(agent, Some(model).filter(|model| !model.is_empty()), 1, &usage);
        }
        for (agent, cost) in self.ledger.said() {
            add(agent, None, 0, &Usage { cost_micros: Some(cost), ..Usage::default() });
        }
        let beyond = self.ledger.settle().beyond.into_iter();
        all.extend(beyond.map(|beyond| Spent {
            agent: IN_TOTALS.to_owned(),
            model: beyond.model,
            calls: 0,
            usage: beyond.usage,
        }));
        all
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
        let Usage { cost_micros, estimated_micros, uncosted_calls, .. } = self.ledger.sum();
        Usage { cost_micros, estimated_micros, uncosted_calls, ..usage }
    }

    /// The estimated part of the cost; `None` if no price applies.
    #[must_use]
    pub(crate) fn estimated(&self) -> Option<i64> {
        self.ledger.sum().estimated_micros
    }

    /// Tokens in `spans` equal spans of time, from the first call to the last. Empty if all calls
    /// have the same time.
    #[must_use]
    pub(crate) fn over_time(&self, spans: usize) -> Vec<u64> {
        let times = || self.ledger.calls().map(|(call, _)| call.time.millis());
        let (Some(first), Some(last)) = (times().min(), times().max()) else { return Vec::new() };
        if first == last {
            return Vec::new();
        }
        let mut tokens = vec![0_u64; spans];
        for (call, usage) in self.ledger.calls() {
            let place = (call.time.millis() - first) as i128 * spans as i128;
            let span = (place / i128::from(last - first + 1)) as usize;
            if let Some(sum) = tokens.get_mut(span) {
                let input = usage.context_tokens().unwrap_or(0);
                *sum = sum.saturating_add(input);
                *sum = sum.saturating_add(usage.output_tokens.unwrap_or(0));
            }
        }
        tokens
    }
}
