//! OpenCode: the JSON files of its storage one after another (a session, then each message with its
//! parts), the output of `opencode export`, and that of `opencode run --format json`.
//!
//! A part names its message in `messageID`; a part without one belongs to the message before it.
//! Times are milliseconds since 1970. TokenCounts stand on the message and on each `step-finish` part;
//! where there are such parts, they count.

pub(crate) mod end;
mod prompts;
mod stored;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::agents::source::{
    EndedCall, StartedCall, call_blocked, call_end, engine_error, event, of_agent, text_event,
};
use crate::agents::tokens::{ReportedFigures, ReportedModelCall, TokenCounts, count};
use crate::agents::{AdaptedLine, Adapter, SessionEnd, SourceText};
use crate::event::catalogue;
use crate::event::draft::Draft;
use crate::event::fields::{HISTORY, WITHDRAWN, as_text, is_placeholder};
use crate::event::time::Timestamp;
use crate::fs::hash::{hex, sha256};
use crate::json::{Json, JsonRules, ObjectText, check};
use end::{TURN_FAILED, beside_turns, cut_end, cut_short, error, message_end, retried};
use prompts::OpenCodePrompts;
use stored::{KINDS, in_older_form, turn_outcome};

/// The sign of a part whose type is not among those known.
pub(crate) const PART: &str = "messageID";

/// The types of parts.
const PARTS: &[&str] = &[
    "agent",
    "compaction",
    "file",
    "patch",
    "reasoning",
    "retry",
    "snapshot",
    "step-finish",
    "step-start",
    "subtask",
    "text",
    "tool",
];

/// The fields that show that a line is of OpenCode.
pub(crate) fn sign(line: Json<'_>) -> Option<&'static str> {
    let has = |name: &str| line.get(name).is_some();
    if has("data") {
        return None;
    }
    match () {
        () if has("projectID") && has("directory") => Some("projectID and directory"),
        () if has("projectID") && line.path("location.directory").is_some() => {
            Some("projectID and location")
        }
        () if has("sessionID") && has("role") && has("time") => Some("sessionID and role"),
        () if has("messageID") && has("id") => {
            let kind = line.text_at("type")?;
            Some(if PARTS.contains(&kind.as_ref()) { "messageID and type" } else { PART })
        }
        () if has("sessionID") && has("part") => Some("sessionID and part"),
        () if has("sessionID") && line.path("error.name").is_some() => Some("sessionID and error"),
        () => line.get("info").and_then(sign),
    }
}

/// A new adapter.
pub(crate) fn adapter() -> Box<dyn Adapter> {
    Box::new(OpenCode::default())
}

/// Errors of calls that a user or a rule denied begin with one of these.
const DENIALS: &[&str] = &["The user rejected permission", "The user has specified a rule"];

/// The type of that error in OpenCode 2, whose message may be any text.
const DENIED: &str = "permission.rejected";

#[derive(Default)]
struct OpenCode {
    /// The messages by their ids.
    messages: HashMap<String, Message>,
    /// The newest message, for parts that name none.
    newest: Option<String>,
    /// The newest session, for parts that name none.
    session_id: Option<String>,
    /// Sessions with a parent, which are spawned agents: the call that spawned each, if known.
    agents: HashMap<String, Option<String>>,
    /// Calls that spawned agents, by the agents' sessions.
    spawned: HashMap<String, String>,
    /// The part that has each call id, by the session and the id. Some models begin to count again.
    called: HashMap<(String, String), String>,
    /// The newest model.
    model: Option<String>,
    /// The sessions in whose turn a message has an error.
    troubled: HashSet<Option<String>>,
    prompts: OpenCodePrompts,
}

/// What the parts of a message need to know about it.
#[derive(Clone, Default)]
struct Message {
    by_user: bool,
    /// Whether its text is a summary of the conversation so far.
    is_summary: bool,
    model: Option<String>,
    session_id: Option<String>,
    time: Option<String>,
    completed: Option<Timestamp>,
    /// How the session ends if this message is its last one, and has an error or is cut.
    end: Option<SessionEnd>,
    /// Whether a `step-finish` part has reported tokens.
    has_steps: bool,
    /// What the message itself reports, and the place of its line.
    told: Option<(TokenCounts, String)>,
}

impl Adapter for OpenCode {
    fn read(&mut self, source: &SourceText<'_>) -> AdaptedLine {
        let json = source.json;
        if let Some(older) = in_older_form(json)
            && let Ok(older) = check(older.as_bytes(), JsonRules::LENIENT)
        {
            let line = self.read(&SourceText { json: older, ..*source });
            let kind = json.text_at("type").unwrap_or_default();
            return AdaptedLine { source_type: format!("message/{kind}"), ..line };
        }
        if let Some(outcome) = turn_outcome(json) {
            return self.turn(&outcome, source);
        }
        // An export wraps sessions and messages, a stream wraps parts.
        let inner = json.present("info").or_else(|| json.present("part")).unwrap_or(json);
        let mut line = self.record(&SourceText { json: inner, ..*source });
        if json.present("part").is_some() {
            line.time = line.time.or_else(|| time(json, "timestamp"));
        }
        let is_by_user = json.text_at("type").is_some_and(|kind| kind == "user");
        // A message has its error at its end, after its parts.
        let is_end = |draft: &Draft<'_>| ["error", catalogue::INTERRUPTED].contains(&&*draft.kind);
        let ends = line.drafts.extract_if(.., |draft| is_end(draft)).collect::<Vec<_>>();
        let before = self.newest.clone();
        for part in json.get("parts").into_iter().flat_map(Json::items).filter(|_| is_by_user) {
            let id = part.text_at("messageID").unwrap_or_default().into_owned();
            let message = Message { by_user: true, ..Message::default() };
            self.messages.entry(id.clone()).or_insert(message);
            self.newest = Some(id);
        }
        if json.text_at("type").is_some_and(|kind| kind == "error") && line.drafts.is_empty() {
            line.drafts.extend(json.present("error").map(error));
            line.time = line.time.or_else(|| time(json, "timestamp"));
        }
        for (index, part) in json.get("parts").into_iter().flat_map(Json::items).enumerate() {
            let place = format!("{}.{index}", source.place);
            let part = self.record(&SourceText { json: part, place: &place, ..*source });
            let time = part.time.as_deref().and_then(Timestamp::parse);
            line.ending = part.ending.or(line.ending);
            line.drafts.extend(part.drafts.into_iter().map(|mut draft| {
                draft.timestamp = draft.timestamp.or(time);
                draft
            }));
        }
        if is_only_files(json)
            && let Some(file) = line.drafts.iter_mut().find(|draft| draft.kind == "message.system")
        {
            file.kind = "message.user".into();
        }
        let last = line.drafts.iter().filter_map(|draft| draft.timestamp).max();
        line.drafts.extend(ends.into_iter().map(|end| Draft { timestamp: last, ..end }));
        if is_by_user {
            // What follows without a message is the agent's.
            self.messages.remove("");
            self.newest = before;
        }
        line
    }
}

/// Whether a message is by the user and has files, and no text.
fn is_only_files(message: Json<'_>) -> bool {
    let is_by_user = message.text_at("info.role").is_some_and(|role| role == "user");
    let parts = || message.get("parts").into_iter().flat_map(Json::items);
    let has = |kind: &str| parts().any(|part| part.text_at("type").as_deref() == Some(kind));
    is_by_user && has("file") && !has("text")
}

impl OpenCode {
    /// The end of a turn.
    fn turn(&mut self, outcome: &str, source: &SourceText<'_>) -> AdaptedLine {
        let json = source.json;
        let session_id = json.text_at("sessionID").map(Cow::into_owned);
        let session_id = session_id.or_else(|| self.session_id.clone());
        // The message often has the error already.
        let is_told = self.troubled.remove(&session_id);
        let drafts = match outcome {
            "interrupted" if !is_told => vec![event("user.interrupted", |_| {})],
            "failed" if !is_told => vec![engine_error(None, TURN_FAILED)],
            _ => Vec::new(),
        };
        AdaptedLine {
            source_type: "message/idle".to_owned(),
            source_id: json.text_at("id").map(Cow::into_owned),
            time: time(json, "time.created"),
            drafts: self.of_session(drafts, session_id.as_deref()),
            session_id,
            ..AdaptedLine::default()
        }
    }

    /// A session, a message or a part.
    fn record(&mut self, source: &SourceText<'_>) -> AdaptedLine {
        let json = source.json;
        let text = |name: &str| json.text_at(name).map(Cow::into_owned);
        if ["projectID", "directory", "location"].iter().any(|name| json.get(name).is_some()) {
            return self.session(json);
        }
        if let Some(role) = text("role") {
            return self.message(&role, source);
        }
        let kind = text("type").unwrap_or_else(|| "untyped".to_owned());
        let message_id = text("messageID").or_else(|| self.newest.clone());
        let message = message_id.as_ref().and_then(|id| self.messages.get(id)).cloned();
        let session_id = text("sessionID")
            .or_else(|| message.as_ref().and_then(|message| message.session_id.clone()))
            .or_else(|| self.session_id.clone());
        let drafts = self.part(&kind, source, message_id.as_deref(), message.as_ref());
        let cut = cut_end(json).filter(|_| !self.is_of_agent(session_id.as_deref()));
        let end = message.as_ref().and_then(|message| message.end.clone());
        let times = ["time.start", "state.time.start", "time.created", "time.end"];
        AdaptedLine {
            source_type: format!("part/{kind}"),
            source_id: text("id"),
            time: times.iter().find_map(|path| time(json, path)).or(message.and_then(|m| m.time)),
            ending: end.or(cut),
            drafts: self.of_session(drafts, session_id.as_deref()),
            session_id,
            is_printed: None,
            parent: None,
            is_numbered: false,
        }
    }

    fn session(&mut self, json: Json<'_>) -> AdaptedLine {
        let text = |name: &str| json.text_at(name).map(Cow::into_owned);
        let id = text("id");
        self.session_id.clone_from(&id);
        if let Some(message) = text("revert.messageID") {
            self.prompts.withdraw_from(id.clone(), message);
        }
        if let (Some(id), Some(_)) = (&id, text("parentID")) {
            let call = self.spawned.get(id).cloned();
            self.agents.insert(id.clone(), call);
        }
        let config = event("config.loaded", |data| {
            data.text("agent", "opencode");
            data.text_if("agent_version", text("version").as_deref());
            let directory = text("directory").or_else(|| text("location.directory"));
            data.text_if("cwd", directory.as_deref());
            data.text_if("title", text("title").as_deref());
        });
        AdaptedLine {
            source_type: "session".to_owned(),
            time: time(json, "time.created"),
            drafts: self.of_session(vec![config], id.as_deref()),
            session_id: id.clone(),
            source_id: id,
            parent: None,
            ..AdaptedLine::default()
        }
    }

    fn message(&mut self, role: &str, source: &SourceText<'_>) -> AdaptedLine {
        let json = source.json;
        let text = |path: &str| json.text_at(path).map(Cow::into_owned);
        let id = text("id").filter(|id| !is_placeholder(id));
        let model = text("modelID").or_else(|| text("model.modelID"));
        let session_id = text("sessionID").or_else(|| self.session_id.clone());
        let is_summary = json.get("summary").and_then(Json::as_bool) == Some(true)
            || json.text_at("mode").is_some_and(|mode| mode == "compaction");
        let message = Message {
            by_user: role == "user",
            is_summary,
            model: model.clone(),
            session_id: session_id.clone(),
            time: time(json, "time.created"),
            completed: moment(json, "time.completed"),
            end: message_end(json)
                .filter(|_| !is_summary && !self.is_of_agent(session_id.as_deref())),
            has_steps: false,
            told: tokens(json).map(|tokens| (tokens, source.place.to_owned())),
        };
        let mut drafts = Vec::new();
        if model.is_some() && model != self.model {
            drafts.push(event("config.loaded", |data| {
                data.text("agent", "opencode").text_if("model", model.as_deref());
                data.text_if("mode", json.text_at("agent").as_deref());
            }));
            self.model.clone_from(&model);
        }
        let (time, end) = (message.time.clone(), message.end.clone());
        let created = message.time.clone();
        // Without an id, no part can name the message, but the parts that follow belong to it.
        let key = id.clone().unwrap_or_default();
        let had_steps = self.messages.insert(key.clone(), message).is_some_and(|old| old.has_steps);
        self.newest = Some(key);
        let tokens = tokens(json).filter(|tokens| !tokens.is_zero() && !had_steps);
        drafts.extend(tokens.map(|tokens| {
            let call = ReportedModelCall {
                model: model.as_deref(),
                message_id: id.as_deref(),
                figures: ReportedFigures::Call,
            };
            placed(tokens.event(&call), &tokens, created.as_deref())
        }));
        if role == "user" {
            self.troubled.remove(&session_id);
        }
        if let Some(told) = json.present("error") {
            self.troubled.insert(session_id.clone());
            drafts.push(if is_summary { beside_turns(told) } else { error(told) });
        }
        AdaptedLine {
            source_type: format!("message/{role}"),
            source_id: id,
            time,
            drafts: self.of_session(drafts, session_id.as_deref()),
            session_id,
            ending: end,
            parent: text("parentID"),
            ..AdaptedLine::default()
        }
    }

    fn part(
        &mut self,
        kind: &str,
        source: &SourceText<'_>,
        message_id: Option<&str>,
        message: Option<&Message>,
    ) -> Vec<Draft<'static>> {
        let json = source.json;
        let is_set = |name: &str| json.get(name).and_then(Json::as_bool) == Some(true);
        let model = message.and_then(|message| message.model.as_deref());
        let message_id = message_id.filter(|id| !id.is_empty());
        let text = json.text_at("text").filter(|text| !text.is_empty());
        match kind {
            "text" => {
                let by_user = message.is_some_and(|message| message.by_user);
                let is_again = by_user
                    && !is_set("synthetic")
                    && self.prompts.is_again(message_id, text.as_deref().unwrap_or_default());
                let by_client = is_set("synthetic")
                    || is_again
                    || is_set("ignored")
                    || message.is_some_and(|message| message.is_summary);
                let kind = match message {
                    _ if by_client => "message.system",
                    Some(message) if message.by_user => "message.user",
                    _ => "message.assistant",
                };
                let by_agent = kind == "message.assistant";
                let session = message.and_then(|message| message.session_id.as_ref());
                let is_withdrawn =
                    kind == "message.user" && self.prompts.is_withdrawn(session, message_id);
                let said = text.map(|text| {
                    event(kind, |data| {
                        data.text("text", &text);
                        if is_withdrawn {
                            data.plain(WITHDRAWN, true);
                        }
                        data.text_if("model", model.filter(|_| by_agent));
                        data.text_if("message_id", message_id.filter(|_| by_agent));
                    })
                });
                said.into_iter().collect()
            }
            "reasoning" => {
                text.map(|text| text_event("message.reasoning", &text)).into_iter().collect()
            }
            "tool" => self.call(source),
            "file" => {
                let name = json.text_at("filename").or_else(|| json.text_at("url"));
                let mime = json.text_at("mime").unwrap_or(Cow::Borrowed("file"));
                let name = name.filter(|name| !name.starts_with("data:")).unwrap_or_default();
                vec![text_event("message.system", format!("[{mime}] {name}").trim())]
            }
            "patch" => {
                let files = json.get("files").into_iter().flat_map(Json::items);
                let written = |path: Cow<'_, str>| {
                    event("file.written", |data| {
                        data.text("path", &path);
                    })
                };
                files.filter_map(Json::as_str).map(written).collect()
            }
            "step-finish" => {
                let completed = message.and_then(|message| message.completed);
                let step = self.step(json, message_id, model);
                let step = step.map(|step| Draft { timestamp: completed, ..step });
                step.into_iter().chain(cut_short(json)).collect()
            }
            // A command of the user that a sub-agent carries out.
            "subtask" => {
                let prompt = json.text_at("prompt").filter(|prompt| !prompt.is_empty());
                let prompt = prompt.or_else(|| json.text_at("description"));
                let asked = prompt.map(|prompt| {
                    event("message.user", |data| {
                        data.text("text", &prompt);
                        data.text_if("command", json.text_at("command").as_deref());
                    })
                });
                asked.into_iter().collect()
            }
            "compaction" => {
                self.prompts.compacted(is_set("overflow"));
                let manner = if is_set("auto") { " (auto)" } else { "" };
                vec![text_event("note", &format!("Context compacted{manner}"))]
            }
            "retry" => json.present("error").map(retried).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// A step is one model call. The first one of a message replaces the message's own figures. If
    /// the message has changed since an earlier import, the step must be recorded after it again, so
    /// its id depends on the message.
    fn step(
        &mut self,
        json: Json<'_>,
        message_id: Option<&str>,
        model: Option<&str>,
    ) -> Option<Draft<'static>> {
        let tokens = tokens(json)?;
        let own = json.text_at("id").filter(|id| !is_placeholder(id));
        let message = message_id.map(|id| self.messages.entry(id.to_owned()).or_default());
        let created = message.as_ref().and_then(|message| message.time.clone());
        let first = message.and_then(|message| {
            (!std::mem::replace(&mut message.has_steps, true)).then_some(message)
        });
        let id = if first.is_some() { message_id } else { own.as_deref() };
        let figures = ReportedFigures::Call;
        let step = tokens.event(&ReportedModelCall { model, message_id: id, figures });
        let step = placed(step, &tokens, created.as_deref());
        let told = first.and_then(|message| message.told.as_ref());
        let differs = told.filter(|(told, _)| *told != tokens);
        let event_id = own.as_deref().zip(differs).map(|(own, (_, place))| {
            let line = hex(&sha256(place.as_bytes())[..4]);
            format!("opencode:{own}+{line}").into()
        });
        Some(Draft { event_id, ..step })
    }

    /// The id of the call in a part: its own, unless another part of the session has that.
    fn call_id<'s>(&mut self, part: Json<'s>) -> Option<Cow<'s, str>> {
        let at = |name: &str| part.text_at(name).filter(|id| !is_placeholder(id));
        let (id, Some(call)) = (at("id"), at("callID")) else { return at("id") };
        let session = at("sessionID").map(Cow::into_owned).or_else(|| self.session_id.clone());
        let key = (session.unwrap_or_default(), call.clone().into_owned());
        let id = id.unwrap_or_default();
        let known = self.called.entry(key).or_insert_with(|| id.clone().into_owned());
        Some(if *known == id { call } else { id }).filter(|id| !id.is_empty())
    }

    fn call(&mut self, source: &SourceText<'_>) -> Vec<Draft<'static>> {
        let json = source.json;
        let at = |path: &str| json.text_at(path);
        let tool = at("tool").unwrap_or(Cow::Borrowed("tool"));
        let args = json.path("state.input");
        let is_empty = args.is_none_or(|args| args.members().next().is_none());
        if is_empty && at("state.status").is_some_and(|status| status == "pending") {
            // The model is still writing the arguments. The part is written again with them.
            return Vec::new();
        }
        let own = self.call_id(json);
        let start = source.call(&StartedCall { id: own, tool: &tool, args }, 0, |_| {});
        let id = start.correlation_id.clone().unwrap_or_default().into_owned();
        // The session of the agent that the call spawned.
        let agent = at("state.metadata.sessionId").or_else(|| at("state.metadata.sessionID"));
        if let Some(agent) = &agent {
            self.spawned.insert(agent.clone().into_owned(), id.clone());
            if let Some(spawned_by) = self.agents.get_mut(agent.as_ref()) {
                *spawned_by = Some(id.clone());
            }
        }
        let status = at("state.status").unwrap_or_default();
        let places = ["state.metadata.exit", "state.metadata.metadata.exit"];
        let exit_code = places.iter().find_map(|path| json.path(path));
        let exit_code = exit_code.filter(|code| code.as_f64().is_some());
        let failed = match status.as_ref() {
            "error" | "failed" => true,
            "completed" | "success" => exit_code.is_some_and(|code| code.as_f64() != Some(0.0)),
            // The call was still running when the file was written.
            _ => return vec![start],
        };
        let error = json.path("state.error").map(as_text).filter(|_| failed);
        let text = error.or_else(|| json.path("state.output").map(as_text)).unwrap_or_default();
        let ended = moment(json, "state.time.end");
        let is_denied = at("state.metadata.error.type").as_deref() == Some(DENIED)
            || DENIALS.iter().any(|denial| text.contains(denial));
        if failed && is_denied {
            let blocked = call_blocked(&id, &tool, &text);
            return vec![start, Draft { timestamp: ended, ..blocked }];
        }
        let millis = |path: &str| count(json, path);
        let duration = millis("state.time.end")
            .zip(millis("state.time.start"))
            .and_then(|(end, start)| end.checked_sub(start));
        let end = call_end(&EndedCall { id: &id, tool: &tool, text: &text, failed }, |data| {
            if let Some(duration) = duration {
                data.plain("duration_ms", duration);
            }
            if let Some(code) = exit_code {
                data.json("exit_code", code);
            }
            data.text_if("spawned_agent_id", agent.as_deref());
        });
        vec![start, Draft { timestamp: ended, ..end }]
    }

    /// Whether a session is that of a spawned agent.
    fn is_of_agent(&self, session_id: Option<&str>) -> bool {
        session_id.is_some_and(|id| self.agents.contains_key(id))
    }

    /// The events of a session; that of a spawned agent names the agent.
    fn of_session(
        &self,
        drafts: Vec<Draft<'static>>,
        session_id: Option<&str>,
    ) -> Vec<Draft<'static>> {
        let Some((id, call)) = session_id.and_then(|id| self.agents.get_key_value(id)) else {
            return drafts;
        };
        drafts.into_iter().map(|draft| of_agent(draft, Some(id), call.as_deref())).collect()
    }
}

/// The usage of a message with its place in the history: a fork of a session repeats the messages
/// under new ids, with the times and the figures of the first ones.
fn placed(usage: Draft<'static>, tokens: &TokenCounts, created: Option<&str>) -> Draft<'static> {
    let Some(created) = created else { return usage };
    let TokenCounts { input, output, cache_read, cache_creation, .. } = tokens;
    let counts = [input, output, cache_read, cache_creation];
    let counts = counts.map(|count| count.unwrap_or_default().to_string()).join(".");
    let mut data = ObjectText::new();
    data.members(usage.data()).text(HISTORY, &format!("opencode/{created}/{counts}"));
    Draft { data: data.finish().into(), ..usage }
}

/// The tokens and the cost of a message or a step.
fn tokens(json: Json<'_>) -> Option<TokenCounts> {
    let tokens = json.present("tokens")?;
    let cost = json.present("cost").map(|cost| cost.path("usd").unwrap_or(cost));
    let sum = |names: &[&str]| {
        names.iter().fold(0_u64, |sum, name| sum.saturating_add(count(tokens, name).unwrap_or(0)))
    };
    // Newer versions leave reasoning out of the output. Their total includes both. If there is no
    // total, more reasoning than output shows the same.
    let is_apart = match count(tokens, "total") {
        Some(total) => total == sum(&KINDS),
        None => count(tokens, "reasoning") > count(tokens, "output"),
    };
    let output =
        if is_apart { Some(sum(&["output", "reasoning"])) } else { count(tokens, "output") };
    let counted = TokenCounts {
        input: count(tokens, "input"),
        output,
        cache_read: count(tokens, "cache.read"),
        cache_creation: count(tokens, "cache.write"),
        reasoning: count(tokens, "reasoning"),
        cost: cost.and_then(Json::as_f64),
    };
    (counted != TokenCounts::default()).then_some(counted)
}

/// A time in milliseconds.
fn moment(json: Json<'_>, path: &str) -> Option<Timestamp> {
    Some(Timestamp::from_millis(i64::try_from(count(json, path)?).ok()?))
}

/// The same as RFC 3339.
fn time(json: Json<'_>, path: &str) -> Option<String> {
    moment(json, path).map(|time| time.to_string())
}
