//! Sub-agents whose tokens are in the totals of the session that started them.

use std::path::Path;

use memchr::memmem;

use super::relatives::STATE;
use crate::fs::{PathAt, read_small};
use crate::import::Dialect;
use crate::json::{Json, JsonRules, check};

/// The folder with the conversations of sub-agents, in that of a conversation of OpenHands.
const SUB_AGENTS: &str = "subagents";
/// The beginning of the name of a sub-agent's part in the totals of a conversation.
const PART: &str = "\"task:";
/// The beginning of the name of the folder with a sub-agent's session of Pi.
const RUN: &str = "run-";
/// Maximum length in bytes of a parent's file that is read.
const MOST: u64 = 64 << 20;

/// Whether the session that started a sub-agent counts the tokens in this file of the sub-agent.
pub(super) fn is_counted_by_parent(path: &Path, dialect: &Dialect) -> bool {
    match dialect.name {
        "openhands" => is_part_of_conversation(path),
        "pi" => is_result_of_call(path),
        _ => false,
    }
}

/// `<conversation>/subagents/<id>/base_state.json`. The state of the conversation has a part for each
/// sub-agent that has ended.
fn is_part_of_conversation(path: &Path) -> bool {
    let folder = path.parent().and_then(Path::parent).filter(|_| path.ends_with(STATE));
    let folder = folder.filter(|folder| folder.ends_with(SUB_AGENTS)).and_then(Path::parent);
    let state = folder.map(|conversation| conversation.join(STATE));
    let state = state.and_then(|state| read_small(&PathAt::of(state), MOST).ok().flatten());
    state.is_some_and(|state| memmem::find(&state, PART.as_bytes()).is_some())
}

/// `<session>/<run>/run-0/session.jsonl` beside `<session>.jsonl`. The result of the call that
/// started the run has its tokens, unless it runs in the background or the program is an old one.
fn is_result_of_call(path: &Path) -> bool {
    let found = || {
        let part = path.parent()?;
        part.file_name()?.to_str()?.strip_prefix(RUN)?;
        let run = part.parent()?;
        let session = run.parent()?.with_extension("jsonl");
        let bytes = read_small(&PathAt::of(session), MOST).ok().flatten()?;
        let run = run.file_name()?.to_str()?;
        let mut lines = bytes.split(|byte| *byte == b'\n');
        Some(lines.any(|line| has_tokens_of(line, run)))
    };
    found().unwrap_or_default()
}

fn has_tokens_of(line: &[u8], run: &str) -> bool {
    if memmem::find(line, run.as_bytes()).is_none() {
        return false;
    }
    let json = check(line, JsonRules::LENIENT).ok();
    let message = json.and_then(|json| json.present("message"));
    message.is_some_and(|message| {
        message.text_at("role").is_some_and(|role| role == "toolResult")
            && message.present("usage").is_some_and(Json::is_object)
    })
}
