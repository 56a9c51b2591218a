//! `runlog export`

mod ddl;
mod tables;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::{Global, WantedRuns};
use crate::cli::complete;
use crate::cli::exit::{Exit, Failure, sentence};
use crate::cli::parallel::each_run;
use crate::cli::ui::Ui;
use crate::fs::{Action, FsError};
use crate::history::facts::RunFacts;
use crate::ops::export::{RunFormat, render_run};
use crate::ops::list::list_run;
use crate::ops::tables::Copies;
use crate::run::dir::RunDir;
use crate::run::output_path::{output_path, put_output};
use crate::tables::TableName;
use crate::text::human::plural;

/// Write runs in the formats of other programs
///
/// Without RUN, all runs are written. Formats of tables (parquet, sqlite, csv) hold all runs
/// together; the others hold one run in each file.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(in crate::cli) struct ExportRunsArgs {
    /// The runs: ids, beginnings of ids, `latest`, or paths of run directories (with a /)
    #[arg(value_name = "RUN", add = complete::runs())]
    runs: Vec<String>,
    /// All runs, which is the default
    #[arg(long, conflicts_with = "runs")]
    all: bool,
    /// The format
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: ExportTo,
    /// The directory to write; with sqlite, the file. One run without tables can go to standard
    /// output or to a file that ends in .json
    #[arg(short, long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// With `--to otlp`: also write the arguments and results of calls, and the title. They may hold
    /// what a tracing backend should not get
    #[arg(long)]
    content: bool,
    /// The tables, separated by commas [default: runs,calls,usage,events,findings,files]
    #[arg(long, value_delimiter = ',', value_parser = tables::table, value_name = "LIST")]
    tables: Vec<TableName>,
}

const AFTER_HELP: &str = "\
Examples:
  runlog export latest --to otlp | curl -d @- http://localhost:4318/v1/traces \\
      -H 'content-type: application/json'
  runlog export fix-42 --to atif > fix-42.atif.json
  runlog export --all --to perfetto --out traces/
  runlog export latest --to aos | head -n 1 | jq .

Exit status:
  0   success
  2   wrong usage
  66  there is no such run
  73  the directory cannot be created, or has other runs (parquet)
  74  a run could not be read or a file could not be written
  75  another export is still writing to the directory
  77  the path is unsafe, for example a symbolic link";

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
    /// SQL for duckdb, clickhouse or postgres, named in place of RUN; after it, a directory with
    /// Parquet files
    Ddl,
}

impl ExportTo {
    /// The format, if it holds one run in each file.
    fn of_run(self, with_content: bool) -> Option<RunFormat> {
        Some(match self {
            Self::Otlp => RunFormat::Otlp { with_content },
            Self::Atif => RunFormat::Atif,
            Self::Perfetto => RunFormat::Perfetto,
            Self::Aos => RunFormat::Aos,
            _ => return None,
        })
    }
}

impl ExportTo {
    /// What people do with the files.
    fn next_step(self) -> &'static str {
        match self {
            Self::Otlp => "Send each to a collector: curl -d @FILE …/v1/traces",
            Self::Atif => "Programs that read ATIF trajectories take them",
            Self::Perfetto => "Open one on https://ui.perfetto.dev",
            Self::Aos => "Each line is the body of one request to the platform",
            _ => "",
        }
    }
}

pub(super) fn run(args: &ExportRunsArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    if args.content && args.to != ExportTo::Otlp {
        let failure = Failure::new(Exit::Usage, "--content is for --to otlp");
        return Err(failure.hint("the other formats hold the content anyway").into());
    }
    if args.to == ExportTo::Ddl {
        return ddl::run(args, global, ui);
    }
    let Some(format) = args.to.of_run(args.content) else {
        return tables::run(args, global, ui);
    };
    if !args.tables.is_empty() {
        let failure = Failure::new(Exit::Usage, "this format has no tables");
        return Err(failure.hint("--tables is for csv, sqlite and parquet").into());
    }
    let WantedRuns { runs, missing } = WantedRuns::find(&args.runs, args.runs.is_empty(), global)?;
    let listed = runs.into_iter().map(list_run).map(|listed| (listed.run, listed.facts));
    let runs: Vec<(RunDir, RunFacts)> = listed.collect();
    let copies = Copies::among(runs.iter().map(|(run, facts)| (run, facts)));
    let runs: Vec<RunDir> = runs.into_iter().map(|(run, _)| run).collect();
    let failure = each_document(args, format, &runs, &copies, ui)?;
    let mut failures: Vec<anyhow::Error> = missing.into_iter().chain(failure).collect();
    let Some(last) = failures.pop() else { return Ok(Exit::Fine) };
    failures.iter().for_each(|failure| ui.warn(&sentence(failure)));
    Err(last)
}

/// Whether a path is meant as the file of the run that is named: it ends in `.json` and is no
/// directory.
fn is_document(path: &Path, args: &ExportRunsArgs) -> bool {
    let is_json = path.as_os_str().as_encoded_bytes().ends_with(b".json");
    is_json && args.runs.len() == 1 && !path.is_dir()
}

/// Writes a file for each run, or one run to the file `….json` or to standard output.
fn each_document(
    args: &ExportRunsArgs,
    format: RunFormat,
    runs: &[RunDir],
    copies: &Copies,
    ui: &Ui,
) -> anyhow::Result<Option<anyhow::Error>> {
    let out = args.out.as_deref().filter(|out| out.as_os_str() != "-");
    match (out, runs) {
        // The errors say why there are no runs.
        (_, []) => Ok(None),
        (None, [run]) => {
            ui.data(&render_run(&run.hold()?, format, copies, ui)?)?;
            Ok(None)
        }
        (None, _) => {
            let failure = Failure::new(Exit::Usage, "several runs need --out DIR");
            Err(failure.hint("runlog export --to FORMAT --all --out DIR").into())
        }
        (Some(file), [run]) if is_document(file, args) => {
            put_output(file, &render_run(&run.hold()?, format, copies, ui)?)?;
            ui.note(&format!("wrote {}", file.display()));
            Ok(None)
        }
        (Some(directory), _) => {
            output_path(directory)?;
            std::fs::create_dir_all(directory)
                .map_err(|error| FsError::io(directory, Action::Create, error))?;
            let (written, failure) = each_run(runs, "exporting", ui, |run| {
                let bytes = render_run(run, format, copies, ui)?;
                let name = format!("{}{}", run.name(), format.ending());
                Ok(put_output(&directory.join(name), &bytes)?)
            });
            let files = plural(written.len() as u64, "file");
            let next = args.to.next_step();
            ui.note(&format!("{files} in {}. {next}", directory.display()));
            Ok(failure)
        }
    }
}
