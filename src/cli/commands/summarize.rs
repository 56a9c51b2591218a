//! `runlog summarize`

use clap::Args;
use serde::Serialize;
use serde_json::value::RawValue;

use super::format::TableOrJson;
use super::read::{each_event, tell_bad_lines};
use super::table::{UNKNOWN, table};
use super::{Appending, Global, named_or_all, renew};
use crate::chapter::fold::Chapters;
use crate::cli::exit::Exit;
use crate::cli::progress::Progress;
use crate::cli::ui::Ui;
use crate::conversation::tasks::Tasks;
use crate::event::hash::line_hash;
use crate::log::reader::Body;
use crate::render::human::{count, dollars, duration, plural, rough_duration, short_count};
use crate::render::inert::{line, preview};
use crate::run::dir::RunDir;
use crate::run::document::{Head, SCHEMA_VERSION};
use crate::run::recorder::Recorder;
use crate::summary::backfill::Plan;
use crate::summary::overview::{Overview, OverviewDocument, ToolCount, TypeCount};

/// Fill in summaries that templates can make, and show what happened
#[derive(Debug, Args)]
pub(in crate::cli) struct SummarizeArgs {
    /// The runs: ids, beginnings of ids, `latest`, or paths of run directories (with a /)
    #[arg(
        value_name = "RUN",
        env = "RUNLOG_RUN",
        hide_env_values = true,
        required_unless_present = "all"
    )]
    runs: Vec<String>,
    /// All runs
    #[arg(long)]
    all: bool,
    /// Say what would be appended, and append nothing
    #[arg(long)]
    dry_run: bool,
    /// How to print the overview
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: TableOrJson,
    #[command(flatten)]
    appending: Appending,
}

/// A run as the overview shows it.
struct Seen {
    run: RunDir,
    overview: Overview,
    chapters: Chapters,
    head: Option<Head>,
    tasks: usize,
}

#[derive(Serialize)]
struct Document {
    schema_version: u32,
    runs: Vec<OverviewDocument>,
}

pub(super) fn run(args: &SummarizeArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let runs = named_or_all(&args.runs, args.all, global)?;
    let mut seen = Vec::new();
    let mut progress = Progress::new(runs.len(), "summarizing", ui.interactive());
    for run in runs {
        fill(&run, args, global, ui)?;
        seen.push(look(run, ui)?);
        progress.step();
    }
    drop(progress);
    let text = match args.format {
        TableOrJson::Json => {
            let runs = seen.iter().map(document).collect();
            serde_json::to_string_pretty(&Document { schema_version: SCHEMA_VERSION, runs })? + "\n"
        }
        TableOrJson::Table => match seen.as_slice() {
            [one] => one_run(one, ui.width()),
            many => many_runs(many, ui.width()),
        },
    };
    ui.data(text.as_bytes())?;
    Ok(Exit::Fine)
}

/// Appends the backfills that templates can make.
fn fill(run: &RunDir, args: &SummarizeArgs, global: &Global, ui: &Ui) -> anyhow::Result<()> {
    let mut plan = Plan::default();
    each_event(run, |view, _| plan.observe(view))?;
    let drafts = plan.drafts();
    if args.dry_run {
        for (target, summary) in plan.backfills() {
            ui.note(&format!("would fill {target}: {summary}"));
        }
        ui.note(&format!("{}: {} to fill in", run.name(), plural(drafts.len() as u64, "summary")));
        return Ok(());
    }
    if !drafts.is_empty() {
        let options = args.appending.options(global)?;
        let mut recorder = Recorder::open(run.clone(), options)?;
        recorder.expect_many_ids();
        let batch = recorder.append(&drafts)?;
        let filled = batch.outcomes.iter().flatten().filter(|event| !event.repeated).count();
        for outcome in batch.outcomes {
            outcome?;
        }
        ui.note(&format!(
            "{}: {} filled in by templates",
            run.name(),
            plural(filled as u64, "summary")
        ));
    }
    renew(run, args.appending.lock_timeout, false, ui);
    Ok(())
}

fn look(run: RunDir, ui: &Ui) -> anyhow::Result<Seen> {
    let mut overview = Overview::default();
    let mut chapters = Chapters::default();
    let mut tasks = Tasks::default();
    let mut last: Option<(u64, Vec<u8>, u64)> = None;
    let read = each_event(&run, |view, line| {
        overview.observe(view, line.offset);
        chapters.observe(view);
        tasks.observe(view);
        if let Body::Complete(bytes) = line.body {
            last =
                Some((view.event.sequence, bytes.to_vec(), line.offset + bytes.len() as u64 + 1));
        }
    })?;
    tell_bad_lines(read, &run, ui);
    let head = last.map(|(sequence, line, bytes)| Head { sequence, hash: line_hash(&line), bytes });
    let tasks = tasks.all().len();
    Ok(Seen { run, overview, chapters, head, tasks })
}

fn document(seen: &Seen) -> OverviewDocument {
    let chapters = seen.chapters.active().iter();
    let chapters =
        chapters.filter_map(|chapter| RawValue::from_string(chapter.data.clone()).ok()).collect();
    let path = seen.run.path().display().to_string();
    seen.overview.document(seen.head.clone(), &path, chapters)
}

fn one_run(seen: &Seen, width: usize) -> String {
    let state = &seen.overview.state;
    let counts = state.counts();
    let mut out = String::new();
    let mut fact = |name: &str, value: String| out.push_str(&format!("{name:<13} {value}\n"));
    fact("Run", line(&state.run_id).into_owned());
    let span = state.duration_ms().map(|ms| format!(" after {}", duration(ms)));
    fact("Status", format!("{}{}", state.status().name(), span.unwrap_or_default()));
    if let (Some((first, last)), Some(span)) = (state.imported, state.work_ms()) {
        let times = format!("{} to {} UTC", first.readable(), &last.readable()[11..]);
        fact("Work", format!("{times}, {}", duration(span)));
    }
    if let Some(created) = state.created_at {
        fact("Created", format!("{} UTC", created.readable()));
    }
    fact("Events", format!("{} in {}", count(counts.events), plural(seen.tasks as u64, "task")));
    fact("Tool calls", format!("{}, {} failed", count(counts.tool_calls), counts.tool_failures));
    let figure = |number: Option<u64>| number.map_or_else(|| "unknown".to_owned(), count);
    let usage = &counts.usage;
    fact(
        "Tokens",
        format!(
            "{} in, {} out; cache: {} read, {} written",
            figure(usage.input_tokens),
            figure(usage.output_tokens),
            figure(usage.cache_read_tokens),
            figure(usage.cache_creation_tokens)
        ),
    );
    fact("Cost", usage.cost_micros.map_or_else(|| "unknown".to_owned(), dollars));
    fact(
        "Trouble",
        format!("{}, {}", plural(counts.errors, "error"), plural(counts.warnings, "warning")),
    );
    let deliverables = &state.deliverables;
    let required = deliverables.required.len() as u64;
    let verdict = deliverables.status.as_deref().unwrap_or("not checked");
    if required > 0 || deliverables.status.is_some() {
        fact("Deliverables", format!("{} required, {}", required, line(verdict)));
    }
    if let Some(error) = &state.error {
        fact("Error", preview(error, width.saturating_sub(14)));
    }
    for chapter in seen.chapters.children(None) {
        let name = preview(&chapter.name, 40);
        fact("Chapter", format!("{name} (tasks {} to {})", chapter.start, chapter.end));
    }
    let tools: Vec<[String; 5]> = seen.overview.tools().iter().map(tool_row).collect();
    if !tools.is_empty() {
        out.push('\n');
        out.push_str(&table(width, ["TOOL", "CALLS", "FAILED", "BLOCKED", "TIME"], 1, &tools));
    }
    out.push('\n');
    let types: Vec<[String; 5]> = seen.overview.types().iter().map(type_row).collect();
    let header = ["EVENT TYPE", "COUNT", "CLASS", "SUMMARIZED", "PENDING"];
    out + &table(width, header, 1, &types)
}

fn tool_row(tool: &ToolCount) -> [String; 5] {
    [
        preview(&tool.name, 60),
        tool.calls.to_string(),
        tool.failures.to_string(),
        tool.blocked.to_string(),
        tool.duration_ms.map_or_else(|| "unknown".to_owned(), duration),
    ]
}

fn type_row((name, kind): (&String, &TypeCount)) -> [String; 5] {
    [
        preview(name, 60),
        kind.count.to_string(),
        kind.class.to_owned(),
        kind.summarized.to_string(),
        kind.pending.to_string(),
    ]
}

fn many_runs(seen: &[Seen], width: usize) -> String {
    let unknown = || UNKNOWN.to_owned();
    let row = |seen: &Seen| {
        let counts = seen.overview.state.counts();
        let tokens = counts.usage.input_tokens.zip(counts.usage.output_tokens);
        [
            preview(&seen.run.name(), 200),
            seen.overview.state.status().name().to_owned(),
            seen.overview.state.duration_ms().map_or_else(unknown, rough_duration),
            short_count(counts.events),
            short_count(counts.tool_calls),
            counts.tool_failures.to_string(),
            tokens
                .map_or_else(unknown, |(input, output)| short_count(input.saturating_add(output))),
            counts.usage.cost_micros.map_or_else(unknown, dollars),
        ]
    };
    let rows: Vec<[String; 8]> = seen.iter().map(row).collect();
    let header = ["RUN", "STATUS", "TIME", "EVENTS", "CALLS", "FAILED", "TOKENS", "COST"];
    table(width, header, 2, &rows)
}
