//! The payloads that coding agents give to their hooks, as events.
//!
//! One table has the names of fields, another the events of each agent. A hook's events have the
//! same ids as those of the import of the same session, so an import repeats nothing.

mod agents;
mod content_id;
mod payload;

pub(crate) use agents::{AGENTS, HookAgent, HookMeaning};
pub(crate) use content_id::{call_content_id, prompt_content_id};
pub(crate) use payload::{HookPayload, NamedBy, RECORDED_BY, session_in_text};
