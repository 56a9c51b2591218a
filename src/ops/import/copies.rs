//! Finds what a session repeats of other runs: the history of a session that was resumed or
//! forked.
//!
//! Of two runs with the same history exactly one says that it is copied: the one that began to be recorded
//! later. If that one was complete before the older one got the history, the older one says it. See
//! [`super::printed`] for another exception. The sessions of one import are compared in their order.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use super::Session;
use super::printed::{is_printed, told_of};
use super::run_of::run_of;
use crate::event::time::Timestamp;
use crate::fs::read_small;
use crate::history::copied::{Copied, WorkIndex, WorkItems};
use crate::history::facts::{Counts, RunFacts};
use crate::json::Json;
use crate::ops::read::each_event;
use crate::run::RunError;
use crate::run::derive::MAX_STATE;
use crate::run::dir::RunDir;
use crate::run::document::stored_facts;
use crate::run::runs::survey;

/// The runs that an imported session may repeat.
pub(crate) struct KnownWork<'s> {
    runs_dir: &'s Path,
    sessions: &'s [Session],
    /// When each began, by its files or by its run.
    begun: Vec<Option<Timestamp>>,
    /// The names of their runs.
    names: HashSet<String>,
    /// The runs that each of these repeats, as an earlier import found.
    told: HashMap<String, HashSet<String>>,
    /// The work of the sessions so far.
    done: Mutex<DoneWork>,
    one_is_done: Condvar,
    /// The runs that were there before.
    others: OnceLock<Vec<OtherRun>>,
}

/// The work of the sessions that were read.
struct DoneWork {
    /// Whether each session was read, or has failed.
    is_done: Vec<bool>,
    /// All sessions before this one are done.
    first_open: usize,
    index: WorkIndex,
}

/// A run that was there before.
struct OtherRun {
    run: RunDir,
    name: String,
    facts: RunFacts,
    /// Its work, read when it is needed.
    work: OnceLock<Arc<WorkItems>>,
}

/// A session whose import goes on. The later ones may wait for its work.
pub(crate) struct Importing<'k, 's> {
    known: &'k KnownWork<'s>,
    index: usize,
}

impl<'s> KnownWork<'s> {
    /// For sessions that are imported in this order; see [`in_order`].
    pub(crate) fn new(runs_dir: &'s Path, sessions: &'s [Session]) -> Self {
        let is_done = vec![false; sessions.len()];
        let done = Mutex::new(DoneWork { is_done, first_open: 0, index: WorkIndex::default() });
        let (one_is_done, others) = (Condvar::new(), OnceLock::new());
        let (mut names, mut told) = (HashSet::new(), HashMap::new());
        let mut begun = Vec::with_capacity(sessions.len());
        for session in sessions {
            let run = run_of(session, runs_dir).ok();
            let facts = run.as_ref().and_then(known_facts);
            // What an agent prints has no times, but the run may have the session's file.
            let of_run = || facts.as_ref()?.started_at;
            begun.push(session.files.first().and_then(|file| file.begun).or_else(of_run));
            if let (Some(run), Some(facts)) = (&run, &facts) {
                let runs = facts.copied.iter().flat_map(|copied| copied.runs.iter().cloned());
                told.insert(run.name(), runs.collect());
            }
            names.extend(run.map(|run| run.name()));
        }
        Self { runs_dir, sessions, begun, names, told, done, one_is_done, others }
    }

    /// Begins the import of the session with that index.
    pub(crate) fn begin(&self, index: usize) -> Importing<'_, 's> {
        Importing { known: self, index }
    }

    fn done(&self) -> MutexGuard<'_, DoneWork> {
        self.done.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn others(&self) -> &[OtherRun] {
        self.others.get_or_init(|| {
            let runs = survey(self.runs_dir).map(|found| found.runs).unwrap_or_default();
            let others = runs.into_iter().map(|run| (run.name(), run));
            let others = others.filter(|(name, _)| !self.names.contains(name));
            others.filter_map(|(name, run)| other_run(name, run)).collect()
        })
    }
}

impl Importing<'_, '_> {
    /// What the run with this work repeats of the runs that are older.
    pub(crate) fn copied(
        &self,
        run: &RunDir,
        recorded_at: Option<Timestamp>,
        work: &WorkItems,
    ) -> Vec<Copied> {
        let name = run.name();
        self.publish(Some((&name, work)));
        let mut older = Vec::new();
        for other in self.known.others() {
            let is_of_session = other.facts.session_id == self.known.sessions[self.index].id;
            let is_older = recorded_at.is_none_or(|own| {
                let key = (other.facts.recorded_at.unwrap_or(own), &other.name);
                key < (own, &name)
            });
            let is_first = is_older
                || (is_of_session && is_printed(&other.facts))
                || other.facts.status.is_over();
            let has_agent = other.facts.metadata("agent").as_deref()
                == Some(self.known.sessions[self.index].dialect.name);
            let overlaps = match (work.span(), other.facts.started_at, other.facts.ended_at) {
                (Some((first, last)), Some(started), ended) => {
                    started <= last && ended.is_none_or(|ended| ended >= first)
                }
                _ => false,
            };
            let of_other = other.facts.metadata("forked_from");
            let is_related = self.is_related(&other.facts.session_id, of_other.as_deref());
            // A copy of this run's own directory is no other run.
            let is_other = other.name != name && other.facts.run_id != name;
            let says_it = names(&other.facts, &name);
            if is_first && !says_it && has_agent && (overlaps || is_related) && is_other {
                older.push((other.facts.run_id.clone(), other.work()));
            }
        }
        let Some(span) = work.span() else { return Vec::new() };
        let done = self.wait_for_earlier(span);
        let mut copied = work.copied_from(&done.index, |index| self.may_share(index, span), &older);
        drop(done);
        copied.retain(|copied| !copied.runs.iter().any(|other| self.says_it(other, &name)));
        copied
    }

    /// Whether a run says since an earlier import that it repeats work of the run with that name.
    fn says_it(&self, other: &str, name: &str) -> bool {
        self.known.told.get(other).is_some_and(|told| told.contains(name))
    }

    /// The other runs that are of this session and have work, but none that is recognized here: the
    /// output of `codex exec --json` has other ids than the session file. First those of which this
    /// run tells everything, then the names of the others.
    pub(crate) fn told_apart(&self, run: &RunDir, work: &WorkItems) -> (Vec<Copied>, Vec<String>) {
        let own = &self.known.sessions[self.index];
        let has_work = |facts: &RunFacts| {
            let Counts { tool_calls, usage, .. } = &facts.counts;
            *tool_calls > 0 || usage.input_tokens.is_some()
        };
        let is_of_session = |other: &&OtherRun| {
            let OtherRun { name, facts, .. } = other;
            facts.session_id == own.id
                && facts.metadata("agent").as_deref() == Some(own.dialect.name)
                && ![name, &facts.run_id].contains(&&run.name())
                && has_work(facts)
        };
        let others = self.known.others().iter().filter(is_of_session);
        let (mut told, mut rest) = (Vec::new(), Vec::new());
        for other in others.filter(|other| !work.shares_any(&other.work())) {
            match told_of(work, &own.id, &other.run, &other.facts) {
                Some(one) => told.push(one),
                None => rest.push(other.name.clone()),
            }
        }
        (told, rest)
    }

    /// Whether many other sessions wait to be imported.
    pub(super) fn is_of_many(&self) -> bool {
        const MANY: usize = 8;
        self.known.sessions.len() - self.index > MANY
    }

    /// Tells the later sessions that this one was read. What was told first counts.
    fn publish(&self, read: Option<(&str, &WorkItems)>) {
        let mut done = self.known.done();
        if !std::mem::replace(&mut done.is_done[self.index], true)
            && let Some((run, work)) = read
        {
            done.index.add(self.index, run, work);
        }
        let closed = done.is_done[done.first_open..].iter().take_while(|is_done| **is_done).count();
        done.first_open += closed;
        self.known.one_is_done.notify_all();
    }

    /// Whether the session with that index is before this one and may have the same history.
    fn may_share(&self, index: usize, (first, last): (Timestamp, Timestamp)) -> bool {
        let (own, other) = (&self.known.sessions[self.index], &self.known.sessions[index]);
        let overlaps = self.known.begun[index].is_some_and(|begun| begun <= last)
            && i64::try_from(other.changed).unwrap_or(i64::MAX) >= first.millis();
        let is_related = || self.is_related(&other.id, forked_from(other).as_deref());
        index < self.index && other.dialect.name == own.dialect.name && (overlaps || is_related())
    }

    /// Whether another log is of this session, or one of the two sessions was forked from the other,
    /// or both from a third. The copied history may have times of its own, and the log of a stream has
    /// none. `of_other` is what the other was forked from.
    fn is_related(&self, other: &str, of_other: Option<&str>) -> bool {
        let own = &self.known.sessions[self.index];
        let from = forked_from(own);
        let from = from.as_deref();
        other == own.id
            || from == Some(other)
            || of_other == Some(&own.id)
            || (from.is_some() && from == of_other)
    }

    /// The work so far, with that of all earlier sessions that may have the same history.
    fn wait_for_earlier(&self, span: (Timestamp, Timestamp)) -> MutexGuard<'_, DoneWork> {
        let is_awaited =
            |done: &DoneWork, index: usize| !done.is_done[index] && self.may_share(index, span);
        let mut from = 0;
        let awaits = |done: &mut DoneWork| {
            from = (from.max(done.first_open)..self.index)
                .find(|index| is_awaited(done, *index))
                .unwrap_or(self.index);
            from < self.index
        };
        let done = self.known.one_is_done.wait_while(self.known.done(), awaits);
        done.unwrap_or_else(PoisonError::into_inner)
    }
}

/// The session that this one was forked from, if its source names it.
fn forked_from(session: &Session) -> Option<Cow<'_, str>> {
    Json::trusted(&session.metadata).text_at("forked_from")
}

impl Drop for Importing<'_, '_> {
    fn drop(&mut self) {
        self.publish(None);
    }
}

/// Whether a run says that it repeats work of the run with that name.
fn names(facts: &RunFacts, run: &str) -> bool {
    facts.copied.iter().any(|copied| copied.runs.iter().any(|other| other == run))
}

impl OtherRun {
    fn work(&self) -> Arc<WorkItems> {
        // A run that cannot be read has nothing that is known to be copied.
        let read = || Arc::new(work_in(&self.run).unwrap_or_default());
        Arc::clone(self.work.get_or_init(read))
    }
}

/// All work in the log of a run.
///
/// # Errors
/// The log cannot be read.
pub(super) fn work_in(run: &RunDir) -> Result<WorkItems, RunError> {
    let mut work = WorkItems::default();
    each_event(run, |view, _| work.observe(view))?;
    Ok(work)
}

fn other_run(name: String, run: RunDir) -> Option<OtherRun> {
    let facts = known_facts(&run)?;
    Some(OtherRun { run, name, facts, work: OnceLock::new() })
}

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
