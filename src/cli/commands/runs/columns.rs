//! The columns of a table of runs: one row of a table each.

use clap::ValueEnum;

use super::row::RunRow;
use crate::cli::commands::table::UNKNOWN;
use crate::event::time::Timestamp;
use crate::history::facts::Total;
use crate::text::human::{duration, plural, rough_duration, short_count};
use crate::text::inert::{line, preview};

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli::commands) enum RunColumn {
    /// The name of the run's directory
    Run,
    /// Its status
    Status,
    /// How long ago the work began
    Age,
    /// When the work began
    Start,
    /// Duration of the work
    Time,
    /// The agent
    Agent,
    /// The models
    Model,
    /// Events
    Events,
    /// Prompts
    Prompts,
    /// Tool calls
    Calls,
    /// Tool calls that failed
    Fail,
    /// Errors
    Err,
    /// Input tokens, with cached ones
    In,
    /// Output tokens
    Out,
    /// The cost
    Cost,
    /// The verdict on the deliverables
    Deliv,
    /// The directory of the work
    Directory,
    /// The branch
    Branch,
    /// The title, or the first prompt
    Title,
}

/// What a column shows.
pub(super) struct ColumnRow {
    /// Its heading.
    pub(super) heading: &'static str,
    /// Whether it has numbers, which are aligned to the right.
    pub(super) is_number: bool,
    /// Its value for people. `None` if it is unknown.
    pub(super) cell: fn(&RunRow, Timestamp) -> Option<String>,
    /// Its exact value for programs.
    pub(super) value: fn(&RunRow) -> Option<String>,
}

/// The columns that a table has if no others are chosen, from the left.
pub(super) const USUAL: &[RunColumn] = &[
    RunColumn::Run,
    RunColumn::Status,
    RunColumn::Age,
    RunColumn::Time,
    RunColumn::Agent,
    RunColumn::Model,
    RunColumn::Calls,
    RunColumn::Fail,
    RunColumn::Err,
    RunColumn::In,
    RunColumn::Out,
    RunColumn::Cost,
    RunColumn::Deliv,
    RunColumn::Title,
];

/// The usual columns that give way to names and titles, the first one first.
pub(super) const MINOR: &[RunColumn] = &[
    RunColumn::Model,
    RunColumn::Agent,
    RunColumn::Err,
    RunColumn::Out,
    RunColumn::In,
    RunColumn::Time,
    RunColumn::Deliv,
];

/// The usual columns to which names and titles give way, the one that is omitted first first.
pub(super) const MAJOR: &[RunColumn] =
    &[RunColumn::Calls, RunColumn::Cost, RunColumn::Age, RunColumn::Fail];

impl RunColumn {
    /// Its name on the command line and in TSV.
    fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// Its heading.
    pub(in crate::cli::commands) fn heading(self) -> &'static str {
        self.row().heading
    }

    /// Its value for people. `None` if it is unknown.
    pub(in crate::cli::commands) fn cell(self, row: &RunRow, now: Timestamp) -> Option<String> {
        (self.row().cell)(row, now)
    }

    /// Whether it has a name or a text, which may be long.
    pub(super) fn is_name(self) -> bool {
        matches!(
            self,
            Self::Run | Self::Agent | Self::Model | Self::Directory | Self::Branch | Self::Title
        )
    }

    /// What it shows.
    pub(super) fn row(self) -> ColumnRow {
        let text = |heading, cell, value| ColumnRow { heading, is_number: false, cell, value };
        let number = |heading, cell, value| ColumnRow { heading, is_number: true, cell, value };
        match self {
            Self::Run => {
                text("RUN", |row, _| Some(preview(&row.name, 200)), |row| Some(row.name.clone()))
            }
            Self::Status => text(
                "STATUS",
                |row, _| {
                    let behind = if row.behind { "*" } else { "" };
                    Some(format!("{}{behind}", row.facts.status.name()))
                },
                |row| Some(row.facts.status.name().to_owned()),
            ),
            Self::Age => number(
                "AGE",
                |row, now| now.since(row.facts.dated_at()?).map(rough_duration),
                |row| row.facts.dated_at().map(|time| time.to_string()),
            ),
            Self::Start => text(
                "START",
                |row, _| row.facts.began_at().map(|time| time.readable()[..16].to_owned()),
                |row| row.facts.began_at().map(|time| time.to_string()),
            ),
            Self::Time => number(
                "TIME",
                |row, _| row.facts.duration_ms.map(duration),
                |row| row.facts.duration_ms.map(|time| time.to_string()),
            ),
            Self::Agent => text(
                "AGENT",
                |row, _| row.facts.metadata("agent").map(|agent| preview(&agent, 20)),
                |row| row.facts.metadata("agent"),
            ),
            Self::Model => text("MODEL", |row, _| models(row, 24), |row| models(row, usize::MAX)),
            Self::Events => number(
                "EVENTS",
                |row, _| Some(short_count(row.facts.counts.events)),
                |row| Some(row.facts.counts.events.to_string()),
            ),
            Self::Prompts => number(
                "PROMPTS",
                |row, _| Some(short_count(row.facts.counts.prompts)),
                |row| Some(row.facts.counts.prompts.to_string()),
            ),
            Self::Calls => number(
                "CALLS",
                |row, _| Some(short_count(row.facts.counts.tool_calls)),
                |row| Some(row.facts.counts.tool_calls.to_string()),
            ),
            Self::Fail => number(
                "FAIL",
                |row, _| Some(short_count(row.facts.counts.tool_failures)),
                |row| Some(row.facts.counts.tool_failures.to_string()),
            ),
            Self::Err => number(
                "ERR",
                |row, _| Some(short_count(row.facts.counts.errors)),
                |row| Some(row.facts.counts.errors.to_string()),
            ),
            Self::In => number(
                "IN",
                |row, _| row.facts.counts.usage.context_tokens().map(short_count),
                |row| row.facts.counts.usage.context_tokens().map(|tokens| tokens.to_string()),
            ),
            Self::Out => number(
                "OUT",
                |row, _| row.facts.counts.usage.output_told(),
                |row| row.facts.counts.usage.output_tokens.map(|tokens| tokens.to_string()),
            ),
            Self::Cost => number(
                "COST",
                |row, _| row.facts.counts.usage.cost_told(),
                |row| row.facts.counts.usage.cost_usd().map(|cost| cost.to_string()),
            ),
            Self::Deliv => text("DELIV", |row, _| verdict(row), verdict),
            Self::Directory => text(
                "DIRECTORY",
                |row, _| row.facts.metadata("cwd").map(|path| preview(&path, 60)),
                |row| row.facts.metadata("cwd"),
            ),
            Self::Branch => text(
                "BRANCH",
                |row, _| row.facts.metadata("git_branch").map(|name| preview(&name, 40)),
                |row| row.facts.metadata("git_branch"),
            ),
            Self::Title => text(
                "TITLE",
                |row, _| row.facts.title().map(|title| preview(&title, 200)),
                // A prompt may have line breaks and indentation.
                |row| {
                    row.facts
                        .title()
                        .map(|title| title.split_whitespace().collect::<Vec<_>>().join(" "))
                },
            ),
        }
    }

    /// Its cell in the row of totals.
    pub(super) fn total(self, total: &Total) -> String {
        let counts = &total.counts;
        let known = |cell: Option<String>| cell.unwrap_or_else(|| UNKNOWN.to_owned());
        match self {
            Self::Run => plural(total.runs, "run"),
            Self::Events => short_count(counts.events),
            Self::Prompts => short_count(counts.prompts),
            Self::Calls => short_count(counts.tool_calls),
            Self::Fail => short_count(counts.tool_failures),
            Self::Err => short_count(counts.errors),
            Self::In => known(counts.usage.context_tokens().map(short_count)),
            Self::Out => known(counts.usage.output_told()),
            Self::Cost => known(counts.usage.cost_told()),
            _ => String::new(),
        }
    }
}

/// The rows with exact values, one line each, below a line with the names of the columns.
pub(in crate::cli::commands) fn tsv(rows: &[&RunRow], columns: &[RunColumn]) -> String {
    let columns = if columns.is_empty() { USUAL } else { columns };
    let names: Vec<String> = columns.iter().map(|column| column.name()).collect();
    let mut out = names.join("\t") + "\n";
    for row in rows {
        let cells = columns.iter().map(|column| (column.row().value)(row).unwrap_or_default());
        // A tab or a line break in a value would be a cell or a row of its own.
        let words = |cell: String| line(&cell).split_whitespace().collect::<Vec<_>>().join(" ");
        let cells = cells.map(words);
        out.push_str(&cells.collect::<Vec<_>>().join("\t"));
        out.push('\n');
    }
    out
}

/// The first model, and how many others there are.
fn models(row: &RunRow, columns: usize) -> Option<String> {
    let Some((first, others)) = row.facts.models.split_first() else {
        // No call names it, but the run does.
        return row.facts.metadata("model").map(|model| preview(&model, columns));
    };
    let first = preview(first, columns);
    Some(if others.is_empty() { first } else { format!("{first}+{}", others.len()) })
}

fn verdict(row: &RunRow) -> Option<String> {
    let deliverables = &row.facts.deliverables;
    match &deliverables.status {
        Some(status) => Some(preview(status, 12)),
        None if !deliverables.missing.is_empty() => Some("missing".to_owned()),
        None if deliverables.required.is_empty() => None,
        None => Some("unchecked".to_owned()),
    }
}
