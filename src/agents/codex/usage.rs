//! Token counts. The source repeats cumulative totals; some restart from zero.

use std::borrow::Cow;

use crate::agents::said::{ModelCall, TokensUsed, Used, UsedScope};
use crate::json::Json;

/// Token counts as the source reports them. Input includes cached tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct RolloutCounts([Option<u64>; 5]);

/// What the price of a model call depends on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PricedCall<'c> {
    /// The model.
    pub(super) model: Option<&'c str>,
    /// The tier of service, if the client chose one.
    pub(super) tier: Option<&'c str>,
}

/// The names of the counts in the source.
const NAMES: [&str; 5] = [
    "input_tokens",
    "cached_input_tokens",
    "cache_write_input_tokens",
    "output_tokens",
    "reasoning_output_tokens",
];

/// The newest total of a session.
#[derive(Debug, Default)]
pub(super) struct Totals {
    newest: Option<RolloutCounts>,
    /// The number of the line from which the thread goes on, if it was taken back.
    base: Option<u64>,
    /// How often the totals began at zero again.
    restarts: u32,
    /// Whether the newest report had a total.
    is_total_known: bool,
    /// Whether records of single responses came after the newest total. Then it tells nothing new.
    has_records: bool,
    /// What a total told that had no record. The record may follow.
    unrecorded: Option<RolloutCounts>,
}

impl Totals {
    /// The usage since the previous report. `last` is the usage of the newest model call, if the
    /// source reports it.
    pub(super) fn take(
        &mut self,
        total: Option<Json<'_>>,
        last: Option<Json<'_>>,
        call: PricedCall<'_>,
    ) -> Option<Used<'static>> {
        let last = last.and_then(RolloutCounts::of);
        let total = total.and_then(RolloutCounts::of);
        self.is_total_known = total.is_some();
        let Some(total) = total else {
            return last?.used(call);
        };
        let before = self.newest.replace(total);
        let is_recorded = std::mem::take(&mut self.has_records);
        if before == Some(total) || is_recorded {
            return None;
        }
        let since = before.and_then(|before| total.since(before));
        let restarted = last == Some(total);
        self.restarts += u32::from(before.is_some() && (restarted || since.is_none()));
        let fresh = since.filter(|_| !restarted).or(last).unwrap_or(total);
        self.unrecorded = Some(fresh);
        fresh.used(call)
    }

    /// The usage of one response, of a record. The totals leave out some, for example those of
    /// compactions.
    pub(super) fn take_record(
        &mut self,
        record: Json<'_>,
        call: PricedCall<'_>,
    ) -> Option<Used<'static>> {
        let usage = record.present("usage").and_then(RolloutCounts::of)?;
        if self.unrecorded.take().is_some_and(|told| told.is_same(usage)) {
            return None;
        }
        self.has_records = true;
        // The record has an id of its own.
        self.is_total_known = false;
        let id = record.text_at("response_id").map(|id| id.into_owned().into());
        let used = usage.used(call)?;
        Some(Used { of: ModelCall { id, ..used.of }, ..used })
    }

    /// Those of a thread that goes on from the line with this number.
    pub(super) fn from(base: Option<u64>) -> Self {
        Self { base, ..Self::default() }
    }

    /// Whether [`Self::place`] names the newest report alone.
    pub(super) fn is_total_known(&self) -> bool {
        self.is_total_known
    }

    /// The tokens so far, as the place in the history of a session.
    pub(super) fn place(&self) -> String {
        let counts = self.newest.unwrap_or_default().0.map(Option::unwrap_or_default);
        let counts = counts.map(|count| count.to_string()).join(".");
        match self.base {
            None => format!("{}.{counts}", self.restarts),
            Some(base) => format!("{base}~{}.{counts}", self.restarts),
        }
    }
}

/// The total of a session so far. `None` if all counts are zero.
pub(super) fn total(usage: Json<'_>, call: PricedCall<'_>) -> Option<Used<'static>> {
    let used = RolloutCounts::of(usage)?.used(call)?;
    Some(Used { scope: UsedScope::Session, ..used })
}

impl RolloutCounts {
    fn of(usage: Json<'_>) -> Option<Self> {
        let counts = NAMES.map(|name| usage.get(name).and_then(Json::as_u64));
        counts.iter().any(Option::is_some).then_some(Self(counts))
    }

    /// Whether the counts are equal. One that is missing is 0.
    fn is_same(self, other: Self) -> bool {
        self.0.map(Option::unwrap_or_default) == other.0.map(Option::unwrap_or_default)
    }

    /// The difference to an earlier total; `None` if a count went back.
    fn since(self, before: Self) -> Option<Self> {
        let mut since = self;
        for (count, before) in since.0.iter_mut().zip(before.0) {
            if let Some(before) = before {
                *count = Some(count.unwrap_or(0).checked_sub(before)?);
            }
        }
        Some(since)
    }

    /// What was used, with input that excludes cached tokens. `None` if all counts are zero.
    fn used(self, call: PricedCall<'_>) -> Option<Used<'static>> {
        let [input, cache_read, cache_creation, output, reasoning] = self.0;
        let tokens = TokensUsed::of([input, output, cache_read, cache_creation, reasoning]);
        if tokens.is_zero() {
            return None;
        }
        let own = |text: &str| Cow::Owned(text.to_owned());
        let of = ModelCall { model: call.model.map(own), id: None };
        let priced_by = call.tier.map(|tier| ("service_tier", own(tier))).into_iter().collect();
        Some(Used { tokens: tokens.without_cached(), of, priced_by, ..Used::default() })
    }
}
