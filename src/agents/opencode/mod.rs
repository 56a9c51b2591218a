//! OpenCode: the JSON files of its storage one after another (a session, then each message with its
//! parts), the output of `opencode export`, and that of `opencode run --format json`.
//!
//! A part names its message in `messageID`; a part without one belongs to the message before it.
//! A message of OpenCode 2
//! holds its content itself; see [`parts`]. Times are milliseconds since 1970. Token counts stand on the message and on each `step-finish` part;
//! where there are such parts, they count.

#[cfg(feature = "sqlite")]
mod database;
pub(crate) mod end;
mod files;
mod parts;
mod prompts;

use crate::agents::{AgentPlace, Dialect};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::agents::said::{
    Args, CallEnd, ModelCall, Outcome, Said, SaidAnswer, SaidCall, SaidLine, SaidPrompt, SubAgent,
    TokensUsed, Used,
};
use crate::agents::{LineReader, SessionEnd, SourceText};
use crate::event::fields::{as_text, is_placeholder};
use crate::event::time::Timestamp;
use crate::fs::hash::{hex, sha256};
use crate::json::Json;
use end::{
    TURN_FAILED, beside_turns, cut_end, cut_short, error, error_of, message_end, retried,
    turn_outcome,
};
use parts::{kind_of_2, parts, shell};
use prompts::OpenCodePrompts;

/// What the program knows of the agent.
pub(super) static AGENT: Dialect = Dialect {
    name: "opencode",
    about: "OpenCode: the files of its storage, the output of export and run (import: its database)",
    sign,
    weak_signs: &[PART],
    lists: &["messages"],
    ending: end::ending,
    files: &files::OpenCodeFiles,
    places: &[
        AgentPlace::new(Some("XDG_DATA_HOME"), ".local/share", "opencode/storage"),
        AgentPlace::new(Some("XDG_DATA_HOME"), ".local/share", "opencode/opencode.db"),
    ],
    reader: || Box::new(OpenCode::default()),
    ..Dialect::PLAIN
};

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
    /// Sessions with a parent, which are spawned agents.
    agents: HashSet<String>,
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
    reported: Option<(TokensUsed, String)>,
}

impl LineReader for OpenCode {
    fn read<'s>(&mut self, source: &SourceText<'s>) -> SaidLine<'s> {
        let json = source.json;
        // An export wraps sessions and messages, a stream wraps parts.
        let inner = json.present("info").or_else(|| json.present("part")).unwrap_or(json);
        let kind = json.text_at("type").unwrap_or_default();
        let mut line = match kind_of_2(json) {
            Some(kind) => self.message(&kind, json, source.place),
            None => self.record(inner, source.place),
        };
        line.time = line.time.or_else(|| time(json, &["timestamp"]));
        if kind == "error" && line.said.is_empty() {
            line.said.extend(json.present("error").map(error));
        }
        let before = self.newest.clone();
        let of_user = json.get("parts").filter(|_| kind == "user");
        for part in of_user.into_iter().flat_map(Json::items) {
            let id = part.text_at("messageID").unwrap_or_default().into_owned();
            let message = Message { by_user: true, ..Message::default() };
            self.messages.entry(id.clone()).or_insert(message);
            self.newest = Some(id);
        }
        // A message has its error at its end, after its parts.
        let failed =
            line.said.pop_if(|said| matches!(said, Said::Failed(_) | Said::Interrupted(_)));
        let parts = parts(json).into_iter();
        let mut parts: Vec<_> = parts.map(|(kind, part)| self.part(&kind, part)).collect();
        line.end = parts.iter_mut().rev().find_map(|part| part.end.take()).or(line.end);
        let time = last_time(&parts).map(|time| time.to_string().into());
        parts.extend(failed.map(|end| SaidLine { time, said: vec![end], ..SaidLine::default() }));
        line.said.push(Said::Lines(parts));
        if of_user.is_some() {
            // What follows without a message is the agent's.
            self.messages.remove("");
            self.newest = before;
        }
        line
    }
}

/// The newest time of what the parts of a message say.
fn last_time(parts: &[SaidLine<'_>]) -> Option<Timestamp> {
    let times = parts.iter().flat_map(|part| {
        let start = part.time.as_deref().and_then(Timestamp::parse);
        part.said.iter().filter_map(move |said| match said {
            Said::End(end) => end.time.or(start),
            Said::Used(used) => used.time.or(start),
            _ => start,
        })
    });
    times.max()
}

impl OpenCode {
    /// The session of a record, or the newest one.
    fn session_of(&self, json: Json<'_>) -> Option<String> {
        json.text_at("sessionID").map(Cow::into_owned).or_else(|| self.session_id.clone())
    }

    /// The agent whose session it is; without members for the main agent.
    fn agent(&self, session: Option<&str>) -> SubAgent<'static> {
        let id = session.filter(|id| self.agents.contains(*id));
        SubAgent { id: id.map(|id| id.to_owned().into()), ..SubAgent::default() }
    }

    /// A session, a message or a part.
    fn record<'s>(&mut self, json: Json<'s>, place: &str) -> SaidLine<'s> {
        if ["projectID", "directory", "location"].iter().any(|name| json.get(name).is_some()) {
            return self.session(json);
        }
        match json.text_at("role") {
            Some(role) => self.message(&role, json, place),
            None => self.part(&json.text_at("type").unwrap_or("untyped".into()), json),
        }
    }

    fn session<'s>(&mut self, json: Json<'s>) -> SaidLine<'s> {
        let id = json.text_at("id");
        self.session_id = id.clone().map(Cow::into_owned);
        if let Some(message) = json.text_at("revert.messageID") {
            self.prompts.withdraw_from(self.session_id.clone(), message.into_owned());
        }
        if json.text_at("parentID").is_some() {
            self.agents.extend(self.session_id.clone());
        }
        SaidLine {
            kind: "session".into(),
            time: time(json, &["time.created"]),
            agent: self.agent(id.as_deref()),
            session: id.clone(),
            id,
            said: vec![Said::facts([
                ("agent", Some("opencode".into())),
                ("agent_version", json.text_at("version")),
                ("cwd", first(json, &["directory", "location.directory"])),
                ("title", json.text_at("title")),
            ])],
            ..SaidLine::default()
        }
    }

    /// A message without its parts. `kind`: its role, or its type since OpenCode 2.
    fn message<'s>(&mut self, kind: &str, json: Json<'s>, place: &str) -> SaidLine<'s> {
        let id = json.text_at("id").filter(|id| !is_placeholder(id));
        let model = first(json, &["modelID", "model.modelID", "model.id"]);
        let session = self.session_of(json);
        let is_summary = json.get("summary").and_then(Json::as_bool) == Some(true)
            || first(json, &["mode", "type"]).as_deref() == Some("compaction");
        let agent = self.agent(session.as_deref());
        let used = tokens(json, json.get("role").is_none());
        let created = time(json, &["time.created"]);
        let message = Message {
            by_user: !["assistant", "compaction", "idle"].contains(&kind),
            is_summary,
            model: model.clone().map(Cow::into_owned),
            session_id: session.clone(),
            time: created.clone().map(Cow::into_owned),
            completed: moment(json, &["time.completed"]),
            end: message_end(json).filter(|_| !is_summary && agent.id.is_none()),
            has_steps: false,
            reported: used.map(|used| (used, place.to_owned())),
        };
        let (is_by_user, end) = (message.by_user, message.end.clone());
        let mut said = Vec::new();
        if model.is_some() && message.model != self.model {
            self.model.clone_from(&message.model);
            let model = ("model", model.clone());
            let mode = ("mode", json.text_at("agent"));
            said.push(Said::facts([("agent", Some("opencode".into())), model, mode]));
        }
        // Without an id, no part can name the message, but the parts that follow belong to it.
        let key = id.as_deref().unwrap_or_default().to_owned();
        let had_steps = self.messages.insert(key.clone(), message).is_some_and(|old| old.has_steps);
        self.newest = Some(key);
        if let Some(tokens) = used.filter(|used| !used.is_zero() && !had_steps) {
            let history = place_in_history(&tokens, created.as_deref());
            let of = ModelCall { model, id: id.clone() };
            said.push(Said::Used(Used { tokens, of, history, ..Used::default() }));
        }
        if is_by_user {
            self.troubled.remove(&session);
        }
        if let Some(failure) = error_of(json) {
            said.push(if is_summary { beside_turns(failure) } else { error(failure) });
            self.troubled.extend((!is_summary).then(|| session.clone()));
        }
        // A message of the turn often has the error already.
        let outcome = turn_outcome(json).filter(|_| !self.troubled.remove(&session));
        match outcome.as_deref() {
            Some("interrupted") => said.push(Said::Interrupted(None)),
            Some("failed") => said.push(Said::engine_failed(None, TURN_FAILED)),
            _ => {}
        }
        SaidLine {
            kind: format!("message/{kind}").into(),
            id,
            time: created,
            session: session.map(Cow::Owned),
            parent: json.text_at("parentID"),
            end,
            agent,
            said,
            ..SaidLine::default()
        }
    }

    /// A part of a message.
    fn part<'s>(&mut self, kind: &str, json: Json<'s>) -> SaidLine<'s> {
        let id = json.text_at("messageID").or_else(|| self.newest.clone().map(Cow::Owned));
        let message = id.as_deref().and_then(|id| self.messages.get(id)).cloned();
        let message = message.unwrap_or_default();
        let of_message = message.session_id.clone().filter(|_| json.text_at("sessionID").is_none());
        let session = of_message.or_else(|| self.session_of(json));
        let said = self.said(kind, json, id.filter(|id| !id.is_empty()), &message);
        let agent = self.agent(session.as_deref());
        let cut = cut_end(kind, json).filter(|_| agent.id.is_none());
        let times = ["time.start", "state.time.start", "time.ran", "time.created", "time.end"];
        SaidLine {
            kind: format!("part/{kind}").into(),
            id: json.text_at("id"),
            time: time(json, &times).or(message.time.map(Cow::Owned)),
            session: session.map(Cow::Owned),
            end: message.end.or(cut),
            agent,
            said,
            ..SaidLine::default()
        }
    }

    /// What a part says. `id`: that of its message.
    fn said<'s>(
        &mut self,
        kind: &str,
        json: Json<'s>,
        id: Option<Cow<'s, str>>,
        message: &Message,
    ) -> Vec<Said<'s>> {
        let is_set = |name: &str| json.get(name).and_then(Json::as_bool) == Some(true);
        let text = json.text_at("text").unwrap_or_default();
        let said = match kind {
            "text" => {
                let is_again = message.by_user
                    && !is_set("synthetic")
                    && self.prompts.is_again(id.as_deref(), &text);
                if is_set("synthetic") || is_set("ignored") || is_again || message.is_summary {
                    Said::System(text)
                } else if message.by_user {
                    let session = message.session_id.as_ref();
                    let is_withdrawn = self.prompts.is_withdrawn(session, id.as_deref());
                    Said::Prompt(SaidPrompt { text, is_withdrawn, ..SaidPrompt::default() })
                } else {
                    let of = ModelCall { model: message.model.clone().map(Cow::Owned), id };
                    Said::Answer(SaidAnswer { text, of })
                }
            }
            "synthetic" | "system" | "skill" => Said::System(text),
            "shell" => Said::System(shell(json).into()),
            "summary" => Said::System(json.text_at("summary").unwrap_or_default()),
            "reasoning" => Said::Thought(text),
            "tool" => return call(json, id),
            "file" | "prompt" => {
                let name = first(json, &["filename", "name", "url", "uri"]);
                let name = name.filter(|name| !name.starts_with("data:")).unwrap_or_default();
                let mime = json.text_at("mime").unwrap_or("file".into());
                let label = format!("[{mime}] {name}").trim().to_owned();
                if kind == "file" { Said::system(label) } else { Said::prompt(label, Vec::new()) }
            }
            "patch" => {
                let files = json.get("files").into_iter().flat_map(Json::items);
                return files.filter_map(Json::as_str).map(Said::Wrote).collect();
            }
            "step-finish" => {
                let cut = cut_short(json, "reason");
                return self.step(json, id, message).into_iter().chain(cut).collect();
            }
            "finish" => return cut_short(json, "finish").into_iter().collect(),
            // A command of the user that a sub-agent carries out.
            "subtask" => {
                let prompt = json.text_at("prompt").filter(|prompt| !prompt.is_empty());
                let text = prompt.or_else(|| json.text_at("description")).unwrap_or_default();
                let command = json.text_at("command");
                Said::Prompt(SaidPrompt { text, command, ..SaidPrompt::default() })
            }
            "compaction" => {
                self.prompts.compacted(is_set("overflow"));
                let is_auto = is_set("auto") || json.text_at("reason").as_deref() == Some("auto");
                Said::note(if is_auto { "Context compacted (auto)" } else { "Context compacted" })
            }
            "retry" => return json.present("error").map(retried).into_iter().collect(),
            _ => return Vec::new(),
        };
        vec![said]
    }

    /// A step is one model call. The first one of a message replaces the message's own figures. If
    /// the message has changed since an earlier import, the step must be recorded after it again, so
    /// its id depends on the message.
    fn step<'s>(
        &mut self,
        json: Json<'s>,
        message_id: Option<Cow<'s, str>>,
        message: &Message,
    ) -> Option<Said<'s>> {
        let tokens = tokens(json, false)?;
        let own = json.text_at("id").filter(|id| !is_placeholder(id));
        let first = message_id.filter(|id| {
            let known = self.messages.entry(id.clone().into_owned()).or_default();
            !std::mem::replace(&mut known.has_steps, true)
        });
        let reported = message.reported.as_ref().filter(|_| first.is_some());
        let differs = reported.filter(|(reported, _)| *reported != tokens);
        let event_id = own.as_deref().zip(differs).map(|(own, (_, place))| {
            let line = hex(&sha256(place.as_bytes())[..4]);
            format!("opencode:{own}+{line}")
        });
        Some(Said::Used(Used {
            tokens,
            of: ModelCall { model: message.model.clone().map(Cow::Owned), id: first.or(own) },
            history: place_in_history(&tokens, message.time.as_deref()),
            time: message.completed,
            event_id,
            ..Used::default()
        }))
    }
}

/// A call, and its end if it has ended. `message`: the id of the message.
fn call<'s>(json: Json<'s>, message: Option<Cow<'s, str>>) -> Vec<Said<'s>> {
    let args = json.path("state.input");
    let is_empty = args.is_none_or(|args| args.members().next().is_none());
    let status = json.text_at("state.status").unwrap_or_default();
    if is_empty && ["pending", "streaming"].contains(&status.as_ref()) {
        // The model is still writing the arguments. The part is written again with them.
        return Vec::new();
    }
    let own = |name: &str| json.text_at(name).filter(|id| !is_placeholder(id));
    let id = own("callID").or_else(|| own("id"));
    let other_id = message.zip(own("id")).map(|(message, id)| format!("{message}.{id}").into());
    let tool = first(json, &["tool", "name"]).unwrap_or_default();
    let spawned = first(json, &["state.metadata.sessionId", "state.metadata.sessionID"]);
    let at = |paths: [&str; 2]| paths.iter().find_map(|path| json.path(path));
    let exit_code = at(["state.metadata.exit", "state.metadata.metadata.exit"]);
    let exit_code = exit_code.and_then(Json::as_f64).map(|code| code as i64);
    let has_failed = match status.as_ref() {
        "error" | "failed" => Some(true),
        "completed" | "success" => Some(exit_code.is_some_and(|code| code != 0)),
        // The call was still running when the file was written.
        _ => None,
    };
    let call = SaidCall {
        id,
        other_id,
        tool,
        args: args.map_or(Args::None, Args::Value),
        spawned: spawned.clone(),
        ..SaidCall::default()
    };
    let Some(has_failed) = has_failed else { return vec![Said::Call(call)] };
    let error = at(["state.error.message", "state.error"]).filter(|_| has_failed);
    let text = error.or_else(|| at(["state.output", "state.content"])).map(as_text);
    let text = text.unwrap_or_default();
    let types = ["state.metadata.error.type", "state.error.type"];
    let is_denied = first(json, &types).as_deref() == Some(DENIED)
        || DENIALS.iter().any(|denial| text.contains(denial));
    let outcome = match has_failed {
        true if is_denied => Outcome::Denied,
        true => Outcome::Failed,
        false => Outcome::Completed,
    };
    let time = moment(json, &["state.time.end", "time.completed"]);
    let began = moment(json, &["state.time.start", "time.ran", "time.created"]);
    let took = time.zip(began).map(|(end, start)| end.millis() - start.millis());
    // What is denied took only the time of the user.
    let took = took.filter(|_| outcome != Outcome::Denied);
    let duration_ms = took.and_then(|took| u64::try_from(took).ok());
    let end = CallEnd { text, outcome, exit_code, duration_ms, ..CallEnd::default() };
    let end = Some(Box::new(CallEnd { spawned, time, ..end }));
    vec![Said::Call(SaidCall { end, ..call })]
}

/// The place of a model call in the history: a fork of a session repeats the messages under new ids,
/// with the times and the figures of the first ones.
fn place_in_history<'s>(tokens: &TokensUsed, created: Option<&str>) -> Option<Cow<'s, str>> {
    let counts = [tokens.input, tokens.output, tokens.cache_read, tokens.cache_creation];
    let counts = counts.map(|count| count.unwrap_or_default().to_string()).join(".");
    Some(format!("opencode/{}/{counts}", created?).into())
}

/// The tokens and the cost of a message or a step. `is_apart`: its output leaves out reasoning.
fn tokens(json: Json<'_>, is_apart: bool) -> Option<TokensUsed> {
    let tokens = json.present("tokens")?;
    let kinds = ["input", "output", "cache.read", "cache.write", "reasoning"];
    let used = TokensUsed::at(tokens, kinds);
    let sum =
        |counts: &[Option<u64>]| counts.iter().flatten().copied().fold(0, u64::saturating_add);
    let TokensUsed { input, output, cache_read, cache_creation, reasoning, .. } = used;
    // Newer versions leave reasoning out of the output. Their total includes both. If there is no
    // total, more reasoning than output shows the same.
    let is_apart = is_apart
        || match tokens.path("total").and_then(Json::as_u64) {
            Some(total) => total == sum(&[input, output, cache_read, cache_creation, reasoning]),
            None => reasoning > output,
        };
    let output = if is_apart { Some(sum(&[output, reasoning])) } else { output };
    let cost = ["cost.usd", "cost"].iter().find_map(|path| json.path(path)).and_then(Json::as_f64);
    Some(TokensUsed { output, cost, ..used }).filter(|used| *used != TokensUsed::default())
}

/// The first of these texts that there is.
fn first<'s>(json: Json<'s>, paths: &[&str]) -> Option<Cow<'s, str>> {
    paths.iter().find_map(|path| json.text_at(path))
}

/// The first of these times that there is, in milliseconds.
fn moment(json: Json<'_>, paths: &[&str]) -> Option<Timestamp> {
    let millis = |path: &&str| i64::try_from(json.path(path)?.as_u64()?).ok();
    paths.iter().find_map(millis).map(Timestamp::from_millis)
}

/// The same as RFC 3339.
fn time<'s>(json: Json<'_>, paths: &[&str]) -> Option<Cow<'s, str>> {
    moment(json, paths).map(|time| time.to_string().into())
}
