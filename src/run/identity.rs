//! The ids of a run, its session and its task, from the first line of its log.

use super::RunError;
use super::dir::RunDir;
use crate::event::draft::Defaults;
use crate::event::envelope::{self, MAX_LINE};
use crate::event::id::{RunId, random_suffix};
use crate::event::time::Timestamp;
use crate::fs::{Action, FsError};
use crate::log::lock::LogFile;
use crate::log::tail::read_range;

/// The ids of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    pub(super) run_id: String,
    pub(super) session_id: String,
    pub(super) task_id: String,
    /// The call that all recorded events lie under, unless they have another parent.
    pub(super) parent: Option<String>,
    /// Whether the log has no line yet.
    pub(super) provisional: bool,
}

impl Identity {
    /// Of a run without a first line: the directory's name is the run id, and the others are
    /// generated.
    pub(super) fn fresh(run: &RunDir, now: Timestamp) -> Result<Self, RunError> {
        let run_id = RunId::parse(&run.name()).map_err(|_| RunError::no_such_run(run))?;
        Ok(Self {
            run_id: run_id.as_str().to_owned(),
            session_id: format!("sess_{}_{}", now.basic(), random_suffix()),
            task_id: format!("task_{}_{}", now.basic(), random_suffix()),
            parent: None,
            provisional: true,
        })
    }

    /// The values that a draft takes from the run.
    pub(super) fn defaults(&self) -> Defaults<'_> {
        Defaults {
            run_id: &self.run_id,
            session_id: &self.session_id,
            task_id: &self.task_id,
            parent_event_id: self.parent.as_deref(),
        }
    }
}

/// Reads the ids from the first valid line of the log. Without one, the run id is the directory's
/// name and the other ids are generated.
pub(super) fn identify(run: &RunDir, log: &LogFile, now: Timestamp) -> Result<Identity, RunError> {
    let length = log.length()?;
    let mut size = 4 << 10;
    let damaged = loop {
        let end = length.min(size);
        let bytes =
            read_range(log.file(), 0, end).map_err(|e| FsError::io(log.path(), Action::Read, e))?;
        let lines = bytes.split_inclusive(|byte| *byte == b'\n');
        let mut complete = lines.filter(|line| line.len() > 2 && line.ends_with(b"\n")).peekable();
        let any = complete.peek().is_some();
        if let Some(event) = complete.find_map(|line| envelope::parse(line).ok()) {
            return Ok(Identity {
                run_id: event.run_id.into_owned(),
                session_id: event.session_id.into_owned(),
                task_id: event.task_id.into_owned(),
                parent: None,
                provisional: false,
            });
        }
        if end == length || end > MAX_LINE as u64 {
            break any;
        }
        size *= 16;
    };
    Ok(Identity { provisional: !damaged, ..Identity::fresh(run, now)? })
}
