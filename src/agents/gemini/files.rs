//! The files of Gemini CLI.

use std::path::{Path, PathBuf};

use crate::agents::files::{
    AgentFiles, PlainFiles, is_name, name_of_folder, parent_session, with_files_in,
};

/// The folder with the sessions. A folder in it has the sub-agents of one session.
const CHATS: &str = "chats";

pub(super) struct GeminiFiles;

impl AgentFiles for GeminiFiles {
    fn parent(&self, path: &Path, is_sub_agent: bool) -> Option<String> {
        let session = path.parent().filter(|_| is_sub_agent)?;
        name_of_folder(session).filter(|_| session.parent().is_some_and(|up| up.ends_with(CHATS)))
    }

    fn together(&self, path: &Path, session: &str) -> Vec<PathBuf> {
        match path.parent() {
            Some(folder)
                if parent_session(path).is_none()
                    && folder.ends_with(CHATS)
                    && is_name(session) =>
            {
                with_files_in(Some(path), &folder.join(session), path)
            }
            _ => PlainFiles.together(path, session),
        }
    }
}
