//! Where agents keep their sessions.

use std::path::{Path, PathBuf};

/// A folder in which an agent keeps sessions.
pub(crate) struct AgentPlace {
    /// The agent, as `--agent` takes it: the name of its dialect.
    pub(crate) agent: &'static str,
    /// The variable that names the folder above, and what it stands for.
    variable: Option<&'static str>,
    /// The folder above, in the user's home directory.
    home: &'static str,
    /// The folder with the sessions, or the database, in the folder above.
    folder: &'static str,
}

/// All known places. To add one, add a row.
pub(crate) static PLACES: &[AgentPlace] = &[
    place("claude-code", Some("CLAUDE_CONFIG_DIR"), ".claude", "projects"),
    place("claude-code", None, ".config/claude", "projects"),
    place("codex", Some("CODEX_HOME"), ".codex", "sessions"),
    place("codex", Some("CODEX_HOME"), ".codex", "archived_sessions"),
    place("gemini", Some("GEMINI_CLI_HOME"), "", ".gemini/tmp"),
    place("copilot", Some("COPILOT_HOME"), ".copilot", "session-state"),
    place("copilot", Some("COPILOT_HOME"), ".copilot", "history-session-state"),
    place("opencode", Some("XDG_DATA_HOME"), ".local/share", "opencode/storage"),
    place("opencode", Some("XDG_DATA_HOME"), ".local/share", "opencode/opencode.db"),
    place("pi", Some("PI_CODING_AGENT_DIR"), ".pi/agent", "sessions"),
    place("openhands", None, ".openhands", "conversations"),
    place("openhands", None, ".openhands", "sessions"),
];

const fn place(
    agent: &'static str,
    variable: Option<&'static str>,
    home: &'static str,
    folder: &'static str,
) -> AgentPlace {
    AgentPlace { agent, variable, home, folder }
}

/// The places that exist, of one agent or of all. `variable` looks up an environment variable.
pub(crate) fn places(
    agent: Option<&str>,
    home: &Path,
    variable: impl Fn(&str) -> Option<PathBuf>,
) -> Vec<PathBuf> {
    let wanted = |place: &&AgentPlace| agent.is_none_or(|agent| agent == place.agent);
    let path = |place: &AgentPlace| {
        let above = place.variable.and_then(&variable).unwrap_or_else(|| home.join(place.home));
        above.join(place.folder)
    };
    let mut paths: Vec<PathBuf> =
        PLACES.iter().filter(wanted).map(path).filter(|path| path.exists()).collect();
    paths.sort();
    paths.dedup();
    paths
}
