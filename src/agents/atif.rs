//! ATIF, the Agent Trajectory Interchange Format, 1.0 to 1.8: one JSON document with `steps`.
//!
//! A step holds calls and their results. Its `prompt_tokens` include cached tokens. Steps with
//! `is_copied_context` repeat an earlier trajectory. They are shown, but their calls, tokens and
//! prompts belong to that trajectory.

use std::borrow::Cow;
use std::collections::HashMap;

use super::source::{EndedCall, StartedCall, call_blocked, call_end, event, of_agent, text_event};
use super::tokens::{ReportedFigures, ReportedModelCall, TokenCounts, count};
use super::{AdaptedLine, Adapter, SourcePart, SourceText};
use crate::event::draft::Draft;
use crate::event::fields::{as_text, is_placeholder};
use crate::event::time::Timestamp;
use crate::json::Json;

/// The fields that show that a document is of ATIF.
pub(super) fn sign(document: Json<'_>) -> Option<&'static str> {
    let version = document.text_at("schema_version");
    if version.is_some_and(|version| version.starts_with("ATIF")) {
        return Some("schema_version ATIF");
    }
    let step = document.get("steps")?.items().next()?;
    (step.get("step_id").is_some() && step.get("source").is_some()).then_some("steps with step_id")
}

/// The versions 1.0 to 1.8 are known.
pub(super) fn unknown_version(line: Json<'_>) -> Option<String> {
    let version = line.text_at("schema_version")?;
    let known = version.strip_prefix("ATIF-v1.").and_then(|minor| minor.parse::<u32>().ok());
    known.is_none_or(|minor| minor > 8).then(|| version.into_owned())
}

/// The session of a line that is a trajectory of its own.
pub(super) fn whole_session(line: Json<'_>) -> Option<String> {
    line.text_at("schema_version").filter(|version| version.starts_with("ATIF"))?;
    line.get("steps")?;
    session_of(line)
}

/// The session of a trajectory, if it is known. Some converters write `unknown`.
fn session_of(document: Json<'_>) -> Option<String> {
    let ids = ["session_id", "trajectory_id"].iter().filter_map(|name| document.text_at(name));
    let mut ids = ids.filter(|id| !is_placeholder(id) && id != "unknown");
    ids.next().map(Cow::into_owned)
}

/// A new adapter.
pub(super) fn adapter() -> Box<dyn Adapter> {
    Box::new(Atif::default())
}

/// What shows that a call failed: in its result, and in a step with one call.
const FAILED: &[&str] = &[
    "is_error",
    "extra.is_error",
    "extra.tool_result_is_error",
    "extra.tool_result_metadata.is_error",
];
const FAILED_STEP: &[&str] = &["extra.tool_result_is_error", "extra.metadata.is_error"];

#[derive(Default)]
struct Atif {
    session_id: Option<String>,
    /// The model of steps that name none.
    model: Option<String>,
    /// The sum of what the steps reported.
    reported: TokenCounts,
    /// The sum of what the trajectories of spawned agents reported, if they came before the totals.
    nested: TokenCounts,
    /// Whether it is the trajectory of a spawned agent. All its steps are that agent's.
    is_nested: bool,
    /// The totals, as JSON, if they came before the steps.
    early_totals: Option<String>,
    /// Whether a step of the document was read.
    has_steps: bool,
    /// The newest call with each id: the id in its events, and the tool.
    named: HashMap<String, (String, String)>,
    /// The calls that spawned agents, by the agents' ids.
    spawned: HashMap<String, String>,
}

impl Adapter for Atif {
    fn read(&mut self, source: &SourceText<'_>) -> AdaptedLine {
        let json = source.json;
        if json.get("steps").is_some() {
            return self.nested(source);
        }
        if json.get("step_id").is_some() || source.part == SourcePart::Item {
            return self.step(source);
        }
        let drafts = self.document(json);
        AdaptedLine {
            source_type: "document".to_owned(),
            session_id: self.session_id.clone(),
            drafts,
            ..AdaptedLine::default()
        }
    }

    /// Totals that came before the steps say what these leave out.
    fn end(&mut self, _: &SourceText<'_>) -> AdaptedLine {
        let totals = self.early_totals.take();
        let drafts = totals.and_then(|totals| self.totals(Json::trusted(&totals)));
        let drafts = drafts.into_iter().collect();
        let source_type = "document".to_owned();
        AdaptedLine {
            source_type,
            session_id: self.session_id.clone(),
            drafts,
            ..AdaptedLine::default()
        }
    }
}

impl Atif {
    /// Members besides the steps.
    fn document(&mut self, json: Json<'_>) -> Vec<Draft<'static>> {
        let mut drafts = Vec::new();
        let begins = ["schema_version", "session_id", "agent"];
        if begins.iter().any(|name| json.get(name).is_some()) {
            // A key order with `agent` after the steps continues the same document.
            if !self.has_steps || json.get("schema_version").is_some() {
                *self = Self { spawned: std::mem::take(&mut self.spawned), ..Self::default() };
            }
            let text = |path: &str| json.text_at(path).map(Cow::into_owned);
            self.session_id = session_of(json);
            self.model = text("agent.model_name");
            drafts.push(event("config.loaded", |data| {
                data.text_if("agent", text("agent.name").as_deref());
                data.text_if("agent_version", text("agent.version").as_deref());
                data.text_if("model", self.model.as_deref());
                let first = |names: [&str; 2]| {
                    let value = names.iter().find_map(|name| json.path(name))?;
                    value.as_str().or_else(|| value.items().next()?.as_str())
                };
                data.text_if("cwd", first(["agent.extra.cwd", "agent.extra.cwds"]).as_deref());
                let branch = first(["agent.extra.git.branch", "agent.extra.git_branches"]);
                data.text_if("git_branch", branch.as_deref());
            }));
        }
        if let Some(notes) = json.text_at("notes") {
            drafts.push(text_event("note", &notes));
        }
        if let Some(totals) = json.present("final_metrics") {
            match self.has_steps {
                true => drafts.extend(self.totals(totals)),
                false => self.early_totals = Some(totals.compact().into_owned()),
            }
        }
        drafts
    }

    /// The totals of what the steps do not report.
    fn totals(&self, metrics: Json<'_>) -> Option<Draft<'static>> {
        let cached = count(metrics, "total_cached_tokens");
        let prompts = count(metrics, "total_prompt_tokens");
        let all = TokenCounts {
            input: prompts,
            output: count(metrics, "total_completion_tokens"),
            cache_read: cached,
            cost: metrics.get("total_cost_usd").and_then(Json::as_f64),
            ..TokenCounts::default()
        };
        let known = self.reported;
        let all = without_nested(all, &known, &self.nested);
        let (cached, prompts) = (all.cache_read, all.input);
        // Without cached tokens in the steps, their input includes the cached tokens of the total.
        let corrects_input = known.cache_read.is_none()
            && cached.unwrap_or(0) > 0
            && known.input.is_none_or(|input| Some(input) == prompts);
        // Totals with more tokens are also of work that other files report.
        let is_told = |all: Option<u64>, known: Option<u64>| all.is_none() || all == known;
        let has_all = is_told(all.input, known.input) && is_told(all.output, known.output);
        let is_new_cost =
            |all: &f64| known.cost.is_none_or(|known| has_all && is_more(*all, known));
        // Figures that the steps report are repeated, not replaced.
        let sum = known.without_cached();
        let own_input = sum.input.filter(|_| !corrects_input);
        let more = TokenCounts {
            input: own_input.or(all.without_cached().input),
            output: known.output.or(all.output),
            cache_read: known.cache_read.or(all.cache_read),
            cost: all.cost.filter(is_new_cost),
            ..TokenCounts::default()
        };
        let is_new = |more: Option<u64>, known: Option<u64>| more.is_some() && known.is_none();
        let says_more = corrects_input
            || is_new(more.input, sum.input)
            || is_new(more.output, sum.output)
            || more.cost.is_some();
        let call =
            ReportedModelCall { figures: ReportedFigures::Session, ..ReportedModelCall::default() };
        (says_more && !more.is_zero()).then(|| more.event(&call))
    }

    fn step(&mut self, source: &SourceText<'_>) -> AdaptedLine {
        self.has_steps = true;
        let json = source.json;
        let kind = json.text_at("source").unwrap_or(Cow::Borrowed("untyped"));
        let session = self.session_id.as_deref().filter(|id| !is_placeholder(id));
        let step_id = json.get("step_id").map(Json::compact);
        AdaptedLine {
            source_type: kind.into_owned(),
            source_id: session.zip(step_id).map(|(session, step)| format!("{session}/{step}")),
            time: json.text_at("timestamp").map(Cow::into_owned),
            session_id: self.session_id.clone(),
            parent: None,
            drafts: self.events(source, source.place),
            ..AdaptedLine::default()
        }
    }

    /// A trajectory with its steps: that of a spawned agent, or a document on one line.
    fn nested(&mut self, source: &SourceText<'_>) -> AdaptedLine {
        let json = source.json;
        let text = |path: &str| json.text_at(path).map(Cow::into_owned);
        let agent = text("trajectory_id").or_else(|| text("session_id"));
        let agent = agent.filter(|id| !is_placeholder(id)).unwrap_or(source.place.to_owned());
        let spawned_by = self.spawned.get(&agent).cloned();
        let mut inner = Self { is_nested: true, ..Self::default() };
        let mut drafts = Vec::new();
        inner.model = text("agent.model_name");
        for (index, step) in json.get("steps").into_iter().flat_map(Json::items).enumerate() {
            inner.has_steps = true;
            let step = SourceText { json: step, ..*source };
            let time = step.json.text_at("timestamp");
            let time = time.and_then(|time| Timestamp::parse_loose(&time)).map(|(time, _)| time);
            let own = inner.events(&step, &format!("{}.{index}", source.place)).into_iter();
            drafts.extend(own.map(|draft| Draft { timestamp: draft.timestamp.or(time), ..draft }));
        }
        // A sub-agent may have sub-agents of its own.
        let mut deeper = Vec::new();
        let trajectories = json.get("subagent_trajectories").into_iter().flat_map(Json::items);
        for (index, trajectory) in trajectories.enumerate() {
            let place = format!("{}.{index}", source.place);
            let trajectory = SourceText { json: trajectory, place: &place, ..*source };
            deeper.append(&mut inner.nested(&trajectory).drafts);
        }
        drafts.extend(json.present("final_metrics").and_then(|totals| inner.totals(totals)));
        add_counts(&mut self.nested, &inner.reported);
        add_counts(&mut self.nested, &inner.nested);
        self.spawned.extend(inner.spawned);
        let drafts =
            drafts.into_iter().map(|draft| of_agent(draft, Some(&agent), spawned_by.as_deref()));
        AdaptedLine {
            source_type: "subagent_trajectory".to_owned(),
            time: json.path("steps").and_then(|steps| {
                steps.items().find_map(|step| step.text_at("timestamp")).map(Cow::into_owned)
            }),
            session_id: text("session_id").or_else(|| Some(agent.clone())),
            drafts: drafts.chain(deeper).collect(),
            ..AdaptedLine::default()
        }
    }

    fn events(&mut self, source: &SourceText<'_>, place: &str) -> Vec<Draft<'static>> {
        let json = source.json;
        let is_copied = json.get("is_copied_context").and_then(Json::as_bool) == Some(true);
        let from = json.text_at("source").unwrap_or_default();
        let model = json.text_at("model_name").or(self.model.as_deref().map(Cow::Borrowed));
        let model = model.map(Cow::into_owned);
        let mut drafts = Vec::new();
        if let Some(text) = json.text_at("reasoning_content").filter(|text| !text.is_empty()) {
            drafts.push(text_event("message.reasoning", &text));
        }
        let kind = match from.as_ref() {
            _ if is_copied => "message.system",
            "user" => "message.user",
            "agent" => "message.assistant",
            _ => "message.system",
        };
        let message = json.present("message").map(as_text).filter(|text| !text.is_empty());
        drafts.extend(message.map(|text| {
            event(kind, |data| {
                data.text("text", &text);
                data.text_if("model", model.as_deref().filter(|_| kind == "message.assistant"));
                if is_copied {
                    data.text("copied_from", &from);
                }
            })
        }));
        if is_copied {
            return drafts;
        }
        if json.text_at("extra.context_management.type").is_some_and(|kind| kind == "compaction") {
            drafts.push(text_event("note", "Context compacted"));
        }
        self.calls(&SourceText { place, ..*source }, &mut drafts);
        let is_sidechain = json.path("extra.is_sidechain").and_then(Json::as_bool) == Some(true);
        if let Some(metrics) = json.present("metrics") {
            let tokens = tokens(metrics);
            if tokens != TokenCounts::default() {
                self.report(&tokens);
                let call =
                    ReportedModelCall { model: model.as_deref(), ..ReportedModelCall::default() };
                drafts.push(tokens.event(&call));
            }
        }
        if !is_sidechain || self.is_nested {
            return drafts;
        }
        // Claude Code's sub-agents, whose steps stand among those of the main agent.
        let agent = json.text_at("extra.agent_id").unwrap_or(Cow::Borrowed("sidechain"));
        drafts.into_iter().map(|draft| of_agent(draft, Some(&agent), None)).collect()
    }

    /// The calls of a step, and their results.
    fn calls(&mut self, source: &SourceText<'_>, drafts: &mut Vec<Draft<'static>>) {
        let json = source.json;
        // The ids in the source, the ids of the events, and the tools.
        let mut calls: Vec<(String, String, String)> = Vec::new();
        for (index, call) in json.get("tool_calls").into_iter().flat_map(Json::items).enumerate() {
            let tool = call.text_at("function_name").unwrap_or(Cow::Borrowed("tool"));
            let id = call.text_at("tool_call_id");
            let own = id.clone().unwrap_or_default().into_owned();
            // Some agents number the calls of each step from 1.
            let id = id.filter(|id| !self.named.contains_key(id.as_ref()));
            let args = call.present("arguments");
            let draft = source.call(&StartedCall { id, tool: tool.as_ref(), args }, index, |_| {});
            let used = draft.correlation_id.clone().unwrap_or_default().into_owned();
            calls.push((own, used, tool.into_owned()));
            drafts.push(draft);
        }
        let named = calls.iter().filter(|(own, _, _)| !is_placeholder(own)).cloned();
        self.named.extend(named.map(|(own, used, tool)| (own, (used, tool))));
        let results: Vec<Json<'_>> =
            json.path("observation.results").into_iter().flat_map(Json::items).collect();
        // A result of something else than a call has no id either.
        let first = calls.first().map(|(id, _, _)| id.as_str());
        let first_has_own = first.is_some()
            && results.iter().any(|one| one.text_at("source_call_id").as_deref() == first);
        for result in &results {
            let own = result.text_at("source_call_id");
            let at = calls.iter().position(|(id, _, _)| own.as_deref() == Some(id.as_str()));
            // The only result, without an id, is that of all calls: the last one gets it.
            let is_of_all = own.is_none() && results.len() == 1 && !calls.is_empty();
            for (_, id, tool) in calls.iter().rev().skip(1).rev().filter(|_| is_of_all) {
                let end = EndedCall { id, tool, text: "", failed: false };
                drafts.push(call_end(&end, |_| {}));
            }
            let last = calls.len().checked_sub(1);
            let is_of_only = |last: usize| own.is_none() && last == 0 && !first_has_own;
            let at = at.or(last.filter(|last| is_of_all || is_of_only(*last)));
            let text = result.present("content").map(as_text).unwrap_or_default();
            let refs = result.get("subagent_trajectory_ref");
            let one = refs.filter(|refs| refs.is_object());
            let agents = one.into_iter().chain(refs.into_iter().flat_map(Json::items));
            let agents: Vec<Cow<'_, str>> = agents
                .filter_map(|agent| agent.text_at("trajectory_id").or(agent.text_at("session_id")))
                .collect();
            let agent = agents.first();
            let named = own.as_deref().filter(|id| !is_placeholder(id));
            let (id, tool) = match at.and_then(|at| calls.get(at)) {
                Some((_, id, tool)) => (id.as_str(), tool.as_str()),
                // The call is in an earlier step.
                None if named.is_some() => {
                    let named = named.unwrap_or_default();
                    let known = self.named.get(named);
                    known.map_or((named, "tool"), |(id, tool)| (id, tool))
                }
                None => {
                    if !text.is_empty() {
                        drafts.push(text_event("message.system", &text));
                    }
                    continue;
                }
            };
            let spawned = agents.iter().map(|agent| (agent.clone().into_owned(), id.to_owned()));
            self.spawned.extend(spawned);
            if result.text_at("extra.status").is_some_and(|status| status == "blocked") {
                drafts.push(call_blocked(id, tool, &text));
                continue;
            }
            let own = own.as_deref().unwrap_or_default();
            let exit_code = exit_code(json, *result, own, calls.len());
            let is_set = |holder: &Json<'_>, path: &&str| {
                holder.path(path).and_then(Json::as_bool) == Some(true)
            };
            let failed = FAILED.iter().any(|path| is_set(result, path))
                || (calls.len() == 1 && FAILED_STEP.iter().any(|path| is_set(&json, path)))
                || exit_code.is_some_and(|code| code.as_f64() != Some(0.0));
            drafts.push(call_end(&EndedCall { id, tool, text: &text, failed }, |data| {
                if let Some(code) = exit_code {
                    data.json("exit_code", code);
                }
                data.text_if("spawned_agent_id", agent.map(AsRef::as_ref));
            }));
        }
    }

    /// Adds a step's figures to what the steps reported. Its input includes cached tokens here.
    fn report(&mut self, tokens: &TokenCounts) {
        let cached = [tokens.cache_read, tokens.cache_creation].into_iter().flatten();
        let input = tokens.input.map(|input| cached.fold(input, u64::saturating_add));
        add_counts(&mut self.reported, &TokenCounts { input, ..*tokens });
    }
}

/// The exit code that a result has, or that its step has for it: by the id of its call, or for the
/// only call.
fn exit_code<'s>(step: Json<'s>, result: Json<'s>, call: &str, calls: usize) -> Option<Json<'s>> {
    let of_call = || step.path("extra.tool_call_details")?.get(call)?.path("metadata.exit_code");
    let of_step = || step.path("extra.tool_metadata.exit_code").filter(|_| calls == 1);
    let code = result.path("extra.exit_code").or_else(of_call).or_else(of_step);
    code.filter(|code| code.as_f64().is_some())
}

/// Adds figures to a sum.
fn add_counts(sum: &mut TokenCounts, more: &TokenCounts) {
    let add = |sum: &mut Option<u64>, more: Option<u64>| {
        if let Some(more) = more {
            *sum = Some(sum.unwrap_or(0).saturating_add(more));
        }
    };
    add(&mut sum.input, more.input);
    add(&mut sum.output, more.output);
    add(&mut sum.cache_read, more.cache_read);
    add(&mut sum.cache_creation, more.cache_creation);
    sum.cost = match (sum.cost, more.cost) {
        (Some(sum), Some(more)) => Some(sum + more),
        (sum, more) => sum.or(more),
    };
}

/// The totals without what spawned agents reported, where the steps of the main agent report
/// nothing: totals may be those of all agents together. What is left of a figure that is all theirs
/// is unknown.
fn without_nested(all: TokenCounts, known: &TokenCounts, nested: &TokenCounts) -> TokenCounts {
    let less = |all: Option<u64>, known: Option<u64>, nested: Option<u64>| match nested {
        Some(nested) if known.is_none() => {
            all.map(|all| all.saturating_sub(nested)).filter(|rest| *rest > 0)
        }
        _ => all,
    };
    // A cost that is more than that of all steps is the cost of all agents.
    let cost = match (all.cost, nested.cost) {
        (Some(all), Some(nested)) => {
            let rest = all - nested;
            Some(rest).filter(|rest| is_more(*rest, known.cost.unwrap_or(0.0)))
        }
        (all, _) => all,
    };
    TokenCounts {
        input: less(all.input, known.input, nested.input),
        output: less(all.output, known.output, nested.output),
        cache_read: less(all.cache_read, known.cache_read, nested.cache_read),
        cost,
        ..all
    }
}

/// Whether a total is more than a sum by more than what rounding makes.
fn is_more(total: f64, sum: f64) -> bool {
    total > sum.mul_add(1.0 + 1e-6, 1e-9)
}

/// The figures of a step. Some converters leave the tokens that were written to a cache out of the
/// input.
fn tokens(metrics: Json<'_>) -> TokenCounts {
    let apart = count(metrics, "extra.cache_write_tokens");
    let written = ["extra.cache_creation_input_tokens", "extra.cache_write_input_tokens"];
    let written = written.iter().find_map(|path| count(metrics, path)).or(apart);
    let (prompt, cached) = (count(metrics, "prompt_tokens"), count(metrics, "cached_tokens"));
    let uncached = prompt.map(|prompt| prompt.saturating_sub(cached.unwrap_or(0)));
    let included = written.filter(|_| apart.is_none()).unwrap_or(0);
    TokenCounts {
        input: uncached.map(|input| input.checked_sub(included).unwrap_or(input)),
        output: count(metrics, "completion_tokens"),
        cache_read: cached,
        cache_creation: written,
        reasoning: count(metrics, "extra.reasoning_tokens")
            .or_else(|| count(metrics, "extra.reasoning_output_tokens")),
        cost: metrics.get("cost_usd").and_then(Json::as_f64),
    }
}
