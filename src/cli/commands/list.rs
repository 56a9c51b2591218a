//! `runlog list`

use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::Value;

use super::format::TableOrJson;
use super::read::each_event;
use super::table::{UNKNOWN, table};
use super::{Global, now, status};
use crate::cli::exit::Exit;
use crate::cli::ui::Ui;
use crate::event::json::{Json, Rules, check};
use crate::event::time::Timestamp;
use crate::fs::read_small;
use crate::render::human::{dollars, rough_duration, short_count};
use crate::render::inert::preview;
use crate::run::derive::MAX_STATE;
use crate::run::dir::{RunDir, all};
use crate::run::document::RunDocument;
use crate::run::state::{RunState, Status};

/// Print the runs
///
/// From each run's run.json, so figures are as of its last lifecycle event. DELIV says how the
/// deliverables stood at their last check.
#[derive(Debug, Args)]
pub(in crate::cli) struct ListArgs {
    /// Only runs with this status: created, running, paused, completed, failed, incomplete or
    /// cancelled (may be repeated)
    #[arg(long, value_name = "STATUS", value_parser = status)]
    status: Vec<Status>,
    /// What to sort by: the newest, the largest first
    #[arg(long, value_enum, default_value_t, value_name = "KEY")]
    sort: Key,
    /// The other way round
    #[arg(long)]
    reverse: bool,
    /// At most so many
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,
    /// How to print them
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: TableOrJson,
}

#[derive(Serialize)]
struct Document {
    schema_version: u32,
    runs: Vec<Value>,
}

pub(super) fn run(args: &ListArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let mut runs: Vec<(RunDir, Vec<u8>)> = all(&global.runs_dir)
        .into_iter()
        .map(|run| (state(&run), run))
        .map(|(s, r)| (r, s))
        .collect();
    if !args.status.is_empty() {
        runs.retain(|(_, state)| args.status.iter().any(|wanted| is(state, *wanted)));
    }
    runs.sort_by_cached_key(|(run, state)| (std::cmp::Reverse(args.sort.of(state)), run.name()));
    if args.reverse {
        runs.reverse();
    }
    runs.truncate(args.limit.unwrap_or(usize::MAX));
    let text = match args.format {
        TableOrJson::Json => {
            let runs = runs.iter().map(|(run, state)| document(run, state));
            let document = Document { schema_version: 1, runs: runs.collect() };
            serde_json::to_string_pretty(&document)? + "\n"
        }
        TableOrJson::Table if runs.is_empty() => {
            let such = if args.status.is_empty() { "" } else { " with that status" };
            ui.note(&format!("no runs{such} in {}", global.runs_dir.display()));
            String::new()
        }
        TableOrJson::Table => {
            let header = [
                "RUN", "STATUS", "AGE", "TIME", "EVENTS", "CALLS", "ERR", "TOKENS", "COST", "DELIV",
            ];
            table(ui.width(), header, 2..9, &rows(&runs, now()))
        }
    };
    ui.data(text.as_bytes())?;
    Ok(Exit::Fine)
}

/// The state document of a run: the file, or, where there is none, one made from the log.
fn state(run: &RunDir) -> Vec<u8> {
    if let Ok(Some(bytes)) = read_small(&run.state(), MAX_STATE)
        && check(&bytes, Rules::STRICT).is_ok_and(Json::is_object)
    {
        return bytes;
    }
    let mut state = RunState::default();
    let _ = each_event(run, |view, line| {
        state.observe(view, line.offset);
    });
    RunDocument::new(&state, None).to_bytes()
}

fn created(state: &[u8]) -> Option<Timestamp> {
    let json = check(state, Rules::STRICT).ok()?;
    Timestamp::parse(&json.text_at("created_at")?)
}

fn document(run: &RunDir, state: &[u8]) -> Value {
    let mut document: Value = serde_json::from_slice(state).unwrap_or_default();
    document["path"] = run.path().display().to_string().into();
    document
}

/// What to sort by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Key {
    #[default]
    Created,
    Time,
    Events,
    Calls,
    Errors,
    Tokens,
    Cost,
}

impl Key {
    /// The figure of a state document; unknown ones come last.
    fn of(self, state: &[u8]) -> Option<i64> {
        let json = check(state, Rules::STRICT).ok()?;
        let number = |path: &str| json.path(path).and_then(Json::as_u64);
        let number = match self {
            Self::Created => return Some(created(state)?.millis()),
            Self::Cost => {
                let cost = json.path("counts.cost_usd").and_then(Json::as_f64)?;
                return Some((cost * 1e6) as i64);
            }
            Self::Time => number("duration_ms"),
            Self::Events => number("counts.events"),
            Self::Calls => number("counts.tool_calls"),
            Self::Errors => number("counts.errors"),
            Self::Tokens => tokens(json),
        };
        i64::try_from(number?).ok()
    }
}

fn is(state: &[u8], wanted: Status) -> bool {
    let json = check(state, Rules::STRICT).ok();
    json.and_then(|json| json.text_at("status")).is_some_and(|status| status == wanted.name())
}

/// All tokens, in and out, cached ones among them.
fn tokens(json: Json<'_>) -> Option<u64> {
    let number = |name: &str| json.path(&format!("counts.{name}")).and_then(Json::as_u64);
    let (input, output) = number("input_tokens").zip(number("output_tokens"))?;
    let cached = ["cache_read_tokens", "cache_creation_tokens"].into_iter().filter_map(number);
    Some(cached.fold(input.saturating_add(output), u64::saturating_add))
}

/// How the deliverables stood at their last check; nothing where none are required.
fn deliverables(json: Json<'_>) -> String {
    let required = json.path("deliverables.required").is_some_and(|list| list.items().count() > 0);
    match json.path("deliverables.status").and_then(Json::as_str) {
        Some(status) => preview(&status, 12),
        None if required => "unchecked".to_owned(),
        None => UNKNOWN.to_owned(),
    }
}

fn rows(runs: &[(RunDir, Vec<u8>)], now: Timestamp) -> Vec<[String; 10]> {
    let unknown = || UNKNOWN.to_owned();
    let row = |(run, state): &(RunDir, Vec<u8>)| {
        let json = check(state, Rules::STRICT).ok()?;
        let number = |path: &str| json.path(path).and_then(Json::as_u64);
        let short = |number: Option<u64>| number.map_or_else(unknown, short_count);
        let age = created(state).and_then(|created| now.since(created));
        let cost = json.path("counts.cost_usd").and_then(Json::as_f64);
        Some([
            preview(&run.name(), 200),
            preview(&json.text_at("status").unwrap_or_default(), 12),
            age.map_or_else(unknown, rough_duration),
            number("duration_ms").map_or_else(unknown, rough_duration),
            short(number("counts.events")),
            short(number("counts.tool_calls")),
            short(number("counts.errors")),
            short(tokens(json)),
            cost.map_or_else(unknown, |cost| dollars((cost * 1e6).round() as i64)),
            deliverables(json),
        ])
    };
    runs.iter().filter_map(row).collect()
}
