//! `runlog chapter ls` and `cat`

use clap::Args;

use super::run_and;
use crate::chapter::index::Index;
use crate::cli::commands::{Global, default_run};
use crate::cli::complete::run_and_path;
use crate::cli::exit::Exit;
use crate::cli::ui::Ui;
use crate::ops::chapter::{list_folder, read_index, read_page};
use crate::ops::error::OpsError;
use crate::run::missing::LATEST;
use crate::text::inert;

#[derive(Debug, Args)]
#[command(override_usage = "runlog chapter ls [OPTIONS] [RUN] [PATH]")]
pub(super) struct LsArgs {
    /// The run [default: RUNLOG_RUN, else the newest] and the folder [default: /chapters]
    #[arg(value_names = ["RUN", "PATH"], num_args = 0..=2, add = run_and_path())]
    words: Vec<String>,
}

#[derive(Debug, Args)]
#[command(override_usage = "runlog chapter cat [OPTIONS] [RUN] <PATH>")]
pub(super) struct CatArgs {
    /// The run [default: RUNLOG_RUN, else the newest] and the file
    #[arg(value_names = ["RUN", "PATH"], num_args = 1..=2, required = true, add = run_and_path())]
    words: Vec<String>,
}

pub(super) fn ls(args: &LsArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    const ROOT: &str = "/chapters";
    let (run, path) = match (args.words.as_slice(), default_run()) {
        ([], run) => (global.locate(run.as_deref().unwrap_or(LATEST))?, ROOT),
        ([run], None) => (global.locate(run)?, ROOT),
        (words, _) => run_and(words, global)?,
    };
    let (index, _) = read_index(&run, Index::new(global.templates(ui)?), ui)?;
    let names = match (list_folder(&index, path), args.words.as_slice()) {
        // With RUNLOG_RUN, one word is a path, or else the name of a run.
        (Err(OpsError::NoSuchPath(_)), [word]) if path == word && global.locate(word).is_ok() => {
            let run = global.locate(word)?;
            let (index, _) = read_index(&run, Index::new(global.templates(ui)?), ui)?;
            list_folder(&index, ROOT)?
        }
        (names, _) => names?,
    };
    let text: String = names.iter().map(|name| format!("{name}\n")).collect();
    ui.data(text.as_bytes())?;
    Ok(Exit::Fine)
}

pub(super) fn cat(args: &CatArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let (run, path) = run_and(&args.words, global)?;
    let (index, _) = read_index(&run, Index::new(global.templates(ui)?), ui)?;
    let text = read_page(&run, &index, path)?;
    ui.data(inert::text(&text).as_bytes())?;
    Ok(Exit::Fine)
}
