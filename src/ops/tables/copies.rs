//! What runs share. It is found when runs are listed, in their logs: no run says it of another.
//!
//! Only runs that share a session, or the first message, are looked at.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::hash::BuildHasher as _;

use foldhash::quality::RandomState;
use foldhash::{HashMap, HashMapExt as _, HashSet};

use crate::event::fields::View;
use crate::history::copied::{Completeness, WorkItems, WorkKey};
use crate::history::facts::{Counts, RunFacts, Total};
use crate::history::ledger::{Beyond, Ledger};
use crate::history::usage::Usage;
use crate::ops::read::each_event;
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::tables::SharedWork;

/// What some runs share. Each piece of work counts in the run with the most complete copy, else in the
/// first of these runs.
#[derive(Debug, Default)]
pub(crate) struct Copies {
    /// The names of directories whose run another directory has too, with at least as many events.
    again: HashSet<String>,
    /// The related runs by their ids.
    numbers: HashMap<String, usize>,
    first: HashMap<WorkKey, (usize, Completeness)>,
    /// What each of them adds to the sum of its group.
    parts: HashMap<usize, RunPart>,
    /// The sums of the groups, and of the runs in them.
    sums: Vec<GroupSum>,
}

/// What a run adds to the sum of the runs that it is related to.
#[derive(Debug, Default)]
struct RunPart {
    /// What its totals have beyond all calls of the group.
    beyond: Vec<Beyond>,
    /// Whether its calls that cannot be identified elsewhere count, and whether the others do.
    counts_anonymous: bool,
    counts_identified: bool,
}

#[derive(Debug)]
struct GroupSum {
    runs: Vec<String>,
    all: Counts,
}

/// A run of a group with its work.
struct ReadRun<'r> {
    number: usize,
    run: &'r RunDir,
    facts: &'r RunFacts,
    work: WorkItems,
}

impl Copies {
    /// Looks at the runs that are related to others of these runs. A run whose log cannot be read shares
    /// nothing.
    pub(crate) fn among<'r>(runs: impl IntoIterator<Item = (&'r RunDir, &'r RunFacts)>) -> Self {
        let runs: Vec<(&RunDir, &RunFacts)> = runs.into_iter().collect();
        let mut copies = Self { again: again(&runs), ..Self::default() };
        let counts = |at: &usize| !copies.again.contains(&runs[*at].0.name());
        let groups = related_runs(&runs).into_iter();
        let groups = groups.map(|group| group.into_iter().filter(counts).collect::<Vec<_>>());
        let groups: Vec<Vec<usize>> = groups.filter(|group| group.len() > 1).collect();
        for group in groups {
            let mut group: Vec<(usize, &RunDir, &RunFacts)> =
                group.into_iter().map(|at| (at, runs[at].0, runs[at].1)).collect();
            group.sort_by_key(|(_, _, facts)| (facts.began_at(), &facts.run_id));
            copies.read(&group);
        }
        copies
    }

    /// The total of these runs.
    pub(crate) fn total<'f>(
        &self,
        runs: impl Iterator<Item = (&'f RunDir, &'f RunFacts)>,
    ) -> Total {
        let (mut total, mut all) = (Total::default(), Counts::default());
        let mut has_run: HashSet<&str> = HashSet::default();
        for (run, facts) in runs {
            total.runs += 1;
            all.add(&facts.counts);
            if self.again.contains(&run.name()) {
                continue;
            }
            has_run.insert(&facts.run_id);
            match self.numbers.contains_key(&facts.run_id) {
                // The sum of its group has the rest.
                true => {
                    total.counts.events += facts.counts.events;
                    total.counts.warnings += facts.counts.warnings;
                }
                false => total.counts.add(&facts.counts),
            }
        }
        for sum in &self.sums {
            if sum.runs.iter().all(|run| has_run.contains(run.as_str())) {
                total.counts.add(&sum.all);
            }
        }
        // Events and warnings are of each run.
        total.copied = Counts { events: 0, warnings: 0, ..all };
        total.copied.subtract(&total.counts);
        if total.copied.usage.is_nothing() {
            total.copied.usage = Usage::default();
        }
        total
    }

    /// Whether the copy of a piece of work in that run counts.
    fn is_first(&self, number: usize, work: &WorkKey) -> bool {
        self.first.get(work).is_none_or(|(first, _)| *first == number)
    }

    /// Reads the logs of related runs.
    fn read(&mut self, group: &[(usize, &RunDir, &RunFacts)]) {
        let mut read = Vec::with_capacity(group.len());
        for (number, run, facts) in group {
            let Ok(work) = work_in(run) else { continue };
            for key in work.keys() {
                let completeness = work.completeness(key);
                let first = self.first.entry(*key).or_insert((*number, completeness));
                if completeness > first.1 {
                    *first = (*number, completeness);
                }
            }
            self.numbers.insert(facts.run_id.clone(), *number);
            read.push(ReadRun { number: *number, run, facts, work });
        }
        let mut all = self.count(&read);
        all.usage = self.spend(&read);
        let runs = read.iter().map(|read| read.facts.run_id.clone()).collect();
        self.sums.push(GroupSum { runs, all });
    }

    /// Calls, prompts and errors. What is recorded in two forms without common ids, such as the output of
    /// a process and the file of its session, counts count by count as the greater one.
    fn count(&mut self, group: &[ReadRun<'_>]) -> Counts {
        let [mut own, mut identified, mut anonymous] = [Counts::default(); 3];
        for read in group {
            let mut of_run = read.work.anonymous();
            anonymous.add(&of_run);
            for (key, counts) in read.work.pieces() {
                of_run.add(&Counts { usage: Usage::default(), ..*counts });
                let other = read.work.other_key(key);
                if self.is_first(read.number, key)
                    && other.is_none_or(|other| self.is_first(read.number, &other))
                {
                    identified.add(&Counts { usage: Usage::default(), ..*counts });
                }
            }
            let mut rest =
                Counts { events: 0, warnings: 0, usage: Usage::default(), ..read.facts.counts };
            rest.subtract(&of_run);
            own.add(&rest);
        }
        let is_anonymous = anonymous.tool_calls > identified.tool_calls;
        for read in group {
            let part = RunPart {
                counts_anonymous: is_anonymous || identified.tool_calls == 0,
                counts_identified: !is_anonymous,
                ..RunPart::default()
            };
            self.parts.insert(read.number, part);
        }
        own.add(&identified.greater(&anonymous));
        own
    }

    /// What the runs used together.
    fn spend(&mut self, group: &[ReadRun<'_>]) -> Usage {
        let mut ledger = Ledger::default();
        let mut numbers: HashMap<WorkKey, u64> = HashMap::new();
        let mut next = 0;
        for (place, read) in group.iter().enumerate() {
            let mut own: HashMap<String, u64> = HashMap::new();
            let mut number = |id: &str, own: &mut HashMap<String, u64>| {
                if let Some(known) = own.get(id) {
                    return *known;
                }
                let key = read.work.model_call(id);
                let other = key.and_then(|key| read.work.other_key(&key));
                let keys = || key.into_iter().chain(other);
                let number =
                    keys().find_map(|key| numbers.get(&key).copied()).unwrap_or_else(|| {
                        next += 1;
                        next
                    });
                numbers.extend(keys().map(|key| (key, number)));
                own.insert(id.to_owned(), number);
                number
            };
            ledger.begin_run(u32::try_from(place).unwrap_or(u32::MAX));
            // What can be read of it counts; `validate` reports the rest.
            let _ = each_event(read.run, |view: &View<'_, '_>, _| {
                let mut names: Vec<(String, u64)> = Vec::new();
                for id in Ledger::ids(view) {
                    let known = number(&id, &mut own);
                    names.push((id, known));
                }
                let find =
                    |id: &str| names.iter().find(|(name, _)| name == id).map_or(0, |(_, at)| *at);
                ledger.take_named(view, Usage::of(view), &find);
            });
        }
        let settled = ledger.settle();
        for beyond in settled.beyond {
            let number = group.get(beyond.run as usize).map(|read| read.number);
            if let Some(part) = number.and_then(|number| self.parts.get_mut(&number)) {
                part.beyond.push(beyond);
            }
        }
        settled.sum
    }

    /// Whether another directory has all that the run in the directory of that name has.
    #[must_use]
    pub(crate) fn is_again(&self, name: &str) -> bool {
        self.again.contains(name)
    }

    /// What the run in the directory of that name shares.
    #[must_use]
    pub(crate) fn of_run<'c>(&'c self, directory: &str, run_id: &str) -> OfRun<'c> {
        let number = self.numbers.get(run_id).copied();
        let part = number.and_then(|number| self.parts.get(&number));
        OfRun { copies: self, is_again: self.is_again(directory), number, part }
    }
}

/// What a run shares with others.
pub(crate) struct OfRun<'c> {
    copies: &'c Copies,
    is_again: bool,
    number: Option<usize>,
    part: Option<&'c RunPart>,
}

impl OfRun<'_> {
    fn is_first(&self, work: &WorkKey) -> bool {
        self.number.is_none_or(|number| self.copies.is_first(number, work))
    }
}

impl SharedWork for OfRun<'_> {
    fn counts_call(&self, work: Option<&WorkKey>, is_imported: bool) -> bool {
        let counts = match (self.part.filter(|_| is_imported), work) {
            (None, _) => true,
            (Some(part), Some(work)) => part.counts_identified && self.is_first(work),
            (Some(part), None) => part.counts_anonymous,
        };
        counts && !self.is_again
    }

    fn counts_usage(&self, work: Option<&WorkKey>) -> bool {
        !self.is_again && work.is_none_or(|work| self.is_first(work))
    }

    fn beyond(&self) -> Option<&[Beyond]> {
        self.part.map(|part| part.beyond.as_slice())
    }
}

/// The imported work in the log of a run.
fn work_in(run: &RunDir) -> Result<WorkItems, RunError> {
    let mut work = WorkItems::default();
    each_event(&run.hold()?, |view, _| {
        if view.is_imported() {
            work.observe(view);
        }
    })?;
    Ok(work)
}

/// Of several directories of one run, the one with the most events counts. Returns the others.
fn again(runs: &[(&RunDir, &RunFacts)]) -> HashSet<String> {
    let mut by_id: HashMap<&str, usize> = HashMap::new();
    let mut again = HashSet::default();
    let mut longest_first: Vec<usize> = (0..runs.len()).collect();
    longest_first.sort_by_key(|at| Reverse(runs[*at].1.counts.events));
    for at in longest_first {
        let (run, facts) = runs[at];
        if *by_id.entry(&facts.run_id).or_insert(at) != at {
            again.insert(run.name());
        }
    }
    again
}

/// The runs that share a session or the first message with another one, in groups of their indices.
#[must_use]
pub(crate) fn related_runs(runs: &[(&RunDir, &RunFacts)]) -> Vec<Vec<usize>> {
    // Each run leads to an earlier one of its group; the first one leads to itself.
    let mut earlier: Vec<usize> = (0..runs.len()).collect();
    let first_of = |earlier: &[usize], mut at: usize| {
        while earlier[at] != at {
            at = earlier[at];
        }
        at
    };
    let (mut by_key, hasher) = (HashMap::new(), RandomState::default());
    for (at, (_, facts)) in runs.iter().enumerate().filter(|(_, (_, facts))| facts.is_imported) {
        let forked_from = facts.metadata("forked_from");
        let sessions = [Some(&facts.session_id), forked_from.as_ref()].into_iter().flatten();
        for key in sessions.chain(&facts.first_message).map(|key| hasher.hash_one(key)) {
            let other = *by_key.entry(key).or_insert(at);
            let (one, other) = (first_of(&earlier, at), first_of(&earlier, other));
            earlier[one.max(other)] = one.min(other);
        }
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for at in 0..runs.len() {
        groups.entry(first_of(&earlier, at)).or_default().push(at);
    }
    groups.into_values().filter(|group| group.len() > 1).collect()
}
