//! How agents keep their sessions in files: which files belong together, and what stands beside them.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::DIALECTS;
use crate::fs::{FsError, PathAt, read_small};
use crate::json::{Json, JsonRules, check, with_null_numbers};

/// The endings of the names of session files.
const ENDINGS: &[&str] = &["jsonl", "json"];
/// The folder with the files of sub-agents, in a folder named like the session.
const SUB_AGENTS: &str = "subagents";
/// The folder in it with a folder for each workflow.
const WORKFLOWS: &str = "workflows";
/// What a workflow did, in such a folder. The files of its agents say more.
const JOURNAL: &str = "journal.jsonl";
/// Maximum length in bytes of a file that is read only for a few facts.
const SMALL: u64 = 1 << 20;
/// Maximum length in bytes of a file that is read for its sums, its calls or its titles.
const LARGE: u64 = 64 << 20;
/// How deep sub-agents of sub-agents are followed.
const DEEPEST: usize = 64;

/// How an agent keeps its sessions in files. The defaults are those of an agent with one file for each session
/// and, in a folder named like it, one for each sub-agent.
pub(crate) trait AgentFiles: Sync {
    /// Whether a file holds no session, though its name could be that of one.
    fn is_other(&self, _path: &Path) -> bool {
        false
    }

    /// Whether a file with another name may hold sessions.
    fn is_named_like_database(&self, _path: &Path) -> bool {
        false
    }

    /// The session whose sub-agent has this file, if its place shows it. `is_sub_agent`: its lines show that it is
    /// one's.
    fn parent(&self, _path: &Path, _is_sub_agent: bool) -> Option<String> {
        None
    }

    /// The session of a file, if its place shows it.
    fn session(&self, _path: &Path) -> Option<String> {
        None
    }

    /// Whether a session can begin with lines of another one, which it resumes. Its own then has the name of the
    /// file.
    fn resumes(&self) -> bool {
        false
    }

    /// Whether a file is a sub-agent's, by its name.
    fn is_sub_agent(&self, _path: &Path) -> bool {
        false
    }

    /// All files of the session of a file, in the order in which they are read.
    fn together(&self, path: &Path, _session: &str) -> Vec<PathBuf> {
        with_sub_agents(path)
    }

    /// The files that belong to the sessions in named ones, and are not in [`AgentFiles::together`].
    fn beside(
        &self,
        _named: &[PathBuf],
        _look: &dyn Fn(&Path) -> Option<SeenFile>,
    ) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Whether a file is a part of a session that its file brings.
    fn is_part(&self, _path: &Path) -> bool {
        false
    }

    /// Whether a file holds a part of a session, and not a copy of another file.
    fn is_one_of_many(&self, path: &Path) -> bool {
        self.session(path).is_some()
    }

    /// Whether a file is named like one with a session's state. It says what the lines do not, so it is read after
    /// them, and given to the reader before.
    fn is_state(&self, _path: &Path) -> bool {
        false
    }

    /// Whether the session that started a sub-agent counts the tokens in this file of the sub-agent.
    fn is_counted_by_parent(&self, _path: &Path) -> bool {
        false
    }

    /// The file with the titles of many sessions, this one among them.
    fn title_index(&self, _path: &Path) -> Option<PathBuf> {
        None
    }

    /// The titles in such a file, by session.
    fn titles_in(&self, _index: &Path) -> HashMap<String, SessionTitle> {
        HashMap::new()
    }

    /// The title of a session that is kept beside its file.
    fn title(&self, _path: &Path) -> Option<SessionTitle> {
        None
    }

    /// The branch on which a session works, if it is kept beside its file.
    fn branch(&self, _path: &Path) -> Option<String> {
        None
    }

    /// How many messages the files of a session have; `None` if this is not its file.
    fn messages(&self, _path: &Path) -> Option<usize> {
        None
    }

    /// The sessions in a database of the agent. `None` if the file is no database.
    ///
    /// # Errors
    /// Why they cannot be read, in words.
    fn stored(&self, _path: &Path) -> Option<Result<Vec<StoredSession>, String>> {
        None
    }

    /// The lines of sessions in a database, one session after another.
    ///
    /// # Errors
    /// The database cannot be opened.
    fn stored_lines(&self, _path: &Path, _sessions: &[String]) -> Result<Box<dyn Read>, FsError> {
        Ok(Box::new(std::io::empty()))
    }
}

/// One file for each session.
pub(super) struct PlainFiles;

impl AgentFiles for PlainFiles {}

/// What the beginning of a file shows.
pub(crate) struct SeenFile {
    /// Its session.
    pub(crate) session: String,
    /// Whether it is a sub-agent's.
    pub(crate) is_sub_agent: bool,
}

/// The title of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SessionTitle {
    /// The title.
    pub(crate) text: String,
    /// Whether it is at least as new as those in the session's own file.
    pub(crate) is_newest: bool,
    /// When it was given, as the agent writes it; empty if unknown.
    pub(crate) given_at: String,
}

/// A session in a database.
#[derive(Clone, Debug, Default)]
pub(crate) struct StoredSession {
    /// Its id.
    pub(crate) id: String,
    /// The session whose sub-agent it is.
    pub(crate) parent: Option<String>,
    /// Its working directory.
    pub(crate) directory: Option<String>,
    /// Its title.
    pub(crate) title: Option<String>,
    /// The version of its agent.
    pub(crate) version: Option<String>,
    /// When it began, and when it was last changed, in milliseconds since 1970; 0 if unknown.
    pub(crate) created: i64,
    pub(crate) updated: i64,
    /// How many messages it has, and how many rows with their parts.
    pub(crate) messages: usize,
    pub(crate) rows: usize,
}

/// The session whose sub-agent has this file, by the folders of the usual layout.
pub(crate) fn parent_session(path: &Path) -> Option<String> {
    let path = &absolute(path);
    name_of_folder(agents_folder(path)?.parent()?)
}

/// The folder with the sub-agents of a session, if this is the file of one of them.
fn agents_folder(path: &Path) -> Option<&Path> {
    let folder = path.parent()?;
    let above = folder.parent().filter(|folder| folder.ends_with(WORKFLOWS));
    let folder = above.and_then(Path::parent).unwrap_or(folder);
    Some(folder).filter(|folder| folder.ends_with(SUB_AGENTS))
}

/// The file of a session before those of its sub-agents.
fn with_sub_agents(path: &Path) -> Vec<PathBuf> {
    let Some(folder) = agents_folder(path) else {
        return with_files_in(Some(path), &path.with_extension("").join(SUB_AGENTS), path);
    };
    let parent = folder.parent().map(|session| session.with_extension("jsonl"));
    with_files_in(parent.filter(|parent| parent.is_file()).as_deref(), folder, path)
}

/// The file of a session and those of its sub-agents in a folder, and `own`, which is one of them.
pub(super) fn with_files_in(session: Option<&Path>, folder: &Path, own: &Path) -> Vec<PathBuf> {
    let workflows = std::fs::read_dir(folder.join(WORKFLOWS)).into_iter().flatten().flatten();
    let mut workflows: Vec<PathBuf> = workflows.map(|entry| entry.path()).collect();
    workflows.sort();
    let of_workflows = workflows.iter().flat_map(|workflow| sources_in(workflow));
    let agents = sources_in(folder).into_iter().chain(of_workflows);
    let agents = agents.filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
    let mut all: Vec<PathBuf> = session.map(Path::to_owned).into_iter().chain(agents).collect();
    if !all.iter().any(|path| path == own) {
        all.push(own.to_owned());
    }
    all
}

/// Whether a file in a folder may hold sessions, by its name.
pub(crate) fn is_source_name(path: &Path) -> bool {
    has_lines(path) || DIALECTS.iter().any(|agent| agent.files.is_named_like_database(path))
}

/// Whether a file is named like one with lines or a document.
pub(crate) fn has_lines(path: &Path) -> bool {
    let path = &plain_path(path);
    let is_journal = path.ends_with(JOURNAL)
        && path.parent().and_then(Path::parent).is_some_and(|folder| folder.ends_with(WORKFLOWS));
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| ENDINGS.contains(&ending))
        && !is_journal
        && !path.as_os_str().as_encoded_bytes().ends_with(b".meta.json")
        && !DIALECTS.iter().any(|agent| agent.files.is_other(path))
}

/// The session files in a folder, by name.
pub(super) fn sources_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_source = |path: &PathBuf| has_lines(path) && path.is_file();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_source).collect();
    files.sort();
    files
}

/// The first of the sessions that led to this one. If they lead in a circle, it is this one itself.
pub(crate) fn root_of(id: &str, parent: impl Fn(&str) -> Option<String>) -> String {
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

/// Whether a file is compressed, by its name.
pub(crate) fn is_compressed(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "zst")
}

/// The path of a file as it is called when it is not compressed.
fn plain_path(path: &Path) -> PathBuf {
    if is_compressed(path) { path.with_extension("") } else { path.to_owned() }
}

/// The name of a file without its ending.
pub(crate) fn stem(path: &Path) -> String {
    let stem = |path: PathBuf| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    stem(plain_path(path)).unwrap_or_default()
}

/// The number that a file has for its name: `10.json` comes after `9.json`.
pub(crate) fn number_of(path: &Path) -> Option<u64> {
    stem(path).parse().ok()
}

/// Whether an id can be the name of a file or a folder, and leads nowhere else.
pub(super) fn is_name(id: &str) -> bool {
    !id.is_empty() && !id.contains(['/', '\0']) && id != "." && id != ".."
}

/// The name of a folder.
pub(super) fn name_of_folder(folder: &Path) -> Option<String> {
    folder.file_name().map(|name| name.to_string_lossy().into_owned())
}

/// The same path from the root.
pub(super) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// The content of a JSON file, if it can be read and is not too large.
pub(crate) fn large(path: &Path) -> Option<Vec<u8>> {
    let text = read_small(&PathAt::of(path), LARGE).ok().flatten()?;
    Some(with_null_numbers(&text).unwrap_or(text))
}

/// The content of a file with a few facts.
pub(super) fn small(path: &Path) -> Option<Vec<u8>> {
    read_small(&PathAt::of(path), SMALL).ok().flatten()
}

/// Reads a JSON file with a few facts.
pub(super) fn with_facts<T>(path: &Path, read: impl FnOnce(Json<'_>) -> Option<T>) -> Option<T> {
    let facts = small(path)?;
    read(check(&facts, JsonRules::LENIENT).ok()?)
}

/// A text in such a file that can stand in a path.
pub(super) fn text_in(path: &Path, name: &str) -> Option<String> {
    with_facts(path, |facts| facts.text_at(name).map(std::borrow::Cow::into_owned))
        .filter(|text| is_name(text))
}
