//! A live run whose tasks are followed.

use crate::chapter::due::finished_tasks;
use crate::chapter::index::Index;
use crate::event::fields::View;
use crate::event::templates::Templates;
use crate::log::reader::LogReader;
use crate::ops::error::OpsError;
use crate::run::RunError;
use crate::run::dir::RunDir;

/// The tasks of a run, read as the log grows.
pub(crate) struct LiveTasks {
    run: RunDir,
    reader: LogReader,
    /// What was read so far.
    pub(crate) index: Index,
}

impl LiveTasks {
    /// Follows a run from its first event.
    ///
    /// # Errors
    /// When the log cannot be opened.
    pub(crate) fn open(run: RunDir, templates: &'static Templates) -> Result<Self, OpsError> {
        let reader = LogReader::open(&run.events())?;
        Ok(Self { run, reader, index: Index::new(templates) })
    }

    /// Reads the new part of the log. Returns whether there was any.
    ///
    /// # Errors
    /// When the log no longer exists or cannot be read.
    pub(crate) fn catch_up(&mut self) -> Result<bool, OpsError> {
        if !self.run.has_log()? {
            return Err(RunError::no_such_run(&self.run).into());
        }
        self.reader.extend_to(self.run.events().metadata().map_or(0, |metadata| metadata.len()));
        let mut grown = false;
        while let Some(line) = self.reader.next_line()? {
            if let Ok(Some(event)) = line.event() {
                self.index.observe(&View::of(&event), line.offset);
                grown = true;
            }
        }
        Ok(grown)
    }

    /// Number of finished tasks.
    #[must_use]
    pub(crate) fn finished(&self) -> usize {
        finished_tasks(&self.index).count()
    }

    /// Whether the run has ended.
    #[must_use]
    pub(crate) fn run_has_ended(&self) -> bool {
        self.index.tasks.run_has_ended()
    }
}
