//! `runlog show --folded`: the run as it is in the context of an agent.

use super::Global;
use crate::chapter::folded::Folded;
use crate::chapter::index::Index;
use crate::cli::exit::Exit;
use crate::cli::ui::Ui;
use crate::event::fields::View;
use crate::history::chapters::Chapter;
use crate::history::tasks::Task;
use crate::json::{Json, ObjectText};
use crate::ops::report::report_bad_lines;
use crate::ops::show::each_folded;
use crate::run::dir::RunDir;
use crate::text::wrap::hanging;

/// Maximum number of characters shown per piece of an event; `show --full` prints all.
const PIECE: usize = 2000;

/// Prints the numbered tasks, with chapters instead of the tasks that they cover: as text, or as
/// one object per line.
pub(super) fn run(run: &RunDir, objects: bool, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let mut failed = None;
    let mut shown = false;
    let read = each_folded(run, global.templates(ui)?, |folded, index, view| {
        if failed.is_some() {
            return;
        }
        let text = match objects {
            true => lines(folded, index, view),
            false => wrapped(&folded.lines(view, ui.row_width(), PIECE), ui.row_width()),
        };
        shown |= !text.is_empty();
        failed = if objects { ui.data(text.as_bytes()) } else { ui.text(&text) }.err();
    })?;
    if let Some(error) = failed {
        return Err(error.into());
    }
    report_bad_lines(read.bad_lines, run, ui);
    if !shown {
        ui.note("the run has no events yet");
    }
    Ok(Exit::Fine)
}

/// The lines, wrapped with the indentation that they have.
fn wrapped(text: &str, width: Option<usize>) -> String {
    text.lines().map(|line| hanging(line, 0, 0, width) + "\n").collect()
}

/// An event as objects: a task with its number, a chapter, or the event itself.
fn lines(folded: &mut Folded<'_>, index: &Index, view: &View<'_, '_>) -> String {
    let shown = folded.take(view);
    let mut out = String::new();
    if let Some(task) = shown.task {
        out.push_str(&(task_line(task, index) + "\n"));
    }
    if let Some(chapter) = shown.chapter {
        out.push_str(&(chapter_line(chapter, index) + "\n"));
    }
    if shown.event {
        let event = view.event;
        let mut object = ObjectText::new();
        object
            .plain("event", event.sequence)
            .text("event_id", &event.event_id)
            .text("type", &event.kind)
            .text("timestamp", &event.timestamp.to_string())
            .text("actor", &event.actor);
        match index.backfills.effective(event) {
            Some(summary) => object.text("summary", summary),
            None => object.json("summary", Json::NULL),
        };
        object.json("data", event.data);
        out.push_str(&(object.finish() + "\n"));
    }
    out
}

fn task_line(task: &Task, index: &Index) -> String {
    let mut object = ObjectText::new();
    object
        .plain("task", task.number)
        .text("name", &task.name)
        .text("message", &task.message)
        .text("outcome", index.tasks.outcome(task).name())
        .plain("first_sequence", task.first_sequence)
        .plain("last_sequence", task.last_sequence);
    object.finish()
}

fn chapter_line(chapter: &Chapter, index: &Index) -> String {
    let mut object = ObjectText::new();
    object
        .text("chapter", &chapter.slug)
        .text("path", &index.chapters.path(chapter))
        .text("name", &chapter.name)
        .text("message", &chapter.message)
        .plain("start", chapter.start)
        .plain("end", chapter.end)
        .plain("first_sequence", chapter.first_sequence)
        .plain("last_sequence", chapter.last_sequence);
    object.finish()
}
