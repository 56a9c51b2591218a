//! Reads a run for its summaries, and continues when the log has grown.

use crate::event::catalogue::Class;
use crate::event::fields::View;
use crate::event::templates::Templates;
use crate::history::chapters::Chapters;
use crate::history::tasks::Tasks;
use crate::log::reader::LogReader;
use crate::run::RunError;
use crate::run::derive::Records;
use crate::run::derived_log::DerivedLog;
use crate::run::dir::RunDir;
use crate::summary::backfill::BackfillPlan;
use crate::summary::overview::Overview;
use crate::summary::prices::Prices;
use crate::summary::wanted::WantedSummaries;

/// The data read from a run so far.
pub(crate) struct RunReading {
    /// The run.
    pub(crate) run: RunDir,
    /// The figures of the run.
    pub(crate) overview: Overview,
    /// Its chapters.
    pub(crate) chapters: Chapters,
    /// Its tasks.
    pub(crate) tasks: Tasks,
    /// The summaries that templates can fill in.
    pub(crate) plan: BackfillPlan,
    /// The events that need a summary by a model.
    pub(crate) wanted: WantedSummaries,
    /// Number of lines that are not valid events.
    pub(crate) bad_lines: u64,
    templates: &'static Templates,
    reader: LogReader,
    records: Records,
    /// The stored records, compared with those derived from the events.
    tools: DerivedLog,
    errors: DerivedLog,
}

impl RunReading {
    /// Opens the log of a run without reading it.
    ///
    /// # Errors
    /// When the log cannot be opened.
    pub(crate) fn open(
        run: RunDir,
        templates: &'static Templates,
        prices: &'static Prices,
    ) -> Result<Self, RunError> {
        // Open the records before the log. Then an active writer can only make them seem out of
        // date.
        let (tools, errors) =
            (DerivedLog::new(run.tools(), false), DerivedLog::new(run.errors(), false));
        let reader = LogReader::open(&run.events())?;
        Ok(Self {
            run,
            overview: Overview::new(templates, prices),
            chapters: Chapters::default(),
            tasks: Tasks::default(),
            plan: BackfillPlan::new(templates),
            wanted: WantedSummaries::default(),
            bad_lines: 0,
            templates,
            reader,
            records: Records::default(),
            tools,
            errors,
        })
    }

    /// Reads the new part of the log.
    ///
    /// # Errors
    /// When the log no longer exists or cannot be read.
    pub(crate) fn catch_up(&mut self) -> Result<(), RunError> {
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

    /// Whether `run.json` and the records are up to date.
    pub(crate) fn derived_files_are_right(&mut self) -> bool {
        let right = |records: &mut DerivedLog| !records.differs() && records.lacking() == 0;
        self.overview.fold.is_stored(&self.run) && right(&mut self.tools) && right(&mut self.errors)
    }

    /// Whether the run has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.overview.state().status().is_over()
    }
}
