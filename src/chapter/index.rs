//! The numbered tasks of a run, its chapters, and the places of their events in the log.

use std::cell::OnceCell;
use std::collections::HashMap;

use serde::Serialize;
use unicode_width::UnicodeWidthStr as _;

use super::spans::Spans;
use crate::event::fields::View;
use crate::event::templates::Templates;
use crate::history::calls::Calls;
use crate::history::chapters::{Chapter, Chapters};
use crate::history::task_document::TaskDocument;
use crate::history::tasks::{Task, Tasks};
use crate::history::text::event_tokens;
use crate::history::usage::NewestCall;
use crate::summary::backfill::Backfills;
use crate::text::human::{plural, short_count};
use crate::text::inert::{line, preview};
use crate::text::wrap::hanging;

/// The data that the chapter commands read from a log.
#[derive(Debug)]
pub(crate) struct Index {
    templates: &'static Templates,
    /// The run's id.
    pub run_id: String,
    /// The tasks.
    pub tasks: Tasks,
    /// The chapters.
    pub chapters: Chapters,
    /// Summaries from later events.
    pub backfills: Backfills,
    entries: Vec<EventPlace>,
    labels: Vec<String>,
    label_numbers: HashMap<String, u32>,
    calls: Option<Calls>,
    /// Whether the chapters are recorded.
    has_chapters: bool,
    spans: OnceCell<Spans>,
    /// The newest model call that reports its input.
    pub newest_call: Option<NewestCall>,
}

/// The place of an event that belongs to a task.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventPlace {
    /// Its sequence.
    pub sequence: u64,
    /// Byte offset of its line.
    pub offset: u64,
    label: u32,
    /// Estimated tokens of its content.
    tokens: u32,
}

/// Columns before the figures of a task.
const HANG: usize = 4;

impl Index {
    /// An empty index. `templates` define the labels of types.
    #[must_use]
    pub(crate) fn new(templates: &'static Templates) -> Self {
        Self {
            templates,
            run_id: String::new(),
            tasks: Tasks::default(),
            chapters: Chapters::default(),
            backfills: Backfills::default(),
            entries: Vec::new(),
            labels: Vec::new(),
            label_numbers: HashMap::new(),
            calls: None,
            has_chapters: true,
            spans: OnceCell::new(),
            newest_call: None,
        }
    }

    /// An empty index that also records calls, which are needed to plan ranges of events.
    #[must_use]
    pub(crate) fn with_calls(templates: &'static Templates) -> Self {
        Self { calls: Some(Calls::default()), ..Self::new(templates) }
    }

    /// An empty index that records calls, and of the chapters nothing.
    #[must_use]
    pub(crate) fn without_chapters(templates: &'static Templates) -> Self {
        Self { has_chapters: false, ..Self::with_calls(templates) }
    }

    /// Takes the next event, whose line begins at byte `offset`. Returns the number of its call if
    /// it is a state of a call and the index records calls.
    pub(crate) fn observe(&mut self, view: &View<'_, '_>, offset: u64) -> Option<usize> {
        let mut call = None;
        if let Some(calls) = &mut self.calls {
            call = calls.observe(view, offset).map(|observed| observed.call);
            self.spans.take();
        }
        self.observe_task(view, offset);
        call
    }

    fn observe_task(&mut self, view: &View<'_, '_>, offset: u64) {
        if self.run_id.is_empty() {
            self.run_id.push_str(&view.event.run_id);
        }
        if self.has_chapters {
            self.chapters.observe(view);
        }
        self.backfills.observe(view);
        self.newest_call = NewestCall::of(view).or(self.newest_call);
        let Some(task) = self.tasks.observe(view) else { return };
        let sequence = view.event.sequence;
        if task == 1 && self.tasks.get(1).is_some_and(|task| task.first_sequence == sequence) {
            // The first real start: events before it belong to no task.
            self.entries.clear();
        }
        if self.entries.last().is_some_and(|last| last.sequence >= sequence) {
            // A damaged log. Searching needs the sequences in order.
            return;
        }
        let tokens = event_tokens(view);
        let tokens = u32::try_from(tokens).unwrap_or(u32::MAX);
        let label = self.label_number(&view.event.kind);
        self.entries.push(EventPlace { sequence, offset, label, tokens });
    }

    /// The events of tasks in that range of sequences.
    #[must_use]
    pub(crate) fn entries(&self, first: u64, last: u64) -> &[EventPlace] {
        let from = self.entries.partition_point(|entry| entry.sequence < first);
        let to = self.entries.partition_point(|entry| entry.sequence <= last);
        self.entries.get(from..to).unwrap_or_default()
    }

    /// The observed calls; none unless the index records calls.
    #[must_use]
    pub(crate) fn spans(&self) -> &Spans {
        let over = self.tasks.run_has_ended();
        self.spans.get_or_init(|| {
            self.calls.as_ref().map(|calls| Spans::of(calls, over)).unwrap_or_default()
        })
    }

    /// The events in the chapter's own folder: those of its tasks, except for events in inner
    /// chapters.
    #[must_use]
    pub(crate) fn events_of(&self, chapter: &Chapter) -> Vec<EventPlace> {
        let inner = self.chapters.children(Some(chapter));
        self.entries(chapter.first_sequence, chapter.last_sequence)
            .iter()
            .filter(|entry| !inner.iter().any(|inner| inner.covers(entry.sequence)))
            .copied()
            .collect()
    }

    /// The label of an event's type.
    #[must_use]
    pub(crate) fn label(&self, entry: EventPlace) -> &str {
        &self.labels[entry.label as usize]
    }

    /// The label of a type.
    #[must_use]
    pub(crate) fn label_of(&self, kind: &str) -> String {
        self.templates.label(kind)
    }

    /// Estimated tokens of the events of tasks in that range of sequences.
    #[must_use]
    pub(crate) fn tokens(&self, first: u64, last: u64) -> u64 {
        self.entries(first, last).iter().map(|entry| u64::from(entry.tokens)).sum()
    }

    /// The innermost chapter that covers the task.
    #[must_use]
    pub(crate) fn chapter_of(&self, task: &Task) -> Option<&Chapter> {
        self.chapters.of_tasks(task.first_sequence)
    }

    /// One line per task, for agents: up to `columns` columns.
    #[must_use]
    pub(crate) fn lines(&self, columns: usize) -> Vec<String> {
        let line = |task: &Task| {
            let tail =
                format!("  {}{}{}", self.figures(task), self.slug(task), self.tasks.remark(task));
            let head = format!("[{}] ", task.number);
            let room = columns.saturating_sub(head.len() + tail.chars().count()).max(16);
            format!("{head}{}{tail}", preview(task.title(), room))
        };
        self.tasks.all().iter().map(line).collect()
    }

    /// The tasks for people: a line with the title, which is cut if there is a limit, and below it
    /// the figures and the slug of the chapter.
    #[must_use]
    pub(crate) fn for_people(&self, columns: Option<usize>) -> String {
        let mut out = String::new();
        for task in self.tasks.all() {
            let (head, tail) = (format!("[{}] ", task.number), self.tasks.remark(task));
            let taken = head.len() + tail.chars().count();
            let room = columns.unwrap_or(usize::MAX >> 8).saturating_sub(taken).max(16);
            out.push_str(&format!("{head}{}{tail}\n", preview(task.title(), room)));
            let (figures, slug) = (self.figures(task), self.slug(task));
            let whole = HANG + figures.width() + slug.width();
            // A slug is never broken: it is an argument of `chapter show`.
            let (figures, slug) = match columns.is_some_and(|columns| whole > columns) {
                true => (figures, slug.trim_start().to_owned()),
                false => (figures + &slug, String::new()),
            };
            let figures = hanging(&figures, HANG, HANG, columns);
            for line in [figures, slug].iter().filter(|line| !line.is_empty()) {
                out.push_str(&format!("{:HANG$}{line}\n", ""));
            }
        }
        out
    }

    /// The slug of the chapter that covers the task, with a space before it.
    fn slug(&self, task: &Task) -> String {
        let chapter = self.chapter_of(task);
        chapter.map_or_else(String::new, |chapter| format!(" [{}]", line(&chapter.slug)))
    }

    fn figures(&self, task: &Task) -> String {
        let tokens = self.tokens(task.first_sequence, task.last_sequence);
        let (one, tokens) = (tokens == 1, short_count(tokens));
        let mut out = format!(
            "{}, ~{tokens} {}",
            plural(task.events, "event"),
            if one { "token" } else { "tokens" }
        );
        if let Some(used) = self.tasks.usage(task).told() {
            out.push_str(&format!(", {used}"));
        }
        let inside = self.chapters.active().filter(|chapter| {
            chapter.partial
                && (task.first_sequence..=task.last_sequence).contains(&chapter.first_sequence)
        });
        match inside.count() as u64 {
            0 => {}
            count => out.push_str(&format!(" [{} inside]", plural(count, "chapter"))),
        }
        out
    }

    /// The document for programs.
    #[must_use]
    pub(crate) fn document(&self) -> IndexDocument {
        let task = |task: &Task| IndexedTask {
            task: TaskDocument::of(task, &self.tasks),
            chapter: self.chapter_of(task).map(|chapter| chapter.slug.clone()),
        };
        IndexDocument { schema_version: 1, tasks: self.tasks.all().iter().map(task).collect() }
    }

    fn label_number(&mut self, kind: &str) -> u32 {
        if let Some(&number) = self.label_numbers.get(kind) {
            return number;
        }
        let number = self.labels.len() as u32;
        let label = self.templates.label(kind);
        self.labels.push(if label.is_empty() { "event".to_owned() } else { label });
        self.label_numbers.insert(kind.to_owned(), number);
        number
    }
}

/// `chapter index --format json`.
#[derive(Debug, Serialize)]
pub(crate) struct IndexDocument {
    schema_version: u32,
    tasks: Vec<IndexedTask>,
}

#[derive(Debug, Serialize)]
struct IndexedTask {
    #[serde(flatten)]
    task: TaskDocument,
    chapter: Option<String>,
}
