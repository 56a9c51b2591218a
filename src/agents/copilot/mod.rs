//! Copilot CLI: the `events.jsonl` of a session.
//!
//! Each line is `{type, data, id, timestamp, parentId}`. A call is reported by the message that
//! requests it and again when it runs, in either order. Only `session.shutdown` reports all
//! tokens; messages report their output tokens.

pub(crate) mod end;
pub(crate) mod usage;

use std::borrow::Cow;
use std::collections::HashMap;

use crate::agents::calls::{CallOutcome, ReportedCalls};
use crate::agents::source::{ENGINE, StartedCall, event, of_agent, prompt, text_event};
use crate::agents::{AdaptedLine, Adapter, SourceText};
use crate::event::draft::Draft;
use crate::event::fields::{as_text, attachment_label, exact_text, is_placeholder};
use crate::event::severity::Severity;
use crate::fs::hash::sha256;
use crate::json::Json;
use crate::text::human::{duration, plural};
use end::CopilotEnd;
use usage::{NAMES, ShutdownTotals, counts, usage};

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

/// A new adapter.
pub(crate) fn adapter() -> Box<dyn Adapter> {
    Box::new(Copilot::default())
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
    calls: ReportedCalls,
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

/// A line and the agent that it is of.
struct CopilotLine<'s> {
    source: SourceText<'s>,
    data: Json<'s>,
    agent: Option<Cow<'s, str>>,
    spawned_by: Option<Cow<'s, str>>,
}

impl Adapter for Copilot {
    fn read(&mut self, source: &SourceText<'_>) -> AdaptedLine {
        let source_type = source.text("type").unwrap_or_else(|| "untyped".to_owned());
        if let Some(session) =
            source.text("data.sessionId").filter(|_| source_type == "session.start")
        {
            self.session = Some(session);
        }
        let data = source.json.get("data").unwrap_or(Json::EMPTY);
        let line = self.line(source, data, &source_type);
        let drafts = match source_type.as_str() {
            "session.start" => vec![self.start(data)],
            "session.resume" => self.resume(data),
            "session.task_complete" => self.finished(data),
            "session.context_cleared" => {
                let note = text_event("note", "Context cleared");
                [note].into_iter().chain(system(data, "initialMessage")).collect()
            }
            "session.context_changed" => facts(data),
            "session.title_changed" => title(data),
            "session.model_change" => self.model_change(data).into_iter().collect(),
            "session.info" => system(data, "message"),
            "session.warning" => warning(data).into_iter().collect(),
            "system.message" | "system.notification" => system(data, "content"),
            "session.error" => vec![error(data, "errorType")],
            "session.truncation" => vec![truncation(data)],
            "session.compaction_complete" => compaction(data, source.json),
            "session.handoff" => system(data, "summary"),
            "session.shutdown" => self.shutdown(data),
            "session.usage_checkpoint" => self.totals.checkpoint(data).into_iter().collect(),
            "skill.invoked" => skill(data),
            "hook.end" => hook(data),
            "user.message" => self.user(&line),
            "assistant.reasoning" => self.reasoning(data.text_at("content")).into_iter().collect(),
            "assistant.message" => self.assistant(&line),
            "assistant.usage" => {
                usage(data, data.text_at("apiCallId").as_deref()).into_iter().collect()
            }
            "tool.user_requested" | "tool.execution_start" => self.execution(&line),
            "tool.execution_complete" => self.complete(&line),
            "subagent.started" | "subagent.completed" | "subagent.failed" => {
                subagent(data, &source_type)
            }
            "abort" => vec![abort(data)],
            _ => Vec::new(),
        };
        let is_of_agent = line.agent.is_some();
        let ending = self.end.after(&source_type, data, source.json, is_of_agent);
        let of_agent = |draft| of_agent(draft, line.agent.as_deref(), line.spawned_by.as_deref());
        AdaptedLine {
            source_type,
            source_id: source.text("id"),
            time: source.text("timestamp"),
            session_id: self.session.clone(),
            parent: source.text("parentId"),
            ending,
            drafts: drafts.into_iter().map(of_agent).collect(),
            ..AdaptedLine::default()
        }
    }
}

impl Copilot {
    /// The line with its agent. Newer lines have an id of the agent, older ones the call that
    /// spawned it.
    fn line<'s>(
        &mut self,
        source: &SourceText<'s>,
        data: Json<'s>,
        source_type: &str,
    ) -> CopilotLine<'s> {
        let own = text(source.json, "agentId");
        let field =
            if source_type.starts_with("subagent.") { "toolCallId" } else { "parentToolCallId" };
        let call = text(data, field);
        if let Some(call) = &call {
            let agent = own.clone().unwrap_or_else(|| call.clone());
            self.agents.entry(call.clone().into_owned()).or_insert_with(|| agent.into_owned());
        }
        let known = call.as_deref().and_then(|call| self.agents.get(call).cloned());
        let agent = own.or(known.map(Cow::Owned));
        let spawning = || {
            let agent = agent.as_deref()?;
            let (call, _) = self.agents.iter().find(|(_, known)| *known == agent)?;
            Some(Cow::Owned(call.clone()))
        };
        let spawned_by = call.or_else(spawning);
        CopilotLine { source: *source, data, agent, spawned_by }
    }

    fn start(&mut self, data: Json<'_>) -> Draft<'static> {
        self.model = data.text_at("selectedModel").map(Cow::into_owned);
        event("config.loaded", |more| {
            more.text_if("agent_version", data.text_at("copilotVersion").as_deref());
            more.text_if("model", self.model.as_deref());
            more.text_if("cwd", data.text_at("context.cwd").as_deref());
            more.text_if("git_branch", data.text_at("context.branch").as_deref());
            more.text_if("repository", data.text_at("context.repository").as_deref());
        })
    }

    /// What a person typed, and what is said in their name.
    fn user(&mut self, line: &CopilotLine<'_>) -> Vec<Draft<'static>> {
        let data = line.data;
        let said = data.text_at("content").unwrap_or_default();
        let attached = data.get("attachments").into_iter().flat_map(Json::items);
        let attached: Vec<String> = attached.map(attachment_label).collect();
        // A command that the user ran in the client is no prompt.
        if data.text_at("agentMode").is_some_and(|mode| mode == "shell") {
            return vec![text_event("message.system", &format!("The user ran: {said}"))];
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
        if !is_continued && !for_agent && !by_other && line.agent.is_none() {
            return prompt(&said, &attached).into_iter().collect();
        }
        system(data, "content")
    }

    /// What the agent says at the end of its task, unless it said it before.
    fn finished(&self, data: Json<'_>) -> Vec<Draft<'static>> {
        let said = data.text_at("summary").filter(|said| !said.is_empty());
        let said = said.filter(|said| self.said != Some(sha256(said.as_bytes())));
        said.map(|said| text_event("message.assistant", &said)).into_iter().collect()
    }

    /// The session goes on, perhaps elsewhere or with another model.
    fn resume(&mut self, data: Json<'_>) -> Vec<Draft<'static>> {
        let mut drafts = vec![text_event("note", "The session was resumed")];
        drafts.extend(data.present("context").map(facts).into_iter().flatten());
        drafts.extend(self.model_change(data));
        drafts
    }

    /// The first model is a fact of the session. A later one is a change.
    fn model_change(&mut self, data: Json<'_>) -> Option<Draft<'static>> {
        let model = data.text_at("newModel").or_else(|| text(data, "selectedModel"))?.into_owned();
        let before = self.model.replace(model.clone());
        match before {
            None => Some(event("config.loaded", |more| {
                more.text("model", &model);
            })),
            Some(before) if before == model => None,
            Some(before) => {
                Some(text_event("note", &format!("Model changed from {before} to {model}")))
            }
        }
    }

    /// A reasoning text, unless it is the newest one again.
    fn reasoning(&mut self, text: Option<Cow<'_, str>>) -> Option<Draft<'static>> {
        let text = text.filter(|text| !text.is_empty())?;
        let hash = sha256(text.as_bytes());
        if !is_placeholder(&text) && self.reasoning.replace(hash) == Some(hash) {
            return None;
        }
        Some(text_event("message.reasoning", &text))
    }

    fn assistant(&mut self, line: &CopilotLine<'_>) -> Vec<Draft<'static>> {
        let data = line.data;
        let id = text(data, "messageId");
        let mut drafts: Vec<_> =
            self.reasoning(data.text_at("reasoningText")).into_iter().collect();
        if let Some(said) = data.text_at("content").filter(|said| !said.is_empty()) {
            self.said = Some(sha256(said.as_bytes()));
            drafts.push(event("message.assistant", |more| {
                more.text("text", &said).text_if("model", text(data, "model").as_deref());
                more.text_if("message_id", id.as_deref());
            }));
        }
        let requests = data.get("toolRequests").into_iter().flat_map(Json::items);
        for (index, request) in requests.enumerate() {
            let tool = request.text_at("name").unwrap_or(Cow::Borrowed("tool"));
            drafts.extend(self.begin(line, request, &tool, index));
        }
        let call = text(data, "apiCallId");
        self.totals.add_message(data, call.as_deref());
        drafts.extend(usage(data, call.or(id).as_deref()));
        drafts
    }

    /// The start of a call, with the arguments as a value or as JSON text.
    fn begin(
        &mut self,
        line: &CopilotLine<'_>,
        request: Json<'_>,
        tool: &str,
        index: usize,
    ) -> Option<Draft<'static>> {
        let args = request.get("arguments");
        let inner = args.and_then(Json::as_str).filter(|inner| inner.starts_with('{'));
        let inner = inner.as_deref().and_then(|inner| {
            crate::json::check(inner.as_bytes(), crate::json::JsonRules::STRICT).ok()
        });
        let args = inner.or(args);
        let call = StartedCall { id: request.text_at("toolCallId"), tool, args };
        self.calls.start(&line.source, &call, index, |_| {})
    }

    fn execution(&mut self, line: &CopilotLine<'_>) -> Vec<Draft<'static>> {
        let tool = line.data.text_at("toolName").unwrap_or(Cow::Borrowed("tool"));
        let call = StartedCall { id: line.data.text_at("toolCallId"), tool: &tool, args: None };
        if self.calls.confirm_unnamed(&call) {
            return Vec::new();
        }
        self.begin(line, line.data, &tool, 0).into_iter().collect()
    }

    fn complete(&mut self, line: &CopilotLine<'_>) -> Vec<Draft<'static>> {
        let data = line.data;
        let result = data.present("result");
        let content = result.and_then(|result| result.present("content")).or(result);
        let content = content.map(as_text).unwrap_or_default();
        let id = text(data, "toolCallId");
        let tool = data.text_at("toolName");
        let named = tool.as_deref().or_else(|| self.calls.tool(id.as_deref()?));
        // A file that is viewed may have such a line too.
        let written = || exit_code(&content).filter(|_| named.is_none_or(runs_commands));
        let of_shell =
            data.path("shellExecution.exitCode").and_then(Json::as_f64).map(|code| code as i64);
        let exit_code = of_shell.or_else(|| result.and_then(told_exit_code)).or_else(written);
        let succeeded = data.get("success").and_then(Json::as_bool) != Some(false)
            && data.path("error").is_none()
            && exit_code.is_none_or(|code| code == 0);
        let message = data.path("error.message").or_else(|| data.path("error")).map(exact_text);
        let code = data.text_at("error.code");
        let is_denied = code.is_some_and(|code| DENIED.contains(&code.as_ref()));
        let message = message.filter(|message| !message.is_empty());
        let error = || message.clone().unwrap_or_else(|| content.clone()).into_owned();
        let outcome = match succeeded {
            true => CallOutcome::Completed(content.clone().into_owned()),
            false if is_denied => CallOutcome::Blocked(error()),
            false => CallOutcome::Failed(error()),
        };
        let spawned = id.as_deref().and_then(|id| self.agents.get(id));
        let end = self.calls.end(&line.source, id.as_deref(), tool.as_deref(), &outcome, |more| {
            let duration = data.path("toolTelemetry.metrics.durationMs").and_then(Json::as_u64);
            if let Some(duration) = duration {
                more.plain("duration_ms", duration);
            }
            if let Some(code) = exit_code {
                more.plain("exit_code", code);
            }
            more.text_if("spawned_agent_id", spawned.map(String::as_str));
        });
        end.into_iter().collect()
    }

    /// The end of the session: its tokens so far, and the error that ended it.
    fn shutdown(&mut self, data: Json<'_>) -> Vec<Draft<'static>> {
        let mut drafts = self.totals.after(data);
        if let Some(reason) = data.text_at("errorReason").filter(|reason| !reason.is_empty()) {
            drafts.push(event("error", |more| {
                more.text("code", "shutdown").text("message", &reason).text("category", ENGINE);
            }));
        }
        drafts
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
fn told_exit_code(result: Json<'_>) -> Option<i64> {
    let parts = result.present("contents")?;
    parts.items().find_map(|part| part.get("exitCode")?.as_f64()).map(|code| code as i64)
}

fn system(data: Json<'_>, field: &str) -> Vec<Draft<'static>> {
    let said = data.text_at(field).filter(|said| !said.is_empty());
    said.map(|said| text_event("message.system", &said)).into_iter().collect()
}

fn warning(data: Json<'_>) -> Option<Draft<'static>> {
    let message = data.text_at("message").filter(|message| !message.is_empty())?;
    Some(Draft { severity: Some(Severity::Warning), ..text_event("note", &message) })
}

fn facts(data: Json<'_>) -> Vec<Draft<'static>> {
    vec![event("config.loaded", |more| {
        more.text_if("cwd", data.text_at("cwd").as_deref());
        more.text_if("git_branch", data.text_at("branch").as_deref());
        more.text_if("repository", data.text_at("repository").as_deref());
    })]
}

fn title(data: Json<'_>) -> Vec<Draft<'static>> {
    let config = |title: Cow<'_, str>| {
        event("config.loaded", |more| {
            more.text("title", &title);
        })
    };
    data.text_at("title").map(config).into_iter().collect()
}

fn skill(data: Json<'_>) -> Vec<Draft<'static>> {
    let loaded = |name: Cow<'_, str>| {
        event("skill.loaded", |more| {
            more.text("skill_id", &name).text_if("path", data.text_at("path").as_deref());
        })
    };
    data.text_at("name").map(loaded).into_iter().collect()
}

fn error(data: Json<'_>, kind: &str) -> Draft<'static> {
    let status = data.get("statusCode").and_then(Json::as_u64).map(|code| code.to_string());
    let code = status.map(Cow::Owned).or_else(|| data.text_at(kind));
    event("error", |more| {
        more.text_if("code", code.as_deref());
        let message = data.text_at("message").or_else(|| data.text_at("error"));
        more.text("message", message.as_deref().unwrap_or("unknown error"));
        more.text("category", ENGINE);
    })
}

/// A hook that failed. A hook that ran is not worth an event.
fn hook(data: Json<'_>) -> Vec<Draft<'static>> {
    if data.get("success").and_then(Json::as_bool) != Some(false) {
        return Vec::new();
    }
    let name = data.text_at("hookType").unwrap_or_default();
    let why = data.path("error.message").or_else(|| data.path("error")).map(exact_text);
    let why = why.map(|why| format!(": {why}")).unwrap_or_default();
    vec![event("error", |more| {
        more.text("code", "hook").text("message", &format!("hook {name} failed{why}"));
        more.text("category", "hook");
    })]
}

fn truncation(data: Json<'_>) -> Draft<'static> {
    let removed = ["tokensRemovedDuringTruncation", "droppedTokens"];
    let removed = removed.iter().find_map(|name| data.get(name)?.as_u64());
    let removed = removed.filter(|tokens| *tokens > 0);
    let removed = removed.map(|tokens| format!(": {tokens} tokens were cut off"));
    text_event("note", &format!("Context compacted{}", removed.unwrap_or_default()))
}

fn compaction(data: Json<'_>, line: Json<'_>) -> Vec<Draft<'static>> {
    if data.get("success").and_then(Json::as_bool) == Some(false) {
        let why = data.text_at("error").unwrap_or(Cow::Borrowed("no reason given"));
        return vec![event("error", |more| {
            more.text("message", &format!("the context was not compacted: {why}"));
            more.text("category", "context");
        })];
    }
    let tokens = |name: &str| data.get(name).and_then(Json::as_u64);
    let before = tokens("preCompactionTokens").map(|count| format!(" from {count} tokens"));
    let after = tokens("postCompactionTokens").map(|count| format!(" to {count} tokens"));
    let note =
        format!("Context compacted{}{}", before.unwrap_or_default(), after.unwrap_or_default());
    let mut drafts = vec![text_event("note", &note)];
    drafts.extend(system(data, "summaryContent"));
    if let Some(used) = data.present("compactionTokensUsed") {
        const OLDER: [&str; 5] = ["input", "output", "cachedInput", "cacheWrite", "reasoning"];
        let names = if OLDER.iter().any(|name| used.get(name).is_some()) { OLDER } else { NAMES };
        let (model, id) = (text(used, "model"), text(line, "id"));
        drafts.extend(counts(used, names).finish(model.as_deref(), id.as_deref()));
    }
    drafts
}

/// The end of a turn that did not finish: by the user, or by a limit.
fn abort(data: Json<'_>) -> Draft<'static> {
    let reason = text(data, "reason");
    if let Some(limit) = reason.as_deref().filter(|reason| reason.starts_with("autopilot")) {
        return text_event("note", &format!("Turn aborted: {limit}"));
    }
    event("user.interrupted", |more| {
        more.text_if("reason", reason.as_deref());
    })
}

/// How a sub-agent ended, and what it did and used.
fn completed(data: Json<'_>, name: &str) -> String {
    let is_cancelled = data.get("cancelled").and_then(Json::as_bool) == Some(true);
    let number = |name: &str| data.get(name).and_then(Json::as_u64).filter(|number| *number > 0);
    let mut parts = Vec::new();
    parts.extend(number("totalToolCalls").map(|calls| plural(calls, "call")));
    parts.extend(number("totalTokens").map(|tokens| plural(tokens, "token")));
    parts.extend(number("durationMs").map(duration));
    let parts = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
    format!("Sub-agent{name} {}{parts}", if is_cancelled { "was cancelled" } else { "finished" })
}

fn subagent(data: Json<'_>, source_type: &str) -> Vec<Draft<'static>> {
    let name = text(data, "agentDisplayName").or_else(|| text(data, "agentName"));
    let name = name.map(|name| format!(" {name}")).unwrap_or_default();
    match source_type {
        "subagent.started" => vec![text_event("note", &format!("Sub-agent{name} started"))],
        "subagent.completed" => vec![text_event("note", &completed(data, &name))],
        _ => vec![error(data, "agentName")],
    }
}
