//! The order in which sessions are imported.

use std::path::Path;

use super::Session;
use super::run_of::run_of;
use crate::event::time::Timestamp;
use crate::fs::read_small;
use crate::history::facts::RunFacts;
use crate::run::derive::MAX_STATE;
use crate::run::dir::RunDir;
use crate::run::document::stored_facts;

/// The facts in the state document of a run, if it has one.
pub(super) fn known_facts(run: &RunDir) -> Option<RunFacts> {
    stored_facts(&read_small(&run.state(), MAX_STATE).ok().flatten()?)
}

/// The sessions in the order in which they are imported: those with a run first, in the order of
/// their recording, then the others in the order of their work.
pub(crate) fn in_order(mut sessions: Vec<Session>, runs_dir: &Path) -> Vec<Session> {
    sessions.sort_by_cached_key(|session| {
        let facts = run_of(session, runs_dir).ok().and_then(|run| known_facts(&run));
        let recorded = facts.and_then(|facts| facts.recorded_at);
        let begun = session.files.first().and_then(|file| file.begun);
        let recorded = recorded.map_or(i64::MAX, Timestamp::millis);
        (recorded, begun.map(Timestamp::millis), session.changed, session.id.clone())
    });
    sessions
}
