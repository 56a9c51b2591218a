//! A run as `summarize` reads it: once, and on from there when it has grown.

use crate::event::catalogue::Class;
use crate::event::fields::View;
use crate::event::templates::Templates;
use crate::history::chapters::Chapters;
use crate::history::tasks::Tasks;
use crate::log::reader::LogReader;
use crate::run::RunError;
use crate::run::derive::Records;
use crate::run::dir::RunDir;
use crate::run::mirror::Mirror;
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
    records: Records,
    /// The records that there are, held against those that there should be.
    tools: Mirror,
    errors: Mirror,
}

impl Reading {
    /// Opens the log of a run; nothing is read yet.
    pub(super) fn open(
        run: RunDir,
        templates: &'static Templates,
        prices: &'static Prices,
    ) -> Result<Self, RunError> {
        // Opened before the log: a writer at work can then only make them seem to lag.
        let (tools, errors) = (Mirror::new(run.tools(), false), Mirror::new(run.errors(), false));
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
            records: Records::default(),
            tools,
            errors,
        })
    }

    /// Reads what the log holds by now.
    pub(super) fn catch_up(&mut self) -> Result<(), RunError> {
        if !self.run.has_log()? {
            return Err(RunError::no_such_run(&self.run));
        }
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
            self.overview.observe(&view, &line, &mut self.records);
            self.tools.expect(&self.records.tool);
            self.errors.expect(&self.records.error);
            self.chapters.observe(&view);
            self.tasks.observe(&view);
            self.plan.observe(&view);
            let wants = self.templates.class(&event.kind) == Class::Llm;
            self.wanted.observe(&view, line.offset, wants);
        }
        Ok(())
    }

    /// Whether `run.json` and the files of records are as of the newest event.
    pub(super) fn derived_files_are_right(&mut self) -> bool {
        let right = |records: &mut Mirror| !records.differs() && records.lacking() == 0;
        self.overview.fold.is_stored(&self.run) && right(&mut self.tools) && right(&mut self.errors)
    }

    /// Whether the run has ended.
    pub(super) fn has_ended(&self) -> bool {
        self.overview.state().status().is_over()
    }
}
