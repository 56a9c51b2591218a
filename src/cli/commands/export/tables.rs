//! `runlog export` in the formats of tables.

use std::cmp::Reverse;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use super::{ExportRunsArgs, ExportTo};
use crate::check::finding::Findings;
use crate::cli::commands::{Global, WantedRuns};
use crate::cli::exit::{Exit, Failure, sentence};
use crate::cli::parallel::each_run;
use crate::cli::progress::Progress;
use crate::cli::ui::Ui;
use crate::history::facts::RunFacts;
use crate::ops::error::OpsError;
#[cfg(feature = "sqlite")]
use crate::ops::export::export_sqlite;
use crate::ops::export::{ExportedRun, RowSource, TableSet, TablesWritten, export_csv, stream_csv};
#[cfg(feature = "parquet")]
use crate::ops::export::{ParquetExport, ParquetWritten};
use crate::ops::tables::Copies;
use crate::ops::validate::Criteria;
use crate::run::dir::RunDir;
use crate::run::output_path::output_path;
use crate::tables::TableName;
use crate::text::human::{count, plural, size};

/// How long to wait for another export to the same directory.
const PATIENCE: Duration = Duration::from_secs(10);

/// The table with this name.
pub(super) fn table(name: &str) -> Result<TableName, String> {
    let known = TableName::ALL.into_iter().find(|table| table.name() == name);
    known.ok_or_else(|| format!("use some of: {}", TableName::ALL.map(TableName::name).join(", ")))
}

/// Writes the tables of the runs.
pub(super) fn run(args: &ExportRunsArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let tables = TableSet::of(&args.tables);
    let out = args.out.as_deref().filter(|out| out.as_os_str() != "-");
    check_out(args, &tables, out, global)?;
    let found = WantedRuns::find(&args.runs, args.runs.is_empty(), global)?;
    found.check_settings()?;
    let WantedRuns { runs, missing } = found;
    let look = |run: &RunDir| Ok(ExportedRun::of(run)?);
    let (mut runs, failure) = each_run(&runs, "looking at runs", ui, look);
    runs.sort_by_cached_key(|run| {
        let (id, events) = (run.run_id(), Reverse(run.facts.counts.events));
        let is_renamed = run.run.name() != id;
        (id, events, is_renamed, run.run.path().to_owned())
    });
    // The tables are joined by the ids of runs.
    runs.dedup_by(|copy, longest| {
        let is_copy = copy.run_id() == longest.run_id();
        if is_copy {
            let (copy, run) = (copy.run.path(), longest.run.path());
            let of = format!("a copy of the run in {}", run.display());
            ui.warn(&format!("{} is left out: it is {of}", copy.display()));
        }
        is_copy
    });
    let mut failures: Vec<anyhow::Error> = missing.into_iter().chain(failure).collect();
    if !runs.is_empty() {
        let settings = global.settings()?;
        let expected_status = settings.expected_status();
        let criteria = Criteria {
            named: &[],
            secrets: settings.rules(None)?,
            templates: settings.templates(None)?,
            require: &[],
            expected_head: None,
            expected_status: &expected_status,
            most_findings: Findings::MOST,
            hashes: false,
        };
        let job = TablesJob { args, tables, criteria, ui };
        job.write(runs, out)?;
    }
    let Some(last) = failures.pop() else { return Ok(Exit::Fine) };
    failures.iter().for_each(|failure| ui.warn(&sentence(failure)));
    Err(last)
}

fn check_out(
    args: &ExportRunsArgs,
    tables: &TableSet,
    out: Option<&Path>,
    global: &Global,
) -> anyhow::Result<()> {
    let failure = |message: &str, hint: &str| Failure::new(Exit::Usage, message).hint(hint);
    let real = |path: &Path| path.canonicalize().ok();
    if out.and_then(real).is_some_and(|out| real(&global.runs_dir).is_some_and(|runs| runs == out))
    {
        return Err(failure("--out names the runs directory", "name another directory").into());
    }
    Err(match args.to {
        _ if out.is_some() => return Ok(()),
        ExportTo::Csv if tables.all().len() == 1 => return Ok(()),
        ExportTo::Csv => failure(
            "several tables need --out DIR",
            "runlog export --to csv --out DIR, or one table: --tables runs",
        ),
        #[cfg(feature = "sqlite")]
        ExportTo::Sqlite => {
            failure("a database needs --out FILE", "runlog export --to sqlite --out FILE.db")
        }
        _ => failure("the files need --out DIR", "runlog export --to parquet --out DIR"),
    }
    .into())
}

/// An export of tables.
struct TablesJob<'j> {
    args: &'j ExportRunsArgs,
    tables: TableSet,
    criteria: Criteria<'j>,
    ui: &'j Ui,
}

impl TablesJob<'_> {
    fn write(&self, runs: Vec<ExportedRun>, out: Option<&Path>) -> anyhow::Result<()> {
        #[cfg(feature = "parquet")]
        if let (ExportTo::Parquet, Some(out)) = (self.args.to, out) {
            return self.parquet(runs, out);
        }
        let known: Vec<(RunDir, RunFacts)> =
            runs.into_iter().map(|run| (run.run, run.facts)).collect();
        let copies = Copies::among(known.iter().map(|(run, facts)| (run, facts)));
        let source = RowSource { copies: &copies, report: self.ui, criteria: &self.criteria };
        let runs: Vec<RunDir> = known.into_iter().map(|(run, _)| run).collect();
        let progress = self.progress(runs.len());
        let step = || step(&progress);
        let written = match (self.args.to, out) {
            (ExportTo::Csv, None) => {
                let mut out = UiOutput(self.ui);
                let table = self.tables.all().first().copied().unwrap_or(TableName::Runs);
                return match stream_csv(&runs, table, &source, &mut out, &step) {
                    // The reader has seen enough.
                    Err(OpsError::Output(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
                    outcome => Ok(outcome?),
                };
            }
            #[cfg(feature = "sqlite")]
            (ExportTo::Sqlite, Some(out)) => {
                export_sqlite(&runs, &self.tables, &source, &output_path(out)?, &step)?
            }
            (_, Some(out)) => {
                export_csv(&runs, &self.tables, &source, &output_path(out)?, PATIENCE, &step)?
            }
            (_, None) => return Ok(()),
        };
        drop(progress);
        if let Some(out) = out {
            self.ui.note(&told(&written, self.tables.all().len(), out));
        }
        Ok(())
    }

    #[cfg(feature = "parquet")]
    fn parquet(&self, runs: Vec<ExportedRun>, out: &Path) -> anyhow::Result<()> {
        let all = self.args.runs.is_empty();
        let tables = self.tables.clone();
        let export = ParquetExport::prepare(runs, all, tables, &output_path(out)?, PATIENCE)?;
        let to_read = export.runs_to_read();
        let copies = match to_read {
            0 => Copies::default(),
            _ => Copies::among(export.runs().iter().map(|(run, facts)| (run, facts))),
        };
        let source = RowSource { copies: &copies, report: self.ui, criteria: &self.criteria };
        let progress = self.progress(to_read);
        let outcome = export.write(&source, &|| step(&progress))?;
        drop(progress);
        self.ui.note(&told_of_parquet(&outcome, out));
        Ok(())
    }

    fn progress(&self, runs: usize) -> Mutex<Progress> {
        Mutex::new(Progress::new(runs, "exporting", self.ui.interactive()))
    }
}

fn step(progress: &Mutex<Progress>) {
    let _ = progress.lock().map(|mut progress| progress.step());
}

fn told(written: &TablesWritten, tables: usize, out: &Path) -> String {
    let (tables, runs) = (plural(tables as u64, "table"), plural(written.runs, "run"));
    let (rows, bytes) = (count(written.rows), size(written.bytes));
    format!("wrote {tables} of {runs} to {}: {rows} rows, {bytes}", out.display())
}

#[cfg(feature = "parquet")]
fn told_of_parquet(outcome: &ParquetWritten, out: &Path) -> String {
    let ParquetWritten { written, partitions, unchanged, removed } = outcome;
    let mut told = match *partitions {
        0 => format!("nothing new for {}", out.display()),
        _ => {
            let (files, runs) = (plural(written.files, "file"), plural(written.runs, "run"));
            let days = plural(*partitions, "partition");
            let (rows, bytes) = (count(written.rows), size(written.bytes));
            format!("wrote {files} of {days} to {}: {runs}, {rows} rows, {bytes}", out.display())
        }
    };
    if *unchanged > 0 {
        let were = if *unchanged == 1 { "was" } else { "were" };
        told += &format!("; {} {were} already there", plural(*unchanged, "partition"));
    }
    if *removed > 0 {
        told += &format!(
            "; removed {} that {} replaced",
            plural(*removed, "file"),
            match removed {
                1 => "is",
                _ => "are",
            }
        );
    }
    told
}

/// Standard output as a stream.
struct UiOutput<'u>(&'u Ui);

impl Write for UiOutput<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.stream(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
