//! The runs of an export, with the state of their logs.

use crate::fs::hash::{Hasher, hex};
use crate::history::facts::RunFacts;
use crate::history::models;
use crate::history::state::RunState;
use crate::ops::list::list_run;
use crate::ops::read::each_event;
use crate::ops::tables::head_at;
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::run::document::stored_head;
use crate::tables::{TABLES_VERSION, time_in_tables};

/// A run to export.
#[derive(Debug)]
pub(crate) struct ExportedRun {
    /// The run.
    pub(crate) run: RunDir,
    /// Its facts.
    pub(crate) facts: RunFacts,
    /// The SHA-256 of the last event's line. Empty if there is none.
    pub(crate) head: String,
    /// Length of the log up to the end of its last complete line, in bytes.
    pub(crate) end: u64,
}

impl ExportedRun {
    /// Looks at a run. Its log is read only if `run.json` does not cover it.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub(crate) fn of(run: &RunDir) -> Result<Self, RunError> {
        let length = run.events().metadata().ok().map(|metadata| metadata.len());
        let listed = list_run(run.hold()?);
        // Not held: an export keeps all its runs, and the system limits the number of handles.
        let run = RunDir::at(run.path());
        let covered = stored_head(&listed.document).filter(|head| Some(head.bytes) == length);
        if let Some(head) = covered {
            return Ok(Self { run, facts: listed.facts, head: head.hash, end: head.bytes });
        }
        let held = listed.run;
        let (mut state, mut last) = (RunState::default(), None);
        let read = each_event(&held, |view, line| {
            state.observe(view, line.offset);
            last = Some((view.event.sequence, line.offset));
        })?;
        let head = last.map(|(sequence, offset)| head_at(&held, sequence, offset)).transpose()?;
        let head = head.and_then(|head| head.hash).unwrap_or_default();
        Ok(Self { run, facts: state.facts(), head, end: read.end })
    }

    /// The run's id; the name of its directory if its log is empty.
    #[must_use]
    pub(crate) fn run_id(&self) -> String {
        match self.facts.run_id.is_empty() {
            true => self.run.name(),
            false => self.facts.run_id.clone(),
        }
    }

    /// The day in UTC on which the work began, or if it has no times, on which it was recorded.
    #[must_use]
    pub(crate) fn day(&self) -> Option<String> {
        let began = self.facts.dated_at().or(self.facts.created_at)?;
        time_in_tables(began).to_string().get(..10).map(str::to_owned)
    }
}

/// The name of what an export makes of runs with these ids and heads: 32 digits of a hash. The
/// same runs give the same name, as long as the program makes the same rows of them. `related` are
/// the runs that have some of the same work, which decides what is seen for the first time.
#[must_use]
pub(super) fn name_of(runs: &[(String, &str)], related: &[(String, &str)]) -> String {
    let mut hasher = Hasher::default();
    hasher.update(format!("tables {TABLES_VERSION} prices {}\n", models::AS_OF).as_bytes());
    for (word, runs) in [("run", runs), ("related", related)] {
        for (run_id, head) in runs {
            hasher.update(format!("{word} {run_id} {head}\n").as_bytes());
        }
    }
    hex(&hasher.finish()[..16])
}
