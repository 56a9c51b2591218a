//! The configuration of clients.

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser};

use crate::cli::exit::{Exit, Failure};
use crate::fs::reason;
use crate::hooks::{HookFolder, MCP_CLIENTS, McpClient, McpLaunch};

/// The names of the clients, with the files that they read.
pub(super) fn clients() -> PossibleValuesParser {
    let value = |client: &McpClient| {
        PossibleValue::new(client.name).help(match file(client) {
            Some(file) => format!("for {file}"),
            None => "the JSON that most clients read".to_owned(),
        })
    };
    MCP_CLIENTS.iter().map(value).collect::<Vec<_>>().into()
}

/// Where the configuration belongs.
pub(super) fn place(client: &McpClient) -> String {
    match file(client) {
        Some(file) => format!("put this into {file}"),
        None => "put this into the client's configuration of MCP servers".to_owned(),
    }
}

/// The files of a client.
fn file(client: &McpClient) -> Option<String> {
    let path = |place: &HookFolder| Path::new(place.folder).join(place.file).display().to_string();
    let project = client.project.as_ref().map(|place| format!("{} in the project", path(place)));
    let user = client.user.as_ref().map(|place| format!("~/{}", path(place)));
    let both: Vec<String> = project.into_iter().chain(user).collect();
    (!both.is_empty()).then(|| both.join(" or "))
}

/// Starts this executable for a run, from any working directory.
///
/// # Errors
/// When a path is unknown or is not text.
pub(super) fn launch(run: String, runs_dir: &Path, all_runs: bool) -> Result<McpLaunch, Failure> {
    let unknown = |error| {
        let message = format!("the path of this executable is unknown: {}", reason(&error));
        Failure::new(Exit::Io, message)
    };
    let command = text(std::env::current_exe().map_err(unknown)?)?;
    let mut args = vec!["mcp".to_owned(), run, "--runs-dir".to_owned(), path_text(runs_dir)?];
    if all_runs {
        args.push("--all-runs".to_owned());
    }
    Ok(McpLaunch { command, args })
}

/// The absolute path as text, without links if it exists.
pub(in crate::cli) fn path_text(path: &Path) -> Result<String, Failure> {
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
