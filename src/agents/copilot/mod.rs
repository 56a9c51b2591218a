//! Copilot CLI: the `events.jsonl` of a session.
//!
//! Each line is `{type, data, id, timestamp, parentId}`. A call is reported by the message that
//! requests it and again when it runs, in either order. Only `session.shutdown` reports all
//! tokens; messages report their output tokens.

mod end;
mod files;
mod usage;

use crate::agents::{AgentPlace, Dialect, NamedEvents};
use std::borrow::Cow;
use std::collections::HashMap;

use super::said::{
    Args, CallEnd, FailedPart, ModelCall, Outcome, Report, Said, SaidAnswer, SaidCall, SaidFailure,
    SaidLine, SubAgent,
};
use super::{LineReader, SourceText};
use crate::event::fields::{as_text, attachment_label, exact_text, is_placeholder};
use crate::fs::hash::sha256;
use crate::json::Json;
use crate::text::human::{duration, plural};
use end::CopilotEnd;
use usage::{NAMES, ShutdownTotals, counts, usage};

/// What the program knows of the agent.
pub(super) static AGENT: Dialect = Dialect {
    name: "copilot",
    about: "Copilot CLI: the events.jsonl of a session",
    sign,
    weak_signs: &[SHAPE],
    end_types: &["session.shutdown", "session.error"],
    unknown_version,
    named: Some(NamedEvents::ByContent),
    files: &files::CopilotFiles,
    places: &[
        AgentPlace::new(Some("COPILOT_HOME"), ".copilot", "session-state"),
        AgentPlace::new(Some("COPILOT_HOME"), ".copilot", "history-session-state"),
    ],
    reader: || Box::new(Copilot::default()),
    ..Dialect::PLAIN
};

/// The sign of a line whose type is not among those known.
pub(crate) const SHAPE: &str = "data and id";

/// What the types of lines begin with.
const PARTS: &[&str] =
    &["abort", "assistant", "hook", "session", "skill", "subagent", "system", "tool", "user"];

/// The fields that show that a line is of Copilot CLI.
pub(crate) fn sign(line: Json<'_>) -> Option<&'static str> {
    let has = |field: &str| line.get(field).is_some();
    let kind = line.text_at("type")?;
    let is_own = line.get("data").is_some_and(Json::is_object)
        && has("id")
        && has("timestamp")
        && has("parentId")
        && !has("customType")
        && (kind.contains('.') || kind == "abort");
    let part = kind.split('.').next().unwrap_or_default();
    is_own.then_some(if PARTS.contains(&part) { "data, id and parentId" } else { SHAPE })
}

/// Only version 1 is known.
pub(crate) fn unknown_version(line: Json<'_>) -> Option<String> {
    line.text_at("type").filter(|kind| kind == "session.start")?;
    let version = line.path("data.version").and_then(Json::as_u64)?;
    (version > 1).then(|| version.to_string())
}

/// The text before the exit code in the last line of a shell's output: `<exited with exit code 1>`,
/// `<shellId: 0 completed with exit code 1>`. Older versions write `exit code: 1`.
const EXITED: &str = "exit code ";
const EXITED_BEFORE: &str = "exit code: ";
/// Error codes of calls that were denied.
const DENIED: &[&str] = &["denied", "rejected", "permission_denied"];

#[derive(Default)]
struct Copilot {
    session: Option<String>,
    model: Option<String>,
    /// The tools of the calls.
    tools: HashMap<String, String>,
    /// Agents by the call that spawned them.
    agents: HashMap<String, String>,
    /// Hash of the newest reasoning. Its own event and its message both hold it.
    reasoning: Option<[u8; 32]>,
    totals: ShutdownTotals,
    end: CopilotEnd,
    /// Hash of the newest answer.
    said: Option<[u8; 32]>,
    has_prompt: bool,
}

impl LineReader for Copilot {
    fn read<'s>(&mut self, source: &SourceText<'s>) -> SaidLine<'s> {
        let line = source.json;
        let kind = line.text_at("type").unwrap_or(Cow::Borrowed("untyped"));
        let data = line.get("data").unwrap_or(Json::EMPTY);
        if let Some(session) = data.text_at("sessionId").filter(|_| kind == "session.start") {
            self.session = Some(session.into_owned());
        }
        let agent = self.agent(line, data, &kind);
        let said = self.said(line, data, &kind, agent.id.is_some());
        SaidLine {
            end: self.end.after(&kind, data, line, agent.id.is_some()),
            kind,
            id: line.text_at("id"),
            time: line.text_at("timestamp"),
            session: self.session.clone().map(Cow::Owned),
            parent: line.text_at("parentId"),
            agent,
            said,
            ..SaidLine::default()
        }
    }
}

impl Copilot {
    /// The agent of a line. Newer lines have an id of the agent, older ones the call that spawned it.
    fn agent<'s>(&mut self, line: Json<'s>, data: Json<'s>, kind: &str) -> SubAgent<'s> {
        let own = text(line, "agentId");
        let field = if kind.starts_with("subagent.") { "toolCallId" } else { "parentToolCallId" };
        let call = text(data, field);
        if let Some(call) = &call {
            let agent = own.as_ref().unwrap_or(call);
            self.agents
                .entry(call.clone().into_owned())
                .or_insert_with(|| agent.clone().into_owned());
        }
        let known = call.as_deref().and_then(|call| self.agents.get(call).cloned());
        let id = own.or(known.map(Cow::Owned));
        let spawning = || {
            let (call, _) =
                self.agents.iter().find(|(_, agent)| Some(&***agent) == id.as_deref())?;
            Some(Cow::Owned(call.clone()))
        };
        SubAgent { spawned_by: call.or_else(spawning), id, ..SubAgent::default() }
    }

    fn said<'s>(
        &mut self,
        line: Json<'s>,
        data: Json<'s>,
        kind: &str,
        is_of_agent: bool,
    ) -> Vec<Said<'s>> {
        match kind {
            "session.start" => {
                self.model = data.text_at("selectedModel").map(Cow::into_owned);
                let at = |path| data.text_at(path);
                vec![Said::facts([
                    ("agent_version", at("copilotVersion")),
                    ("model", at("selectedModel")),
                    ("cwd", at("context.cwd")),
                    ("git_branch", at("context.branch")),
                    ("repository", at("context.repository")),
                ])]
            }
            // The session goes on, perhaps elsewhere or with another model.
            "session.resume" => {
                let facts = data.present("context").map(facts);
                let said = [Said::note("The session was resumed")].into_iter().chain(facts);
                said.chain(self.model_change(data)).collect()
            }
            "session.task_complete" => self.finished(data).into_iter().collect(),
            "session.context_cleared" => {
                vec![Said::note("Context cleared"), system(data, "initialMessage")]
            }
            "session.context_changed" => vec![facts(data)],
            "session.title_changed" => {
                let title = data.text_at("title");
                title.map(|title| Said::facts([("title", Some(title))])).into_iter().collect()
            }
            "session.model_change" => self.model_change(data).into_iter().collect(),
            "session.info" => vec![system(data, "message")],
            "session.warning" => vec![Said::warning(data.text_at("message").unwrap_or_default())],
            "system.message" | "system.notification" => vec![system(data, "content")],
            "session.error" => vec![error(data, "errorType")],
            "session.truncation" => vec![truncation(data)],
            "session.compaction_complete" => compaction(data, line),
            "session.handoff" => vec![system(data, "summary")],
            "session.shutdown" => self.shutdown(data),
            "session.usage_checkpoint" => self.totals.checkpoint(data).into_iter().collect(),
            "skill.invoked" => {
                let name = data.text_at("name");
                name.map(|name| Said::Skill(name, data.text_at("path"))).into_iter().collect()
            }
            "hook.end" => hook(data).into_iter().collect(),
            "user.message" => vec![self.user(data, is_of_agent)],
            "assistant.reasoning" => self.reasoning(data, "content").into_iter().collect(),
            "assistant.message" => self.assistant(data),
            "assistant.usage" => vec![usage(data, data.text_at("apiCallId"))],
            "tool.user_requested" => vec![self.call(data, "toolName", Report::Kind(3))],
            "tool.execution_start" => vec![self.call(data, "toolName", Report::Kind(2))],
            "tool.execution_complete" => vec![self.complete(data)],
            "subagent.started" => vec![Said::note(format!("Sub-agent{} started", name(data)))],
            "subagent.completed" => vec![completed(data)],
            "subagent.failed" => vec![error(data, "agentName")],
            "abort" => vec![abort(data)],
            _ => Vec::new(),
        }
    }

    /// What a person typed, or what is said in their name.
    fn user<'s>(&mut self, data: Json<'s>, is_of_agent: bool) -> Said<'s> {
        let said = data.text_at("content").unwrap_or_default();
        let attached = data.get("attachments").into_iter().flat_map(Json::items);
        // A command that the user ran in the client is no prompt.
        if data.text_at("agentMode").is_some_and(|mode| mode == "shell") {
            return Said::system(format!("The user ran: {said}"));
        }
        let is_continued =
            data.get("isAutopilotContinuation").and_then(Json::as_bool) == Some(true);
        // Newer versions name a task with each prompt. The text is for an agent only if one has that id.
        let for_agent = data.text_at("parentAgentTaskId").is_some_and(|task| {
            self.agents.iter().any(|(call, agent)| *call == task || *agent == task)
        });
        let source = data.text_at("source").filter(|source| source != "user");
        let is_first = !std::mem::replace(&mut self.has_prompt, true);
        let by_other = source.is_some_and(|source| !is_first || source.starts_with("skill"));
        if is_continued || for_agent || by_other || is_of_agent {
            return Said::System(said);
        }
        Said::prompt(said, attached.map(attachment_label).collect())
    }

    /// What the agent says at the end of its task, unless it said it before.
    fn finished<'s>(&self, data: Json<'s>) -> Option<Said<'s>> {
        let text = data.text_at("summary")?;
        let is_new = self.said != Some(sha256(text.as_bytes()));
        is_new.then(|| Said::Answer(SaidAnswer { text, ..SaidAnswer::default() }))
    }

    /// The first model is a fact of the session. A later one is a change.
    fn model_change<'s>(&mut self, data: Json<'s>) -> Option<Said<'s>> {
        let model = data.text_at("newModel").or_else(|| text(data, "selectedModel"))?;
        match self.model.replace(model.clone().into_owned()) {
            None => Some(Said::facts([("model", Some(model))])),
            Some(before) if before == model => None,
            Some(before) => Some(Said::note(format!("Model changed from {before} to {model}"))),
        }
    }

    /// A reasoning text, unless it is the newest one again.
    fn reasoning<'s>(&mut self, data: Json<'s>, field: &str) -> Option<Said<'s>> {
        let text = data.text_at(field).filter(|text| !text.is_empty())?;
        let hash = sha256(text.as_bytes());
        let is_again = !is_placeholder(&text) && self.reasoning.replace(hash) == Some(hash);
        (!is_again).then_some(Said::Thought(text))
    }

    fn assistant<'s>(&mut self, data: Json<'s>) -> Vec<Said<'s>> {
        let (id, call) = (text(data, "messageId"), text(data, "apiCallId"));
        let mut said: Vec<_> = self.reasoning(data, "reasoningText").into_iter().collect();
        if let Some(text) = data.text_at("content").filter(|text| !text.is_empty()) {
            self.said = Some(sha256(text.as_bytes()));
            let of = ModelCall { model: self::text(data, "model"), id: id.clone() };
            said.push(Said::Answer(SaidAnswer { text, of }));
        }
        let requests = data.get("toolRequests").into_iter().flat_map(Json::items);
        said.extend(requests.map(|request| self.call(request, "name", Report::Kind(1))));
        self.totals.add_message(data, call.as_deref());
        said.push(usage(data, call.or(id)));
        said
    }

    /// The start of a call, with the arguments as a value or as JSON text.
    fn call<'s>(&mut self, request: Json<'s>, name: &str, report: Report) -> Said<'s> {
        let (id, tool) = (request.text_at("toolCallId"), request.text_at(name).unwrap_or_default());
        if let Some(id) = &id {
            self.tools.insert(id.clone().into_owned(), tool.clone().into_owned());
        }
        let args = request.get("arguments").map_or(Args::None, Args::of);
        Said::Call(SaidCall { id, tool, args, report, ..SaidCall::default() })
    }

    fn complete<'s>(&self, data: Json<'s>) -> Said<'s> {
        let result = data.present("result");
        let content = result.and_then(|result| result.present("content")).or(result);
        let content = content.map(as_text).unwrap_or_default();
        let (id, tool) = (text(data, "toolCallId"), data.text_at("toolName"));
        let started = || self.tools.get(id.as_deref()?).map(String::as_str);
        // A file that is viewed may have such a line too.
        let runs_commands = tool.as_deref().or_else(started).is_none_or(runs_commands);
        let written = || exit_code(&content).filter(|_| runs_commands);
        let of_shell = data.path("shellExecution.exitCode").and_then(Json::as_f64);
        let exit_code = of_shell.map(|code| code as i64);
        let exit_code = exit_code.or_else(|| result.and_then(given_exit_code)).or_else(written);
        let succeeded = data.get("success").and_then(Json::as_bool) != Some(false)
            && data.path("error").is_none()
            && exit_code.is_none_or(|code| code == 0);
        let message = data.path("error.message").or_else(|| data.path("error")).map(exact_text);
        let message = message.filter(|message| !message.is_empty() && !succeeded);
        let code = data.text_at("error.code");
        let is_denied = code.is_some_and(|code| DENIED.contains(&code.as_ref()));
        let spawned = id.as_deref().and_then(|id| self.agents.get(id)).cloned();
        Said::End(CallEnd {
            text: message.unwrap_or(content),
            outcome: match succeeded {
                true => Outcome::Completed,
                false if is_denied => Outcome::Denied,
                false => Outcome::Failed,
            },
            exit_code,
            duration_ms: data.path("toolTelemetry.metrics.durationMs").and_then(Json::as_u64),
            spawned: spawned.map(Cow::Owned),
            id,
            tool,
            ..CallEnd::default()
        })
    }

    /// The end of the session: its tokens so far, and the error that ended it.
    fn shutdown<'s>(&mut self, data: Json<'s>) -> Vec<Said<'s>> {
        let mut said = self.totals.after(data);
        if let Some(reason) = data.text_at("errorReason").filter(|reason| !reason.is_empty()) {
            said.push(Said::engine_failed(Some("shutdown".into()), reason));
        }
        said
    }
}

/// A text that is not a placeholder.
fn text<'s>(json: Json<'s>, path: &str) -> Option<Cow<'s, str>> {
    json.text_at(path).filter(|text| !is_placeholder(text))
}

/// Whether a tool of that name runs commands.
fn runs_commands(tool: &str) -> bool {
    tool == "tool" || ["bash", "shell"].iter().any(|word| tool.contains(word))
}

/// The exit code that a shell's output ends with.
fn exit_code(output: &str) -> Option<i64> {
    let last = output.trim_end().lines().next_back()?;
    let mark = last.strip_prefix('<').and_then(|last| last.strip_suffix('>'));
    let code = match mark {
        Some(mark) => mark.rsplit_once(EXITED).map(|(_, code)| code),
        None => last.strip_prefix(EXITED_BEFORE),
    };
    code?.parse().ok()
}

/// The exit code that a result gives beside its text.
fn given_exit_code(result: Json<'_>) -> Option<i64> {
    let parts = result.present("contents")?;
    parts.items().find_map(|part| part.get("exitCode")?.as_f64()).map(|code| code as i64)
}

fn system<'s>(data: Json<'s>, field: &str) -> Said<'s> {
    Said::System(data.text_at(field).unwrap_or_default())
}

fn facts(data: Json<'_>) -> Said<'_> {
    let names = [("cwd", "cwd"), ("git_branch", "branch"), ("repository", "repository")];
    Said::facts(names.map(|(fact, name)| (fact, data.text_at(name))))
}

fn error<'s>(data: Json<'s>, kind: &str) -> Said<'s> {
    let status = data.get("statusCode").and_then(Json::as_u64).map(|code| code.to_string());
    let code = status.map(Cow::Owned).or_else(|| data.text_at(kind));
    let message = data.text_at("message").or_else(|| data.text_at("error"));
    Said::engine_failed(code, message.unwrap_or(Cow::Borrowed("unknown error")))
}

/// A hook that failed. A hook that ran is not worth an event.
fn hook(data: Json<'_>) -> Option<Said<'_>> {
    data.get("success").and_then(Json::as_bool).filter(|success| !success)?;
    let name = data.text_at("hookType").unwrap_or_default();
    let why = data.path("error.message").or_else(|| data.path("error")).map(exact_text);
    let why = why.map(|why| format!(": {why}")).unwrap_or_default();
    let message = format!("hook {name} failed{why}").into();
    let (code, of) = (Some("hook".into()), FailedPart::Hook);
    Some(Said::Failed(SaidFailure { code, message, of, ..SaidFailure::default() }))
}

fn truncation(data: Json<'_>) -> Said<'_> {
    let removed = ["tokensRemovedDuringTruncation", "droppedTokens"];
    let removed = removed.iter().find_map(|name| data.get(name)?.as_u64());
    let removed = removed.filter(|tokens| *tokens > 0);
    let removed = removed.map(|tokens| format!(": {tokens} tokens were cut off"));
    Said::note(format!("Context compacted{}", removed.unwrap_or_default()))
}

fn compaction<'s>(data: Json<'s>, line: Json<'s>) -> Vec<Said<'s>> {
    if data.get("success").and_then(Json::as_bool) == Some(false) {
        let why = data.text_at("error").unwrap_or(Cow::Borrowed("no reason given"));
        let message = format!("the context was not compacted: {why}").into();
        let of = FailedPart::Context;
        return vec![Said::Failed(SaidFailure { message, of, ..SaidFailure::default() })];
    }
    let tokens = |name: &str, word: &str| {
        let count = data.get(name).and_then(Json::as_u64);
        count.map(|count| format!(" {word} {count} tokens")).unwrap_or_default()
    };
    let (before, after) =
        (tokens("preCompactionTokens", "from"), tokens("postCompactionTokens", "to"));
    let note = Said::note(format!("Context compacted{before}{after}"));
    let used = data.present("compactionTokensUsed").map(|used| {
        const OLDER: [&str; 5] = ["input", "output", "cachedInput", "cacheWrite", "reasoning"];
        let names = if OLDER.iter().any(|name| used.get(name).is_some()) { OLDER } else { NAMES };
        let of = ModelCall { model: text(used, "model"), id: text(line, "id") };
        Said::used(counts(used, names).tokens(), of)
    });
    [note, system(data, "summaryContent")].into_iter().chain(used).collect()
}

/// The end of a turn that did not finish: by the user, or by a limit.
fn abort(data: Json<'_>) -> Said<'_> {
    let reason = text(data, "reason");
    match reason.as_deref().filter(|reason| reason.starts_with("autopilot")) {
        Some(limit) => Said::note(format!("Turn aborted: {limit}")),
        None => Said::Interrupted(reason),
    }
}

/// The name of a sub-agent, after a space.
fn name(data: Json<'_>) -> String {
    let name = text(data, "agentDisplayName").or_else(|| text(data, "agentName"));
    name.map(|name| format!(" {name}")).unwrap_or_default()
}

/// How a sub-agent ended, and what it did and used.
fn completed(data: Json<'_>) -> Said<'_> {
    let is_cancelled = data.get("cancelled").and_then(Json::as_bool) == Some(true);
    let number = |name: &str| data.get(name).and_then(Json::as_u64).filter(|number| *number > 0);
    let mut parts = Vec::new();
    parts.extend(number("totalToolCalls").map(|calls| plural(calls, "call")));
    parts.extend(number("totalTokens").map(|tokens| plural(tokens, "token")));
    parts.extend(number("durationMs").map(duration));
    let parts = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
    let how = if is_cancelled { "was cancelled" } else { "finished" };
    Said::note(format!("Sub-agent{} {how}{parts}", name(data)))
}
