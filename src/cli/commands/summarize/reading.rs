//! A run as `summarize` reads it: once, and on from there when it has grown.

use crate::chapter::fold::Chapters;
use crate::conversation::tasks::Tasks;
use crate::event::catalogue::Class;
use crate::event::fields::View;
use crate::event::hash::line_hash;
use crate::event::templates::Templates;
use crate::log::reader::{Body, LogReader};
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::run::document::Head;
use crate::summary::backfill::Plan;
use crate::summary::overview::Overview;
use crate::summary::prices::Prices;
use crate::summary::wanted::Wanted;

/// What was read of a run so far.
pub(super) struct Reading {
    pub(super) run: RunDir,
    pub(super) overview: Overview,
    pub(super) chapters: Chapters,
    pub(super) tasks: Tasks,
    /// What templates can fill in.
    pub(super) plan: Plan,
    /// What a model is wanted for.
    pub(super) wanted: Wanted,
    /// Lines that hold no event.
    pub(super) bad_lines: u64,
    templates: &'static Templates,
    reader: LogReader,
    last: Vec<u8>,
    last_sequence: u64,
    end: u64,
}

impl Reading {
    /// Opens the log of a run; nothing is read yet.
    pub(super) fn open(
        run: RunDir,
        templates: &'static Templates,
        prices: &'static Prices,
    ) -> Result<Self, RunError> {
        let reader = LogReader::open(&run.events())?;
        Ok(Self {
            run,
            overview: Overview::new(templates, prices),
            chapters: Chapters::default(),
            tasks: Tasks::default(),
            plan: Plan::new(templates),
            wanted: Wanted::default(),
            bad_lines: 0,
            templates,
            reader,
            last: Vec::new(),
            last_sequence: 0,
            end: 0,
        })
    }

    /// Reads what the log holds by now.
    pub(super) fn catch_up(&mut self) -> Result<(), RunError> {
        let length = self.run.events().metadata().map_or(0, |metadata| metadata.len());
        self.reader.extend_to(length);
        while let Some(line) = self.reader.next_line()? {
            let event = match line.event() {
                Ok(Some(event)) => event,
                Ok(None) => continue,
                Err(_) => {
                    self.bad_lines += 1;
                    continue;
                }
            };
            let view = View::of(&event);
            self.overview.observe(&view, line.offset);
            self.chapters.observe(&view);
            self.tasks.observe(&view);
            self.plan.observe(&view);
            let wants = self.templates.class(&event.kind) == Class::Llm;
            self.wanted.observe(&view, line.offset, wants);
            if let Body::Complete(bytes) = line.body {
                self.last.clear();
                self.last.extend_from_slice(bytes);
                self.last_sequence = event.sequence;
                self.end = line.offset + bytes.len() as u64 + 1;
            }
        }
        Ok(())
    }

    /// The newest line; `None` without any event.
    pub(super) fn head(&self) -> Option<Head> {
        let (sequence, bytes) = (self.last_sequence, self.end);
        (bytes > 0).then(|| Head { sequence, hash: line_hash(&self.last), bytes })
    }

    /// Whether the run has ended.
    pub(super) fn has_ended(&self) -> bool {
        self.overview.state.status().is_terminal()
    }
}
