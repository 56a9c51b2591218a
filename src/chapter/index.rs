//! The numbered tasks of a run, its chapters, and where their events lie in the log.

use std::collections::HashMap;

use serde::Serialize;

use super::fold::{Chapter, Chapters};
use crate::conversation::tasks::{Outcome, Task, Tasks};
use crate::conversation::text::{estimate_tokens, spoken};
use crate::event::fields::View;
use crate::event::templates::Templates;
use crate::render::human::{plural, short_count};
use crate::render::inert::preview;
use crate::summary::backfill::Backfills;

/// Everything that the chapter commands read from a log.
#[derive(Debug)]
pub struct Index {
    templates: &'static Templates,
    /// The tasks.
    pub tasks: Tasks,
    /// The chapters.
    pub chapters: Chapters,
    /// Summaries that came later.
    pub backfills: Backfills,
    entries: Vec<Entry>,
    labels: Vec<String>,
    label_numbers: HashMap<String, u32>,
    /// Estimated tokens of each task's events, by number from 1.
    tokens: Vec<u64>,
}

/// Where an event of a task lies.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its sequence.
    pub sequence: u64,
    /// Byte offset of its line.
    pub offset: u64,
    label: u32,
}

impl Index {
    /// Of no event yet; those templates say the labels of types.
    #[must_use]
    pub fn new(templates: &'static Templates) -> Self {
        Self {
            templates,
            tasks: Tasks::default(),
            chapters: Chapters::default(),
            backfills: Backfills::default(),
            entries: Vec::new(),
            labels: Vec::new(),
            label_numbers: HashMap::new(),
            tokens: Vec::new(),
        }
    }

    /// Takes the next event, whose line begins at byte `offset`.
    pub fn observe(&mut self, view: &View<'_, '_>, offset: u64) {
        self.chapters.observe(view);
        self.backfills.observe(view);
        let Some(task) = self.tasks.observe(view) else { return };
        if view.event.sequence == self.tasks.get(task).map_or(0, |task| task.first_sequence) {
            self.tokens.truncate(task as usize - 1);
            if task == 1 {
                // The first real start: what came before belongs to no task.
                self.entries.clear();
            }
        }
        self.tokens.resize(task as usize, 0);
        if let Some(tokens) = self.tokens.last_mut() {
            *tokens += spoken(view).map_or(0, |text| estimate_tokens(&text));
        }
        let label = self.label_number(&view.event.kind);
        self.entries.push(Entry { sequence: view.event.sequence, offset, label });
    }

    /// The events that the chapter's own folder lists: those of its tasks, but for the
    /// ones in chapters inside it.
    #[must_use]
    pub fn events_of(&self, chapter: &Chapter) -> Vec<Entry> {
        let inner = self.chapters.children(Some(chapter));
        let within = |entry: &Entry, chapter: &Chapter| {
            (chapter.first_sequence..=chapter.last_sequence).contains(&entry.sequence)
        };
        let first = self.entries.partition_point(|entry| entry.sequence < chapter.first_sequence);
        self.entries[first..]
            .iter()
            .take_while(|entry| entry.sequence <= chapter.last_sequence)
            .filter(|entry| !inner.iter().any(|inner| within(entry, inner)))
            .copied()
            .collect()
    }

    /// The label of an event's type.
    #[must_use]
    pub fn label(&self, entry: Entry) -> &str {
        &self.labels[entry.label as usize]
    }

    /// Estimated tokens of the events of tasks `start` to `end`.
    #[must_use]
    pub fn tokens(&self, start: u64, end: u64) -> u64 {
        let range = (start as usize).saturating_sub(1)..(end as usize).min(self.tokens.len());
        self.tokens.get(range).unwrap_or_default().iter().sum()
    }

    /// The innermost chapter in which the task is.
    #[must_use]
    pub fn chapter_of(&self, task: &Task) -> Option<&Chapter> {
        self.chapters.holding(task.first_sequence)
    }

    /// One line for each task, as an agent or a person reads them.
    #[must_use]
    pub fn lines(&self, columns: usize) -> Vec<String> {
        self.tasks.all().iter().map(|task| self.line(task, columns)).collect()
    }

    fn line(&self, task: &Task, columns: usize) -> String {
        let tokens = short_count(self.tokens(task.number, task.number));
        let mut tail = format!("  {}, ~{tokens} tokens", plural(task.events, "event"));
        if let Some(chapter) = self.chapter_of(task) {
            tail.push_str(&format!(" [{}]", chapter.slug));
        }
        match self.tasks.outcome(task) {
            Outcome::Running => tail.push_str(" (in progress)"),
            Outcome::Ended => {}
            outcome => tail.push_str(&format!(" ({})", outcome.name())),
        }
        let head = format!("[{}] ", task.number);
        let room = columns.saturating_sub(head.len() + tail.chars().count()).max(40);
        format!("{head}{}{tail}", preview(task.title(), room))
    }

    /// The document for programs.
    #[must_use]
    pub fn document(&self) -> IndexDocument {
        let task = |task: &Task| {
            let usage = task.usage();
            TaskDocument {
                number: task.number,
                name: task.name.clone(),
                message: task.message.clone(),
                outcome: self.tasks.outcome(task).name(),
                first_sequence: task.first_sequence,
                last_sequence: task.last_sequence,
                events: task.events,
                input_tokens: usage.input_tokens,
                output_tokens: usage.output_tokens,
                chapter: self.chapter_of(task).map(|chapter| chapter.slug.clone()),
            }
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

/// `chapter index --format json` (SPEC: "JSON for programs").
#[derive(Debug, Serialize)]
pub struct IndexDocument {
    schema_version: u32,
    tasks: Vec<TaskDocument>,
}

#[derive(Debug, Serialize)]
struct TaskDocument {
    number: u64,
    name: String,
    message: String,
    outcome: &'static str,
    first_sequence: u64,
    last_sequence: u64,
    events: u64,
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    chapter: Option<String>,
}
