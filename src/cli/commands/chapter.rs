//! `runlog chapter`

use std::fs::File;

use clap::{Args, Subcommand};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::format::HumanOrJson;
use super::read::{Read, each_event, tell_bad_lines};
use super::{Appending, Global, RunArg, default_run, renew, text_or_file};
use crate::chapter::fold::Chapter;
use crate::chapter::index::{Entry, Index};
use crate::chapter::page::page;
use crate::chapter::plan::{self, Request};
use crate::chapter::tree::{self, Node};
use crate::cli::exit::{Exit, Failure};
use crate::cli::ui::Ui;
use crate::conversation::text::estimate_tokens;
use crate::event::draft::Draft;
use crate::event::envelope;
use crate::event::fields::View;
use crate::event::templates::Templates;
use crate::fs::{Access, open_regular};
use crate::log::reader::line_at;
use crate::render::human::{plural, short_count};
use crate::render::inert::{self, preview};
use crate::run::dir::{RunDir, locate};
use crate::run::options::Options;
use crate::run::recorder::Recorder;

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
    Index(IndexArgs),
    /// Fold tasks into a chapter
    Add(AddArgs),
    /// Print the chapters
    List(IndexArgs),
    /// Print what stands for a chapter in an agent's context
    Show(SlugArgs),
    /// Unfold a chapter again
    Remove(RemoveArgs),
    /// List a folder of the chapters' tree
    Ls(LsArgs),
    /// Print a file of the chapters' tree
    Cat(CatArgs),
}

#[derive(Debug, Args)]
struct IndexArgs {
    #[command(flatten)]
    run: RunArg,
    /// How to print it
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: HumanOrJson,
}

#[derive(Debug, Args)]
struct AddArgs {
    #[command(flatten)]
    run: RunArg,
    /// Number of the first task
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    start: i64,
    /// Number of the last task
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    end: i64,
    /// The chapter's name
    #[arg(long, value_name = "NAME")]
    name: String,
    /// What is worth knowing of these tasks
    #[arg(long, value_name = "TEXT|@FILE|-")]
    message: String,
    #[command(flatten)]
    appending: Appending,
}

#[derive(Debug, Args)]
struct SlugArgs {
    /// The run (RUNLOG_RUN stands in for it), and the chapter's name in paths, as `chapter list`
    /// prints it
    #[arg(value_names = ["RUN", "SLUG"], num_args = 1..=2, required = true)]
    words: Vec<String>,
}

#[derive(Debug, Args)]
struct RemoveArgs {
    #[command(flatten)]
    slug: SlugArgs,
    #[command(flatten)]
    appending: Appending,
}

#[derive(Debug, Args)]
struct LsArgs {
    /// The run (RUNLOG_RUN stands in for it), and the folder (else /chapters)
    #[arg(value_names = ["RUN", "PATH"], num_args = 0..=2)]
    words: Vec<String>,
}

#[derive(Debug, Args)]
struct CatArgs {
    /// The run (RUNLOG_RUN stands in for it), and the file
    #[arg(value_names = ["RUN", "PATH"], num_args = 1..=2, required = true)]
    words: Vec<String>,
}

/// Largest message of a chapter, in bytes.
const MAX_MESSAGE: u64 = 1 << 20;
/// Readings of a log that grows meanwhile, before giving up.
const ATTEMPTS: u32 = 50;

pub(super) fn run(args: &ChapterArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    match &args.command {
        ChapterCommand::Index(args) => index(args, global, ui),
        ChapterCommand::Add(args) => add(args, global, ui),
        ChapterCommand::List(args) => list(args, global, ui),
        ChapterCommand::Show(args) => show(args, global, ui),
        ChapterCommand::Remove(args) => remove(args, global, ui),
        ChapterCommand::Ls(args) => ls(args, global, ui),
        ChapterCommand::Cat(args) => cat(args, global, ui),
    }
}

/// Two words are RUN and what is wanted of it; one is the latter, of RUNLOG_RUN.
fn run_and<'w>(words: &'w [String], global: &Global) -> anyhow::Result<(RunDir, &'w str)> {
    match (words, default_run()) {
        ([run, wanted], _) => Ok((locate(&global.runs_dir, run)?, wanted)),
        ([wanted], Some(run)) => Ok((locate(&global.runs_dir, &run)?, wanted)),
        _ => Err(Failure::new(Exit::Usage, "no run given")
            .hint("name it before the rest, or set RUNLOG_RUN")
            .into()),
    }
}

fn read(run: &RunDir, templates: &'static Templates, ui: &Ui) -> anyhow::Result<(Index, Read)> {
    let mut index = Index::new(templates);
    let read = each_event(run, |view, line| index.observe(view, line.offset))?;
    tell_bad_lines(read.bad_lines, run, ui);
    Ok((index, read))
}

fn index(args: &IndexArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let (index, _) = read(&args.run.find(global)?, global.templates(ui)?, ui)?;
    let text = match args.format {
        HumanOrJson::Json => serde_json::to_string_pretty(&index.document())? + "\n",
        HumanOrJson::Human => {
            index.lines(ui.width()).iter().map(|line| format!("{line}\n")).collect()
        }
    };
    ui.data(text.as_bytes())?;
    Ok(Exit::Fine)
}

fn add(args: &AddArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let run = args.run.find(global)?;
    let message = text_or_file(&args.message, MAX_MESSAGE)?;
    let message = String::from_utf8(message)
        .map_err(|_| Failure::new(Exit::Input, "--message: not UTF-8"))?;
    let message = message.trim_end_matches('\n').to_owned();
    let number = |given: i64| u64::try_from(given).unwrap_or(0);
    let request = Request {
        start: number(args.start),
        end: number(args.end),
        name: args.name.clone(),
        message,
    };
    let chapter = append_checked(&run, args.appending.options(global, ui)?, ui, |index| {
        let chapter = plan::plan(&request, &index.tasks, &index.chapters).map_err(|refusal| {
            let item = format!("tasks {} to {} cannot be folded", args.start, args.end);
            Failure::new(Exit::Input, format!("{item}: {refusal}"))
                .hint("`runlog chapter index` shows the tasks; nothing was changed")
        })?;
        let folded = Chapter::in_context(&chapter.name, &chapter.message, &chapter.slug);
        let chapter = Chapter {
            tokens_before: index.tokens(chapter.start, chapter.end),
            tokens_after: estimate_tokens(&folded),
            ..chapter
        };
        Ok((plan::created(&chapter), chapter))
    })?;
    ui.note(&format!(
        "folded {} of tasks {} to {}",
        plural(chapter.events, "event"),
        chapter.start,
        chapter.end
    ));
    ui.data(format!("/chapters/{}\n", chapter.slug).as_bytes())?;
    Ok(Exit::Fine)
}

fn remove(args: &RemoveArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let (run, slug) = run_and(&args.slug.words, global)?;
    append_checked(&run, args.appending.options(global, ui)?, ui, |index| {
        find(index, slug)?;
        Ok((plan::removed(slug), ()))
    })?;
    ui.note(&format!("unfolded {slug}"));
    Ok(Exit::Fine)
}

/// Reads the run, lets `decide` make an event from it, and appends that if the log has not
/// grown meanwhile; else decides again. So no two chapters can fold the same tasks.
fn append_checked<T>(
    run: &RunDir,
    options: Options,
    ui: &Ui,
    decide: impl Fn(&Index) -> anyhow::Result<(Draft<'static>, T)>,
) -> anyhow::Result<T> {
    let mut recorder = Recorder::open(run.clone(), options)?;
    for _ in 0..ATTEMPTS {
        let (index, read) = read(run, options.templates, ui)?;
        let (draft, decided) = decide(&index)?;
        let Some(batch) = recorder.append_after(read.end, &[draft])? else { continue };
        for outcome in batch.outcomes {
            outcome?;
        }
        renew(run, options.lock_timeout, false, ui);
        return Ok(decided);
    }
    let message = format!("{} grows faster than it can be read", run.events().display());
    Err(Failure::new(Exit::Busy, message).hint("nothing was written; try again").into())
}

fn find<'i>(index: &'i Index, slug: &str) -> anyhow::Result<&'i Chapter> {
    index.chapters.get(slug).ok_or_else(|| {
        Failure::new(Exit::NoInput, format!("there is no chapter {slug:?}"))
            .hint("`runlog chapter list` shows the chapters")
            .into()
    })
}

#[derive(Serialize)]
struct ListDocument {
    schema_version: u32,
    chapters: Vec<serde_json::Map<String, Value>>,
}

fn list(args: &IndexArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let (index, _) = read(&args.run.find(global)?, global.templates(ui)?, ui)?;
    let text = match args.format {
        HumanOrJson::Json => {
            let chapters = index.chapters.active().iter().map(|chapter| {
                let raw = RawValue::from_string(chapter.data.clone())?;
                let mut object: serde_json::Map<String, Value> = serde_json::from_str(raw.get())?;
                let parent = index.chapters.parent(chapter).map(|parent| parent.slug.clone());
                object.insert("path".to_owned(), index.chapters.path(chapter).into());
                object.insert("parent".to_owned(), parent.into());
                Ok(object)
            });
            let chapters = chapters.collect::<Result<_, serde_json::Error>>()?;
            serde_json::to_string_pretty(&ListDocument { schema_version: 1, chapters })? + "\n"
        }
        HumanOrJson::Human => {
            let line = |chapter: &Chapter| {
                format!(
                    "{}  {}  tasks {} to {}, {}, ~{} tokens folded to ~{}\n",
                    index.chapters.path(chapter),
                    preview(&chapter.name, 60),
                    chapter.start,
                    chapter.end,
                    plural(chapter.events, "event"),
                    short_count(chapter.tokens_before),
                    short_count(chapter.tokens_after),
                )
            };
            index.chapters.active().iter().map(line).collect()
        }
    };
    ui.data(text.as_bytes())?;
    Ok(Exit::Fine)
}

fn show(args: &SlugArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let (run, slug) = run_and(&args.words, global)?;
    let (index, _) = read(&run, global.templates(ui)?, ui)?;
    let chapter = find(&index, slug)?;
    let text = Chapter::in_context(&chapter.name, &chapter.message, &chapter.slug);
    ui.data(format!("{}\n", inert::text(&text)).as_bytes())?;
    Ok(Exit::Fine)
}

fn ls(args: &LsArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    const ROOT: &str = "/chapters";
    let is_path = |word: &str| word.trim_start_matches('/').starts_with("chapters");
    let (run, path) = match (args.words.as_slice(), default_run()) {
        ([], Some(run)) => (locate(&global.runs_dir, &run)?, ROOT),
        ([run], found) if found.is_none() || !is_path(run) => {
            (locate(&global.runs_dir, run)?, ROOT)
        }
        (words, _) => run_and(words, global)?,
    };
    let (index, _) = read(&run, global.templates(ui)?, ui)?;
    let node = tree::resolve(&index, path).ok_or_else(|| no_such_path(path))?;
    let names = match tree::list(&index, node) {
        Some(names) => names,
        None => vec![path.rsplit('/').next().unwrap_or(path).to_owned()],
    };
    let text: String = names.iter().map(|name| format!("{name}\n")).collect();
    ui.data(text.as_bytes())?;
    Ok(Exit::Fine)
}

fn cat(args: &CatArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let (run, path) = run_and(&args.words, global)?;
    let (index, _) = read(&run, global.templates(ui)?, ui)?;
    let node = tree::resolve(&index, path).ok_or_else(|| no_such_path(path))?;
    let text = match node {
        Node::Summary(chapter) => tree::summary(chapter),
        Node::Event(_, entry) => event_page(&run, &index, entry)?,
        Node::Chapters(_) | Node::Chapter(_) | Node::Events(_) => {
            let message = format!("{path} is a folder");
            return Err(Failure::new(Exit::NoInput, message)
                .hint("`runlog chapter ls` lists it")
                .into());
        }
    };
    ui.data(inert::text(&text).as_bytes())?;
    Ok(Exit::Fine)
}

fn event_page(run: &RunDir, index: &Index, entry: Entry) -> anyhow::Result<String> {
    let path = run.events();
    let file: File = open_regular(&path, Access::Read)?;
    let line = line_at(&path, &file, entry.offset)?;
    let event = envelope::parse(&line).map_err(|_| {
        Failure::new(Exit::Damaged, format!("event {} has changed", entry.sequence))
    })?;
    Ok(page(&View::of(&event), index.backfills.effective(&event)))
}

fn no_such_path(path: &str) -> Failure {
    Failure::new(Exit::NoInput, format!("there is no {path:?} among the chapters"))
        .hint("`runlog chapter ls RUN` lists them")
}
