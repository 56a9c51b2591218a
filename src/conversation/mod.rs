//! What happened in a run, folded from its events by role: tool calls paired with
//! their ends, tasks numbered, usage counted once. Values in, values out.

pub mod agents;
pub mod arguments;
pub mod calls;
mod names;
pub mod tasks;
pub mod text;
pub mod usage;
