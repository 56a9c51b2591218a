//! The best events for a query, with their surroundings.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::moved::{MovedValues, hashes, holds};
use super::neighbours::{Neighbour, around};
use super::query::Query;
use super::ranking::{Match, ranked};
use super::reading::{Judge, PartFindings};
use super::scope::{Boundary, EventFilter, Scope, SearchedRun, runs_in};
use super::snippet::{Chooser, Snippet};
use crate::event::blob::Reference;
use crate::event::envelope::{Event, parse};
use crate::event::fields::View;
use crate::event::texts::{TextPlace, each_text};
use crate::event::time::Timestamp;
use crate::fs::hash::sha256;
use crate::fs::{Access, open_regular};
use crate::log::LogError;
use crate::log::chunk::{LogRange, ranges};
use crate::log::reader::line_at;
use crate::ops::parallel;
use crate::run::RunError;
use crate::run::dir::RunDir;

/// What to search for, where, and how much of it is wanted.
#[derive(Debug)]
pub(crate) struct SearchRequest<'r> {
    /// The query.
    pub(crate) query: &'r Query,
    /// The run that counts as the current one.
    pub(crate) current: &'r RunDir,
    /// The directory of the other runs.
    pub(crate) runs_dir: &'r Path,
    /// The runs that are searched.
    pub(crate) scope: Scope,
    /// Conditions for events.
    pub(crate) filter: EventFilter,
    /// Maximum number of hits.
    pub(crate) top: usize,
    /// Set when nobody waits for the result any more: the rest is then not read.
    pub(crate) is_stopped: &'r AtomicBool,
}

/// The result of a search.
#[derive(Debug, Default)]
pub(crate) struct SearchOutcome {
    /// The best hits, best first.
    pub(crate) hits: Vec<SearchHit>,
    /// The number of events that meet the query. Copies in other runs are counted too.
    pub(crate) total: u64,
    /// What was searched.
    pub(crate) searched: Searched,
    /// Runs that could not be searched.
    pub(crate) failed: Vec<RunError>,
    /// Number of lines of a run that may match but are not events.
    pub(crate) bad_lines: Vec<(RunDir, u64)>,
}

/// How much was searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Searched {
    /// Number of runs.
    pub(crate) runs: u64,
    /// Number of events in their logs.
    pub(crate) events: u64,
    /// Size of their logs in bytes.
    pub(crate) bytes: u64,
}

/// An event that meets the query.
#[derive(Debug)]
pub(crate) struct SearchHit {
    /// The event.
    pub(crate) event: Neighbour,
    /// Its score. Scores of one search can be compared.
    pub(crate) score: f64,
    /// The size of its content in bytes.
    pub(crate) bytes: u64,
    /// Why it was found.
    pub(crate) snippet: Snippet,
    /// The event before it. Only the first hits have it.
    pub(crate) before: Vec<Neighbour>,
    /// The event after it. Only the first hits have it.
    pub(crate) after: Vec<Neighbour>,
    /// Other runs among the hits that have a copy of the event.
    pub(crate) also_in: Vec<String>,
}

/// The number of hits that are shown with their neighbours.
const WITH_NEIGHBOURS: usize = 3;
/// The size of the parts in which logs are searched.
const PART: u64 = 8 << 20;

/// Searches runs for the events that meet a query best.
///
/// # Errors
/// When the runs directory or the current run cannot be read. Other runs that cannot be read are
/// part of the outcome.
pub(crate) fn search(request: &SearchRequest<'_>) -> Result<SearchOutcome, RunError> {
    let (runs, failed) = runs_in(request.scope, request.current, request.runs_dir)?;
    let mut outcome = SearchOutcome { failed, ..SearchOutcome::default() };
    let moved = moved_values(&runs, request.query);
    let judges: Vec<Judge<'_>> = runs
        .iter()
        .zip(&moved)
        .enumerate()
        .map(|(index, (searched, moved))| {
            let SearchedRun { run, .. } = searched;
            Judge { query: request.query, filter: &request.filter, run, index, moved }
        })
        .collect();
    let mut parts: Vec<(usize, LogRange)> = Vec::new();
    for (index, SearchedRun { run, .. }) in runs.iter().enumerate() {
        match ranges(&run.events(), PART) {
            Ok(ranges) => {
                outcome.searched.runs += 1;
                parts.extend(ranges.into_iter().map(|range| (index, range)));
            }
            Err(error) => outcome.failed.push(error.into()),
        }
    }
    outcome.searched.bytes = parts.iter().map(|(_, range)| range.to - range.from).sum();
    let found =
        parallel::each(&parts, |(index, range)| match request.is_stopped.load(Ordering::Relaxed) {
            true => Ok(PartFindings::default()),
            false => judges[*index].read(*range),
        });
    let mut by_run: Vec<PartFindings> = runs.iter().map(|_| PartFindings::default()).collect();
    for ((index, _), found) in parts.iter().zip(found) {
        match found {
            Ok(found) => add(&mut by_run[*index], found),
            Err(error) => outcome.failed.push(error.into()),
        }
    }
    let mut matches = Vec::new();
    let mut summaries: Vec<HashMap<String, String>> = Vec::new();
    for (index, mut found) in by_run.into_iter().enumerate() {
        outcome.searched.events += found.events;
        if found.bad_lines > 0 {
            outcome.bad_lines.push((runs[index].run.clone(), found.bad_lines));
        }
        // The last summary counts.
        let backfilled: HashMap<String, String> = found.backfills.drain(..).collect();
        let mut own = found.matches;
        if let Err(error) = add_backfilled(&judges[index], &parts, &backfilled, &mut own) {
            outcome.failed.push(error.into());
        }
        if runs[index].only_hidden {
            own.retain(|one| {
                let hides = |end: &Boundary| end.hides(one.sequence, one.branch.as_deref());
                found.boundaries.iter().any(hides)
            });
        }
        matches.extend(own);
        summaries.push(backfilled);
    }
    outcome.total = matches.len() as u64;
    let best = ranked(matches, outcome.searched.events);
    take_best(best, &judges, &summaries, request.top, &mut outcome);
    Ok(outcome)
}

/// The moved values that hold a term, for each run.
fn moved_values(runs: &[SearchedRun], query: &Query) -> Vec<MovedValues> {
    let all: Vec<(usize, String)> = runs
        .iter()
        .enumerate()
        .flat_map(|(index, searched)| {
            hashes(&searched.run).into_iter().map(move |hash| (index, hash))
        })
        .collect();
    let found = parallel::each(&all, |(index, hash)| holds(&runs[*index].run, hash, query));
    let mut moved: Vec<MovedValues> = runs.iter().map(|_| MovedValues::default()).collect();
    for ((index, hash), _) in all.into_iter().zip(found).filter(|(_, found)| *found) {
        moved[index].add(hash);
    }
    moved
}

/// Adds what the next part of the same log has.
fn add(all: &mut PartFindings, part: PartFindings) {
    all.matches.extend(part.matches);
    all.backfills.extend(part.backfills);
    all.boundaries.extend(part.boundaries);
    all.events += part.events;
    all.bad_lines += part.bad_lines;
}

/// Finds the events whose summaries were recorded later and hold a term.
fn add_backfilled(
    judge: &Judge<'_>,
    parts: &[(usize, LogRange)],
    backfilled: &HashMap<String, String>,
    matches: &mut Vec<Match>,
) -> Result<(), LogError> {
    let terms = judge.query.terms();
    let holds = |text: &str| terms.iter().any(|term| term.places(text).next().is_some());
    let wanted = backfilled.iter().filter(|(_, summary)| holds(summary));
    let wanted: HashMap<String, String> =
        wanted.map(|(target, summary)| (target.clone(), summary.clone())).collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let own: Vec<LogRange> =
        parts.iter().filter(|(index, _)| *index == judge.index).map(|(_, range)| *range).collect();
    for found in parallel::each(&own, |range| judge.read_again(*range, &wanted)) {
        matches.extend(found?);
    }
    // The later one has the current summary. The sort is stable.
    matches.sort_by_key(|found| found.offset);
    matches.reverse();
    matches.dedup_by_key(|found| found.offset);
    matches.reverse();
    Ok(())
}

/// What identifies an event that several runs have: its type, its time and its texts.
type CopyKey = (String, Timestamp, [u8; 32]);

/// Reads the best matches again, until there are enough hits.
fn take_best(
    best: Vec<(f64, Match)>,
    judges: &[Judge<'_>],
    summaries: &[HashMap<String, String>],
    top: usize,
    outcome: &mut SearchOutcome,
) {
    let mut known: HashMap<CopyKey, (usize, usize)> = HashMap::new();
    for (score, found) in best {
        if outcome.hits.len() >= top {
            break;
        }
        let judge = &judges[found.run];
        let hit = match hit(judge, &summaries[found.run], &found, score) {
            Ok(hit) => hit,
            Err(error) => {
                outcome.failed.push(error.into());
                continue;
            }
        };
        let Some((key, mut hit)) = hit else {
            // Its summary was replaced by one that does not match.
            outcome.total -= 1;
            continue;
        };
        if let Some((_, first)) = known.get(&key).filter(|(run, _)| *run != found.run) {
            outcome.hits[*first].also_in.push(judge.run.name());
            continue;
        }
        if outcome.hits.len() < WITH_NEIGHBOURS {
            let branches = &judge.filter.branches;
            match around(judge.run, found.offset, &summaries[found.run], branches) {
                Ok((before, after)) => (hit.before, hit.after) = (before, after),
                Err(error) => outcome.failed.push(error.into()),
            }
        }
        known.entry(key).or_insert((found.run, outcome.hits.len()));
        outcome.hits.push(hit);
    }
}

/// Reads a match again; `None` if it does not meet the query with its current summary.
fn hit(
    judge: &Judge<'_>,
    summaries: &HashMap<String, String>,
    found: &Match,
    score: f64,
) -> Result<Option<(CopyKey, SearchHit)>, LogError> {
    let path = judge.run.events();
    let file = open_regular(&path, Access::Read)?;
    let line = line_at(path.path(), &file, found.offset)?;
    let Ok(event) = parse(&line) else { return Ok(None) };
    let summary = current_summary(&event, summaries);
    let streamed = found.streamed.as_deref();
    if streamed.is_none() && judge.match_of(&event, found.offset, summary).is_none() {
        return Ok(None);
    }
    let view = View::of(&event);
    let (mut chooser, mut content) = (Chooser::default(), String::new());
    let mut consider = |place: TextPlace, text: &str| {
        chooser.consider(judge.query, place, text);
        if place == TextPlace::Content {
            content.push_str(text);
            content.push('\0');
        }
    };
    match streamed {
        Some(text) => consider(TextPlace::Content, text),
        None => {
            let mut moved = |reference: &Reference<'_>| judge.moved.content(judge.run, reference);
            each_text(&view, summary, &mut moved, &mut |place, text| consider(place, &text));
        }
    }
    let key = (event.kind.clone().into_owned(), event.timestamp, sha256(content.as_bytes()));
    let hit = SearchHit {
        event: Neighbour::of(&view, summary, judge.run),
        score,
        bytes: found.bytes,
        snippet: chooser.finish(),
        before: Vec::new(),
        after: Vec::new(),
        also_in: Vec::new(),
    };
    Ok(Some((key, hit)))
}

/// The summary recorded later, else the event's own.
pub(super) fn current_summary<'s>(
    event: &'s Event<'_>,
    summaries: &'s HashMap<String, String>,
) -> Option<&'s str> {
    let later = summaries.get(event.event_id.as_ref()).map(String::as_str);
    later.or(event.summary.as_deref())
}
