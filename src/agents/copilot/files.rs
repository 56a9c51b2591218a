//! The files of Copilot CLI. The title of a session is in a file beside its events.

use std::path::Path;

use crate::agents::files::{AgentFiles, SessionTitle, small};

/// The file with the facts of a session.
const FACTS: &str = "workspace.yaml";

pub(super) struct CopilotFiles;

impl AgentFiles for CopilotFiles {
    /// The value of `name`, in older versions of `summary`, in one line of YAML.
    fn title(&self, path: &Path) -> Option<SessionTitle> {
        let facts = String::from_utf8(small(&path.with_file_name(FACTS))?).ok()?;
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
        let text = value("name").or_else(|| value("summary"))?;
        Some(SessionTitle { text, is_newest: false, given_at: String::new() })
    }
}
