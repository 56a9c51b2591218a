//! `runlog chapter`

mod browse;
mod export;
mod fold;
mod help;
mod overview;
mod round;

use clap::{Args, Subcommand};

use super::{Global, default_run};
use crate::cli::exit::{Exit, Failure};
use crate::cli::ui::Ui;
use crate::run::dir::RunDir;
use crate::run::missing::LATEST;

/// Fold finished tasks into chapters, and browse them
///
/// A chapter covers tasks and has a name and a message. `chapter index` prints the numbers of the
/// tasks. Nothing is lost: the events stay in the log, and you can read them below /chapters.
#[derive(Debug, Args)]
#[command(alias = "chapters", after_help = help::CHAPTER)]
pub(in crate::cli) struct ChapterArgs {
    #[command(subcommand)]
    command: ChapterCommand,
}

#[derive(Debug, Subcommand)]
enum ChapterCommand {
    /// Print the numbered tasks
    #[command(after_help = help::INDEX)]
    Index(overview::OverviewArgs),
    /// Fold tasks, or events inside one task, into a chapter
    #[command(after_help = help::ADD)]
    Add(fold::AddArgs),
    /// Fold the chapters of a JSON array: all of them or none
    #[command(after_help = help::APPLY)]
    Apply(fold::ApplyArgs),
    /// Unfold a chapter
    #[command(after_help = help::REMOVE)]
    Remove(fold::RemoveArgs),
    /// Print the chapters and the tokens that folding saved
    #[command(after_help = help::LIST)]
    List(overview::OverviewArgs),
    /// Print a chapter as it is in the context of an agent
    #[command(after_help = help::SHOW)]
    Show(overview::ChapterShowArgs),
    /// List a folder in the tree of chapters
    #[command(after_help = help::LS)]
    Ls(browse::LsArgs),
    /// Print a file in the tree of chapters
    #[command(after_help = help::CAT)]
    Cat(browse::CatArgs),
    /// Write the tree of chapters as read-only files
    #[command(after_help = help::EXPORT)]
    Export(export::ExportArgs),
    /// Check whether the context of an agent is too large: exit status 0 if it is, 1 if not
    #[command(after_help = help::DUE)]
    Due(round::DueArgs),
    /// If the context is too large, ask an agent what to fold, and fold it
    ///
    /// The agent is asked once about each model call, so that nobody pays twice. If it was asked
    /// about the newest one already, the command says so and changes nothing.
    #[command(after_help = help::RUN)]
    Run(round::RunArgs),
    /// Propose chapters without a model, as the JSON array that `apply` reads
    #[command(after_help = help::AUTO)]
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

/// Two words are RUN and an argument. One word is the argument, and the run is RUNLOG_RUN, else the
/// newest one.
fn run_and<'w>(words: &'w [String], global: &Global) -> anyhow::Result<(RunDir, &'w str)> {
    let default = || default_run().unwrap_or_else(|| LATEST.to_owned());
    match words {
        [run, wanted] => Ok((global.locate(run)?, wanted)),
        [wanted] => Ok((global.locate(&default())?, wanted)),
        _ => Err(Failure::new(Exit::Usage, "no argument given")
            .hint("`runlog chapter list` shows the chapters of the newest run")
            .into()),
    }
}
