//! ATIF, the Agent Trajectory Interchange Format, 1.0 to 1.8: one JSON document with `steps`.
//!
//! A step holds calls and their results. Its `prompt_tokens` include cached tokens. Steps with
//! `is_copied_context` repeat an earlier trajectory. They are shown, but their calls, tokens and
//! prompts belong to that trajectory.

use crate::agents::Dialect;
use std::borrow::Cow;

use super::said::{
    Args, CallEnd, ModelCall, Outcome, Report, Said, SaidAnswer, SaidCall, SaidLine, SubAgent,
    TokensUsed, Used, UsedScope,
};
use super::{LineReader, SourcePart, SourceText};
use crate::event::fields::{as_text, is_placeholder};
use crate::json::Json;

/// What the program knows of the agent.
pub(super) static AGENT: Dialect = Dialect {
    name: "atif",
    about: "ATIF trajectories, versions 1.0 to 1.8",
    sign,
    lists: &["steps", "subagent_trajectories"],
    unknown_version,
    whole_session: Some(whole_session),
    reader: || Box::new(Atif::default()),
    retells: true,
    ..Dialect::PLAIN
};

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
    session: Option<String>,
    /// The model of steps that name none.
    model: Option<String>,
    /// The sum of what the steps reported. Its input includes cached tokens.
    reported: TokensUsed,
    /// The sum of what the trajectories of spawned agents reported.
    nested: TokensUsed,
    /// Whether it is the trajectory of a spawned agent. All its steps are that agent's.
    is_nested: bool,
    /// Whether the first members of the document were read. The end of the document gives them again.
    has_members: bool,
}

impl LineReader for Atif {
    fn read<'s>(&mut self, source: &SourceText<'s>) -> SaidLine<'s> {
        let json = source.json;
        if json.get("steps").is_some() {
            return self.nested(json, source.place);
        }
        if json.get("step_id").is_some() || source.part == SourcePart::Item {
            return self.step(json);
        }
        let said = self.members(json);
        self.document(said)
    }

    /// Totals that came before the steps say what these leave out.
    fn end<'s>(&mut self, source: &SourceText<'s>) -> SaidLine<'s> {
        let line = self.document(self.totals(source.json).into_iter().collect());
        self.begin_file();
        line
    }

    fn begin_file(&mut self) {
        *self = Self::default();
    }
}

impl Atif {
    /// What members of the document say.
    fn document<'s>(&self, said: Vec<Said<'s>>) -> SaidLine<'s> {
        let session = self.session.clone().map(Cow::Owned);
        SaidLine { kind: "document".into(), session, said, ..SaidLine::default() }
    }

    /// Members besides the steps.
    fn members<'s>(&mut self, json: Json<'s>) -> Vec<Said<'s>> {
        let mut said = Vec::new();
        let begins = ["schema_version", "session_id", "agent"];
        if begins.iter().any(|name| json.get(name).is_some()) {
            let model = json.text_at("agent.model_name");
            self.session = session_of(json).or(self.session.take());
            self.model = model.as_deref().map(str::to_owned).or(self.model.take());
            let first = |names: [&str; 2]| {
                let value = names.iter().find_map(|name| json.path(name))?;
                value.as_str().or_else(|| value.items().next()?.as_str())
            };
            said.push(Said::facts([
                ("agent", json.text_at("agent.name")),
                ("agent_version", json.text_at("agent.version")),
                ("model", model),
                ("cwd", first(["agent.extra.cwd", "agent.extra.cwds"])),
                ("git_branch", first(["agent.extra.git.branch", "agent.extra.git_branches"])),
            ]));
        }
        said.extend(json.text_at("notes").map(Said::note));
        if std::mem::replace(&mut self.has_members, true) {
            said.extend(self.totals(json));
        }
        said
    }

    /// The totals of what the steps do not report.
    fn totals(&self, json: Json<'_>) -> Option<Said<'static>> {
        let metrics = json.present("final_metrics")?;
        let paths =
            ["total_prompt_tokens", "total_completion_tokens", "total_cached_tokens", "", ""];
        let cost = metrics.get("total_cost_usd").and_then(Json::as_f64);
        let all = TokensUsed { cost, ..TokensUsed::at(metrics, paths) };
        let known = self.reported;
        let all = without_nested(all, &known, &self.nested);
        // Without cached tokens in the steps, their input includes the cached tokens of the total.
        let corrects_input = known.cache_read.is_none()
            && all.cache_read.unwrap_or(0) > 0
            && known.input.is_none_or(|input| Some(input) == all.input);
        // Totals with more tokens are also of work that other files report.
        let is_same = |all: Option<u64>, known: Option<u64>| all.is_none() || all == known;
        let has_all = is_same(all.input, known.input) && is_same(all.output, known.output);
        let is_new = |all: &f64| known.cost.is_none_or(|known| has_all && is_more(*all, known));
        // Figures that the steps report are repeated, not replaced.
        let inputs = if corrects_input || known.input.is_none() { all } else { known };
        let tokens = TokensUsed {
            input: inputs.without_cached().input,
            output: known.output.or(all.output),
            cache_read: known.cache_read.or(all.cache_read),
            cost: all.cost.filter(is_new),
            ..TokensUsed::default()
        };
        let says_more = corrects_input
            || known.input.is_none() && all.input.is_some()
            || known.output.is_none() && all.output.is_some()
            || tokens.cost.is_some();
        let used = Used { tokens, scope: UsedScope::Session, ..Used::default() };
        (says_more && !tokens.is_zero()).then_some(Said::Used(used))
    }

    /// A trajectory with its steps: that of a spawned agent, or a document on one line.
    fn nested<'s>(&mut self, json: Json<'s>, place: &str) -> SaidLine<'s> {
        let session = json.text_at("session_id");
        let id = json.text_at("trajectory_id").or(session.clone());
        let id = id.filter(|id| !is_placeholder(id)).unwrap_or(place.to_owned().into());
        let model = json.text_at("agent.model_name").map(Cow::into_owned);
        let mut inner = Self { is_nested: true, model, ..Self::default() };
        let items = |name: &str| json.get(name).into_iter().flat_map(Json::items);
        let steps: Vec<_> = items("steps").map(|step| inner.step(step)).collect();
        let time = steps.iter().find_map(|step| step.time.clone());
        // A sub-agent may have sub-agents of its own.
        let deeper = items("subagent_trajectories").enumerate();
        let deeper =
            deeper.map(|(index, deeper)| inner.nested(deeper, &format!("{place}.{index}")));
        let deeper = Said::Lines(deeper.collect());
        let said = [Some(Said::Lines(steps)), inner.totals(json), Some(deeper)];
        self.nested.add(inner.reported);
        self.nested.add(inner.nested);
        SaidLine {
            kind: "subagent_trajectory".into(),
            time,
            session: session.or(Some(id.clone())),
            agent: SubAgent { id: Some(id), ..SubAgent::default() },
            said: said.into_iter().flatten().collect(),
            ..SaidLine::default()
        }
    }

    fn step<'s>(&mut self, json: Json<'s>) -> SaidLine<'s> {
        let from = json.text_at("source");
        let model = json.text_at("model_name").or_else(|| self.model.clone().map(Cow::Owned));
        let of = ModelCall { model, id: None };
        let text = json.present("message").map(as_text).unwrap_or_default();
        let mut said = vec![Said::Thought(json.text_at("reasoning_content").unwrap_or_default())];
        let is_copied = is_true(json, "is_copied_context");
        said.push(match from.as_deref() {
            _ if is_copied => Said::Copied(text, from.clone().unwrap_or_default()),
            Some("user") => Said::prompt(text, Vec::new()),
            Some("agent") => Said::Answer(SaidAnswer { text, of: of.clone() }),
            _ => Said::System(text),
        });
        if !is_copied {
            let managed = json.text_at("extra.context_management.type");
            let is_compacted = managed.is_some_and(|kind| kind == "compaction");
            said.extend(is_compacted.then(|| Said::note("Context compacted")));
            calls(json, &mut said);
            let tokens = json.present("metrics").map(tokens).unwrap_or_default();
            let cached = [tokens.cache_read, tokens.cache_creation].into_iter().flatten();
            let input = tokens.input.map(|input| cached.fold(input, u64::saturating_add));
            self.reported.add(TokensUsed { input, ..tokens });
            said.push(Said::used(tokens, of));
        }
        // Claude Code's sub-agents, whose steps stand among those of the main agent.
        let is_sidechain = !is_copied && !self.is_nested && is_true(json, "extra.is_sidechain");
        let named = || json.text_at("extra.agent_id").unwrap_or("sidechain".into());
        let step = json.get("step_id").map(Json::compact);
        let id = self.session.as_ref().zip(step).map(|(session, step)| format!("{session}/{step}"));
        SaidLine {
            kind: from.unwrap_or("untyped".into()),
            id: id.map(Cow::Owned),
            time: json.text_at("timestamp"),
            session: self.session.clone().map(Cow::Owned),
            agent: SubAgent { id: is_sidechain.then(named), ..SubAgent::default() },
            said,
            ..SaidLine::default()
        }
    }
}

/// The calls of a step, and their results.
fn calls<'s>(json: Json<'s>, said: &mut Vec<Said<'s>>) {
    let calls = json.get("tool_calls").into_iter().flat_map(Json::items).map(|call| {
        let args = call.present("arguments").map_or(Args::None, Args::Value);
        let id = call.text_at("tool_call_id");
        let tool = call.text_at("function_name").unwrap_or_default();
        // Some agents number the calls of each step from 1.
        Said::Call(SaidCall { id, tool, args, report: Report::Line, ..SaidCall::default() })
    });
    let before = said.len();
    said.extend(calls);
    let calls = said.len() - before;
    let id_of =
        |result: &Json<'s>| result.text_at("source_call_id").filter(|id| !is_placeholder(id));
    let results: Vec<_> =
        json.path("observation.results").into_iter().flat_map(Json::items).collect();
    // One result without an id is that of all calls: the last one gets it. Another one is of something
    // else than a call.
    let first =
        json.path("tool_calls").and_then(|calls| calls.items().next()?.text_at("tool_call_id"));
    let is_of_first = |result: &Json<'s>| first.is_some() && id_of(result) == first;
    let is_of_only = calls == 1 && !results.iter().any(is_of_first);
    let mut is_of_all = is_of_only || (calls > 0 && results.len() == 1);
    for result in results {
        let id = id_of(&result);
        let text = result.present("content").map(as_text).unwrap_or_default();
        let is_of_call = |said: &&mut Said<'s>| matches!(said, Said::End(end) if end.id == id);
        if let Some(Said::End(end)) =
            said[before..].iter_mut().find(is_of_call).filter(|_| id.is_some())
        {
            // A call may have several results.
            end.text = format!("{}\n{text}", end.text).into();
            continue;
        }
        if id.is_none() {
            if !std::mem::take(&mut is_of_all) {
                said.push(Said::System(text));
                continue;
            }
            said.extend((1..calls).map(|_| Said::End(CallEnd::default())));
        }
        let refs = result.get("subagent_trajectory_ref");
        let one = refs.filter(|refs| refs.is_object());
        let agents = one.into_iter().chain(refs.into_iter().flat_map(Json::items));
        let mut agents = agents
            .filter_map(|agent| agent.text_at("trajectory_id").or(agent.text_at("session_id")));
        let exit_code = exit_code(json, result, id.as_deref().unwrap_or_default(), calls);
        let failed = FAILED.iter().any(|path| is_true(result, path))
            || (calls == 1 && FAILED_STEP.iter().any(|path| is_true(json, path)))
            || exit_code.is_some_and(|code| code != 0);
        let outcome = match result.text_at("extra.status").as_deref() {
            Some("blocked") => Outcome::Denied,
            _ if failed => Outcome::Failed,
            _ => Outcome::Completed,
        };
        let (spawned, also_spawned) = (agents.next(), agents.collect());
        let end =
            CallEnd { id, text, outcome, exit_code, spawned, also_spawned, ..CallEnd::default() };
        said.push(Said::End(end));
    }
}

fn is_true(json: Json<'_>, path: &str) -> bool {
    json.path(path).and_then(Json::as_bool) == Some(true)
}

/// The exit code that a result has, or that its step has for it: by the id of its call, or for the
/// only call.
fn exit_code(step: Json<'_>, result: Json<'_>, call: &str, calls: usize) -> Option<i64> {
    let of_call = || step.path("extra.tool_call_details")?.get(call)?.path("metadata.exit_code");
    let of_step = || step.path("extra.tool_metadata.exit_code").filter(|_| calls == 1);
    let code = result.path("extra.exit_code").or_else(of_call).or_else(of_step);
    code?.as_f64().map(|code| code as i64)
}

/// The totals without what spawned agents reported, where the steps of the main agent report
/// nothing: totals may be those of all agents together. What is left of a figure that is all theirs
/// is unknown.
fn without_nested(all: TokensUsed, known: &TokensUsed, nested: &TokensUsed) -> TokensUsed {
    let less = |all: Option<u64>, known: Option<u64>, nested: Option<u64>| match (all, nested) {
        (Some(all), Some(nested)) if known.is_none() => {
            all.checked_sub(nested).filter(|rest| *rest > 0)
        }
        _ => all,
    };
    // A cost that is more than that of all steps is the cost of all agents.
    let is_of_main = |rest: &f64| is_more(*rest, known.cost.unwrap_or(0.0));
    let cost = match (all.cost, nested.cost) {
        (Some(all), Some(nested)) => Some(all - nested).filter(is_of_main),
        (all, _) => all,
    };
    TokensUsed {
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
fn tokens(metrics: Json<'_>) -> TokensUsed {
    let at = |path: &str| metrics.path(path).and_then(Json::as_u64);
    let apart = at("extra.cache_write_tokens");
    let written = ["extra.cache_creation_input_tokens", "extra.cache_write_input_tokens"];
    let written = written.iter().find_map(|path| at(path));
    let (prompt, cache_read) = (at("prompt_tokens"), at("cached_tokens"));
    let uncached = prompt.map(|prompt| prompt.saturating_sub(cache_read.unwrap_or(0)));
    let included = written.filter(|_| apart.is_none()).unwrap_or(0);
    TokensUsed {
        input: uncached.map(|input| input.checked_sub(included).unwrap_or(input)),
        output: at("completion_tokens"),
        cache_read,
        cache_creation: written.or(apart),
        reasoning: at("extra.reasoning_tokens").or_else(|| at("extra.reasoning_output_tokens")),
        cost: metrics.get("cost_usd").and_then(Json::as_f64),
        ..TokensUsed::default()
    }
}
