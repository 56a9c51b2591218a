//! `runlog chapter index`, `list` and `show`

use clap::Args;

use super::run_and;
use crate::chapter::index::Index;
use crate::cli::commands::format::HumanOrJson;
use crate::cli::commands::{Global, RunArg};
use crate::cli::complete::run_and_chapter;
use crate::cli::exit::Exit;
use crate::cli::ui::Ui;
use crate::history::chapters::Chapter;
use crate::json;
use crate::ops::chapter::{ChapterList, find_chapter, read_index};
use crate::text::human::{plural, short_count};
use crate::text::inert::{self, preview};
use crate::text::wrap::hanging;

#[derive(Debug, Args)]
pub(super) struct OverviewArgs {
    #[command(flatten)]
    run: RunArg,
    /// The output format
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: HumanOrJson,
}

#[derive(Debug, Args)]
#[command(override_usage = "runlog chapter show [OPTIONS] [RUN] <SLUG>")]
pub(super) struct ChapterShowArgs {
    /// The run [default: RUNLOG_RUN, else the newest] and the slug of the chapter, as `chapter list` prints it
    #[arg(value_names = ["RUN", "SLUG"], num_args = 1..=2, required = true, add = run_and_chapter())]
    words: Vec<String>,
}

pub(super) fn index(args: &OverviewArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let (index, _) = read_index(&args.run.find(global)?, Index::new(global.templates(ui)?), ui)?;
    let text = match args.format {
        HumanOrJson::Json => json::document(&index.document()),
        HumanOrJson::Human => index.for_people(ui.row_width()),
    };
    print(&text, args.format, ui)?;
    if index.tasks.all().is_empty() {
        ui.note("the run has no tasks");
    }
    Ok(Exit::Fine)
}

pub(super) fn list(args: &OverviewArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let (index, _) = read_index(&args.run.find(global)?, Index::new(global.templates(ui)?), ui)?;
    let (before, after) = index.chapters.savings();
    let text = match args.format {
        HumanOrJson::Json => json::document(&ChapterList::of(&index)?),
        HumanOrJson::Human => {
            index.chapters.active().map(|one| line(one, &index, ui.row_width())).collect()
        }
    };
    print(&text, args.format, ui)?;
    match index.chapters.active().len() {
        0 => ui.note("the run has no chapters"),
        1 => {}
        count => ui.note(&format!("{}: {}", plural(count as u64, "chapter"), saved(before, after))),
    }
    Ok(Exit::Fine)
}

/// One chapter: its path, then what it covers.
fn line(chapter: &Chapter, index: &Index, width: Option<usize>) -> String {
    let covers = match (chapter.partial, chapter.start == chapter.end) {
        (true, _) => format!(
            "events {} to {} of task {}",
            chapter.first_sequence, chapter.last_sequence, chapter.start
        ),
        (false, true) => format!("task {}", chapter.start),
        (false, false) => format!("tasks {} to {}", chapter.start, chapter.end),
    };
    let head = format!("{}  {}", index.chapters.path(chapter), preview(&chapter.name, NAME));
    let events = plural(chapter.events, "event");
    let saved = saved(chapter.tokens_before, chapter.tokens_after);
    let head = hanging(&head, 0, INDENT, width);
    let below = hanging(&format!("{covers}, {events}, {saved}"), INDENT, INDENT, width);
    format!("{head}\n{:INDENT$}{below}\n", "")
}

/// Columns of a chapter's name.
const NAME: usize = 200;
/// Columns before the second line.
const INDENT: usize = 4;

/// The tokens that folding saves.
fn saved(before: u64, after: u64) -> String {
    let figures = format!("~{} tokens folded to ~{}", short_count(before), short_count(after));
    match before.saturating_sub(after).saturating_mul(100).checked_div(before) {
        Some(percent @ 1..) => format!("{figures} (saves {percent} %)"),
        _ => format!("{figures} (saves nothing)"),
    }
}

pub(super) fn show(args: &ChapterShowArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let (run, slug) = run_and(&args.words, global)?;
    let (index, _) = read_index(&run, Index::new(global.templates(ui)?), ui)?;
    let chapter = find_chapter(&index, slug)?;
    let text = chapter.in_context();
    ui.data(format!("{}\n", inert::text(&text)).as_bytes())?;
    Ok(Exit::Fine)
}

fn print(text: &str, format: HumanOrJson, ui: &Ui) -> std::io::Result<()> {
    match format {
        HumanOrJson::Human => ui.text(text),
        HumanOrJson::Json => ui.data(text.as_bytes()),
    }
}
