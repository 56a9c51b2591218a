//! What coding agents report through their hooks, as events, and their settings.
//!
//! | module | purpose |
//! |---|---|
//! | [`payload`], [`content_id`] | a payload as events, with the ids that an import of the session gives them: an import repeats nothing |
//! | [`agents`] | the agents and their events |
//! | [`wiring`], [`settings_file`] | where an agent registers hooks, and a settings file with them |
//! | `mcp_clients`, `mcp_file`, `mcp_toml` | the same for the server of `runlog mcp` (feature `mcp`) |
//! | [`settings_fault`] | why a settings file is not changed |

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
pub(crate) use settings_file::{HookFile, is_program};
pub(crate) use wiring::{HookFolder, WIRINGS, Wiring};
