//! The state of a run for a list of runs.

use crate::fs::read_small;
use crate::history::facts::RunFacts;
use crate::history::state::RunState;
use crate::ops::read::each_event;
use crate::run::derive::MAX_STATE;
use crate::run::dir::RunDir;
use crate::run::document::{RunDocument, stored_facts, stored_head};

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
}

/// Reads the state document of a run: `run.json`, or one computed from the log if there is none. If
/// neither can be read, only the name is known.
pub(crate) fn list_run(run: RunDir) -> ListedRun {
    let stored = read_small(&run.state(), MAX_STATE).ok().flatten();
    let stored = stored.and_then(|bytes| Some((stored_facts(&bytes)?, bytes)));
    let (facts, document, behind) = match stored {
        Some((facts, document)) => {
            let length = run.events().metadata().map_or(0, |metadata| metadata.len());
            let counted = stored_head(&document).map_or(length, |head| head.bytes);
            (facts, document, length > counted)
        }
        None => {
            let facts = state_of_log(&run).facts();
            let document = RunDocument::new(&facts, None).to_bytes();
            (facts, document, false)
        }
    };
    ListedRun { run, facts, document, behind }
}

/// The facts of a run by its whole log, which the state document may not count yet.
pub(crate) fn current_facts(run: &RunDir) -> RunFacts {
    let ListedRun { facts, behind, .. } = list_run(run.clone());
    if behind { state_of_log(run).facts() } else { facts }
}

/// The state of a run by its whole log.
pub(crate) fn state_of_log(run: &RunDir) -> RunState {
    let mut state = RunState::default();
    // Errors are left to `validate`.
    let _ = each_event(run, |view, line| {
        state.observe(view, line.offset);
    });
    state
}
