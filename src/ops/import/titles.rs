//! The titles of sessions that their agents keep outside the session files.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::agents::Dialect;
use crate::agents::files::SessionTitle;

/// The titles of many sessions.
pub(super) struct Titles {
    /// By the path of an index: the title of each session.
    indexes: HashMap<PathBuf, HashMap<String, SessionTitle>>,
}

impl Titles {
    /// Reads the indexes of all these files, each once.
    pub(super) fn of<'p>(files: impl Iterator<Item = (&'p Path, &'static Dialect)>) -> Self {
        let mut indexes = HashMap::new();
        for (path, dialect) in files {
            if let Some(index) = dialect.files.title_index(path)
                && !indexes.contains_key(&index)
            {
                let titles = dialect.files.titles_in(&index);
                indexes.insert(index, titles);
            }
        }
        Self { indexes }
    }

    /// The title of the session with that id, which is in that file.
    pub(super) fn title(&self, id: &str, path: &Path, dialect: &Dialect) -> Option<SessionTitle> {
        match dialect.files.title_index(path) {
            Some(index) => self.indexes.get(&index)?.get(id).cloned(),
            None => dialect.files.title(path),
        }
    }
}
