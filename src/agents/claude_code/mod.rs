//! Claude Code: its session files, and the output of `--output-format stream-json`.
//!
//! One model message is several lines with the same `message.id`; each line repeats `usage`. Lines
//! form a tree by `uuid` and `parentUuid`. A `user` line is a prompt only if it is plain text that
//! the client did not write.

mod asked_call;
mod content;
mod end;
mod figures;
mod hooks;
mod messages;
mod notices;
mod prompts;
mod queue;
mod sidechains;
mod totals;
mod usage;

pub(super) use end::ending;
pub(super) use prompts::typed;

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasher as _;

use foldhash::HashSet;
use foldhash::fast::FixedState;

use super::live_prompts::{LivePrompts, withdraw};
use super::source::ENGINE;
use super::{AdaptedLine, Adapter, SourceText};
use crate::event::draft::Draft;
use crate::event::fields::is_placeholder;
use crate::event::id::check_id;
use crate::event::own::{ANSWERS, COMPACTION_SUMMARY, HUNKS};
use crate::hooks::call_content_id;
use crate::json::{Json, Members, ObjectText};
use asked_call::AskedCall;
use content::{Block, blocks, content_text};
use messages::Messages;
use prompts::{NOT_HUMAN, is_written_by_client, with_blocks_apart};
use queue::PromptQueue;
use sidechains::Sidechains;
use totals::SessionTotals;
use usage::StreamedMessage;

/// The sign of a line whose type may be any program's.
pub(super) const SESSION: &str = "sessionId";

/// Types of lines beside the conversation that no other program has.
const OWN_TYPES: &[&str] = &[
    "agent-name",
    "ai-title",
    "bridge-session",
    "custom-title",
    "frame-link",
    "last-prompt",
    "permission-mode",
    "pr-link",
    "queue-operation",
    "worktree-state",
];

/// The fields that show that a line is of Claude Code.
pub(super) fn sign(line: Json<'_>) -> Option<&'static str> {
    let has = |field: &str| line.get(field).is_some();
    let kind = line.text_at("type")?;
    // A text or a list of parts is another agent's message.
    let message = line.get("message");
    if message.is_some_and(|message| !message.is_object() || message.get("parts").is_some()) {
        return None;
    }
    match kind.as_ref() {
        _ if has("sessionId") && has("parentUuid") => Some("sessionId and parentUuid"),
        "user" | "assistant" if message.is_some() && (has("sessionId") || has("session_id")) => {
            Some("a message and a session id")
        }
        "system" | "result" if has("session_id") && (has("subtype") || has("uuid")) => {
            Some("session_id and subtype")
        }
        "stream_event" if has("session_id") && has("event") => Some("session_id and event"),
        "summary" if has("leafUuid") => Some("leafUuid"),
        "file-history-snapshot" if has("snapshot") => Some("a file history snapshot"),
        kind if has("sessionId") && OWN_TYPES.contains(&kind) => Some("sessionId and type"),
        // Other programs' types have underscores and dots.
        kind if has("sessionId") && !kind.contains(['_', '.']) => Some(SESSION),
        _ => None,
    }
}

/// A new adapter.
pub(super) fn adapter() -> Box<dyn Adapter> {
    Box::new(ClaudeCode::default())
}

/// The client's text for a turn that the user interrupted.
const INTERRUPTED: &str = "[Request interrupted by user";

/// The prompt with which the client starts a sub-agent ahead of its work.
const WARM_UP: &str = "Warmup";

/// The beginnings of the client's texts for a call that was not permitted, and who denied it.
const REJECTED: &[(&str, &str)] = &[
    ("The user doesn't want to proceed with this tool use", "user-rejected"),
    ("Permission for this action has been denied", "permission"),
    ("Permission to use ", "permission"),
];

/// The totals of a sub-agent in the result of its call.
const AGENT_TOTALS: &[(&str, &str)] =
    &[("totalTokens", "agent_tokens"), ("totalToolUseCount", "agent_tool_calls")];

#[derive(Default)]
struct ClaudeCode {
    /// The newest call with each id.
    calls: HashMap<String, AskedCall>,
    /// The calls of each line by their keys in `calls`, for results that only refer to the line.
    by_line: HashMap<String, Vec<String>>,
    /// The calls without ids of their own that may be open, by agent, for results without ids: these
    /// come in the order of the calls.
    unnamed: HashMap<Option<String>, VecDeque<UnnamedCall>>,
    /// The newest call, for results that refer to nothing.
    newest_call: Option<String>,
    /// Message id and numbers of the newest usage. The next line may repeat them.
    newest_usage: Option<(String, String)>,
    /// The messages that the model did not finish.
    stopped: HashSet<String>,
    sidechains: Sidechains,
    totals: SessionTotals,
    messages: Messages,
    prompts: LivePrompts,
    queue: PromptQueue,
    /// The ids of the lines of sub-agents that stand in lines of the main agent. The sub-agent's own file
    /// may have them again.
    nested: HashSet<u64>,
    /// The message that each agent is getting.
    streamed: HashMap<Option<String>, StreamedMessage>,
    /// The hashes of the answers and errors of the main agent since the newest `result` line.
    said: HashSet<u64>,
    /// The ids that several calls have.
    shared_calls: HashSet<String>,
    /// The hashes of the ids of the lines so far.
    seen: HashSet<u64>,
}

/// The key of a call without an id, and the message that asked for it.
type UnnamedCall = (String, Option<String>);

/// The values that the events of one line share.
struct SourceLine<'s> {
    json: Members<'s>,
    clean: bool,
    place: &'s str,
    agent: Option<Cow<'s, str>>,
    /// The call that spawned the agent, if it has its own id.
    spawned_by: Option<Cow<'s, str>>,
}

impl Adapter for ClaudeCode {
    fn read(&mut self, source: &SourceText<'_>) -> AdaptedLine {
        let json = Members::of(source.json);
        let text = |name: &str| json.text_at(name).map(Cow::into_owned);
        let source_type = text("type").unwrap_or_else(|| "untyped".to_owned());
        let spawning = || self.sidechains.call(&json).map(Cow::Owned);
        let own = json.text_at("agentId");
        let call = json.text_at("parent_tool_use_id").or_else(spawning);
        let (agent, spawned_by) = if own.is_some() { (own, call) } else { (call, None) };
        let line = SourceLine { json, clean: source.clean, place: source.place, agent, spawned_by };
        let is_nested =
            line.json.text_at("uuid").is_some_and(|id| self.nested.contains(&hash(&id)));
        let drafts = match source_type.as_str() {
            "user" | "assistant" if is_nested => Vec::new(),
            "user" => self.user(&line),
            "assistant" => {
                let mut drafts = self.missing_prompts(&line);
                drafts.extend(self.assistant(&line));
                drafts
            }
            "progress" if line.json.path("data.message.message").is_some() => self.nested(&line),
            "queue-operation" => {
                self.queue.take(&line.json);
                Vec::new()
            }
            "result" => self.result(&line),
            "stream_event" => self.streamed(&line),
            "summary" => notices::summary(&line, |leaf| self.seen.contains(&hash(leaf))),
            // Older versions logged calls as lines of their own.
            "tool_use" => vec![self.tool_use(&line, source.json, None, 0)],
            "tool_result" => vec![self.tool_result(&line, source.json)],
            other => notices::notice(&line, other),
        };
        if let Some(version) = line.json.text_at("claude_code_version") {
            self.totals.goes_on = notices::counts_session(&version);
        }
        self.totals.init(&line.json);
        let is_printed = json.get("sessionId").is_none() && json.get("session_id").is_some();
        let own = text("uuid");
        for prompt in drafts.iter().filter(|draft| draft.kind == "message.user") {
            self.queue.see(&prompt.data().text_at("text").unwrap_or_default());
        }
        let drafts = self.with_withdrawn(&line, drafts);
        self.seen.extend(own.as_deref().map(hash));
        AdaptedLine {
            source_type,
            source_id: own,
            time: text("timestamp"),
            session_id: text("sessionId").or_else(|| text("session_id")),
            is_printed: Some(is_printed),
            parent: text("parentUuid"),
            drafts,
            ..AdaptedLine::default()
        }
    }

    fn begin_file(&mut self) {
        self.totals.begin_file();
    }
}

impl ClaudeCode {
    /// Marks the first prompt of a line if it withdraws earlier ones.
    fn with_withdrawn(
        &mut self,
        line: &SourceLine<'_>,
        mut drafts: Vec<Draft<'static>>,
    ) -> Vec<Draft<'static>> {
        let Some(id) = line.json.text_at("uuid").filter(|id| !is_placeholder(id)) else {
            return drafts;
        };
        // The same line may stand twice, and the lines of a sub-agent are a tree of their own.
        let is_again = self.seen.contains(&hash(&id));
        if is_again || line.agent.is_some() || line.is_set("isSidechain") {
            return drafts;
        }
        let parent = line.json.text_at("parentUuid");
        match drafts.iter_mut().find(|draft| draft.kind == "message.user") {
            Some(prompt) => {
                let withdrawn = self.prompts.add_prompt(&id, parent.as_deref());
                withdraw(prompt, withdrawn);
            }
            None => self.prompts.add_entry(&id, parent.as_deref()),
        }
        drafts
    }

    fn assistant(&mut self, line: &SourceLine<'_>) -> Vec<Draft<'static>> {
        let Some(message) = line.json.present("message") else { return Vec::new() };
        let model = message.text_at("model");
        let message_id = message.text_at("id").filter(|id| !is_placeholder(id));
        // The model `<synthetic>` stands for the client itself.
        let client = model.as_deref() == Some("<synthetic>");
        // A stream names the error instead.
        let in_stream = line.json.get("sessionId").is_none();
        let failed = line.is_set("isApiErrorMessage")
            || (client && in_stream && line.json.present("error").is_some());
        let mut drafts = Vec::new();
        for (index, block) in blocks(message).into_iter().enumerate() {
            match block {
                Block::Text(text) if text.is_empty() => {}
                Block::Text(text) if failed => {
                    if line.agent.is_none() {
                        self.said.insert(hash_of_error(&text));
                    }
                    drafts.push(line.draft("error", |data| {
                        data.text("message", &text).text("category", ENGINE);
                    }));
                }
                Block::Text(text) => {
                    let kind = if client { "message.system" } else { "message.assistant" };
                    if line.agent.is_none() {
                        self.said.insert(hash(text.trim()));
                    }
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
                Block::ToolUse(call) => {
                    drafts.push(self.tool_use(line, call, message_id.as_deref(), index));
                }
                Block::ToolResult(result) => drafts.push(self.tool_result(line, result)),
                Block::Other(_) => {}
            }
        }
        if let Some(usage) = message.present("usage").filter(|_| !client) {
            let is_unfinished = message.get("stop_reason").is_some_and(Json::is_null);
            let (model, id) = (model.as_deref(), message_id.as_deref());
            drafts.extend(self.usage(line, usage, model, id, is_unfinished));
        }
        // Each line of a message may say it.
        if let Some(stopped) = notices::stopped(line, message)
            && message_id.is_none_or(|id| self.stopped.insert(id.into_owned()))
        {
            drafts.push(stopped);
        }
        drafts
    }

    /// The last line of a stream: the totals, the error, and the answer if no line had it.
    fn result(&mut self, line: &SourceLine<'_>) -> Vec<Draft<'static>> {
        let mut drafts = notices::result(line, &mut self.totals);
        let said = std::mem::take(&mut self.said);
        // A message may have reported the error already.
        let error = notices::result_error(line.json.get("result"), line.json.get("errors"));
        if error.is_some_and(|text| said.contains(&hash_of_error(&text))) && drafts.len() > 1 {
            drafts.retain(|draft| draft.kind != "error");
        }
        let answer = notices::answer(line).filter(|text| !said.contains(&hash(text.trim())));
        if let Some(answer) = answer {
            drafts.push(line.draft("message.assistant", |data| {
                data.text("text", &answer);
            }));
        }
        drafts
    }

    fn tool_use(
        &mut self,
        line: &SourceLine<'_>,
        call: Json<'_>,
        message: Option<&str>,
        index: usize,
    ) -> Draft<'static> {
        let name = call.text_at("name").unwrap_or(Cow::Borrowed("tool"));
        let asked = line.json.text_at("timestamp").map(Cow::into_owned);
        let input = call.get("input").filter(|input| input.members().next().is_some());
        let content = input.map(|input| call_content_id(&name, Some(input), 1));
        let own_id = call.text_at("id").filter(|id| self.names_one_call(id));
        let is_other = own_id.as_deref().and_then(|id| self.calls.get(id)).is_some_and(|known| {
            known.message.as_deref() == message
                && known.is_other_than(content.as_deref(), asked.as_deref())
        });
        let own_id = match own_id {
            Some(id) if is_other => {
                self.share(line, &id);
                None
            }
            own_id => own_id,
        };
        let by_place = || format!("{}.{index}", line.place);
        // Some models number the calls of each message from 1.
        let is_used = |id: &&str| {
            let known = self.calls.get(*id).filter(|known| known.has_ended);
            known
                .and_then(|known| known.message.as_deref().zip(message))
                .is_some_and(|(a, b)| a != b)
        };
        let given = own_id.as_deref().filter(|id| !is_used(id));
        let id = given.map_or_else(by_place, str::to_owned);
        let known = AskedCall {
            content,
            asked,
            id: id.clone(),
            tool: name.clone().into_owned(),
            message: message.map(str::to_owned),
            has_ended: false,
        };
        let is_unnamed = own_id.is_none();
        let key = own_id.map_or_else(|| id.clone(), Cow::into_owned);
        if is_unnamed {
            let agent = line.agent.as_deref().map(str::to_owned);
            let calls = self.unnamed.entry(agent).or_default();
            // The calls of an earlier message get no result any more.
            if calls.back().is_some_and(|(_, last)| last.as_deref() != message) {
                calls.clear();
            }
            calls.push_back((key.clone(), message.map(str::to_owned)));
        }
        self.calls.insert(key.clone(), known);
        if let Some(uuid) = line.json.text_at("uuid").filter(|uuid| !is_placeholder(uuid)) {
            self.by_line.entry(uuid.into_owned()).or_default().push(key.clone());
        }
        self.sidechains.asks(&id, call.get("input"));
        self.newest_call = Some(key);
        let mut draft = line.draft("tool.started", |data| {
            data.text("tool_name", &name);
            line.value(data, "args", call.get("input"));
            data.text_if("message_id", message);
        });
        draft.correlation_id = Some(id.into());
        draft
    }

    fn tool_result(&mut self, line: &SourceLine<'_>, result: Json<'_>) -> Draft<'static> {
        let id = self.call_of(line, result);
        let known = self.calls.get_mut(&id);
        let (id, name) = match known {
            Some(known) => {
                known.has_ended = true;
                (known.id.clone(), known.tool.as_str())
            }
            None => (id, "tool"),
        };
        let text = result.get("content").or_else(|| result.get("output")).map(content_text);
        let text = text.unwrap_or_default();
        // A tool of the server tells its error in the content: `web_search_tool_result_error`.
        let is_error = |kind: Cow<'_, str>| kind.ends_with("_error");
        let failed = result.get("is_error").and_then(Json::as_bool) == Some(true)
            || result.path("content.type").and_then(Json::as_str).is_some_and(is_error);
        let kind = if failed { "tool.failed" } else { "tool.completed" };
        let mut draft = line.draft(kind, |data| {
            data.text("tool_name", name);
            if failed {
                let mut error = ObjectText::new();
                error.text("message", &text);
                data.json("error", Json::trusted(&error.finish()));
                let is_known = |(begins, _): &&(&str, &str)| text.starts_with(begins);
                let rejected = REJECTED.iter().find(is_known).map(|(_, by)| Cow::Borrowed(*by));
                let denied = line.json.text_at("toolDenialKind").or(rejected);
                data.text_if("denied", denied.as_deref());
            } else {
                data.text("result", &text);
            }
            // In a stream, the lines of an agent have the id of its call.
            let in_stream = line.json.get("tool_use_result");
            let details = line.json.get("toolUseResult").or(in_stream).unwrap_or(Json::NULL);
            // The agent's own lines are in another file, or further on.
            let spawned = details.text_at("agentId");
            let spawned = spawned.map(|agent| match in_stream {
                Some(_) => Cow::Borrowed(id.as_str()),
                None => agent,
            });
            data.text_if("spawned_agent_id", spawned.as_deref());
            // What the agent used. Its own lines may be missing, and would count again.
            for (theirs, ours) in AGENT_TOTALS {
                let total = || details.get(theirs).and_then(Json::as_u64);
                if let Some(total) = spawned.as_ref().and_then(|_| total()) {
                    data.plain(ours, total);
                }
            }
            let duration = ["durationMs", "totalDurationMs"].iter();
            let duration = duration.filter_map(|name| details.get(name)).find_map(Json::as_u64);
            if let Some(duration) = duration {
                data.plain("duration_ms", duration);
            }
        });
        let details = line.json.get("toolUseResult").or_else(|| line.json.get("tool_use_result"));
        draft.details = details.map(|details| recorded(line, details)).unwrap_or_default();
        draft.correlation_id = Some(id.into());
        draft
    }

    fn user(&mut self, line: &SourceLine<'_>) -> Vec<Draft<'static>> {
        let Some(message) = line.json.present("message") else { return Vec::new() };
        self.messages.answered(line.agent.as_deref());
        let mut drafts = Vec::new();
        let mut texts: Vec<String> = Vec::new();
        let mut others: Vec<String> = Vec::new();
        let mut answers = false;
        for block in blocks(message) {
            match block {
                Block::Text(text) => texts.extend(with_blocks_apart(&text)),
                Block::ToolResult(result) => {
                    answers = true;
                    drafts.push(self.tool_result(line, result));
                }
                Block::Other(label) => others.push(label),
                Block::Thinking(_) | Block::ToolUse(_) => {}
            }
        }
        let is_interruption = |text: &String| {
            let rest = text.trim().strip_prefix(INTERRUPTED);
            rest.and_then(|rest| rest.strip_suffix(']')).is_some_and(|rest| !rest.contains(']'))
        };
        if let Some(text) = texts.iter().find(|text| is_interruption(text)) {
            drafts.push(notices::interrupted(line, text));
            texts.retain(|text| !is_interruption(text));
        }
        let told = match texts.as_slice() {
            [text] => notices::task_told(line, text),
            _ => None,
        };
        if let Some(told) = told {
            drafts.push(told);
            return drafts;
        }
        // The client may put texts of its own before the user's.
        let (of_client, typed): (Vec<_>, Vec<_>) =
            texts.into_iter().partition(|text| is_written_by_client(text));
        let (texts, added) =
            if typed.is_empty() { (of_client, Vec::new()) } else { (typed, of_client) };
        let text = texts.join("\n");
        let warms_up = line.is_set("isSidechain") && text.trim() == WARM_UP;
        let written_by_client = is_written_by_client(&text)
            || answers
            || warms_up
            || line.is_set("isMeta")
            || line.is_set("isSynthetic")
            || line.is_of_other_origin()
            || line.is_set("isCompactSummary");
        if text.is_empty() && (others.is_empty() || answers) {
            return drafts;
        }
        let prompt = !written_by_client;
        if prompt {
            // What was asked before was interrupted.
            self.unnamed.remove(&line.agent.as_deref().map(str::to_owned));
        }
        let kind = if prompt { "message.user" } else { "message.system" };
        let mut draft = line.draft(kind, |data| {
            // What is attached follows what the person wrote.
            let parts = Some(&text).filter(|text| !text.is_empty()).into_iter().chain(&others);
            data.text("text", &parts.map(String::as_str).collect::<Vec<_>>().join("\n"));
            if !others.is_empty() {
                data.plain("attachments", others.len());
            }
        });
        if line.is_set("isCompactSummary") {
            draft.details = format!("{{\"{COMPACTION_SUMMARY}\":true}}");
        }
        if prompt && (line.is_set("isSidechain") || line.agent.is_some()) {
            // The parent asks its sub-agent.
            draft.actor = Some("agent".into());
        } else if prompt {
            draft.event_id = line.json.text_at("promptId").and_then(|id| prompt_id(&id));
        }
        drafts.push(draft);
        drafts.extend(added.iter().map(|text| {
            line.draft("message.system", |data| {
                data.text("text", text);
            })
        }));
        drafts
    }
}

/// What the client records beside the result of a call: the hunks of an edit, and a person's answers.
fn recorded(line: &SourceLine<'_>, details: Json<'_>) -> String {
    let mut own = ObjectText::new();
    let patch = details.get("structuredPatch");
    line.value(&mut own, HUNKS, patch.filter(|patch| patch.items().next().is_some()));
    line.value(&mut own, ANSWERS, details.get("answers").filter(|answers| answers.is_object()));
    if own.is_empty() { String::new() } else { own.finish() }
}

/// The id of the event of a prompt. Live events from hooks have the same.
#[must_use]
pub(crate) fn prompt_id(id: &str) -> Option<Cow<'static, str>> {
    let event_id = format!("{id}/prompt");
    let is_id = !is_placeholder(id) && check_id("event id", &event_id).is_ok();
    is_id.then_some(event_id.into())
}

/// The hash of the text of an error, other than that of an answer with the same text.
fn hash_of_error(text: &str) -> u64 {
    hash(&format!("error: {}", text.trim()))
}

/// A hash that is the same in each process.
fn hash(id: &str) -> u64 {
    FixedState::default().hash_one(id)
}

impl SourceLine<'_> {
    fn is_set(&self, name: &str) -> bool {
        self.json.get(name).and_then(Json::as_bool) == Some(true)
    }

    /// Whether the line says that no person wrote it.
    fn is_of_other_origin(&self) -> bool {
        let kind = self.json.text_at("origin.kind");
        kind.is_some_and(|kind| NOT_HUMAN.contains(&kind.as_ref()))
    }

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
