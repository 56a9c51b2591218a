//! `runlog chapter`

mod browse;
mod export;
mod fold;
mod overview;
mod round;

use clap::{Args, Subcommand};

use super::{Global, default_run};
use crate::cli::exit::{Exit, Failure};
use crate::cli::ui::Ui;
use crate::run::dir::{RunDir, locate};

/// Fold finished tasks into chapters, and browse them
///
/// A chapter covers tasks, by their numbers in `chapter index`, under a name and a message.
/// Nothing is lost: the events stay in the log and are browsed below /chapters.
#[derive(Debug, Args)]
pub(in crate::cli) struct ChapterArgs {
    #[command(subcommand)]
    command: ChapterCommand,
}

#[derive(Debug, Subcommand)]
enum ChapterCommand {
    /// Print the numbered tasks
    Index(overview::OverviewArgs),
    /// Fold tasks, or events inside one task, into a chapter
    Add(fold::AddArgs),
    /// Fold what a JSON array asks for: all of it or nothing
    Apply(fold::ApplyArgs),
    /// Unfold a chapter again
    Remove(fold::RemoveArgs),
    /// Print the chapters, and what folding saved
    List(overview::OverviewArgs),
    /// Print what stands for a chapter in an agent's context
    Show(overview::ShowArgs),
    /// List a folder of the chapters' tree
    Ls(browse::LsArgs),
    /// Print a file of the chapters' tree
    Cat(browse::CatArgs),
    /// Write the chapters' tree as read-only files
    Export(export::ExportArgs),
    /// Tell whether an agent's context has grown too large: exit status 0 if so, else 1
    Due(round::DueArgs),
    /// If the context has grown too large, ask an agent what to fold, and fold it
    ///
    /// Each call asks, even about a context that was decided on before; --follow does not.
    Run(round::RunArgs),
    /// Propose chapters without a model, as the JSON array that `apply` takes
    Auto(fold::AutoArgs),
}

pub(super) fn run(args: &ChapterArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    match &args.command {
        ChapterCommand::Index(args) => overview::index(args, global, ui),
        ChapterCommand::Add(args) => fold::add(args, global, ui),
        ChapterCommand::Apply(args) => fold::apply(args, global, ui),
        ChapterCommand::Remove(args) => fold::remove(args, global, ui),
        ChapterCommand::List(args) => overview::list(args, global, ui),
        ChapterCommand::Show(args) => overview::show(args, global, ui),
        ChapterCommand::Ls(args) => browse::ls(args, global, ui),
        ChapterCommand::Cat(args) => browse::cat(args, global, ui),
        ChapterCommand::Export(args) => export::run(args, global, ui),
        ChapterCommand::Due(args) => round::due(args, global, ui),
        ChapterCommand::Run(args) => round::run(args, global, ui),
        ChapterCommand::Auto(args) => fold::auto(args, global, ui),
    }
}

/// Two words are RUN and what is wanted of it; one is the latter, of RUNLOG_RUN.
fn run_and<'w>(words: &'w [String], global: &Global) -> anyhow::Result<(RunDir, &'w str)> {
    match (words, default_run()) {
        ([run, wanted], _) => Ok((locate(&global.runs_dir, run)?, wanted)),
        ([wanted], Some(run)) => Ok((locate(&global.runs_dir, &run)?, wanted)),
        ([word], None) => {
            let message = format!("a run, and what of it, are needed: there is only {word:?}");
            Err(Failure::new(Exit::Usage, message)
                .hint("name the run first (or set RUNLOG_RUN); `runlog chapter list RUN` shows its chapters")
                .into())
        }
        _ => Err(Failure::new(Exit::Usage, "no run given")
            .hint("name it before the rest, or set RUNLOG_RUN")
            .into()),
    }
}
