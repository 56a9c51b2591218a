//! The events of a run for printing: all of them, those appended to a live run, or the run as it is
//! in the context of an agent.

use std::ops::ControlFlow;

use crate::chapter::folded::Folded;
use crate::chapter::index::Index;
use crate::event::fields::View;
use crate::event::templates::Templates;
use crate::fs::hash::line_hash;
use crate::history::tasks::Tasks;
use crate::log::reader::{Body, Line, LogReader};
use crate::ops::read::{Read, backfills, each_event, events_of};
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::summary::backfill::Backfills;

/// The sequence and the hash of the last event; `None` if there are no events.
///
/// # Errors
/// When the log cannot be read.
pub(crate) fn head(run: &RunDir) -> Result<Option<(u64, String)>, RunError> {
    let mut head = None;
    each_event(run, |view, line| {
        if let Body::Complete(bytes) = line.body {
            head = Some((view.event.sequence, bytes.to_vec()));
        }
    })?;
    Ok(head.map(|(sequence, line)| (sequence, line_hash(&line))))
}

/// The events of a run with their effective summaries.
pub(crate) struct Events<'r> {
    run: &'r RunDir,
    backfills: Backfills,
}

impl<'r> Events<'r> {
    /// Reads the summaries recorded after their events.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub(crate) fn open(run: &'r RunDir) -> Result<Self, RunError> {
        Ok(Self { run, backfills: backfills(run, None)? })
    }

    /// The run.
    pub(crate) fn run(&self) -> &'r RunDir {
        self.run
    }

    /// Calls `each` with every event of the types selected by `wanted`, and its summary.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub(crate) fn each(
        &self,
        wanted: impl Fn(&str) -> bool,
        mut each: impl FnMut(&View<'_, '_>, &Line<'_>, Option<&str>),
    ) -> Result<Read, RunError> {
        events_of(self.run, None, wanted, |view, line| {
            each(view, line, self.backfills.effective(view.event));
        })
    }

    /// Follows the run from its first event.
    ///
    /// # Errors
    /// When the log cannot be opened.
    pub(crate) fn follow(self) -> Result<FollowedEvents<'r>, RunError> {
        let Self { run, backfills } = self;
        let reader = LogReader::open(&run.events())?;
        let known = reader.end();
        Ok(FollowedEvents { run, backfills, reader, known, ended: false })
    }
}

/// One task of a run.
pub(crate) struct ChosenTask {
    tasks: Tasks,
    number: u64,
}

impl ChosenTask {
    /// The task with that number; `None` if there is none.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub(crate) fn of(run: &RunDir, number: u64) -> Result<Option<Self>, RunError> {
        let mut tasks = Tasks::default();
        each_event(run, |view, _| {
            tasks.observe(view);
        })?;
        let is_known = tasks.get(number).is_some();
        Ok(is_known.then_some(Self { tasks, number }))
    }

    /// Whether an event is about the task.
    #[must_use]
    pub(crate) fn owns(&self, view: &View<'_, '_>) -> bool {
        self.tasks.owner_of(view).is_some_and(|task| task.number == self.number)
    }
}

/// The events of a followed run.
pub(crate) struct FollowedEvents<'r> {
    run: &'r RunDir,
    backfills: Backfills,
    reader: LogReader,
    /// Length of the log when it was last checked, in bytes.
    known: u64,
    ended: bool,
}

impl FollowedEvents<'_> {
    /// Calls `each` with every new event and its summary, until `each` breaks.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub(crate) fn each_new(
        &mut self,
        mut each: impl FnMut(&View<'_, '_>, &Line<'_>, Option<&str>) -> ControlFlow<()>,
    ) -> Result<(), RunError> {
        while let Some(line) = self.reader.next_line()? {
            let Ok(Some(event)) = line.event() else { continue };
            let view = View::of(&event);
            self.backfills.observe(&view);
            self.ended |= view.role.ends_run();
            if each(&view, &line, self.backfills.effective(&event)).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Whether the run has ended, according to the events read.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Updates the known length of the log. Returns true if there are bytes to read.
    pub(crate) fn has_grown(&mut self) -> bool {
        let length = self.run.events().metadata().map_or(self.known, |metadata| metadata.len());
        let has_grown = length > self.known;
        if has_grown {
            self.known = length;
            self.reader.extend_to(length);
        }
        has_grown
    }
}

/// Calls `each` with every event of a run, its index, and the state of the folded view.
///
/// # Errors
/// When the log cannot be read.
pub(crate) fn each_folded(
    run: &RunDir,
    templates: &'static Templates,
    mut each: impl FnMut(&mut Folded<'_>, &Index, &View<'_, '_>),
) -> Result<Read, RunError> {
    let mut index = Index::new(templates);
    let read = each_event(run, |view, line| {
        index.observe(view, line.offset);
    })?;
    let mut folded = Folded::new(&index);
    each_event(run, |view, _| each(&mut folded, &index, view))?;
    Ok(read)
}
