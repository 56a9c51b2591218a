//! `runlog summarize`

mod served;
mod session;
mod session_output;
mod view;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde::Serialize;
use serde_json::value::RawValue;

use super::format::TableOrJson;
use super::runs::{RunRow, SortKey, TableForm, compare, runs_table};
use super::{Appending, Global, WantedRuns, duration, now, status};
use crate::cli::complete;
use crate::cli::exit::{Exit, Failure, sentence};
use crate::cli::filter::Filter;
use crate::cli::host::Asking;
use crate::cli::offers;
use crate::cli::paint::Paint;
use crate::cli::parallel;
use crate::cli::progress::Progress;
use crate::cli::settings::{Settings, read_text};
use crate::cli::ui::Ui;
use crate::event::templates::Templates;
use crate::history::facts::{Counts, Total};
use crate::history::status::Status;
use crate::json;
use crate::ops::report::report_bad_lines;
use crate::ops::summarize::{RunReading, Served, Service, Worker, fill_run};
use crate::ops::tables::Copies;
use crate::run::dir::RunDir;
use crate::run::document::{SCHEMA_VERSION, TotalDocument};
use crate::run::options::RecordOptions;
use crate::run::runs::survey;
use crate::summary::overview::OverviewDocument;
use crate::summary::prices::Prices;
use crate::summary::prompt::{MAX_EVENT, Prompt};
use crate::text::human::plural;
use crate::text::units::size;
use served::{failed_calls, served_note};
use view::{one_run, row};

/// The help heading of the options for models.
const MODEL: &str = "Summaries by a model";
/// The help heading of the options for several runs.
const MANY: &str = "Many runs";

/// Print time, tokens and cost of runs, and add missing summaries
///
/// Templates summarize most events. With --llm-cmd a model summarizes the others. The model can
/// be any command that reads a prompt and writes an answer: `llm`, `ollama run …`, `claude -p`.
///
/// With --session, the whole run gets a rolling summary instead: each version continues the one
/// before it with the events that are new. All versions stay in the log.
#[derive(Debug, Args)]
#[command(after_help = session::AFTER_HELP)]
pub(in crate::cli) struct SummarizeArgs {
    /// The runs: ids, beginnings of ids, `latest`, or paths of run directories (with a /)
    #[arg(
        value_name = "RUN",
        env = "RUNLOG_RUN",
        hide_env_values = true,
        default_value = super::LATEST,
        add = complete::runs()
    )]
    runs: Vec<String>,
    /// All runs
    #[arg(long)]
    all: bool,
    /// Only print what would be appended and what a model would be asked
    #[arg(long)]
    dry_run: bool,
    /// The output format of the overview
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: TableOrJson,
    /// Add or replace summary templates: a TOML file with ["event.type"], template = "…"
    #[arg(long, value_name = "FILE")]
    templates: Option<PathBuf>,
    /// Prices for calls that report no cost: a TOML file with ["model"], input = …, output = …
    /// (dollars per million tokens)
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    many: ManyArgs,
    #[command(flatten)]
    session: session::SessionArgs,
    #[command(flatten)]
    appending: Appending,
}

/// Options for asking a model.
#[derive(Debug, Args)]
struct ModelArgs {
    /// Summarize the other events with a model, through this command line
    #[arg(long, help_heading = MODEL, value_name = "CMD", env = "RUNLOG_LLM_CMD", hide_env_values = true)]
    llm_cmd: Option<String>,
    /// Put events within this time into one call
    #[arg(long, help_heading = MODEL, default_value = "10s", value_name = "TIME", value_parser = duration)]
    window: Duration,
    /// The maximum number of events in one call
    #[arg(long, help_heading = MODEL, default_value_t = 100, value_name = "N", value_parser = at_least_one)]
    max_batch: usize,
    /// The maximum size of each event in the prompt (4096, 16k); the middle of long values is left
    /// out
    #[arg(long, help_heading = MODEL, default_value_t = MAX_EVENT, value_name = "BYTES", value_parser = size)]
    max_event_bytes: usize,
    /// The timeout of one call
    #[arg(long, help_heading = MODEL, default_value = "60s", value_name = "TIME", value_parser = duration)]
    llm_timeout: Duration,
    /// A file with your own prompt, with {events} as the place of the events. With --session:
    /// {conversation_text}, {previous_summary} and {max_summary_words}
    #[arg(long, help_heading = MODEL, value_name = "FILE")]
    prompt_file: Option<PathBuf>,
    /// Continue with new events until the run ends. With --session: a new summary after each
    /// finished task
    #[arg(long, help_heading = MODEL, conflicts_with_all = ["all", "dry_run"])]
    follow: bool,
}

/// Options for several runs.
#[derive(Debug, Args)]
struct ManyArgs {
    /// What to sort by: names from A to Z, other keys from the newest or largest
    #[arg(long, help_heading = MANY, value_enum, default_value_t, value_name = "KEY")]
    sort: SortKey,
    /// Reverse the order
    #[arg(long, help_heading = MANY)]
    reverse: bool,
    /// Print only runs with this status: created, running, paused, completed, failed,
    /// incomplete, cancelled, imported (may be repeated)
    #[arg(long, help_heading = MANY, value_name = "STATUS", add = offers::statuses(), value_parser = status)]
    status: Vec<Status>,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|number| *number > 0).ok_or_else(|| "use 1 or more".to_owned())
}

/// The values needed for each run.
struct Context<'c> {
    args: &'c SummarizeArgs,
    templates: &'static Templates,
    prices: &'static Prices,
    options: RecordOptions,
    /// Whether this is the only run, which is shown in detail.
    alone: bool,
    runs_dir: PathBuf,
    width: usize,
    /// Colours of the overview.
    paint: Paint,
}

/// The result for one run.
struct SummarizedRun {
    run: RunDir,
    row: RunRow,
    document: Option<OverviewDocument>,
    /// The overview, if this is the only run.
    text: String,
    notes: Vec<String>,
    served: Served,
}

#[derive(Serialize)]
struct SummaryDocument {
    schema_version: u32,
    runs: Vec<OverviewDocument>,
    total: TotalDocument,
}

pub(super) fn run(args: &SummarizeArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    if args.session.is_wanted() {
        return session::run(args, global, ui);
    }
    if args.session.needs_session() {
        let failure = Failure::new(Exit::Usage, "--branch and --allow-branch need --session");
        return Err(failure.hint("runlog summarize RUN --session --branch KEY").into());
    }
    let settings = global.settings()?;
    let templates = settings.templates(args.templates.as_deref())?;
    let options = RecordOptions { templates, ..args.appending.options(global, ui)? };
    let found = WantedRuns::find(&args.runs, args.all, global)?;
    found.check_settings()?;
    let WantedRuns { runs, mut missing } = found;
    let context = Context {
        args,
        templates,
        prices: settings.prices(args.prices.as_deref())?,
        options,
        alone: runs.len() == 1 && !args.all,
        runs_dir: global.runs_dir.clone(),
        width: ui.table_width(),
        paint: Paint(ui.color()),
    };
    let host = asking(&args.model, settings, ui);
    let worker = host.as_ref().map(|host| worker(&args.model, host, options)).transpose()?;
    if args.model.follow && (runs.len() != 1 || worker.is_none()) {
        let failure = Failure::new(Exit::Usage, "--follow needs exactly one run and --llm-cmd");
        return Err(failure.hint("runlog summarize RUN --llm-cmd 'llm' --follow").into());
    }
    let (outcomes, failure) = each_run(&runs, &context, worker.as_ref(), ui);
    let failure = failure.or_else(|| missing.pop());
    missing.iter().for_each(|error| ui.warn(&sentence(error)));
    let mut served = Served::default();
    for outcome in &outcomes {
        outcome.notes.iter().for_each(|note| ui.note(note));
        served.add(outcome.served);
    }
    ui.data(shown(outcomes, &context, ui)?.as_bytes())?;
    if let Some(signal) = host.as_ref().and_then(Asking::interrupted) {
        return Ok(Exit::Signal(signal));
    }
    if let Some(error) = failure {
        return Err(error);
    }
    failed_calls(&served)?;
    Ok(Exit::Fine)
}

fn shown(
    mut outcomes: Vec<SummarizedRun>,
    context: &Context<'_>,
    ui: &Ui,
) -> anyhow::Result<String> {
    let many = &context.args.many;
    if !many.status.is_empty() {
        outcomes.retain(|outcome| many.status.contains(&outcome.row.facts.status));
        if outcomes.is_empty() {
            let names: Vec<&str> = many.status.iter().map(|status| status.name()).collect();
            ui.note(&format!("no runs with the status {}", names.join(" or ")));
            if context.args.format == TableOrJson::Table {
                return Ok(String::new());
            }
        }
    }
    outcomes.sort_by(|one, other| compare(many.sort, many.reverse, &one.row, &other.row));
    Ok(match context.args.format {
        TableOrJson::Json => {
            let total = total(&outcomes);
            let runs = outcomes.into_iter().filter_map(|outcome| outcome.document).collect();
            let total = TotalDocument::from(&total);
            let document = SummaryDocument { schema_version: SCHEMA_VERSION, runs, total };
            json::document(&document)
        }
        TableOrJson::Table if context.alone => {
            outcomes.into_iter().map(|outcome| outcome.text).collect()
        }
        // Each run that was named is missing, which is reported as an error.
        TableOrJson::Table if outcomes.is_empty() => String::new(),
        TableOrJson::Table => {
            let rows: Vec<&RunRow> = outcomes.iter().map(|outcome| &outcome.row).collect();
            let total = total(&outcomes);
            if total.copied != Counts::default() {
                ui.note("history that several runs share counts once in the total");
            }
            // A shortened name names one run of the directory.
            let names: Vec<String> =
                survey(&context.runs_dir)?.runs.iter().map(RunDir::name).collect();
            let form = TableForm {
                columns: &[],
                total: Some(&total),
                width: ui.row_width(),
                color: ui.color(),
                names: &names,
            };
            runs_table(&rows, form, now())
        }
    })
}

/// The total of the runs.
fn total(outcomes: &[SummarizedRun]) -> Total {
    let each = || outcomes.iter().map(|outcome| (&outcome.run, &outcome.row.facts));
    Copies::among(each()).total(each())
}

/// Processes all runs, one after the other if a model is asked.
fn each_run(
    runs: &[RunDir],
    context: &Context<'_>,
    worker: Option<&Worker<'_>>,
    ui: &Ui,
) -> (Vec<SummarizedRun>, Option<anyhow::Error>) {
    let Some(worker) = worker else {
        return parallel::each_run(runs, "summarizing", ui, |run| one(run, context, None, ui));
    };
    let mut progress = Progress::new(runs.len(), "summarizing", ui.interactive());
    let mut outcomes = Vec::with_capacity(runs.len());
    let mut hopeless = false;
    for run in runs {
        if worker.host.is_interrupted() {
            break;
        }
        let outcome = one(run, context, Some(worker).filter(|_| !hopeless), ui);
        hopeless |= outcome.as_ref().is_ok_and(|outcome| outcome.served.hopeless);
        outcomes.push((run, outcome));
        progress.step();
    }
    drop(progress);
    parallel::settle(outcomes.into_iter(), ui)
}

/// Adds the summaries of one run, and returns its figures.
fn one(
    run: &RunDir,
    context: &Context<'_>,
    worker: Option<&Worker<'_>>,
    ui: &Ui,
) -> anyhow::Result<SummarizedRun> {
    let args = context.args;
    let run = &run.hold()?;
    let mut reading = RunReading::open(run.clone(), context.templates, context.prices)?;
    reading.catch_up()?;
    let (mut notes, mut served) = (Vec::new(), Served::default());
    let asks_nothing = worker.is_some() && reading.wanted.events().is_empty();
    if asks_nothing && context.alone && !args.model.follow {
        notes.push(format!(
            "{0}: no event waits for a model; add --session to summarize the whole run",
            run.name()
        ));
    }
    if args.dry_run {
        notes.extend(planned(&reading, worker));
    } else {
        let service = worker.map(|worker| Service { worker, follow: args.model.follow });
        let filled = fill_run(&mut reading, service, context.options, ui)?;
        served = filled.served;
        if filled.by_templates > 0 {
            let filled = plural(filled.by_templates, "summary");
            notes.push(format!("{}: {filled} added by templates", run.name()));
        }
        notes.extend(served_note(&served, run));
    }
    report_bad_lines(reading.bad_lines, run, ui);
    let document = (args.format == TableOrJson::Json).then(|| document(&reading));
    let text =
        if context.alone { one_run(&reading, context.width, context.paint) } else { String::new() };
    Ok(SummarizedRun {
        run: reading.run.clone(),
        row: row(&reading),
        document,
        text,
        notes,
        served,
    })
}

/// What would be done.
fn planned(reading: &RunReading, worker: Option<&Worker<'_>>) -> Vec<String> {
    let name = reading.run.name();
    let fill = |(target, summary): (&str, &str)| format!("would fill {target}: {summary}");
    let mut notes: Vec<String> = reading.plan.backfills().map(fill).collect();
    let number = plural(notes.len() as u64, "summary");
    notes.push(format!("{name}: {number} to fill in by templates"));
    let events = reading.wanted.events();
    if let Some(worker) = worker.filter(|_| !events.is_empty()) {
        notes.push(format!(
            "{name}: would ask for {} in {}",
            plural(events.len() as u64, "summary"),
            plural(worker.calls(&events) as u64, "call")
        ));
    }
    notes
}

fn document(reading: &RunReading) -> OverviewDocument {
    let chapters = reading.chapters.active();
    let chapters =
        chapters.filter_map(|chapter| RawValue::from_string(chapter.data.clone()).ok()).collect();
    let path = reading.run.path().display().to_string();
    reading.overview.document(&path, chapters)
}

/// The interface to a model, if a command is given.
fn asking<'u>(args: &ModelArgs, settings: &Settings, ui: &'u Ui) -> Option<Asking<'u>> {
    let given = args.llm_cmd.clone().or_else(|| settings.llm_cmd().map(str::to_owned));
    let command = given.filter(|command| !command.trim().is_empty())?;
    let filter = Filter { command, timeout: args.llm_timeout, patient: true, listens: false };
    Some(Asking::new(filter, ui))
}

/// The worker that asks through `host`.
fn worker<'h>(
    args: &ModelArgs,
    host: &'h Asking<'_>,
    options: RecordOptions,
) -> anyhow::Result<Worker<'h>> {
    let prompt = match &args.prompt_file {
        None => Prompt::default(),
        Some(path) => {
            let text = read_text(path)?;
            Prompt::parse(&text)
                .map_err(|what| Failure::new(Exit::Input, format!("{}: {what}", path.display())))?
        }
    };
    let (window, max_batch, max_event) = (args.window, args.max_batch, args.max_event_bytes);
    Ok(Worker { prompt, window, max_batch, max_event, options, host })
}
