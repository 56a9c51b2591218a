//! The files of OpenHands: of a conversation, one for each event, and one with its state.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::agents::files::{
    AgentFiles, SessionTitle, absolute, large, name_of_folder, number_of, sources_in, stem,
    with_facts,
};
use crate::json::{Json, JsonRules, check};

/// The file with the state of a conversation, beside the folder of its events.
const STATE: &str = "base_state.json";
/// That folder.
const EVENTS: &str = "events";
/// The folder with the conversations of sub-agents, and the list of them in it.
const SUB_AGENTS: &str = "subagents";
const TASKS: &str = "tasks.json";
/// The beginning of the name of the folder with a conversation that was exported, and the file in it whose
/// facts the events have too.
const EXPORTED: &str = "conversation_";
const EXPORTED_FACTS: &str = "meta.json";
/// The same beside the folder with the events of a conversation of V0.
const STORED_FACTS: &str = "metadata.json";
/// The parts of the totals of a conversation, and the beginning of the name of a sub-agent's.
const PARTS: &str = "stats.usage_to_metrics";
const TASK: &str = "task:";

pub(super) struct OpenHandsFiles;

impl AgentFiles for OpenHandsFiles {
    fn is_other(&self, path: &Path) -> bool {
        let is_facts = |folder: &Path| {
            path.ends_with(EXPORTED_FACTS) && is_exported(folder)
                || path.ends_with(STORED_FACTS) && folder.join(EVENTS).is_dir()
                || path.ends_with(TASKS) && folder.ends_with(SUB_AGENTS)
        };
        path.parent().is_some_and(is_facts)
    }

    /// The folder around the folder of its events.
    fn session(&self, path: &Path) -> Option<String> {
        let path = &absolute(path);
        let events = path.parent()?;
        if self.is_state(path) {
            return name_of_folder(events);
        }
        if is_exported_event(path) {
            let folder = name_of_folder(events)?;
            return Some(folder.strip_prefix(EXPORTED).unwrap_or(&folder).to_owned());
        }
        let is_event = number_of(path).is_some() || stem(path).starts_with("event-");
        name_of_folder(events.parent().filter(|_| is_event && events.ends_with(EVENTS))?)
    }

    /// An event with the state of its conversation, or that state after all events.
    fn together(&self, path: &Path, _session: &str) -> Vec<PathBuf> {
        let (own, folder) = (path.to_owned(), path.parent().unwrap_or(path));
        if self.is_state(path) {
            let mut events = sources_in(&folder.join(EVENTS));
            events.sort_by_cached_key(|path| (number_of(path), path.clone()));
            return events.into_iter().chain([own]).collect();
        }
        let state = folder.with_file_name(STATE);
        let has_state = folder.ends_with(EVENTS) && state.is_file();
        [own].into_iter().chain(has_state.then_some(state)).collect()
    }

    fn is_state(&self, path: &Path) -> bool {
        path.ends_with(STATE)
    }

    fn is_counted_by_parent(&self, path: &Path) -> bool {
        is_part_of_conversation(&absolute(path)).unwrap_or(false)
    }

    fn title(&self, path: &Path) -> Option<SessionTitle> {
        with_facts(&facts_of(path)?, |facts| {
            let text = facts.text_at("title").filter(|text| !text.trim().is_empty())?.into_owned();
            let times = ["updated_at", "last_updated_at"];
            let given_at = times.iter().find_map(|name| facts.text_at(name)).unwrap_or_default();
            Some(SessionTitle { text, is_newest: true, given_at: given_at.into_owned() })
        })
    }

    fn branch(&self, path: &Path) -> Option<String> {
        let branch = |facts: Json<'_>| facts.text_at("selected_branch").map(Cow::into_owned);
        with_facts(&facts_of(path)?, branch).filter(|name| !name.is_empty())
    }
}

/// Whether a file is an event of a conversation that was exported: `event_000003_….json`.
fn is_exported_event(path: &Path) -> bool {
    let stem = stem(path);
    let number = stem.strip_prefix("event_").and_then(|rest| rest.split('_').next());
    number.is_some_and(|number| number.len() >= 6 && number.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether a folder is named like one with a conversation that was exported.
fn is_exported(folder: &Path) -> bool {
    let name = folder.file_name();
    name.is_some_and(|name| name.as_encoded_bytes().starts_with(EXPORTED.as_bytes()))
}

/// The file with the facts of the conversation with this event: its title, its branch.
fn facts_of(event: &Path) -> Option<PathBuf> {
    let folder = event.parent()?;
    if is_exported(folder) {
        return Some(folder.join(EXPORTED_FACTS));
    }
    folder.ends_with(EVENTS).then(|| folder.with_file_name(STORED_FACTS))
}

/// `<conversation>/subagents/<id>/base_state.json`. The state of the conversation has a part for each
/// sub-agent that has ended.
fn is_part_of_conversation(path: &Path) -> Option<bool> {
    let own = path.parent().filter(|_| path.ends_with(STATE))?;
    let folder = own.parent().filter(|folder| folder.ends_with(SUB_AGENTS))?;
    let state = large(&folder.parent()?.join(STATE))?;
    let parts = check(&state, JsonRules::LENIENT).ok()?.path(PARTS)?;
    let parts = || parts.members().filter(|(name, _)| name.starts_with(TASK));
    let tasks = large(&folder.join(TASKS)).unwrap_or_default();
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
    let child = large(path)?;
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
