//! The numbers of a row of `usage`, and their differences.

use crate::history::usage::Usage;

/// The kind of a row of `usage` that is about one model call.
pub(super) const OF_MODEL_CALL: &str = "call";

/// The kind of a row of `usage` that is the sum of several model calls.
pub(super) const OF_MODEL_CALLS: &str = "calls";

/// The numbers of a row of `usage`. In a row of kind `total` they may be negative.
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

fn four(usage: &Usage) -> [Option<u64>; 4] {
    let Usage { input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens, .. } = usage;
    [*input_tokens, *output_tokens, *cache_read_tokens, *cache_creation_tokens]
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

impl UsageNumbers {
    /// The numbers of a model call.
    pub(super) fn of(usage: &Usage) -> Self {
        Self {
            tokens: four(usage).map(|count| count.map(signed)),
            cost: usage.cost_micros,
            estimated: usage.estimated_micros.is_some(),
            at_least: usage.output_at_least,
            context: usage.context_tokens(),
        }
    }

    /// What the whole has beyond the part. A difference of 0 is `None`.
    pub(super) fn between(whole: &Usage, part: &Usage) -> Self {
        let less = |whole: Option<i64>, part: Option<i64>| {
            let rest = whole.unwrap_or(0).saturating_sub(part.unwrap_or(0));
            (rest != 0).then_some(rest)
        };
        let (whole_of, part_of) = (Self::of(whole), Self::of(part));
        let cost = less(whole.cost_micros, part.cost_micros);
        Self {
            tokens: std::array::from_fn(|at| less(whole_of.tokens[at], part_of.tokens[at])),
            cost,
            estimated: whole.estimated_micros.is_some() && cost.is_some(),
            at_least: whole.output_at_least && !part.output_at_least,
            context: None,
        }
    }

    /// Whether there is no number.
    pub(super) fn is_empty(&self) -> bool {
        self.tokens == [None; 4] && self.cost.is_none()
    }

    /// What is left without these. A difference of 0 is `None`.
    pub(super) fn without(self, others: &[&Self]) -> Self {
        let left = |all: Option<i64>, one: &dyn Fn(&Self) -> Option<i64>| {
            let parts = others.iter().filter_map(|other| one(other));
            let left = parts.fold(all.unwrap_or(0), i64::saturating_sub);
            (left != 0).then_some(left)
        };
        let cost = left(self.cost, &|one| one.cost);
        Self {
            tokens: std::array::from_fn(|at| left(self.tokens[at], &|one| one.tokens[at])),
            cost,
            estimated: self.estimated && cost.is_some(),
            ..self
        }
    }
}
