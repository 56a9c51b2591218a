//! The events of V1.

use std::borrow::Cow;

use super::{exit_code_of, failed_with};
use crate::agents::SourceText;
use crate::agents::source::{EndedCall, StartedCall, call_end, event, text_event};
use crate::event::draft::Draft;
use crate::event::fields::{as_text, is_placeholder};
use crate::event::severity::Severity;
use crate::json::{Json, Kind, ObjectText};

/// The id of a call: its own, else that of its action.
pub(super) fn call_id(source: &SourceText<'_>) -> String {
    let own = ["tool_call_id", "action_id"]
        .iter()
        .find_map(|name| source.text(name).filter(|id| !is_placeholder(id)));
    own.unwrap_or_else(|| source.place.to_owned())
}

/// The actions of the calls to which a model gave the same id. Some models begin to count again.
#[derive(Default)]
pub(super) struct ActionsOfCall {
    /// The call of this action keeps the id. The others have the ids of their actions.
    first: String,
    newest: String,
}

impl ActionsOfCall {
    /// The id of the call that an action starts, if the model calls it `call`.
    pub(super) fn start(&mut self, call: String, action: &str) -> String {
        if self.first.is_empty() {
            action.clone_into(&mut self.first);
        }
        action.clone_into(&mut self.newest);
        self.call(call, Some(action))
    }

    /// The id of the call of that action, else of the newest one.
    pub(super) fn call(&self, call: String, action: Option<&str>) -> String {
        let action = action.unwrap_or(&self.newest);
        if action == self.first { call } else { action.to_owned() }
    }
}

/// The tool of a call.
pub(super) fn tool(json: Json<'_>) -> String {
    json.text_at("tool_name").map_or_else(|| "tool".to_owned(), Cow::into_owned)
}

/// A message.
pub(super) fn message(json: Json<'_>) -> Vec<Draft<'static>> {
    let from = json.text_at("source").unwrap_or_default();
    let kind = match from.as_ref() {
        "user" => "message.user",
        "agent" => "message.assistant",
        _ => "message.system",
    };
    let mut drafts = Vec::new();
    let reasoning = json.present("llm_message").and_then(reasoning);
    drafts.extend(reasoning.map(|text| text_event("message.reasoning", &text)));
    let text = json.path("llm_message.content").map(as_text).unwrap_or_default();
    if !text.is_empty() {
        drafts.push(event(kind, |data| {
            data.text("text", &text);
            data.text_if("message_id", json.text_at("llm_response_id").as_deref());
        }));
    }
    drafts.extend(extended(json));
    let skills = ["activated_skills", "activated_microagents"];
    let skills = skills.iter().filter_map(|name| json.present(name)).flat_map(Json::items);
    drafts.extend(skills.filter_map(Json::as_str).map(|name| {
        event("skill.loaded", |data| {
            data.text("skill_id", &name);
        })
    }));
    drafts
}

/// The start of a call, with what the agent said before it.
pub(super) fn started(source: &SourceText<'_>, id: Option<String>) -> Vec<Draft<'static>> {
    let json = source.json;
    let mut drafts = Vec::new();
    let thought = json.present("thought").filter(|thought| thought.text() != "[]").map(as_text);
    let thought = thought.unwrap_or_default();
    // Some models repeat their reasoning in tags before the text.
    let tagged = thought.trim_start().strip_prefix("<think>");
    let tagged = tagged.and_then(|rest| rest.split_once("</think>"));
    let reasoning = reasoning(json);
    let (inner, text) = match (tagged, &reasoning) {
        (Some((inner, rest)), None) => (Some(inner), rest),
        (Some((inner, rest)), Some(same)) if inner.trim() == same.trim() => (None, rest),
        _ => (None, thought.as_ref()),
    };
    let reasoning = reasoning.as_deref().or(inner).map(str::trim);
    drafts.extend(reasoning.map(|text| text_event("message.reasoning", text)));
    if !text.trim().is_empty() {
        drafts.push(event("message.assistant", |data| {
            data.text("text", text.trim());
            data.text_if("message_id", json.text_at("llm_response_id").as_deref());
        }));
    }
    let mut args = ObjectText::new();
    for (name, value) in json.get("action").into_iter().flat_map(Json::raw_members) {
        if name != "kind" && value.kind() != Kind::Null {
            args.json(name, value);
        }
    }
    let args = args.finish();
    let args = match json.present("action") {
        Some(_) => Some(Json::trusted(&args)),
        None => json.path("tool_call.arguments"),
    };
    let (id, tool) = (id.map(Cow::Owned), tool(json));
    drafts.push(source.call(&StartedCall { id, tool: &tool, args }, 0, |_| {}));
    drafts
}

/// The end of a call, and what OpenHands added to its result. If the log has no start of the call, the
/// end tells its command.
pub(super) fn observed(source: &SourceText<'_>, id: &str, is_started: bool) -> Vec<Draft<'static>> {
    let json = source.json;
    let observation = json.present("observation").unwrap_or(Json::EMPTY);
    let texts = ["content", "output", "error", "message"];
    let text = texts.iter().find_map(|name| observation.present(name)).map(as_text);
    let exit_code =
        observation.present("exit_code").or_else(|| observation.path("metadata.exit_code"));
    let failed = observation.get("is_error").and_then(Json::as_bool) == Some(true)
        || exit_code.is_some_and(failed_with);
    let (tool, text) = (tool(json), text.unwrap_or_default());
    let end = call_end(&EndedCall { id, tool: &tool, text: &text, failed }, |data| {
        exit_code_of(data, exit_code);
        let command = observation.text_at("command").filter(|_| !is_started);
        data.text_if("command", command.as_deref());
    });
    [end].into_iter().chain(extended(json)).collect()
}

/// The text that OpenHands adds for the model.
fn extended(json: Json<'_>) -> Option<Draft<'static>> {
    let added = json.path("extended_content").map(as_text).unwrap_or_default();
    (!added.is_empty() && added != "[]").then(|| text_event("message.system", &added))
}

/// What the model thought before an action or a message.
fn reasoning(json: Json<'_>) -> Option<Cow<'_, str>> {
    let texts = |list: &str, name: &str| {
        let items = json.path(list).into_iter().flat_map(Json::items);
        let texts: Vec<_> =
            items.filter_map(|item| item.as_str().or_else(|| item.text_at(name))).collect();
        (!texts.is_empty()).then(|| Cow::Owned(texts.join("\n")))
    };
    let own = json.text_at("reasoning_content").filter(|text| !text.is_empty());
    let of_item = || {
        let parts = ["responses_reasoning_item.summary", "responses_reasoning_item.content"];
        let parts: Vec<_> = parts.iter().filter_map(|list| texts(list, "text")).collect();
        (!parts.is_empty()).then(|| Cow::Owned(parts.join("\n")))
    };
    own.or_else(|| texts("thinking_blocks", "thinking")).or_else(of_item)
}

/// A text, or a part of content with a text.
pub(super) fn text_of(value: Json<'_>) -> Cow<'_, str> {
    value.text_at("text").filter(|_| value.is_object()).unwrap_or_else(|| as_text(value))
}

/// The settings in the state of a conversation.
pub(super) fn settings(state: Json<'_>) -> Draft<'static> {
    let at = |path: &str| state.text_at(path);
    event("config.loaded", |data| {
        data.text("agent", "openhands");
        data.text_if("model", at("agent.llm.model").as_deref());
        data.text_if("cwd", at("workspace.working_dir").as_deref());
        data.text_if("title", at("title").as_deref());
    })
}

/// The tool of a call of another program's agent: its kind, else what it says that it does.
fn acp_tool(json: Json<'_>) -> Cow<'_, str> {
    let mut names = ["tool_kind", "title"].iter().filter_map(|name| json.text_at(name));
    names.find(|name| !name.is_empty()).unwrap_or(Cow::Borrowed("tool"))
}

/// The start of a call of another program's agent.
pub(super) fn acp_start(source: &SourceText<'_>, id: &str) -> Draft<'static> {
    let json = source.json;
    let tool = acp_tool(json);
    let edit = acp_edit(json);
    let args = edit.as_deref().map(Json::trusted).or_else(|| json.present("raw_input"));
    source.call(&StartedCall { id: Some(id.into()), tool: &tool, args }, 0, |data| {
        data.text_if("title", json.text_at("title").as_deref());
    })
}

/// Arguments with the new text of a file, as agents of other programs name them.
const NEW_TEXTS: [&str; 12] = [
    "new_string",
    "new_str",
    "newString",
    "newText",
    "new_text",
    "content",
    "edits",
    "file_text",
    "old_text",
    "patch",
    "diff",
    "changes",
];

/// The members of a block with the old and the new text, by the SDK and by the protocol.
const OLD_TEXT: [&str; 2] = ["old_text", "oldText"];
const NEW_TEXT: [&str; 2] = ["new_text", "newText"];

/// The first of these texts.
fn first_text<'j>(json: Json<'j>, names: &[&str]) -> Option<Cow<'j, str>> {
    names.iter().find_map(|name| json.text_at(name))
}

/// The arguments of a call of another program's agent, with the changes of files that stand only in
/// its content.
fn acp_edit(json: Json<'_>) -> Option<String> {
    let told = json.present("raw_input").unwrap_or(Json::EMPTY);
    let blocks = json.present("content").into_iter().flat_map(Json::items);
    let is_diff = |block: &Json<'_>| block.text_at("type").is_some_and(|kind| kind == "diff");
    let diffs: Vec<Json<'_>> = blocks.filter(is_diff).collect();
    let first = diffs.first()?;
    if !told.is_object() || NEW_TEXTS.iter().any(|name| told.present(name).is_some()) {
        return None;
    }
    let mut args = ObjectText::new();
    for (name, value) in told.raw_members().filter(|(_, value)| value.kind() != Kind::Null) {
        args.json(name, value);
    }
    let replaced = |diff: &Json<'_>| {
        let mut one = ObjectText::new();
        one.text_if("old_text", first_text(*diff, &OLD_TEXT).as_deref());
        one.text_if("new_text", first_text(*diff, &NEW_TEXT).as_deref());
        one.finish()
    };
    let path = first.text_at("path");
    if diffs.iter().any(|diff| diff.text_at("path") != path) {
        let of_file = |diff: &Json<'_>| {
            let mut one = ObjectText::new();
            one.text_if("path", diff.text_at("path").as_deref());
            one.members(Json::trusted(&replaced(diff)));
            one.finish()
        };
        let all: Vec<String> = diffs.iter().map(of_file).collect();
        args.json("changes", Json::trusted(&format!("[{}]", all.join(","))));
        return Some(args.finish());
    }
    if ["path", "file_path"].iter().all(|name| told.get(name).is_none()) {
        args.text_if("path", path.as_deref());
    }
    if diffs.len() > 1 {
        let all: Vec<String> = diffs.iter().map(replaced).collect();
        args.json("edits", Json::trusted(&format!("[{}]", all.join(","))));
    } else if first_text(*first, &OLD_TEXT).is_some() {
        args.members(Json::trusted(&replaced(first)));
    } else {
        args.text_if("content", first_text(*first, &NEW_TEXT).as_deref());
    }
    Some(args.finish())
}

/// The end of a call of another program's agent, if it has ended. `begins`: the same event begins it.
pub(super) fn acp_end(json: Json<'_>, id: &str, begins: bool) -> Option<Draft<'static>> {
    let status = json.text_at("status").unwrap_or_default();
    let failed = status == "failed" || json.get("is_error").and_then(Json::as_bool) == Some(true);
    if !failed && status != "completed" {
        return None;
    }
    // The changes of files are among the arguments.
    let texts: &[&str] = match begins && acp_edit(json).is_some() {
        true => &["raw_output"],
        false => &["raw_output", "content"],
    };
    let text = texts.iter().find_map(|name| json.present(name));
    let (tool, text) = (acp_tool(json), text.map(as_text).unwrap_or_default());
    Some(call_end(&EndedCall { id, tool: &tool, text: &text, failed }, |_| {}))
}

/// Hooks whose refusal is in other events.
const REFUSAL_IS_TOLD: [&str; 2] = ["PreToolUse", "Stop"];

/// A hook: its failure, what it refuses, and what it adds for the model. A hook that refuses has not
/// failed.
pub(super) fn hook(json: Json<'_>) -> Vec<Draft<'static>> {
    let is = |name: &str, value: bool| json.get(name).and_then(Json::as_bool) == Some(value);
    let mut drafts = Vec::new();
    let name = json.text_at("hook_event_type").unwrap_or(Cow::Borrowed("hook"));
    let is_blocked = is("blocked", true);
    if is_blocked && !REFUSAL_IS_TOLD.contains(&&*name) || is("success", false) && !is_blocked {
        let why = ["stderr", "error", "reason", "stdout"];
        let mut why = why.iter().filter_map(|name| json.text_at(name));
        let why = why.find(|text| !text.trim().is_empty());
        let why = why.unwrap_or(Cow::Borrowed("no message"));
        let did = if is_blocked { "blocked" } else { "failed" };
        let note = text_event("note", &format!("Hook {name} {did}: {}", why.trim()));
        drafts.push(Draft { severity: Some(Severity::Warning), ..note });
    }
    let added = json.text_at("additional_context").filter(|text| !text.trim().is_empty());
    drafts.extend(added.map(|text| text_event("message.system", &text)));
    drafts
}
