//! Well-known models: their context windows and list prices.

use super::usage::Usage;

/// When the table was made.
pub(crate) const AS_OF: &str = "2026-11";

/// The context window of a model that the table does not have, in tokens.
pub(crate) const UNKNOWN_WINDOW: u64 = 8192;

/// Name, context window in tokens, and dollars per million tokens: input, output, input read from a
/// cache, input written to a cache. The names have no date at the end. A provider that has no price
/// of its own for the cache charges the price of input.
///
/// Source: the public model list of `LiteLLM` 1.109.1, which follows the price pages of the
/// providers. The prices are for the provider's own service.
#[rustfmt::skip]
const MODELS: &[(&str, u64, [f64; 4])] = &[
    ("claude-3-5-haiku", 200_000, [0.8, 4.0, 0.08, 1.0]),
    ("claude-3-5-sonnet", 200_000, [3.0, 15.0, 0.3, 3.75]),
    ("claude-3-7-sonnet", 200_000, [3.0, 15.0, 0.3, 3.75]),
    ("claude-3-opus", 200_000, [15.0, 75.0, 1.5, 18.75]),
    ("claude-fable-5", 1_000_000, [10.0, 50.0, 1.0, 12.5]),
    ("claude-fable-5-1", 1_000_000, [10.0, 50.0, 0.25, 12.5]),
    ("claude-haiku-4-5", 200_000, [1.0, 5.0, 0.1, 1.25]),
    ("claude-haiku-5-5", 1_000_000, [0.1, 0.5, 0.01, 0.125]),
    ("claude-mythos-5", 1_000_000, [10.0, 50.0, 1.0, 12.5]),
    ("claude-mythos-5-1", 1_000_000, [10.0, 50.0, 0.25, 12.5]),
    ("claude-mythos-preview", 1_000_000, [10.0, 50.0, 1.0, 12.5]),
    ("claude-opus-4", 200_000, [15.0, 75.0, 1.5, 18.75]),
    ("claude-opus-4-1", 200_000, [15.0, 75.0, 1.5, 18.75]),
    ("claude-opus-4-5", 200_000, [5.0, 25.0, 0.5, 6.25]),
    ("claude-opus-4-6", 1_000_000, [5.0, 25.0, 0.5, 6.25]),
    ("claude-opus-4-7", 1_000_000, [5.0, 25.0, 0.5, 6.25]),
    ("claude-opus-4-8", 1_000_000, [5.0, 25.0, 0.5, 6.25]),
    ("claude-opus-5", 1_000_000, [5.0, 25.0, 0.5, 6.25]),
    ("claude-opus-5-5", 1_000_000, [4.0, 20.0, 0.2, 5.0]),
    ("claude-sonnet-4", 200_000, [3.0, 15.0, 0.3, 3.75]),
    ("claude-sonnet-4-5", 200_000, [3.0, 15.0, 0.3, 3.75]),
    ("claude-sonnet-4-6", 1_000_000, [3.0, 15.0, 0.3, 3.75]),
    ("claude-sonnet-5", 1_000_000, [2.0, 10.0, 0.2, 2.5]),
    ("claude-sonnet-5-5", 1_000_000, [2.0, 10.0, 0.1, 2.5]),
    ("deepseek-r1", 65_536, [0.55, 2.19, 0.14, 0.55]),
    ("deepseek-v3", 65_536, [0.27, 1.1, 0.07, 0.27]),
    ("deepseek-v3.2", 163_840, [0.28, 0.4, 0.028, 0.28]),
    ("deepseek-v4-flash", 1_000_000, [0.3, 1.2, 0.006, 0.3]),
    ("deepseek-v4-pro", 1_000_000, [1.32, 3.96, 0.044, 1.32]),
    ("gemini-2.5-flash", 1_048_576, [0.3, 2.5, 0.03, 0.3]),
    ("gemini-2.5-flash-lite", 1_048_576, [0.1, 0.4, 0.01, 0.1]),
    ("gemini-2.5-flash-lite-preview", 1_048_576, [0.1, 0.4, 0.01, 0.1]),
    ("gemini-2.5-flash-preview", 1_048_576, [0.3, 2.5, 0.03, 0.3]),
    ("gemini-2.5-pro", 1_048_576, [1.25, 10.0, 0.125, 1.25]),
    ("gemini-3-flash-preview", 1_048_576, [0.5, 3.0, 0.05, 0.5]),
    ("gemini-3-pro-preview", 1_048_576, [2.0, 12.0, 0.2, 2.0]),
    ("gemini-3.1-flash-lite", 1_048_576, [0.25, 1.5, 0.025, 0.25]),
    ("gemini-3.1-flash-lite-preview", 1_048_576, [0.25, 1.5, 0.025, 0.25]),
    ("gemini-3.1-pro-preview", 1_048_576, [2.0, 12.0, 0.2, 2.0]),
    ("gemini-3.1-pro-preview-customtools", 1_048_576, [2.0, 12.0, 0.2, 2.0]),
    ("gemini-3.5-flash", 1_048_576, [1.5, 9.0, 0.15, 1.5]),
    ("gemini-3.5-flash-lite", 1_048_576, [0.3, 2.5, 0.03, 0.3]),
    ("gemini-3.6-flash", 1_048_576, [0.75, 3.75, 0.075, 0.75]),
    ("gemini-3.7-flash", 1_048_576, [0.75, 3.75, 0.075, 0.75]),
    ("gemini-3.8-flash", 1_048_576, [0.75, 3.75, 0.075, 0.75]),
    ("gemini-4-argon", 1_048_576, [2.0, 10.0, 0.1, 2.0]),
    ("glm-4.6", 200_000, [0.6, 2.2, 0.11, 0.6]),
    ("glm-4.7", 200_000, [0.6, 2.2, 0.11, 0.6]),
    ("glm-5", 200_000, [1.0, 3.2, 0.2, 1.0]),
    ("glm-5.1", 200_000, [1.4, 4.4, 0.26, 1.4]),
    ("glm-5.2", 1_000_000, [1.4, 4.4, 0.26, 1.4]),
    ("glm-5.3", 1_000_000, [1.4, 4.4, 0.26, 1.4]),
    ("glm-5.3-flash", 1_048_576, [0.15, 0.5, 0.03, 0.15]),
    ("glm-5v-turbo", 200_000, [1.2, 4.0, 0.24, 1.2]),
    ("gpt-3.5-turbo", 16_385, [0.5, 1.5, 0.5, 0.5]),
    ("gpt-4", 8192, [30.0, 60.0, 30.0, 30.0]),
    ("gpt-4-turbo", 128_000, [10.0, 30.0, 10.0, 10.0]),
    ("gpt-4.1", 1_047_576, [2.0, 8.0, 0.5, 2.0]),
    ("gpt-4.1-mini", 1_047_576, [0.4, 1.6, 0.1, 0.4]),
    ("gpt-4.1-nano", 1_047_576, [0.1, 0.4, 0.025, 0.1]),
    ("gpt-4o", 128_000, [2.5, 10.0, 1.25, 2.5]),
    ("gpt-4o-mini", 128_000, [0.15, 0.6, 0.075, 0.15]),
    ("gpt-5", 272_000, [1.25, 10.0, 0.125, 1.25]),
    ("gpt-5-codex", 272_000, [1.25, 10.0, 0.125, 1.25]),
    ("gpt-5-mini", 272_000, [0.25, 2.0, 0.025, 0.25]),
    ("gpt-5-nano", 272_000, [0.05, 0.4, 0.005, 0.05]),
    ("gpt-5-pro", 400_000, [15.0, 120.0, 15.0, 15.0]),
    ("gpt-5.1", 272_000, [1.25, 10.0, 0.125, 1.25]),
    ("gpt-5.1-codex", 400_000, [1.25, 10.0, 0.125, 1.25]),
    ("gpt-5.1-codex-max", 400_000, [1.25, 10.0, 0.125, 1.25]),
    ("gpt-5.1-codex-mini", 400_000, [0.25, 2.0, 0.025, 0.25]),
    ("gpt-5.2", 272_000, [1.75, 14.0, 0.175, 1.75]),
    ("gpt-5.2-codex", 272_000, [1.75, 14.0, 0.175, 1.75]),
    ("gpt-5.2-pro", 272_000, [21.0, 168.0, 21.0, 21.0]),
    ("gpt-5.3-codex", 272_000, [1.75, 14.0, 0.175, 1.75]),
    ("gpt-5.4", 1_050_000, [2.5, 15.0, 0.25, 2.5]),
    ("gpt-5.4-mini", 272_000, [0.75, 4.5, 0.075, 0.75]),
    ("gpt-5.4-nano", 272_000, [0.2, 1.25, 0.02, 0.2]),
    ("gpt-5.4-pro", 1_050_000, [30.0, 180.0, 30.0, 30.0]),
    ("gpt-5.5", 1_050_000, [5.0, 30.0, 0.5, 5.0]),
    ("gpt-5.5-pro", 1_050_000, [30.0, 180.0, 30.0, 30.0]),
    ("gpt-5.6", 922_000, [4.0, 20.0, 0.4, 5.0]),
    ("gpt-5.6-luna", 922_000, [0.2, 1.2, 0.02, 0.25]),
    ("gpt-5.6-sol", 922_000, [4.0, 20.0, 0.4, 5.0]),
    ("gpt-5.6-terra", 922_000, [2.0, 12.0, 0.2, 2.5]),
    ("gpt-6-astra", 922_000, [10.0, 50.0, 1.0, 12.5]),
    ("gpt-6-luna", 922_000, [0.1, 0.5, 0.01, 0.125]),
    ("gpt-6-sol", 922_000, [2.0, 10.0, 0.2, 2.5]),
    ("gpt-6.1-sol", 922_000, [2.0, 10.0, 0.1, 2.5]),
    ("gpt-6.1-terra", 922_000, [1.0, 5.0, 0.05, 1.25]),
    ("grok-4.20", 1_000_000, [1.25, 2.5, 0.2, 1.25]),
    ("grok-4.3", 1_000_000, [1.25, 2.5, 0.2, 1.25]),
    ("grok-4.5", 500_000, [2.0, 6.0, 0.3, 2.0]),
    ("grok-4.6", 500_000, [2.0, 6.0, 0.5, 2.0]),
    ("grok-4.7", 500_000, [2.0, 6.0, 0.5, 2.0]),
    ("grok-build-0.1", 256_000, [1.0, 2.0, 0.2, 1.0]),
    ("grok-code-fast", 256_000, [1.0, 2.0, 0.2, 1.0]),
    ("grok-code-fast-1", 256_000, [1.0, 2.0, 0.2, 1.0]),
    ("kimi-k2.5", 262_144, [0.6, 3.0, 0.1, 0.6]),
    ("kimi-k2.6", 262_144, [0.95, 4.0, 0.16, 0.95]),
    ("kimi-k2.7-code", 262_144, [0.95, 4.0, 0.19, 0.95]),
    ("kimi-k3", 1_048_576, [3.0, 15.0, 0.3, 3.0]),
    ("kimi-k3.1-pro", 1_048_576, [2.0, 10.0, 0.2, 2.0]),
    ("minimax-m2", 200_000, [0.3, 1.2, 0.03, 0.375]),
    ("minimax-m2.1", 1_000_000, [0.3, 1.2, 0.03, 0.375]),
    ("minimax-m2.1-lightning", 1_000_000, [0.3, 2.4, 0.03, 0.375]),
    ("minimax-m2.5", 1_000_000, [0.3, 1.2, 0.03, 0.375]),
    ("minimax-m2.5-lightning", 1_000_000, [0.3, 2.4, 0.03, 0.375]),
    ("minimax-m3", 1_000_000, [0.3, 1.2, 0.06, 0.3]),
    ("mistral-large-3", 262_144, [0.5, 1.5, 0.05, 0.5]),
    ("mistral-large-4", 1_048_576, [1.36, 4.18, 0.14, 1.36]),
    ("mistral-medium-3", 262_144, [1.5, 7.5, 0.15, 1.5]),
    ("mistral-medium-3.5", 262_144, [1.5, 7.5, 0.15, 1.5]),
    ("o1", 200_000, [15.0, 60.0, 7.5, 15.0]),
    ("o1-pro", 200_000, [150.0, 600.0, 150.0, 150.0]),
    ("o3", 200_000, [2.0, 8.0, 0.5, 2.0]),
    ("o3-mini", 200_000, [1.1, 4.4, 0.55, 1.1]),
    ("o3-pro", 200_000, [20.0, 80.0, 20.0, 20.0]),
    ("o4-mini", 200_000, [1.1, 4.4, 0.275, 1.1]),
    ("qwen3-vl-235b-a22b-instruct", 131_072, [0.4, 1.6, 0.4, 0.4]),
    ("qwen3-vl-235b-a22b-thinking", 131_072, [0.4, 4.0, 0.4, 0.4]),
    ("qwen3-vl-32b-instruct", 131_072, [0.16, 0.64, 0.16, 0.16]),
    ("qwen3-vl-32b-thinking", 131_072, [0.16, 2.87, 0.16, 0.16]),
    ("qwen3.7-max", 991_808, [2.5, 7.5, 0.5, 3.125]),
    ("qwen3.8-flash", 991_808, [0.15, 0.47, 0.016, 0.2]),
    ("qwen3.8-max", 991_808, [2.0, 6.0, 0.25, 2.0]),
];

/// What the tokens of a model cost, in dollars per million tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TokenPrices {
    /// Input that was neither read from a cache nor written to one.
    pub(crate) input: f64,
    /// Output.
    pub(crate) output: f64,
    /// Input read from a cache.
    pub(crate) cache_read: f64,
    /// Input written to a cache.
    pub(crate) cache_creation: f64,
}

impl TokenPrices {
    /// The cost in millionths of a dollar. `None` if the tokens are unknown. Of the tokens written
    /// to a cache, `for_an_hour` are kept for an hour, which costs twice the price of input.
    #[must_use]
    pub(crate) fn micros(&self, usage: &Usage, for_an_hour: u64) -> Option<i64> {
        // Dollars per million tokens are millionths of a dollar per token.
        let cost = |tokens: Option<u64>, each: f64| tokens.unwrap_or(0) as f64 * each;
        let sum = cost(Some(usage.input_tokens?), self.input)
            + cost(Some(usage.output_tokens?), self.output)
            + cost(usage.cache_read_tokens, self.cache_read)
            + cost(usage.cache_creation_tokens, self.cache_creation)
            + cost(Some(for_an_hour), 2.0 * self.input - self.cache_creation);
        Some(sum.round() as i64)
    }
}

/// The context window of the model with that name, in tokens, if the table has the model.
#[must_use]
pub(crate) fn window_of(model: &str) -> Option<u64> {
    listed(model).map(|(_, window, _)| *window)
}

/// Whether the table has the prices of the model with that name.
#[must_use]
pub(crate) fn has_list_price(model: &str) -> bool {
    listed(model).is_some()
}

/// Models whose requests cost more from a length on: the tokens of the context, and how many times the
/// list prices input and output cost. A `*` stands for any end of a name. Source: as of the table; the
/// row of the Sonnets is of the provider's own page.
#[rustfmt::skip]
const LONG: &[(&[&str], u64, f64, f64)] = &[
    (&["claude-haiku-5-5"], 100_000, 5.0, 5.0),
    (&["claude-sonnet-4", "claude-sonnet-4-5", "gemini-2.5-pro*", "gemini-3-pro*", "gemini-3.1-pro*"], 200_000, 2.0, 1.5),
    (&["grok-4.*", "grok-build*", "grok-code*"], 200_000, 2.0, 2.0),
    (&["gpt-5.4", "gpt-5.4-pro", "gpt-5.5*", "gpt-5.6*", "gpt-6*"], 272_000, 2.0, 1.5),
];

/// How many times its list prices a request costs, by what it asks for: a tier of service, an answer
/// that comes faster, or work in one country only. The first row counts. Source: as of the table.
#[rustfmt::skip]
const TIMES: &[(&str, &[&str], f64)] = &[
    ("batch", &["claude-*", "gemini-*", "gpt-*", "o1*", "o3*", "o4*"], 0.5),
    ("flex", &["gemini-*", "gpt-5*", "gpt-6*", "o3", "o4-mini"], 0.5),
    ("priority", &["gpt-5.5"], 2.5),
    ("priority", &["gpt-5", "gpt-5.1", "gpt-5.2", "gpt-5.3-codex", "gpt-5.4", "gpt-5.4-mini", "gpt-5.6*", "gpt-6*", "gpt-4.1-nano"], 2.0),
    ("priority", &["gemini-*", "gpt-5-mini"], 1.8),
    ("priority", &["gpt-4.1", "gpt-4.1-mini", "o3"], 1.75),
    ("fast", &["claude-opus-4-6", "claude-opus-4-7"], 6.0),
    ("fast", &["claude-opus-4-8", "claude-opus-5", "claude-opus-5-5"], 2.0),
    ("us", &["claude-fable-*", "claude-haiku-5*", "claude-mythos-*", "claude-opus-4-6", "claude-opus-4-7", "claude-opus-4-8", "claude-opus-5*", "claude-sonnet-4-6", "claude-sonnet-5*"], 1.1),
];

/// The tiers of service that cost the list prices.
const USUAL_TIERS: [&str; 5] = ["", "auto", "default", "standard", "on_demand"];

/// What a request asks of the provider, as far as the price depends on it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PricedRequest<'r> {
    /// The tier of service.
    pub(crate) tier: &'r str,
    /// Whether the answer comes faster.
    pub(crate) is_fast: bool,
    /// Where the model works, if that is one country.
    pub(crate) place: &'r str,
    /// The tokens of the context, if it is one request.
    pub(crate) context: Option<u64>,
    /// The tokens that a cache keeps for an hour.
    pub(crate) for_an_hour: u64,
}

/// What a request costs by the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Estimate {
    /// Millionths of a dollar.
    pub(crate) micros: i64,
    /// Whether it may cost more: the table does not know what such a request costs.
    pub(crate) is_at_least: bool,
}

/// The cost of that usage of a model by the list. `None` if the list does not have the model, or the
/// tokens are unknown.
#[must_use]
pub(crate) fn estimate(
    model: &str,
    usage: &Usage,
    request: &PricedRequest<'_>,
) -> Option<Estimate> {
    let (_, window, [input, output, cache_read, cache_creation]) = *listed(model)?;
    let name = plain_name(model);
    let has = |models: &[&str]| {
        models.iter().any(|model| match model.strip_suffix('*') {
            Some(begin) => name.starts_with(begin),
            None => *model == name,
        })
    };
    let times = |asked: &str| {
        TIMES.iter().find(|(what, models, _)| *what == asked && has(models)).map(|row| row.2)
    };
    // One client calls the tier of its provider so.
    let tier = if request.tier == "fast" { "priority" } else { request.tier };
    let tier = if USUAL_TIERS.contains(&tier) { Some(1.0) } else { times(tier) };
    let speed = if request.is_fast { times("fast") } else { Some(1.0) };
    let all = tier.unwrap_or(1.0) * speed.unwrap_or(1.0) * times(request.place).unwrap_or(1.0);
    let context = request.context.unwrap_or(0);
    let long = LONG.iter().find(|(models, above, ..)| context > *above && has(models));
    let (of_input, of_output) = long.map_or((all, all), |row| (all * row.2, all * row.3));
    let prices = TokenPrices {
        input: input * of_input,
        output: output * of_output,
        cache_read: cache_read * of_input,
        cache_creation: cache_creation * of_input,
    };
    let is_at_least = tier.is_none() || speed.is_none() || (long.is_none() && context > window);
    let micros = prices.micros(usage, request.for_an_hour)?;
    Some(Estimate { micros, is_at_least })
}

/// The row of a model. A model that is only similar to a known one is unknown: its window and its
/// prices may be others.
fn listed(model: &str) -> Option<&'static (&'static str, u64, [f64; 4])> {
    let name = plain_name(model);
    let place = MODELS.binary_search_by(|(listed, ..)| (*listed).cmp(name.as_str())).ok()?;
    MODELS.get(place)
}

/// The name without what providers and clients put around it: `anthropic/claude-opus-4.5`,
/// `us.anthropic.claude-opus-4-5-20251101-v1:0` and `claude-opus-4-5@20251101` are one model.
fn plain_name(model: &str) -> String {
    let name = model.trim().to_lowercase();
    let name = name.rsplit('/').next().unwrap_or_default();
    let name = name.split_once("anthropic.").map_or(name, |(_, name)| name);
    let name = name.split(['@', '[', ':']).next().unwrap_or_default();
    let name = name.strip_suffix("-v1").or_else(|| name.strip_suffix("-v2")).unwrap_or(name);
    let name = name.strip_suffix("-latest").unwrap_or(name);
    let name = without_date(name);
    if name.starts_with("claude-") { name.replace('.', "-") } else { name.to_owned() }
}

/// The name without `-20251101` or `-2025-11-01` at its end.
fn without_date(name: &str) -> &str {
    let parts: Vec<&str> = name.rsplitn(4, '-').collect();
    let digits =
        |part: &str, count| part.len() == count && part.bytes().all(|b| b.is_ascii_digit());
    match parts.as_slice() {
        [day, month, year, name] if digits(day, 2) && digits(month, 2) && digits(year, 4) => name,
        [date, _, ..] if digits(date, 8) => &name[..name.len() - date.len() - 1],
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::{MODELS, PricedRequest, estimate, window_of};
    use crate::history::usage::Usage;

    /// The cost of these tokens: input, output, read from a cache, written to one.
    fn cost(model: &str, tokens: [u64; 4], request: PricedRequest<'_>) -> Option<(i64, bool)> {
        let [input, output, read, written] = tokens.map(Some);
        let usage = Usage {
            input_tokens: input,
            output_tokens: output,
            cache_read_tokens: read,
            cache_creation_tokens: written,
            ..Usage::default()
        };
        let found = estimate(model, &usage, &request)?;
        Some((found.micros, found.is_at_least))
    }

    /// If this fails, a request costs what another one costs, or the cost of one that the table does not
    /// know looks exact.
    #[test]
    fn what_a_request_asks_for_has_its_price() {
        let usual = PricedRequest::default();
        let tier = |tier| PricedRequest { tier, ..usual };
        let long = |tokens| PricedRequest { context: Some(tokens), ..usual };
        let fast = PricedRequest { is_fast: true, ..usual };
        let tokens = [1000, 100, 1000, 1000];
        for (model, request, expected) in [
            ("claude-opus-5", usual, (14_250, false)),
            ("claude-opus-5", tier("standard"), (14_250, false)),
            ("claude-opus-5", tier("batch"), (7125, false)),
            ("claude-opus-5", tier("priority"), (14_250, true)),
            ("claude-opus-5", fast, (28_500, false)),
            ("claude-sonnet-5", fast, (5700, true)),
            ("claude-opus-5", PricedRequest { place: "us", ..usual }, (15_675, false)),
            ("claude-opus-4-5", PricedRequest { place: "us", ..usual }, (14_250, false)),
            ("claude-opus-5", PricedRequest { for_an_hour: 1000, ..usual }, (18_000, false)),
            ("claude-sonnet-4-5", long(200_000), (8550, false)),
            ("claude-sonnet-4-5-20250929", long(200_001), (16_350, false)),
            ("claude-sonnet-4-6", long(200_001), (8550, false)),
            ("claude-opus-4-5", long(200_001), (14_250, true)),
            ("gpt-5.6-terra", long(272_001), (11_200, false)),
            ("gpt-5.6-terra", tier("fast"), (11_800, false)),
            ("gpt-5.6-terra", PricedRequest { tier: "flex", ..long(300_000) }, (5600, false)),
            ("gpt-5.5", tier("priority"), (33_750, false)),
            ("gpt-5-nano", tier("priority"), (145, true)),
            ("gemini-3-pro-preview", long(250_000), (10_200, false)),
        ] {
            assert_eq!(cost(model, tokens, request), Some(expected), "{model} {request:?}");
        }
    }

    /// If this fails, a model is not found, or has two rows.
    #[test]
    fn the_names_are_sorted() {
        assert!(MODELS.is_sorted_by(|one, other| one.0 < other.0));
    }

    /// If this fails, a model gets the window or the prices of another one.
    #[test]
    fn one_model_has_many_names() {
        let known = [
            "claude-opus-4-5",
            "anthropic/claude-opus-4.5",
            "us.anthropic.claude-opus-4-5-20251101-v1:0",
            "claude-opus-4-5@20251101",
            "Claude-Opus-4-5-20251101",
        ];
        for name in known {
            assert_eq!(window_of(name), Some(200_000), "{name}");
            assert_eq!(
                cost(name, [0, 1000, 0, 0], PricedRequest::default()),
                Some((25_000, false))
            );
        }
        assert_eq!(window_of("gpt-4o-mini-2024-07-18"), Some(128_000));
        for unknown in ["claude-opus-4-55", "my-own-model", "gpt-4o-minimal", "", "gpt", "20251101"]
        {
            assert_eq!(window_of(unknown), None, "{unknown}");
        }
    }
}
