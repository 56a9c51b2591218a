//! The overview for people: one run at a glance, or a row for each of many.

use std::cmp::Ordering;

use clap::ValueEnum;

use super::reading::Reading;
use crate::cli::commands::table::{UNKNOWN, table};
use crate::event::json::{Rules, check};
use crate::event::time::Timestamp;
use crate::render::bars::{bar, sparkline};
use crate::render::human::{count, dollars, duration, plural, rough_duration, short_count};
use crate::render::inert::{line, preview};
use crate::run::state::Status;
use crate::summary::overview::{Overview, ToolCount, TypeCount};

/// Columns of a bar, and of the tokens over time.
const BAR: usize = 16;
const SPARKS: usize = 40;

/// One run.
pub(super) fn one_run(reading: &Reading, width: usize) -> String {
    let overview = &reading.overview;
    let mut out = String::new();
    for (name, value) in facts(reading, width) {
        out.push_str(&format!("{name:<13} {value}\n"));
    }
    let tools = overview.tools();
    if !tools.is_empty() {
        let most = tools.iter().filter_map(|tool| tool.duration_ms).max().unwrap_or(0);
        let rows: Vec<[String; 6]> = tools.iter().map(|tool| tool_row(tool, most)).collect();
        let header = ["TOOL", "CALLS", "FAILED", "BLOCKED", "TIME", ""];
        out.push('\n');
        out.push_str(&table(width, header, 1..5, &rows));
    }
    out.push('\n');
    let types: Vec<[String; 5]> = overview.types().iter().map(type_row).collect();
    let header = ["EVENT TYPE", "COUNT", "CLASS", "SUMMARIZED", "PENDING"];
    out + &table(width, header, 1..5, &types)
}

/// What there is to say of a run, with its name.
fn facts(reading: &Reading, width: usize) -> Vec<(&'static str, String)> {
    let overview = &reading.overview;
    let state = overview.state();
    let counts = state.counts();
    let mut facts = Vec::new();
    let mut fact = |name, value: String| facts.push((name, value));
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
    let tasks = plural(reading.tasks.all().len() as u64, "task");
    fact("Events", format!("{} in {tasks}", count(counts.events)));
    let open = match overview.open_calls() {
        0 => String::new(),
        open => format!(", {open} without an end"),
    };
    let calls = count(counts.tool_calls);
    fact("Tool calls", format!("{calls}, {} failed{open}", counts.tool_failures));
    let figure = |number: Option<u64>| number.map_or_else(|| "unknown".to_owned(), count);
    let usage = &counts.usage;
    let cache = match (usage.cache_read_tokens, usage.cache_creation_tokens) {
        (None, None) => String::new(),
        (read, written) => format!("; cache: {} read, {} written", figure(read), figure(written)),
    };
    let (input, output) = (figure(usage.input_tokens), figure(usage.output_tokens));
    fact("Tokens", format!("{input} in, {output} out{cache}"));
    let over_time = overview.spending.over_time(SPARKS);
    if let Some(most) = over_time.iter().max().filter(|most| **most > 0) {
        let sparks = sparkline(&over_time);
        fact("  over time", format!("{sparks} (at most {})", short_count(*most)));
    }
    fact("Cost", cost(overview));
    let trouble =
        format!("{}, {}", plural(counts.errors, "error"), plural(counts.warnings, "warning"));
    fact("Trouble", trouble);
    let deliverables = &state.deliverables;
    let required = deliverables.required.len() as u64;
    let verdict = deliverables.status.as_deref().unwrap_or("not checked");
    if required > 0 || deliverables.status.is_some() {
        fact("Deliverables", format!("{required} required, {}", line(verdict)));
    }
    for missing in &deliverables.missing {
        fact("Missing", preview(missing, width.saturating_sub(14)));
    }
    if overview.pending() > 0 {
        let by_model = reading.wanted.events().len() as u64;
        let by_templates = overview.pending().saturating_sub(by_model);
        let parts = [(by_templates, "by templates"), (by_model, "by a model (--llm-cmd)")];
        let parts = parts.into_iter().filter(|(number, _)| *number > 0);
        let parts: Vec<String> =
            parts.map(|(number, how)| format!("{} {how}", plural(number, "summary"))).collect();
        fact("Pending", parts.join(", "));
    }
    if let Some(error) = &state.error {
        let json = check(error.as_bytes(), Rules::LENIENT).ok();
        let message = json.and_then(|error| error.text_at("message"));
        let text = message.as_deref().unwrap_or(error);
        fact("Error", preview(text, width.saturating_sub(14)));
    }
    for chapter in reading.chapters.children(None) {
        let name = preview(&chapter.name, 40);
        fact("Chapter", format!("{name} (tasks {} to {})", chapter.start, chapter.end));
    }
    facts
}

/// What the events report, and what the rest comes to by the prices.
fn cost(overview: &Overview) -> String {
    let reported = overview.state().counts().usage.cost_micros;
    let unpriced = overview.spending.unpriced();
    let without = match unpriced {
        0 => String::new(),
        _ => format!("; {} without a cost", plural(unpriced, "model call")),
    };
    let known = match (reported, overview.spending.estimated()) {
        (None, None) => return "unknown".to_owned(),
        (Some(reported), None) => dollars(reported),
        (None, Some(estimated)) => format!("{} by the prices given", dollars(estimated)),
        (Some(reported), Some(estimated)) => {
            format!("{} reported, {} by the prices given", dollars(reported), dollars(estimated))
        }
    };
    known + &without
}

fn tool_row(tool: &ToolCount, most: u64) -> [String; 6] {
    [
        preview(&tool.name, 60),
        tool.calls.to_string(),
        tool.failures.to_string(),
        tool.blocked.to_string(),
        tool.duration_ms.map_or_else(|| "unknown".to_owned(), duration),
        tool.duration_ms.map_or_else(|| UNKNOWN.to_owned(), |time| bar(time, most, BAR)),
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

/// A run as a row among others.
#[derive(Debug)]
pub(super) struct Row {
    name: String,
    pub(super) status: Status,
    created: Option<Timestamp>,
    time: Option<u64>,
    events: u64,
    calls: u64,
    failed: u64,
    tokens: Option<u64>,
    cost: Option<i64>,
    /// Whether there are calls whose cost nobody knows.
    partial: bool,
    pending: u64,
}

/// What rows are sorted by: times and names upward, figures downward.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum SortKey {
    Name,
    Created,
    Time,
    Events,
    Calls,
    Failed,
    Tokens,
    Cost,
    Pending,
}

impl Row {
    pub(super) fn of(reading: &Reading) -> Self {
        let overview = &reading.overview;
        let counts = overview.state().counts();
        let usage = &counts.usage;
        let tokens = usage.input_tokens.zip(usage.output_tokens);
        let costs = [usage.cost_micros, overview.spending.estimated()];
        Self {
            name: reading.run.name(),
            status: overview.state().status(),
            created: overview.state().created_at,
            time: overview.state().duration_ms(),
            events: counts.events,
            calls: counts.tool_calls,
            failed: counts.tool_failures,
            tokens: tokens.map(|(input, output)| input.saturating_add(output)),
            cost: costs.into_iter().flatten().reduce(i64::saturating_add),
            partial: overview.spending.unpriced() > 0,
            pending: overview.pending(),
        }
    }

    fn cells(&self) -> [String; 9] {
        let unknown = || UNKNOWN.to_owned();
        let more = if self.partial { "+" } else { "" };
        [
            preview(&self.name, 200),
            self.status.name().to_owned(),
            self.time.map_or_else(unknown, rough_duration),
            short_count(self.events),
            short_count(self.calls),
            self.failed.to_string(),
            self.tokens.map_or_else(unknown, short_count),
            self.cost.map_or_else(unknown, |cost| dollars(cost) + more),
            self.pending.to_string(),
        ]
    }
}

/// The order of two rows; unknown figures come last, either way round.
pub(super) fn compare(key: SortKey, reverse: bool, one: &Row, other: &Row) -> Ordering {
    let figure = |row: &Row| match key {
        SortKey::Name => None,
        SortKey::Created => row.created.map(|created| -i128::from(created.millis())),
        SortKey::Time => row.time.map(i128::from),
        SortKey::Events => Some(row.events.into()),
        SortKey::Calls => Some(row.calls.into()),
        SortKey::Failed => Some(row.failed.into()),
        SortKey::Tokens => row.tokens.map(i128::from),
        SortKey::Cost => row.cost.map(i128::from),
        SortKey::Pending => Some(row.pending.into()),
    };
    let (figures, names) = ((figure(one), figure(other)), one.name.cmp(&other.name));
    let order = match figures {
        (Some(one), Some(other)) => other.cmp(&one).then(names),
        (None, None) => names,
        (one, _) => return if one.is_some() { Ordering::Less } else { Ordering::Greater },
    };
    if reverse { order.reverse() } else { order }
}

/// One row each.
pub(super) fn many_runs<'r>(rows: impl Iterator<Item = &'r Row>, width: usize) -> String {
    let rows: Vec<[String; 9]> = rows.map(Row::cells).collect();
    let header =
        ["RUN", "STATUS", "TIME", "EVENTS", "CALLS", "FAILED", "TOKENS", "COST", "PENDING"];
    table(width, header, 2..9, &rows)
}
