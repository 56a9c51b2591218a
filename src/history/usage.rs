//! Tokens and cost. Each model response counts once.

use super::models::{Estimate, PricedRequest, estimate, has_list_price};
use crate::event::fields::{OUTPUT_AT_LEAST, UsageScope, View};
use crate::event::role::Role;
use crate::text::human::{dollars, short_count};

/// Tokens and cost. A number that no event reports is `None`, never 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Input tokens without cached ones.
    pub input_tokens: Option<u64>,
    /// Output tokens.
    pub output_tokens: Option<u64>,
    /// Whether the output tokens are a lower bound: some agents log them only at the start of a
    /// response.
    pub output_at_least: bool,
    /// Input tokens read from a cache.
    pub cache_read_tokens: Option<u64>,
    /// Input tokens written to a cache.
    pub cache_creation_tokens: Option<u64>,
    /// Cost in millionths of a dollar, reported and estimated.
    pub cost_micros: Option<i64>,
    /// The part of the cost that is estimated by list prices, because no event reports it.
    pub estimated_micros: Option<i64>,
    /// Model calls whose cost is unknown, or may be more: they report none, and the list has no price for
    /// their model, or for such a request.
    pub uncosted_calls: u64,
}

impl Usage {
    /// The usage that an event reports. `None` unless its role is `usage`, or `message` with input
    /// tokens.
    #[must_use]
    pub fn of(view: &View<'_, '_>) -> Option<Self> {
        Some(Self::reported(view)?.estimated(|usage| list_price(view, usage)))
    }

    /// The same without an estimate of the cost.
    #[must_use]
    pub(crate) fn reported(view: &View<'_, '_>) -> Option<Self> {
        let cost_micros = reported_cost(view);
        let usage = match view.role {
            Role::Usage | Role::Message => Self {
                input_tokens: view.input_tokens(),
                output_tokens: view.output_tokens(),
                output_at_least: view.is_set(OUTPUT_AT_LEAST),
                cache_read_tokens: view.cache_read_tokens(),
                cache_creation_tokens: view.cache_creation_tokens(),
                cost_micros,
                estimated_micros: None,
                uncosted_calls: u64::from(cost_micros.is_none()),
            },
            _ => return None,
        };
        let counts = view.role == Role::Usage || usage.input_tokens.is_some();
        counts.then_some(usage)
    }

    /// The same with a cost by `price`, if no cost is reported.
    #[must_use]
    pub(crate) fn estimated(self, price: impl FnOnce(&Self) -> Option<Estimate>) -> Self {
        if self.reported_micros().is_some() {
            return self;
        }
        let estimate = price(&self);
        let micros = estimate.map(|estimate| estimate.micros);
        let is_known = estimate.is_some_and(|estimate| !estimate.is_at_least);
        Self {
            cost_micros: micros,
            estimated_micros: micros,
            uncosted_calls: u64::from(!is_known),
            ..self
        }
    }

    /// The part of the cost that events report, in millionths of a dollar.
    #[must_use]
    pub(crate) fn reported_micros(&self) -> Option<i64> {
        match (self.cost_micros?, self.estimated_micros) {
            (cost, None) => Some(cost),
            (cost, Some(estimated)) if cost == estimated => None,
            (cost, Some(estimated)) => Some(cost.saturating_sub(estimated)),
        }
    }

    /// Whether the cost is a lower bound: some model calls have no known cost, or a part is estimated
    /// and some output tokens are a lower bound.
    #[must_use]
    pub(crate) fn cost_is_lower_bound(&self) -> bool {
        self.uncosted_calls > 0 || (self.output_at_least && self.estimated_micros.is_some())
    }

    /// The cost for people: `$0.1234`, `~$0.1234` if a part of it is estimated, `$0.1234+` if it is a
    /// lower bound.
    #[must_use]
    pub fn cost_told(&self) -> Option<String> {
        let about = if self.estimated_micros.is_some() { "~" } else { "" };
        let more = if self.cost_is_lower_bound() { "+" } else { "" };
        self.cost_micros.map(|cost| format!("{about}{}{more}", dollars(cost)))
    }

    /// The same in words: `about $0.1234`, `at least $0.1234`.
    #[must_use]
    pub fn cost_in_words(&self) -> Option<String> {
        let at_least = if self.cost_is_lower_bound() { "at least " } else { "" };
        let about = if self.estimated_micros.is_some() { "about " } else { "" };
        self.cost_micros.map(|cost| format!("{at_least}{about}{}", dollars(cost)))
    }

    /// The output tokens for people: `≥665` if they are a lower bound.
    #[must_use]
    pub fn output_told(&self) -> Option<String> {
        let at_least = if self.output_at_least { "≥" } else { "" };
        self.output_tokens.map(|tokens| format!("{at_least}{}", short_count(tokens)))
    }

    /// Adds each number. Known plus unknown is known.
    pub fn add(&mut self, other: &Self) {
        fn sum<T>(one: Option<T>, other: Option<T>, add: fn(T, T) -> T) -> Option<T> {
            match (one, other) {
                (Some(one), Some(other)) => Some(add(one, other)),
                (one, other) => one.or(other),
            }
        }
        // Saturate: wrapping could turn an absurd number into a plausible one.
        let tokens = |one, other| sum(one, other, u64::saturating_add);
        self.input_tokens = tokens(self.input_tokens, other.input_tokens);
        self.output_tokens = tokens(self.output_tokens, other.output_tokens);
        self.output_at_least |= other.output_at_least;
        self.cache_read_tokens = tokens(self.cache_read_tokens, other.cache_read_tokens);
        self.cache_creation_tokens =
            tokens(self.cache_creation_tokens, other.cache_creation_tokens);
        let costs = |one, other| sum(one, other, i64::saturating_add);
        self.cost_micros = costs(self.cost_micros, other.cost_micros);
        self.estimated_micros = costs(self.estimated_micros, other.estimated_micros);
        self.uncosted_calls += other.uncosted_calls;
    }

    /// The larger of each two numbers.
    #[must_use]
    pub(super) fn most(&self, other: &Self) -> Self {
        Self {
            input_tokens: self.input_tokens.max(other.input_tokens),
            output_tokens: self.output_tokens.max(other.output_tokens),
            output_at_least: self.output_at_least && other.output_at_least,
            cache_read_tokens: self.cache_read_tokens.max(other.cache_read_tokens),
            cache_creation_tokens: self.cache_creation_tokens.max(other.cache_creation_tokens),
            cost_micros: self.cost_micros.max(other.cost_micros),
            estimated_micros: self.estimated_micros.max(other.estimated_micros),
            uncosted_calls: self.uncosted_calls.max(other.uncosted_calls),
        }
    }

    /// Input, output, cache read, cache creation.
    #[must_use]
    pub(crate) fn tokens(&self) -> [Option<u64>; 4] {
        let Self { input_tokens, output_tokens, .. } = *self;
        [input_tokens, output_tokens, self.cache_read_tokens, self.cache_creation_tokens]
    }

    /// The same with other tokens.
    #[must_use]
    fn with_tokens(self, tokens: [Option<u64>; 4]) -> Self {
        let [input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens] = tokens;
        Self { input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens, ..self }
    }

    /// Count by count, the greater one of two lower bounds. The cost is the own one, unless the other
    /// one has more reported cost.
    #[must_use]
    pub(super) fn greater(self, other: &Self) -> Self {
        let (mine, theirs) = (self.tokens(), other.tokens());
        let cost = if other.reported_micros() > self.reported_micros() { other } else { &self };
        let is_own = self.output_tokens >= other.output_tokens;
        Self {
            output_at_least: if is_own { self.output_at_least } else { other.output_at_least },
            cost_micros: cost.cost_micros,
            estimated_micros: cost.estimated_micros,
            uncosted_calls: cost.uncosted_calls,
            ..self.with_tokens(std::array::from_fn(|at| mine[at].max(theirs[at])))
        }
    }

    /// What these numbers have beyond `other`, whose tokens are not greater. A difference of 0 is
    /// unknown. A cost may be negative.
    #[must_use]
    pub(super) fn minus(&self, other: &Self) -> Self {
        let (mine, theirs) = (self.tokens(), other.tokens());
        let less =
            |at: usize| mine[at]?.checked_sub(theirs[at].unwrap_or(0)).filter(|rest| *rest > 0);
        let cost = self.cost_micros.unwrap_or(0).saturating_sub(other.cost_micros.unwrap_or(0));
        let cost = Some(cost).filter(|cost| *cost != 0);
        Self {
            output_at_least: self.output_at_least && !other.output_at_least,
            cost_micros: cost,
            estimated_micros: cost.filter(|_| self.estimated_micros.is_some()),
            uncosted_calls: 0,
            ..self.with_tokens(std::array::from_fn(less))
        }
    }

    /// The same with at most these tokens.
    #[must_use]
    pub(super) fn at_most(self, most: &Self) -> Self {
        let (mine, most) = (self.tokens(), most.tokens());
        self.with_tokens(std::array::from_fn(|at| {
            Some(mine[at]?.min(most[at].unwrap_or(0))).filter(|tokens| *tokens > 0)
        }))
    }

    /// Whether no count of tokens is greater than one of `most`.
    #[must_use]
    pub(super) fn is_within(&self, most: &Self) -> bool {
        let counts = || self.tokens().into_iter().zip(most.tokens());
        counts().all(|(own, most)| most.is_none_or(|most| own.unwrap_or(0) <= most))
    }

    /// Whether it has no tokens and no cost.
    #[must_use]
    pub(super) fn is_empty(&self) -> bool {
        self.tokens() == [None; 4] && self.cost_micros.is_none()
    }

    /// Makes the cost unknown.
    pub(crate) fn forget_cost(&mut self) {
        (self.cost_micros, self.estimated_micros, self.uncosted_calls) = (None, None, 0);
    }

    /// Adds the cost alone.
    pub(super) fn add_cost(&mut self, other: &Self) {
        let Self { cost_micros, estimated_micros, uncosted_calls, .. } = *other;
        self.add(&Self { cost_micros, estimated_micros, uncosted_calls, ..Self::default() });
    }

    /// Takes each number away. What is unknown stays.
    pub(super) fn subtract(&mut self, other: &Self) {
        fn less<T: Copy>(one: &mut Option<T>, other: Option<T>, subtract: fn(T, T) -> T) {
            *one = one.map(|one| other.map_or(one, |other| subtract(one, other)));
        }
        less(&mut self.input_tokens, other.input_tokens, u64::saturating_sub);
        less(&mut self.output_tokens, other.output_tokens, u64::saturating_sub);
        less(&mut self.cache_read_tokens, other.cache_read_tokens, u64::saturating_sub);
        less(&mut self.cache_creation_tokens, other.cache_creation_tokens, u64::saturating_sub);
        less(&mut self.cost_micros, other.cost_micros, i64::saturating_sub);
        less(&mut self.estimated_micros, other.estimated_micros, i64::saturating_sub);
        // Without the estimates that were taken away, what is left is reported.
        let is_left = |rest: &i64| *rest != 0 || other.estimated_micros.is_none_or(|all| all == 0);
        self.estimated_micros = self.estimated_micros.filter(is_left);
        self.uncosted_calls = self.uncosted_calls.saturating_sub(other.uncosted_calls);
    }

    /// Whether it has no tokens and no cost above 0.
    #[must_use]
    pub(crate) fn is_nothing(&self) -> bool {
        self.tokens().iter().all(|tokens| tokens.unwrap_or(0) == 0)
            && self.cost_micros.unwrap_or(0) <= 0
    }

    /// These numbers, with unknown ones taken from `other`.
    #[must_use]
    pub(super) fn or(self, other: &Self) -> Self {
        let (cost, uncosted_calls) = self.cost_or(other);
        Self {
            input_tokens: self.input_tokens.or(other.input_tokens),
            output_tokens: self.output_tokens.or(other.output_tokens),
            output_at_least: match self.output_tokens {
                Some(_) => self.output_at_least,
                None => other.output_at_least,
            },
            cache_read_tokens: self.cache_read_tokens.or(other.cache_read_tokens),
            cache_creation_tokens: self.cache_creation_tokens.or(other.cache_creation_tokens),
            cost_micros: cost.cost_micros,
            estimated_micros: cost.estimated_micros,
            uncosted_calls,
        }
    }

    /// Where the cost of a total comes from, if `other` is the sum of its calls: a reported cost
    /// first. Calls say which model each token is of, a total only sometimes, but the prices of
    /// other tokens say nothing. Also returns the number of calls whose cost is unknown.
    fn cost_or<'u>(&'u self, other: &'u Self) -> (&'u Self, u64) {
        let tokens = |usage: &Self| {
            let Self { input_tokens, output_tokens, .. } = *usage;
            [input_tokens, output_tokens, usage.cache_read_tokens, usage.cache_creation_tokens]
        };
        let both = || tokens(self).into_iter().zip(tokens(other).map(Option::unwrap_or_default));
        let is_same = both().all(|(all, told)| all.is_none_or(|all| all == told));
        let is_known = self.reported_micros().is_some()
            || (other.reported_micros().is_none() && self.cost_micros.is_some() && !is_same);
        match other.cost_micros {
            Some(_) if !is_known => {
                let has_more = both().any(|(all, told)| all.is_some_and(|all| all > told));
                (other, other.uncosted_calls.max(u64::from(has_more)))
            }
            _ => (self, self.uncosted_calls),
        }
    }

    /// The size of the call's context: all three input counts, as far as they are known; `None` if
    /// none is.
    #[must_use]
    pub fn context_tokens(&self) -> Option<u64> {
        let counts = [self.input_tokens, self.cache_read_tokens, self.cache_creation_tokens];
        counts.into_iter().flatten().reduce(u64::saturating_add)
    }

    /// All input tokens and output tokens; `None` if either is unknown.
    #[must_use]
    pub fn all_tokens(&self) -> Option<u64> {
        Some(self.context_tokens()?.saturating_add(self.output_tokens?))
    }

    /// Usage as text for people (`1.2M in, 98 % cached, 12k out`). `in` is all input; `cached` is the
    /// part that was read from a cache. `None` if nothing is known.
    #[must_use]
    pub fn told(&self) -> Option<String> {
        let input = self.context_tokens().map(|all| {
            let cached = self.cache_read_tokens.unwrap_or(0);
            match percent(cached, all) {
                Some(share) if cached > 0 => {
                    format!("{} in, {share} % cached", short_count(all))
                }
                _ => format!("{} in", short_count(all)),
            }
        });
        let at_least = if self.output_at_least { "at least " } else { "" };
        let output = self.output_tokens.map(|out| format!("{at_least}{} out", short_count(out)));
        match (input, output) {
            (Some(input), Some(output)) => Some(format!("{input}, {output}")),
            (input, output) => input.or(output),
        }
    }

    /// The cost in dollars.
    #[must_use]
    pub fn cost_usd(&self) -> Option<f64> {
        self.cost_micros.map(|micros| micros as f64 / 1e6)
    }
}

/// The usage of one model call in 48 bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct PackedUsage {
    /// `u64::MAX` is unknown.
    tokens: [u64; 4],
    /// `i64::MIN` is unknown.
    cost: i64,
    is_estimated: bool,
    is_uncosted: bool,
    output_at_least: bool,
}

impl From<&Usage> for PackedUsage {
    fn from(usage: &Usage) -> Self {
        Self {
            tokens: usage.tokens().map(|tokens| tokens.unwrap_or(u64::MAX)),
            cost: usage.cost_micros.unwrap_or(i64::MIN),
            is_estimated: usage.estimated_micros.is_some(),
            is_uncosted: usage.uncosted_calls > 0,
            output_at_least: usage.output_at_least,
        }
    }
}

impl From<PackedUsage> for Usage {
    fn from(packed: PackedUsage) -> Self {
        let cost_micros = Some(packed.cost).filter(|cost| *cost != i64::MIN);
        let usage = Self {
            output_at_least: packed.output_at_least,
            cost_micros,
            estimated_micros: cost_micros.filter(|_| packed.is_estimated),
            uncosted_calls: u64::from(packed.is_uncosted),
            ..Self::default()
        };
        usage.with_tokens(
            packed.tokens.map(|tokens| Some(tokens).filter(|known| *known != u64::MAX)),
        )
    }
}

/// The cost of a usage event by the list price of its model.
#[must_use]
pub(crate) fn list_price(view: &View<'_, '_>, usage: &Usage) -> Option<Estimate> {
    let model = view.field("model")?;
    let [tier, speed, place] =
        ["service_tier", "speed", "inference_geo"].map(|name| view.field(name).unwrap_or_default());
    let request = PricedRequest {
        tier: &tier,
        is_fast: speed == "fast",
        place: &place,
        context: usage.context_tokens().filter(|_| view.is_of_one_call()),
        for_an_hour: view.cache_creation_1h_tokens().unwrap_or(0),
    };
    estimate(&model, usage, &request)
}

/// The cost that an event reports, in millionths of a dollar. Clients report 0 for what a subscription
/// pays: that is not the cost of a model with a list price, or of a whole process.
fn reported_cost(view: &View<'_, '_>) -> Option<i64> {
    let cost = view.cost_micros()?;
    let is_total = || matches!(view.usage_scope(), UsageScope::Process | UsageScope::Session);
    let is_priced = || view.field("model").map_or_else(is_total, |model| has_list_price(&model));
    let has_tokens = || {
        let counts = [view.input_tokens(), view.output_tokens(), view.cache_read_tokens()];
        counts.into_iter().flatten().any(|count| count > 0)
    };
    (cost != 0 || !has_tokens() || !is_priced()).then_some(cost)
}

/// The share of a part in percent, rounded; a part that is not all is at most 99. `None` of nothing.
fn percent(part: u64, all: u64) -> Option<u64> {
    let (part, all) = (u128::from(part), u128::from(all));
    let rounded = (part * 100 + all / 2).checked_div(all)?;
    u64::try_from(if part < all { rounded.min(99) } else { rounded }).ok()
}

/// The newest model call that reports its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NewestCall {
    /// Sequence of the event that reports it.
    pub sequence: u64,
    /// The usage that it reports.
    pub usage: Usage,
    /// All its input tokens, cached ones included.
    pub tokens: u64,
}

impl NewestCall {
    /// The call that an event reports; `None` if it reports none. A session total, or the sum
    /// of several calls, is not a call.
    #[must_use]
    pub(crate) fn of(view: &View<'_, '_>) -> Option<Self> {
        let usage = Usage::of(view)?;
        let tokens = usage.context_tokens()?;
        let is_call = view.is_of_one_call();
        is_call.then_some(Self { sequence: view.event.sequence, usage, tokens })
    }

    /// Whether its input is over the trigger.
    #[must_use]
    pub(crate) fn exceeds(&self, trigger: u64) -> bool {
        self.tokens > trigger
    }

    /// The composition of its input as text.
    #[must_use]
    pub(crate) fn composition(&self) -> String {
        let Self { sequence, usage, tokens } = self;
        let figure = |tokens: Option<u64>| tokens.unwrap_or(0);
        format!(
            "event {sequence}: {tokens} input tokens ({} new, {} read from a cache, {} written to a cache)",
            figure(usage.input_tokens),
            figure(usage.cache_read_tokens),
            figure(usage.cache_creation_tokens),
        )
    }
}
