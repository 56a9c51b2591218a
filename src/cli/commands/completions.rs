//! `runlog completions`

use clap::Args;
use clap_complete::Shell;

use super::command;
use crate::cli::exit::Exit;
use crate::cli::ui::Ui;

/// Print the completion script of a shell
#[derive(Debug, Args)]
pub(in crate::cli) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(super) fn run(args: &CompletionsArgs, ui: &Ui) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command(), "runlog", &mut script);
    ui.data(&script)?;
    Ok(Exit::Fine)
}
