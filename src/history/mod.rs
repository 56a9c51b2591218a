//! What happened in a run, folded from its events by role: tool calls paired with
//! their ends, tasks numbered, usage counted once. Values in, values out.

pub mod agents;
pub mod arguments;
pub mod calls;
pub mod chapters;
pub mod facts;
mod names;
mod origin;
pub mod state;
pub mod status;
pub mod tasks;
pub mod text;
pub mod told;
pub mod usage;
