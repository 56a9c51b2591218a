//! Gemini CLI: its session files, and what `gemini -p` prints (see [`output`]).
//!
//! Session files have three forms: one document with `messages`, the older one with `history` (turns with a
//! role and parts), and lines, where a message is written again whenever it grows. A message holds
//! its calls with their results.

mod calls;
mod files;
mod output;
mod prompts;

use crate::agents::{AgentPlace, Dialect, NamedEvents};
use std::borrow::Cow;
use std::collections::{HashSet, VecDeque};

use self::calls::{outcome, part_outcome};
use self::output::PrintedSession;
use self::prompts::user;
use super::said::{
    CallEnd, FailedPart, ModelCall, Said, SaidAnswer, SaidCall, SaidFailure, SaidLine, SubAgent,
    TokensUsed,
};
use super::source::said;
use super::{LineReader, SourcePart, SourceText};
use crate::event::fields::{attachment_label, is_placeholder};
use crate::event::time::Timestamp;
use crate::fs::hash::sha256;
use crate::json::Json;

/// What the program knows of the agent.
pub(super) static AGENT: Dialect = Dialect {
    name: "gemini",
    about: "Gemini CLI: session files, and what gemini -p prints with --output-format",
    sign,
    weak_signs: WEAK,
    lists: &["messages", "history"],
    ending,
    end_types: &["result"],
    named: Some(NamedEvents::ByContent),
    twice: Some("prompts and answers are there twice"),
    files: &files::GeminiFiles,
    marks_sub_agents: true,
    provider: Some("gcp.gemini"),
    places: &[AgentPlace::new(Some("GEMINI_CLI_HOME"), "", ".gemini/tmp")],
    reader: || Box::new(Gemini::default()),
    ..Dialect::PLAIN
};

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
    tokens: TokensUsed,
    /// The number of calls without ids.
    unnamed: usize,
}

impl LineReader for Gemini {
    fn read<'s>(&mut self, source: &SourceText<'s>) -> SaidLine<'s> {
        let json = source.json;
        self.session = PrintedSession::session(json).or(self.session.take());
        let (kind, said) = self.said(source);
        let times = ["timestamp", "ts", "startTime", "start_time"];
        SaidLine {
            kind,
            id: json.text_at("id"),
            time: times
                .iter()
                .find_map(|field| time(json, field))
                .or(json.text_at("$set.lastUpdated")),
            session: self.session.clone().map(Cow::Owned),
            agent: SubAgent { id: self.agent.clone().map(Cow::Owned), ..SubAgent::default() },
            said,
            ..SaidLine::default()
        }
    }
}

impl Gemini {
    /// The type of a line, and what it says.
    fn said<'s>(&mut self, source: &SourceText<'s>) -> (Cow<'s, str>, Vec<Said<'s>>) {
        let json = source.json;
        if let Some(kind) = json.text_at("type") {
            let printed = self.printed.line(&kind, source);
            let said = printed.unwrap_or_else(|| self.message(json, &kind));
            return (kind, said);
        }
        let is_head = json.get("sessionId").is_some() || json.get("projectHash").is_some();
        let (kind, said) = match json.text_at("role").filter(|_| json.get("parts").is_some()) {
            _ if output::is_document(json) => ("output", output::document(json)),
            Some(role) => return (format!("history/{role}").into(), turn(json, &role)),
            None if source.part == SourcePart::Document || is_head => {
                ("session", self.session(json))
            }
            None if json.get("$set").is_some() => ("$set", self.set(json)),
            None if json.get("$rewindTo").is_some() => {
                let to = json.text_at("$rewindTo").unwrap_or_default();
                let from = self.order.iter().position(|(id, _)| *id == to);
                // To the client, an unknown message is before all others.
                let gone = self.order.split_off(from.unwrap_or_default());
                let withdrawn = gone.iter().filter(|(_, is_prompt)| *is_prompt).count();
                let text = "The user went back to an earlier message";
                ("$rewindTo", vec![Said::went_back(text, withdrawn as u64)])
            }
            None => ("untyped", Vec::new()),
        };
        (kind.into(), said)
    }

    /// The members of a document besides its list, or the first line. The members after the list
    /// give an event only if they hold facts.
    fn session<'s>(&mut self, json: Json<'s>) -> Vec<Said<'s>> {
        let id = json.text_at("sessionId").map(Cow::into_owned);
        if let Some(id) = id.filter(|id| !is_placeholder(id)) {
            let is_agent = json.text_at("kind").is_some_and(|kind| kind == "subagent");
            self.agent = is_agent.then(|| id.clone());
            self.session = Some(id);
        }
        self.facts(json).into_iter().collect()
    }

    fn facts<'s>(&self, json: Json<'s>) -> Option<Said<'s>> {
        let directory = json.get("directories").and_then(|list| list.items().next());
        // The summary of a sub-agent's work is no title of the session.
        let title = json.text_at("summary").filter(|_| self.agent.is_none());
        let facts = Said::facts([
            ("model", json.text_at("meta.model").or(json.text_at("model"))),
            ("cwd", directory.and_then(Json::as_str)),
            ("title", title),
            ("project_hash", json.text_at("projectHash")),
        ]);
        (!matches!(&facts, Said::Facts(facts) if facts.is_empty())).then_some(facts)
    }

    fn message<'s>(&mut self, json: Json<'s>, kind: &str) -> Vec<Said<'s>> {
        let content = json.present("content").or_else(|| json.present("parts"));
        let (text, others) = content.map(spoken).unwrap_or_default();
        let mut seen = self.seen(json);
        let hash = hash_of(&text);
        let is_new = seen.text.replace(hash) != Some(hash);
        let is_first = self.known.insert(seen.message.clone());
        self.texts.insert(hash);
        let said = match kind {
            "user" if is_new => user(json, &text, &others),
            "gemini" | "model" | "assistant" => answer(json, &mut seen, &text, is_new),
            "info" | "warning" if is_new => vec![notice(text)],
            "error" if is_new => {
                // A command of the client that fails after the answer is no failure of the turn.
                let is_of_turn = !self.has_answered || text.starts_with(API_ERROR);
                let of = if is_of_turn { FailedPart::Engine } else { FailedPart::Client };
                let message = text.into();
                vec![Said::Failed(SaidFailure { message, of, ..SaidFailure::default() })]
            }
            _ => Vec::new(),
        };
        for said in &said {
            match said {
                Said::Answer(_) => self.has_answered = true,
                Said::Prompt(_) | Said::Call(_) => self.has_answered = false,
                _ => {}
            }
        }
        if !is_placeholder(&seen.message) {
            if is_first {
                let is_prompt = said.iter().any(|said| matches!(said, Said::Prompt(_)));
                self.order.push((seen.message.clone(), is_prompt));
            }
            self.recent.push_back(seen);
            if self.recent.len() > RECENT {
                self.recent.pop_front();
            }
        }
        said
    }

    /// What was taken of the message, if it was written before.
    fn seen(&mut self, json: Json<'_>) -> Seen {
        let message = json.text_at("id").unwrap_or_default();
        let known = self.recent.iter().position(|seen| seen.message == message);
        let known = known.and_then(|known| self.recent.remove(known));
        known.unwrap_or_else(|| Seen { message: message.into_owned(), ..Seen::default() })
    }

    /// A change of the session's members. The client writes the list of messages again whenever it
    /// begins, goes back or compacts it. Messages that are nowhere else are taken from there.
    fn set<'s>(&mut self, json: Json<'s>) -> Vec<Said<'s>> {
        let Some(set) = json.present("$set") else { return Vec::new() };
        let mut said: Vec<_> = self.facts(set).into_iter().collect();
        let Some(messages) = set.present("messages") else { return said };
        let text = |message: Json<'_>| {
            let content = message.present("content").or_else(|| message.present("parts"));
            content.map(spoken).unwrap_or_default().0
        };
        let is_summary = |message: &Json<'_>| text(*message).trim_start().starts_with(SUMMARY);
        let is_compaction = messages.items().any(|message| is_summary(&message));
        if is_compaction {
            let count = messages.items().count();
            let text = format!("Context compacted: {count} messages replace the earlier ones");
            said.push(Said::note(text));
        }
        let mut lines = Vec::new();
        for message in messages.items() {
            let kind = message.text_at("type").unwrap_or_default();
            let id = message.text_at("id").unwrap_or_default();
            let is_known = !is_placeholder(&id) && self.known.contains(id.as_ref());
            if is_known && !self.recent.iter().any(|seen| seen.message == id) {
                continue;
            }
            let own = text(message);
            // What is kept of the earlier messages has new ids, and nothing else is new.
            let is_kept = self.texts.contains(&hash_of(&own)) || own.trim() == ACKNOWLEDGED;
            let is_more =
                ["toolCalls", "tokens"].iter().any(|name| message.present(name).is_some());
            if is_compaction && !is_known && is_kept && !is_more && !own.is_empty() {
                self.known.insert(id.into_owned());
                continue;
            }
            let mut taken = self.message(message, &kind);
            if is_known {
                // It may have a longer text, calls and tokens now, which no other line has.
                taken
                    .retain(|said| matches!(said, Said::Used(_) | Said::Answer(_) | Said::Call(_)));
            } else if is_summary(&message) {
                // The note above is about the compaction.
                taken.retain(|said| !matches!(said, Said::Note(_)));
            }
            let time = message.text_at("timestamp").filter(|_| !is_known);
            lines.push(SaidLine { time, said: taken, ..SaidLine::default() });
        }
        said.push(Said::Lines(lines));
        said
    }
}

fn answer<'s>(json: Json<'s>, seen: &mut Seen, text: &str, is_new: bool) -> Vec<Said<'s>> {
    let of = ModelCall { model: json.text_at("model"), id: json.text_at("id") };
    let thoughts: Vec<_> = json.get("thoughts").into_iter().flat_map(Json::items).collect();
    let mut said: Vec<_> = thoughts.iter().skip(seen.thoughts).map(thought).collect();
    seen.thoughts = seen.thoughts.max(thoughts.len());
    if is_new {
        let parts = json.get("content").into_iter().flat_map(Json::items);
        let texts = parts.filter(is_thought).filter_map(|part| part.text_at("text"));
        said.extend(texts.map(Said::Thought));
        if !text.is_empty() {
            let text = text.to_owned().into();
            said.push(Said::Answer(SaidAnswer { text, of: of.clone() }));
        }
    }
    let tokens = json.present("tokens").map(tokens).filter(|tokens| *tokens != seen.tokens);
    if let Some(tokens) = tokens {
        said.push(Said::used(tokens, of));
        seen.tokens = tokens;
    }
    let mut unnamed = 0;
    for call in json.get("toolCalls").into_iter().flat_map(Json::items) {
        let id = call.text_at("id").filter(|id| !is_placeholder(id));
        unnamed += usize::from(id.is_none());
        if id.is_none() && unnamed <= seen.unnamed {
            continue;
        }
        let mut end = outcome(call);
        if let Some(end) = &mut end {
            // The call has the time of its end, the message that of its start.
            let of = |json: Json<'_>| Timestamp::parse(&json.text_at("timestamp")?);
            end.time = of(call).filter(|ended| of(json).is_some_and(|at| at <= *ended));
        }
        let tool = call.text_at("name").unwrap_or_default();
        let Said::Call(begun) = Said::call(id, tool, call.get("args")) else { continue };
        let end = end.map(Box::new);
        let message = json.text_at("id").filter(|id| !is_placeholder(id));
        // The message may be written again, with arguments that the user changed.
        let other_id = message.as_ref().zip(begun.id.as_ref());
        let other_id = other_id.map(|(message, id)| format!("{message}.{id}").into());
        said.push(Said::Call(SaidCall { message, other_id, end, ..begun }));
    }
    seen.unnamed = seen.unnamed.max(unnamed);
    said
}

/// A turn of the older form.
fn turn<'s>(json: Json<'s>, role: &str) -> Vec<Said<'s>> {
    let mut said = Vec::new();
    let (mut texts, mut others) = (Vec::new(), Vec::new());
    for part in json.get("parts").into_iter().flat_map(Json::items) {
        if let Some(call) = part.present("functionCall") {
            let tool = call.text_at("name").unwrap_or_default();
            said.push(Said::call(call.text_at("id"), tool, call.get("args")));
        } else if let Some(answer) = part.present("functionResponse") {
            let (id, tool) = (answer.text_at("id"), answer.text_at("name"));
            said.push(Said::End(CallEnd { id, tool, ..part_outcome(answer) }));
        } else if let Some(text) = part.text_at("text").or_else(|| part.as_str()) {
            if is_thought(&part) {
                said.push(Said::Thought(text));
            } else {
                texts.push(text);
            }
        } else {
            others.push(attachment_label(part));
        }
    }
    let text = texts.join("\n");
    if role == "user" {
        return user(json, &text, &others).into_iter().chain(said).collect();
    }
    // Calls follow the text that announces them.
    let place = said.iter().take_while(|said| matches!(said, Said::Thought(_))).count();
    said.insert(place, Said::Answer(SaidAnswer { text: text.into(), ..SaidAnswer::default() }));
    said
}

/// The time in that field: text, or a number of seconds or milliseconds since 1970.
fn time<'s>(json: Json<'s>, field: &str) -> Option<Cow<'s, str>> {
    let value = json.present(field)?;
    if let Some(text) = value.as_str() {
        return Some(text);
    }
    let number = value.as_f64().filter(|number| *number > 0.0)?;
    let millis = if number < 1e11 { number * 1000.0 } else { number };
    Some(Timestamp::from_millis(millis as i64).to_string().into())
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
fn notice(text: String) -> Said<'static> {
    if CANCELLED.iter().any(|beginning| text.starts_with(beginning)) {
        return Said::Interrupted(Some(text.into()));
    }
    if text.contains("compressed from") {
        return Said::note(format!("Context compacted: {text}"));
    }
    Said::system(text)
}

fn thought<'s>(thought: &Json<'s>) -> Said<'s> {
    let texts = ["subject", "description"].iter().filter_map(|name| thought.text_at(name));
    let texts: Vec<_> = texts.filter(|text| !text.is_empty()).collect();
    Said::Thought(texts.join(": ").into())
}

/// The token counts of a message. In the source, input includes cached tokens. Whether it includes those of
/// tools, and output those of thoughts, shows in the total.
fn tokens(tokens: Json<'_>) -> TokensUsed {
    let count = |name: &str| tokens.get(name).and_then(Json::as_u64);
    let (thoughts, tool) = (count("thoughts").unwrap_or(0), count("tool").unwrap_or(0));
    let both = count("input").unwrap_or(0).saturating_add(count("output").unwrap_or(0));
    let is_apart = count("total").is_none_or(|total| total > both);
    let (thoughts_apart, tool_apart) = if is_apart { (thoughts, tool) } else { (0, 0) };
    let cached = count("cached");
    let input = count("input").map(|input| input.saturating_sub(cached.unwrap_or(0)));
    TokensUsed {
        input: input.map(|input| input.saturating_add(tool_apart)),
        output: count("output").map(|output| output.saturating_add(thoughts_apart)),
        cache_read: cached,
        reasoning: Some(thoughts).filter(|thoughts| *thoughts > 0),
        ..TokensUsed::default()
    }
}
