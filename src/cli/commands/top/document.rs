//! The live runs for programs.

use serde::Serialize;

use crate::event::time::Timestamp;
use crate::history::facts::Total;
use crate::ops::top::TopRun;
use crate::run::document::TotalDocument;

/// The document.
#[derive(Serialize)]
pub(super) struct TopDocument<'t> {
    schema_version: u32,
    /// When the runs were read.
    at: Timestamp,
    runs: Vec<TopRunDocument<'t>>,
    /// The totals of the runs that have not ended.
    total: TotalDocument,
}

/// A run.
#[derive(Serialize)]
struct TopRunDocument<'t> {
    run_id: &'t str,
    name: &'t str,
    title: Option<String>,
    agent: Option<String>,
    status: &'static str,
    started_at: Option<Timestamp>,
    ended_at: Option<Timestamp>,
    last_event_at: Option<Timestamp>,
    /// The open call with the earliest start.
    current_call: Option<OpenCallDocument<'t>>,
    /// `null` if only the summary of an ended run was read.
    open_calls: Option<usize>,
    tool_calls: u64,
    tool_failures: u64,
    /// Input tokens without cached ones.
    input_tokens: Option<u64>,
    cache_read_tokens: Option<u64>,
    cache_creation_tokens: Option<u64>,
    /// All input tokens, with cached ones.
    all_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    /// Whether the output tokens are a lower bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    output_tokens_at_least: Option<bool>,
    cost_usd: Option<f64>,
    /// Whether a part of the cost is estimated by list prices.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_estimated: Option<bool>,
    last_error: Option<LastErrorDocument<'t>>,
}

#[derive(Serialize)]
struct OpenCallDocument<'t> {
    tool: &'t str,
    title: &'t str,
    started_at: Timestamp,
}

#[derive(Serialize)]
struct LastErrorDocument<'t> {
    at: Timestamp,
    message: &'t str,
}

impl<'t> TopDocument<'t> {
    /// The document of these runs.
    pub(super) fn of(runs: &'t [TopRun], at: Timestamp) -> Self {
        let live = runs.iter().filter(|run| !run.facts.status.is_over());
        let total = Total::sum(live.map(|run| &run.facts));
        let runs = runs.iter().map(TopRunDocument::of).collect();
        Self { schema_version: 1, at, runs, total: TotalDocument::from(&total) }
    }
}

impl<'t> TopRunDocument<'t> {
    fn of(run: &'t TopRun) -> Self {
        let (facts, usage) = (&run.facts, &run.facts.counts.usage);
        Self {
            run_id: &facts.run_id,
            name: &run.name,
            title: facts.title(),
            agent: facts.metadata("agent"),
            status: facts.status.name(),
            started_at: facts.began_at(),
            ended_at: facts.ended_at,
            last_event_at: run.last_event,
            current_call: run.current.as_ref().map(|call| OpenCallDocument {
                tool: &call.tool,
                title: &call.title,
                started_at: call.since,
            }),
            open_calls: run.open_calls,
            tool_calls: facts.counts.tool_calls,
            tool_failures: facts.counts.tool_failures,
            input_tokens: usage.input_tokens,
            cache_read_tokens: usage.cache_read_tokens,
            cache_creation_tokens: usage.cache_creation_tokens,
            all_input_tokens: usage.context_tokens(),
            output_tokens: usage.output_tokens,
            output_tokens_at_least: usage.output_at_least.then_some(true),
            cost_usd: usage.cost_usd(),
            cost_estimated: usage.estimated_micros.is_some().then_some(true),
            last_error: run
                .last_error
                .as_ref()
                .map(|error| LastErrorDocument { at: error.time, message: &error.text }),
        }
    }
}
