//! The token counts of Copilot CLI.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use crate::agents::said::{ModelCall, Said, TokensUsed, Used, UsedScope};
use crate::event::fields::is_placeholder;
use crate::json::Json;

/// The names of the token counts in `usage`, in the order of [`CopilotCounts`].
pub(super) const NAMES: [&str; 5] =
    ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens"];

/// The usage of one model call.
pub(super) fn usage<'s>(data: Json<'s>, id: Option<Cow<'s, str>>) -> Said<'s> {
    let model = data.text_at("model").filter(|model| !is_placeholder(model));
    let mut counts = counts(data, NAMES);
    counts.0[CREDITS] = data.present("copilotUsage").and_then(credits);
    Said::used(counts.tokens(), ModelCall { model, id })
}

/// The places of the output and of the credits in [`CopilotCounts`].
const OUTPUT: usize = 1;
const CREDITS: usize = 5;
/// The price of a credit ("AI unit") in dollars, as other programs that read these logs have it,
/// November 2026.
const CREDIT_USD: f64 = 0.01;

/// The most models whose parts of a total are recorded.
const MODELS: usize = 16;

/// The totals at the ends of a session. A session that was resumed may count from zero again.
#[derive(Debug, Default)]
pub(super) struct ShutdownTotals {
    /// The newest totals by model; with the name `""` if the model is unknown.
    newest: BTreeMap<String, CopilotCounts>,
    /// The sums of those before the times that they began at zero.
    earlier: BTreeMap<String, CopilotCounts>,
    /// Whether the credits of a part of `earlier` are unknown.
    lacks_credits: bool,
    /// The output tokens of the messages since the totals began at zero.
    output_since_reset: u64,
    /// The output tokens of the messages since the newest totals.
    output_since_totals: u64,
    /// The output tokens of each model call: its messages may all have them.
    of_calls: HashMap<String, u64>,
    /// Those of the newest message without the id of its call.
    newest_unnamed: Option<u64>,
    /// The newest credits of the whole session, in billionths.
    credits: u64,
    /// Whether no message came after a checkpoint that reported them.
    are_credits_current: bool,
}

impl ShutdownTotals {
    /// The cost so far that a checkpoint reports, if it is more than what is known. A session that was
    /// not closed has no other.
    pub(super) fn checkpoint(&mut self, data: Json<'_>) -> Option<Said<'static>> {
        let credits = credits(data).filter(|credits| *credits > self.credits)?;
        (self.credits, self.are_credits_current) = (credits, true);
        let mut known = sum(&self.earlier);
        known.add(&sum(&self.newest));
        let tokens = TokensUsed { cost: Some(dollars(credits)), ..known.tokens() };
        Some(total(tokens, None, UsedScope::Session))
    }

    /// Adds the tokens of a message of the model call with that id.
    pub(super) fn add_message(&mut self, data: Json<'_>, id: Option<&str>) {
        self.are_credits_current = false;
        let mut output = data.get("outputTokens").and_then(Json::as_u64).unwrap_or(0);
        if let Some(id) = id {
            let known = self.of_calls.entry(id.to_owned()).or_default();
            let more = output.saturating_sub(*known);
            *known += more;
            output = more;
        } else if self.newest_unnamed.replace(output) == Some(output) {
            // It may be of the same call.
            output = 0;
        }
        self.output_since_reset = self.output_since_reset.saturating_add(output);
        self.output_since_totals = self.output_since_totals.saturating_add(output);
    }

    /// Whether totals began again: they are lower than earlier ones, lack a model of those, or do not
    /// even have the output of the messages.
    fn began_again(&self, totals: &BTreeMap<String, CopilotCounts>) -> bool {
        let names_any = totals.keys().any(|name| !name.is_empty());
        let lacks = |name: &String| !name.is_empty() && names_any && !totals.contains_key(name);
        let sums = sum(totals);
        let output = sums.0[OUTPUT].filter(|_| !self.newest.is_empty());
        let is_of_newest = output
            .is_some_and(|all| all < self.output_since_reset && all >= self.output_since_totals);
        self.newest.keys().any(lacks) || sums.is_below(&sum(&self.newest)) || is_of_newest
    }

    /// The events that report the totals after this shutdown: the total, then its part of each model
    /// if all models are known.
    pub(super) fn after(&mut self, shutdown: Json<'_>) -> Vec<Said<'static>> {
        let totals = totals(shutdown);
        if self.began_again(&totals) {
            self.output_since_reset = self.output_since_totals;
            self.lacks_credits |= self.newest.values().any(CopilotCounts::lacks_credits);
            for (name, counts) in std::mem::take(&mut self.newest) {
                self.earlier.entry(name).or_default().add(&counts);
            }
        }
        let mut all = self.earlier.clone();
        for (name, counts) in &totals {
            all.entry(name.clone()).or_default().add(counts);
        }
        if self.lacks_credits || totals.values().any(CopilotCounts::lacks_credits) {
            // The credits of a part are not the cost of the whole.
            all.values_mut().for_each(|counts| counts.0[CREDITS] = None);
        }
        self.newest = totals;
        self.output_since_totals = 0;
        let mut sums = sum(&all);
        if sums.0[CREDITS].is_none() && self.are_credits_current {
            // The line does not report its credits, but a checkpoint just before it did.
            sums.0[CREDITS] = Some(self.credits);
        }
        self.credits = sums.0[CREDITS].unwrap_or(self.credits);
        let only = all.keys().next().filter(|name| all.len() == 1 && !name.is_empty());
        let whole = total(sums.tokens(), only, UsedScope::Session);
        let has_parts = (2..=MODELS).contains(&all.len()) && !all.contains_key("");
        let parts = all.iter().filter(|_| has_parts);
        let parts =
            parts.map(|(model, counts)| total(counts.tokens(), Some(model), UsedScope::Model));
        [whole].into_iter().chain(parts).collect()
    }
}

/// What is reported of a total.
fn total(tokens: TokensUsed, model: Option<&String>, scope: UsedScope) -> Said<'static> {
    let of = ModelCall { model: model.cloned().map(Cow::Owned), id: None };
    Said::Used(Used { tokens, of, scope, ..Used::default() })
}

/// The totals on a line, by model.
fn totals(shutdown: Json<'_>) -> BTreeMap<String, CopilotCounts> {
    let mut totals: BTreeMap<String, CopilotCounts> = BTreeMap::new();
    for (model, metric) in shutdown.get("modelMetrics").into_iter().flat_map(Json::members) {
        let name = if is_placeholder(&model) { String::new() } else { model.into_owned() };
        let used = metric.present("usage").map(|usage| counts(usage, NAMES));
        let mut used = used.unwrap_or_default();
        used.0[CREDITS] = credits(metric);
        totals.entry(name).or_default().add(&used);
    }
    if let [only] = totals.values_mut().collect::<Vec<_>>().as_mut_slice() {
        only.0[CREDITS] = only.0[CREDITS].or(credits(shutdown));
    }
    let details = shutdown.present("tokenDetails");
    let sums = sum(&totals);
    let Some(details) = details.filter(|_| sums.0[..CREDITS].iter().all(Option::is_none)) else {
        return totals;
    };
    // Here, input excludes cached tokens.
    let count = |name: &str| details.get(name)?.get("tokenCount")?.as_u64();
    let names = ["input", "output", "cache_read", "cache_write"];
    let [input, output, read, written] = names.map(count);
    let model = totals.into_keys().collect::<Vec<_>>();
    let only = if let [only] = model.as_slice() { only.clone() } else { String::new() };
    let credits = sums.0[CREDITS].or(credits(shutdown));
    BTreeMap::from([(only, CopilotCounts([input, output, read, written, None, credits]))])
}

/// The credits in a part of a line, in billionths.
fn credits(part: Json<'_>) -> Option<u64> {
    part.get("totalNanoAiu").and_then(Json::as_u64).filter(|credits| *credits > 0)
}

/// The price in dollars of that number of billionths of a credit.
#[expect(clippy::cast_precision_loss, reason = "an amount of money")]
fn dollars(billionths: u64) -> f64 {
    billionths as f64 / 1e9 * CREDIT_USD
}

fn sum(totals: &BTreeMap<String, CopilotCounts>) -> CopilotCounts {
    let mut sum = CopilotCounts::default();
    totals.values().for_each(|counts| sum.add(counts));
    sum
}

/// Input without cached tokens, output, read from a cache, written to a cache, reasoning, and
/// billionths of a credit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CopilotCounts([Option<u64>; 6]);

/// The counts with those names. Their input includes cached tokens.
pub(super) fn counts(usage: Json<'_>, names: [&str; 5]) -> CopilotCounts {
    let mut counts = names.map(|name| usage.get(name).and_then(Json::as_u64));
    let cached = counts[2].unwrap_or(0).saturating_add(counts[3].unwrap_or(0));
    counts[0] = counts[0].map(|input| input.checked_sub(cached).unwrap_or(input));
    let [input, output, read, written, reasoning] = counts;
    CopilotCounts([input, output, read, written, reasoning, None])
}

impl CopilotCounts {
    /// Adds each count. Known plus unknown is known.
    pub(super) fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            if let Some(theirs) = theirs {
                *mine = Some(mine.unwrap_or(0).saturating_add(theirs));
            }
        }
    }

    /// Whether there are tokens whose credits are unknown.
    fn lacks_credits(&self) -> bool {
        let has_tokens = self.0[..CREDITS].iter().any(|count| count.unwrap_or(0) > 0);
        has_tokens && self.0[CREDITS].unwrap_or(0) == 0
    }

    /// Whether a count of tokens is below the earlier one.
    pub(super) fn is_below(&self, earlier: &Self) -> bool {
        let tokens = self.0.iter().zip(earlier.0).take(CREDITS);
        tokens.into_iter().any(|(now, then)| now.unwrap_or(0) < then.unwrap_or(0))
    }

    /// The counts with their cost; none if there are no tokens.
    pub(super) fn tokens(self) -> TokensUsed {
        let [counts @ .., credits] = self.0;
        let has_tokens = self.0[..CREDITS].iter().any(Option::is_some);
        let cost = credits.filter(|_| has_tokens).map(dollars);
        TokensUsed { cost, ..TokensUsed::of(counts) }
    }
}
