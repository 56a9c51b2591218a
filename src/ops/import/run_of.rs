//! The run of a session.

use std::path::Path;

use super::Session;
use crate::event::id::RunId;
use crate::fs::hash::{hex, sha256};
use crate::run::RunError;
use crate::run::dir::RunDir;

/// The run of a session. Its id derives from the agent and the session.
pub(crate) fn run_of(session: &Session, runs_dir: &Path) -> Result<RunDir, RunError> {
    run_named(session.dialect.name, &session.id, runs_dir)
}

/// The run of a session of that agent.
pub(crate) fn run_named(agent: &str, session: &str, runs_dir: &Path) -> Result<RunDir, RunError> {
    let name = format!("{agent}-{session}");
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
    let mut id: String = name.chars().map(plain).collect();
    // Different sessions have different runs, whatever their ids.
    if id != name || id.len() > 128 {
        id.truncate(100);
        id = format!("{id}-{}", hex(&sha256(name.as_bytes())[..6]));
    }
    let run_id = RunId::parse(&id).map_err(|_| RunError::missing(&id, runs_dir))?;
    Ok(RunDir::of(runs_dir, &run_id))
}
