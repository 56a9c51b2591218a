//! The token counts of Copilot CLI.

use std::borrow::Cow;

use crate::event::draft::Draft;
use crate::event::fields::is_placeholder;
use crate::json::{Json, ObjectText};

/// The names of the token counts in `usage`, in the order of [`CopilotCounts`].
pub(super) const NAMES: [&str; 5] =
    ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens"];

/// The usage of one model call.
pub(super) fn usage(data: Json<'_>, id: Option<&str>) -> Option<Draft<'static>> {
    let model = data.text_at("model").filter(|model| !is_placeholder(model));
    counts(data, NAMES).finish(model.as_deref(), id)
}

/// The totals at the end of a session.
pub(super) fn total(shutdown: Json<'_>) -> CopilotCounts {
    let mut total = CopilotCounts::default();
    for (_, metric) in shutdown.get("modelMetrics").into_iter().flat_map(Json::members) {
        if let Some(usage) = metric.present("usage") {
            total.add(&counts(usage, NAMES));
        }
    }
    let details = shutdown.present("tokenDetails").filter(|_| total == CopilotCounts::default());
    let Some(details) = details else { return total };
    // Here, input excludes cached tokens.
    let count = |name: &str| details.get(name)?.get("tokenCount")?.as_u64();
    CopilotCounts([
        count("input"),
        count("output"),
        count("cache_read"),
        count("cache_write"),
        None,
    ])
}

/// The model of all the totals at the end of a session, if it is only one.
pub(super) fn only_model(shutdown: Json<'_>) -> Option<Cow<'_, str>> {
    let mut metrics = shutdown.get("modelMetrics")?.members();
    let (model, _) = metrics.next()?;
    (metrics.next().is_none() && !is_placeholder(&model)).then_some(model)
}

/// Whether the totals at the end of a session have a model. Without any model, it is not known.
pub(super) fn has_model(shutdown: Json<'_>, model: &str) -> bool {
    let mut metrics = shutdown.get("modelMetrics").into_iter().flat_map(Json::members).peekable();
    metrics.peek().is_none() || metrics.any(|(name, _)| name == model)
}

/// Input without cached tokens, output, read from a cache, written to a cache, reasoning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CopilotCounts([Option<u64>; 5]);

/// The counts with those names. Their input includes cached tokens.
pub(super) fn counts(usage: Json<'_>, names: [&str; 5]) -> CopilotCounts {
    let mut counts = names.map(|name| usage.get(name).and_then(Json::as_u64));
    let cached = counts[2].unwrap_or(0).saturating_add(counts[3].unwrap_or(0));
    counts[0] = counts[0].map(|input| input.checked_sub(cached).unwrap_or(input));
    CopilotCounts(counts)
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

    /// Whether a count is below the earlier one.
    pub(super) fn is_below(&self, earlier: &Self) -> bool {
        self.0.iter().zip(earlier.0).any(|(now, then)| now.unwrap_or(0) < then.unwrap_or(0))
    }

    /// The event; `None` without any count.
    pub(super) fn finish(self, model: Option<&str>, id: Option<&str>) -> Option<Draft<'static>> {
        const OURS: [&str; 5] = [
            "input_tokens",
            "output_tokens",
            "cache_read_tokens",
            "cache_creation_tokens",
            "reasoning_tokens",
        ];
        let mut data = ObjectText::new();
        for (name, count) in OURS.iter().zip(self.0) {
            if let Some(count) = count {
                data.plain(name, count);
            }
        }
        if data.is_empty() {
            return None;
        }
        data.text_if("model", model).text_if("message_id", id);
        Some(Draft::new("llm.usage", data))
    }
}
