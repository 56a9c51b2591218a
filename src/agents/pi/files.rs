//! The files of Pi. A sub-agent has a folder of its own beside the session.

use std::path::Path;

use memchr::memmem;

use crate::agents::files::{AgentFiles, absolute, large};
use crate::json::{Json, JsonRules, check};

/// The folder beside sessions with copies of what sub-agents said.
const ARTIFACTS: &str = "subagent-artifacts";
/// The beginning of the name of the folder with a sub-agent's session.
const RUN: &str = "run-";

pub(super) struct PiFiles;

impl AgentFiles for PiFiles {
    fn is_other(&self, path: &Path) -> bool {
        path.parent().is_some_and(|folder| folder.ends_with(ARTIFACTS))
    }

    fn is_counted_by_parent(&self, path: &Path) -> bool {
        is_result_of_call(&absolute(path)).unwrap_or(false)
    }
}

/// `<session>/<run>/run-0/session.jsonl` beside `<session>.jsonl`. The result of the call that
/// started the run has its tokens, unless it runs in the background or the program is an old one.
fn is_result_of_call(path: &Path) -> Option<bool> {
    let part = path.parent()?;
    part.file_name()?.to_str()?.strip_prefix(RUN)?;
    let run = part.parent()?;
    let session = run.parent()?;
    let name = format!("{}.jsonl", session.file_name()?.to_str()?);
    let bytes = large(&session.with_file_name(name))?;
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
