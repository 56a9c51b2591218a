//! Pi: its session files.
//!
//! Entries form a tree by `id` and `parentId`. A `message` entry holds what the user, the agent, a
//! tool or an extension said. Response ids of some providers repeat, so the entry's id names a
//! model call.

use std::borrow::Cow;

use super::calls::{CallOutcome, ReportedCalls};
use super::live_prompts::{LivePrompts, withdraw};
use super::source::{ENGINE, StartedCall, event, of_agent, prompt, said, text_event};
use super::{AdaptedLine, Adapter, SessionEnd, SourceText};
use crate::event::draft::Draft;
use crate::event::fields::{as_text, is_placeholder};
use crate::json::{Json, ObjectText};

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

/// A new adapter.
pub(super) fn adapter() -> Box<dyn Adapter> {
    Box::new(Pi::default())
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

/// The names of the token counts, and this program's names. Input excludes cached tokens.
const COUNTS: &[(&str, &str)] = &[
    ("input", "input_tokens"),
    ("output", "output_tokens"),
    ("cacheRead", "cache_read_tokens"),
    ("cacheWrite", "cache_creation_tokens"),
    ("reasoning", "reasoning_tokens"),
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
    calls: ReportedCalls,
    prompts: LivePrompts,
}

impl Adapter for Pi {
    fn read(&mut self, source: &SourceText<'_>) -> AdaptedLine {
        let kind = source.text("type").unwrap_or_else(|| "untyped".to_owned());
        let role = source.text("message.role").filter(|_| kind == "message");
        if kind == "session" {
            self.session = source.text("id");
            // The root, which the first entries follow.
            self.prompts.add_entry("", None);
        }
        let drafts = match (kind.as_str(), role.as_deref()) {
            ("session", _) => vec![self.session(source.json)],
            ("session_info", _) => title(source.json),
            ("model_change", _) => self.model_change(source.json).into_iter().collect(),
            ("compaction", _) => compaction(source.json),
            ("branch_summary", _) => {
                let mut notes = branch(source.json);
                if let (Some(parent), Some(note)) = (parent(source.json), notes.first_mut()) {
                    let withdrawn = self.prompts.rewind_to(&parent);
                    withdraw(note, withdrawn);
                }
                notes
            }
            ("custom_message", _) => system(source.json.get("content")),
            // A model call outside of the conversation, for example to keep a cache.
            ("usage", _) => {
                let model = source.json.text_at("model");
                let id = source.json.text_at("id").filter(|id| !is_placeholder(id));
                usage(source.json, model.as_deref(), id.as_deref()).into_iter().collect()
            }
            ("message", Some("user")) => {
                let mut prompts = user(source.json);
                if let (Some(id), Some(prompt)) = (source.text("id"), prompts.first_mut()) {
                    let parent = parent(source.json);
                    let withdrawn = self.prompts.add_prompt(&id, parent.as_deref());
                    withdraw(prompt, withdrawn);
                }
                prompts
            }
            ("message", Some("assistant")) => self.assistant(source),
            ("message", Some("toolResult")) => self.tool_result(source),
            ("message", Some("bashExecution")) => user_command(source.json),
            ("message", Some("custom" | "hookMessage")) => {
                system(source.json.path("message.content"))
            }
            ("message", Some("branchSummary" | "compactionSummary")) => {
                system(source.json.path("message.summary"))
            }
            _ => Vec::new(),
        };
        if let Some(id) = source.text("id").filter(|_| kind != "session") {
            self.prompts.add_entry(&id, parent(source.json).as_deref());
        }
        AdaptedLine {
            source_type: role.map_or(kind.clone(), |role| format!("{kind}/{role}")),
            source_id: source.text("id"),
            time: source.text("timestamp"),
            session_id: self.session.clone(),
            parent: source.text("parentId"),
            drafts,
            ..AdaptedLine::default()
        }
    }
}

impl Pi {
    fn session(&mut self, json: Json<'_>) -> Draft<'static> {
        self.model = json.text_at("modelId").map(Cow::into_owned);
        event("config.loaded", |data| {
            data.text_if("model", self.model.as_deref());
            data.text_if("cwd", json.text_at("cwd").as_deref());
            data.text_if("parent_session", json.text_at("parentSession").as_deref());
        })
    }

    /// The first model is a fact of the session. A later one is a change.
    fn model_change(&mut self, json: Json<'_>) -> Option<Draft<'static>> {
        let model = json.text_at("modelId")?.into_owned();
        let before = self.model.replace(model.clone());
        Some(match before {
            None => event("config.loaded", |data| {
                data.text("model", &model);
                data.text_if("provider", json.text_at("provider").as_deref());
            }),
            Some(before) => text_event("note", &format!("Model changed from {before} to {model}")),
        })
    }

    fn assistant(&mut self, source: &SourceText<'_>) -> Vec<Draft<'static>> {
        let Some(message) = source.json.present("message") else { return Vec::new() };
        let model = message.text_at("model");
        let id = source.json.text_at("id").filter(|id| !is_placeholder(id));
        let mut drafts = Vec::new();
        let stopped = message.text_at("stopReason").unwrap_or_default();
        let say = |text: &str| {
            event("message.assistant", |data| {
                data.text("text", text).text_if("model", model.as_deref());
                data.text_if("message_id", id.as_deref());
            })
        };
        let content = message.get("content");
        if let Some(text) = content.and_then(Json::as_str).filter(|text| !text.is_empty()) {
            drafts.push(say(&text));
        }
        for (index, block) in content.into_iter().flat_map(Json::items).enumerate() {
            let text = |name: &str| block.text_at(name).filter(|text| !text.is_empty());
            match block.text_at("type").unwrap_or_default().as_ref() {
                "text" => drafts.extend(text("text").map(|text| say(&text))),
                "thinking" => drafts
                    .extend(text("thinking").map(|text| text_event("message.reasoning", &text))),
                "toolCall" => {
                    let tool = block.text_at("name").unwrap_or(Cow::Borrowed("tool"));
                    let args = block.get("arguments");
                    let call = StartedCall { id: block.text_at("id"), tool: &tool, args };
                    drafts.extend(self.calls.start(source, &call, index, |_| {}));
                    if let Some((_, reason)) = NOT_RUN.iter().find(|(name, _)| *name == stopped) {
                        let outcome = CallOutcome::Blocked((*reason).to_owned());
                        let id = call.id.as_deref();
                        let end = self.calls.end(source, id, Some(tool.as_ref()), &outcome, |_| {});
                        drafts.extend(end);
                    }
                }
                _ => {}
            }
        }
        drafts.extend(usage(message, model.as_deref(), id.as_deref()));
        let reason = message.text_at("errorMessage");
        match stopped.as_ref() {
            "error" => drafts.push(event("error", |data| {
                let message = reason.as_deref().unwrap_or("the model call failed");
                data.text("message", message).text("category", ENGINE);
            })),
            "aborted" => drafts.push(event("user.interrupted", |data| {
                data.text_if("reason", reason.as_deref());
            })),
            _ => {}
        }
        drafts
    }

    fn tool_result(&mut self, source: &SourceText<'_>) -> Vec<Draft<'static>> {
        let Some(message) = source.json.present("message") else { return Vec::new() };
        let text = message.get("content").map(as_text).unwrap_or_default();
        let tool = message.text_at("toolName");
        let exit_code = tool.as_deref().filter(|tool| *tool == "bash").and_then(|_| {
            let (_, code) = text.trim_end().rsplit_once(EXITED)?;
            code.parse::<i64>().ok()
        });
        let failed = message.get("isError").and_then(Json::as_bool) == Some(true)
            || exit_code.is_some_and(|code| code != 0);
        let outcome = match failed {
            true if text.starts_with(BLOCKED) => CallOutcome::Blocked(text.into_owned()),
            true => CallOutcome::Failed(text.into_owned()),
            false => CallOutcome::Completed(text.into_owned()),
        };
        let id = message.text_at("toolCallId");
        let end = self.calls.end(source, id.as_deref(), tool.as_deref(), &outcome, |data| {
            if let Some(code) = exit_code {
                data.plain("exit_code", code);
            }
        });
        let mut drafts: Vec<_> = end.into_iter().collect();
        // A tool may call models itself.
        let id = source.json.text_at("id").filter(|id| !is_placeholder(id));
        let own = usage(message, None, id.as_deref());
        let call = message.text_at("toolCallId").filter(|id| !is_placeholder(id));
        let results = message.path("details.results").into_iter().flat_map(Json::items);
        for (index, result) in results.enumerate().filter(|(_, one)| one.get("agent").is_some()) {
            let place = format!("{}.{index}", source.place);
            let source = SourceText { place: &place, ..*source };
            let name = result.text_at("agent").unwrap_or_default();
            let agent = format!("{name}.{}.{index}", call.as_deref().unwrap_or(source.place));
            let own_drafts = sub_agent(&source, result, own.is_none()).into_iter();
            drafts.extend(own_drafts.map(|mut draft| {
                // Agents number their calls alike.
                let own = draft.correlation_id.take();
                draft.correlation_id = own.map(|id| format!("{agent}:{id}").into());
                of_agent(draft, Some(&agent), call.as_deref())
            }));
        }
        drafts.extend(own);
        drafts
    }
}

/// What a sub-agent did and used, as the result of its call tells it. With `counts`, its usage is in
/// no other event.
fn sub_agent(source: &SourceText<'_>, result: Json<'_>, counts: bool) -> Vec<Draft<'static>> {
    let (mut pi, mut drafts) = (Pi::default(), Vec::new());
    let messages = result.present("messages").into_iter().flat_map(Json::items);
    for (index, message) in messages.enumerate() {
        let line = format!("{{\"type\":\"message\",\"message\":{}}}", message.text());
        let place = format!("{}.{index}", source.place);
        let line = SourceText { json: Json::trusted(&line), place: &place, ..*source };
        drafts.extend(pi.read(&line).drafts);
    }
    // The result may have the sum of what the messages used.
    let used = result.present("usage");
    if used.is_some() || !counts {
        drafts.retain(|draft| draft.kind != "llm.usage");
    }
    if let Some(used) = used.filter(|_| counts) {
        let model = result.text_at("model");
        let mut data = used_tokens(used);
        if let Some(cost) = used.get("cost").filter(|cost| cost.as_f64().is_some()) {
            data.json("cost_usd", cost);
        }
        data.text_if("model", model.as_deref());
        drafts.push(Draft::new("llm.usage", data));
    }
    drafts
}

/// The parent of an entry: empty at the root, and `None` in a file without a tree.
fn parent(json: Json<'_>) -> Option<Cow<'_, str>> {
    Some(json.get("parentId")?.as_str().unwrap_or_default())
}

fn user(json: Json<'_>) -> Vec<Draft<'static>> {
    let (text, others) = json.path("message.content").map(said).unwrap_or_default();
    prompt(&text, &others).into_iter().collect()
}

/// A command that the user ran in the client. It is neither a prompt nor a call of the agent.
fn user_command(json: Json<'_>) -> Vec<Draft<'static>> {
    let Some(message) = json.present("message") else { return Vec::new() };
    let command = message.text_at("command").unwrap_or_default();
    let output = message.text_at("output").unwrap_or_default();
    let code = message.get("exitCode").and_then(Json::as_f64).filter(|code| *code != 0.0);
    let code = code.map(|code| format!("\n(exit code {code})")).unwrap_or_default();
    let text = format!("The user ran: {command}\n{output}{code}");
    vec![text_event("message.system", text.trim_end())]
}

/// Text that an extension or the client wrote into the context.
fn system(content: Option<Json<'_>>) -> Vec<Draft<'static>> {
    let text = content.map(as_text).filter(|text| !text.is_empty());
    text.map(|text| text_event("message.system", &text)).into_iter().collect()
}

fn title(json: Json<'_>) -> Vec<Draft<'static>> {
    let name = json.text_at("name").filter(|name| !name.is_empty());
    let config = |name: Cow<'_, str>| {
        event("config.loaded", |data| {
            data.text("title", &name);
        })
    };
    name.map(config).into_iter().collect()
}

fn compaction(json: Json<'_>) -> Vec<Draft<'static>> {
    let before = json.get("tokensBefore").and_then(Json::as_u64);
    let before = before.map(|tokens| format!(" at {tokens} tokens")).unwrap_or_default();
    let mut drafts = vec![text_event("note", &format!("Context compacted{before}"))];
    drafts.extend(system(json.present("summary")));
    let id = json.text_at("id").filter(|id| !is_placeholder(id));
    drafts.extend(usage(json, None, id.as_deref()));
    drafts
}

fn branch(json: Json<'_>) -> Vec<Draft<'static>> {
    let from = json.text_at("fromId").filter(|id| !is_placeholder(id));
    let from = from.map(|id| format!(" at entry {id}")).unwrap_or_default();
    let text = format!("The user left the branch{from} and went on from an earlier entry");
    let mut drafts = vec![text_event("note", &text)];
    drafts.extend(system(json.present("summary")));
    let id = json.text_at("id").filter(|id| !is_placeholder(id));
    drafts.extend(usage(json, None, id.as_deref()));
    drafts
}

/// The token counts with this program's names.
fn used_tokens(usage: Json<'_>) -> ObjectText {
    let mut data = ObjectText::new();
    for (theirs, ours) in COUNTS {
        if let Some(count) = usage.get(theirs).and_then(Json::as_u64) {
            data.plain(ours, count);
        }
    }
    data
}

/// The usage in `usage` of a message or an entry.
fn usage(holder: Json<'_>, model: Option<&str>, id: Option<&str>) -> Option<Draft<'static>> {
    let usage = holder.present("usage")?;
    let mut data = used_tokens(usage);
    if data.is_empty() {
        return None;
    }
    if let Some(cost) = usage.path("cost.total").filter(|cost| cost.as_f64().is_some()) {
        data.json("cost_usd", cost);
    }
    data.text_if("model", model).text_if("message_id", id);
    Some(Draft::new("llm.usage", data))
}
