//! The live runs of a runs directory, followed as their logs grow. Nothing is written.

mod watched;

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

pub(crate) use watched::{LastError, OpenToolCall};

use self::watched::WatchedRun;
use crate::event::time::Timestamp;
use crate::fs::read_small;
use crate::history::facts::RunFacts;
use crate::ops::error::OpsError;
use crate::run::derive::MAX_STATE;
use crate::run::dir::RunDir;
use crate::run::document::stored_facts;
use crate::run::runs::survey;

/// How long a run that has ended is still shown, in milliseconds.
const LINGER: u64 = 10_000;

/// A run as it is now.
pub(crate) struct TopRun {
    /// The name of its directory.
    pub(crate) name: String,
    /// Its facts.
    pub(crate) facts: RunFacts,
    /// The time of its newest event. `None` if the log was not read.
    pub(crate) last_event: Option<Timestamp>,
    /// The open call with the earliest start.
    pub(crate) current: Option<OpenToolCall>,
    /// Number of open calls. `None` if the log was not read.
    pub(crate) open_calls: Option<usize>,
    /// The newest error.
    pub(crate) last_error: Option<LastError>,
}

/// Which runs are followed.
pub(crate) enum TopScope {
    /// The runs of the runs directory that have not ended.
    Live(PathBuf),
    /// All its runs.
    All(PathBuf),
    /// These runs, whether they have ended or not.
    Named(Vec<RunDir>),
}

/// What `run.json` said when it was last read.
struct Settled {
    stamp: Option<StateStamp>,
    /// The facts, if ended runs are wanted.
    facts: Option<Box<RunFacts>>,
}

/// What shows that `run.json` has changed: its modification time, in seconds and
/// nanoseconds, and its length.
type StateStamp = (i64, i64, u64);

/// The followed runs.
pub(crate) struct TopRuns {
    scope: TopScope,
    /// The runs whose logs are read.
    live: HashMap<PathBuf, WatchedRun>,
    /// The runs that have ended. Their logs are not read.
    settled: HashMap<PathBuf, Settled>,
    /// The runs whose logs could not be read at the last refresh.
    pub(crate) unreadable: usize,
}

impl TopRuns {
    /// Follows these runs. Nothing is read yet.
    #[must_use]
    pub(crate) fn new(scope: TopScope) -> Self {
        Self { scope, live: HashMap::new(), settled: HashMap::new(), unreadable: 0 }
    }

    /// Reads what is new. Of a live log, only the bytes appended since the last call are read, and of
    /// an ended run only a changed `run.json`.
    ///
    /// # Errors
    /// When the runs directory cannot be read.
    pub(crate) fn refresh(&mut self, now: Timestamp) -> Result<(), OpsError> {
        let runs = match &self.scope {
            TopScope::Live(directory) | TopScope::All(directory) => survey(directory)?.runs,
            TopScope::Named(runs) => runs.clone(),
        };
        self.unreadable = 0;
        let (mut live, mut settled) = (HashMap::new(), HashMap::new());
        for run in runs {
            let path = run.path().to_owned();
            let before = self.live.remove(&path);
            if before.is_none() {
                let known = self.settled.remove(&path);
                let stamp = stamp(&run);
                match known.filter(|known| known.stamp == stamp && stamp.is_some()) {
                    Some(known) => {
                        settled.insert(path, known);
                        continue;
                    }
                    None => {
                        if let Some(facts) = stored(&run).filter(|facts| facts.status.is_over()) {
                            settled.insert(path, self.settle(stamp, facts));
                            continue;
                        }
                    }
                }
            }
            let is_new = before.is_none();
            let mut watched = before.unwrap_or_else(|| WatchedRun::of(run.clone()));
            // The log may have been removed since the directory was read.
            if watched.catch_up().is_err() {
                self.unreadable += 1;
                continue;
            }
            if watched.is_gone(now, if is_new { 0 } else { LINGER }) {
                settled.insert(path, self.settle(stamp(&run), watched.facts()));
            } else {
                live.insert(path, watched);
            }
        }
        (self.live, self.settled) = (live, settled);
        Ok(())
    }

    fn settle(&self, stamp: Option<StateStamp>, facts: RunFacts) -> Settled {
        let is_wanted = !matches!(self.scope, TopScope::Live(_));
        Settled { stamp, facts: is_wanted.then(|| Box::new(facts)) }
    }

    /// The runs: the live ones first, then the newest.
    #[must_use]
    pub(crate) fn runs(&self) -> Vec<TopRun> {
        let mut runs: Vec<TopRun> = self.live.values().map(WatchedRun::top).collect();
        runs.extend(self.settled.iter().filter_map(|(path, settled)| {
            let facts = settled.facts.as_deref()?.clone();
            let last_error = facts.error_message().zip(facts.ended_at);
            Some(TopRun {
                name: name(path),
                last_event: facts.ended_at,
                facts,
                current: None,
                open_calls: None,
                last_error: last_error.map(|(text, time)| LastError::of(&text, time)),
            })
        }));
        let time = |run: &TopRun| match run.facts.status.is_over() {
            true => run.facts.ended_at.or(run.facts.dated_at()),
            false => run.facts.dated_at(),
        };
        runs.sort_by(|one, other| {
            let is_over = |run: &TopRun| run.facts.status.is_over();
            let order = is_over(one).cmp(&is_over(other)).then(time(other).cmp(&time(one)));
            order.then_with(|| one.name.cmp(&other.name))
        });
        runs
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn stamp(run: &RunDir) -> Option<StateStamp> {
    let metadata = run.state().metadata().ok()?;
    Some((metadata.mtime(), metadata.mtime_nsec(), metadata.len()))
}

fn stored(run: &RunDir) -> Option<RunFacts> {
    stored_facts(&read_small(&run.state(), MAX_STATE).ok().flatten()?)
}
