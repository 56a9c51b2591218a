//! Groups of rows and their numbers.

use std::collections::BTreeMap;

use foldhash::HashSet;

use super::dimension::{AnyRow, Dimension, DimensionScope};
use super::measures::Measures;
use crate::tables::{CallRow, FileRow, RowSink, RunTableRow, UsageRow};

/// The values of a group's dimensions; `None` for an unknown one.
pub(crate) type GroupKey = Vec<Option<String>>;

/// The groups of some runs, and the numbers of all of them together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    /// The groups.
    pub groups: BTreeMap<GroupKey, Measures>,
    /// Everything.
    pub total: Measures,
}

/// Sorts the rows of one run into groups.
pub(crate) struct StatisticsSink<'d> {
    dimensions: &'d [Dimension],
    scope: DimensionScope,
    run: Option<RunTableRow>,
    /// The sessions whose reported cost covers their calls without a cost.
    settled: HashSet<String>,
    groups: Groups,
}

impl<'d> StatisticsSink<'d> {
    /// No rows yet.
    #[must_use]
    pub(crate) fn new(dimensions: &'d [Dimension]) -> Self {
        let scope = scope(dimensions);
        Self {
            dimensions,
            scope,
            run: None,
            settled: HashSet::default(),
            groups: Groups::default(),
        }
    }

    /// The groups of the run.
    #[must_use]
    pub(crate) fn finish(mut self) -> Groups {
        if !self.groups.groups.is_empty() {
            self.groups.total.count_run();
        }
        self.groups.groups.values_mut().for_each(Measures::count_run);
        // The parts of a reported cost may be estimated; the whole is not.
        if self.run.as_ref().is_some_and(|run| !run.cost_estimated) {
            self.groups.total.cost_is_reported();
            if self.groups.groups.len() == 1 {
                self.groups.groups.values_mut().for_each(Measures::cost_is_reported);
            }
        }
        self.groups
    }

    /// Adds a row to its group and to the total.
    fn add(&mut self, row: AnyRow<'_>, add: impl Fn(&mut Measures)) {
        let Some(run) = &self.run else { return };
        let key = self.dimensions.iter().map(|dimension| dimension.value(run, row)).collect();
        add(self.groups.groups.entry(key).or_default());
        add(&mut self.groups.total);
    }
}

/// The narrowest scope of some dimensions.
#[must_use]
pub(crate) fn scope(dimensions: &[Dimension]) -> DimensionScope {
    dimensions.iter().map(|dimension| dimension.scope()).max().unwrap_or(DimensionScope::Run)
}

impl RowSink for StatisticsSink<'_> {
    fn run(&mut self, run: RunTableRow) {
        let row = run.clone();
        self.run = Some(run);
        if self.scope == DimensionScope::Run {
            self.add(AnyRow::Run, |measures| measures.add_run(&row));
        }
    }

    fn settled_sessions(&mut self, sessions: &HashSet<String>) {
        self.settled.clone_from(sessions);
    }

    fn call(&mut self, call: CallRow) {
        if self.scope != DimensionScope::File {
            self.add(AnyRow::Call(&call), |measures| measures.add_call(&call));
        }
    }

    fn usage(&mut self, usage: UsageRow) {
        if self.scope <= DimensionScope::Work {
            let is_covered = self.settled.contains(&usage.session_id);
            let is_uncosted = usage.kind == "call" && usage.cost_usd.is_none() && !is_covered;
            let add = |measures: &mut Measures| measures.add_usage(&usage, is_uncosted);
            self.add(AnyRow::Usage(&usage), add);
        }
    }

    fn file(&mut self, file: FileRow) {
        if self.scope == DimensionScope::File && file.action != "deliverable" {
            self.add(AnyRow::File(&file), |measures| measures.add_file(&file));
        }
    }
}

impl Groups {
    /// Adds the groups of another run.
    pub(crate) fn add(&mut self, other: Self) {
        for (key, measures) in other.groups {
            self.groups.entry(key).or_default().add(measures);
        }
        self.total.add(other.total);
    }

    /// Ends the adding.
    pub(crate) fn settle(&mut self) {
        self.groups.values_mut().for_each(Measures::settle);
        self.total.settle();
    }
}
