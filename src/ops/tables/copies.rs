//! Which copy of a piece of work counts, if several runs have it.

use foldhash::{HashMap, HashSet};

use crate::history::copied::{Completeness, WorkItems, WorkKey};
use crate::history::facts::RunFacts;
use crate::ops::read::each_event;
use crate::run::RunError;
use crate::run::dir::RunDir;

/// The pieces of work that more than one run may have, and the run whose copy of each counts: the
/// most complete one, or else the first. The newest import of a run recorded which runs it repeats, so
/// only these are read.
#[derive(Debug, Default)]
pub(crate) struct Copies {
    first: HashMap<WorkKey, (usize, Completeness)>,
    numbers: HashMap<String, usize>,
    /// The names of directories whose run another directory has too, with at least as many events,
    /// or whose work another run tells in another form.
    again: HashSet<String>,
}

impl Copies {
    /// Looks at the runs that repeat others of these runs, and at those others.
    ///
    /// # Errors
    /// When a log cannot be read.
    pub(crate) fn among(runs: &[(RunDir, RunFacts)]) -> Result<Self, RunError> {
        let mut by_id: HashMap<&str, usize> = HashMap::default();
        let mut again = HashSet::default();
        for (at, (run, facts)) in runs.iter().enumerate() {
            let Some(other) = by_id.insert(&facts.run_id, at) else { continue };
            let shorter = if runs[other].1.counts.events < facts.counts.events {
                runs[other].0.name()
            } else {
                by_id.insert(&facts.run_id, other);
                run.name()
            };
            again.insert(shorter);
        }
        for (_, facts) in runs {
            let named = facts.copied.iter().flat_map(|copied| &copied.runs);
            let others = named.filter_map(|run| by_id.get(run.as_str()));
            let whole = others.map(|at| &runs[*at]).filter(|(_, other)| facts.tells_all_of(other));
            again.extend(whole.map(|(run, _)| run.name()));
        }
        let mut involved: Vec<usize> = Vec::new();
        let counts = |run: &RunDir| !again.contains(&run.name());
        for (at, (run, facts)) in runs.iter().enumerate() {
            if !counts(run) {
                continue;
            }
            let sources = facts.copied.iter().flat_map(|copied| &copied.runs);
            let sources: Vec<usize> =
                sources.filter_map(|run| by_id.get(run.as_str()).copied()).collect();
            if !sources.is_empty() {
                involved.push(at);
                involved.extend(sources);
            }
        }
        involved.sort_by_key(|at| (runs[*at].1.age(), *at));
        let involved = after_sources(&involved, |at| {
            let sources = runs[at].1.copied.iter().flat_map(|copied| &copied.runs);
            sources.filter_map(|run| by_id.get(run.as_str()).copied()).collect()
        });
        let mut copies = Self { again, ..Self::default() };
        for at in involved {
            let (run, facts) = &runs[at];
            copies.numbers.insert(facts.run_id.clone(), at);
            let mut work = WorkItems::default();
            each_event(&run.hold()?, |view, _| {
                if view.is_imported() {
                    work.observe(view);
                }
            })?;
            for key in work.keys() {
                let completeness = work.completeness(key);
                let first = copies.first.entry(*key).or_insert((at, completeness));
                if completeness > first.1 {
                    *first = (at, completeness);
                }
            }
        }
        Ok(copies)
    }

    /// Whether another directory has, or tells, all that the run in the directory of that name has.
    #[must_use]
    pub(crate) fn is_again(&self, name: &str) -> bool {
        self.again.contains(name)
    }

    /// Whether this run's copy of a piece of work counts. Work without a key is in one run only.
    #[must_use]
    pub(crate) fn is_first(&self, run_id: &str, work: Option<&WorkKey>) -> bool {
        let Some(work) = work else { return true };
        let number = self.numbers.get(run_id);
        number.is_none_or(|number| self.first.get(work).is_none_or(|(first, _)| first == number))
    }
}

/// The runs in this order, but each after those that it repeats: a run may repeat a newer one.
fn after_sources(runs: &[usize], sources: impl Fn(usize) -> Vec<usize>) -> Vec<usize> {
    let (mut ordered, mut begun, mut done) = (Vec::new(), HashSet::default(), HashSet::default());
    for first in runs {
        let mut waiting = vec![*first];
        while let Some(at) = waiting.last().copied() {
            let before = match begun.insert(at) {
                true => sources(at),
                false => Vec::new(),
            };
            // If runs repeat each other in a circle, the one that was met first comes last.
            let before: Vec<usize> = before.into_iter().filter(|at| !begun.contains(at)).collect();
            if before.is_empty() {
                waiting.pop();
                if done.insert(at) {
                    ordered.push(at);
                }
            } else {
                waiting.extend(before.into_iter().rev());
            }
        }
    }
    ordered
}
