//! A run as it appears in an agent's context: numbered tasks, and chapters in place of the events
//! that they cover.

use super::index::Index;
use crate::event::content::says_of_run;
use crate::event::fields::View;
use crate::history::chapters::Chapter;
use crate::history::tasks::Task;
use crate::history::text::{EventText, Room, lines, lines_below};
use crate::text::inert::{self, preview};

/// The part of the folded view that one event adds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shown<'i> {
    /// The task that begins here.
    pub task: Option<&'i Task>,
    /// The chapter that begins here.
    pub chapter: Option<&'i Chapter>,
    /// Whether the event itself is shown.
    pub event: bool,
}

/// Builds the folded view, event by event.
#[derive(Debug)]
pub(crate) struct Folded<'i> {
    index: &'i Index,
    /// The outermost chapters, in order.
    outer: Vec<&'i Chapter>,
    shown: usize,
    /// The directory of the work.
    directory: Option<String>,
}

impl<'i> Folded<'i> {
    /// A view of the run with that index. The index must have all events.
    #[must_use]
    pub(crate) fn new(index: &'i Index) -> Self {
        Self { index, outer: index.chapters.children(None), shown: 0, directory: None }
    }

    /// The part that the next event adds: nothing if it is bookkeeping without content about the run, or
    /// is in a chapter that was already shown.
    pub(crate) fn take(&mut self, view: &View<'_, '_>) -> Shown<'i> {
        let sequence = view.event.sequence;
        let begun = self.outer.partition_point(|chapter| chapter.first_sequence <= sequence);
        let last = begun.checked_sub(1).and_then(|at| self.outer.get(at).copied());
        let chapter = last.filter(|chapter| chapter.covers(sequence));
        if view.role.is_bookkeeping() {
            return Shown { event: chapter.is_none() && says_of_run(view), ..Shown::default() };
        }
        let task = self.index.tasks.owner(sequence);
        let begins = task.filter(|task| task.first_sequence == sequence);
        match chapter {
            Some(chapter) => {
                let first = begun > std::mem::replace(&mut self.shown, begun);
                Shown {
                    task: begins.filter(|_| chapter.partial),
                    chapter: first.then_some(chapter),
                    event: false,
                }
            }
            // The line of a task replaces its first event.
            None => Shown { task: begins, chapter: None, event: begins.is_none() },
        }
    }

    /// The text of [`Folded::take`]; each line ends with a newline. The main line of an event has
    /// up to `columns` columns, if there is a limit. Content that it lacks is below it, with up to `piece` characters of
    /// each piece.
    #[must_use]
    pub(crate) fn lines(
        &mut self,
        view: &View<'_, '_>,
        columns: Option<usize>,
        piece: usize,
    ) -> String {
        if let Some(directory) = view.session_fact("cwd") {
            self.directory = Some(directory.into_owned());
        }
        let shown = self.take(view);
        let mut out = String::new();
        if let Some(task) = shown.task {
            let tail = self.index.tasks.remark(task);
            let head = format!("[{}] ", task.number);
            let taken = head.len() + tail.len();
            let room = columns.map(|columns| columns.saturating_sub(taken).max(16));
            let title = preview(task.title(), room.unwrap_or(piece));
            out.push_str(&format!("{head}{title}{tail}\n"));
            if task.first_sequence == view.event.sequence {
                push_below(&lines_below(view, task.title(), &title, piece), &mut out);
            }
        }
        if let Some(chapter) = shown.chapter {
            let text = chapter.in_context();
            let indent = if chapter.partial { INDENT } else { "" };
            for line in inert::text(&text).lines() {
                out.push_str(format!("{indent}{line}").trim_end());
                out.push('\n');
            }
            out.push('\n');
        }
        if shown.event {
            self.event(view, columns, piece, &mut out);
        }
        out
    }

    /// One event: its main line, and the content that the line lacks below it.
    fn event(&self, view: &View<'_, '_>, columns: Option<usize>, piece: usize, out: &mut String) {
        let label = self.index.label_of(&view.event.kind);
        let head = format!("{INDENT}{label}: ");
        let taken = head.chars().count();
        let columns = columns.map(|columns| columns.saturating_sub(taken).max(16));
        let summary = self.index.backfills.effective(view.event);
        let directory = self.directory.as_deref();
        let EventText { line, below } = lines(view, summary, Room { columns, piece, directory });
        // Internal data of another program is of no use to an agent.
        if line.is_empty() && view.is_imported() {
            return;
        }
        out.push_str(format!("{head}{line}").trim_end());
        out.push('\n');
        push_below(&below, out);
    }
}

fn push_below(lines: &[String], out: &mut String) {
    for line in lines {
        out.push_str(format!("{INDENT}{INDENT}{line}").trim_end());
        out.push('\n');
    }
}

/// The indent of an event's line.
const INDENT: &str = "    ";
