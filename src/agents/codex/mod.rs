//! Codex CLI: its session files (rollouts), and the output of `codex exec --json`.

mod fork;
mod outcome;
mod prompts;
mod reports;
mod session;
mod speech;
mod stream;
mod twins;
mod usage;

pub(super) use session::{reader, sign};
pub(super) use stream::ending;
