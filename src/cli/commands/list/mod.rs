//! `runlog list`

mod filter;
mod index_page;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

pub(super) use self::filter::RunFilter;
use super::runs::{RunColumn, RunRow, SortKey, TableForm, compare, runs_table, tsv};
use super::{Global, now};
use crate::cli::exit::{Exit, no_runs};
use crate::cli::file_format::by_ending;
use crate::cli::parallel::{THREADS, each};
use crate::cli::ui::Ui;
use crate::json;
use crate::ops::list::{ListedRun, list_run};
use crate::ops::tables::Copies;
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::run::document::TotalDocument;
use crate::run::output_path::put_output;
use crate::run::runs::survey;
use crate::text::human::plural;
use crate::text::inert::preview;

/// Print the runs, the newest work first
///
/// The figures come from run.json, which is written at each lifecycle event. FAIL counts tool calls
/// that failed, ERR errors. IN is all input, with cached tokens. ≥ marks a lower bound. In COST, ~
/// marks an estimate by list prices, and + a lower bound. After a MODEL, +2 stands for two more.
/// DELIV is the newest verdict that `validate --record` recorded.
/// On a terminal, names are shortened to what still identifies the run, then
/// minor columns are omitted, then names and titles are cut; the status stays.
#[derive(Debug, Args)]
#[command(visible_alias = "ls", after_help = AFTER_HELP)]
pub(in crate::cli) struct ListArgs {
    #[command(flatten)]
    filter: RunFilter,
    /// What to sort by: names from A to Z, other keys from the newest or largest
    #[arg(long, value_enum, default_value_t, value_name = "KEY")]
    sort: SortKey,
    /// Reverse the order
    #[arg(long)]
    reverse: bool,
    /// Print at most N runs
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,
    /// The columns, separated by commas (run,status,start,title)
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        value_name = "LIST",
        hide_possible_values = true
    )]
    columns: Vec<RunColumn>,
    /// The output format [default: what the name of --output ends with (.json, .tsv, .html), else
    /// table]
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<ListFormat>,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
Columns:
  run, status, age, start, time, agent, model, events, prompts, calls, fail,
  err, in, out, cost, deliv, directory, branch, title

Examples:
  runlog list                                    all runs
  runlog list --status failed --since 7d         what failed in the last week
  runlog list --agent codex --grep parser        by agent, and title or prompt
  runlog list --where metadata.git_branch=main   by any member of run.json
  runlog list --format tsv --columns run,cost    exact values for other programs
  runlog list --output runs/index.html           a page with links

Exit status:
  0   success, also if no run matches
  2   wrong usage
  65  a settings file has a mistake (the runs are printed)
  66  the runs directory that was named does not exist
  74  a run or the output could not be read or written
  77  a path is unsafe, or permission is missing";

/// The formats of a list of runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ListFormat {
    /// For people
    Table,
    /// For programs: run.json of each run, and totals
    Json,
    /// For programs: exact values, separated by tabs
    Tsv,
    /// The names of the runs, one per line
    Ids,
    /// A page for a browser
    Html,
}

/// What the name of an output file ends with.
const ENDINGS: &[(&str, ListFormat)] = &[
    ("json", ListFormat::Json),
    ("tsv", ListFormat::Tsv),
    ("html", ListFormat::Html),
    ("htm", ListFormat::Html),
];

impl ListArgs {
    fn format(&self) -> ListFormat {
        let by_name = || by_ending(self.output.as_deref(), ENDINGS);
        self.format.or_else(by_name).unwrap_or(ListFormat::Table)
    }
}

#[derive(Serialize)]
struct ListDocument<'l> {
    schema_version: u32,
    runs: RunDocuments<'l>,
    total: TotalDocument,
}

/// The documents of the runs. Each becomes a value when it is written: the values of ten thousands
/// take gigabytes.
struct RunDocuments<'l>(&'l [Listed]);

impl Serialize for RunDocuments<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(document))
    }
}

/// This many runs that cannot be read are named.
const NAMED: usize = 3;

/// A run with the data of its state document.
struct Listed {
    run: RunDir,
    row: RunRow,
    /// Empty unless the output has it.
    document: Vec<u8>,
}

/// The agents of the runs, if the filter names another.
fn other_agents(filter: &RunFilter, runs: &[RunDir]) -> Option<String> {
    let wanted = filter.agent()?;
    let agent = |run: &RunDir| list_run(run.clone()).facts.metadata("agent");
    let agents: BTreeSet<String> = runs.iter().filter_map(agent).collect();
    let told = || agents.iter().map(|agent| preview(agent, 40)).collect::<Vec<_>>().join(", ");
    let is_known = agents.iter().any(|agent| agent.eq_ignore_ascii_case(wanted));
    (!agents.is_empty() && !is_known).then(told)
}

pub(super) fn run(args: &ListArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    global.named_runs_dir_exists()?;
    let format = args.format();
    let mut found = survey(&global.runs_dir)?;
    let names: Vec<String> = found.runs.iter().map(RunDir::name).collect();
    let now = now();
    let listed = each(THREADS, &found.runs, "reading", ui, |run| {
        let mut listed = look(run.clone())?;
        let is_wanted = args.filter.takes(&listed.row, &listed.document, now);
        // Ten thousands of documents are some hundred megabytes.
        if format != ListFormat::Json {
            listed.document = Vec::new();
        }
        Ok(is_wanted.then_some(listed))
    });
    let mut runs = Vec::new();
    for listed in listed {
        match listed {
            Ok(listed) => runs.extend(listed),
            Err(error) => found.unreadable.push(error),
        }
    }
    runs.sort_by(|one, other| compare(args.sort, args.reverse, &one.row, &other.row));
    runs.truncate(args.limit.unwrap_or(usize::MAX));
    let rows: Vec<&RunRow> = runs.iter().map(|listed| &listed.row).collect();
    if runs.is_empty() && format != ListFormat::Json {
        let place = global.runs_dir.display();
        match () {
            () if !names.is_empty() => ui.note(&format!("no run in {place} matches")),
            // The errors below name the runs that there are.
            () if !found.unreadable.is_empty() => {}
            () => ui.note(&format!("there are no runs in {place}: {}", no_runs(&global.runs_dir))),
        }
        if let Some(agents) = other_agents(&args.filter, &found.runs) {
            ui.note(&format!("the agents of these runs are {agents}"));
        }
    }
    let text = match format {
        ListFormat::Json => {
            let each = || runs.iter().map(|listed| (&listed.run, &listed.row.facts));
            let total = Copies::among(each()).total(each());
            let total = TotalDocument::from(&total);
            json::document(&ListDocument { schema_version: 1, runs: RunDocuments(&runs), total })
        }
        ListFormat::Tsv => tsv(&rows, &args.columns),
        ListFormat::Ids => rows.iter().map(|row| format!("{}\n", row.name)).collect(),
        ListFormat::Html => {
            let runs: Vec<(&RunDir, &RunRow)> =
                runs.iter().map(|listed| (&listed.run, &listed.row)).collect();
            let output = args.output.as_deref();
            index_page::render(&runs, output.unwrap_or(&global.runs_dir.join("index.html")))
        }
        ListFormat::Table if rows.is_empty() => String::new(),
        ListFormat::Table => {
            if rows.iter().any(|row| row.behind) {
                ui.note("* these numbers may be old: they are from the last start, pause or end of the run; `runlog summarize` counts again");
            }
            let form = TableForm {
                columns: &args.columns,
                total: None,
                width: ui.row_width().filter(|_| args.output.is_none()),
                color: ui.color() && args.output.is_none(),
                names: &names,
            };
            runs_table(&rows, form, now)
        }
    };
    match &args.output {
        Some(path) if path != Path::new("-") => {
            put_output(path, text.as_bytes())?;
            ui.note(&format!("wrote {}", path.display()));
        }
        _ => ui.data(text.as_bytes())?,
    }
    global.settings()?;
    let last = found.unreadable.pop();
    let others = found.unreadable.len();
    found.unreadable.into_iter().take(NAMED).for_each(|error| ui.warn(&error.to_string()));
    if let Some(more @ 1..) = others.checked_sub(NAMED) {
        ui.warn(&format!("{} cannot be read, too", plural(more as u64, "more run")));
    }
    last.map_or(Ok(Exit::Fine), |error| Err(error.into()))
}

/// The run as a table row, with its state document.
///
/// # Errors
/// Its log is there and cannot be read.
fn look(run: RunDir) -> Result<Listed, RunError> {
    let ListedRun { run, facts, document, behind, unread } = list_run(run);
    if let Some(error) = unread {
        return Err(error);
    }
    let row = RunRow { name: run.name(), facts, behind };
    Ok(Listed { run, row, document })
}

fn document(listed: &Listed) -> Value {
    // The row was read from the same document, so it is valid.
    let mut document: Value = serde_json::from_slice(&listed.document).unwrap_or(json!({}));
    document["path"] = listed.run.path().display().to_string().into();
    if listed.row.behind {
        document["behind"] = true.into();
    }
    document
}
