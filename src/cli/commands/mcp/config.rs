//! The configuration of clients.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::Serialize;

use crate::cli::exit::{Exit, Failure};
use crate::fs::reason;
use crate::json::{document, quoted};

/// A program that starts the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum McpClient {
    /// `.mcp.json` in the project
    ClaudeCode,
    /// `.cursor/mcp.json` in the project
    Cursor,
    /// `.vscode/mcp.json` in the project
    Vscode,
    /// `~/.codex/config.toml`
    Codex,
    /// Other clients: the JSON that most of them read
    Generic,
}

impl McpClient {
    /// Where the configuration belongs.
    pub(super) fn place(self) -> &'static str {
        match self {
            Self::ClaudeCode => "put this into .mcp.json in the project's root",
            Self::Cursor => "put this into .cursor/mcp.json in the project, or ~/.cursor/mcp.json",
            Self::Vscode => "put this into .vscode/mcp.json in the project",
            Self::Codex => "append this to ~/.codex/config.toml",
            Self::Generic => "put this into the client's configuration of MCP servers",
        }
    }
}

/// How a client starts the server.
#[derive(Clone, Debug)]
pub(super) struct Launch {
    command: String,
    args: Vec<String>,
}

/// The members of a server in a JSON configuration.
#[derive(Serialize)]
struct ServerEntry<'l> {
    #[serde(skip_serializing_if = "Option::is_none")]
    r#type: Option<&'static str>,
    command: &'l str,
    args: &'l [String],
}

#[derive(Serialize)]
struct RunlogEntry<'l> {
    runlog: ServerEntry<'l>,
}

/// Clients differ in the name of the list of servers.
#[derive(Serialize)]
enum ConfigDocument<'l> {
    #[serde(rename = "mcpServers")]
    McpServers(RunlogEntry<'l>),
    #[serde(rename = "servers")]
    Servers(RunlogEntry<'l>),
}

impl Launch {
    /// Starts this executable for a run, from any working directory.
    ///
    /// # Errors
    /// When a path is unknown or is no text.
    pub(super) fn of(run: String, runs_dir: &Path, all_runs: bool) -> Result<Self, Failure> {
        let unknown = |error| {
            Failure::new(
                Exit::Io,
                format!("the path of this executable is unknown: {}", reason(&error)),
            )
        };
        let command = text(std::env::current_exe().map_err(unknown)?)?;
        let runs_dir = path_text(runs_dir)?;
        let mut args = vec!["mcp".to_owned(), run, "--runs-dir".to_owned(), runs_dir];
        if all_runs {
            args.push("--all-runs".to_owned());
        }
        Ok(Self { command, args })
    }

    /// The configuration for a client.
    pub(super) fn config(&self, client: McpClient) -> String {
        let entry = |kind| RunlogEntry {
            runlog: ServerEntry { r#type: kind, command: &self.command, args: &self.args },
        };
        match client {
            McpClient::ClaudeCode => document(&ConfigDocument::McpServers(entry(Some("stdio")))),
            McpClient::Vscode => document(&ConfigDocument::Servers(entry(Some("stdio")))),
            McpClient::Cursor | McpClient::Generic => {
                document(&ConfigDocument::McpServers(entry(None)))
            }
            // A basic string of TOML has the escapes of JSON.
            McpClient::Codex => {
                let args: Vec<String> = self.args.iter().map(|arg| quoted(arg)).collect();
                format!(
                    "[mcp_servers.runlog]\ncommand = {}\nargs = [{}]\n",
                    quoted(&self.command),
                    args.join(", ")
                )
            }
        }
    }
}

/// The absolute path as text, without links if it exists.
pub(super) fn path_text(path: &Path) -> Result<String, Failure> {
    let absolute = path.canonicalize().or_else(|_| std::path::absolute(path));
    let unknown = |error| Failure::new(Exit::Io, format!("{}: {}", path.display(), reason(&error)));
    text(absolute.map_err(unknown)?)
}

fn text(path: PathBuf) -> Result<String, Failure> {
    path.into_os_string().into_string().map_err(|path| {
        let message = format!("the path {} is not valid UTF-8", path.display());
        Failure::new(Exit::Usage, message).hint("a configuration can only hold text")
    })
}
