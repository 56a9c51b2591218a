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
#[command(alias = "completion", after_help = AFTER_HELP)]
pub(in crate::cli) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

const AFTER_HELP: &str = "\
Examples:
  source <(runlog completions bash)                      this shell
  runlog completions bash > ~/.local/share/bash-completion/completions/runlog
  runlog completions zsh > ~/.zfunc/_runlog              a directory of $fpath
  runlog completions fish > ~/.config/fish/completions/runlog.fish

Exit status:
  0   the script was printed
  2   there is no such shell";

pub(super) fn run(args: &CompletionsArgs, ui: &Ui) -> anyhow::Result<Exit> {
    let name = args.shell.to_possible_value();
    ui.data(&script(name.as_ref().map_or("", |name| name.get_name())))?;
    Ok(Exit::Fine)
}
