//! The session files of Codex. Most things are there twice: as the item that the model received or
//! returned, and as the event that the client showed.

use std::borrow::Cow;

use super::calls::{CallReport, RolloutCalls, family};
use super::fork::{ForkedHistory, time};
use super::outcome::RolloutOutcome;
use super::stream::{self, ItemProgress};
use super::twins::{Channel, Twins};
use super::usage::{PricedCall, Totals};
use super::{prompts, reports};
use crate::agents::live_prompts::went_back;
use crate::agents::source::text_event;
use crate::agents::{AdaptedLine, Adapter, SourceText};
use crate::event::draft::Draft;
use crate::event::fields::{HISTORY, is_placeholder};
use crate::json::{Json, ObjectText};
use crate::text::human::plural;

/// The beginning of the names of tools of MCP servers.
const MCP: &str = "mcp__";

/// The types of the lines of a session file that have a payload.
const LINES: &[&str] = &[
    "session_meta",
    "turn_context",
    "response_item",
    "event_msg",
    "compacted",
    "world_state",
    "inter_agent_communication",
    "inter_agent_communication_metadata",
    "token_usage_record",
    "realtime_item",
];

/// The fields that show that a line is of Codex.
pub(crate) fn sign(line: Json<'_>) -> Option<&'static str> {
    let has = |field: &str| line.get(field).is_some();
    let Some(kind) = line.text_at("type") else {
        let is_first = has("instructions") && has("timestamp") && line.text_at("id").is_some();
        let is_state = line.text_at("record_type").is_some_and(|kind| kind == "state");
        return match (is_first, is_state) {
            (true, _) => Some("a session's id and instructions"),
            (_, true) => Some("record_type"),
            _ => None,
        };
    };
    let payload = || line.get("payload").is_some_and(Json::is_object);
    let part = || {
        let first = line.get("content").and_then(|content| content.items().next());
        first.and_then(|part| part.text_at("type"))
    };
    match kind.as_ref() {
        kind if LINES.contains(&kind) && payload() => Some("type and payload"),
        // Older versions write items without a wrapper.
        "message" if has("role") && part().is_some_and(|kind| kind.ends_with("put_text")) => {
            Some("a message of content parts")
        }
        "function_call" if has("call_id") && has("arguments") => Some("call_id and arguments"),
        "function_call_output" if has("call_id") && has("output") => Some("call_id and output"),
        "reasoning" if has("summary") && has("encrypted_content") => Some("encrypted reasoning"),
        kind => stream::sign(kind, line),
    }
}

/// A new adapter.
pub(crate) fn adapter() -> Box<dyn Adapter> {
    Box::new(Codex::default())
}

/// What is known of the session.
#[derive(Debug, Default)]
pub(super) struct Codex {
    pub(super) session: Option<String>,
    /// The number of lines of the stream's thread.
    pub(super) position: u64,
    pub(super) model: Option<String>,
    /// The tier of service, if the client chose one.
    tier: Option<String>,
    pub(super) usage: Totals,
    pub(super) calls: RolloutCalls,
    /// Whether the session's own facts were read. Later ones are of copied history.
    is_known: bool,
    /// The thread of the file.
    thread: Option<String>,
    /// The history that the thread begins with, if it was forked from another one.
    fork: Option<ForkedHistory>,
    /// Whether the line that is read is of that history.
    is_copied: bool,
    /// Whether work of the thread was read.
    has_worked: bool,
    /// Whether the client also writes an event for what a person typed.
    pub(super) shows_prompts: bool,
    /// The thread, if the whole file is of a sub-agent.
    agent: Option<String>,
    pub(super) twins: Twins,
}

impl Adapter for Codex {
    fn read(&mut self, source: &SourceText<'_>) -> AdaptedLine {
        let line = source.json;
        let kind = line.text_at("type");
        let payload = line.present("payload").filter(|payload| payload.is_object());
        let inner = payload.and_then(|payload| payload.text_at("type"));
        self.is_copied = self.fork.as_mut().is_some_and(|fork| fork.takes(line));
        let mut drafts = match (kind.as_deref(), payload) {
            (Some(kind), Some(payload)) => self.wrapped(source, kind, payload),
            (Some(kind), None) if kind.contains('.') || kind == "error" => {
                self.stream_line(kind, source)
            }
            (Some(_), None) => self.item(source, line),
            (None, _) if line.get("role").is_some() => self.message(line),
            (None, _) if line.get("instructions").is_some() => self.session_meta(line, line),
            (None, _) => Vec::new(),
        };
        let is_certain = self.fork.as_ref().is_some_and(ForkedHistory::has_end);
        if self.is_copied && is_certain && self.agent.is_some() {
            // The file of the thread that it is from is imported with this one.
            drafts.clear();
        }
        for draft in &mut drafts {
            self.place_in_history(draft);
        }
        if let Some(agent) = &self.agent {
            for draft in &mut drafts {
                let mut data = ObjectText::new();
                data.members(draft.data()).text("agent_id", agent);
                draft.data = data.finish().into();
            }
        }
        let untyped =
            || Cow::Borrowed(if line.get("role").is_some() { "message" } else { "untyped" });
        let kind = kind.unwrap_or_else(untyped);
        let item = payload.unwrap_or(line);
        let own = item.text_at("id").filter(|_| inner.is_some() && kind != "event_msg");
        // Lines of a stream have no ids, and those of two streams may be equal.
        let in_stream = || Some(format!("{}.{}", self.session.as_deref()?, self.position));
        let in_stream = || in_stream().filter(|_| self.position > 0);
        AdaptedLine {
            source_type: match &inner {
                Some(inner) => format!("{kind}/{inner}"),
                None => kind.clone().into_owned(),
            },
            is_numbered: own.is_none() && self.position > 0,
            source_id: own.map(Cow::into_owned).or_else(in_stream),
            time: ["timestamp", "created_at"].iter().find_map(|name| time(line.present(name)?)),
            is_printed: None,
            session_id: self.session.clone(),
            parent: None,
            drafts,
            ending: None,
        }
    }
}

impl Codex {
    fn wrapped(
        &mut self,
        source: &SourceText<'_>,
        kind: &str,
        payload: Json<'_>,
    ) -> Vec<Draft<'static>> {
        match kind {
            "session_meta" => self.session_meta(payload, source.json),
            "turn_context" => self.settings(payload),
            "response_item" => self.item(source, payload),
            "event_msg" => self.event(source, payload),
            "compacted" => {
                self.compacted(Channel::Item, &payload.text_at("message").unwrap_or_default())
            }
            "token_usage_record" => {
                let call = PricedCall { model: self.model.as_deref(), tier: self.tier.as_deref() };
                self.usage.take_record(payload, call).into_iter().collect()
            }
            "inter_agent_communication" => {
                self.between_agents(Channel::Event, payload).into_iter().collect()
            }
            "realtime_item" => prompts::spoken(payload).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// Adds the place in the history of a rollout. A fork writes the history of another session
    /// with times of its own, and model calls have no ids.
    fn place_in_history(&mut self, draft: &mut Draft<'static>) {
        let is_usage = draft.kind == "llm.usage";
        let is_work = is_usage
            || draft.kind.starts_with("tool.")
            || matches!(draft.kind.as_ref(), "message.user" | "error");
        let Some(thread) = self.thread.as_ref().filter(|_| is_work) else { return };
        self.has_worked = true;
        let fork = self.fork.as_ref().filter(|_| self.is_copied);
        let thread = fork.map_or(thread, |fork| &fork.root);
        let place = format!("{thread}/{}", self.usage.place());
        let mut data = ObjectText::new();
        data.members(draft.data());
        if is_usage && self.usage.is_total_known() {
            data.text("message_id", &place);
        }
        data.text(HISTORY, &place);
        draft.data = data.finish().into();
    }

    /// The facts of the session, and the instructions that the model received.
    fn session_meta(&mut self, meta: Json<'_>, line: Json<'_>) -> Vec<Draft<'static>> {
        let thread = meta.text_at("id").filter(|id| !is_placeholder(id)).map(Cow::into_owned);
        let from = meta.text_at("forked_from_id").filter(|from| !is_placeholder(from));
        // Where a thread was taken back to, and went on in a file of its own.
        let base = meta.present("history_base").filter(|_| from.is_none());
        let base = base.and_then(|base| base.get("end_ordinal_exclusive")?.as_u64());
        let is_other = thread.is_some() && thread != self.thread;
        if self.has_worked && !self.is_copied && (is_other || base.is_some()) {
            // The file of another thread of the session, or one that goes on from an earlier point.
            *self = Self { position: self.position, ..Self::default() };
        }
        if std::mem::replace(&mut self.is_known, true) {
            // Copied history begins with the facts of the sessions that it is from.
            if let Some(fork) = self.fork.as_mut().filter(|_| !self.has_worked)
                && let Some(root) = from.map(Cow::into_owned).or(thread)
            {
                fork.root = root;
            }
            return Vec::new();
        }
        self.thread.clone_from(&thread);
        self.fork = ForkedHistory::of(meta, line);
        let version = meta.text_at("cli_version").unwrap_or_default();
        let mut numbers = version.split('.').map(|number| number.parse::<u64>().unwrap_or(0));
        self.shows_prompts =
            (numbers.next() > Some(0)) || numbers.next().is_some_and(|minor| minor >= 100);
        // Older versions name only the thread that started the sub-agent.
        let session = ["session_id", "source.subagent.thread_spawn.parent_thread_id"];
        let session = session.iter().find_map(|path| meta.text_at(path));
        let session = session.filter(|id| !is_placeholder(id)).map(Cow::into_owned);
        self.session = session.or_else(|| thread.clone());
        let is_agent = meta.path("source.subagent").is_some();
        self.agent = thread.filter(|_| is_agent);
        let mut data = ObjectText::new();
        data.text_if("agent_version", meta.text_at("cli_version").as_deref());
        data.text_if("cwd", meta.text_at("cwd").as_deref());
        data.text_if("git_branch", meta.text_at("git.branch").as_deref());
        data.text_if("forked_from", meta.text_at("forked_from_id").as_deref());
        let mut drafts = vec![Draft::new("config.loaded", data)];
        if base.is_some() {
            self.usage = Totals::from(base);
            drafts.push(text_event("note", "The thread was taken back to an earlier point"));
        }
        for path in ["base_instructions.text", "base_instructions", "instructions"] {
            if let Some(text) = meta.text_at(path).filter(|text| !text.is_empty()) {
                drafts.push(text_event("message.system", &text));
            }
        }
        drafts
    }

    /// The settings of a turn, if the model is another one than before.
    fn settings(&mut self, settings: Json<'_>) -> Vec<Draft<'static>> {
        if let Some(tier) = settings.get("service_tier") {
            self.tier = tier.as_str().map(Cow::into_owned);
        }
        let Some(model) = settings.text_at("model").filter(|model| !is_placeholder(model)) else {
            return Vec::new();
        };
        if self.model.as_deref() == Some(model.as_ref()) {
            return Vec::new();
        }
        self.model = Some(model.clone().into_owned());
        let mut data = ObjectText::new();
        data.text("model", &model);
        data.text_if("cwd", settings.text_at("cwd").as_deref());
        vec![Draft::new("config.loaded", data)]
    }

    /// An item that the model received or returned.
    fn item(&mut self, source: &SourceText<'_>, item: Json<'_>) -> Vec<Draft<'static>> {
        let kind = item.text_at("type").unwrap_or_default();
        match kind.as_ref() {
            "message" => self.message(item),
            "reasoning" => {
                let parts = ["summary", "content"].iter().filter_map(|name| item.present(name));
                let texts = parts.flat_map(Json::items).filter_map(|part| part.text_at("text"));
                texts.filter_map(|text| self.reasoning(Channel::Item, &text)).collect()
            }
            "agent_message" => self.between_agents(Channel::Item, item).into_iter().collect(),
            "web_search_call" | "image_generation_call" => {
                self.report(source, Channel::Item, &kind, item, ItemProgress::Completed)
            }
            kind if kind.ends_with("_output") || kind.ends_with("_result") => {
                let output = ["output", "result", "tools"];
                let output = output.iter().find_map(|name| item.present(name));
                let report = CallReport {
                    id: item.text_at("call_id"),
                    tool: item.text_at("name").map(Cow::into_owned),
                    family: family(kind),
                    ..CallReport::default()
                };
                let outcome = RolloutOutcome::of_output(output);
                self.calls.end(source, Channel::Item, &report, &outcome).into_iter().collect()
            }
            kind if kind.ends_with("_call") => {
                let call = started(kind, item);
                self.calls.start(source, Channel::Item, &call).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    fn message(&mut self, message: Json<'_>) -> Vec<Draft<'static>> {
        let content = ["content", "message"].iter().find_map(|name| message.present(name));
        let Some(content) = content else { return Vec::new() };
        let (texts, images) = prompts::content(content);
        let id = message.text_at("id").filter(|id| !is_placeholder(id));
        let role = message.text_at("role").unwrap_or_default();
        if role == "user" {
            return self.user(Channel::Item, &texts, &images);
        }
        let text = texts.join("\n");
        match role.as_ref() {
            "assistant" => {
                self.assistant(Channel::Item, &text, id.as_deref()).into_iter().collect()
            }
            _ if text.is_empty() => Vec::new(),
            _ => vec![text_event("message.system", &text)],
        }
    }

    /// An event that the client showed.
    fn event(&mut self, source: &SourceText<'_>, event: Json<'_>) -> Vec<Draft<'static>> {
        let channel = Channel::Event;
        let kind = event.text_at("type").unwrap_or_default();
        let text = |name: &str| event.text_at(name).unwrap_or_default();
        let note = |text: String| vec![text_event("note", &text)];
        match kind.as_ref() {
            "user_message" => {
                let images = ["images", "local_images"].iter().filter_map(|name| event.get(name));
                let images = images.flat_map(Json::items).map(|_| "[image]".to_owned());
                let said = [text("message").into_owned()];
                self.user(channel, &said, &images.collect::<Vec<_>>())
            }
            "agent_message" => {
                self.assistant(channel, &text("message"), None).into_iter().collect()
            }
            "agent_reasoning" | "agent_reasoning_raw_content" => {
                self.reasoning(channel, &text("text")).into_iter().collect()
            }
            "token_count" => {
                // Older versions report only the newest call.
                let info = event.present("info");
                let last = info.map_or(Some(event), |info| info.present("last_token_usage"));
                let total = info.and_then(|info| info.present("total_token_usage"));
                let call = PricedCall { model: self.model.as_deref(), tier: self.tier.as_deref() };
                self.usage.take(total, last, call).into_iter().collect()
            }
            "error" | "stream_error" => {
                self.error(channel, Some(event), event.get("codex_error_info"))
            }
            "task_complete" | "turn_complete" => {
                self.twins.end_turn();
                let error = event.present("error");
                self.error(
                    Channel::Item,
                    error,
                    error.and_then(|error| error.get("codex_error_info")),
                )
            }
            "turn_aborted" => aborted(&text("reason")),
            "context_compacted" => self.compacted(channel, ""),
            "thread_settings_applied" => event
                .present("thread_settings")
                .map(|settings| self.settings(settings))
                .unwrap_or_default(),
            "thread_name_updated" => {
                let mut data = ObjectText::new();
                data.text_if("title", event.text_at("thread_name").as_deref());
                vec![Draft::new("config.loaded", data)]
            }
            "entered_review_mode" => note(format!("Review started: {}", text("user_facing_hint"))),
            "exited_review_mode" => reports::review(event).map(note).unwrap_or_default(),
            "sub_agent_activity" => self.agent_activity(channel, event).into_iter().collect(),
            "thread_rolled_back" => {
                let turns = event.get("num_turns").and_then(Json::as_u64).unwrap_or(1);
                let text = format!("Conversation rolled back by {}", plural(turns, "turn"));
                vec![went_back(&text, turns)]
            }
            "thread_goal_updated" if event.text_at("goal.objective").is_some() => {
                note(format!("Goal: {}", text("goal.objective")))
            }
            "undo_completed" if event.get("success").and_then(Json::as_bool) == Some(false) => {
                let reason = match text("message") {
                    reason if reason.is_empty() => String::new(),
                    reason => format!(": {reason}"),
                };
                let mut data = ObjectText::new();
                data.text("message", &format!("Undo failed{reason}"));
                vec![Draft::new("error", data)]
            }
            "warning" | "undo_completed" if !text("message").is_empty() => {
                note(text("message").into_owned())
            }
            "guardian_assessment" => self.assessed(source, event),
            "item_completed" => {
                let item = event.present("item");
                item.map(|item| self.thread_item(source, item, ItemProgress::Completed))
                    .unwrap_or_default()
            }
            kind => {
                let is_start = kind.ends_with("_begin") || kind.ends_with("_request");
                let progress =
                    if is_start { ItemProgress::Started } else { ItemProgress::Completed };
                self.report(source, channel, kind, event, progress)
            }
        }
    }

    /// What another agent tells this one: its report, or what to do next.
    fn between_agents(&mut self, channel: Channel, message: Json<'_>) -> Option<Draft<'static>> {
        let content = message.present("content")?;
        let parts = content.items().filter_map(|part| part.text_at("text"));
        let text =
            content.as_str().map_or_else(|| parts.collect::<Vec<_>>().join("\n"), Cow::into_owned);
        let (author, recipient) = (message.text_at("author"), message.text_at("recipient"));
        let agents = format!("{author:?} to {recipient:?}");
        if text.is_empty() || !self.twins.is_first(channel, &agents, &text) {
            return None;
        }
        let author = author.filter(|name| !is_placeholder(name));
        let from = author.map(|author| format!(" {author}")).unwrap_or_default();
        Some(text_event("note", &format!("Message from the agent{from}:\n{text}")))
    }

    /// What the client tells of a sub-agent. Its start names the call that spawned it.
    pub(super) fn agent_activity(
        &mut self,
        channel: Channel,
        activity: Json<'_>,
    ) -> Option<Draft<'static>> {
        let kind = activity.text_at("kind").filter(|kind| !is_placeholder(kind))?;
        let agent = activity.text_at("agent_thread_id").filter(|id| !is_placeholder(id))?;
        match kind.as_ref() {
            "started" => {
                let call = activity.text_at("event_id").or_else(|| activity.text_at("id"))?;
                self.calls.spawns(&call, &agent);
                None
            }
            "interacted" => None,
            kind => {
                let name = activity.text_at("agent_path").unwrap_or_else(|| agent.clone());
                let is_new = self.twins.is_first(channel, kind, &agent);
                is_new.then(|| text_event("note", &format!("Sub-agent {name}: {kind}")))
            }
        }
    }

    /// A call that the client reports with its outcome.
    pub(super) fn report(
        &mut self,
        source: &SourceText<'_>,
        channel: Channel,
        kind: &str,
        event: Json<'_>,
        progress: ItemProgress,
    ) -> Vec<Draft<'static>> {
        let Some(report) = reports::reported(kind, event) else { return Vec::new() };
        if event.text_at("source").is_some_and(|source| source == "user_shell") {
            let is_end = progress == ItemProgress::Completed;
            return self.typed_command(channel, kind, event, is_end).into_iter().collect();
        }
        let is_search = report.tool.as_deref() == Some("web_search");
        if progress == ItemProgress::Started {
            // What is searched for may only be known at the end.
            let has_arguments = !is_search || reports::search_text(event).is_some();
            let start = has_arguments.then(|| self.calls.start(source, channel, &report));
            return start.flatten().into_iter().collect();
        }
        // The reports of one search may have different ids, or none.
        if let Some(text) = reports::search_text(event).filter(|_| is_search)
            && !self.twins.is_first(channel, "search", &text)
        {
            return Vec::new();
        }
        let outcome = reports::outcome(kind, event);
        let late = report.id.as_deref().and_then(|id| self.calls.late_failure(id, &outcome));
        let drafts = self.calls.whole(source, channel, &report, &outcome);
        drafts.into_iter().chain(late).collect()
    }

    /// The verdict of the automatic reviewer on a call.
    fn assessed(&mut self, source: &SourceText<'_>, event: Json<'_>) -> Vec<Draft<'static>> {
        if event.text_at("status").is_none_or(|status| status != "denied") {
            return Vec::new();
        }
        let given = event.text_at("target_item_id");
        if given.as_ref().is_none_or(|id| !self.calls.is_known(id)) {
            return vec![denied(event)];
        }
        let Some(id) = given.filter(|id| self.calls.is_open(id)) else { return Vec::new() };
        let text = event.text_at("rationale").map_or_else(|| "denied".to_owned(), Cow::into_owned);
        let outcome = RolloutOutcome { text, denied: true, ..RolloutOutcome::default() };
        let report = CallReport { id: Some(id), ..CallReport::default() };
        self.calls.end(source, Channel::Event, &report, &outcome).into_iter().collect()
    }
}

/// A call that the model asked for.
fn started<'s>(kind: &str, item: Json<'s>) -> CallReport<'s> {
    let text = |name: &str| item.text_at(name).map(Cow::into_owned);
    let own = kind.strip_suffix("_call").map(str::to_owned);
    let args = ["arguments", "input", "action"].iter().find_map(|name| item.present(name));
    let args = args.map(|args| match args.as_str() {
        Some(text) => text.into_owned(),
        None => args.compact().into_owned(),
    });
    let mut more = ObjectText::new();
    more.text_if("namespace", item.text_at("namespace").as_deref());
    let id = item.text_at("call_id").or_else(|| item.text_at("id"));
    let tool = text("name").or_else(|| text("function.name")).or(own);
    let tool = tool.map(|tool| with_server(&tool, item.text_at("namespace").as_deref()));
    CallReport { id, tool, family: family(kind), args, more }
}

/// The name of a tool with that of its MCP server, as hooks and the reports of calls have it.
fn with_server(tool: &str, namespace: Option<&str>) -> String {
    let server = namespace.filter(|name| name.starts_with(MCP) && !tool.starts_with(MCP));
    server.map_or(tool.to_owned(), |server| format!("{}__{tool}", server.trim_end_matches('_')))
}

fn aborted(reason: &str) -> Vec<Draft<'static>> {
    if !matches!(reason, "" | "interrupted" | "replaced") {
        return vec![text_event("note", &format!("Turn aborted: {reason}"))];
    }
    let mut data = ObjectText::new();
    data.text_if("reason", Some(reason).filter(|reason| !reason.is_empty()));
    vec![Draft::new("user.interrupted", data)]
}

/// The automatic reviewer denied something that is no call of the log.
fn denied(assessed: Json<'_>) -> Draft<'static> {
    let action = assessed.present("action").unwrap_or(Json::NULL);
    let what = ["command", "tool_name", "type"].iter().find_map(|name| action.text_at(name));
    let mut data = ObjectText::new();
    data.text("tool", &what.unwrap_or(Cow::Borrowed("an action")));
    data.text("agent", "The automatic reviewer");
    data.text_if("reason", assessed.text_at("rationale").as_deref());
    Draft::new("tool-denied", data)
}
