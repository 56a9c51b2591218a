//! The overview of a run: events, duration, cost, failures.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use crate::event::catalogue::{self, Class};
use crate::event::fields::View;
use crate::event::templates::Templates;
use crate::history::calls::CallStatus;
use crate::history::facts::RunFacts;
use crate::history::state::RunState;
use crate::log::reader::Line;
use crate::run::derive::{DerivedFold, Records};
use crate::run::document::{CostEstimate, RunDocument};
use crate::summary::backfill::backfilled;
use crate::summary::prices::Prices;
use crate::summary::spending::{Spending, Spent};

/// The events of one type and their summaries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct TypeCount {
    /// Events.
    pub count: u64,
    /// `template`, `llm` or `none`.
    pub class: &'static str,
    /// Events with an effective summary.
    pub summarized: u64,
    /// Events that need a summary.
    pub pending: u64,
}

/// One tool's calls.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct ToolCount {
    /// The tool's name.
    pub name: String,
    /// Distinct calls.
    pub calls: u64,
    /// Failed ones.
    pub failures: u64,
    /// Blocked ones.
    pub blocked: u64,
    /// Total milliseconds of the calls with a known duration; null if there is none.
    pub duration_ms: Option<u64>,
}

/// Folds the events of a run into its overview.
#[derive(Debug)]
pub(crate) struct Overview {
    /// The state of the run and its last line.
    pub fold: DerivedFold,
    /// Tokens over time and estimated cost.
    pub spending: Spending,
    templates: &'static Templates,
    types: BTreeMap<String, TypeCount>,
    /// The types of events without their own summary, by event id.
    wanting: HashMap<String, String>,
}

impl Overview {
    /// An empty overview. `templates` define the classes of types.
    #[must_use]
    pub(crate) fn new(templates: &'static Templates, prices: &'static Prices) -> Self {
        Self {
            fold: DerivedFold::default(),
            spending: Spending::new(prices),
            templates,
            types: BTreeMap::new(),
            wanting: HashMap::new(),
        }
    }

    /// The state of the run.
    #[must_use]
    pub(crate) fn state(&self) -> &RunState {
        &self.fold.state
    }

    /// The facts of the run, with the cost by the user's prices if there are any.
    #[must_use]
    pub(crate) fn facts(&self) -> RunFacts {
        let mut facts = self.state().facts();
        facts.counts.usage = self.spending.priced(facts.counts.usage);
        facts
    }

    /// Takes the event on a line. `records` then holds its records.
    pub(crate) fn observe(&mut self, view: &View<'_, '_>, line: &Line<'_>, records: &mut Records) {
        self.fold.observe(view, line, records);
        self.spending.observe(view);
        let event = view.event;
        let class = self.templates.class(&event.kind);
        if !self.types.contains_key(event.kind.as_ref()) {
            self.types.insert(event.kind.clone().into_owned(), TypeCount::default());
        }
        let Some(entry) = self.types.get_mut(event.kind.as_ref()) else { return };
        entry.count += 1;
        entry.class = class.name();
        // An unknown type may have a summary by a template that is not loaded now.
        let pending = class != Class::None;
        if event.summary.is_some() {
            entry.summarized += 1;
        } else if pending || catalogue::row(&event.kind).is_none() {
            entry.pending += u64::from(pending);
            self.wanting
                .insert(event.event_id.clone().into_owned(), event.kind.clone().into_owned());
        }
        if let Some((target, _)) = backfilled(view)
            && let Some(kind) = self.wanting.remove(&target)
            && let Some(entry) = self.types.get_mut(&kind)
        {
            entry.pending = entry.pending.saturating_sub(1);
            entry.summarized += 1;
        }
    }

    /// The counts by type.
    #[must_use]
    pub(crate) fn types(&self) -> &BTreeMap<String, TypeCount> {
        &self.types
    }

    /// The calls by tool, most calls first.
    #[must_use]
    pub(crate) fn tools(&self) -> Vec<ToolCount> {
        tool_counts(self.state())
    }

    /// Calls without an end.
    #[must_use]
    pub(crate) fn open_calls(&self) -> u64 {
        let ended = self.state().status().is_over();
        let open = |status: &CallStatus| *status == CallStatus::Open;
        self.state().calls.statuses(ended).filter(open).count() as u64
    }

    /// Events that need a summary.
    #[must_use]
    pub(crate) fn pending(&self) -> u64 {
        self.types.values().map(|kind| kind.pending).sum()
    }

    /// The document for programs; `chapters` is the data of each chapter as JSON text.
    #[must_use]
    pub(crate) fn document(
        &self,
        path: &str,
        chapters: Vec<Box<serde_json::value::RawValue>>,
    ) -> OverviewDocument {
        let facts = self.facts();
        let run = RunDocument::new(&facts, self.fold.head());
        let run = if self.spending.has_own_prices() { run.by_own_prices() } else { run };
        let spent = self.spending.by_agent();
        OverviewDocument {
            run,
            path: path.to_owned(),
            events_by_type: self.types.clone(),
            tools: self.tools(),
            usage: spent.into_iter().map(SpentDocument::from).collect(),
            chapters,
            open_calls: self.open_calls(),
            estimated_cost_usd: self.spending.estimated().map(|micros| micros as f64 / 1e6),
        }
    }
}

/// The calls by tool, most calls first.
#[must_use]
pub(crate) fn tool_counts(state: &RunState) -> Vec<ToolCount> {
    let mut tools: BTreeMap<&str, ToolCount> = BTreeMap::new();
    let ended = state.status().is_over();
    for (at, call) in state.calls.iter().enumerate() {
        let name = state.calls.tool(at);
        let tool = tools.entry(name).or_default();
        name.clone_into(&mut tool.name);
        tool.calls += 1;
        match state.calls.status(at, ended) {
            CallStatus::Failed => tool.failures += 1,
            CallStatus::Blocked => tool.blocked += 1,
            CallStatus::Open | CallStatus::Completed => {}
        }
        if let Some(duration) = call.duration_ms {
            tool.duration_ms = Some(tool.duration_ms.unwrap_or(0).saturating_add(duration));
        }
    }
    let mut tools: Vec<ToolCount> = tools.into_values().collect();
    tools.sort_by(|one, other| other.calls.cmp(&one.calls).then_with(|| one.name.cmp(&other.name)));
    tools
}

/// `summarize --format json`, one run.
#[derive(Debug, Serialize)]
pub(crate) struct OverviewDocument {
    #[serde(flatten)]
    run: RunDocument,
    path: String,
    events_by_type: BTreeMap<String, TypeCount>,
    tools: Vec<ToolCount>,
    usage: Vec<SpentDocument>,
    chapters: Vec<Box<serde_json::value::RawValue>>,
    /// Calls without an end.
    open_calls: u64,
    /// Estimated cost of the calls that report none; null without prices.
    estimated_cost_usd: Option<f64>,
}

/// The usage of one agent with one model.
#[derive(Debug, Serialize)]
struct SpentDocument {
    agent: String,
    model: Option<String>,
    calls: u64,
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_read_tokens: Option<u64>,
    cache_creation_tokens: Option<u64>,
    cost_usd: Option<f64>,
    #[serde(flatten)]
    estimate: CostEstimate,
}

impl From<Spent> for SpentDocument {
    fn from(Spent { agent, model, calls, usage }: Spent) -> Self {
        Self {
            agent,
            model,
            calls,
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            cache_read_tokens: usage.cache_read_tokens,
            cache_creation_tokens: usage.cache_creation_tokens,
            cost_usd: usage.cost_usd(),
            estimate: CostEstimate::of(&usage),
        }
    }
}
