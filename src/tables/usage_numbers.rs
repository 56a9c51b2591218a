//! The numbers of a row of `usage`.

use crate::history::usage::Usage;

/// The kind of a row of `usage` that is about one model call.
pub(super) const OF_MODEL_CALL: &str = "call";

/// The kind of a row of `usage` that is the sum of several model calls.
pub(super) const OF_MODEL_CALLS: &str = "calls";

/// The numbers of a row of `usage`. In a row of kind `total` the cost may be negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct UsageNumbers {
    /// Input, output, cache read, cache creation.
    pub(super) tokens: [Option<i64>; 4],
    /// Millionths of a dollar.
    pub(super) cost: Option<i64>,
    pub(super) estimated: bool,
    pub(super) at_least: bool,
    pub(super) context: Option<u64>,
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

impl UsageNumbers {
    /// Those of some usage.
    pub(super) fn of(usage: &Usage) -> Self {
        Self {
            tokens: usage.tokens().map(|count| count.map(signed)),
            cost: usage.cost_micros,
            estimated: usage.estimated_micros.is_some(),
            at_least: usage.output_at_least,
            context: usage.context_tokens(),
        }
    }

    /// The sum with `times` the other numbers.
    pub(super) fn plus(self, other: &Self, times: i64) -> Self {
        let sum = |one: Option<i64>, other: Option<i64>| match (one, other) {
            (one, None) => one,
            (one, Some(other)) => Some(one.unwrap_or(0).saturating_add(times * other)),
        };
        Self {
            tokens: std::array::from_fn(|at| sum(self.tokens[at], other.tokens[at])),
            cost: sum(self.cost, other.cost),
            estimated: self.estimated || other.estimated,
            ..self
        }
    }

    /// Whether all numbers are 0 or unknown.
    pub(super) fn is_nothing(&self) -> bool {
        self.tokens.iter().chain([&self.cost]).all(|number| number.unwrap_or(0) == 0)
    }
}
