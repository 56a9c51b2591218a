//! The payloads that coding agents give to their hooks, as events.
//!
//! One table has the names of fields, another the events of each agent, and a third says how an
//! agent's settings file registers a hook. A fourth says where clients find the server of
//! `runlog mcp`. A hook's events have the
//! same ids as those of the import of the same session, so an import repeats nothing.

mod agents;
mod content_id;
#[cfg(feature = "mcp")]
mod mcp_clients;
#[cfg(feature = "mcp")]
mod mcp_file;
#[cfg(feature = "mcp")]
mod mcp_toml;
mod payload;
mod settings_fault;
mod settings_file;
mod wiring;

pub(crate) use agents::{AGENTS, HookAgent, HookMeaning, PROJECT_VARIABLES};
pub(crate) use content_id::{call_content_id, prompt_content_id};
#[cfg(feature = "mcp")]
pub(crate) use mcp_clients::{MCP_CLIENTS, McpClient, McpLaunch};
#[cfg(feature = "mcp")]
pub(crate) use mcp_file::{McpFile, McpServer};
pub(crate) use payload::{HookPayload, NamedBy, session_in_text};
pub(crate) use settings_fault::SettingsFault;
pub(crate) use settings_file::HookFile;
pub(crate) use wiring::{HookFolder, WIRINGS, Wiring};
