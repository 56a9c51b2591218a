//! Codex CLI: its session files (rollouts), and the output of `codex exec --json`.

mod adapter;
mod fork;
mod outcome;
mod prompts;
mod reports;
mod speech;
mod stream;
mod twins;
mod usage;

pub(super) use adapter::{adapter, sign};
pub(super) use stream::ending;
