//! Tables as Parquet files in partitions, of which only those that changed are written.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::lake_manifest::{FileEntry, LakeManifest, PartitionEntry, RunEntry};
use super::listed::name_of;
use super::parquet_file::{ParquetFile, rows_in};
use super::{
    ExportedRun, RowSource, TableSet, TableSink, TablesWritten, turn_to_export, write_run,
};
use crate::fs::{
    EntryKind, PathAt, entries, is_pending, is_regular, is_temporary, make_dir, remove_dir,
    remove_file, remove_unfinished,
};
use crate::history::facts::RunFacts;
use crate::ops::error::OpsError;
use crate::ops::parallel;
use crate::ops::tables::related_runs;
use crate::ops::turn::WaitEnd;
use crate::run::dir::RunDir;
use crate::tables::{TableCell, TableName};

/// The name of the partition of runs whose day is not known, as Hive and its successors know it.
const UNKNOWN_DATE: &str = "__HIVE_DEFAULT_PARTITION__";

/// An export to a directory of Parquet files. Nobody else exports to the directory meanwhile.
pub(crate) struct ParquetExport {
    out: PathAt,
    _turn: WaitEnd,
    tables: TableSet,
    list: LakeManifest,
    runs: Vec<ExportedRun>,
    partitions: Vec<Partition>,
}

/// The runs of a day.
struct Partition {
    date: String,
    name: String,
    /// Indexes of the runs, in their order.
    runs: Vec<usize>,
    /// The files that are already there.
    present: Vec<FileEntry>,
    /// The tables whose files are not.
    missing: TableSet,
}

/// What an export to Parquet did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ParquetWritten {
    /// What was written.
    pub(crate) written: TablesWritten,
    /// Partitions of which something was written.
    pub(crate) partitions: u64,
    /// Partitions that were there already.
    pub(crate) unchanged: u64,
    /// Files that are no longer current and were removed.
    pub(crate) removed: u64,
}

impl ParquetExport {
    /// Prepares an export of these runs: finds out which files are missing. If the runs were
    /// chosen (`all` is false), the directory must not have tables of others.
    ///
    /// # Errors
    /// When the directory cannot be used, another export writes to it, or it has other runs.
    pub(crate) fn prepare(
        runs: Vec<ExportedRun>,
        all: bool,
        tables: TableSet,
        out: &PathAt,
        lock_timeout: Duration,
    ) -> Result<Self, OpsError> {
        make_dir(out)?;
        let out = out.hold()?;
        let turn = turn_to_export(&out, lock_timeout)?;
        let mut list = LakeManifest::read(&out)?;
        if !all {
            refuse_others(&list, &runs, &out)?;
        }
        list.upgrade();
        let partitions = partitions(&runs, &tables, &list, &out);
        Ok(Self { out, _turn: turn, tables, list, runs, partitions })
    }

    /// Number of runs that must be read.
    #[must_use]
    pub(crate) fn runs_to_read(&self) -> usize {
        let missing = self.partitions.iter().filter(|partition| !partition.is_complete());
        missing.map(|partition| partition.runs.len()).sum()
    }

    /// All runs with their facts.
    #[must_use]
    pub(crate) fn runs(&self) -> Vec<(RunDir, RunFacts)> {
        self.runs.iter().map(|run| (run.run.clone(), run.facts.clone())).collect()
    }

    /// Writes what is missing, then the list, and then removes what is no longer current. `step`
    /// is called after each run that was read.
    ///
    /// # Errors
    /// When a run cannot be read or a file cannot be written. The list and the files in it are then
    /// unchanged.
    pub(crate) fn write(
        mut self,
        source: &RowSource<'_>,
        step: &(dyn Fn() + Sync),
    ) -> Result<ParquetWritten, OpsError> {
        let outcomes = parallel::each(&self.partitions, |partition| {
            self.write_partition(partition, source, step)
        });
        let mut outcome = ParquetWritten::default();
        let mut current = Vec::new();
        for (partition, files) in self.partitions.iter().zip(outcomes) {
            let files = files?;
            if files.is_empty() {
                outcome.unchanged += 1;
            } else {
                outcome.partitions += 1;
                outcome.written.runs += partition.runs.len() as u64;
            }
            for file in &files {
                outcome.written.files += 1;
                outcome.written.rows += file.rows;
                outcome.written.bytes += file.bytes;
            }
            current.push(self.entry(partition, files));
        }
        self.keep_other_tables(&mut current);
        self.list.partitions = current;
        self.list.write(&self.out)?;
        outcome.removed = self.sweep();
        Ok(outcome)
    }

    /// Writes the files of a partition that are missing.
    fn write_partition(
        &self,
        partition: &Partition,
        source: &RowSource<'_>,
        step: &dyn Fn(),
    ) -> Result<Vec<FileEntry>, OpsError> {
        if partition.is_complete() {
            return Ok(Vec::new());
        }
        let mut sink = ParquetSink { files: Vec::new() };
        for table in partition.missing.all() {
            let path = self.out.join(partition.path(*table));
            make_dir(&path.parent().parent())?;
            make_dir(&path.parent())?;
            sink.files.push((*table, ParquetFile::create(*table, path)?));
        }
        for run in partition.runs.iter().map(|run| &self.runs[*run]) {
            write_run(&run.run, run.end, &partition.missing, source, &mut sink)?;
            step();
        }
        let files = sink.files.into_iter().map(|(table, file)| {
            let (rows, bytes) = file.place()?;
            Ok(partition.file(table, rows, bytes))
        });
        files.collect()
    }

    /// The list's entry for a partition.
    fn entry(&self, partition: &Partition, written: Vec<FileEntry>) -> PartitionEntry {
        let mut files = partition.present.clone();
        files.extend(written);
        let place = |file: &FileEntry| TableName::ALL.iter().position(|t| t.name() == file.table);
        files.sort_by_key(place);
        let runs = partition.runs.iter().map(|run| &self.runs[*run]);
        let runs = runs.map(|run| RunEntry { run_id: run.run_id(), head: run.head.clone() });
        PartitionEntry {
            date: partition.date.clone(),
            name: partition.name.clone(),
            runs: runs.collect(),
            files,
        }
    }

    /// Adds the files of tables that are not written now.
    fn keep_other_tables(&self, current: &mut Vec<PartitionEntry>) {
        let written: BTreeSet<&str> = self.tables.all().iter().map(|table| table.name()).collect();
        for old in &self.list.partitions {
            let others = old.files.iter().filter(|file| !written.contains(&*file.table));
            let others: Vec<FileEntry> = others.cloned().collect();
            if others.is_empty() {
                continue;
            }
            let is_same =
                |entry: &&mut PartitionEntry| (&entry.date, &entry.name) == (&old.date, &old.name);
            match current.iter_mut().find(is_same) {
                Some(entry) => entry.files.extend(others),
                None => current.push(PartitionEntry { files: others, ..old.clone() }),
            }
        }
    }

    /// Removes the files with names of an export that are not in the list, and temporary ones.
    /// Returns how many had been in a list.
    fn sweep(&self) -> u64 {
        let mut removed = 0;
        let mut sweep = |folder: &PathAt, names: &dyn Fn(&str) -> bool| {
            remove_unfinished(folder);
            for (name, kind) in entries(folder).unwrap_or_default() {
                let is_old = name.to_str().is_some_and(names);
                // Another export may be writing a database here; that file is its own.
                let is_left = is_temporary(&name) && !name.to_str().is_some_and(is_pending);
                if kind == EntryKind::File && (is_old || is_left) {
                    let done = remove_file(&folder.join(&name)).is_ok();
                    removed += u64::from(done && is_old);
                }
            }
        };
        sweep(&self.out, &|_| false);
        for table in TableName::ALL {
            let folder = self.out.join(table.name());
            for (date, kind) in entries(&folder).unwrap_or_default() {
                let Some(date) = date.to_str().filter(|_| kind == EntryKind::Directory) else {
                    continue;
                };
                let Some(day) = date.strip_prefix("date=") else { continue };
                let is_old = |name: &str| {
                    let name = name.strip_suffix(".parquet").filter(|name| is_name(name));
                    name.is_some_and(|name| self.list.find(table, day, name).is_none())
                };
                sweep(&folder.join(date), &is_old);
                // A folder that is not empty stays.
                let _ = remove_dir(&folder.join(date));
            }
            let _ = remove_dir(&folder);
        }
        removed
    }
}

/// Whether it is the name of a file of a partition, without its ending.
fn is_name(name: &str) -> bool {
    name.len() == 32 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn refuse_others(list: &LakeManifest, runs: &[ExportedRun], out: &PathAt) -> Result<(), OpsError> {
    let chosen: BTreeSet<String> = runs.iter().map(ExportedRun::run_id).collect();
    let listed = list.partitions.iter().flat_map(|partition| &partition.runs);
    let others: BTreeSet<&str> =
        listed.map(|run| &*run.run_id).filter(|run| !chosen.contains(*run)).collect();
    match others.first() {
        None => Ok(()),
        Some(first) => Err(OpsError::OtherRuns {
            directory: out.path().to_owned(),
            count: others.len() as u64,
            run_id: (*first).to_owned(),
        }),
    }
}

/// The runs by day.
fn partitions(
    runs: &[ExportedRun],
    tables: &TableSet,
    list: &LakeManifest,
    out: &PathAt,
) -> Vec<Partition> {
    let related = related(runs);
    let mut days: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, run) in runs.iter().enumerate() {
        days.entry(run.day().unwrap_or_else(|| UNKNOWN_DATE.to_owned())).or_default().push(at);
    }
    let heads = |wanted: &[usize]| {
        let heads = wanted.iter().map(|run| &runs[*run]);
        heads.map(|run| (run.run_id(), &*run.head)).collect::<Vec<_>>()
    };
    let partition = |(date, mut of_day): (String, Vec<usize>)| {
        of_day.sort_by_cached_key(|run| (runs[*run].run_id(), runs[*run].head.clone()));
        let related: BTreeSet<usize> =
            of_day.iter().flat_map(|run| related.get(run).into_iter().flatten()).copied().collect();
        let mut related = heads(&related.into_iter().collect::<Vec<_>>());
        related.sort_unstable();
        let name = name_of(&heads(&of_day), &related);
        let none = TableSet::exactly(Vec::new());
        let mut partition =
            Partition { date, name, runs: of_day, present: Vec::new(), missing: none };
        let mut missing = Vec::new();
        for table in tables.all() {
            match partition.find(*table, list, out) {
                Some(file) => partition.present.push(file),
                None => missing.push(*table),
            }
        }
        partition.missing = TableSet::exactly(missing);
        partition
    };
    days.into_iter().map(partition).collect()
}

/// The other runs that may have some of the same work, by the index of the run.
fn related(runs: &[ExportedRun]) -> BTreeMap<usize, BTreeSet<usize>> {
    let each: Vec<(&RunDir, &RunFacts)> = runs.iter().map(|run| (&run.run, &run.facts)).collect();
    let mut related: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for group in related_runs(&each) {
        for at in &group {
            let others = group.iter().copied().filter(|other| other != at);
            related.entry(*at).or_default().extend(others);
        }
    }
    related
}

impl Partition {
    fn is_complete(&self) -> bool {
        self.missing.all().is_empty()
    }

    fn path(&self, table: TableName) -> String {
        format!("{}/date={}/{}.parquet", table.name(), self.date, self.name)
    }

    fn file(&self, table: TableName, rows: u64, bytes: u64) -> FileEntry {
        FileEntry { table: table.name().to_owned(), file: self.path(table), rows, bytes }
    }

    /// The file of a table, if it is there. An export that was stopped may have left it without
    /// listing it.
    fn find(&self, table: TableName, list: &LakeManifest, out: &PathAt) -> Option<FileEntry> {
        let path = out.join(self.path(table));
        let bytes = path.metadata().ok().filter(|_| is_regular(&path))?.len();
        let listed = list.find(table, &self.date, &self.name).filter(|file| file.bytes == bytes);
        match listed {
            Some(file) => Some(file.clone()),
            None => Some(self.file(table, rows_in(&path)?, bytes)),
        }
    }
}

/// Writes the tables of a partition.
struct ParquetSink {
    files: Vec<(TableName, ParquetFile)>,
}

impl TableSink for ParquetSink {
    fn row(&mut self, table: TableName, cells: &[TableCell<'_>]) -> Result<(), OpsError> {
        match self.files.iter_mut().find(|(known, _)| *known == table) {
            Some((_, file)) => file.row(cells),
            None => Ok(()),
        }
    }
}
