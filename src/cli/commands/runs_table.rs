//! A table of runs, used by `list` and `summarize --all`.

use std::cmp::Ordering;

use clap::ValueEnum;

use super::table::{UNKNOWN, table};
use crate::event::time::Timestamp;
use crate::history::facts::{Counts, RunFacts, Total};
use crate::history::usage::Usage;
use crate::text::human::{plural, rough_duration, short_count};
use crate::text::inert::preview;

/// The sort key of rows: names from A to Z, other keys from the newest or largest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum SortKey {
    Name,
    #[default]
    #[value(alias = "created")]
    Start,
    Time,
    Events,
    Calls,
    Failed,
    Errors,
    Tokens,
    Cost,
}

/// A run as a table row.
#[derive(Debug)]
pub(super) struct RunRow {
    /// The directory's name.
    pub(super) name: String,
    /// The known facts of the run.
    pub(super) facts: RunFacts,
    /// Whether the log has events that are not counted here.
    pub(super) behind: bool,
}

impl RunRow {
    fn cells(&self, now: Timestamp) -> [String; COLUMNS] {
        let RunFacts { status, counts, duration_ms, deliverables, .. } = &self.facts;
        let age = self.facts.began_at().and_then(|began| now.since(began));
        let or_unknown = |cell: Option<String>| cell.unwrap_or_else(|| UNKNOWN.to_owned());
        let at_least = if counts.usage.output_at_least { "≥" } else { "" };
        let output = counts.usage.output_tokens.map(short_count);
        let verdict = match &deliverables.status {
            Some(status) => Some(preview(status, 12)),
            None if deliverables.required.is_empty() => None,
            None => Some("unchecked".to_owned()),
        };
        [
            preview(&self.name, 200),
            format!("{}{}", status.name(), if self.behind { "*" } else { "" }),
            or_unknown(age.map(rough_duration)),
            or_unknown(duration_ms.map(rough_duration)),
            short_count(counts.tool_calls),
            short_count(counts.tool_failures),
            short_count(counts.errors),
            or_unknown(counts.usage.context_tokens().map(short_count)),
            or_unknown(output.map(|output| format!("{at_least}{output}"))),
            or_unknown(cost_cell(&counts.usage)),
            or_unknown(verdict),
        ]
    }
}

const COLUMNS: usize = 11;

const HEADER: [&str; COLUMNS] =
    ["RUN", "STATUS", "AGE", "TIME", "CALLS", "FAIL", "ERR", "IN", "OUT", "COST", "DELIV"];

/// The order of two rows. Unknown figures come last in both directions.
pub(super) fn compare(key: SortKey, reverse: bool, one: &RunRow, other: &RunRow) -> Ordering {
    let figure = |row: &RunRow| {
        let RunFacts { counts, duration_ms, .. } = &row.facts;
        match key {
            SortKey::Name => None,
            SortKey::Start => row.facts.began_at().map(|time| i128::from(time.millis())),
            SortKey::Time => duration_ms.map(i128::from),
            SortKey::Events => Some(counts.events.into()),
            SortKey::Calls => Some(counts.tool_calls.into()),
            SortKey::Failed => Some(counts.tool_failures.into()),
            SortKey::Errors => Some(counts.errors.into()),
            SortKey::Tokens => counts.usage.all_tokens().map(i128::from),
            SortKey::Cost => row.facts.counts.usage.cost_micros.map(i128::from),
        }
    };
    let (figures, names) = ((figure(one), figure(other)), one.name.cmp(&other.name));
    let order = match figures {
        (Some(one), Some(other)) => other.cmp(&one).then(names),
        (None, None) => names,
        (one, _) => return if one.is_some() { Ordering::Less } else { Ordering::Greater },
    };
    if reverse { order.reverse() } else { order }
}

/// The rows as a table. If `total` is set and there are several rows, a row of totals is added.
pub(super) fn runs_table(rows: &[&RunRow], total: bool, now: Timestamp, width: usize) -> String {
    let mut cells: Vec<[String; COLUMNS]> = rows.iter().map(|row| row.cells(now)).collect();
    if total && rows.len() > 1 {
        cells.push(totals(rows));
    }
    table(width, HEADER, 2..COLUMNS - 1, &cells)
}

/// The cost, with a plus sign if that of some model calls is unknown.
fn cost_cell(usage: &Usage) -> Option<String> {
    let more = if usage.uncosted_calls > 0 { "+" } else { "" };
    usage.cost_told().map(|cost| cost + more)
}

fn totals(rows: &[&RunRow]) -> [String; COLUMNS] {
    let total = Total::of(rows.iter().map(|row| &row.facts));
    let or_unknown = |cell: Option<String>| cell.unwrap_or_else(|| UNKNOWN.to_owned());
    let Counts { tool_calls, tool_failures, errors, usage, .. } = &total.counts;
    let at_least = if usage.output_at_least { "≥" } else { "" };
    [
        plural(total.runs, "run"),
        String::new(),
        String::new(),
        String::new(),
        short_count(*tool_calls),
        short_count(*tool_failures),
        short_count(*errors),
        or_unknown(usage.context_tokens().map(short_count)),
        or_unknown(usage.output_tokens.map(|out| format!("{at_least}{}", short_count(out)))),
        or_unknown(cost_cell(usage)),
        String::new(),
    ]
}
