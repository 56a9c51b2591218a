//! `runlog chapter ls` and `cat`

use clap::Args;

use super::run_and;
use crate::chapter::index::Index;
use crate::chapter::tree::{self, Node};
use crate::cli::commands::{Global, default_run};
use crate::cli::complete::run_and_path;
use crate::cli::exit::{Exit, Failure};
use crate::cli::ui::Ui;
use crate::ops::chapter::{content, open_log, read_index};
use crate::render::inert;
use crate::run::dir::locate;

#[derive(Debug, Args)]
#[command(override_usage = "runlog chapter ls [OPTIONS] [RUN] [PATH]")]
pub(super) struct LsArgs {
    /// The run (RUNLOG_RUN stands in for it), and the folder (else /chapters)
    #[arg(value_names = ["RUN", "PATH"], num_args = 0..=2, add = run_and_path())]
    words: Vec<String>,
}

#[derive(Debug, Args)]
#[command(override_usage = "runlog chapter cat [OPTIONS] [RUN] <PATH>")]
pub(super) struct CatArgs {
    /// The run (RUNLOG_RUN stands in for it), and the file
    #[arg(value_names = ["RUN", "PATH"], num_args = 1..=2, required = true, add = run_and_path())]
    words: Vec<String>,
}

pub(super) fn ls(args: &LsArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    const ROOT: &str = "/chapters";
    let (run, path) = match (args.words.as_slice(), default_run()) {
        ([], Some(run)) => (locate(&global.runs_dir, &run)?, ROOT),
        ([run], None) => (locate(&global.runs_dir, run)?, ROOT),
        (words, _) => run_and(words, global)?,
    };
    let (index, _) = read_index(&run, Index::new(global.templates(ui)?), ui)?;
    let node = tree::resolve(&index, path).ok_or_else(|| no_such_path(path))?;
    let names = match tree::list(&index, node) {
        Some(names) => names,
        None => vec![path.rsplit('/').next().unwrap_or(path).to_owned()],
    };
    let text: String = names.iter().map(|name| format!("{name}\n")).collect();
    ui.data(text.as_bytes())?;
    Ok(Exit::Fine)
}

pub(super) fn cat(args: &CatArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let (run, path) = run_and(&args.words, global)?;
    let (index, _) = read_index(&run, Index::new(global.templates(ui)?), ui)?;
    let node = tree::resolve(&index, path).ok_or_else(|| no_such_path(path))?;
    let depth = match node {
        Node::Summary(chapter) | Node::Event(chapter, _) => {
            // As in the exported tree, below the run directory.
            index.chapters.path(chapter).matches('/').count() + 1
        }
        Node::Chapters(_) | Node::Chapter(_) | Node::Events(_) => {
            let message = format!("{path} is a folder");
            return Err(Failure::new(Exit::NoInput, message)
                .hint("`runlog chapter ls` lists it")
                .into());
        }
    };
    let blobs = format!("{}blobs/", "../".repeat(depth));
    let text = content(&run, &open_log(&run)?, &index, node, &blobs)?;
    ui.data(inert::text(&text).as_bytes())?;
    Ok(Exit::Fine)
}

fn no_such_path(path: &str) -> Failure {
    Failure::new(Exit::NoInput, format!("there is no {path:?} among the chapters"))
        .hint("`runlog chapter ls RUN` lists them")
}
