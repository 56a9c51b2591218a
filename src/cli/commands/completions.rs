//! `runlog completions`

use clap::{Args, ValueEnum as _};
use clap_complete::Shell;

use crate::cli::complete::script;
use crate::cli::exit::Exit;
use crate::cli::ui::Ui;

/// Print the completion script for a shell
///
/// The script calls runlog, so it also completes run ids and chapter paths.
#[derive(Debug, Args)]
pub(in crate::cli) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(super) fn run(args: &CompletionsArgs, ui: &Ui) -> anyhow::Result<Exit> {
    let name = args.shell.to_possible_value();
    ui.data(&script(name.as_ref().map_or("", |name| name.get_name())))?;
    Ok(Exit::Fine)
}
