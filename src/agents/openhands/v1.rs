//! The events of V1.

use std::borrow::Cow;
use std::collections::HashSet;

use super::{is_among, members, outcome_of};
use crate::agents::said::{Args, CallEnd, ModelCall, Outcome, Report, Said, SaidAnswer, SaidCall};
use crate::event::fields::{as_text, is_placeholder};
use crate::json::{Json, ObjectText};

/// The id of a call: the model's, else that of its action, which has this name.
pub(super) fn call_id<'s>(json: Json<'s>, action: &str) -> Option<Cow<'s, str>> {
    let mut ids = ["tool_call_id", action].into_iter().filter_map(|name| json.text_at(name));
    ids.find(|id| !is_placeholder(id))
}

fn answer<'s>(json: Json<'s>, text: Cow<'s, str>) -> Said<'s> {
    let of = ModelCall { model: None, id: json.text_at("llm_response_id") };
    Said::Answer(SaidAnswer { text, of })
}

/// A message.
pub(super) fn message(json: Json<'_>) -> Vec<Said<'_>> {
    let text = json.path("llm_message.content").map(as_text).unwrap_or_default();
    let message = match json.text_at("source").as_deref() {
        Some("user") => Said::prompt(text, Vec::new()),
        Some("agent") => answer(json, text),
        _ => Said::System(text),
    };
    let thought = json.present("llm_message").and_then(reasoning).map(Said::Thought);
    let skills = ["activated_skills", "activated_microagents"];
    let skills = skills.iter().filter_map(|name| json.present(name)).flat_map(Json::items);
    let skills = skills.filter_map(Json::as_str).map(|name| Said::Skill(name, None));
    thought.into_iter().chain([message, extended(json)]).chain(skills).collect()
}

/// The start of a call, with what the agent said before it.
pub(super) fn started(json: Json<'_>) -> Vec<Said<'_>> {
    let thought = json.present("thought").filter(|thought| thought.text() != "[]").map(as_text);
    let thought = thought.unwrap_or_default();
    // Some models repeat their reasoning in tags before the text.
    let tagged = thought.trim_start().strip_prefix("<think>");
    let tagged = tagged.and_then(|rest| rest.split_once("</think>"));
    let (inner, rest) = tagged.unwrap_or(("", &thought));
    let reasoning = reasoning(json).unwrap_or_else(|| inner.to_owned().into());
    let text = if reasoning.trim() == inner.trim() { rest } else { &thought };
    let [reasoning, text] = [&*reasoning, text].map(|text| Cow::Owned(text.trim().to_owned()));
    let is_argument = |name: &str, value: Json<'_>| name != "kind" && !value.is_null();
    let made = |action| Args::Text(members(action, is_argument).finish().into());
    let given = || json.path("tool_call.arguments").map_or(Args::None, Args::Value);
    let args = json.present("action").map_or_else(given, made);
    let tool = json.text_at("tool_name").unwrap_or_default();
    let (id, report) = (call_id(json, "id"), Report::Line);
    let call = SaidCall { id, tool, args, report, ..SaidCall::default() };
    vec![Said::Thought(reasoning), answer(json, text), Said::Call(call)]
}

/// The end of a call. `text` is the name of the text about it.
pub(super) fn ended<'s>(json: Json<'s>, text: &str, outcome: Outcome) -> CallEnd<'s> {
    let (id, line) = (call_id(json, "action_id"), json.text_at("action_id"));
    let (tool, text) = (json.text_at("tool_name"), json.text_at(text).unwrap_or_default());
    CallEnd { id, line, tool, text, outcome, ..CallEnd::default() }
}

/// The end of a call, and what OpenHands added to its result.
pub(super) fn observed(json: Json<'_>) -> Vec<Said<'_>> {
    let observation = json.present("observation").unwrap_or(Json::EMPTY);
    let texts = ["content", "output", "error", "message"];
    let text = texts.iter().find_map(|name| observation.present(name));
    let text = text.map(as_text).unwrap_or_default();
    let exit_code = observation.present("exit_code");
    let exit_code = exit_code.or_else(|| observation.path("metadata.exit_code"));
    let is_error = observation.get("is_error").and_then(Json::as_bool) == Some(true);
    let (outcome, exit_code) = outcome_of(is_error, exit_code);
    let command = observation.text_at("command");
    let end = CallEnd { text, exit_code, command, ..ended(json, "", outcome) };
    vec![Said::End(end), extended(json)]
}

/// The text that OpenHands adds for the model.
fn extended(json: Json<'_>) -> Said<'_> {
    let added = json.path("extended_content").filter(|added| added.text() != "[]");
    Said::System(added.map(as_text).unwrap_or_default())
}

/// What the model thought before an action or a message.
fn reasoning(json: Json<'_>) -> Option<Cow<'_, str>> {
    let texts = |lists: &[&str]| {
        let items = lists.iter().filter_map(|list| json.path(list)).flat_map(Json::items);
        let own = |item: Json<'_>| first_text(item, &["thinking", "text"]).map(Cow::into_owned);
        let texts: Vec<_> = items
            .filter_map(|item| item.as_str().map(Cow::into_owned).or_else(|| own(item)))
            .collect();
        (!texts.is_empty()).then(|| Cow::Owned(texts.join("\n")))
    };
    let own = json.text_at("reasoning_content").filter(|text| !text.is_empty());
    let of_item = ["responses_reasoning_item.summary", "responses_reasoning_item.content"];
    own.or_else(|| texts(&["thinking_blocks"])).or_else(|| texts(&of_item))
}

/// The settings in the state of a conversation.
pub(super) fn settings(state: Json<'_>) -> Said<'_> {
    Said::facts([
        ("agent", Some("openhands".into())),
        ("model", state.text_at("agent.llm.model")),
        ("cwd", state.text_at("workspace.working_dir")),
        ("title", state.text_at("title")),
    ])
}

/// A call of another program's agent (Agent Client Protocol). There is an event when it starts and one
/// when it ends, or only the latter. `started`: the calls that have started.
pub(super) fn acp_call<'s>(json: Json<'s>, started: &mut HashSet<String>) -> Vec<Said<'s>> {
    let (id, title) = (call_id(json, "id"), json.text_at("title"));
    let begins = id.as_deref().is_none_or(|id| started.insert(id.to_owned()));
    let kind = json.text_at("tool_kind").filter(|kind| !kind.is_empty());
    let tool = kind.or_else(|| title.clone()).unwrap_or_default();
    let edit = acp_edit(json).filter(|_| begins);
    let status = json.text_at("status").unwrap_or_default();
    let failed = status == "failed" || json.get("is_error").and_then(Json::as_bool) == Some(true);
    // The changes of files are among the arguments.
    let content = json.present("content").filter(|_| edit.is_none());
    let text = json.present("raw_output").or(content).map(as_text).unwrap_or_default();
    let (of, (outcome, _)) = (Some(tool.clone()), outcome_of(failed, None));
    let end = CallEnd { id: id.clone(), tool: of, text, outcome, ..CallEnd::default() };
    let end = (failed || status == "completed").then_some(Said::End(end));
    let input = || json.present("raw_input").map_or(Args::None, Args::Value);
    let args = edit.map_or_else(input, |edit| Args::Text(edit.into()));
    let start = SaidCall { id, tool, args, title, ..SaidCall::default() };
    begins.then_some(Said::Call(start)).into_iter().chain(end).collect()
}

/// Arguments with the new text of a file, as agents of other programs name them.
const NEW_TEXTS: &str = "new_string new_str newString newText new_text content edits file_text old_text \
    patch diff changes";

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
    let input = json.present("raw_input").unwrap_or(Json::EMPTY);
    let blocks = json.present("content").into_iter().flat_map(Json::items);
    let is_diff = |block: &Json<'_>| block.text_at("type").is_some_and(|kind| kind == "diff");
    let diffs: Vec<Json<'_>> = blocks.filter(is_diff).collect();
    let first = *diffs.first()?;
    let mut given = input.raw_members().filter(|(_, value)| !value.is_null());
    if !input.is_object() || given.any(|(name, _)| is_among(NEW_TEXTS, name)) {
        return None;
    }
    let mut args = members(input, |_, value| !value.is_null());
    let path = first.text_at("path");
    let is_one_file = diffs.iter().all(|diff| diff.text_at("path") == path);
    let change = |diff: &Json<'_>| {
        let mut change = ObjectText::new();
        change.text_if("path", diff.text_at("path").as_deref().filter(|_| !is_one_file));
        change.text_if("old_text", first_text(*diff, &OLD_TEXT).as_deref());
        change.text_if("new_text", first_text(*diff, &NEW_TEXT).as_deref());
        change.finish()
    };
    if is_one_file && ["path", "file_path"].iter().all(|name| input.get(name).is_none()) {
        args.text_if("path", path.as_deref());
    }
    if diffs.len() > 1 {
        let name = if is_one_file { "edits" } else { "changes" };
        let changes: Vec<String> = diffs.iter().map(change).collect();
        args.json(name, Json::trusted(&format!("[{}]", changes.join(","))));
    } else if first_text(first, &OLD_TEXT).is_some() {
        args.members(Json::trusted(&change(&first)));
    } else {
        args.text_if("content", first_text(first, &NEW_TEXT).as_deref());
    }
    Some(args.finish())
}

/// A hook: its failure, what it refuses, and what it adds for the model. A hook that refuses has not
/// failed.
pub(super) fn hook(json: Json<'_>) -> Vec<Said<'_>> {
    let is = |name: &str, value: bool| json.get(name).and_then(Json::as_bool) == Some(value);
    let name = json.text_at("hook_event_type").unwrap_or(Cow::Borrowed("hook"));
    let did = match is("blocked", true) {
        // The refusal of these is in other events.
        true => Some("blocked").filter(|_| !matches!(&*name, "PreToolUse" | "Stop")),
        false => Some("failed").filter(|_| is("success", false)),
    };
    let warning = did.map(|did| {
        let why = ["stderr", "error", "reason", "stdout"];
        let mut why = why.iter().filter_map(|name| json.text_at(name));
        let why = why.find(|text| !text.trim().is_empty());
        let why = why.as_deref().unwrap_or("no message").trim();
        Said::warning(format!("Hook {name} {did}: {why}"))
    });
    let added = json.text_at("additional_context").filter(|text| !text.trim().is_empty());
    warning.into_iter().chain(added.map(Said::System)).collect()
}
