//! The files of Codex CLI. The titles of all sessions are in one file.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::agents::files::{AgentFiles, SessionTitle, large};
use crate::json::{JsonRules, check};

/// The file with the names of all sessions, beside the folders with the sessions.
const INDEX: &str = "session_index.jsonl";
/// The folders with the sessions.
const SESSIONS: &[&str] = &["sessions", "archived_sessions"];

pub(super) struct CodexFiles;

impl AgentFiles for CodexFiles {
    fn is_other(&self, path: &Path) -> bool {
        path.ends_with(INDEX)
    }

    fn title_index(&self, path: &Path) -> Option<PathBuf> {
        let is_sessions = |folder: &&Path| SESSIONS.iter().any(|name| folder.ends_with(name));
        let path = std::path::absolute(path).ok()?;
        let sessions = path.ancestors().skip(1).find(is_sessions)?;
        Some(sessions.with_file_name(INDEX))
    }

    /// Each line has the id of a session and its name; the last line of a session that has a name counts.
    fn titles_in(&self, index: &Path) -> HashMap<String, SessionTitle> {
        let bytes = large(index).unwrap_or_default();
        let named = |line: &[u8]| {
            let json = check(line, JsonRules::LENIENT).ok()?;
            let name = json.text_at("thread_name").filter(|name| !name.trim().is_empty())?;
            let given_at = json.text_at("updated_at").unwrap_or_default().into_owned();
            let title = SessionTitle { text: name.into_owned(), is_newest: true, given_at };
            Some((json.text_at("id")?.into_owned(), title))
        };
        bytes.split(|byte| *byte == b'\n').filter_map(named).collect()
    }
}
