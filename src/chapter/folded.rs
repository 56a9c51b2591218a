//! A run as an agent has it in its context: numbered tasks, and chapters in place of what
//! they cover.

use super::index::Index;
use crate::event::fields::View;
use crate::history::chapters::Chapter;
use crate::history::tasks::Task;
use crate::history::text::{EventText, Room, lines, lines_below};
use crate::text::inert::{self, preview};

/// What stands in the folded view for one event.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shown<'i> {
    /// The task that begins here.
    pub task: Option<&'i Task>,
    /// The chapter that begins here.
    pub chapter: Option<&'i Chapter>,
    /// Whether the event itself is shown.
    pub event: bool,
}

/// Goes through the events of a run, in order.
#[derive(Debug)]
pub(crate) struct Folded<'i> {
    index: &'i Index,
    /// The outermost chapters, in order, and how many of them were shown.
    outer: Vec<&'i Chapter>,
    shown: usize,
}

impl<'i> Folded<'i> {
    /// Of the run with that index, which has seen all of its events.
    #[must_use]
    pub(crate) fn new(index: &'i Index) -> Self {
        Self { index, outer: index.chapters.children(None), shown: 0 }
    }

    /// What stands for the next event: nothing where it is bookkeeping, or lies in a chapter
    /// that was shown.
    pub(crate) fn take(&mut self, view: &View<'_, '_>) -> Shown<'i> {
        let sequence = view.event.sequence;
        if view.role.is_bookkeeping() {
            return Shown::default();
        }
        let task = self.index.tasks.owner(sequence);
        let begins = task.filter(|task| task.first_sequence == sequence);
        let begun = self.outer.partition_point(|chapter| chapter.first_sequence <= sequence);
        let last = begun.checked_sub(1).and_then(|at| self.outer.get(at).copied());
        match last.filter(|chapter| chapter.covers(sequence)) {
            Some(chapter) => {
                let first = begun > std::mem::replace(&mut self.shown, begun);
                Shown {
                    task: begins.filter(|_| chapter.partial),
                    chapter: first.then_some(chapter),
                    event: false,
                }
            }
            // The line of a task says what its first event does.
            None => Shown { task: begins, chapter: None, event: begins.is_none() },
        }
    }

    /// The lines of [`Folded::take`]: text, each line with its newline. The line of an event has
    /// up to `columns` columns; what it leaves out stands below, up to `piece` characters of each
    /// piece.
    #[must_use]
    pub(crate) fn lines(&mut self, view: &View<'_, '_>, columns: usize, piece: usize) -> String {
        let shown = self.take(view);
        let mut out = String::new();
        if let Some(task) = shown.task {
            let tail = self.index.tasks.remark(task);
            let head = format!("[{}] ", task.number);
            let room = columns.saturating_sub(head.len() + tail.len()).max(16);
            let title = preview(task.title(), room);
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

    /// One event: its line, and below it what that leaves out.
    fn event(&self, view: &View<'_, '_>, columns: usize, piece: usize, out: &mut String) {
        let label = self.index.label_of(&view.event.kind);
        let head = format!("{INDENT}{label}: ");
        let columns = columns.saturating_sub(head.chars().count()).max(16);
        let summary = self.index.backfills.effective(view.event);
        let EventText { line, below } = lines(view, summary, Room { columns, piece });
        // What another program kept for itself says nothing to an agent.
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

/// What stands before the line of an event.
const INDENT: &str = "    ";
