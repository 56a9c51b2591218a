//! The files of one session: where each agent keeps them beside one another.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use super::bytes::plain_path;
use super::look::Look;
use super::titles::INDEX;
use crate::agents::Dialect;
use crate::fs::{PathAt, read_small};
use crate::json::{JsonRules, check};

/// The endings of the names of session files.
const ENDINGS: &[&str] = &["jsonl", "json"];

/// The folder with the files of sub-agents, in a folder named like the session.
pub(super) const SUB_AGENTS: &str = "subagents";
/// The folder in it with a folder for each workflow.
const WORKFLOWS: &str = "workflows";
/// What a workflow did, in such a folder. The files of its agents say more.
const JOURNAL: &str = "journal.jsonl";

/// The folder beside sessions of Pi with copies of what sub-agents said.
const ARTIFACTS: &str = "subagent-artifacts";
/// The list of the sub-agents of a conversation of OpenHands.
const TASKS: &str = "subagents/tasks.json";

/// The file with the state of a conversation of OpenHands, beside the folder of its events.
pub(super) const STATE: &str = "base_state.json";
/// That folder.
const EVENTS: &str = "events";
/// The beginning of the name of the folder with a conversation that OpenHands exported, and the file
/// in it whose facts the events have too.
const EXPORTED: &str = "conversation_";
const EXPORTED_FACTS: &str = "meta.json";
/// The same beside the folder with the events of a conversation of V0.
const STORED_FACTS: &str = "metadata.json";

/// The folder with the sessions of Gemini CLI. A folder in it has the sub-agents of one session.
const CHATS: &str = "chats";

/// Maximum length in bytes of a file that is read only for an id.
const SMALL: u64 = 1 << 20;
/// How deep sub-agents of sub-agents are followed.
const DEEPEST: usize = 64;

/// The session of a sub-agent with this file, if its place or its facts show it.
pub(super) fn session_of_parent(path: &Path, look: &Look) -> Option<String> {
    parent_session(path)
        .or_else(|| chats_of(path).filter(|_| look.dialect.name == "gemini" && look.is_sub_agent))
        .or_else(|| root_of_stored(path).filter(|_| look.dialect.name == "opencode"))
}

/// The session whose sub-agent has this file.
pub(super) fn parent_session(path: &Path) -> Option<String> {
    let path = &std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    Some(agents_folder(path)?.parent()?.file_name()?.to_str()?.to_owned())
}

/// The folder with the sub-agents of a session, if this is the file of one of them.
fn agents_folder(path: &Path) -> Option<&Path> {
    let folder = path.parent()?;
    let above = folder.parent().filter(|folder| folder.ends_with(WORKFLOWS));
    let folder = above.and_then(Path::parent).unwrap_or(folder);
    Some(folder).filter(|folder| folder.ends_with(SUB_AGENTS))
}

/// The files of the agents of workflows, in the folder with the sub-agents of a session.
fn of_workflows(folder: &Path) -> Vec<PathBuf> {
    let workflows = std::fs::read_dir(folder.join(WORKFLOWS)).into_iter().flatten().flatten();
    let mut workflows: Vec<PathBuf> = workflows.map(|entry| entry.path()).collect();
    workflows.sort();
    workflows.iter().flat_map(|workflow| sorted(workflow)).collect()
}

/// The session in whose folder Gemini CLI keeps this file.
fn chats_of(path: &Path) -> Option<String> {
    let session =
        path.parent().filter(|folder| folder.parent().is_some_and(|up| up.ends_with(CHATS)))?;
    Some(session.file_name()?.to_str()?.to_owned())
}

/// The first of the sessions that led to this one. If they lead in a circle, it is this one itself.
pub(super) fn root_of(id: &str, parent: impl Fn(&str) -> Option<String>) -> String {
    let mut seen = vec![id.to_owned()];
    while let Some(next) = seen.last().and_then(|last| parent(last))
        && seen.len() < DEEPEST
    {
        if seen.contains(&next) {
            return id.to_owned();
        }
        seen.push(next);
    }
    seen.pop().unwrap_or_default()
}

/// The first of the stored sessions of OpenCode that led to the one in this file.
fn root_of_stored(path: &Path) -> Option<String> {
    storage_of(path)?;
    let id = stem(path);
    let root = root_of(&id, |id| text_in(&path.with_file_name(format!("{id}.json")), "parentID"));
    Some(root).filter(|root| *root != id)
}

/// The stored sessions of OpenCode that those in the named files led to.
pub(super) fn stored_children(named: &[PathBuf]) -> Vec<PathBuf> {
    let stored = named.iter().filter(|path| path.is_file() && storage_of(path).is_some());
    let mut folders: BTreeMap<&Path, Vec<String>> = BTreeMap::new();
    for path in stored {
        folders.entry(path.parent().unwrap_or(path)).or_default().push(stem(path));
    }
    let mut all = Vec::new();
    for (folder, mut wanted) in folders {
        let mut children: HashMap<String, Vec<PathBuf>> = HashMap::new();
        for path in sorted(folder) {
            if let Some(parent) = text_in(&path, "parentID") {
                children.entry(parent).or_default().push(path);
            }
        }
        while let Some(id) = wanted.pop() {
            let own = children.remove(&id).unwrap_or_default();
            wanted.extend(own.iter().map(|path| stem(path)));
            all.extend(own);
        }
    }
    all
}

/// Whether a file is named like the state of a conversation. It says what the events do not, so it is
/// read after them.
pub(super) fn is_state(path: &Path) -> bool {
    path.ends_with(STATE)
}

/// The session of a file with one event, or with the state beside them: the folder around the folder
/// of its events.
pub(super) fn folder_of_events(path: &Path, dialect: &Dialect) -> Option<String> {
    if dialect.name != "openhands" {
        return None;
    }
    let path = &std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let events = path.parent()?;
    if is_state(path) {
        return events.file_name().map(|name| name.to_string_lossy().into_owned());
    }
    if is_exported_event(path) {
        let folder = events.file_name()?.to_string_lossy();
        return Some(folder.strip_prefix(EXPORTED).unwrap_or(&folder).to_owned());
    }
    let is_number = number_of(path).is_some();
    let is_event = is_number || stem(path).starts_with("event-");
    let session = events.parent().filter(|_| is_event && events.ends_with(EVENTS))?;
    session.file_name().map(|name| name.to_string_lossy().into_owned())
}

/// Whether a file is an event of a conversation that OpenHands exported: `event_000003_….json`.
fn is_exported_event(path: &Path) -> bool {
    let stem = stem(path);
    let number = stem.strip_prefix("event_").and_then(|rest| rest.split('_').next());
    number.is_some_and(|number| number.len() >= 6 && number.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether a folder is named like one with a conversation that OpenHands exported.
fn is_exported(folder: &Path) -> bool {
    let name = folder.file_name();
    name.is_some_and(|name| name.as_encoded_bytes().starts_with(EXPORTED.as_bytes()))
}

/// The file with the facts of a conversation of OpenHands with this event: its title, its branch.
pub(super) fn facts_of_conversation(event: &Path) -> Option<PathBuf> {
    let folder = event.parent()?;
    if is_exported(folder) {
        return Some(folder.join(EXPORTED_FACTS));
    }
    folder.ends_with(EVENTS).then(|| folder.with_file_name(STORED_FACTS))
}

/// The number that a file has for its name: `10.json` comes after `9.json`.
pub(super) fn number_of(path: &Path) -> Option<u64> {
    stem(path).parse().ok()
}

/// Which continuation of a trajectory a file holds: `trajectory.cont-1.json` comes after
/// `trajectory.json`.
pub(super) fn continuation_of(path: &Path) -> Option<u64> {
    stem(path).rsplit_once(".cont-")?.1.parse().ok()
}

/// The files that belong to a session file: the session before its sub-agents, a stored session
/// before its messages and their parts.
pub(super) fn relatives(path: &Path, session: &str, dialect: &Dialect) -> Vec<PathBuf> {
    let own = path.to_owned();
    if let Some(storage) = storage_of(path) {
        let mut all = vec![own];
        let id = text_in(path, "id").unwrap_or_else(|| stem(path));
        for message in sorted(&storage.join("message").join(id)) {
            let id = text_in(&message, "id").unwrap_or_else(|| stem(&message));
            let parts = sorted(&storage.join("part").join(id));
            all.push(message);
            all.extend(parts);
        }
        // Older versions keep the parts of all messages in one folder.
        all.extend(sorted(&storage.join("part")));
        return all;
    }
    let folder = path.parent().unwrap_or(path);
    if dialect.name == "openhands" {
        return with_state(path);
    }
    let (parent, folder) = match parent_session(path) {
        Some(_) => {
            let folder = agents_folder(path).unwrap_or(folder);
            let parent = folder.parent().map(|session| session.with_extension("jsonl"));
            (parent.filter(|parent| parent.is_file()), folder.to_owned())
        }
        None if dialect.name == "gemini" && folder.ends_with(CHATS) && is_name(session) => {
            (Some(own.clone()), folder.join(session))
        }
        None => (Some(own.clone()), path.with_extension("").join(SUB_AGENTS)),
    };
    let agents = sorted(&folder).into_iter().chain(of_workflows(&folder));
    let agents = agents.filter(|path| path.extension().is_some_and(|e| e == "jsonl"));
    let mut all: Vec<PathBuf> = parent.into_iter().chain(agents).collect();
    if !all.contains(&own) {
        all.push(own);
    }
    all
}

/// How many messages a stored session has; `None` if the file is not of a session.
pub(super) fn messages_of(path: &Path) -> Option<usize> {
    let storage = storage_of(path)?;
    Some(sorted(&storage.join("message").join(stem(path))).len())
}

/// An event of OpenHands with the state of its conversation, or that state after all events.
fn with_state(path: &Path) -> Vec<PathBuf> {
    let (own, folder) = (path.to_owned(), path.parent().unwrap_or(path));
    if is_state(path) {
        let mut events = sorted(&folder.join(EVENTS));
        events.sort_by_cached_key(|path| (number_of(path), path.clone()));
        return events.into_iter().chain([own]).collect();
    }
    let state = folder.with_file_name(STATE);
    let has_state = folder.ends_with(EVENTS) && state.is_file();
    [own].into_iter().chain(has_state.then_some(state)).collect()
}

/// Whether a file is named like that of a sub-agent of Claude Code.
pub(super) fn is_agent_file(path: &Path) -> bool {
    stem(path).starts_with("agent-")
}

/// The session files beside this one, this one included.
pub(super) fn files_beside(path: &Path) -> Vec<PathBuf> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let files = sorted(folder.unwrap_or(Path::new(".")));
    // The same form as that of the path.
    files.iter().filter_map(|file| Some(path.with_file_name(file.file_name()?))).collect()
}

/// Whether an id can be the name of a file or a folder, and leads nowhere else.
fn is_name(id: &str) -> bool {
    !id.is_empty() && !id.contains(['/', '\0']) && id != "." && id != ".."
}

/// The storage in which this is the file of a session, with messages and parts beside it.
pub(super) fn storage_of(path: &Path) -> Option<&Path> {
    let sessions = path.parent()?.parent()?;
    let storage = sessions.parent().filter(|_| sessions.ends_with("session"))?;
    storage.join("message").is_dir().then_some(storage)
}

/// Whether this is a message or a part of a stored session, which its session brings.
pub(super) fn is_part(path: &Path) -> bool {
    let above = |levels: usize| path.ancestors().nth(levels);
    let beside =
        |folder: &Path| folder.parent().is_some_and(|storage| storage.join("session").is_dir());
    [1, 2]
        .into_iter()
        .filter_map(above)
        .any(|folder| (folder.ends_with("message") || folder.ends_with("part")) && beside(folder))
}

/// A text in a small JSON file that can stand in a path.
fn text_in(path: &Path, name: &str) -> Option<String> {
    let bytes = read_small(&PathAt::of(path), SMALL).ok().flatten()?;
    let json = check(&bytes, JsonRules::LENIENT).ok()?;
    let text = json.text_at(name)?.into_owned();
    is_name(&text).then_some(text)
}

/// The name of a session that has no id: that of its file. Before a name that many files have, the
/// names of the folders around it.
pub(super) fn name_of(path: &Path) -> String {
    const COMMON: &[&str] = &[
        "agent",
        "conversation",
        "events",
        "history",
        "log",
        "logs",
        "messages",
        "output",
        "result",
        "results",
        "stdout",
        "stream",
        "trace",
        "traj",
        "trajectory",
        "transcript",
    ];
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let (mut name, mut first) = (stem(&path), stem(&path));
    for folder in path.ancestors().skip(1) {
        let Some(folder) = folder.file_name().filter(|_| COMMON.contains(&first.as_str())) else {
            break;
        };
        first = folder.to_string_lossy().into_owned();
        name = format!("{first}-{name}");
    }
    name
}

/// The session files in a folder, by name.
fn sorted(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| is_source(path)).collect();
    files.sort();
    files
}

fn is_source(path: &Path) -> bool {
    has_lines(path) && path.is_file()
}

/// Whether a file in a folder may hold sessions, by its name.
pub(super) fn is_source_name(path: &Path) -> bool {
    let is_database = path.extension().is_some_and(|ending| ending == "db");
    has_lines(path) || (is_database && stem(path).starts_with("opencode"))
}

/// Whether a file is named like one with lines or a document.
pub(super) fn has_lines(path: &Path) -> bool {
    let path = &plain_path(path);
    let is_journal = path.ends_with(JOURNAL)
        && path.parent().and_then(Path::parent).is_some_and(|folder| folder.ends_with(WORKFLOWS));
    // What a sub-agent said, a second time, and the list of sub-agents.
    let is_artifact =
        path.parent().is_some_and(|folder| folder.ends_with(ARTIFACTS)) || path.ends_with(TASKS);
    let is_facts = path.parent().is_some_and(|folder| {
        path.ends_with(EXPORTED_FACTS) && is_exported(folder)
            || path.ends_with(STORED_FACTS) && folder.join(EVENTS).is_dir()
    });
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| ENDINGS.contains(&ending))
        && !path.ends_with(INDEX)
        && !is_journal
        && !is_artifact
        && !is_facts
        && !path.as_os_str().as_encoded_bytes().ends_with(b".meta.json")
}

pub(super) fn stem(path: &Path) -> String {
    plain_path(path)
        .file_stem()
        .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}
