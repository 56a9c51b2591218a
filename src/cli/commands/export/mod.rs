//! `runlog export`

mod ddl;
mod tables;

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Global, WantedRuns};
use crate::cli::complete;
use crate::cli::exit::{Exit, Failure, sentence};
use crate::cli::parallel::each_run;
use crate::cli::ui::Ui;
use crate::fs::{PathAt, replace};
use crate::history::facts::RunFacts;
use crate::ops::export::{RunFormat, render_run};
use crate::ops::list::list_run;
use crate::ops::tables::Copies;
use crate::run::dir::RunDir;
use crate::tables::TableName;

/// Write runs in the formats of other programs
///
/// Without RUN, all runs are written. Formats of tables (parquet, sqlite, csv) hold all runs
/// together; the others hold one run in each file.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(in crate::cli) struct ExportArgs {
    /// The runs: ids, beginnings of ids, `latest`, or paths of run directories (with a /)
    #[arg(value_name = "RUN", add = complete::runs())]
    runs: Vec<String>,
    /// All runs, which is the default
    #[arg(long, conflicts_with = "runs")]
    all: bool,
    /// The format
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: ExportTo,
    /// The directory or file to write. One run without tables can go to standard output
    #[arg(short, long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// The tables, separated by commas [default: runs,calls,usage,events,findings,files]
    #[arg(long, value_delimiter = ',', value_parser = tables::table, value_name = "LIST")]
    tables: Vec<TableName>,
}

const AFTER_HELP: &str = "\
Examples:
  runlog export latest --to otlp | curl -d @- http://localhost:4318/v1/traces \\
      -H 'content-type: application/json'

Exit status:
  0   success
  2   wrong usage
  66  there is no such run
  74  a run could not be read or a file could not be written";

/// The formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ExportTo {
    /// OpenTelemetry spans as OTLP/JSON, by the GenAI conventions
    Otlp,
    /// A trajectory of the Agent Trajectory Interchange Format, version 1.8
    Atif,
    /// A trace for Perfetto and chrome://tracing
    Perfetto,
    /// Arrays of events as the AOS platform takes them
    Aos,
    /// Tables as CSV files, one for each table
    Csv,
    /// Tables as an SQLite database
    #[cfg(feature = "sqlite")]
    Sqlite,
    /// Tables as Parquet files, in a directory for each day. Only what changed is written
    #[cfg(feature = "parquet")]
    Parquet,
    /// SQL for duckdb, clickhouse or postgres (named in place of RUN)
    Ddl,
}

impl ExportTo {
    /// The format, if it holds one run in each file.
    fn of_run(self) -> Option<RunFormat> {
        Some(match self {
            Self::Otlp => RunFormat::Otlp,
            Self::Atif => RunFormat::Atif,
            Self::Perfetto => RunFormat::Perfetto,
            Self::Aos => RunFormat::Aos,
            _ => return None,
        })
    }
}

pub(super) fn run(args: &ExportArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    if args.to == ExportTo::Ddl {
        return ddl::run(args, global, ui);
    }
    if args.to.of_run().is_none() {
        return tables::run(args, global, ui);
    }
    if !args.tables.is_empty() {
        let failure = Failure::new(Exit::Usage, "this format has no tables");
        return Err(failure.hint("--tables is for csv, sqlite and parquet").into());
    }
    let WantedRuns { runs, missing } = WantedRuns::find(&args.runs, args.runs.is_empty(), global)?;
    let listed = runs.into_iter().map(list_run).map(|listed| (listed.run, listed.facts));
    let runs: Vec<(RunDir, RunFacts)> = listed.collect();
    let copies = Copies::among(&runs)?;
    let runs: Vec<RunDir> = runs.into_iter().map(|(run, _)| run).collect();
    let failure = match args.to.of_run() {
        Some(format) => each_document(args, format, &runs, &copies, ui)?,
        None => None,
    };
    let mut failures: Vec<anyhow::Error> = missing.into_iter().chain(failure).collect();
    let Some(last) = failures.pop() else { return Ok(Exit::Fine) };
    failures.iter().for_each(|failure| ui.warn(&sentence(failure)));
    Err(last)
}

/// Writes a file for each run, or one run to standard output.
fn each_document(
    args: &ExportArgs,
    format: RunFormat,
    runs: &[RunDir],
    copies: &Copies,
    ui: &Ui,
) -> anyhow::Result<Option<anyhow::Error>> {
    let out = args.out.as_deref().filter(|out| out.as_os_str() != "-");
    match (out, runs) {
        (None, [run]) => {
            ui.data(&render_run(&run.hold()?, format, copies)?)?;
            Ok(None)
        }
        (None, _) => {
            let failure = Failure::new(Exit::Usage, "several runs need --out DIR");
            Err(failure.hint("runlog export --to FORMAT --all --out DIR").into())
        }
        (Some(directory), _) => {
            std::fs::create_dir_all(directory)?;
            let (_, failure) = each_run(runs, "exporting", ui, |run| {
                let bytes = render_run(run, format, copies)?;
                let name = format!("{}{}", run.name(), format.ending());
                Ok(replace(&PathAt::of(directory.join(name)), &bytes)?)
            });
            Ok(failure)
        }
    }
}
