//! Gemini CLI: its session files, and what `gemini -p` prints (see [`output`]).
//!
//! Session files have three forms: one document with `messages`, the older one with `history` (turns with a
//! role and parts), and lines, where a message is written again whenever it grows. A message holds
//! its calls with their results.

mod calls;
mod output;
mod prompts;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};

use self::calls::{outcome, part_outcome};
use self::output::PrintedSession;
use self::prompts::user;
use super::calls::{ReportedCalls, end};
use super::live_prompts::went_back;
use super::source::{ENGINE, StartedCall, event, of_agent, said, text_event};
use super::{AdaptedLine, Adapter, SourcePart, SourceText};
use crate::event::draft::Draft;
use crate::event::fields::{attachment_label, is_placeholder};
use crate::event::time::Timestamp;
use crate::fs::hash::sha256;
use crate::json::{Json, ObjectText};

/// The signs of lines that other programs may write too.
pub(super) const WEAK: &[&str] = &[PROJECT, PARTS_OF_USER, MESSAGE, output::MESSAGE, output::ERROR];
const PROJECT: &str = "sessionId with projectHash";
const PARTS_OF_USER: &str = "parts of a user";
const MESSAGE: &str = "a message with id and timestamp";

/// The fields that show that a line or a document is of Gemini CLI.
pub(super) fn sign(line: Json<'_>) -> Option<&'static str> {
    if let Some(sign) = output::sign(line) {
        return Some(sign);
    }
    let has = |field: &str| line.get(field).is_some();
    if has("sessionId") && has("projectHash") {
        let begins = has("startTime") || has("messages");
        return Some(if begins { "sessionId and projectHash" } else { PROJECT });
    }
    if has("$set") || has("$rewindTo") {
        return Some("$set or $rewindTo");
    }
    let first = |list: &str| line.get(list).and_then(|list| list.items().next());
    let turn = first("history").unwrap_or(line);
    let role = turn.text_at("role").unwrap_or_default();
    if ["user", "gemini", "model"].contains(&role.as_ref()) && turn.get("parts").is_some() {
        let is_kept = line.get("history").is_some();
        return Some(if role == "user" && !is_kept { PARTS_OF_USER } else { "role and parts" });
    }
    let message = first("messages").unwrap_or(line);
    let has = |field: &str| message.get(field).is_some();
    let kind = message.text_at("type")?;
    let is_own = ["user", "gemini", "model", "info", "error", "warning"].contains(&kind.as_ref())
        && has("id")
        && has("timestamp")
        && (has("content") || has("parts") || has("toolCalls"))
        && !["message", "data", "runId", "sessionId", "parentUuid"].into_iter().any(has);
    let is_model = matches!(kind.as_ref(), "gemini" | "model") || has("toolCalls");
    let is_strong = is_model || line.get("messages").is_some();
    is_own.then_some(if is_strong { "id, timestamp and content" } else { MESSAGE })
}

pub(super) use output::ending;

/// A new adapter.
pub(super) fn adapter() -> Box<dyn Adapter> {
    Box::new(Gemini::default())
}

/// What the client lets the model say after a summary.
const ACKNOWLEDGED: &str = "Got it. Thanks for the additional context!";
/// The beginning of a summary of earlier messages.
const SUMMARY: &str = "<state_snapshot>";
/// Beginnings of the client's text for an interruption.
const CANCELLED: &[&str] = &["Request cancelled", "Operation cancelled", "User cancelled"];
/// The number of messages that may be written again.
const RECENT: usize = 64;

#[derive(Default)]
struct Gemini {
    session: Option<String>,
    /// The session's id, if the session is a sub-agent's.
    agent: Option<String>,
    /// The newest messages.
    recent: VecDeque<Seen>,
    /// The ids of all messages.
    known: HashSet<String>,
    /// The messages that the user did not go back from, in order, and which of them are prompts.
    order: Vec<(String, bool)>,
    /// The hashes of their texts.
    texts: HashSet<[u8; 32]>,
    /// The calls in messages, by their own ids.
    calls: HashMap<String, KnownMessage>,
    /// The calls in turns with parts.
    turns: ReportedCalls,
    /// What `gemini -p` printed.
    printed: PrintedSession,
    /// Whether the newest turn has an answer.
    has_answered: bool,
}

/// The beginning of the client's text for a model call that failed.
const API_ERROR: &str = "[API Error";

/// The parts of a message that were taken.
#[derive(Default)]
struct Seen {
    message: String,
    /// Hash of the text.
    text: Option<[u8; 32]>,
    thoughts: usize,
    /// The usage as text.
    usage: String,
    /// ReportedCalls that have no ids.
    unnamed: usize,
}

/// A call in a message.
struct KnownMessage {
    message: String,
    has_ended: bool,
}

impl Adapter for Gemini {
    fn read(&mut self, source: &SourceText<'_>) -> AdaptedLine {
        let json = source.json;
        let kind = source.text("type");
        let role = source.text("role").filter(|_| json.get("parts").is_some());
        let is_head = json.get("sessionId").is_some() || json.get("projectHash").is_some();
        self.session = PrintedSession::session(json).or(self.session.take());
        let printed = kind.as_ref().and_then(|kind| self.printed.line(kind, source));
        let (source_type, drafts) = match (kind, role) {
            (Some(kind), _) if printed.is_some() => (kind, printed.unwrap_or_default()),
            (None, None) if output::is_document(json) => {
                ("output".to_owned(), output::document(json))
            }
            (Some(kind), _) => {
                let drafts = self.message(source, &kind);
                (kind, drafts)
            }
            (None, Some(role)) => (format!("history/{role}"), self.turn(source, &role)),
            (None, None) if source.part == SourcePart::Document || is_head => {
                ("session".to_owned(), self.session(json))
            }
            (None, None) if json.get("$set").is_some() => ("$set".to_owned(), self.set(source)),
            (None, None) if json.get("$rewindTo").is_some() => {
                let to = source.text("$rewindTo").unwrap_or_default();
                let from = self.order.iter().position(|(id, _)| *id == to);
                // To the client, an unknown message is before all others.
                let gone = self.order.split_off(from.unwrap_or_default());
                let withdrawn = gone.iter().filter(|(_, is_prompt)| *is_prompt).count();
                let text = "The user went back to an earlier message";
                ("$rewindTo".to_owned(), vec![went_back(text, withdrawn as u64)])
            }
            _ => ("untyped".to_owned(), Vec::new()),
        };
        let of_agent = |draft| of_agent(draft, self.agent.as_deref(), None);
        AdaptedLine {
            source_type,
            source_id: source.text("id"),
            time: ["timestamp", "ts", "startTime", "start_time"]
                .iter()
                .find_map(|field| time(json, field))
                .or_else(|| source.text("$set.lastUpdated")),
            session_id: self.session.clone(),
            parent: None,
            drafts: drafts.into_iter().map(of_agent).collect(),
            ..AdaptedLine::default()
        }
    }
}

impl Gemini {
    /// The members of a document besides its list, or the first line. The members after the list
    /// give an event only if they hold facts.
    fn session(&mut self, json: Json<'_>) -> Vec<Draft<'static>> {
        let id = json.text_at("sessionId").map(Cow::into_owned);
        if let Some(id) = id.filter(|id| !is_placeholder(id)) {
            let is_agent = json.text_at("kind").is_some_and(|kind| kind == "subagent");
            self.agent = is_agent.then(|| id.clone());
            self.session = Some(id);
        }
        let mut facts = self.facts(json);
        facts.text_if("project_hash", json.text_at("projectHash").as_deref());
        let is_fact = !facts.is_empty();
        is_fact.then(|| Draft::new("config.loaded", facts)).into_iter().collect()
    }

    fn facts(&self, json: Json<'_>) -> ObjectText {
        let mut facts = ObjectText::new();
        let directory = json.get("directories").and_then(|list| list.items().next());
        facts.text_if("model", json.text_at("meta.model").or(json.text_at("model")).as_deref());
        facts.text_if("cwd", directory.and_then(Json::as_str).as_deref());
        // The summary of a sub-agent's work is no title of the session.
        let title = json.text_at("summary").filter(|_| self.agent.is_none());
        facts.text_if("title", title.as_deref());
        facts
    }

    fn message(&mut self, source: &SourceText<'_>, kind: &str) -> Vec<Draft<'static>> {
        let json = source.json;
        let content = json.present("content").or_else(|| json.present("parts"));
        let (text, others) = content.map(spoken).unwrap_or_default();
        let mut seen = self.seen(source);
        let hash = Some(hash_of(&text));
        let is_new = seen.text.replace(hash_of(&text)) != hash;
        let is_first = self.known.insert(seen.message.clone());
        self.texts.extend(hash);
        let drafts = match kind {
            "user" if is_new => user(json, &text, &others),
            "gemini" | "model" | "assistant" => self.answer(source, &mut seen, &text, is_new),
            "info" | "warning" if is_new => notice(&text),
            "error" if is_new => {
                // A command of the client that fails after the answer is no failure of the turn.
                let is_of_turn = !self.has_answered || text.starts_with(API_ERROR);
                vec![event("error", |data| {
                    data.text("message", &text);
                    data.text("category", if is_of_turn { ENGINE } else { "client" });
                })]
            }
            _ => Vec::new(),
        };
        for draft in &drafts {
            match draft.kind.as_ref() {
                "message.assistant" => self.has_answered = true,
                "message.user" | "tool.started" => self.has_answered = false,
                _ => {}
            }
        }
        if !is_placeholder(&seen.message) {
            if is_first {
                let is_prompt = drafts.iter().any(|draft| draft.kind == "message.user");
                self.order.push((seen.message.clone(), is_prompt));
            }
            self.recent.push_back(seen);
            if self.recent.len() > RECENT {
                self.recent.pop_front();
            }
        }
        drafts
    }

    /// What was taken of the message, if it was written before.
    fn seen(&mut self, source: &SourceText<'_>) -> Seen {
        let message = source.text("id").unwrap_or_default();
        let known = self.recent.iter().position(|seen| seen.message == message);
        let known = known.and_then(|known| self.recent.remove(known));
        known.unwrap_or_else(|| Seen { message, ..Seen::default() })
    }

    fn answer(
        &mut self,
        source: &SourceText<'_>,
        seen: &mut Seen,
        text: &str,
        is_new: bool,
    ) -> Vec<Draft<'static>> {
        let json = source.json;
        let model = json.text_at("model");
        let message_id = Some(seen.message.as_str()).filter(|id| !is_placeholder(id));
        let thoughts: Vec<_> = json.get("thoughts").into_iter().flat_map(Json::items).collect();
        let mut drafts: Vec<_> = thoughts.iter().skip(seen.thoughts).filter_map(thought).collect();
        if is_new {
            let parts = json.get("content").into_iter().flat_map(Json::items);
            let texts = parts.filter(is_thought).filter_map(|part| part.text_at("text"));
            drafts.extend(texts.map(|text| text_event("message.reasoning", &text)));
        }
        if is_new && !text.is_empty() {
            drafts.push(event("message.assistant", |data| {
                data.text("text", text).text_if("model", model.as_deref());
                data.text_if("message_id", message_id);
            }));
        }
        let usage = json.present("tokens").map(usage).filter(|usage| *usage != seen.usage);
        if let Some(usage) = usage.filter(|usage| usage != "{}") {
            drafts.push(event("llm.usage", |data| {
                data.members(Json::trusted(&usage)).text_if("model", model.as_deref());
                data.text_if("message_id", message_id);
            }));
            seen.usage = usage;
        }
        seen.thoughts = seen.thoughts.max(thoughts.len());
        let mut unnamed = 0;
        for (index, call) in json.get("toolCalls").into_iter().flat_map(Json::items).enumerate() {
            let is_unnamed = call.text_at("id").is_none_or(|id| is_placeholder(&id));
            unnamed += usize::from(is_unnamed);
            if !is_unnamed || unnamed > seen.unnamed {
                drafts.extend(self.call(source, &seen.message, call, index));
            }
        }
        seen.unnamed = seen.unnamed.max(unnamed);
        drafts
    }

    /// The start and the end of a call, unless the message had them before.
    fn call(
        &mut self,
        source: &SourceText<'_>,
        message: &str,
        call: Json<'_>,
        index: usize,
    ) -> Vec<Draft<'static>> {
        let own = call.text_at("id").filter(|id| !is_placeholder(id));
        let known = own.as_deref().and_then(|id| self.calls.get_mut(id));
        let is_again = known.as_ref().is_some_and(|known| known.message == message)
            && !is_placeholder(message);
        let tool = call.text_at("name").unwrap_or(Cow::Borrowed("tool"));
        let outcome = outcome(call);
        let message_id = Some(message).filter(|id| !is_placeholder(id));
        let started = |id: Option<Cow<'_, str>>| {
            let call = StartedCall { id, tool: &tool, args: call.get("args") };
            source.call(&call, index, |data| {
                data.text_if("message_id", message_id);
            })
        };
        let mut drafts = Vec::new();
        let id = match (own, known) {
            (Some(own), Some(known)) if is_again => {
                let had_ended = std::mem::replace(&mut known.has_ended, outcome.is_some());
                if had_ended {
                    known.has_ended = true;
                    return drafts;
                }
                own.into_owned()
            }
            // Another message has a call with this id, so this call gets an id from its place.
            (own, known) => {
                let is_free = known.is_none();
                let start = started(own.clone().filter(|_| is_free));
                let id = start.correlation_id.as_deref().unwrap_or_default().to_owned();
                if let Some(own) = own.filter(|_| is_free) {
                    let message = message.to_owned();
                    let known = KnownMessage { message, has_ended: outcome.is_some() };
                    self.calls.insert(own.into_owned(), known);
                }
                drafts.push(start);
                id
            }
        };
        if let Some((outcome, exit_code)) = outcome {
            let mut end = end(&id, &tool, &outcome, |data| {
                if let Some(code) = exit_code {
                    data.plain("exit_code", code);
                }
                data.text_if("spawned_agent_id", call.text_at("agentId").as_deref());
            });
            // The call has the time of its end, the message that of its start.
            let of = |json: Json<'_>| Timestamp::parse(&json.text_at("timestamp")?);
            end.timestamp = of(call).filter(|ended| of(source.json).is_some_and(|at| at <= *ended));
            drafts.push(end);
        }
        drafts
    }

    /// A change of the session's members. The client writes the list of messages again whenever it
    /// begins, goes back or compacts it. Messages that are nowhere else are taken from there.
    fn set(&mut self, source: &SourceText<'_>) -> Vec<Draft<'static>> {
        let Some(set) = source.json.present("$set") else { return Vec::new() };
        let mut drafts = Vec::new();
        let facts = self.facts(set);
        if !facts.is_empty() {
            drafts.push(Draft::new("config.loaded", facts));
        }
        let Some(messages) = set.present("messages") else { return drafts };
        let text = |message: Json<'_>| {
            let content = message.present("content").or_else(|| message.present("parts"));
            content.map(spoken).unwrap_or_default().0
        };
        let is_summary = |message: &Json<'_>| text(*message).trim_start().starts_with(SUMMARY);
        let is_compaction = messages.items().any(|message| is_summary(&message));
        if is_compaction {
            let count = messages.items().count();
            let text = format!("Context compacted: {count} messages replace the earlier ones");
            drafts.push(text_event("note", &text));
        }
        for (index, message) in messages.items().enumerate() {
            let kind = message.text_at("type").unwrap_or_default();
            let id = message.text_at("id").unwrap_or_default();
            let is_known = !is_placeholder(&id) && self.known.contains(id.as_ref());
            if is_known && !self.recent.iter().any(|seen| seen.message == id) {
                continue;
            }
            let said = text(message);
            // What is kept of the earlier messages has new ids, and nothing else is new.
            let is_kept = self.texts.contains(&hash_of(&said)) || said.trim() == ACKNOWLEDGED;
            let is_more =
                ["toolCalls", "tokens"].iter().any(|name| message.present(name).is_some());
            if is_compaction && !is_known && is_kept && !is_more && !said.is_empty() {
                self.known.insert(id.into_owned());
                continue;
            }
            let place = format!("{}.{index}", source.place);
            let message_source = SourceText { json: message, place: &place, ..*source };
            if is_known {
                // It may have a longer text, calls and tokens now, which no other line has.
                let mut grown = self.message(&message_source, &kind);
                let is_kept = |kind: &str| {
                    matches!(kind, "llm.usage" | "message.assistant") || kind.starts_with("tool.")
                };
                grown.retain(|draft| is_kept(&draft.kind));
                drafts.append(&mut grown);
                continue;
            }
            let is_summary = is_summary(&message);
            let mut taken = self.message(&message_source, &kind);
            if is_summary {
                // The note above tells of the compaction.
                taken.retain(|draft| draft.kind != "note");
            }
            let time = message.text_at("timestamp").and_then(|time| Timestamp::parse(&time));
            taken.iter_mut().for_each(|draft| draft.timestamp = draft.timestamp.or(time));
            drafts.append(&mut taken);
        }
        drafts
    }

    /// A turn of the older form.
    fn turn(&mut self, source: &SourceText<'_>, role: &str) -> Vec<Draft<'static>> {
        let mut drafts = Vec::new();
        let (mut texts, mut others) = (Vec::new(), Vec::new());
        let parts = source.json.get("parts").into_iter().flat_map(Json::items);
        for (index, part) in parts.enumerate() {
            let is_thought = is_thought(&part);
            if let Some(call) = part.present("functionCall") {
                let tool = call.text_at("name").unwrap_or(Cow::Borrowed("tool"));
                let call =
                    StartedCall { id: call.text_at("id"), tool: &tool, args: call.get("args") };
                drafts.extend(self.turns.start(source, &call, index, |_| {}));
            } else if let Some(answer) = part.present("functionResponse") {
                let (id, tool) = (answer.text_at("id"), answer.text_at("name"));
                let outcome = part_outcome(answer);
                let (id, tool) = (id.as_deref(), tool.as_deref());
                drafts.extend(self.turns.end(source, id, tool, &outcome, |_| {}));
            } else if let Some(text) = part.text_at("text").or_else(|| part.as_str()) {
                if is_thought {
                    drafts.push(text_event("message.reasoning", &text));
                } else {
                    texts.push(text);
                }
            } else {
                others.push(attachment_label(part));
            }
        }
        let text = texts.join("\n");
        if role == "user" {
            let mut said = user(source.json, &text, &others);
            said.append(&mut drafts);
            return said;
        }
        if !text.is_empty() {
            // ReportedCalls follow the text that announces them.
            let place = drafts.iter().take_while(|draft| draft.kind == "message.reasoning").count();
            drafts.insert(place, text_event("message.assistant", &text));
        }
        drafts
    }
}

/// The time in that field: text, or a number of seconds or milliseconds since 1970.
fn time(json: Json<'_>, field: &str) -> Option<String> {
    let value = json.present(field)?;
    if let Some(text) = value.as_str() {
        return Some(text.into_owned());
    }
    let number = value.as_f64().filter(|number| *number > 0.0)?;
    let millis = if number < 1e11 { number * 1000.0 } else { number };
    Some(Timestamp::from_millis(millis as i64).to_string())
}

/// Whether a part of a message is a thought.
fn is_thought(part: &Json<'_>) -> bool {
    part.get("thought").and_then(Json::as_bool) == Some(true)
}

/// The texts of a message's content without its thoughts, and the labels of its other parts.
fn spoken(content: Json<'_>) -> (String, Vec<String>) {
    if !content.items().any(|part| is_thought(&part)) {
        return said(content);
    }
    let mut all = (Vec::new(), Vec::new());
    for (text, mut others) in content.items().filter(|part| !is_thought(part)).map(said) {
        all.0.extend(Some(text).filter(|text| !text.is_empty()));
        all.1.append(&mut others);
    }
    (all.0.join("\n"), all.1)
}

/// The hash of a text without the white space around it, in which two writings of one message differ.
fn hash_of(text: &str) -> [u8; 32] {
    sha256(text.trim().as_bytes())
}

/// A text that the client showed to the user.
fn notice(text: &str) -> Vec<Draft<'static>> {
    if text.is_empty() {
        return Vec::new();
    }
    if CANCELLED.iter().any(|beginning| text.starts_with(beginning)) {
        return vec![event("user.interrupted", |data| {
            data.text("reason", text);
        })];
    }
    if text.contains("compressed from") {
        return vec![text_event("note", &format!("Context compacted: {text}"))];
    }
    vec![text_event("message.system", text)]
}

fn thought(thought: &Json<'_>) -> Option<Draft<'static>> {
    let texts = ["subject", "description"].iter().filter_map(|name| thought.text_at(name));
    let texts: Vec<_> = texts.filter(|text| !text.is_empty()).collect();
    (!texts.is_empty()).then(|| text_event("message.reasoning", &texts.join(": ")))
}

/// The token counts of a message with this program's names. In the source, input includes cached
/// tokens. Whether it includes those of tools, and output those of thoughts, shows in the total.
fn usage(tokens: Json<'_>) -> String {
    let count = |name: &str| tokens.get(name).and_then(Json::as_u64);
    let mut usage = ObjectText::new();
    let (thoughts, tool) = (count("thoughts").unwrap_or(0), count("tool").unwrap_or(0));
    let both = count("input").unwrap_or(0).saturating_add(count("output").unwrap_or(0));
    let is_apart = count("total").is_none_or(|total| total > both);
    let (thoughts_apart, tool_apart) = if is_apart { (thoughts, tool) } else { (0, 0) };
    if let Some(input) = count("input") {
        let input = input.saturating_sub(count("cached").unwrap_or(0));
        usage.plain("input_tokens", input.saturating_add(tool_apart));
    }
    if let Some(output) = count("output") {
        usage.plain("output_tokens", output.saturating_add(thoughts_apart));
    }
    if let Some(cached) = count("cached") {
        usage.plain("cache_read_tokens", cached);
    }
    if thoughts > 0 {
        usage.plain("reasoning_tokens", thoughts);
    }
    usage.finish()
}
