//! OpenHands. V0: one run per line with a `history` of actions and observations, or a list of these.
//! V1: one event per line or file, with its class in `kind`, and the state of the conversation in a
//! file of its own.
//!
//! V0 observations name their action in `cause`. Times have no zone.

mod usage;
mod v1;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use usage::CallUsage;
pub(crate) use usage::is_sum;

use crate::agents::source::{
    EndedCall, StartedCall, call_blocked, call_end, engine_error, event, of_agent, text_event,
};
use crate::agents::{AdaptedLine, Adapter, SessionEnd, SourcePart, SourceText};
use crate::event::draft::Draft;
use crate::event::fields::{as_text, is_placeholder};
use crate::fs::hash::{hex, sha256};
use crate::json::{self, Json, JsonRules, Kind, ObjectText};

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
    let state = |value: &str, path: &str| {
        line.text_at(path).filter(|_| {
            ["observation", "key"].iter().any(|name| line.text_at(name).as_deref() == Some(value))
        })
    };
    let state = state("agent_state_changed", "extras.agent_state")
        .or_else(|| state("execution_status", "value"))
        .or_else(|| state("full_state", "value.execution_status"))
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
    if line.text_at("kind").as_deref() == Some("ConversationErrorEvent") {
        let reason = ["detail", "message", "code"].iter().find_map(|name| line.text_at(name));
        return Some(SessionEnd::failed(reason.unwrap_or(Cow::Borrowed("error"))));
    }
    if line.text_at("action").as_deref() == Some("finish") {
        let done = line.path("args.task_completed").map(as_text);
        return match done.as_deref() {
            Some("true") => Some(SessionEnd::completed()),
            Some("false") => Some(SessionEnd::incomplete("the agent did not complete its task")),
            Some("partial") => {
                Some(SessionEnd::incomplete("the agent completed its task only in part"))
            }
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

/// The members of a V0 run that tell the evaluation: the same instance is solved in several.
const EVALUATION: [&str; 2] = ["metadata.eval_output_dir", "metadata.start_time"];

/// V0: the id of a run: that of its instance, with a hash of what tells the evaluation.
fn session_of(json: Json<'_>) -> Option<String> {
    let id = json.text_at("instance_id").or_else(|| json.text_at("id"))?;
    let evaluation: Vec<_> = EVALUATION.iter().filter_map(|path| json.text_at(path)).collect();
    Some(match evaluation.is_empty() {
        true => id.into_owned(),
        false => format!("{id}-{}", hex(&sha256(evaluation.join("\n").as_bytes())[..4])),
    })
}

/// A new adapter.
pub(super) fn adapter() -> Box<dyn Adapter> {
    Box::new(OpenHands::default())
}

/// Members of a V0 action's `args` that are not arguments of the call.
const NO_ARGUMENTS: &[&str] = &[
    "thought",
    "blocking",
    "confirmation_state",
    "hidden",
    "impl_source",
    "is_input",
    "is_static",
    "security_risk",
];

/// The beginning of the content of a V0 observation whose edit or read failed.
const FAILED_EDIT: &str = "ERROR:\n";

/// The exit code of a V0 or V1 command that is still running.
const STILL_RUNNING: i64 = -1;

#[derive(Default)]
struct OpenHands {
    session_id: Option<String>,
    /// V0: the calls of the run by their actions' ids, with their tools.
    calls: HashMap<u64, (String, String)>,
    /// V0: call ids that were used. The next run of a file may use them again.
    used: HashSet<String>,
    usage: CallUsage,
    /// V1: the calls of other programs' agents that have started.
    acp_calls: HashSet<String>,
    /// V1: the other calls, by the ids that the model gave them.
    actions: HashMap<String, v1::ActionsOfCall>,
    /// The newest time, for the state, which has none.
    newest_time: Option<String>,
}

impl Adapter for OpenHands {
    fn prepare(&mut self, state: Json<'_>, sums: &HashSet<String>) {
        self.usage.list(state, sums);
    }

    fn read(&mut self, source: &SourceText<'_>) -> AdaptedLine {
        let json = source.json;
        let text = |name: &str| json.text_at(name).map(Cow::into_owned);
        // A file can hold one event, on several lines.
        let is_event =
            ["kind", "action", "observation"].iter().any(|name| json.get(name).is_some());
        if source.part == SourcePart::Document && !is_event && !is_state(json) {
            return AdaptedLine {
                source_type: "document".to_owned(),
                drafts: self.document(json),
                session_id: self.session_id.clone(),
                ..AdaptedLine::default()
            };
        }
        let (source_type, drafts) = if is_state(json) {
            ("state".to_owned(), self.stored_state(json))
        } else if let Some(kind) = text("kind") {
            let mut drafts = self.event(&kind, source);
            let response = text("llm_response_id");
            drafts.extend(response.iter().flat_map(|id| self.usage.of_response(id)));
            (kind, drafts)
        } else if let Some(action) = text("action") {
            let mut drafts = self.action(&action, source);
            drafts.extend(self.action_usage(json));
            (format!("action/{action}"), drafts)
        } else if let Some(observation) = text("observation") {
            (format!("observation/{observation}"), self.observation(&observation, json))
        } else {
            ("untyped".to_owned(), Vec::new())
        };
        // V0 numbers the events of each run from 0.
        let time = text("timestamp").or_else(|| self.newest_time.clone());
        self.newest_time.clone_from(&time);
        let number = json.get("id").and_then(Json::as_u64);
        let numbered =
            number.zip(self.session_id.as_deref()).map(|(id, run)| format!("{run}/{id}"));
        AdaptedLine {
            source_type,
            source_id: text("id").or(numbered),
            time,
            session_id: self.session_id.clone(),
            parent: None,
            drafts,
            ..AdaptedLine::default()
        }
    }
}

impl OpenHands {
    /// V0: the members of a run besides its history.
    fn document(&mut self, json: Json<'_>) -> Vec<Draft<'static>> {
        let mut drafts = Vec::new();
        if let Some(session) = session_of(json) {
            self.session_id = Some(session);
            self.calls.clear();
            self.usage.forget();
            drafts.push(event("config.loaded", |data| {
                let at = |path: &str| json.text_at(path);
                data.text("agent", "openhands");
                data.text_if("agent_class", at("metadata.agent_class").as_deref());
                data.text_if("model", at("metadata.llm_config.model").as_deref());
                data.text_if("title", at("instance_id").or_else(|| at("id")).as_deref());
            }));
        }
        // What the last calls used that led to no action.
        if let Some(metrics) = json.present("metrics") {
            drafts.extend(self.usage.newest("", metrics, None));
        }
        let error = json.present("error").map(as_text).filter(|error| !error.is_empty());
        drafts.extend(error.map(|error| engine_error(None, &error)));
        drafts
    }

    fn action(&mut self, action: &str, source: &SourceText<'_>) -> Vec<Draft<'static>> {
        let json = source.json;
        let from = json.text_at("source").unwrap_or_default();
        let arg = |name: &str| {
            json.path("args").and_then(|args| args.text_at(name)).filter(|text| !text.is_empty())
        };
        let model = json.text_at("tool_call_metadata.model_response.model");
        let said = |text: Cow<'_, str>| said(&text, model.as_deref());
        match (action, from.as_ref()) {
            ("message", "user") => {
                let text = arg("content").map(|text| text_event("message.user", &text));
                text.into_iter().collect()
            }
            ("message", "agent") => arg("content").map(said).into_iter().collect(),
            ("system", _) => {
                let mut drafts = Vec::new();
                drafts.extend(arg("openhands_version").map(|version| {
                    event("config.loaded", |data| {
                        data.text("agent", "openhands").text("agent_version", &version);
                    })
                }));
                drafts.extend(arg("content").map(|text| text_event("message.system", &text)));
                drafts
            }
            ("message", _) => {
                arg("content").map(|text| text_event("message.system", &text)).into_iter().collect()
            }
            ("condensation", _) => compacted(arg("summary")),
            ("change_agent_state", "user")
                if arg("agent_state").is_some_and(|state| state == "stopped") =>
            {
                vec![event("user.interrupted", |_| {})]
            }
            // The recall repeats the prompt as its query.
            ("recall" | "null" | "change_agent_state" | "condensation_request" | "pause", _) => {
                Vec::new()
            }
            _ => {
                let mut drafts = Vec::new();
                if action != "think" {
                    drafts.extend(arg("thought").map(said));
                }
                self.start(action, source, &mut drafts);
                drafts
            }
        }
    }

    /// V0: an action that is a call.
    fn start(&mut self, action: &str, source: &SourceText<'_>, drafts: &mut Vec<Draft<'static>>) {
        let json = source.json;
        let at = |name: &str| json.path("tool_call_metadata").and_then(|call| call.text_at(name));
        let tool = at("function_name").unwrap_or(Cow::Borrowed(action)).into_owned();
        let id = at("tool_call_id")
            .filter(|id| !is_placeholder(id) && self.used.insert(id.clone().into_owned()));
        let mut args = ObjectText::new();
        // The action that views a file leaves out the command of the editor.
        let has_command = json.path("args.command").is_some();
        if action == "read" && tool.contains("edit") && !has_command {
            args.text("command", "view");
        }
        for (name, value) in json.get("args").into_iter().flat_map(Json::raw_members) {
            let is_empty = matches!(value.text(), "null" | "\"\"");
            if !is_empty && (action == "think" || !NO_ARGUMENTS.contains(&name)) {
                args.json(name, value);
            }
        }
        let args = args.finish();
        let call = StartedCall { id, tool: &tool, args: Some(Json::trusted(&args)) };
        let draft = source.call(&call, 0, |_| {});
        let id = draft.correlation_id.clone().unwrap_or_default().into_owned();
        drafts.push(draft);
        if action == "finish" {
            // The controller ends the run and no observation follows.
            let text = ["final_thought", "outputs.content"]
                .iter()
                .find_map(|path| json.path("args").and_then(|args| args.text_at(path)));
            let end =
                EndedCall { id: &id, tool: &tool, text: &text.unwrap_or_default(), failed: false };
            drafts.push(call_end(&end, |_| {}));
        } else if let Some(number) = json.get("id").and_then(Json::as_u64) {
            self.calls.insert(number, (id, tool));
        }
    }

    fn observation(&mut self, observation: &str, json: Json<'_>) -> Vec<Draft<'static>> {
        let text = json.present("content").map(as_text).unwrap_or_default();
        let call = json.get("cause").and_then(Json::as_u64);
        let call = call.and_then(|cause| self.calls.remove(&cause));
        match (observation, call) {
            ("recall", _) => vec![text_event("message.system", &recalled(json, &text))],
            ("user_rejected", Some((id, tool))) => vec![call_blocked(&id, &tool, &text)],
            ("error", None) => {
                let code = json.text_at("extras.error_id").filter(|code| !code.is_empty());
                vec![engine_error(code.as_deref(), &text)]
            }
            (_, Some((id, tool))) => {
                let exit_code = json.path("extras.metadata.exit_code");
                // What a delegate reports is beside an empty content.
                let report = json.text_at("extras.outputs.content");
                let text = report.filter(|_| text.is_empty()).unwrap_or(text);
                let failed = observation == "error"
                    || json.path("extras.error").and_then(Json::as_bool) == Some(true)
                    || (observation == "mcp" && is_mcp_error(&text))
                    || json.get("success").and_then(Json::as_bool) == Some(false)
                    || text.starts_with(FAILED_EDIT)
                    || exit_code.is_some_and(failed_with);
                let end = EndedCall { id: &id, tool: &tool, text: &text, failed };
                vec![call_end(&end, |data| {
                    exit_code_of(data, exit_code);
                })]
            }
            _ => Vec::new(),
        }
    }

    /// V0: what the response that led to an action used.
    fn action_usage(&mut self, json: Json<'_>) -> Option<Draft<'static>> {
        let response = json.text_at("tool_call_metadata.model_response.id");
        self.usage.newest("", json.present("llm_metrics")?, response.as_deref())
    }

    /// V1: an event.
    fn event(&mut self, kind: &str, source: &SourceText<'_>) -> Vec<Draft<'static>> {
        let json = source.json;
        let text = |name: &str| json.text_at(name);
        match kind {
            "SystemPromptEvent" => {
                let prompt = json.path("system_prompt").map(v1::text_of);
                let dynamic = json.path("dynamic_context").map(v1::text_of);
                let texts = prompt.into_iter().chain(dynamic).filter(|text| !text.is_empty());
                texts.map(|text| text_event("message.system", &text)).collect()
            }
            "MessageEvent" => v1::message(json),
            "ActionEvent" => {
                let id = self.action_id(source);
                v1::started(source, id)
            }
            "ObservationEvent" => {
                let is_started = self.actions.contains_key(&v1::call_id(source));
                v1::observed(source, &self.call_id(source), is_started)
            }
            "ACPToolCallEvent" => self.acp_call(source),
            "HookExecutionEvent" => v1::hook(json),
            "UserRejectObservation" => {
                let reason = text("rejection_reason").unwrap_or_default();
                vec![call_blocked(&self.call_id(source), &v1::tool(json), &reason)]
            }
            "AgentErrorEvent" => {
                let error = text("error").unwrap_or_default();
                let (id, tool) = (self.call_id(source), v1::tool(json));
                let end = EndedCall { id: &id, tool: &tool, text: &error, failed: true };
                vec![call_end(&end, |_| {})]
            }
            "ConversationErrorEvent" | "ServerErrorEvent" => {
                let detail = text("detail").or_else(|| text("message")).unwrap_or_default();
                vec![engine_error(text("code").as_deref(), &detail)]
            }
            "PauseEvent" | "InterruptEvent" => vec![event("user.interrupted", |data| {
                data.text_if("reason", text("reason").as_deref());
            })],
            "Condensation" => compacted(text("summary")),
            "ConversationStateUpdateEvent" => self.state(json),
            _ => Vec::new(),
        }
    }

    /// V1: the id of the call that an action starts: the model's, unless an earlier action has it.
    fn action_id(&mut self, source: &SourceText<'_>) -> Option<String> {
        let own = |name: &str| source.text(name).filter(|id| !is_placeholder(id));
        let (action, Some(call)) = (own("id"), own("tool_call_id")) else { return own("id") };
        let Some(action) = action else { return Some(call) };
        let actions = self.actions.entry(call.clone()).or_default();
        Some(actions.start(call, &action))
    }

    /// V1: the id of the call that an observation ends.
    fn call_id(&self, source: &SourceText<'_>) -> String {
        let own = v1::call_id(source);
        match self.actions.get(&own) {
            Some(actions) => actions.call(own, source.text("action_id").as_deref()),
            None => own,
        }
    }

    /// V1: a call of an agent of another program (Agent Client Protocol). There is an event when it
    /// starts and one when it ends, or only the latter.
    fn acp_call(&mut self, source: &SourceText<'_>) -> Vec<Draft<'static>> {
        let json = source.json;
        let id = v1::call_id(source);
        let mut drafts = Vec::new();
        let begins = self.acp_calls.insert(id.clone());
        if begins {
            drafts.push(v1::acp_start(source, &id));
        }
        drafts.extend(v1::acp_end(json, &id, begins));
        let parent = json.text_at("parent_tool_call_id").filter(|id| !is_placeholder(id));
        let of_agent = |draft| of_agent(draft, parent.as_deref(), parent.as_deref());
        drafts.into_iter().map(of_agent).collect()
    }

    /// V1: the state of a conversation, from the file beside its events.
    fn stored_state(&mut self, state: Json<'_>) -> Vec<Draft<'static>> {
        [v1::settings(state)].into_iter().chain(self.usage.of_state(state)).collect()
    }

    /// V1: a change of the conversation's state.
    fn state(&mut self, json: Json<'_>) -> Vec<Draft<'static>> {
        let Some(value) = json.present("value") else { return Vec::new() };
        let is_full = json.text_at("key").is_some_and(|key| key == "full_state");
        let mut drafts = Vec::new();
        if is_full {
            self.session_id = value.text_at("id").map(Cow::into_owned).or(self.session_id.take());
            drafts.push(v1::settings(value));
        }
        let stats = if is_full { value.path("stats") } else { Some(value) };
        let all = stats.and_then(|stats| stats.path("usage_to_metrics"));
        for (name, metrics) in all.into_iter().flat_map(Json::members) {
            drafts.extend(self.usage.of_change(&name, metrics));
        }
        drafts
    }
}

fn said(text: &str, model: Option<&str>) -> Draft<'static> {
    event("message.assistant", |data| {
        data.text("text", text).text_if("model", model);
    })
}

fn compacted(summary: Option<Cow<'_, str>>) -> Vec<Draft<'static>> {
    let mut drafts = vec![text_event("note", "Context compacted")];
    drafts.extend(summary.map(|text| text_event("message.system", &text)));
    drafts
}

/// V0: the text that a recall adds to the context.
fn recalled(json: Json<'_>, text: &str) -> String {
    let mut texts = vec![text.to_owned()];
    let extra = |name: &str| json.path("extras").and_then(|extras| extras.text_at(name));
    let named = ["repo_instructions", "additional_agent_instructions"];
    texts.extend(named.iter().filter_map(|name| extra(name)).map(Cow::into_owned));
    let knowledge = json.path("extras.microagent_knowledge").into_iter().flat_map(Json::items);
    texts.extend(knowledge.filter_map(|item| item.text_at("content")).map(Cow::into_owned));
    texts.retain(|text| !text.is_empty());
    texts.join("\n\n")
}

/// V0: whether the result of a call of an MCP server, JSON as text, says that the call failed.
fn is_mcp_error(text: &str) -> bool {
    let result = json::check(text.as_bytes(), JsonRules::LENIENT).ok();
    result.and_then(|result| result.get("isError")?.as_bool()) == Some(true)
}

fn failed_with(exit_code: Json<'_>) -> bool {
    exit_code.as_f64().is_some_and(|code| code != 0.0 && code != STILL_RUNNING as f64)
}

fn exit_code_of(data: &mut ObjectText, exit_code: Option<Json<'_>>) {
    let ended = |code: &Json<'_>| code.as_f64().is_some_and(|code| code != STILL_RUNNING as f64);
    if let Some(code) = exit_code.filter(ended) {
        data.json("exit_code", code);
    }
}
