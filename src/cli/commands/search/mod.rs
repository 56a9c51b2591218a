//! `runlog search`

mod human;

use std::sync::atomic::AtomicBool;

use clap::{Args, ValueEnum};

use super::Global;
use super::branch::BranchArgs;
use super::format::HumanOrJson;
use crate::cli::complete;
use crate::cli::exit::{Exit, Failure, sentence};
use crate::cli::offers;
use crate::cli::ui::Ui;
use crate::json;
use crate::ops::report::report_bad_lines;
use crate::ops::search::{
    EventFilter, NamedScope, Query, SearchDocument, SearchOutcome, SearchRequest, search,
};
use crate::text::human::{count, plural, size};

/// Find events by their text
///
/// Searches the content of events (messages, arguments, results, errors, large values moved to
/// blobs/), their current summaries and their types. It does not search event ids, the names of
/// JSON fields, the stored source lines, and lines that the import did not understand (see
/// --opaque).
///
/// QUERY is words, and phrases in double quotes. Upper and lower case count as the same. A word also
/// matches a part of a longer word. An event is found if it has every phrase and at least one of
/// the words. The best hits come first: rare words, whole words and short events rank higher, and so
/// do words that stand next to each other. Of equal hits, the newest comes first.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(in crate::cli) struct SearchArgs {
    /// Words to search for, and phrases in double quotes
    #[arg(value_name = "QUERY", required = true, num_args = 1..)]
    query: Vec<String>,
    /// The run: its id, the beginning of its id, `latest`, or the path of its directory (with a /)
    #[arg(
        long,
        value_name = "RUN",
        env = "RUNLOG_RUN",
        hide_env_values = true,
        default_value = "latest",
        add = complete::runs()
    )]
    run: String,
    /// Which events to search
    #[arg(long, value_enum, default_value_t, value_name = "SCOPE")]
    scope: ScopeArg,
    /// Print the best N hits
    #[arg(short = 'n', long, value_name = "N", default_value = "5", value_parser = top_k)]
    top_k: usize,
    #[command(flatten)]
    branches: BranchArgs,
    /// Only types that match; * matches any text (tool.*)
    #[arg(long = "type", value_name = "GLOB", add = offers::event_types())]
    kind: Option<String>,
    /// Also search lines of another program that the import kept without understanding them
    #[arg(long)]
    opaque: bool,
    /// The output format
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: HumanOrJson,
}

const AFTER_HELP: &str = "\
Examples:
  runlog search timeout                        the newest run
  runlog search '\"connection refused\" db'      a phrase and a word
  runlog search timeout --scope all --type 'tool.*' -n 20
  runlog show latest --event 42                event 42 and what is around it

Exit status:
  0   there is a hit
  1   there is no hit
  2   the query has no word
  66  there is no such run
  74  a file could not be read or written
  77  a path is unsafe, or permission is missing
";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ScopeArg {
    /// Events of the run that its newest session summary covers; none without a summary
    CurrentHidden,
    /// All events of the run
    #[default]
    CurrentRun,
    /// All runs of the runs directory except the run
    OtherRuns,
    /// The run and all other runs
    All,
}

impl ScopeArg {
    fn named(self) -> NamedScope {
        match self {
            Self::CurrentHidden => NamedScope::CurrentHidden,
            Self::CurrentRun => NamedScope::CurrentRun,
            Self::OtherRuns => NamedScope::OtherRuns,
            Self::All => NamedScope::All,
        }
    }
}

fn top_k(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=1000).contains(number));
    number.ok_or_else(|| "use a number from 1 to 1000".to_owned())
}

/// The form of a query, for hints.
const QUERY: &str = "give words, or phrases in double quotes: '\"connection refused\" db'";

pub(super) fn run(args: &SearchArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let query = Query::parse(&args.query.join(" "))
        .map_err(|error| Failure::new(Exit::Usage, error.to_string()).hint(QUERY))?;
    let current = global.locate(&args.run)?;
    let request = SearchRequest {
        query: &query,
        current: &current,
        runs_dir: &global.runs_dir,
        scope: args.scope.named().scope(),
        filter: EventFilter {
            kind: args.kind.clone(),
            branches: args.branches.scope(),
            opaque: args.opaque,
        },
        top: args.top_k,
        is_stopped: &AtomicBool::new(false),
    };
    let outcome = search(&request)?;
    for (run, lines) in &outcome.bad_lines {
        report_bad_lines(*lines, run, ui);
    }
    match args.format {
        HumanOrJson::Json => {
            let document = SearchDocument::of(&query, args.scope.named().name(), &outcome);
            ui.data(json::document(&document).as_bytes())?;
        }
        HumanOrJson::Human => {
            ui.text(&human::hits(&outcome, request.scope.others, ui.row_width(), ui.color()))?;
            conclude(args, &current.name(), &outcome, ui);
        }
    }
    let found = if outcome.hits.is_empty() { Exit::No } else { Exit::Fine };
    let mut failed = outcome.failed;
    let last = failed.pop();
    failed.into_iter().for_each(|error| ui.warn(&sentence(&error.into())));
    last.map_or(Ok(found), |error| Err(error.into()))
}

/// Says how many hits there are, and what to do next.
fn conclude(args: &SearchArgs, current: &str, outcome: &SearchOutcome, ui: &Ui) {
    let searched = outcome.searched;
    let where_ = format!(
        "{} in {} ({})",
        plural(searched.events, "event"),
        plural(searched.runs, "run"),
        size(searched.bytes)
    );
    if outcome.hits.is_empty() {
        let is_current = matches!(args.scope, ScopeArg::CurrentHidden | ScopeArg::CurrentRun);
        let of_run = if is_current { format!("{current}: ") } else { String::new() };
        ui.note(&format!("no hit; searched {of_run}{where_}"));
        match args.scope {
            ScopeArg::CurrentHidden => {
                ui.note("only what a session summary covers was searched; see --scope current-run");
            }
            ScopeArg::CurrentRun => ui.note("--scope all searches the other runs too"),
            ScopeArg::OtherRuns | ScopeArg::All => {}
        }
        return;
    }
    let shown = outcome.hits.len() as u64;
    let more = match outcome.total > shown {
        true => format!("the best {} of {} hits", count(shown), count(outcome.total)),
        false => plural(shown, "hit"),
    };
    let run = outcome.hits.first().map_or(current, |hit| hit.event.run_id.as_str());
    let sequence = outcome.hits.first().map_or(0, |hit| hit.event.sequence);
    ui.note(&format!("{more}; searched {where_}"));
    ui.note(&format!("`runlog show {run} --event {sequence}` prints the whole event"));
}
