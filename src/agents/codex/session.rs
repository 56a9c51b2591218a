//! The session files of Codex. Most things are there twice: as the item that the model received or
//! returned, and as the event that the client showed.

use std::borrow::Cow;
use std::collections::HashMap;

use super::fork::{ForkedHistory, time};
use super::reports::family;
use super::twins::{Channel, Twins};
use super::usage::{PricedCall, Totals};
use super::{outcome, prompts, reports, stream};
use crate::agents::said::{
    Args, CallEnd, FailedPart, Outcome, Said, SaidCall, SaidFailure, SaidLine, SubAgent,
};
use crate::agents::{LineReader, SourceText};
use crate::event::fields::is_placeholder;
use crate::json::Json;
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
    /// The threads of the sub-agents that calls started, by the calls' ids.
    pub(super) spawned: HashMap<String, String>,
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
    /// Whether another thread begins with the line that is read.
    restarts: bool,
    /// Whether the client also writes an event for what a person typed.
    pub(super) shows_prompts: bool,
    /// The thread, if the whole file is of a sub-agent.
    agent: Option<String>,
    pub(super) twins: Twins,
}

impl LineReader for Codex {
    fn read<'s>(&mut self, source: &SourceText<'s>) -> SaidLine<'s> {
        let line = source.json;
        let kind = line.text_at("type");
        let payload = line.present("payload").filter(|payload| payload.is_object());
        let inner = payload.and_then(|payload| payload.text_at("type"));
        self.is_copied = self.fork.as_mut().is_some_and(|fork| fork.takes(line));
        self.restarts = kind.as_deref() == Some("thread.started");
        let mut said = match (kind.as_deref(), payload) {
            (Some(kind), Some(payload)) => self.wrapped(line, kind, payload),
            (Some(kind), None) if kind.contains('.') || kind == "error" => {
                self.stream_line(kind, line)
            }
            (Some(_), None) => self.item(line),
            (None, _) if line.get("role").is_some() => self.message(line),
            (None, _) if line.get("instructions").is_some() => self.session_meta(line, line),
            (None, _) => Vec::new(),
        };
        let is_certain = self.fork.as_ref().is_some_and(ForkedHistory::has_end);
        if self.is_copied && is_certain && self.agent.is_some() {
            // The file of the thread that it is from is imported with this one.
            said.clear();
        }
        let history = self.place_in_history(&mut said);
        let untyped = if line.get("role").is_some() { "message" } else { "untyped" };
        let kind = kind.unwrap_or(Cow::Borrowed(untyped));
        let item = payload.unwrap_or(line);
        let own = item.text_at("id").filter(|_| inner.is_some() && kind != "event_msg");
        let is_numbered = own.is_none() && self.position > 0;
        // Lines of a stream have no ids, and those of two streams may be equal.
        let in_stream = || Some(format!("{}.{}", self.session.as_deref()?, self.position).into());
        SaidLine {
            id: own.or_else(|| in_stream().filter(|_| is_numbered)),
            kind: inner.map_or(kind.clone(), |inner| format!("{kind}/{inner}").into()),
            is_numbered,
            time: ["timestamp", "created_at"].iter().find_map(|name| time(line.present(name)?)),
            session: self.session.clone().map(Cow::Owned),
            restarts: self.restarts,
            agent: SubAgent { id: self.agent.clone().map(Cow::Owned), ..SubAgent::default() },
            history,
            said,
            ..SaidLine::default()
        }
    }
}

impl Codex {
    fn wrapped<'s>(&mut self, line: Json<'s>, kind: &str, payload: Json<'s>) -> Vec<Said<'s>> {
        let one = match kind {
            "session_meta" => return self.session_meta(payload, line),
            "turn_context" => self.settings(payload),
            "response_item" => return self.item(payload),
            "event_msg" => return self.event(payload),
            "compacted" => return self.compacted(Channel::Item, payload.text_at("message")),
            "token_usage_record" => {
                let call = PricedCall { model: self.model.as_deref(), tier: self.tier.as_deref() };
                self.usage.take_record(payload, call).map(Said::Used)
            }
            "inter_agent_communication" => self.between_agents(Channel::Event, payload),
            "realtime_item" => prompts::spoken(payload),
            _ => None,
        };
        one.into_iter().collect()
    }

    /// The place in the history of a rollout, for what is counted. A fork writes the history of another
    /// session with times of its own, and model calls have no ids.
    fn place_in_history(&mut self, said: &mut [Said<'_>]) -> Option<Cow<'static, str>> {
        let is_work = |said: &Said<'_>| {
            use Said::{Call, Denied, End, Failed, Prompt, Used};
            matches!(said, Used(_) | Call(_) | End(_) | Denied(_) | Prompt(_) | Failed(_))
        };
        let thread = self.thread.as_ref().filter(|_| said.iter().any(is_work))?;
        self.has_worked = true;
        let fork = self.fork.as_ref().filter(|_| self.is_copied);
        let thread = fork.map_or(thread, |fork| &fork.root);
        let place = format!("{thread}/{}", self.usage.place());
        for said in said.iter_mut().filter(|_| self.usage.is_total_known()) {
            if let Said::Used(used) = said {
                used.of.id = Some(place.clone().into());
            }
        }
        Some(place.into())
    }

    /// The facts of the session, and the instructions that the model received.
    fn session_meta<'s>(&mut self, meta: Json<'s>, line: Json<'s>) -> Vec<Said<'s>> {
        let thread = meta.text_at("id").filter(|id| !is_placeholder(id)).map(Cow::into_owned);
        let from = meta.text_at("forked_from_id").filter(|from| !is_placeholder(from));
        // Where a thread was taken back to, and went on in a file of its own.
        let base = meta.present("history_base").filter(|_| from.is_none());
        let base = base.and_then(|base| base.get("end_ordinal_exclusive")?.as_u64());
        let is_other = thread.is_some() && thread != self.thread;
        if self.has_worked && !self.is_copied && (is_other || base.is_some()) {
            // The file of another thread of the session, or one that goes on from an earlier point.
            *self = Self { position: self.position, restarts: true, ..Self::default() };
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
        let mut said = vec![Said::facts([
            ("agent_version", meta.text_at("cli_version")),
            ("cwd", meta.text_at("cwd")),
            ("git_branch", meta.text_at("git.branch")),
            ("forked_from", meta.text_at("forked_from_id")),
        ])];
        if base.is_some() {
            self.usage = Totals::from(base);
            said.push(Said::note("The thread was taken back to an earlier point"));
        }
        let paths = ["base_instructions.text", "base_instructions", "instructions"];
        said.extend(paths.iter().filter_map(|path| meta.text_at(path)).map(Said::System));
        said
    }

    /// The settings of a turn, if the model is another one than before.
    fn settings<'s>(&mut self, settings: Json<'s>) -> Option<Said<'s>> {
        if let Some(tier) = settings.get("service_tier") {
            self.tier = tier.as_str().map(Cow::into_owned);
        }
        let model = settings.text_at("model").filter(|model| !is_placeholder(model))?;
        if self.model.as_deref() == Some(model.as_ref()) {
            return None;
        }
        self.model = Some(model.clone().into_owned());
        Some(Said::facts([("model", Some(model)), ("cwd", settings.text_at("cwd"))]))
    }

    /// An item that the model received or returned.
    fn item<'s>(&mut self, item: Json<'s>) -> Vec<Said<'s>> {
        let kind = item.text_at("type").unwrap_or_default();
        let one = match kind.as_ref() {
            "message" => return self.message(item),
            "reasoning" => {
                let parts = ["summary", "content"].iter().filter_map(|name| item.present(name));
                let texts = parts.flat_map(Json::items).filter_map(|part| part.text_at("text"));
                return texts.filter_map(|text| self.reasoning(Channel::Item, text)).collect();
            }
            "agent_message" => self.between_agents(Channel::Item, item),
            "web_search_call" | "image_generation_call" => {
                self.report(Channel::Item, &kind, item, false)
            }
            kind if kind.ends_with("_output") || kind.ends_with("_result") => {
                let output = ["output", "result", "tools"];
                let output = output.iter().find_map(|name| item.present(name));
                let end = CallEnd { family: family(kind), ..outcome::of_output(output) };
                Some(Said::End(self.of_call(item.text_at("call_id"), item.text_at("name"), end)))
            }
            kind if kind.ends_with("_call") => Some(Said::Call(started(kind, item))),
            _ => None,
        };
        one.into_iter().collect()
    }

    /// The end of the call with that id.
    fn of_call<'s>(
        &self,
        id: Option<Cow<'s, str>>,
        tool: Option<Cow<'s, str>>,
        end: CallEnd<'s>,
    ) -> CallEnd<'s> {
        let spawned = id.as_deref().and_then(|id| self.spawned.get(id)).cloned();
        CallEnd { spawned: end.spawned.or(spawned.map(Cow::Owned)), id, tool, ..end }
    }

    fn message<'s>(&mut self, message: Json<'s>) -> Vec<Said<'s>> {
        let content = ["content", "message"].iter().find_map(|name| message.present(name));
        let Some(content) = content else { return Vec::new() };
        let (texts, images) = prompts::content(content);
        let text = || texts.join("\n");
        match message.text_at("role").unwrap_or_default().as_ref() {
            "user" => self.user(Channel::Item, &texts, &images),
            "assistant" => {
                let answer = self.assistant(Channel::Item, &text(), message.text_at("id"));
                answer.into_iter().collect()
            }
            _ => vec![Said::system(text())],
        }
    }

    /// An event that the client showed.
    fn event<'s>(&mut self, event: Json<'s>) -> Vec<Said<'s>> {
        let channel = Channel::Event;
        let kind = event.text_at("type").unwrap_or_default();
        let text = |name: &str| event.text_at(name).unwrap_or_default();
        let one = match kind.as_ref() {
            "user_message" => {
                let images = ["images", "local_images"].iter().filter_map(|name| event.get(name));
                let images = images.flat_map(Json::items).map(|_| "[image]".to_owned());
                let said = [text("message").into_owned()];
                return self.user(channel, &said, &images.collect::<Vec<_>>());
            }
            "agent_message" => self.assistant(channel, &text("message"), None),
            "agent_reasoning" | "agent_reasoning_raw_content" => {
                self.reasoning(channel, text("text"))
            }
            "token_count" => {
                // Older versions report only the newest call.
                let info = event.present("info");
                let last = info.map_or(Some(event), |info| info.present("last_token_usage"));
                let total = info.and_then(|info| info.present("total_token_usage"));
                let call = PricedCall { model: self.model.as_deref(), tier: self.tier.as_deref() };
                self.usage.take(total, last, call).map(Said::Used)
            }
            "error" | "stream_error" => self.error(channel, event),
            "task_complete" | "turn_complete" => {
                self.twins.end_turn();
                event.present("error").and_then(|error| self.error(Channel::Item, error))
            }
            "turn_aborted" => Some(aborted(text("reason"))),
            "context_compacted" => return self.compacted(channel, None),
            "thread_settings_applied" => {
                event.present("thread_settings").and_then(|settings| self.settings(settings))
            }
            "thread_name_updated" => Some(Said::facts([("title", event.text_at("thread_name"))])),
            "entered_review_mode" => {
                Some(Said::note(format!("Review started: {}", text("user_facing_hint"))))
            }
            "exited_review_mode" => reports::review(event).map(Said::note),
            "sub_agent_activity" => self.agent_activity(channel, event),
            "thread_rolled_back" => {
                let turns = event.get("num_turns").and_then(Json::as_u64).unwrap_or(1);
                let text = format!("Conversation rolled back by {}", plural(turns, "turn"));
                Some(Said::went_back(text, turns))
            }
            "thread_goal_updated" => {
                let goal = event.text_at("goal.objective");
                goal.map(|goal| Said::note(format!("Goal: {goal}")))
            }
            "undo_completed" if event.get("success").and_then(Json::as_bool) == Some(false) => {
                let reason = event.text_at("message").filter(|reason| !reason.is_empty());
                let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
                let (message, of) = (format!("Undo failed{reason}").into(), FailedPart::Client);
                Some(Said::Failed(SaidFailure { message, of, ..SaidFailure::default() }))
            }
            "warning" | "undo_completed" => Some(Said::note(text("message"))),
            "guardian_assessment" => denied(event),
            "item_completed" => {
                let item = event.present("item");
                return item.map(|item| self.thread_item(item, false)).unwrap_or_default();
            }
            kind => {
                let begins = kind.ends_with("_begin") || kind.ends_with("_request");
                self.report(channel, kind, event, begins)
            }
        };
        one.into_iter().collect()
    }

    /// A call that the client reports: that it begins, or both of its ends.
    pub(super) fn report<'s>(
        &mut self,
        channel: Channel,
        kind: &str,
        event: Json<'s>,
        begins: bool,
    ) -> Option<Said<'s>> {
        let call = reports::reported(kind, event)?;
        if event.text_at("source").is_some_and(|source| source == "user_shell") {
            return if begins { None } else { self.typed_command(channel, kind, event) };
        }
        let is_search = call.tool == "web_search";
        let searched = reports::search_text(event).filter(|_| is_search);
        let report = channel.report();
        if begins {
            // What is searched for may only be known at the end.
            let has_arguments = !is_search || searched.is_some();
            return has_arguments.then_some(Said::Call(SaidCall { report, ..call }));
        }
        // The reports of one search may have different ids, or none.
        if searched.is_some_and(|text| !self.twins.is_first(channel, "search", &text)) {
            return None;
        }
        let end = self.of_call(call.id.clone(), None, reports::outcome(kind, event));
        let end = Some(Box::new(end));
        Some(Said::Call(SaidCall { report, end, ..call }))
    }
}

/// A call that the model asked for.
fn started<'s>(kind: &str, item: Json<'s>) -> SaidCall<'s> {
    let args = ["arguments", "input", "action"].iter().find_map(|name| item.present(name));
    let namespace = item.text_at("namespace");
    let own = || kind.strip_suffix("_call").map(|own| own.to_owned().into());
    let tool = item.text_at("name").or_else(|| item.text_at("function.name")).or_else(own);
    SaidCall {
        id: item.text_at("call_id").or_else(|| item.text_at("id")),
        tool: with_server(tool.unwrap_or_default(), namespace.as_deref()),
        args: args.map_or(Args::None, Args::of),
        namespace,
        family: family(kind),
        report: Channel::Item.report(),
        ..SaidCall::default()
    }
}

/// The name of a tool with that of its MCP server, as hooks and the reports of calls have it.
fn with_server<'s>(tool: Cow<'s, str>, namespace: Option<&str>) -> Cow<'s, str> {
    match namespace.filter(|name| name.starts_with(MCP) && !tool.starts_with(MCP)) {
        Some(server) => format!("{}__{tool}", server.trim_end_matches('_')).into(),
        None => tool,
    }
}

fn aborted(reason: Cow<'_, str>) -> Said<'_> {
    match reason.as_ref() {
        "" => Said::Interrupted(None),
        "interrupted" | "replaced" => Said::Interrupted(Some(reason)),
        reason => Said::note(format!("Turn aborted: {reason}")),
    }
}

/// What the automatic reviewer denied.
fn denied(assessed: Json<'_>) -> Option<Said<'_>> {
    assessed.text_at("status").filter(|status| status == "denied")?;
    let action = assessed.present("action").unwrap_or(Json::NULL);
    Some(Said::Denied(CallEnd {
        id: assessed.text_at("target_item_id"),
        tool: ["command", "tool_name", "type"].iter().find_map(|name| action.text_at(name)),
        text: assessed.text_at("rationale").unwrap_or(Cow::Borrowed("denied")),
        outcome: Outcome::Denied,
        ..CallEnd::default()
    }))
}
