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
    /// The groups of models whose totals the run reports.
    covered: HashSet<GroupKey>,
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
            covered: HashSet::default(),
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
        // The parts of what is reported may be estimated, or lower bounds; the whole is not.
        let Some(run) = &self.run else { return self.groups };
        let has_one = self.groups.groups.len() == 1;
        let groups = self.groups.groups.iter_mut();
        let groups = groups.filter(|(key, _)| has_one || self.covered.contains(*key));
        let wholes = groups.map(|(_, group)| group).chain([&mut self.groups.total]);
        for whole in wholes {
            if !run.cost_estimated {
                whole.cost_is_reported();
            }
            if !run.output_at_least {
                whole.output_is_reported();
            }
        }
        self.groups
    }

    /// The group of a row.
    fn key(&self, row: AnyRow<'_>) -> Option<GroupKey> {
        let run = self.run.as_ref()?;
        Some(self.dimensions.iter().map(|dimension| dimension.value(run, row)).collect())
    }

    /// Adds a row to its group and to the total.
    fn add(&mut self, row: AnyRow<'_>, add: impl Fn(&mut Measures)) {
        let Some(key) = self.key(row) else { return };
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

    fn call(&mut self, call: CallRow) {
        if self.scope != DimensionScope::File {
            self.add(AnyRow::Call(&call), |measures| measures.add_call(&call));
        }
    }

    fn usage(&mut self, mut usage: UsageRow) {
        // A reported cost of the whole replaces estimates of its calls.
        usage.cost_estimated &= self.run.as_ref().is_none_or(|run| run.cost_estimated);
        if self.scope <= DimensionScope::Work {
            let add = |measures: &mut Measures| measures.add_usage(&usage);
            self.add(AnyRow::Usage(&usage), add);
            let is_by_model =
                |one: &Dimension| *one == Dimension::Model || one.scope() == DimensionScope::Run;
            if usage.kind == "total"
                && usage.model.is_some()
                && self.dimensions.iter().all(is_by_model)
            {
                self.covered.extend(self.key(AnyRow::Usage(&usage)));
            }
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
