//! A run as an agent has it in its context: numbered tasks, and chapters in place of what
//! they cover.

use super::index::Index;
use crate::event::fields::View;
use crate::history::chapters::Chapter;
use crate::history::tasks::Task;
use crate::history::text::spoken;
use crate::render::inert::{self, preview};

/// What stands in the folded view for one event.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shown<'i> {
    /// The task that begins here.
    pub task: Option<&'i Task>,
    /// The chapter that begins here.
    pub chapter: Option<&'i Chapter>,
    /// Whether the event itself is shown.
    pub event: bool,
}

/// Goes through the events of a run, in order.
#[derive(Debug)]
pub struct Folded<'i> {
    index: &'i Index,
    /// The outermost chapters, in order, and how many of them were shown.
    outer: Vec<&'i Chapter>,
    shown: usize,
}

impl<'i> Folded<'i> {
    /// Of the run with that index, which has seen all of its events.
    #[must_use]
    pub fn new(index: &'i Index) -> Self {
        Self { index, outer: index.chapters.children(None), shown: 0 }
    }

    /// What stands for the next event: nothing where it is bookkeeping, or lies in a chapter
    /// that was shown.
    pub fn take(&mut self, view: &View<'_, '_>) -> Shown<'i> {
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

    /// The lines of [`Folded::take`]: text, each line with its newline, of so many columns.
    #[must_use]
    pub fn lines(&mut self, view: &View<'_, '_>, columns: usize) -> String {
        const INDENT: &str = "    ";
        let shown = self.take(view);
        let mut out = String::new();
        if let Some(task) = shown.task {
            let tail = self.index.tasks.outcome(task).remark();
            let head = format!("[{}] ", task.number);
            let room = columns.saturating_sub(head.len() + tail.len()).max(16);
            out.push_str(&format!("{head}{}{tail}\n", preview(task.title(), room)));
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
        let said = if shown.event { spoken(view) } else { None };
        let text = said.as_deref().or(self.index.backfills.effective(view.event));
        // What another program kept for itself says nothing to an agent.
        let known = text.is_some() || !view.is_imported();
        if shown.event && known {
            let label = self.index.label_of(&view.event.kind);
            let data = view.event.data.compact();
            let text = text.unwrap_or(&data);
            let head = format!("{INDENT}{label}: ");
            let room = columns.saturating_sub(head.chars().count()).max(16);
            out.push_str(&format!("{head}{}\n", preview(text, room)));
        }
        out
    }
}
