//! Claude Code: its session files, and the output of `--output-format stream-json`.
//!
//! One model message is several lines with the same `message.id`; each line repeats `usage`. Lines
//! form a tree by `uuid` and `parentUuid`. A `user` line is a prompt only if it is plain text that
//! the client did not write.

mod content;
mod end;
mod figures;
mod files;
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

use crate::agents::{AgentPlace, Dialect, NamedEvents};
use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::BuildHasher as _;

use foldhash::HashSet;
use foldhash::fast::FixedState;

use super::live_prompts::LivePrompts;
use super::said::{
    Args, CallEnd, ModelCall, Outcome, Said, SaidAnswer, SaidCall, SaidLine, SaidPrompt, SubAgent,
    TokensUsed,
};
use super::{LineReader, SourceText};
use crate::event::fields::is_placeholder;
use crate::event::id::check_id;
use crate::event::own::{ANSWERS, HUNKS};
use crate::json::{Json, Members};
use content::{Block, blocks, content_text};
use messages::Messages;
use prompts::{NOT_HUMAN, is_written_by_client, with_blocks_apart};
use queue::PromptQueue;
use sidechains::Sidechains;
use totals::SessionTotals;
use usage::StreamedMessage;

/// What the program knows of the agent.
pub(super) static AGENT: Dialect = Dialect {
    name: "claude-code",
    about: "Claude Code: session files, and the output of --output-format stream-json",
    sign,
    weak_signs: &[SESSION],
    ending,
    end_types: &["result"],
    named: Some(NamedEvents::ById),
    typed,
    looks_back: Some(1 << 20),
    files: &files::ClaudeCodeFiles,
    marks_sub_agents: true,
    beside: &["file-history-snapshot"],
    provider: Some("anthropic"),
    places: &[
        AgentPlace::new(Some("CLAUDE_CONFIG_DIR"), ".claude", "projects"),
        AgentPlace::new(None, ".config/claude", "projects"),
    ],
    reader: || Box::new(ClaudeCode::default()),
    ..Dialect::PLAIN
};

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

/// The totals of a sub-agent in the result of its call: its tokens, and its calls.
const AGENT_TOTALS: [&str; 2] = ["totalTokens", "totalToolUseCount"];

#[derive(Default)]
struct ClaudeCode {
    /// The newest usage: its message, whether the response was not complete, and its numbers. The next line
    /// may repeat them.
    newest_usage: Option<(String, bool, Vec<TokensUsed>)>,
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
    /// The hashes of the ids of the calls so far.
    asked: HashSet<u64>,
    /// The hashes of the ids of the lines so far.
    seen: HashSet<u64>,
}

/// The values that a line gives to all that it says.
struct SourceLine<'s> {
    json: Members<'s>,
    place: &'s str,
    agent: SubAgent<'s>,
}

impl LineReader for ClaudeCode {
    fn read<'s>(&mut self, source: &SourceText<'s>) -> SaidLine<'s> {
        let json = Members::of(source.json);
        let kind = json.text_at("type").unwrap_or(Cow::Borrowed("untyped"));
        let spawning = || self.sidechains.call(&json).map(Cow::Owned);
        let own = json.text_at("agentId");
        let call = json.text_at("parent_tool_use_id").or_else(spawning);
        let (id, spawned_by) = if own.is_some() { (own, call) } else { (call, None) };
        let agent = SubAgent { id, spawned_by, ..SubAgent::default() };
        let line = SourceLine { json, place: source.place, agent };
        let is_nested =
            line.json.text_at("uuid").is_some_and(|id| self.nested.contains(&hash(&id)));
        let mut said = match kind.as_ref() {
            "user" | "assistant" if is_nested => Vec::new(),
            "user" => self.user(&line),
            "assistant" => {
                let missing = self.missing_prompts(&line);
                missing.into_iter().chain(self.assistant(&line)).collect()
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
            "tool_use" => vec![self.tool_use(source.json, None)],
            "tool_result" => vec![self.tool_result(&line, source.json)],
            other => notices::notice(&line, other),
        };
        if let Some(version) = json.text_at("claude_code_version") {
            self.totals.goes_on = notices::counts_session(&version);
        }
        self.totals.init(&json);
        for said in &said {
            if let Said::Prompt(prompt) = said {
                self.queue.see(&prompt.text);
            }
        }
        let id = json.text_at("uuid");
        self.withdraw(&line, &mut said);
        self.seen.extend(id.as_deref().map(hash));
        SaidLine {
            kind,
            id,
            time: json.text_at("timestamp"),
            session: json.text_at("sessionId").or_else(|| json.text_at("session_id")),
            is_printed: Some(json.get("sessionId").is_none() && json.get("session_id").is_some()),
            parent: json.text_at("parentUuid"),
            agent: line.agent,
            said,
            ..SaidLine::default()
        }
    }

    fn begin_file(&mut self) {
        self.totals.begin_file();
    }
}

impl ClaudeCode {
    /// Marks the first prompt of a line if it withdraws earlier ones.
    fn withdraw(&mut self, line: &SourceLine<'_>, said: &mut [Said<'_>]) {
        let Some(id) = line.json.text_at("uuid").filter(|id| !is_placeholder(id)) else { return };
        // The same line may stand twice, and the lines of a sub-agent are a tree of their own.
        let is_again = self.seen.contains(&hash(&id));
        if is_again || line.agent.id.is_some() || line.is_set("isSidechain") {
            return;
        }
        let parent = line.json.text_at("parentUuid");
        let mut prompts = said.iter_mut().filter_map(|said| match said {
            Said::Prompt(prompt) if !prompt.text.is_empty() => Some(prompt),
            _ => None,
        });
        match prompts.next() {
            Some(prompt) => prompt.withdraws = self.prompts.add_prompt(&id, parent.as_deref()),
            None => self.prompts.add_entry(&id, parent.as_deref()),
        }
    }

    fn assistant<'s>(&mut self, line: &SourceLine<'s>) -> Vec<Said<'s>> {
        let Some(message) = line.json.present("message") else { return Vec::new() };
        let id = message.text_at("id").filter(|id| !is_placeholder(id));
        let of = ModelCall { model: message.text_at("model"), id: id.clone() };
        // The model `<synthetic>` stands for the client itself.
        let client = of.model.as_deref() == Some("<synthetic>");
        // A stream names the error instead.
        let in_stream = line.json.get("sessionId").is_none();
        let failed = line.is_set("isApiErrorMessage")
            || (client && in_stream && line.json.present("error").is_some());
        let mut said = Vec::new();
        for block in blocks(message) {
            match block {
                Block::Text(text) if text.is_empty() => {}
                Block::Text(text) => {
                    if line.agent.id.is_none() {
                        let hash = if failed { hash_of_error(&text) } else { hash(text.trim()) };
                        self.said.insert(hash);
                    }
                    said.push(match client {
                        _ if failed => Said::engine_failed(None, text),
                        true => Said::System(text),
                        false => Said::Answer(SaidAnswer { text, of: of.clone() }),
                    });
                }
                Block::Thinking(text) => said.push(Said::Thought(text)),
                Block::ToolUse(call) => said.push(self.tool_use(call, id.clone())),
                Block::ToolResult(result) => said.push(self.tool_result(line, result)),
                Block::Other(_) => {}
            }
        }
        if let Some(usage) = message.present("usage").filter(|_| !client) {
            let is_unfinished = message.get("stop_reason").is_some_and(Json::is_null);
            said.extend(self.usage(line, usage, &of, is_unfinished));
        }
        // Each line of a message may say it.
        if let Some(stopped) = notices::stopped(message)
            && id.is_none_or(|id| self.stopped.insert(id.into_owned()))
        {
            said.push(stopped);
        }
        said
    }

    /// The last line of a stream: the totals, the error, and the answer if no line had it.
    fn result<'s>(&mut self, line: &SourceLine<'s>) -> Vec<Said<'s>> {
        let mut all = notices::result(line, &mut self.totals);
        let said = std::mem::take(&mut self.said);
        // A message may have reported the error already.
        let error = notices::result_error(line.json.get("result"), line.json.get("errors"));
        if error.is_some_and(|text| said.contains(&hash_of_error(&text))) && all.len() > 1 {
            all.retain(|said| !matches!(said, Said::Failed(_)));
        }
        let answer = notices::answer(line).filter(|text| !said.contains(&hash(text.trim())));
        all.extend(answer.map(|text| {
            let text = text.into_owned().into();
            Said::Answer(SaidAnswer { text, ..SaidAnswer::default() })
        }));
        all
    }

    fn tool_use<'s>(&mut self, call: Json<'s>, message: Option<Cow<'s, str>>) -> Said<'s> {
        let (id, tool) = (call.text_at("id"), call.text_at("name").unwrap_or_default());
        if let Some(id) = id.as_deref().filter(|id| !is_placeholder(id)) {
            self.asked.insert(hash(id));
            self.sidechains.asks(id, call.get("input"));
        }
        let args = call.get("input").map_or(Args::None, Args::Value);
        Said::Call(SaidCall { id, tool, args, message, ..SaidCall::default() })
    }

    fn user<'s>(&mut self, line: &SourceLine<'s>) -> Vec<Said<'s>> {
        let Some(message) = line.json.present("message") else { return Vec::new() };
        self.messages.answered(line.agent.id.as_deref());
        let mut said = Vec::new();
        let mut texts: Vec<String> = Vec::new();
        let mut others: Vec<String> = Vec::new();
        for block in blocks(message) {
            match block {
                Block::Text(text) => texts.extend(with_blocks_apart(&text)),
                Block::ToolResult(result) => said.push(self.tool_result(line, result)),
                Block::Other(label) => others.push(label),
                Block::Thinking(_) | Block::ToolUse(_) => {}
            }
        }
        let answers = !said.is_empty();
        let is_interruption = |text: &String| {
            let rest = text.trim().strip_prefix(INTERRUPTED);
            rest.and_then(|rest| rest.strip_suffix(']')).is_some_and(|rest| !rest.contains(']'))
        };
        if let Some(text) = texts.iter().find(|text| is_interruption(text)) {
            let in_call = text.contains("for tool use");
            said.push(Said::Interrupted(in_call.then(|| "during a tool call".into())));
            texts.retain(|text| !is_interruption(text));
        }
        if let [text] = texts.as_slice()
            && let Some(ended) = notices::task_notified(text)
        {
            said.push(ended);
            return said;
        }
        // The client may put texts of its own before the user's.
        let (of_client, typed): (Vec<_>, Vec<_>) =
            texts.into_iter().partition(|text| is_written_by_client(text));
        let (texts, added) =
            if typed.is_empty() { (of_client, Vec::new()) } else { (typed, of_client) };
        let text = texts.join("\n");
        if text.is_empty() && (others.is_empty() || answers) {
            return said;
        }
        let is_of_agent = line.is_set("isSidechain") || line.agent.id.is_some();
        let warms_up = line.is_set("isSidechain") && text.trim() == WARM_UP;
        let is_summary = line.is_set("isCompactSummary");
        let by_client = is_written_by_client(&text)
            || answers
            || warms_up
            || line.is_set("isMeta")
            || line.is_set("isSynthetic")
            || line.is_of_other_origin()
            || is_summary;
        // What is attached follows what the person wrote.
        let attachments = others.len();
        let parts = [text].into_iter().filter(|text| !text.is_empty()).chain(others);
        let text = parts.collect::<Vec<_>>().join("\n").into();
        let own_id = || line.json.text_at("promptId").and_then(|id| prompt_id(&id));
        said.push(match by_client {
            true if is_summary => Said::Summary(text),
            true => Said::System(text),
            false => Said::Prompt(SaidPrompt {
                text,
                attachments,
                is_of_agent,
                event_id: if is_of_agent { None } else { own_id().map(Cow::into_owned) },
                ..SaidPrompt::default()
            }),
        });
        said.extend(added.into_iter().map(Said::system));
        said
    }

    fn tool_result<'s>(&self, line: &SourceLine<'s>, result: Json<'s>) -> Said<'s> {
        let content = result.get("content").or_else(|| result.get("output"));
        let text = content.map(content_text).unwrap_or_default();
        // A tool of the server says its error in the content: `web_search_tool_result_error`.
        let is_error = |kind: Cow<'_, str>| kind.ends_with("_error");
        let failed = result.get("is_error").and_then(Json::as_bool) == Some(true)
            || result.path("content.type").and_then(Json::as_str).is_some_and(is_error);
        let is_known = |(begins, _): &&(&str, &str)| text.starts_with(begins);
        let rejected = REJECTED.iter().find(is_known).map(|(_, by)| Cow::Borrowed(*by));
        let in_stream = line.json.get("tool_use_result");
        let recorded = line.json.get("toolUseResult").or(in_stream).unwrap_or(Json::NULL);
        let own = result.text_at("tool_use_id").filter(|id| !is_placeholder(id));
        let source = line.json.text_at("sourceToolUseID");
        let id = own.or(source.filter(|id| self.asked.contains(&hash(id))));
        // The agent's own lines are in another file, or further on. In a stream, they have the id of its call.
        let spawned = recorded.text_at("agentId");
        let spawned = if in_stream.is_some() { spawned.and(id.clone()) } else { spawned };
        // Its own lines may be missing.
        let used = |name: &str| recorded.get(name).filter(|_| spawned.is_some())?.as_u64();
        let duration = ["durationMs", "totalDurationMs"].iter();
        let hunks = recorded.get("structuredPatch").filter(|hunks| hunks.items().next().is_some());
        let answers = recorded.get("answers").filter(|answers| answers.is_object());
        let details = [(HUNKS, hunks), (ANSWERS, answers)];
        Said::End(CallEnd {
            line: line.json.text_at("sourceToolAssistantUUID"),
            outcome: if failed { Outcome::Failed } else { Outcome::Completed },
            denied_by: line.json.text_at("toolDenialKind").or(rejected),
            agent_used: AGENT_TOTALS.map(used),
            duration_ms: duration.filter_map(|name| recorded.get(name)).find_map(Json::as_u64),
            details: details.into_iter().filter_map(|(name, value)| Some((name, value?))).collect(),
            text: text.into(),
            spawned,
            id,
            ..CallEnd::default()
        })
    }
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
}
