//! The overview for people: the details of one run, or a row for each of several runs.

use crate::cli::commands::runs::{RunRow, status_tone};
use crate::cli::commands::table::{UNKNOWN, table};
use crate::cli::paint::{Paint, Tone};
use crate::history::told::FactName;
use crate::ops::summarize::RunReading;
use crate::summary::overview::{ToolCount, TypeCount};
use crate::summary::spending::Spent;
use crate::text::bars::{bar, sparkline};
use crate::text::human::{duration, plural, short_count};
use crate::text::inert::{line, preview};
use crate::text::wrap::hanging;

/// Width of a bar, in columns. Also used for the tokens over time.
const BAR: usize = 16;
const SPARKS: usize = 40;
/// Columns before the value of a fact.
const LABEL: usize = 14;

/// The overview of one run.
pub(super) fn one_run(reading: &RunReading, width: usize, paint: Paint) -> String {
    let overview = &reading.overview;
    let mut out = String::new();
    for (name, value) in facts(reading, width) {
        let tone = match name == FactName::Status.label() {
            true => status_tone(overview.facts().status),
            false => Tone::Plain,
        };
        let label = paint.apply(Tone::Dim, &format!("{name:<13}"));
        let value = hanging(&value, LABEL, LABEL, Some(width));
        out.push_str(&format!("{label} {}\n", paint.apply(tone, &value)));
    }
    let tools = overview.tools();
    if !tools.is_empty() {
        let most = tools.iter().filter_map(|tool| tool.duration_ms).max().unwrap_or(0);
        let rows: Vec<[String; 6]> = tools.iter().map(|tool| tool_row(tool, most)).collect();
        let header = ["TOOL", "CALLS", "FAIL", "BLOCKED", "TIME", ""];
        out.push('\n');
        out.push_str(&headed(&table(width, header, 1..5, &rows), paint));
    }
    // If there is only one agent with one model, the facts already show its usage.
    let spent = overview.spending.by_agent();
    if spent.len() > 1 {
        let rows: Vec<[String; 6]> = spent.iter().map(|one| spent_row(one, width / 3)).collect();
        let header = ["AGENT", "MODEL", "REQUESTS", "IN", "OUT", "COST"];
        out.push('\n');
        out.push_str(&headed(&table(width, header, 2..6, &rows), paint));
    }
    out.push('\n');
    let types: Vec<[String; 5]> = overview.types().iter().map(type_row).collect();
    let header = ["EVENT TYPE", "COUNT", "CLASS", "SUMMARIZED", "PENDING"];
    out + &headed(&table(width, header, 1..5, &types), paint)
}

/// A table whose heading stands out.
fn headed(table: &str, paint: Paint) -> String {
    match table.split_once('\n') {
        Some((heading, rows)) => format!("{}\n{rows}", paint.apply(Tone::Bold, heading)),
        None => table.to_owned(),
    }
}

/// The facts about a run, with their names.
fn facts(reading: &RunReading, width: usize) -> Vec<(String, String)> {
    let overview = &reading.overview;
    let facts = overview.facts();
    let mut lines: Vec<(String, String)> = Vec::new();
    // A longer value loses its end. Other views have it.
    let short = |value: &str| preview(value, 2 * width.saturating_sub(LABEL));
    // After the sparks stands the largest value.
    let sparks = SPARKS.min(width.saturating_sub(LABEL + 20));
    for (name, value) in facts.told() {
        let label = preview(name.label(), 13);
        let value = match name {
            FactName::Run => line(&value).into_owned(),
            FactName::Events => {
                let tasks = plural(reading.tasks.of_work(), "task");
                format!("{value} in {tasks}")
            }
            FactName::Calls => match overview.open_calls() {
                0 => value,
                open => format!("{value}, {open} without an end"),
            },
            FactName::Cost if overview.spending.has_own_prices() => {
                facts.cost_told_by("the prices given")
            }
            _ => short(&value),
        };
        let is_tokens = name == FactName::Tokens;
        lines.push((label, value));
        let over_time = if is_tokens { overview.spending.over_time(sparks) } else { Vec::new() };
        if let Some(most) = over_time.iter().max().filter(|most| **most > 0) {
            let sparks = sparkline(&over_time);
            lines.push((
                "  over time".into(),
                format!("{sparks} (up to {} per bar)", short_count(*most)),
            ));
        }
    }
    for missing in &facts.deliverables.missing {
        lines.push(("Not passed".to_owned(), short(missing)));
    }
    if overview.pending() > 0 {
        let by_model = reading.wanted.events().len() as u64;
        let by_templates = overview.pending().saturating_sub(by_model);
        let parts = [(by_templates, "by templates"), (by_model, "by a model (--llm-cmd)")];
        let parts = parts.into_iter().filter(|(number, _)| *number > 0);
        let parts: Vec<String> =
            parts.map(|(number, how)| format!("{} {how}", plural(number, "summary"))).collect();
        lines.push(("Pending".to_owned(), parts.join(", ")));
    }
    for chapter in reading.chapters.children(None) {
        let tasks = match chapter.start == chapter.end {
            true => format!(" (task {})", chapter.start),
            false => format!(" (tasks {} to {})", chapter.start, chapter.end),
        };
        let name = preview(&chapter.name, width.saturating_sub(LABEL + tasks.len()));
        lines.push(("Chapter".to_owned(), name + &tasks));
    }
    lines
}

fn tool_row(tool: &ToolCount, most: u64) -> [String; 6] {
    [
        line(&tool.name).into_owned(),
        tool.calls.to_string(),
        tool.failures.to_string(),
        tool.blocked.to_string(),
        tool.duration_ms.map_or_else(|| "unknown".to_owned(), duration),
        tool.duration_ms.map_or_else(|| UNKNOWN.to_owned(), |time| bar(time, most, BAR)),
    ]
}

/// Names have up to `widest` columns.
fn spent_row(spent: &Spent, widest: usize) -> [String; 6] {
    let known = |cell: Option<String>| cell.unwrap_or_else(|| UNKNOWN.to_owned());
    let usage = &spent.usage;
    [
        preview(&spent.agent, widest),
        known(spent.model.as_deref().map(|model| preview(model, widest))),
        spent.calls.to_string(),
        known(usage.context_tokens().map(short_count)),
        known(usage.output_tokens.map(short_count)),
        known(usage.cost_told()),
    ]
}

fn type_row((name, kind): (&String, &TypeCount)) -> [String; 5] {
    [
        line(name).into_owned(),
        kind.count.to_string(),
        kind.class.to_owned(),
        kind.summarized.to_string(),
        kind.pending.to_string(),
    ]
}

/// A run as a table row.
pub(super) fn row(reading: &RunReading) -> RunRow {
    RunRow { name: reading.run.name(), facts: reading.overview.facts(), behind: false }
}
