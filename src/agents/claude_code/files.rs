//! The files of Claude Code.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use crate::agents::files::{AgentFiles, SeenFile, sources_in, stem};

pub(super) struct ClaudeCodeFiles;

impl AgentFiles for ClaudeCodeFiles {
    fn resumes(&self) -> bool {
        true
    }

    fn is_sub_agent(&self, path: &Path) -> bool {
        stem(path).starts_with("agent-")
    }

    /// The files that older versions wrote for the sub-agents of the named sessions, beside these, and the sessions
    /// of named sub-agents.
    fn beside(&self, named: &[PathBuf], look: &dyn Fn(&Path) -> Option<SeenFile>) -> Vec<PathBuf> {
        let files: HashSet<&PathBuf> = named.iter().filter(|path| path.is_file()).collect();
        let mut folders: BTreeMap<&Path, Vec<&PathBuf>> = BTreeMap::new();
        for path in &files {
            folders.entry(path.parent().unwrap_or(path)).or_default().push(path);
        }
        let mut all = Vec::new();
        for named in folders.into_values() {
            let beside = named.first().map(|path| files_beside(path)).unwrap_or_default();
            let others: Vec<PathBuf> =
                beside.into_iter().filter(|path| !files.contains(path)).collect();
            let mut here = others.iter().chain(named.iter().copied());
            if others.is_empty() || !here.any(|path| self.is_sub_agent(path)) {
                continue;
            }
            let seen: Vec<SeenFile> = named.iter().filter_map(|path| look(path)).collect();
            let is_known = |id: &str| seen.iter().any(|file| file.session == id);
            let is_of_agent =
                |id: &str| seen.iter().any(|file| file.session == id && file.is_sub_agent);
            let is_wanted = |path: &PathBuf| match self.is_sub_agent(path) {
                true => look(path).is_some_and(|file| file.is_sub_agent && is_known(&file.session)),
                false => is_of_agent(&stem(path)),
            };
            all.extend(others.into_iter().filter(is_wanted));
        }
        all
    }
}

/// The session files beside this one, this one included.
fn files_beside(path: &Path) -> Vec<PathBuf> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let files = sources_in(folder.unwrap_or(Path::new(".")));
    // The same form as that of the path.
    files.iter().filter_map(|file| Some(path.with_file_name(file.file_name()?))).collect()
}
