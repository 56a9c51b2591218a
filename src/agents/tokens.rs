//! The tokens and the cost that a source reports, and the event that records them.

use crate::event::draft::Draft;
use crate::event::fields::SEVERAL_CALLS;
use crate::json::{Json, ObjectText};

/// What one model call, or a whole session, used. `None` means that the source does not say it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct TokenCounts {
    /// Input tokens, without cached ones.
    pub input: Option<u64>,
    /// Output tokens.
    pub output: Option<u64>,
    /// Input tokens read from a cache.
    pub cache_read: Option<u64>,
    /// Input tokens written to a cache.
    pub cache_creation: Option<u64>,
    /// Output tokens spent on reasoning.
    pub reasoning: Option<u64>,
    /// Cost in dollars.
    pub cost: Option<f64>,
}

/// The model call that an `llm.usage` event reports.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ReportedModelCall<'s> {
    /// The model.
    pub model: Option<&'s str>,
    /// The response; of several events with one id, the last one counts.
    pub message_id: Option<&'s str>,
    /// What the figures are of.
    pub figures: ReportedFigures,
}

/// What the figures of an `llm.usage` event are of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ReportedFigures {
    /// One model call.
    #[default]
    Call,
    /// The sum of several calls. It does not tell the size of a context.
    Calls,
    /// The session so far.
    Session,
}

impl TokenCounts {
    /// Whether the source says nothing, or only zeros.
    pub(super) fn is_zero(&self) -> bool {
        let counts =
            [self.input, self.output, self.cache_read, self.cache_creation, self.reasoning];
        counts.iter().all(|count| count.unwrap_or(0) == 0) && self.cost.unwrap_or(0.0) == 0.0
    }

    /// Makes the input exclude cached tokens, for sources whose input includes them.
    pub(super) fn without_cached(self) -> Self {
        let cached = self.cache_read.unwrap_or(0).saturating_add(self.cache_creation.unwrap_or(0));
        Self { input: self.input.map(|input| input.saturating_sub(cached)), ..self }
    }

    /// The `llm.usage` event. `None` if the source says nothing, or only zeros.
    pub(super) fn event_if_any(&self, call: &ReportedModelCall<'_>) -> Option<Draft<'static>> {
        (!self.is_zero()).then(|| self.event(call))
    }

    /// The `llm.usage` event.
    pub(super) fn event(&self, call: &ReportedModelCall<'_>) -> Draft<'static> {
        let mut data = ObjectText::new();
        let counts = [
            ("input_tokens", self.input),
            ("output_tokens", self.output),
            ("cache_read_tokens", self.cache_read),
            ("cache_creation_tokens", self.cache_creation),
            ("reasoning_tokens", self.reasoning),
        ];
        for (name, count) in counts {
            if let Some(count) = count {
                data.plain(name, count);
            }
        }
        if let Some(cost) = self.cost {
            data.plain("cost_usd", cost);
        }
        data.text_if("model", call.model).text_if("message_id", call.message_id);
        data.text_if(
            "scope",
            match call.figures {
                ReportedFigures::Call => None,
                ReportedFigures::Calls => Some(SEVERAL_CALLS),
                ReportedFigures::Session => Some("session"),
            },
        );
        Draft::new("llm.usage", data)
    }
}

/// The number at a path.
pub(super) fn count(json: Json<'_>, path: &str) -> Option<u64> {
    json.path(path).and_then(Json::as_u64)
}
