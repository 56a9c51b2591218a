//! When a run goes on, other runs may repeat more of it than they say. Their ends are recorded
//! again, with the new numbers.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use super::copies::known_facts;
use crate::event::draft::Draft;
use crate::event::fields::View;
use crate::event::id::RunId;
use crate::event::role::Role;
use crate::event::time::Timestamp;
use crate::fs::hash::{hex, sha256};
use crate::history::copied::{Copied, WorkIndex, WorkItems};
use crate::history::facts::RunFacts;
use crate::json::{Json, ObjectText};
use crate::ops::read::each_event;
use crate::ops::refresh::refresh_derived;
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::run::options::RecordOptions;
use crate::run::recorder::Recorder;
use crate::run::runs::survey;

/// The work of a run, and the end that its newest import recorded.
type ReadRun = (Arc<WorkItems>, Option<RecordedEnd>);

/// The end that an import recorded.
#[derive(Clone)]
struct RecordedEnd {
    kind: String,
    time: Timestamp,
    /// A JSON object as text.
    data: String,
}

/// Looks at the runs that repeat one of the `grown` runs. If one repeats more than it says, its end
/// is recorded again, with the new numbers: totals over runs leave out what is repeated. Nothing is
/// done if their logs have more than `most` bytes.
///
/// # Errors
/// A run cannot be read or recorded to.
pub(crate) fn renew_copies(
    grown: &[RunDir],
    most: u64,
    options: RecordOptions,
) -> Result<(), RunError> {
    let Some(runs_dir) = grown.first().and_then(|run| run.path().parent()) else { return Ok(()) };
    let grown: Vec<String> = grown.iter().map(RunDir::name).collect();
    let runs = survey(runs_dir)?.runs;
    let mut known: HashMap<String, ReadRun> = HashMap::new();
    let repeats = |facts: &RunFacts| {
        let mut sources = facts.copied.iter().flat_map(|copied| &copied.runs);
        sources.any(|source| grown.contains(source))
    };
    let wanted = runs.iter().filter_map(|run| Some((run, known_facts(run)?)));
    let wanted: Vec<(&RunDir, RunFacts)> = wanted.filter(|(_, facts)| repeats(facts)).collect();
    let length = |run: &RunDir| run.events().metadata().map_or(0, |metadata| metadata.len());
    if wanted.iter().map(|(run, _)| length(run)).sum::<u64>() > most {
        return Ok(());
    }
    for (run, facts) in &wanted {
        let is_source =
            |other: &&RunDir| facts.copied.iter().any(|copied| copied.runs.contains(&other.name()));
        let mut read = |run: &RunDir| -> Result<ReadRun, RunError> {
            Ok(match known.entry(run.name()) {
                Entry::Occupied(known) => known.get().clone(),
                Entry::Vacant(place) => place.insert(work_of(run)?).clone(),
            })
        };
        let mut others: Vec<(String, Arc<WorkItems>)> = Vec::new();
        for other in runs.iter().filter(is_source) {
            others.push((other.name(), read(other)?.0));
        }
        let (work, end) = read(run)?;
        let mut copied = work.copied_from(&WorkIndex::default(), |_| false, &others);
        let told = facts.copied.iter().filter(|copied| copied.all_of_events.is_some());
        copied.extend(told.cloned());
        if let Some(end) = end.filter(|_| copied != facts.copied) {
            record_end(run, &end.with(&copied), options)?;
        }
    }
    Ok(())
}

/// Compares a run with another one. If it repeats more of it than its end says, the end is recorded
/// again with the new numbers. `told` is what the run tells of the other one if they have no ids in
/// common.
///
/// # Errors
/// A run cannot be read or recorded to.
pub(super) fn renew_for(
    run: &RunDir,
    facts: &RunFacts,
    other: &(String, Arc<WorkItems>),
    told: impl FnOnce(&WorkItems) -> Option<Copied>,
    options: RecordOptions,
) -> Result<(), RunError> {
    let (work, end) = work_of(run)?;
    let Some(end) = end else { return Ok(()) };
    let named = facts.copied.iter().flat_map(|copied| &copied.runs);
    let named: BTreeSet<&String> = named.filter(|run| **run != other.0).collect();
    let mut others = vec![other.clone()];
    let runs_dir = run.path().parent().unwrap_or(Path::new("."));
    for name in named {
        // A name is what a log says: it may lead anywhere.
        let Ok(id) = RunId::parse(name) else { continue };
        let source = RunDir::of(runs_dir, &id);
        if source.has_log()? {
            others.push((name.clone(), work_of(&source)?.0));
        }
    }
    let mut copied = work.copied_from(&WorkIndex::default(), |_| false, &others);
    let is_told =
        |copied: &&Copied| copied.all_of_events.is_some() && !copied.runs.contains(&other.0);
    copied.extend(facts.copied.iter().filter(is_told).cloned());
    if !work.shares_any(&other.1) {
        copied.extend(told(&work));
    }
    if copied == facts.copied {
        return Ok(());
    }
    record_end(run, &end.with(&copied), options)
}

/// Records the end of a run again, with what it repeats. Nothing is done if it has no end of an import.
///
/// # Errors
/// The run cannot be read or recorded to.
pub(super) fn record_copied(
    run: &RunDir,
    copied: &[Copied],
    recorder: &mut Recorder,
) -> Result<bool, RunError> {
    let mut end = None;
    each_event(run, |view, _| {
        if view.role.ends_run() {
            end = RecordedEnd::of(view);
        } else if matches!(view.role, Role::RunStarted | Role::RunPaused | Role::RunResumed) {
            end = None;
        }
    })?;
    let Some(end) = end else { return Ok(false) };
    let outcomes = recorder.append(&[end.with(copied)])?.outcomes;
    outcomes.into_iter().try_fold(false, |new, outcome| Ok(new || !outcome?.repeated))
}

/// Records the end of a run again.
fn record_end(run: &RunDir, end: &Draft<'_>, options: RecordOptions) -> Result<(), RunError> {
    let mut recorder = Recorder::open(run, options)?;
    let outcomes = recorder.append(std::slice::from_ref(end))?.outcomes;
    outcomes.into_iter().try_for_each(|outcome| outcome.map(drop))?;
    drop(recorder);
    refresh_derived(run, options.lock_timeout, false);
    Ok(())
}

/// The work of a run, and the end that its newest import recorded, if it is its last end and nothing
/// was imported that came after it.
fn work_of(run: &RunDir) -> Result<ReadRun, RunError> {
    let (mut work, mut end) = (WorkItems::default(), None);
    each_event(run, |view, _| {
        work.observe(view);
        let time = view.event.timestamp;
        let is_passed = |end: &RecordedEnd| {
            matches!(view.role, Role::RunStarted | Role::RunPaused | Role::RunResumed)
                || (view.is_imported() && end.time <= time)
        };
        end = match view.role.ends_run() {
            true => RecordedEnd::of(view),
            false => end.take().filter(|end| !is_passed(end)),
        };
    })?;
    Ok((Arc::new(work), end))
}

impl RecordedEnd {
    fn of(view: &View<'_, '_>) -> Option<Self> {
        let event = view.event;
        view.ends_source().then(|| Self {
            kind: event.kind.clone().into_owned(),
            time: event.timestamp,
            data: event.data.text().to_owned(),
        })
    }

    /// The same end with other numbers.
    fn with(&self, copied: &[Copied]) -> Draft<'static> {
        let mut data = ObjectText::new();
        let kept = Json::trusted(&self.data);
        for (name, value) in kept.members().filter(|(name, _)| name != "copied") {
            data.json(&name, value);
        }
        let copied: Vec<String> = copied.iter().map(Copied::to_json).collect();
        let copied = format!("[{}]", copied.join(","));
        data.json("copied", Json::trusted(&copied));
        let mut draft = Draft::new(&self.kind, data);
        draft.timestamp = Some(self.time);
        let named = format!("{} {} {copied}", self.kind, self.time);
        draft.event_id = Some(format!("import-end:{}", hex(&sha256(named.as_bytes())[..8])).into());
        draft.settled_id = true;
        draft
    }
}
