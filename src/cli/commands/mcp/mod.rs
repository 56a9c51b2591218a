//! `runlog mcp`: a server of the Model Context Protocol. The SDK knows its versions.
//!
//! | module | purpose |
//! |---|---|
//! | `binding` | the run that the server is bound to |
//! | `config` | the configuration that makes a client start the server |
//! | `session` | reads standard input, watches signals, and runs the SDK in a thread |
//! | `transport` | messages between the SDK and the standard streams |
//! | `server` | answers the SDK |
//! | `tools`, `parameters` | the table of tools, and what they take |
//!
//! What the tools do is in `ops::recall`.

mod binding;
mod config;
mod parameters;
mod server;
mod session;
mod tools;
mod transport;

use std::io::IsTerminal as _;
use std::path::Path;
use std::sync::Arc;

use clap::Args;

use super::{Global, LATEST, RunArg};
use crate::cli::exit::{Exit, Failure};
use crate::cli::ui::Ui;
use crate::hooks::McpClient;
use crate::ops::recall::Recall;
use binding::Binding;
pub(in crate::cli) use config::path_text;

/// Let an agent search and read its own history (MCP)
///
/// Serves one run, by the Model Context Protocol, on standard input and output until the input ends. A client such as Claude Code
/// starts this command; `runlog init --mcp` sets clients up, and `--print-config` prints the
/// configuration of one. The server only reads. Its tools
/// are session_search (find events), session_load (one event with what is around it, and parts of
/// large results), session_summary and chapters. Results say that they are data, not instructions,
/// and have at most 64 KiB of content.
///
/// The server stays with one run. `latest` is the newest run when a tool is called for the first
/// time, because an agent starts its servers before its session is recorded. Each call reads the log
/// again.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(in crate::cli) struct McpArgs {
    #[command(flatten)]
    run: RunArg,
    /// Also let it read the other runs in the same runs directory
    #[arg(long)]
    all_runs: bool,
    /// Print the configuration that makes a client start this server for RUN
    #[arg(
        long,
        value_parser = config::clients(),
        value_name = "CLIENT",
        num_args = 0..=1,
        default_missing_value = "generic"
    )]
    print_config: Option<String>,
}

const AFTER_HELP: &str = "\
Examples:
  runlog mcp latest                    serve the newest run, and no other
  runlog mcp fix-42 --all-runs         other runs can be searched too
  runlog mcp --print-config vscode > .vscode/mcp.json
  runlog mcp fix-42 --print-config codex >> ~/.codex/config.toml

Exit status:
  0    the client closed standard input
  2    wrong usage
  66   there is no such run
  70   the server stopped because of a bug
  74   standard input cannot be read, or standard output cannot be written
  130  ended by SIGINT
  143  ended by SIGTERM
";

pub(super) fn run(args: &McpArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    if let Some(client) = args.print_config.as_deref().and_then(McpClient::named) {
        let run = match args.run.run.as_str() {
            // The newest run may not exist yet when a client is configured.
            LATEST => LATEST.to_owned(),
            path if path.contains('/') => path_text(args.run.find(global)?.path())?,
            // The beginning of an id may not be unique later.
            _ => args.run.find(global)?.name(),
        };
        let launch = config::launch(run, &global.runs_dir, args.all_runs)?;
        ui.data(client.config(&launch).as_bytes())?;
        ui.note(&config::place(client));
        return Ok(Exit::Fine);
    }
    let templates = global.templates(ui)?;
    let binding = match args.run.run.as_str() {
        LATEST => {
            let named = global.named_runs_dir().map(Path::to_owned);
            Binding::latest(named, args.all_runs, templates)
        }
        _ => Binding::Named(Arc::new(Recall::bind(
            &args.run.find(global)?,
            args.all_runs,
            templates,
        )?)),
    };
    if std::io::stdin().is_terminal() {
        ui.note("waits for a client on standard input; Ctrl-D ends it");
        ui.note("`runlog mcp --print-config` prints the configuration of a client");
    }
    let others = if args.all_runs { ", and the other runs beside it" } else { "" };
    ui.note(&format!("serves {}{others}", binding.place(&global.runs_dir)));
    session::serve(binding, *ui)
}

/// The failure of a standard stream.
fn stream_failure(what: &str, error: &std::io::Error) -> Failure {
    Failure::new(Exit::Io, format!("{what}: {error}"))
}
