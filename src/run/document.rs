//! `run.json`: the document with the state of a run.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::event::time::Timestamp;
use crate::history::facts::{Counts, Deliverables, RunFacts, Total};
use crate::history::models;
use crate::history::status::Status;
use crate::history::usage::Usage;
use crate::json::{self, Json, JsonRules, Members};

/// Version of the written documents.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// The last line that the state covers.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub(crate) struct Head {
    /// The event's sequence.
    pub sequence: u64,
    /// Lower-case hex SHA-256 of the line without its newline.
    pub hash: String,
    /// Offset of the end of the line, including its newline.
    pub bytes: u64,
}

/// The state of a run: `run.json`.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct RunDocument {
    /// The version of this format.
    schema_version: u32,
    /// The run's id.
    run_id: String,
    /// The id of the session, as the agent gave it.
    session_id: String,
    /// The id of the task.
    task_id: String,
    /// The status.
    #[schemars(extend("enum" = Status::ALL.map(Status::name)))]
    status: &'static str,
    /// When the run was created.
    #[schemars(extend("format" = "date-time"))]
    created_at: Option<String>,
    /// When recording began.
    #[schemars(extend("format" = "date-time"))]
    recorded_at: Option<String>,
    /// Whether the run was imported.
    #[serde(skip_serializing_if = "is_false")]
    imported: bool,
    /// When the work began.
    #[schemars(extend("format" = "date-time"))]
    started_at: Option<String>,
    /// When the work ended.
    #[schemars(extend("format" = "date-time"))]
    ended_at: Option<String>,
    /// From the begin to the end of the work, in milliseconds.
    duration_ms: Option<u64>,
    /// The error with which the run ended.
    #[schemars(with = "Option<serde_json::Value>")]
    error: Option<Box<RawValue>>,
    /// What the run has to deliver.
    deliverables: DeliverablesDocument,
    /// The agent, its version, the model, the directory and other facts, as they were recorded.
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    metadata: Box<RawValue>,
    /// The models that answered, the one with the most tokens first.
    models: Vec<String>,
    /// The first prompt, shortened.
    prompt: Option<String>,
    /// What identifies the first prompt and the first model call of a source: hashes. Runs that have one in
    /// common may share more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    first_message: Vec<String>,
    /// Sums over the events.
    counts: CountsDocument,
    /// The last event that these figures cover.
    #[serde(skip_serializing_if = "Option::is_none")]
    head: Option<Head>,
}

/// What a run has to deliver.
#[derive(Debug, JsonSchema, Serialize)]
struct DeliverablesDocument {
    /// The required deliverables: paths or patterns, each with its conditions.
    required: Vec<String>,
    /// The newest recorded verdict.
    status: Option<String>,
    /// The deliverables that were missing then.
    missing: Vec<String>,
}

/// Sums over the events of a run. A number that no event reported is null.
#[derive(Debug, JsonSchema, Serialize)]
struct CountsDocument {
    /// Number of events.
    events: u64,
    /// Number of prompts by the user.
    prompts: u64,
    /// Number of tool calls, including blocked ones.
    tool_calls: u64,
    /// Number of tool calls that failed.
    tool_failures: u64,
    /// Number of errors.
    errors: u64,
    /// Number of events with severity warning.
    warnings: u64,
    /// Input tokens without cached ones.
    input_tokens: Option<u64>,
    /// Output tokens.
    output_tokens: Option<u64>,
    /// Whether the output tokens are a lower bound.
    #[serde(skip_serializing_if = "is_false")]
    output_tokens_at_least: bool,
    /// Input tokens read from a cache.
    cache_read_tokens: Option<u64>,
    /// Input tokens written to a cache.
    cache_creation_tokens: Option<u64>,
    /// The cost in dollars.
    cost_usd: Option<f64>,
    #[serde(flatten)]
    estimate: CostEstimate,
    /// Number of model calls whose cost is unknown.
    uncosted_calls: u64,
}

/// Numbers of pieces of work, as JSON.
#[derive(Debug, JsonSchema, Serialize)]
struct WorkDocument {
    /// Number of prompts by the user.
    prompts: u64,
    /// Number of tool calls, including blocked ones.
    tool_calls: u64,
    /// Number of tool calls that failed.
    tool_failures: u64,
    /// Number of errors.
    errors: u64,
    /// Input tokens without cached ones.
    input_tokens: Option<u64>,
    /// Output tokens.
    output_tokens: Option<u64>,
    /// Whether the output tokens are a lower bound.
    #[serde(skip_serializing_if = "is_false")]
    output_tokens_at_least: bool,
    /// Input tokens read from a cache.
    cache_read_tokens: Option<u64>,
    /// Input tokens written to a cache.
    cache_creation_tokens: Option<u64>,
    /// The cost in dollars.
    cost_usd: Option<f64>,
    #[serde(flatten)]
    estimate: CostEstimate,
}

/// What is said of a cost that is estimated in whole or in part.
#[derive(Clone, Copy, Debug, Default, JsonSchema, Serialize)]
pub(crate) struct CostEstimate {
    /// Whether the cost is estimated in whole or in part.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_estimated: Option<bool>,
    /// The month of the list prices.
    #[serde(skip_serializing_if = "Option::is_none")]
    prices_as_of: Option<&'static str>,
}

impl CostEstimate {
    /// Nothing, if the cost is not estimated.
    #[must_use]
    pub(crate) fn of(usage: &Usage) -> Self {
        let is_estimated = usage.estimated_micros.is_some();
        Self {
            cost_estimated: is_estimated.then_some(true),
            prices_as_of: is_estimated.then_some(models::AS_OF),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

impl From<&Counts> for WorkDocument {
    fn from(counts: &Counts) -> Self {
        let usage = &counts.usage;
        Self {
            prompts: counts.prompts,
            tool_calls: counts.tool_calls,
            tool_failures: counts.tool_failures,
            errors: counts.errors,
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            output_tokens_at_least: usage.output_at_least,
            cache_read_tokens: usage.cache_read_tokens,
            cache_creation_tokens: usage.cache_creation_tokens,
            cost_usd: usage.cost_usd(),
            estimate: CostEstimate::of(usage),
        }
    }
}

impl WorkDocument {
    /// The same; what is unknown is zero.
    fn known(self) -> Self {
        let zero = |tokens: Option<u64>| tokens.or(Some(0));
        Self {
            input_tokens: zero(self.input_tokens),
            output_tokens: zero(self.output_tokens),
            cache_read_tokens: zero(self.cache_read_tokens),
            cache_creation_tokens: zero(self.cache_creation_tokens),
            cost_usd: self.cost_usd.or(Some(0.0)),
            ..self
        }
    }
}

impl CountsDocument {
    fn of(counts: &Counts) -> Self {
        let usage = &counts.usage;
        Self {
            events: counts.events,
            prompts: counts.prompts,
            tool_calls: counts.tool_calls,
            tool_failures: counts.tool_failures,
            errors: counts.errors,
            warnings: counts.warnings,
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            output_tokens_at_least: usage.output_at_least,
            cache_read_tokens: usage.cache_read_tokens,
            cache_creation_tokens: usage.cache_creation_tokens,
            cost_usd: usage.cost_usd(),
            estimate: CostEstimate::of(usage),
            uncosted_calls: usage.uncosted_calls,
        }
    }
}

/// The totals of several runs, as JSON.
#[derive(Debug, Serialize)]
pub(crate) struct TotalDocument {
    runs: u64,
    #[serde(flatten)]
    work: WorkDocument,
    /// What was left out because another of the runs has it too.
    copied: WorkDocument,
}

impl From<&Total> for TotalDocument {
    fn from(total: &Total) -> Self {
        let (work, copied) = (&total.counts, &total.copied);
        let copied = WorkDocument::from(copied).known();
        Self { runs: total.runs, work: work.into(), copied }
    }
}

impl RunDocument {
    /// The same without the date of the list prices, which the user's own prices replace.
    #[must_use]
    pub(crate) fn by_own_prices(mut self) -> Self {
        self.counts.estimate.prices_as_of = None;
        self
    }

    /// The document of a run whose last line is `head`.
    #[must_use]
    pub(crate) fn new(facts: &RunFacts, head: Option<Head>) -> Self {
        let raw = |text: &str| RawValue::from_string(text.to_owned()).ok();
        let time = |moment: Option<Timestamp>| moment.map(|moment| moment.to_string());
        Self {
            schema_version: SCHEMA_VERSION,
            run_id: facts.run_id.clone(),
            session_id: facts.session_id.clone(),
            task_id: facts.task_id.clone(),
            status: facts.status.name(),
            created_at: time(facts.created_at),
            recorded_at: time(facts.recorded_at),
            imported: facts.is_imported,
            started_at: time(facts.started_at),
            ended_at: time(facts.ended_at),
            duration_ms: facts.duration_ms,
            error: facts.error.as_deref().and_then(raw),
            deliverables: DeliverablesDocument {
                required: facts.deliverables.required.clone(),
                status: facts.deliverables.status.clone(),
                missing: facts.deliverables.missing.clone(),
            },
            metadata: raw(&facts.metadata).unwrap_or_default(),
            models: facts.models.clone(),
            prompt: facts.prompt.clone(),
            first_message: facts.first_message.clone(),
            counts: CountsDocument::of(&facts.counts),
            head,
        }
    }

    /// The content of the file.
    #[must_use]
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        json::document(self).into_bytes()
    }
}

/// The head in a `run.json`; `None` if the bytes are not such a document.
#[must_use]
pub(crate) fn stored_head(bytes: &[u8]) -> Option<Head> {
    let head = json::check(bytes, JsonRules::STRICT).ok()?.present("head")?;
    Some(Head {
        sequence: head.get("sequence").and_then(Json::as_u64)?,
        hash: head.text_at("hash")?.into_owned(),
        bytes: head.get("bytes").and_then(Json::as_u64)?,
    })
}

/// The facts in a `run.json`; `None` if the bytes are not such a document. Fields that an older
/// version did not write are unknown.
#[must_use]
pub(crate) fn stored_facts(bytes: &[u8]) -> Option<RunFacts> {
    let json = json::check(bytes, JsonRules::STRICT).ok().filter(|json| json.is_object())?;
    let whole = Members::of(json);
    let part = |name: &str| Members::of(whole.get(name).unwrap_or(Json::NULL));
    let (counts, deliverables) = (part("counts"), part("deliverables"));
    let text = |name: &str| text_in(&whole, name);
    let number = |name: &str| counts.get(name).and_then(Json::as_u64);
    let is_set =
        |part: &Members<'_>, name: &str| part.get(name).and_then(Json::as_bool) == Some(true);
    let time = |name: &str| Timestamp::parse(&text(name)?);
    let cost = counts.get("cost_usd").and_then(Json::as_f64);
    let cost_micros = cost.map(|dollars| (dollars * 1e6).round() as i64);
    let raw = |name: &str| whole.present(name).map(|value| value.compact().into_owned());
    Some(RunFacts {
        run_id: text("run_id").unwrap_or_default(),
        session_id: text("session_id").unwrap_or_default(),
        task_id: text("task_id").unwrap_or_default(),
        status: Status::parse(&text("status")?)?,
        created_at: time("created_at"),
        recorded_at: time("recorded_at"),
        is_imported: is_set(&whole, "imported"),
        started_at: time("started_at"),
        ended_at: time("ended_at"),
        duration_ms: whole.get("duration_ms").and_then(Json::as_u64),
        error: raw("error"),
        reason: None,
        deliverables: Deliverables {
            required: list_in(&deliverables, "required"),
            status: text_in(&deliverables, "status"),
            missing: list_in(&deliverables, "missing"),
        },
        metadata: raw("metadata").unwrap_or_else(|| "{}".to_owned()),
        models: list_in(&whole, "models"),
        prompt: text("prompt"),
        counts: Counts {
            events: number("events").unwrap_or(0),
            prompts: number("prompts").unwrap_or(0),
            tool_calls: number("tool_calls").unwrap_or(0),
            tool_failures: number("tool_failures").unwrap_or(0),
            errors: number("errors").unwrap_or(0),
            warnings: number("warnings").unwrap_or(0),
            usage: Usage {
                input_tokens: number("input_tokens"),
                output_tokens: number("output_tokens"),
                output_at_least: is_set(&counts, "output_tokens_at_least"),
                cache_read_tokens: number("cache_read_tokens"),
                cache_creation_tokens: number("cache_creation_tokens"),
                cost_micros,
                // The document does not say which part it is.
                estimated_micros: cost_micros.filter(|_| is_set(&counts, "cost_estimated")),
                uncosted_calls: number("uncosted_calls").unwrap_or(0),
            },
        },
        first_message: list_in(&whole, "first_message"),
    })
}

/// The string with that name.
fn text_in(part: &Members<'_>, name: &str) -> Option<String> {
    let value = part.get(name).filter(|value| value.kind() == json::Kind::String)?;
    value.as_str().map(std::borrow::Cow::into_owned)
}

/// The strings in the list with that name.
fn list_in(part: &Members<'_>, name: &str) -> Vec<String> {
    let items = part.get(name).into_iter().flat_map(Json::items);
    items.filter_map(Json::as_str).map(std::borrow::Cow::into_owned).collect()
}
