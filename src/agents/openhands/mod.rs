//! OpenHands. V0: one run per line with a `history` of actions and observations, or a list of these.
//! V1: one event per line or file, with its class in `kind`, and the state of the conversation in a
//! file of its own.
//!
//! V0 observations name their action in `cause`. Times have no zone.

mod files;
mod usage;
mod v1;

use crate::agents::{AgentPlace, Dialect};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use usage::CallUsage;

use crate::agents::said::{
    Args, CallEnd, ModelCall, Outcome, Report, Said, SaidAnswer, SaidCall, SaidLine, SubAgent,
};
use crate::agents::source::said;
use crate::agents::{LineReader, SessionEnd, SourcePart, SourceText};
use crate::event::fields::{as_text, is_placeholder};
use crate::fs::hash::{hex, sha256};
use crate::json::{self, Json, JsonRules, Kind, ObjectText};

/// What the program knows of the agent.
pub(super) static AGENT: Dialect = Dialect {
    name: "openhands",
    about: "OpenHands: output.jsonl and trajectories of V0, events of V1",
    sign,
    weak_signs: &[KIND],
    lists: &["history"],
    ending,
    whole_session: Some(whole_session),
    files: &files::OpenHandsFiles,
    is_sum: Some(usage::is_sum),
    places: &[
        AgentPlace::new(None, ".openhands", "conversations"),
        AgentPlace::new(None, ".openhands", "sessions"),
    ],
    reader: || Box::new(OpenHands::default()),
    ..Dialect::PLAIN
};

/// The sign of a line whose kind is not the name of a class.
pub(super) const KIND: &str = "kind and source";

/// The fields that show that a line is of OpenHands.
pub(super) fn sign(line: Json<'_>) -> Option<&'static str> {
    let has = |name: &str| line.get(name).is_some();
    if let Some(history) = line.get("history") {
        let first = history.items().next().unwrap_or(Json::NULL);
        return sign(first).map(|_| "a history of actions and observations");
    }
    if is_state(line) {
        return Some("agent, workspace and execution_status");
    }
    let source = line.text_at("source")?;
    if !matches!(source.as_ref(), "agent" | "user" | "environment" | "hook") || has("data") {
        return None;
    }
    if has("kind") && has("timestamp") && !has("type") {
        let kind = line.text_at("kind").unwrap_or_default();
        let is_class = kind.starts_with(|c: char| c.is_ascii_uppercase());
        return Some(if is_class { "kind, source and timestamp" } else { KIND });
    }
    let is_numbered = line.get("id").is_some_and(|id| id.as_u64().is_some());
    (is_numbered && (has("action") || has("observation"))).then_some("an action or an observation")
}

/// V1: whether a document is the state of a conversation, which is beside its events.
fn is_state(json: Json<'_>) -> bool {
    let has = |name: &str| json.get(name).is_some_and(Json::is_object);
    has("agent") && has("workspace") && json.text_at("execution_status").is_some()
}

/// V0 and V1: the state of the agent. V0: what the agent says of its task, and the error of a run,
/// after its history.
pub(super) fn ending(line: Json<'_>) -> Option<SessionEnd> {
    let is = |name: &str, value: &str| line.text_at(name).as_deref() == Some(value);
    let state = line
        .text_at("extras.agent_state")
        .or_else(|| line.text_at("value").filter(|_| is("key", "execution_status")))
        .or_else(|| line.text_at("value.execution_status"))
        .or_else(|| line.text_at("execution_status").filter(|_| is_state(line)));
    if let Some(state) = state {
        return match state.as_ref() {
            "finished" => Some(SessionEnd::completed()),
            "error" | "stuck" | "rejected" => {
                let reason = line.text_at("extras.reason").filter(|reason| !reason.is_empty());
                Some(SessionEnd::failed(reason.unwrap_or(state)))
            }
            "stopped" => Some(SessionEnd::cancelled()),
            _ => None,
        };
    }
    if is("kind", "ConversationErrorEvent") {
        let reason = ["detail", "message", "code"].iter().find_map(|name| line.text_at(name));
        return Some(SessionEnd::failed(reason.unwrap_or(Cow::Borrowed("error"))));
    }
    if is("action", "finish") {
        return match line.path("args.task_completed").map(as_text)?.as_ref() {
            "true" => Some(SessionEnd::completed()),
            "false" => Some(SessionEnd::incomplete("the agent did not complete its task")),
            "partial" => Some(SessionEnd::incomplete("the agent completed its task only in part")),
            _ => None,
        };
    }
    // The error of a run stands beside its history. Events have errors of their own.
    let is_event =
        ["source", "kind", "action", "observation"].iter().any(|name| line.get(name).is_some());
    let error = line.present("error").filter(|_| !is_event).map(as_text);
    error.filter(|error| !error.is_empty()).map(SessionEnd::failed_as_a_whole)
}

/// V0: `output.jsonl` has one run per line.
pub(super) fn whole_session(line: Json<'_>) -> Option<String> {
    line.get("history").filter(|history| history.kind() == Kind::Array)?;
    line.text_at("instance_id").filter(|id| !id.is_empty())?;
    session_of(line)
}

/// V0: the id of a run: that of its instance, with a hash of what identifies the evaluation: several solve
/// the same instance.
fn session_of(json: Json<'_>) -> Option<String> {
    let id = json.text_at("instance_id").or_else(|| json.text_at("id"))?;
    let evaluation = ["metadata.eval_output_dir", "metadata.start_time"];
    let evaluation: Vec<_> = evaluation.iter().filter_map(|path| json.text_at(path)).collect();
    Some(match evaluation.is_empty() {
        true => id.into_owned(),
        false => format!("{id}-{}", hex(&sha256(evaluation.join("\n").as_bytes())[..4])),
    })
}

/// Members of a V0 action's `args` that are not arguments of the call.
const NO_ARGUMENTS: &str =
    "thought blocking confirmation_state hidden impl_source is_input is_static security_risk";

#[derive(Default)]
struct OpenHands {
    session: Option<String>,
    /// V0: the ids of the open calls of the run, by the numbers of their actions.
    calls: HashMap<u64, String>,
    usage: CallUsage,
    /// V1: the calls of other programs' agents that have started.
    acp_calls: HashSet<String>,
    /// The newest time, for the state, which has none.
    newest_time: Option<String>,
}

impl LineReader for OpenHands {
    fn prepare(&mut self, state: Json<'_>, sums: &HashSet<String>) {
        self.usage.list(state, sums);
    }

    fn read<'s>(&mut self, source: &SourceText<'s>) -> SaidLine<'s> {
        let json = source.json;
        let types = ["kind", "action", "observation"].map(|name| json.text_at(name));
        // A file can hold one event, on several lines.
        let is_event = types.iter().any(Option::is_some);
        if source.part == SourcePart::Document && !is_event && !is_state(json) {
            return self.document(json);
        }
        let (kind, mut said) = match &types {
            _ if is_state(json) => ("state".into(), vec![v1::settings(json)]),
            [Some(kind), ..] => (kind.clone(), self.event(kind, json)),
            [_, Some(kind), _] => (format!("action/{kind}").into(), self.action(kind, source)),
            [.., Some(kind)] => {
                (format!("observation/{kind}").into(), self.observation(kind, json))
            }
            _ => ("untyped".into(), Vec::new()),
        };
        said.extend(self.used(json));
        let time = json.text_at("timestamp").or_else(|| self.newest_time.clone().map(Cow::Owned));
        self.newest_time = time.clone().map(Cow::into_owned);
        // V0 numbers the events of each run from 0.
        let number = json.get("id").and_then(Json::as_u64);
        let numbered = number.zip(self.session.as_deref()).map(|(id, run)| format!("{run}/{id}"));
        let parent = json.text_at("parent_tool_call_id").filter(|id| !is_placeholder(id));
        SaidLine {
            kind,
            id: json.text_at("id").or(numbered.map(Cow::Owned)),
            time,
            session: self.session.clone().map(Cow::Owned),
            agent: SubAgent { id: parent.clone(), spawned_by: parent, numbers_calls: false },
            said,
            ..SaidLine::default()
        }
    }
}

impl OpenHands {
    /// V0: the members of a run besides its history.
    fn document<'s>(&mut self, json: Json<'s>) -> SaidLine<'s> {
        let at = |path: &str| json.text_at(path);
        let facts = session_of(json).map(|session| {
            self.session = Some(session);
            self.calls.clear();
            self.usage.newest.clear();
            Said::facts([
                ("agent", Some("openhands".into())),
                ("agent_class", at("metadata.agent_class")),
                ("model", at("metadata.llm_config.model")),
                ("title", at("instance_id").or_else(|| at("id"))),
            ])
        });
        let error = json.present("error").map(as_text).filter(|error| !error.is_empty());
        let error = error.map(|error| Said::engine_failed(None, error));
        let said = facts.into_iter().chain(self.used(json)).chain(error).collect();
        let session = self.session.clone().map(Cow::Owned);
        SaidLine { kind: "document".into(), session, said, ..SaidLine::default() }
    }

    /// The tokens of model calls that a line says. V0: of the response that led to an action, or, after the
    /// history, of the last ones, which led to none.
    fn used<'s>(&mut self, json: Json<'s>) -> impl Iterator<Item = Said<'s>> {
        let used = if is_state(json) {
            self.usage.of_state(json)
        } else if let Some(response) = json.text_at("llm_response_id") {
            self.usage.of_response(&response)
        } else {
            let response = json.text_at("tool_call_metadata.model_response.id");
            let metrics = json.present("llm_metrics").or_else(|| json.present("metrics"));
            let used = metrics.and_then(|metrics| self.usage.newest("", metrics, response));
            used.into_iter().collect()
        };
        used.into_iter().map(Said::Used)
    }

    /// V0: an action.
    fn action<'s>(&mut self, action: &str, source: &SourceText<'s>) -> Vec<Said<'s>> {
        let json = source.json;
        let arg = |name: &str| json.path("args").and_then(|args| args.text_at(name));
        let text = |name: &str| arg(name).unwrap_or_default();
        let model = json.text_at("tool_call_metadata.model_response.model");
        let answer = |text| Said::Answer(SaidAnswer { text, of: ModelCall { model, id: None } });
        match (action, json.text_at("source").as_deref().unwrap_or_default()) {
            ("message", "user") => vec![Said::prompt(text("content"), Vec::new())],
            ("message", "agent") => vec![answer(text("content"))],
            ("message", _) => vec![Said::System(text("content"))],
            ("system", _) => {
                let version = arg("openhands_version").filter(|version| !version.is_empty());
                let facts = version.map(|version| {
                    let agent = Some("openhands".into());
                    Said::facts([("agent", agent), ("agent_version", Some(version))])
                });
                facts.into_iter().chain([Said::System(text("content"))]).collect()
            }
            ("condensation", _) => compacted(text("summary")),
            ("change_agent_state", "user") if text("agent_state") == "stopped" => {
                vec![Said::Interrupted(None)]
            }
            // The recall repeats the prompt as its query.
            ("recall" | "null" | "change_agent_state" | "condensation_request" | "pause", _) => {
                Vec::new()
            }
            _ => {
                let thought = if action == "think" { "".into() } else { text("thought") };
                [answer(thought)].into_iter().chain(self.start(action, source)).collect()
            }
        }
    }

    /// V0: an action that is a call.
    fn start<'s>(&mut self, action: &str, source: &SourceText<'s>) -> Vec<Said<'s>> {
        let json = source.json;
        let at = |name: &str| json.path("tool_call_metadata").and_then(|call| call.text_at(name));
        let tool = at("function_name").unwrap_or_else(|| action.to_owned().into());
        let id = at("tool_call_id").filter(|id| !is_placeholder(id));
        let id = id.unwrap_or_else(|| format!("{}.0", source.place).into());
        let mut args = ObjectText::new();
        // The action that views a file leaves out the command of the editor.
        if action == "read" && tool.contains("edit") && json.path("args.command").is_none() {
            args.text("command", "view");
        }
        let own = members(json.get("args").unwrap_or(Json::EMPTY), |name, value| {
            let is_empty = matches!(value.text(), "null" | "\"\"");
            !is_empty && (action == "think" || !is_among(NO_ARGUMENTS, name))
        });
        args.members(Json::trusted(&own.finish()));
        let (args, report) = (Args::Text(args.finish().into()), Report::Line);
        let call = SaidCall { id: Some(id.clone()), tool, args, report, ..SaidCall::default() };
        let mut said = vec![Said::Call(call)];
        if action == "finish" {
            // The controller ends the run and no observation follows.
            let text = ["args.final_thought", "args.outputs.content"];
            let text = text.iter().find_map(|path| json.text_at(path)).unwrap_or_default();
            said.push(Said::End(CallEnd { id: Some(id), text, ..CallEnd::default() }));
        } else if let Some(number) = json.get("id").and_then(Json::as_u64) {
            self.calls.insert(number, id.into_owned());
        }
        said
    }

    /// V0: an observation.
    fn observation<'s>(&mut self, observation: &str, json: Json<'s>) -> Vec<Said<'s>> {
        let text = json.present("content").map(as_text).unwrap_or_default();
        let cause = json.get("cause").and_then(Json::as_u64);
        let Some(id) = cause.and_then(|cause| self.calls.remove(&cause)) else {
            let code = json.text_at("extras.error_id").filter(|code| !code.is_empty());
            return match observation {
                "recall" => vec![Said::system(recalled(json, text))],
                "error" => vec![Said::engine_failed(code, text)],
                _ => Vec::new(),
            };
        };
        // What a delegate reports is beside an empty content.
        let report = json.text_at("extras.outputs.content");
        let text = report.filter(|_| text.is_empty()).unwrap_or(text);
        let failed = observation == "error"
            || json.path("extras.error").and_then(Json::as_bool) == Some(true)
            || (observation == "mcp" && is_mcp_error(&text))
            || json.get("success").and_then(Json::as_bool) == Some(false)
            || text.starts_with("ERROR:\n");
        let (outcome, exit_code) = outcome_of(failed, json.path("extras.metadata.exit_code"));
        let outcome = if observation == "user_rejected" { Outcome::Denied } else { outcome };
        let id = Some(id.into());
        vec![Said::End(CallEnd { id, text, outcome, exit_code, ..CallEnd::default() })]
    }

    /// V1: an event.
    fn event<'s>(&mut self, kind: &str, json: Json<'s>) -> Vec<Said<'s>> {
        let text = |name: &str| json.text_at(name);
        let ended = |reason, outcome| vec![Said::End(v1::ended(json, reason, outcome))];
        match kind {
            "SystemPromptEvent" => {
                let texts = ["system_prompt", "dynamic_context"];
                let texts = texts.iter().filter_map(|name| json.get(name));
                texts.map(|text| Said::System(said(text).0.into())).collect()
            }
            "MessageEvent" => v1::message(json),
            "ActionEvent" => v1::started(json),
            "ObservationEvent" => v1::observed(json),
            "ACPToolCallEvent" => v1::acp_call(json, &mut self.acp_calls),
            "HookExecutionEvent" => v1::hook(json),
            "UserRejectObservation" => ended("rejection_reason", Outcome::Denied),
            "AgentErrorEvent" => ended("error", Outcome::Failed),
            "ConversationErrorEvent" | "ServerErrorEvent" => {
                let detail = text("detail").or_else(|| text("message"));
                vec![Said::engine_failed(text("code"), detail.unwrap_or_default())]
            }
            "PauseEvent" | "InterruptEvent" => vec![Said::Interrupted(text("reason"))],
            "Condensation" => compacted(text("summary").unwrap_or_default()),
            "ConversationStateUpdateEvent" => self.state(json),
            _ => Vec::new(),
        }
    }

    /// V1: a change of the conversation's state.
    fn state<'s>(&mut self, json: Json<'s>) -> Vec<Said<'s>> {
        let Some(value) = json.present("value") else { return Vec::new() };
        let is_full = json.text_at("key").is_some_and(|key| key == "full_state");
        if is_full {
            self.session = value.text_at("id").map(Cow::into_owned).or(self.session.take());
        }
        let stats = if is_full { "stats.usage_to_metrics" } else { "usage_to_metrics" };
        let parts = value.path(stats).into_iter().flat_map(Json::members);
        let used = parts.filter_map(|(name, metrics)| self.usage.of_change(&name, metrics));
        let settings = is_full.then(|| v1::settings(value));
        settings.into_iter().chain(used.map(Said::Used)).collect()
    }
}

fn compacted(summary: Cow<'_, str>) -> Vec<Said<'_>> {
    vec![Said::note("Context compacted"), Said::System(summary)]
}

/// V0: the text that a recall adds to the context.
fn recalled(json: Json<'_>, text: Cow<'_, str>) -> String {
    let extras = json.get("extras").unwrap_or(Json::NULL);
    let named = ["repo_instructions", "additional_agent_instructions"];
    let named = named.iter().filter_map(|name| extras.text_at(name));
    let knowledge = extras.get("microagent_knowledge").into_iter().flat_map(Json::items);
    let texts = knowledge.filter_map(|item| item.text_at("content"));
    let texts = [text].into_iter().chain(named).chain(texts).filter(|text| !text.is_empty());
    texts.collect::<Vec<_>>().join("\n\n")
}

/// V0: whether the result of a call of an MCP server, JSON as text, says that the call failed.
fn is_mcp_error(text: &str) -> bool {
    let result = json::check(text.as_bytes(), JsonRules::LENIENT).ok();
    result.and_then(|result| result.get("isError")?.as_bool()) == Some(true)
}

/// Those members of an object for which `is_kept` is true.
fn members(object: Json<'_>, is_kept: impl Fn(&str, Json<'_>) -> bool) -> ObjectText {
    let mut kept = ObjectText::new();
    for (name, value) in object.raw_members().filter(|(name, value)| is_kept(name, *value)) {
        kept.json(name, value);
    }
    kept
}

/// Whether a name is among names with spaces between them.
fn is_among(names: &str, name: &str) -> bool {
    names.split(' ').any(|one| one == name)
}

/// How a call ended, and the exit code of its command, if it has ended.
fn outcome_of(failed: bool, exit_code: Option<Json<'_>>) -> (Outcome, Option<i64>) {
    let code = exit_code.and_then(Json::as_f64).map(|code| code as i64);
    // The code of a command that is still running.
    let code = code.filter(|code| *code != -1);
    let failed = failed || code.is_some_and(|code| code != 0);
    (if failed { Outcome::Failed } else { Outcome::Completed }, code)
}
