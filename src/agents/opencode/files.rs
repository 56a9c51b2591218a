//! The files of OpenCode: of a session, its messages and their parts, or a database with all of them.

use std::collections::{BTreeMap, HashMap};
#[cfg(feature = "sqlite")]
use std::io::Read;
use std::path::{Path, PathBuf};

#[cfg(feature = "sqlite")]
use super::database;
#[cfg(feature = "sqlite")]
use crate::agents::files::StoredSession;
use crate::agents::files::{AgentFiles, PlainFiles, SeenFile, root_of, sources_in, stem, text_in};
#[cfg(feature = "sqlite")]
use crate::fs::FsError;

pub(super) struct OpenCodeFiles;

impl AgentFiles for OpenCodeFiles {
    fn is_named_like_database(&self, path: &Path) -> bool {
        let is_database = path.extension().is_some_and(|ending| ending == "db");
        is_database && stem(path).starts_with("opencode")
    }

    /// The first of the stored sessions that led to the one in this file.
    fn parent(&self, path: &Path, _is_sub_agent: bool) -> Option<String> {
        storage_of(path)?;
        let id = stem(path);
        let file = |id: &str| path.with_file_name(format!("{id}.json"));
        let root = root_of(&id, |id| text_in(&file(id), "parentID"));
        Some(root).filter(|root| *root != id)
    }

    fn together(&self, path: &Path, session: &str) -> Vec<PathBuf> {
        let Some(storage) = storage_of(path) else { return PlainFiles.together(path, session) };
        let mut all = vec![path.to_owned()];
        let id = text_in(path, "id").unwrap_or_else(|| stem(path));
        for message in sources_in(&storage.join("message").join(id)) {
            let id = text_in(&message, "id").unwrap_or_else(|| stem(&message));
            let parts = sources_in(&storage.join("part").join(id));
            all.push(message);
            all.extend(parts);
        }
        // Older versions keep the parts of all messages in one folder.
        all.extend(sources_in(&storage.join("part")));
        all
    }

    /// The sessions that the named ones led to.
    fn beside(&self, named: &[PathBuf], _look: &dyn Fn(&Path) -> Option<SeenFile>) -> Vec<PathBuf> {
        let stored = named.iter().filter(|path| path.is_file() && storage_of(path).is_some());
        let mut folders: BTreeMap<&Path, Vec<String>> = BTreeMap::new();
        for path in stored {
            folders.entry(path.parent().unwrap_or(path)).or_default().push(stem(path));
        }
        let mut all = Vec::new();
        for (folder, mut wanted) in folders {
            let mut children: HashMap<String, Vec<PathBuf>> = HashMap::new();
            for path in sources_in(folder) {
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

    fn is_part(&self, path: &Path) -> bool {
        let beside =
            |folder: &Path| folder.parent().is_some_and(|storage| storage.join("session").is_dir());
        folders_of_parts(path).any(beside)
    }

    fn is_one_of_many(&self, path: &Path) -> bool {
        storage_of(path).is_some() || folders_of_parts(path).next().is_some()
    }

    fn messages(&self, path: &Path) -> Option<usize> {
        let storage = storage_of(path)?;
        Some(sources_in(&storage.join("message").join(stem(path))).len())
    }

    #[cfg(feature = "sqlite")]
    fn stored(&self, path: &Path) -> Option<Result<Vec<StoredSession>, String>> {
        database::is_database(path).then(|| database::stored(path))
    }

    #[cfg(feature = "sqlite")]
    fn stored_lines(&self, path: &Path, sessions: &[String]) -> Result<Box<dyn Read>, FsError> {
        database::lines(path, sessions)
    }
}

/// The folders with messages or parts around a file.
fn folders_of_parts(path: &Path) -> impl Iterator<Item = &Path> {
    let is_of_parts = |folder: &&Path| folder.ends_with("message") || folder.ends_with("part");
    path.ancestors().skip(1).take(2).filter(is_of_parts)
}

/// The storage in which this is the file of a session, with messages and parts beside it.
fn storage_of(path: &Path) -> Option<&Path> {
    let sessions = path.parent()?.parent()?;
    let storage = sessions.parent().filter(|_| sessions.ends_with("session"))?;
    storage.join("message").is_dir().then_some(storage)
}
