//! Pi: its session files.
//!
//! Entries form a tree by `id` and `parentId`. A `message` entry holds what the user, the agent, a
//! tool or an extension said. Response ids of some providers repeat, so the entry's id names a
//! model call.

mod files;

use crate::agents::{AgentPlace, Dialect};
use std::borrow::Cow;

use super::live_prompts::LivePrompts;
use super::said::{
    CallEnd, ModelCall, Outcome, Said, SaidAnswer, SaidLine, SaidPrompt, SubAgent, TokensUsed,
};
use super::source::said;
use super::{LineReader, SessionEnd, SourceText};
use crate::event::fields::{as_text, is_placeholder};
use crate::json::Json;

/// What the program knows of the agent.
pub(super) static AGENT: Dialect = Dialect {
    name: "pi",
    about: "Pi: session files",
    sign,
    weak_signs: &[HEADER],
    ending,
    unknown_version,
    files: &files::PiFiles,
    places: &[AgentPlace::new(Some("PI_CODING_AGENT_DIR"), ".pi/agent", "sessions")],
    reader: || Box::new(Pi::default()),
    ..Dialect::PLAIN
};

/// The fields that show that a line is of Pi: for each type of entry, one that only Pi has.
pub(super) fn sign(line: Json<'_>) -> Option<&'static str> {
    let kind = line.text_at("type")?;
    let (_, field, evidence) = SIGNS.iter().find(|(name, ..)| *name == kind)?;
    let is_own = line.path(field).is_some() && line.get("timestamp").is_some();
    let is_bare = *evidence == HEADER && line.get("version").is_some();
    let evidence = if is_bare { "a session with cwd and version" } else { *evidence };
    (is_own && line.get("sessionId").is_none()).then_some(evidence)
}

/// The versions up to 3 are known.
pub(super) fn unknown_version(line: Json<'_>) -> Option<String> {
    line.text_at("type").filter(|kind| kind == "session")?;
    let version = line.get("version").and_then(Json::as_u64)?;
    (version > 3).then(|| version.to_string())
}

/// The sign of a first line without a version.
pub(super) const HEADER: &str = "a session with cwd";

/// The types of entries, a field that they have, and the evidence in words.
const SIGNS: &[(&str, &str, &str)] = &[
    ("session", "cwd", HEADER),
    ("message", "message.role", "a message with a role"),
    ("model_change", "modelId", "modelId"),
    ("thinking_level_change", "thinkingLevel", "thinkingLevel"),
    ("compaction", "tokensBefore", "tokensBefore"),
    ("branch_summary", "fromId", "fromId"),
    ("custom", "customType", "customType"),
    ("custom_message", "customType", "customType"),
    ("label", "targetId", "targetId"),
    ("session_info", "parentId", "session_info"),
];

/// The text before the exit code in a result of the tool `bash`.
const EXITED: &str = "Command exited with code ";
/// The beginning of the result of a call that an extension did not allow.
const BLOCKED: &str = "Tool execution was blocked";

/// The reasons for which the client does not run the calls of an answer, and what is said of these.
const NOT_RUN: &[(&str, &str)] = &[
    ("aborted", "not run: the user stopped the answer"),
    ("error", "not run: the answer ended with an error"),
];

/// How a turn ended whose answer the model could not finish.
pub(super) fn ending(line: Json<'_>) -> Option<SessionEnd> {
    let is_cut = line.text_at("message.stopReason")? == "length";
    is_cut.then(SessionEnd::answer_cut)
}

#[derive(Default)]
struct Pi {
    session: Option<String>,
    /// The model in use.
    model: Option<String>,
    prompts: LivePrompts,
}

impl LineReader for Pi {
    fn read<'s>(&mut self, source: &SourceText<'s>) -> SaidLine<'s> {
        let json = source.json;
        let kind = json.text_at("type").unwrap_or(Cow::Borrowed("untyped"));
        let id = json.text_at("id");
        let message = json.present("message").filter(|_| kind == "message");
        let role = message.and_then(|message| message.text_at("role"));
        if kind == "session" {
            self.session = id.as_deref().map(str::to_owned);
            // The root, which the first entries follow.
            self.prompts.add_entry("", None);
        }
        let said = match (message, role.as_deref()) {
            (Some(message), Some("user")) => self.user(json, message),
            (Some(message), Some(role)) => spoken(json, message, role),
            (Some(_), None) => Vec::new(),
            (None, _) => self.entry(json, &kind),
        };
        if let Some(id) = id.as_deref().filter(|_| kind != "session") {
            self.prompts.add_entry(id, parent(json).as_deref());
        }
        SaidLine {
            kind: role.map_or(kind.clone(), |role| format!("{kind}/{role}").into()),
            id,
            time: json.text_at("timestamp"),
            session: self.session.clone().map(Cow::Owned),
            parent: json.text_at("parentId"),
            said,
            ..SaidLine::default()
        }
    }
}

impl Pi {
    /// An entry that is no message.
    fn entry<'s>(&mut self, json: Json<'s>, kind: &str) -> Vec<Said<'s>> {
        match kind {
            "session" => {
                self.model = json.text_at("modelId").map(Cow::into_owned);
                let names =
                    [("model", "modelId"), ("cwd", "cwd"), ("parent_session", "parentSession")];
                vec![Said::facts(names.map(|(fact, name)| (fact, json.text_at(name))))]
            }
            "session_info" => {
                let title = json.text_at("name").filter(|name| !name.is_empty());
                title.map(|title| Said::facts([("title", Some(title))])).into_iter().collect()
            }
            "model_change" => self.model_change(json).into_iter().collect(),
            "compaction" => {
                let before = json.get("tokensBefore").and_then(Json::as_u64);
                let before = before.map(|tokens| format!(" at {tokens} tokens"));
                let note = format!("Context compacted{}", before.unwrap_or_default());
                with_summary(json, Said::note(note))
            }
            "branch_summary" => {
                let from = json.text_at("fromId").filter(|id| !is_placeholder(id));
                let from = from.map(|id| format!(" at entry {id}")).unwrap_or_default();
                let note =
                    format!("The user left the branch{from} and went on from an earlier entry");
                let withdrawn = parent(json).map(|parent| self.prompts.rewind_to(&parent));
                with_summary(json, Said::went_back(note, withdrawn.unwrap_or_default()))
            }
            "custom_message" => system(json.get("content")),
            // A model call outside of the conversation, for example to keep a cache.
            "usage" => usage(json, call_of(json, json)).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// The first model is a fact of the session. A later one is a change.
    fn model_change<'s>(&mut self, json: Json<'s>) -> Option<Said<'s>> {
        let model = json.text_at("modelId")?;
        Some(match self.model.replace(model.clone().into_owned()) {
            None => Said::facts([("model", Some(model)), ("provider", json.text_at("provider"))]),
            Some(before) => Said::note(format!("Model changed from {before} to {model}")),
        })
    }

    fn user<'s>(&mut self, json: Json<'s>, message: Json<'s>) -> Vec<Said<'s>> {
        let (text, attached) = message.get("content").map(said).unwrap_or_default();
        let withdraws = match json.text_at("id") {
            Some(id) if !text.is_empty() || !attached.is_empty() => {
                self.prompts.add_prompt(&id, parent(json).as_deref())
            }
            _ => 0,
        };
        vec![Said::Prompt(SaidPrompt {
            text: text.into(),
            attached,
            withdraws,
            ..SaidPrompt::default()
        })]
    }
}

/// What a message says that is not of the user.
fn spoken<'s>(json: Json<'s>, message: Json<'s>, role: &str) -> Vec<Said<'s>> {
    match role {
        "assistant" => assistant(json, message),
        "toolResult" => tool_result(json, message),
        "bashExecution" => vec![Said::system(user_command(message))],
        "custom" | "hookMessage" => system(message.get("content")),
        "branchSummary" | "compactionSummary" => system(message.get("summary")),
        _ => Vec::new(),
    }
}

fn assistant<'s>(json: Json<'s>, message: Json<'s>) -> Vec<Said<'s>> {
    let of = call_of(json, message);
    let stopped = message.text_at("stopReason").unwrap_or_default();
    let answer = |text: Cow<'s, str>| Said::Answer(SaidAnswer { text, of: of.clone() });
    let content = message.get("content").unwrap_or(Json::NULL);
    let mut said: Vec<_> = content.as_str().map(answer).into_iter().collect();
    for block in content.items() {
        let text = |name: &str| block.text_at(name).unwrap_or_default();
        match text("type").as_ref() {
            "text" => said.push(answer(text("text"))),
            "thinking" => said.push(Said::Thought(text("thinking"))),
            "toolCall" => {
                let (id, tool) = (block.text_at("id"), text("name"));
                said.push(Said::call(id.clone(), tool.clone(), block.get("arguments")));
                if let Some((_, reason)) = NOT_RUN.iter().find(|(name, _)| *name == stopped) {
                    let (tool, text) = (Some(tool), Cow::Borrowed(*reason));
                    let outcome = Outcome::Denied;
                    said.push(Said::End(CallEnd { id, tool, text, outcome, ..CallEnd::default() }));
                }
            }
            _ => {}
        }
    }
    said.extend(usage(message, of));
    let reason = message.text_at("errorMessage");
    match stopped.as_ref() {
        "error" => {
            let reason = reason.unwrap_or(Cow::Borrowed("the model call failed"));
            said.push(Said::engine_failed(None, reason));
        }
        "aborted" => said.push(Said::Interrupted(reason)),
        _ => {}
    }
    said
}

fn tool_result<'s>(json: Json<'s>, message: Json<'s>) -> Vec<Said<'s>> {
    let text = message.get("content").map(as_text).unwrap_or_default();
    let (id, tool) = (message.text_at("toolCallId"), message.text_at("toolName"));
    let exit_code = tool.as_deref().filter(|tool| *tool == "bash").and_then(|_| {
        let (_, code) = text.trim_end().rsplit_once(EXITED)?;
        code.parse::<i64>().ok()
    });
    let failed = message.get("isError").and_then(Json::as_bool) == Some(true)
        || exit_code.is_some_and(|code| code != 0);
    let outcome = match failed {
        true if text.starts_with(BLOCKED) => Outcome::Denied,
        true => Outcome::Failed,
        false => Outcome::Completed,
    };
    let call = id.clone().filter(|id| !is_placeholder(id));
    let end = CallEnd { id, tool, text, outcome, exit_code, ..CallEnd::default() };
    // A tool may call models itself.
    let own = usage(message, ModelCall { model: None, id: json.text_at("id") });
    let results = message.path("details.results").into_iter().flat_map(Json::items);
    let results = results.enumerate().filter(|(_, result)| result.get("agent").is_some());
    let lines = results.map(|(index, result)| {
        let name = result.text_at("agent").unwrap_or_default();
        let of = call.clone().or_else(|| json.text_at("id")).unwrap_or_default();
        let id = Some(format!("{name}.{of}.{index}").into());
        let agent = SubAgent { id, spawned_by: call.clone(), numbers_calls: true };
        SaidLine { agent, said: sub_agent(result, own.is_none()), ..SaidLine::default() }
    });
    let lines = Said::Lines(lines.collect());
    [Said::End(end), lines].into_iter().chain(own).collect()
}

/// What a sub-agent did and used, as the result of its call says it. With `counts`, its usage is in no
/// other event.
fn sub_agent(result: Json<'_>, counts: bool) -> Vec<Said<'_>> {
    let mut said = Vec::new();
    for message in result.present("messages").into_iter().flat_map(Json::items) {
        let role = message.text_at("role").unwrap_or_default();
        match role.as_ref() {
            "user" => said.append(&mut Pi::default().user(Json::EMPTY, message)),
            role => said.append(&mut spoken(Json::EMPTY, message, role)),
        }
    }
    // The result may have the sum of what the messages used.
    let used = result.present("usage");
    if used.is_some() || !counts {
        said.retain(|said| !matches!(said, Said::Used(_)));
    }
    let of = ModelCall { model: result.text_at("model"), id: None };
    let sum = used.filter(|_| counts).map(|used| {
        let cost = used.get("cost").and_then(Json::as_f64);
        Said::used(TokensUsed { cost, ..tokens(used) }, of)
    });
    said.extend(sum);
    said
}

/// The parent of an entry: empty at the root, and `None` in a file without a tree.
fn parent(json: Json<'_>) -> Option<Cow<'_, str>> {
    Some(json.get("parentId")?.as_str().unwrap_or_default())
}

/// A command that the user ran in the client. It is neither a prompt nor a call of the agent.
fn user_command(message: Json<'_>) -> String {
    let text = |name: &str| message.text_at(name).unwrap_or_default();
    let code = message.get("exitCode").and_then(Json::as_f64).filter(|code| *code != 0.0);
    let code = code.map(|code| format!("\n(exit code {code})")).unwrap_or_default();
    format!("The user ran: {}\n{}{code}", text("command"), text("output")).trim_end().to_owned()
}

/// Text that an extension or the client wrote into the context.
fn system(content: Option<Json<'_>>) -> Vec<Said<'_>> {
    content.map(|content| Said::System(as_text(content))).into_iter().collect()
}

/// A note of the client, with the summary that follows it and the tokens of the summary.
fn with_summary<'s>(json: Json<'s>, note: Said<'s>) -> Vec<Said<'s>> {
    let used = usage(json, ModelCall { model: None, id: json.text_at("id") });
    [note].into_iter().chain(system(json.present("summary"))).chain(used).collect()
}

/// The model call of a message. Response ids of some providers repeat, so the entry's id names it.
fn call_of<'s>(json: Json<'s>, message: Json<'s>) -> ModelCall<'s> {
    ModelCall { model: message.text_at("model"), id: json.text_at("id") }
}

/// The token counts. Input excludes cached tokens.
fn tokens(usage: Json<'_>) -> TokensUsed {
    TokensUsed::at(usage, ["input", "output", "cacheRead", "cacheWrite", "reasoning"])
}

/// The usage in `usage` of a message or an entry.
fn usage<'s>(holder: Json<'s>, of: ModelCall<'s>) -> Option<Said<'s>> {
    let usage = holder.present("usage")?;
    let tokens = tokens(usage);
    let cost = usage.path("cost.total").and_then(Json::as_f64);
    let has_tokens = tokens != TokensUsed::default();
    let tokens = TokensUsed { cost, ..tokens };
    has_tokens.then(|| Said::used(tokens, of))
}
