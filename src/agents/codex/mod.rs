//! Codex CLI: its session files (rollouts), and the output of `codex exec --json`.

mod files;
mod fork;
mod outcome;
mod prompts;
mod reports;
mod session;
mod speech;
mod stream;
mod twins;
mod usage;

use crate::agents::{AgentPlace, Dialect, NamedEvents};

/// What the program knows of the agent.
pub(super) static AGENT: Dialect = Dialect {
    name: "codex",
    about: "Codex CLI: session files (rollouts), and the output of codex exec --json",
    sign: session::sign,
    ending: stream::ending,
    end_types: &["turn.failed"],
    named: Some(NamedEvents::ById),
    twice: Some("their calls count twice"),
    files: &files::CodexFiles,
    marks_sub_agents: true,
    provider: Some("openai"),
    places: &[
        AgentPlace::new(Some("CODEX_HOME"), ".codex", "sessions"),
        AgentPlace::new(Some("CODEX_HOME"), ".codex", "archived_sessions"),
    ],
    reader: || Box::new(session::Codex::default()),
    ..Dialect::PLAIN
};
