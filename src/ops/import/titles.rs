//! The titles of sessions that their agents keep outside the session files.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::relatives::facts_of_conversation;
use crate::agents::Dialect;
use crate::fs::{PathAt, read_small};
use crate::json::{Json, JsonRules, check};

/// The file with the facts of a session of Copilot CLI, beside its events.
const FACTS: &str = "workspace.yaml";
/// Maximum length of it in bytes.
const SMALL: u64 = 1 << 20;

/// The file with the names of all sessions of Codex, beside the folders with the sessions.
pub(super) const INDEX: &str = "session_index.jsonl";
/// Maximum length of it in bytes.
const LONGEST_INDEX: u64 = 64 << 20;
/// The folders with the sessions of Codex.
const SESSIONS: &[&str] = &["sessions", "archived_sessions"];

/// The title of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Title {
    /// The title.
    pub(super) text: String,
    /// Whether it is at least as new as those in the session's own file.
    pub(super) is_newest: bool,
    /// When it was given, as the agent writes it; empty if unknown.
    pub(super) given_at: String,
}

/// The titles of many sessions.
pub(super) struct Titles {
    /// By the path of an index: the title of each session.
    indexes: HashMap<PathBuf, HashMap<String, Title>>,
}

impl Titles {
    /// Reads the indexes of all these files, each once.
    pub(super) fn of<'p>(files: impl Iterator<Item = (&'p Path, &'static Dialect)>) -> Self {
        let mut indexes = HashMap::new();
        for (path, dialect) in files {
            if let Some(index) = index_of(path, dialect)
                && !indexes.contains_key(&index)
            {
                let titles = titles_in(&index);
                indexes.insert(index, titles);
            }
        }
        Self { indexes }
    }

    /// The title of the session with that id, which is in that file.
    pub(super) fn title(&self, id: &str, path: &Path, dialect: &Dialect) -> Option<Title> {
        let beside = |text| Title { text, is_newest: false, given_at: String::new() };
        match index_of(path, dialect) {
            Some(index) => self.indexes.get(&index)?.get(id).cloned(),
            None if dialect.name == "copilot" => title_beside(path).map(beside),
            None if dialect.name == "openhands" => title_of_conversation(path),
            None => None,
        }
    }
}

/// Where the names of the sessions of Codex are, if the file is in a folder with sessions.
fn index_of(path: &Path, dialect: &Dialect) -> Option<PathBuf> {
    if dialect.name != "codex" {
        return None;
    }
    let is_sessions = |folder: &&Path| SESSIONS.iter().any(|name| folder.ends_with(name));
    let path = std::path::absolute(path).ok()?;
    let sessions = path.ancestors().skip(1).find(is_sessions)?;
    Some(sessions.with_file_name(INDEX))
}

/// The titles in an index. Each line has the id of a session and its name; the last line of a session
/// that has a name counts.
fn titles_in(index: &Path) -> HashMap<String, Title> {
    let bytes = read_small(&PathAt::of(index.to_owned()), LONGEST_INDEX).ok().flatten();
    let bytes = bytes.unwrap_or_default();
    let named = |line: &[u8]| {
        let json = check(line, JsonRules::LENIENT).ok()?;
        let name = json.text_at("thread_name").filter(|name| !name.trim().is_empty())?;
        let given_at = json.text_at("updated_at").unwrap_or_default().into_owned();
        let title = Title { text: name.into_owned(), is_newest: true, given_at };
        Some((json.text_at("id")?.into_owned(), title))
    };
    bytes.split(|byte| *byte == b'\n').filter_map(named).collect()
}

/// The title of a conversation of OpenHands.
fn title_of_conversation(path: &Path) -> Option<Title> {
    with_facts(path, |facts| {
        let text = facts.text_at("title").filter(|text| !text.trim().is_empty())?.into_owned();
        let times = ["updated_at", "last_updated_at"];
        let given_at = times.iter().find_map(|name| facts.text_at(name)).unwrap_or_default();
        Some(Title { text, is_newest: true, given_at: given_at.into_owned() })
    })
}

/// The branch on which a session works, if its agent keeps it outside the session's files.
pub(super) fn branch(path: &Path, dialect: &Dialect) -> Option<String> {
    if dialect.name != "openhands" {
        return None;
    }
    with_facts(path, |facts| {
        facts.text_at("selected_branch").filter(|name| !name.is_empty()).map(Cow::into_owned)
    })
}

/// Reads the facts of the conversation of OpenHands with this event.
fn with_facts<T>(event: &Path, read: impl FnOnce(Json<'_>) -> Option<T>) -> Option<T> {
    let facts = read_small(&PathAt::of(facts_of_conversation(event)?), SMALL).ok().flatten()?;
    read(check(&facts, JsonRules::LENIENT).ok()?)
}

/// The title of a session of Copilot CLI: the value of `name`, in older versions of `summary`, in one
/// line of YAML.
fn title_beside(path: &Path) -> Option<String> {
    let facts = read_small(&PathAt::of(path.with_file_name(FACTS)), SMALL).ok().flatten()?;
    let facts = String::from_utf8(facts).ok()?;
    let value = |name: &str| {
        let lines = facts.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        let value = lines.map(str::trim).find(|value| !value.is_empty())?;
        let quoted = ['"', '\''].into_iter().find_map(|quote| {
            value.strip_prefix(quote).and_then(|value| value.strip_suffix(quote))
        });
        // A text of several lines is not read.
        let is_plain = quoted.is_some() || !value.starts_with(['|', '>', '{', '[']);
        is_plain.then(|| quoted.unwrap_or(value).to_owned())
    };
    value("name").or_else(|| value("summary"))
}
