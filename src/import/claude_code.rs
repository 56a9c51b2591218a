//! Claude Code: its session files, and the output of `--output-format stream-json`.
//!
//! One model message is several lines with the same `message.id`; each line repeats `usage`. Lines
//! form a tree by `uuid` and `parentUuid`. A `user` line is a prompt only if it is plain text that
//! the client did not write.

use std::borrow::Cow;
use std::collections::HashMap;

use super::sidechains::Sidechains;
use super::{AdaptedLine, Adapter, SourceText};
use crate::event::draft::Draft;
use crate::event::fields::{OUTPUT_AT_LEAST, as_text, is_placeholder};
use crate::json::{Json, Kind, ObjectText};

/// The fields that show that a line is of Claude Code.
pub(super) fn sign(line: Json<'_>) -> Option<&'static str> {
    let has = |field: &str| line.get(field).is_some();
    let kind = line.text_at("type")?;
    match kind.as_ref() {
        _ if has("sessionId") && has("parentUuid") => Some("sessionId and parentUuid"),
        "user" | "assistant" if has("message") && (has("sessionId") || has("session_id")) => {
            Some("a message and a session id")
        }
        "system" | "result" if has("session_id") && (has("subtype") || has("uuid")) => {
            Some("session_id and subtype")
        }
        "summary" if has("leafUuid") => Some("leafUuid"),
        "file-history-snapshot" if has("snapshot") => Some("a file history snapshot"),
        _ if has("sessionId") && (has("uuid") || has("timestamp")) => Some("sessionId"),
        _ => None,
    }
}

/// A new adapter.
pub(super) fn adapter() -> Box<dyn Adapter> {
    Box::new(ClaudeCode::default())
}

/// Beginnings of text that the client wrote and no user typed.
const WRAPPERS: &[&str] =
    &["<command-name>", "<command-message>", "<local-command", "<task-notification>"];

/// The client's text for a call that the user rejected.
const REJECTED: &str = "The user doesn't want to proceed with this tool use";

#[derive(Default)]
struct ClaudeCode {
    /// Tool names by call id.
    tools: HashMap<String, String>,
    /// The newest call of each line, for results that only refer to the line.
    by_line: HashMap<String, String>,
    /// The newest call, for results that refer to nothing.
    newest_call: Option<String>,
    /// Message id and numbers of the newest usage. The next line may repeat them.
    newest_usage: Option<(String, String)>,
    sidechains: Sidechains,
}

/// The values that the events of one line share.
struct SourceLine<'s> {
    json: Json<'s>,
    clean: bool,
    place: &'s str,
    agent: Option<Cow<'s, str>>,
    /// The call that spawned the agent, if it has its own id.
    spawned_by: Option<Cow<'s, str>>,
}

impl Adapter for ClaudeCode {
    fn read(&mut self, source: &SourceText<'_>) -> AdaptedLine {
        let json = source.json;
        let text = |name: &str| json.text_at(name).map(Cow::into_owned);
        let source_type = text("type").unwrap_or_else(|| "untyped".to_owned());
        let spawning = || self.sidechains.call(json).map(Cow::Owned);
        let own = json.text_at("agentId");
        let call = json.text_at("parent_tool_use_id").or_else(spawning);
        let (agent, spawned_by) = if own.is_some() { (own, call) } else { (call, None) };
        let line = SourceLine { json, clean: source.clean, place: source.place, agent, spawned_by };
        let drafts = match source_type.as_str() {
            "user" => self.user(&line),
            "assistant" => self.assistant(&line),
            "system" => system(&line),
            "result" => result(&line),
            "summary" => note(&line, json.text_at("summary")),
            _ => Vec::new(),
        };
        AdaptedLine {
            source_type,
            source_id: text("uuid"),
            time: text("timestamp"),
            session_id: text("sessionId").or_else(|| text("session_id")),
            parent: text("parentUuid"),
            drafts,
        }
    }
}

impl ClaudeCode {
    fn assistant(&mut self, line: &SourceLine<'_>) -> Vec<Draft<'static>> {
        let Some(message) = line.json.present("message") else { return Vec::new() };
        let model = message.text_at("model");
        let message_id = message.text_at("id").filter(|id| !is_placeholder(id));
        // The model `<synthetic>` stands for the client itself.
        let client = model.as_deref() == Some("<synthetic>");
        let failed = line.json.get("isApiErrorMessage").and_then(Json::as_bool) == Some(true);
        let mut drafts = Vec::new();
        for (index, block) in blocks(message).into_iter().enumerate() {
            match block {
                Block::Text(text) if text.is_empty() => {}
                Block::Text(text) if failed => {
                    drafts.push(line.draft("error", |data| {
                        data.text("message", &text).text("category", "engine");
                    }));
                }
                Block::Text(text) => {
                    let kind = if client { "message.system" } else { "message.assistant" };
                    drafts.push(line.draft(kind, |data| {
                        data.text("text", &text);
                        data.text_if("model", model.as_deref());
                        data.text_if("message_id", message_id.as_deref());
                    }));
                }
                Block::Thinking(text) => {
                    drafts.push(line.draft("message.reasoning", |data| {
                        data.text("text", &text);
                    }));
                }
                Block::ToolUse(call) => drafts.push(self.tool_use(line, call, index)),
                Block::ToolResult(result) => drafts.push(self.tool_result(line, result)),
                Block::Other => {}
            }
        }
        if let Some(usage) = message.present("usage").filter(|_| !client) {
            drafts.extend(self.usage(line, usage, model.as_deref(), message_id.as_deref()));
        }
        drafts
    }

    fn tool_use(&mut self, line: &SourceLine<'_>, call: Json<'_>, index: usize) -> Draft<'static> {
        let own_id = call.text_at("id").filter(|id| !is_placeholder(id));
        let id = own_id.map_or_else(|| format!("{}.{index}", line.place), Cow::into_owned);
        let name = call.text_at("name").unwrap_or(Cow::Borrowed("tool"));
        self.tools.insert(id.clone(), name.clone().into_owned());
        if let Some(uuid) = line.json.text_at("uuid").filter(|uuid| !is_placeholder(uuid)) {
            self.by_line.insert(uuid.into_owned(), id.clone());
        }
        self.sidechains.asks(&id, call.get("input"));
        self.newest_call = Some(id.clone());
        let mut draft = line.draft("tool.started", |data| {
            data.text("tool_name", &name);
            line.value(data, "args", call.get("input"));
        });
        draft.correlation_id = Some(id.into());
        draft
    }

    fn tool_result(&mut self, line: &SourceLine<'_>, result: Json<'_>) -> Draft<'static> {
        let id = self.call_of(line, result);
        let name = self.tools.get(&id).map_or("tool", String::as_str);
        let text = result.get("content").or_else(|| result.get("output")).map(content_text);
        let text = text.unwrap_or_default();
        let failed = result.get("is_error").and_then(Json::as_bool) == Some(true);
        let kind = if failed { "tool.failed" } else { "tool.completed" };
        let mut draft = line.draft(kind, |data| {
            data.text("tool_name", name);
            if failed {
                let mut error = ObjectText::new();
                error.text("message", &text);
                data.json("error", Json::trusted(&error.finish()));
                let rejected = text.starts_with(REJECTED).then_some(Cow::Borrowed("user-rejected"));
                let denied = line.json.text_at("toolDenialKind").or(rejected);
                data.text_if("denied", denied.as_deref());
            } else {
                data.text("result", &text);
            }
            // The agent's own lines are in another file, or further on.
            let spawned = line.json.path("toolUseResult.agentId").and_then(Json::as_str);
            data.text_if("spawned_agent_id", spawned.as_deref());
            let duration = line.json.path("toolUseResult.durationMs").and_then(Json::as_u64);
            if let Some(duration) = duration {
                data.plain("duration_ms", duration);
            }
        });
        draft.correlation_id = Some(id.into());
        draft
    }

    /// The call of a result: by the result's id, else by the line of the call, else the newest
    /// call.
    fn call_of(&self, line: &SourceLine<'_>, result: Json<'_>) -> String {
        let own = result.text_at("tool_use_id").filter(|id| !is_placeholder(id));
        if let Some(id) = own {
            return id.into_owned();
        }
        let by_line = line.json.text_at("sourceToolAssistantUUID");
        let by_line = by_line.and_then(|uuid| self.by_line.get(uuid.as_ref()));
        by_line.or(self.newest_call.as_ref()).cloned().unwrap_or_else(|| line.place.to_owned())
    }

    fn usage(
        &mut self,
        line: &SourceLine<'_>,
        usage: Json<'_>,
        model: Option<&str>,
        message_id: Option<&str>,
    ) -> Option<Draft<'static>> {
        let mut figures = figures(usage)?;
        // A message that is still being written reports only its first output tokens.
        let unfinished = line
            .json
            .path("message")
            .is_some_and(|message| message.get("stop_reason").is_some_and(Json::is_null));
        if unfinished {
            let mut more = ObjectText::new();
            more.members(Json::trusted(&figures)).plain(OUTPUT_AT_LEAST, true);
            figures = more.finish();
        }
        if let Some(id) = message_id {
            let this = (id.to_owned(), figures.clone());
            if self.newest_usage.as_ref() == Some(&this) {
                return None;
            }
            self.newest_usage = Some(this);
        }
        Some(line.draft("llm.usage", |data| {
            data.members(Json::trusted(&figures));
            data.text_if("model", model).text_if("message_id", message_id);
        }))
    }

    fn user(&mut self, line: &SourceLine<'_>) -> Vec<Draft<'static>> {
        let Some(message) = line.json.present("message") else { return Vec::new() };
        let mut drafts = Vec::new();
        let mut texts: Vec<String> = Vec::new();
        let mut images = 0_usize;
        let mut answers = false;
        for block in blocks(message) {
            match block {
                Block::Text(text) => texts.push(text.into_owned()),
                Block::ToolResult(result) => {
                    answers = true;
                    drafts.push(self.tool_result(line, result));
                }
                Block::Other => images += 1,
                Block::Thinking(_) | Block::ToolUse(_) => {}
            }
        }
        let is_set = |name: &str| line.json.get(name).and_then(Json::as_bool) == Some(true);
        let text = texts.join("\n");
        let wrapped = WRAPPERS.iter().any(|wrapper| text.trim_start().starts_with(wrapper));
        let written_by_client =
            wrapped || answers || is_set("isMeta") || is_set("isCompactSummary");
        if text.is_empty() && (images == 0 || answers) {
            return drafts;
        }
        let prompt = !text.is_empty() && !written_by_client;
        let kind = if prompt { "message.user" } else { "message.system" };
        drafts.push(line.draft(kind, |data| {
            data.text("text", if text.is_empty() { "[image]" } else { &text });
            if images > 0 {
                data.plain("attachments", images);
            }
        }));
        drafts
    }
}

fn system(line: &SourceLine<'_>) -> Vec<Draft<'static>> {
    let subtype = line.json.text_at("subtype").unwrap_or_default();
    match subtype.as_ref() {
        "init" => vec![line.draft("config.loaded", |data| {
            data.text_if("profile_id", line.json.text_at("model").as_deref());
            data.text_if("cwd", line.json.text_at("cwd").as_deref());
            data.text_if("permission_mode", line.json.text_at("permissionMode").as_deref());
        })],
        "compact_boundary" => {
            let before = line.json.path("compactMetadata.preTokens").and_then(Json::as_u64);
            let before = before.map(|tokens| format!(" at {tokens} tokens")).unwrap_or_default();
            let trigger = line.json.text_at("compactMetadata.trigger").unwrap_or_default();
            let manner = if trigger.is_empty() { String::new() } else { format!(" ({trigger})") };
            note(line, Some(Cow::Owned(format!("Context compacted{before}{manner}"))))
        }
        "api_error" | "error" => {
            let message = ["error.message", "error.error.error.message", "error.error.message"]
                .iter()
                .find_map(|path| line.json.text_at(path));
            let status = line.json.path("error.status").and_then(Json::as_u64);
            vec![line.draft("error", |data| {
                if let Some(status) = status.filter(|status| *status > 0) {
                    data.text("code", &status.to_string());
                }
                data.text("message", message.as_deref().unwrap_or("API error"));
                data.text("category", "engine").plain("retryable", "true");
            })]
        }
        _ => Vec::new(),
    }
}

/// The last line of a stream: the session's totals.
fn result(line: &SourceLine<'_>) -> Vec<Draft<'static>> {
    let mut drafts = Vec::new();
    let failed = line.json.get("is_error").and_then(Json::as_bool) == Some(true);
    if let Some(figures) = line.json.present("usage").and_then(figures) {
        drafts.push(line.draft("llm.usage", |data| {
            data.members(Json::trusted(&figures));
            if let Some(cost) = line.json.path("total_cost_usd").filter(|c| c.as_f64().is_some()) {
                data.json("cost_usd", cost);
            }
            data.text("scope", "total");
        }));
    }
    if failed {
        let subtype = line.json.text_at("subtype");
        let text = line.json.text_at("result").or_else(|| subtype.clone());
        drafts.push(line.draft("error", |data| {
            data.text_if("code", subtype.as_deref());
            data.text("message", text.as_deref().unwrap_or("the session ended with an error"));
        }));
    }
    drafts
}

fn note(line: &SourceLine<'_>, text: Option<Cow<'_, str>>) -> Vec<Draft<'static>> {
    text.map(|text| {
        line.draft("note", |data| {
            data.text("text", &text);
        })
    })
    .into_iter()
    .collect()
}

/// The token counts of a `usage` object, with this program's names. As in the source, input
/// excludes cached tokens.
fn figures(usage: Json<'_>) -> Option<String> {
    const NAMES: &[(&str, &str)] = &[
        ("input_tokens", "input_tokens"),
        ("output_tokens", "output_tokens"),
        ("cache_read_input_tokens", "cache_read_tokens"),
        ("cache_creation_input_tokens", "cache_creation_tokens"),
    ];
    let mut figures = ObjectText::new();
    for (theirs, ours) in NAMES {
        if let Some(count) = usage.get(theirs).and_then(Json::as_u64) {
            figures.plain(ours, count);
        }
    }
    (!figures.is_empty()).then(|| figures.finish())
}

/// A piece of a message's content.
enum Block<'s> {
    Text(Cow<'s, str>),
    Thinking(Cow<'s, str>),
    ToolUse(Json<'s>),
    ToolResult(Json<'s>),
    Other,
}

fn blocks(message: Json<'_>) -> Vec<Block<'_>> {
    let Some(content) = message.present("content") else { return Vec::new() };
    if let Some(text) = content.as_str() {
        return vec![Block::Text(text)];
    }
    content.items().map(block_of).collect()
}

fn block_of(item: Json<'_>) -> Block<'_> {
    let kind = item.text_at("type").unwrap_or_default();
    match kind.as_ref() {
        "text" => item.text_at("text").map_or(Block::Other, Block::Text),
        "thinking" => item.text_at("thinking").map_or(Block::Other, Block::Thinking),
        // Tools that run on the server have their own types, such as `server_tool_use`.
        kind if kind.ends_with("tool_use") => Block::ToolUse(item),
        kind if kind.ends_with("tool_result") => Block::ToolResult(item),
        _ => Block::Other,
    }
}

/// The content of a tool result as text: a string, or the texts of a list.
fn content_text(content: Json<'_>) -> String {
    if content.kind() != Kind::Array {
        return as_text(content).into_owned();
    }
    let piece = |item: Json<'_>| {
        item.text_at("text").map(Cow::into_owned).unwrap_or_else(|| {
            format!("[{}]", item.text_at("type").unwrap_or(Cow::Borrowed("content")))
        })
    };
    content.items().map(piece).collect::<Vec<_>>().join("\n")
}

impl SourceLine<'_> {
    fn draft(&self, kind: &str, fill: impl FnOnce(&mut ObjectText)) -> Draft<'static> {
        let mut data = ObjectText::new();
        fill(&mut data);
        data.text_if("agent_id", self.agent.as_deref());
        data.text_if("spawned_by", self.spawned_by.as_deref());
        Draft::new(kind, data)
    }

    /// Adds a value of the source. A value of an unclean line is added as a string.
    fn value(&self, data: &mut ObjectText, name: &str, value: Option<Json<'_>>) {
        let Some(value) = value else { return };
        if self.clean {
            data.json(name, Json::trusted(&value.compact()));
        } else {
            data.text(name, &value.compact());
        }
    }
}
