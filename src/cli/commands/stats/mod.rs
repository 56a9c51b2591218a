//! `runlog stats`

mod output;

use std::sync::Mutex;

use clap::{Args, ValueEnum};

use super::groups::help_row;
use super::list::RunFilter;
use super::runs::RunRow;
use super::{Global, WantedRuns, now};
use crate::cli::complete;
use crate::cli::exit::{Exit, Failure, sentence};
use crate::cli::parallel::each_run;
use crate::cli::ui::Ui;
use crate::history::facts::RunFacts;
use crate::ops::list::list_run;
use crate::ops::stats::run_groups;
use crate::ops::tables::Copies;
use crate::run::dir::RunDir;
use crate::run::runs::survey;
use crate::tables::statistics::{Dimension, Groups, MEASURES};
use crate::text::human::plural;
use output::Statistics;

/// Print costs, tokens, failures and times of many runs, in groups
///
/// Without RUN, all runs are read. What several runs have in common, because a session was resumed
/// or forked, is counted once. ~ marks an estimate by list prices, + a cost that lacks a part, and ≥ a
/// number that may be higher. REQUESTS are the model calls that report tokens or a cost. CONTEXT is the
/// largest input of one of them, in the total too.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP, after_long_help = long_help())]
pub(in crate::cli) struct StatsArgs {
    /// The runs: ids, beginnings of ids, `latest`, or paths of run directories (with a /)
    #[arg(value_name = "RUN", add = complete::runs())]
    runs: Vec<String>,
    /// All runs, which is the default
    #[arg(long, conflicts_with = "runs")]
    all: bool,
    /// What to group by, separated by commas
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "model",
        value_name = "LIST",
        hide_possible_values = true
    )]
    by: Vec<Dimension>,
    #[command(flatten)]
    filter: RunFilter,
    /// What to sort by [default: cost; name if a group has a time]
    #[arg(long, value_enum, value_name = "KEY")]
    sort: Option<StatsSort>,
    /// Print at most N groups
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,
    /// The output format
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: StatsFormat,
}

const AFTER_HELP: &str = "\
Groups:
  of runs         agent, version, project, branch, pull-request, status, run
  of their work   model, day, month, prompt, subagent
  of tool calls   tool, kind (edit, read, search, command, test, web …)
  of files        file

Days are days in UTC. Groups with a day, a month or a prompt are sorted by name,
the others by cost; --sort chooses. A retry is a call after the same agent's
latest call of the tool had failed. A repeat has the same arguments as an
earlier call of the same agent.

Examples:
  runlog stats --by model,day            cost per model and day
  runlog stats --by project --since 7d   where last week's money went
  runlog stats --by tool                 which tool fails most, and is slow
  runlog stats RUN1 RUN2 --by run        what differs between two runs
  runlog stats --by file,run             which sessions touched which files
  runlog stats latest --by prompt        what filled the context
  runlog stats --by subagent,tool        calls of the agents inside a run
  runlog stats --by month --format csv   for a spreadsheet

Exit status:
  0   success, also if no run matches
  2   wrong usage
  66  there is no such run
  74  a run or the output could not be read or written
  77  a path is unsafe, or permission is missing";

/// The end of the long help: what the columns are, then what the short help has.
fn long_help() -> String {
    let lines = MEASURES.iter().filter_map(|measure| {
        measure.heading.map(|heading| help_row(heading, 10, measure.purpose))
    });
    format!("Columns:\n{}\n{AFTER_HELP}", lines.collect::<String>())
}

/// The order of the groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum StatsSort {
    /// The highest cost first; where no group has one, the most tokens, time or calls
    Cost,
    /// By the groups, in the order of --by
    Name,
}

/// The formats of statistics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum StatsFormat {
    /// For people
    #[default]
    Table,
    /// For programs: all numbers of each group, and the total
    Json,
    /// For spreadsheets: all numbers of each group
    Csv,
}

impl ValueEnum for Dimension {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.name()))
    }
}

pub(super) fn run(args: &StatsArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let is_again = |(at, one): (usize, &Dimension)| args.by[..at].contains(one);
    if let Some((_, twice)) = args.by.iter().enumerate().find(|one| is_again(*one)) {
        let message = format!("--by has {} twice", twice.name());
        return Err(Failure::new(Exit::Usage, message).into());
    }
    let WantedRuns { runs, missing } = WantedRuns::find(&args.runs, args.runs.is_empty(), global)?;
    let runs = selected(runs, &args.filter);
    let copies = Copies::among(runs.iter().map(|(run, facts)| (run, facts)));
    let runs: Vec<RunDir> = runs.into_iter().map(|(run, _)| run).collect();
    let groups = Mutex::new(Groups::default());
    let (_, failure) = each_run(&runs, "reading", ui, |run| {
        let found = run_groups(run, &args.by, &copies, ui)?;
        let _ = groups.lock().map(|mut groups| groups.add(found));
        Ok(())
    });
    let mut groups = groups.into_inner().unwrap_or_default();
    groups.settle();
    let statistics = Statistics::new(groups, &args.by, args.sort, args.limit);
    let text = match args.format {
        StatsFormat::Table if statistics.is_empty() => {
            if missing.is_empty() {
                ui.note("there is nothing to count");
            }
            String::new()
        }
        StatsFormat::Table => {
            let names: Vec<String> = match args.by.contains(&Dimension::Run) {
                true => survey(&global.runs_dir)?.runs.iter().map(RunDir::name).collect(),
                false => Vec::new(),
            };
            statistics.table(ui.row_width(), &names)
        }
        StatsFormat::Json => statistics.json(),
        StatsFormat::Csv => statistics.csv(),
    };
    ui.data(text.as_bytes())?;
    if statistics.left_out() > 0 && args.format == StatsFormat::Table {
        let more = plural(statistics.left_out() as u64, "more group");
        ui.note(&format!("{more} in the total; -n chooses how many are printed"));
    }
    let mut failures: Vec<anyhow::Error> = missing.into_iter().chain(failure).collect();
    let Some(last) = failures.pop() else { return Ok(Exit::Fine) };
    failures.iter().for_each(|failure| ui.warn(&sentence(failure)));
    Err(last)
}

/// The runs that meet the conditions, with their facts.
fn selected(runs: Vec<RunDir>, filter: &RunFilter) -> Vec<(RunDir, RunFacts)> {
    let now = now();
    let runs = runs.into_iter().map(list_run).filter_map(|listed| {
        let row = RunRow { name: listed.run.name(), facts: listed.facts, behind: listed.behind };
        filter.takes(&row, &listed.document, now).then_some((listed.run, row.facts))
    });
    runs.collect()
}
