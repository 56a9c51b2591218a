//! The state of a run for a list of runs.

use std::fs::Metadata;

use crate::fs::read_small;
use crate::history::facts::RunFacts;
use crate::history::state::RunState;
use crate::log::reader::LogReader;
use crate::ops::read::{Read, each_event};
use crate::run::RunError;
use crate::run::derive::MAX_STATE;
use crate::run::dir::RunDir;
use crate::run::document::{RunDocument, stored_facts, stored_head};

/// A log up to this length, in bytes, is read if its state document lacks its last events.
const SHORT: u64 = 1 << 20;

/// A run with the data of its state document.
pub(crate) struct ListedRun {
    /// The run.
    pub(crate) run: RunDir,
    /// Its facts.
    pub(crate) facts: RunFacts,
    /// Its state document.
    pub(crate) document: Vec<u8>,
    /// Whether the log has events that the document does not count.
    pub(crate) behind: bool,
    /// Why the log cannot be read, if it is there. The document is then of no use.
    pub(crate) unread: Option<RunError>,
}

/// Reads the state document of a run: `run.json`, or one computed from the log if there is none, or
/// if it lacks events of a short log. If neither can be read, only the name is known.
pub(crate) fn list_run(run: RunDir) -> ListedRun {
    let stored = read_small(&run.state(), MAX_STATE).ok().flatten();
    let stored = stored.and_then(|bytes| Some((stored_facts(&bytes)?, bytes)));
    let log = run.events().metadata().ok();
    let is_file = log.as_ref().is_some_and(Metadata::is_file);
    let mut unread = None;
    if log.is_some() && !is_file {
        unread = LogReader::open(&run.events()).err().map(RunError::from);
    }
    let (facts, document, behind) = match stored {
        Some((facts, document)) => {
            let length = log.map_or(0, |metadata| metadata.len());
            let head = stored_head(&document);
            let behind = length > head.as_ref().map_or(length, |head| head.bytes);
            match (behind && length <= SHORT).then(|| read_state(&run)) {
                // A log with damage says less than what was known before.
                Some((state, Ok(read))) if read.bad_lines == 0 => {
                    let facts = state.facts();
                    let document = RunDocument::new(&facts, head).to_bytes();
                    (facts, document, false)
                }
                _ => (facts, document, behind),
            }
        }
        None => {
            let (state, read) = read_state(&run);
            unread = unread.or(read.err().filter(|_| is_file));
            let facts = state.facts();
            let document = RunDocument::new(&facts, None).to_bytes();
            (facts, document, false)
        }
    };
    ListedRun { run, facts, document, behind, unread }
}

/// The directory of the work, as the state of the run has it.
pub(crate) fn directory_of(run: &RunDir) -> Option<String> {
    let state = read_small(&run.state(), MAX_STATE).ok().flatten()?;
    stored_facts(&state)?.metadata("cwd")
}

/// The facts of a run by its whole log, which the state document may not count yet.
pub(crate) fn current_facts(run: &RunDir) -> RunFacts {
    let ListedRun { facts, behind, .. } = list_run(run.clone());
    if behind { state_of_log(run).facts() } else { facts }
}

/// The state of a run by its whole log.
pub(crate) fn state_of_log(run: &RunDir) -> RunState {
    // Errors are left to `validate`.
    read_state(run).0
}

/// The state by the events up to the first error.
fn read_state(run: &RunDir) -> (RunState, Result<Read, RunError>) {
    let mut state = RunState::default();
    let read = each_event(run, |view, line| {
        state.observe(view, line.offset);
    });
    (state, read)
}
