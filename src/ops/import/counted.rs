//! Sub-agents whose tokens are in the totals of the session that started them.

use std::path::Path;

use memchr::memmem;

use super::relatives::{STATE, SUB_AGENTS};
use crate::agents::Dialect;
use crate::fs::{PathAt, read_small};
use crate::json::{Json, JsonRules, check, with_null_numbers};

/// The list of sub-agents, in the folder with the conversations of those of OpenHands.
const TASKS: &str = "tasks.json";
/// The parts of the totals of a conversation, and the beginning of the name of a sub-agent's.
const PARTS: &str = "stats.usage_to_metrics";
const TASK: &str = "task:";
/// The beginning of the name of the folder with a sub-agent's session of Pi.
const RUN: &str = "run-";
/// Maximum length in bytes of a file that is read for its sums or its calls.
const MOST: u64 = 64 << 20;

/// Whether the session that started a sub-agent counts the tokens in this file of the sub-agent.
pub(super) fn is_counted_by_parent(path: &Path, dialect: &Dialect) -> bool {
    let is_counted = match dialect.name {
        "openhands" => is_part_of_conversation,
        "pi" => is_result_of_call,
        _ => return false,
    };
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    is_counted(&path).unwrap_or(false)
}

/// `<conversation>/subagents/<id>/base_state.json`. The state of the conversation has a part for each
/// sub-agent that has ended.
fn is_part_of_conversation(path: &Path) -> Option<bool> {
    let own = path.parent().filter(|_| path.ends_with(STATE))?;
    let folder = own.parent().filter(|folder| folder.ends_with(SUB_AGENTS))?;
    let state = small(&folder.parent()?.join(STATE))?;
    let parts = check(&state, JsonRules::LENIENT).ok()?.path(PARTS)?;
    let parts = || parts.members().filter(|(name, _)| name.starts_with(TASK));
    let tasks = small(&folder.join(TASKS)).unwrap_or_default();
    let tasks = check(&tasks, JsonRules::LENIENT).ok().and_then(|tasks| tasks.get("tasks"));
    let own_id = own.file_name()?.to_str()?.replace('-', "");
    let is_own = |task: Json<'_>| {
        task.text_at("conversation_id").is_some_and(|id| id.replace('-', "") == own_id)
    };
    let mut tasks = tasks.into_iter().flat_map(Json::members);
    if let Some((id, _)) = tasks.find(|(_, task)| is_own(*task)) {
        return Some(parts().any(|(name, _)| name.strip_prefix(TASK) == Some(&id)));
    }
    // Older versions do not say which part is of which sub-agent.
    let child = small(path)?;
    let child = check(&child, JsonRules::LENIENT).ok()?.path(PARTS)?;
    let own = child.members().map(|(_, part)| tokens(part));
    let own = own.fold([0, 0], |[input, output], part| [input + part[0], output + part[1]]);
    Some(parts().any(|(_, part)| tokens(part) == own))
}

/// Input and output of a part of the totals of a conversation.
fn tokens(part: Json<'_>) -> [u64; 2] {
    let used = part.get("accumulated_token_usage").unwrap_or(Json::EMPTY);
    ["prompt_tokens", "completion_tokens"]
        .map(|name| used.get(name).and_then(Json::as_u64).unwrap_or(0))
}

/// `<session>/<run>/run-0/session.jsonl` beside `<session>.jsonl`. The result of the call that
/// started the run has its tokens, unless it runs in the background or the program is an old one.
fn is_result_of_call(path: &Path) -> Option<bool> {
    let part = path.parent()?;
    part.file_name()?.to_str()?.strip_prefix(RUN)?;
    let run = part.parent()?;
    let session = run.parent()?;
    let name = format!("{}.jsonl", session.file_name()?.to_str()?);
    let bytes = small(&session.with_file_name(name))?;
    let run = run.file_name()?.to_str()?;
    Some(bytes.split(|byte| *byte == b'\n').any(|line| has_tokens_of(line, run)))
}

/// Whether a line is the result of a call that started that run, with tokens.
fn has_tokens_of(line: &[u8], run: &str) -> bool {
    if memmem::find(line, run.as_bytes()).is_none() {
        return false;
    }
    let json = check(line, JsonRules::LENIENT).ok();
    let Some(message) = json.and_then(|json| json.present("message")) else { return false };
    let named = |part: Json<'_>| part.text_at("runId").is_some_and(|id| id == run);
    let details = message.get("details").unwrap_or(Json::EMPTY);
    let mut results = details.get("results").into_iter().flat_map(Json::items);
    message.text_at("role").is_some_and(|role| role == "toolResult")
        && message.present("usage").is_some_and(Json::is_object)
        && (named(details) || results.any(named))
}

/// The content of a JSON file, if it can be read and is not too large.
pub(super) fn small(path: &Path) -> Option<Vec<u8>> {
    let text = read_small(&PathAt::of(path), MOST).ok().flatten()?;
    Some(with_null_numbers(&text).unwrap_or(text))
}
