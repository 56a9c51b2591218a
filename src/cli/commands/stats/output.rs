//! Statistics as a table, as JSON and as CSV.

use std::cmp::Ordering;

use unicode_width::UnicodeWidthStr as _;

use super::StatsSort;
use crate::cli::commands::runs::shorten;
use crate::cli::commands::table::UNKNOWN;
use crate::json::{Json, ObjectText};
use crate::tables::statistics::{
    Dimension, DimensionScope, GroupKey, Groups, IN_EACH_ROW, MEASURES, Measure, MeasureValue,
    Measures, scope,
};
use crate::text::csv::{csv_line, inert_cell};
use crate::text::distinct::DistinctCut;
use crate::text::human::{self, count, dollars, short_count};
use crate::text::inert::{self, preview};

/// Spaces between two columns.
const GAP: usize = 2;
/// The width of a group's name, or of all parts of it, to which numbers give way.
const WANTED: usize = 32;
/// The least width of a group's name that is cut.
const NAME: usize = 12;

/// The groups in the order of the output.
pub(super) struct Statistics<'d> {
    dimensions: &'d [Dimension],
    scope: DimensionScope,
    groups: Vec<(GroupKey, Measures)>,
    total: Measures,
    /// Groups beyond the limit.
    left_out: usize,
}

impl<'d> Statistics<'d> {
    /// Sorts the groups.
    pub(super) fn new(
        groups: Groups,
        dimensions: &'d [Dimension],
        sort: Option<StatsSort>,
        limit: Option<usize>,
    ) -> Self {
        let Groups { groups, total } = groups;
        let mut groups: Vec<(GroupKey, Measures)> = groups.into_iter().collect();
        let is_ordered =
            |one: &Dimension| matches!(one, Dimension::Day | Dimension::Month | Dimension::Prompt);
        let usual = match dimensions.iter().any(is_ordered) {
            true => StatsSort::Name,
            false => StatsSort::Cost,
        };
        match sort.unwrap_or(usual) {
            StatsSort::Cost => {
                groups.sort_by_key(|(_, measures)| std::cmp::Reverse(measures.weight()));
            }
            StatsSort::Name => groups.sort_by_cached_key(|(key, _)| ordered(key, dimensions)),
        }
        let left_out = limit.map_or(0, |limit| groups.len().saturating_sub(limit));
        groups.truncate(limit.unwrap_or(usize::MAX));
        Self { dimensions, scope: scope(dimensions), groups, total, left_out }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    fn measures(&self) -> impl Iterator<Item = &'static Measure> {
        MEASURES.iter().filter(|measure| measure.scopes.contains(&self.scope))
    }

    /// For people. Columns in which nothing is known are omitted. If the table is too wide, names
    /// are cut so far that they still differ, then the least important columns are omitted. `runs`
    /// are the names of all runs.
    pub(super) fn table(&self, width: Option<usize>, runs: &[String]) -> String {
        let names = self.dimensions.iter().enumerate().map(|(at, dimension)| {
            let cell =
                |key: &GroupKey| inert::line(key[at].as_deref().unwrap_or(UNKNOWN)).into_owned();
            let mut cells: Vec<String> = self.groups.iter().map(|(key, _)| cell(key)).collect();
            cells.push(if at == 0 { "total".to_owned() } else { String::new() });
            let name = dimension.name();
            StatsColumn { name, heading: name.to_uppercase(), is_number: false, cells }
        });
        let mut names: Vec<StatsColumn> = names.collect();
        let mut numbers: Vec<StatsColumn> =
            self.measures().filter_map(|one| self.column(one)).collect();
        if let Some(width) = width {
            let whole = names.iter().chain(&numbers).map(|column| column.width() + GAP);
            if whole.sum::<usize>() > width + GAP {
                let runs_of =
                    names.iter_mut().filter(|column| column.name == Dimension::Run.name());
                runs_of.for_each(|column| shorten(&mut column.cells, runs));
            }
            fit(&mut names, &mut numbers, width);
        }
        print(&names.into_iter().chain(numbers).collect::<Vec<_>>())
    }

    /// The number of groups beyond the limit. They are part of the total.
    pub(super) fn left_out(&self) -> usize {
        self.left_out
    }

    /// The column of a measure, if it has any value.
    fn column(&self, measure: &Measure) -> Option<StatsColumn> {
        // Each run is one run.
        let is_one = measure.name == "runs" && self.dimensions.contains(&Dimension::Run);
        let heading = measure.heading.filter(|_| !is_one)?.to_owned();
        let all = self.groups.iter().map(|(_, measures)| measures).chain([&self.total]);
        let values: Vec<MeasureValue> = all.map(measure.value).collect();
        let says = |value: &MeasureValue| {
            !matches!(value, MeasureValue::Unknown | MeasureValue::Tokens(0, _))
        };
        values.iter().any(says).then(|| StatsColumn {
            name: measure.name,
            heading,
            is_number: true,
            cells: values.into_iter().map(for_people).collect(),
        })
    }

    /// All numbers of each group, and the total.
    pub(super) fn json(&self) -> String {
        let rows = self.groups.iter().map(|(key, measures)| {
            let mut object = ObjectText::new();
            for (dimension, value) in self.dimensions.iter().zip(key) {
                match value {
                    Some(value) => object.text(dimension.name(), value),
                    None => object.json(dimension.name(), Json::NULL),
                };
            }
            self.numbers(measures, &mut object);
            object.finish()
        });
        let rows: Vec<String> = rows.collect();
        let mut total = ObjectText::new();
        self.numbers(&self.total, &mut total);
        let by: Vec<String> =
            self.dimensions.iter().map(|dimension| format!("\"{}\"", dimension.name())).collect();
        let mut document = ObjectText::new();
        document.plain("schema_version", 1);
        document.json("by", Json::trusted(&format!("[{}]", by.join(","))));
        document.json("rows", Json::trusted(&format!("[{}]", rows.join(","))));
        document.json("total", Json::trusted(&total.finish()));
        document.plain("rows_left_out", self.left_out);
        document.finish() + "\n"
    }

    /// The measures of a document, and whether the groups have them.
    fn in_documents(&self) -> impl Iterator<Item = (&'static Measure, bool)> {
        let is_known =
            |one: &Measure| one.scopes.contains(&self.scope) || one.documents.contains(&self.scope);
        let all = MEASURES.iter().map(move |measure| (measure, is_known(measure)));
        all.filter(|(measure, is_known)| *is_known || IN_EACH_ROW.contains(&measure.name))
    }

    fn numbers(&self, measures: &Measures, object: &mut ObjectText) {
        for (measure, is_known) in self.in_documents() {
            let value = if is_known { (measure.value)(measures) } else { MeasureValue::Unknown };
            match exact(value) {
                Some(text) => object.json(measure.name, Json::trusted(&text)),
                None => object.json(measure.name, Json::NULL),
            };
            if let Some((_, mark)) = MARKS.iter().find(|(name, _)| *name == measure.name)
                && is_marked(value)
            {
                object.plain(mark, true);
            }
        }
    }

    /// All numbers of each group (RFC 4180).
    pub(super) fn csv(&self) -> String {
        let names = self.dimensions.iter().map(|dimension| dimension.name());
        let known = || self.in_documents().filter_map(|(one, is_known)| is_known.then_some(one));
        // Whether a number is a lower bound or an estimate is in columns of its own.
        let marked = |(name, mark): &(&str, &'static str)| {
            known().find(|measure| measure.name == *name).map(|measure| (measure, *mark))
        };
        let marks: Vec<(&Measure, &str)> = MARKS.iter().filter_map(marked).collect();
        let header = names.chain(known().map(|measure| measure.name));
        let header: Vec<&str> = header.chain(marks.iter().map(|(_, mark)| *mark)).collect();
        let mut out = csv_line(header.into_iter());
        for (key, measures) in &self.groups {
            let key = key
                .iter()
                .map(|value| inert_cell(value.as_deref().unwrap_or_default()).into_owned());
            let numbers =
                known().map(|measure| exact((measure.value)(measures)).unwrap_or_default());
            let marks = marks.iter().map(|(measure, _)| is_marked((measure.value)(measures)));
            let marks = marks.map(|is_set| if is_set { "true" } else { "" }.to_owned());
            let cells: Vec<String> = key.chain(numbers).chain(marks).collect();
            out.push_str(&csv_line(cells.iter().map(String::as_str)));
        }
        out
    }
}

/// The numbers that may be a lower bound or an estimate, and the member that says so.
const MARKS: &[(&str, &str)] = &[
    ("output_tokens", "output_tokens_at_least"),
    ("cost_usd", "cost_estimated"),
    ("model_calls", "model_calls_at_least"),
    ("retry_tokens", "retry_tokens_at_least"),
    ("repeat_tokens", "repeat_tokens_at_least"),
];

/// Whether a number is a lower bound or an estimate.
fn is_marked(value: MeasureValue) -> bool {
    matches!(
        value,
        MeasureValue::Tokens(_, true)
            | MeasureValue::AtLeast(_)
            | MeasureValue::Cost { estimated: true, .. }
    )
}

/// A column of the table.
struct StatsColumn {
    /// The name of the dimension or the measure.
    name: &'static str,
    heading: String,
    is_number: bool,
    cells: Vec<String>,
}

impl StatsColumn {
    fn width(&self) -> usize {
        let cells = self.cells.iter().map(|cell| cell.width());
        cells.chain([self.heading.width()]).max().unwrap_or(0)
    }
}

/// The measures that give way to whole names, the first one first. Then those from the right.
const LEAST: &[&str] = &[
    "copied_tokens",
    "repeat_tokens",
    "retry_tokens",
    "tested_runs",
    "edited_runs",
    "repeats",
    "retries",
    "output_tokens",
    "p95_ms",
    "model_calls",
    "runs",
    "all_input_tokens",
    "duration_ms",
    "failure_rate",
];

/// Fits the columns to the width. The names keep what tells them apart, and get no wider in a
/// narrower table.
fn fit(names: &mut [StatsColumn], numbers: &mut Vec<StatsColumn>, width: usize) {
    let sum = |columns: &[StatsColumn]| -> usize {
        columns.iter().map(|column| column.width() + GAP).sum::<usize>()
    };
    let is_too_wide =
        |names: &[StatsColumn], numbers: &[StatsColumn]| sum(names) + sum(numbers) > width + GAP;
    if !is_too_wide(names, numbers) {
        return;
    }
    let wanted = WANTED / names.len().max(1);
    let most = (width * 2 / 3 / names.len().max(1)).max(wanted);
    let cuts: Vec<DistinctCut> =
        names.iter().map(|column| DistinctCut::of(&column.cells, wanted, most)).collect();
    let mut widths: Vec<usize> =
        names.iter().zip(&cuts).map(|(column, cut)| column.width().min(cut.columns)).collect();
    let least: usize = widths.iter().map(|width| width + GAP).sum();
    let all = numbers.len();
    while numbers.len() > 2 && least + sum(numbers) > width + GAP {
        let at = LEAST.iter().find_map(|name| numbers.iter().position(|one| one.name == *name));
        numbers.remove(at.unwrap_or(numbers.len() - 1));
    }
    let room = (width + GAP).saturating_sub(sum(numbers));
    // Only if each number has its column, there may be room for more of the names.
    let mut rest = if all == numbers.len() { room.saturating_sub(least) } else { 0 };
    for (width, column) in widths.iter_mut().zip(names.iter()) {
        let more = rest.min(column.width() - *width);
        (*width, rest) = (*width + more, rest - more);
    }
    let mut over = least.saturating_sub(room);
    while let Some(widest) = widths.iter_mut().max().filter(|widest| over > 0 && **widest > NAME) {
        (*widest, over) = (*widest - 1, over - 1);
    }
    for ((column, cut), width) in names.iter_mut().zip(cuts).zip(widths) {
        let cut = match width.cmp(&cut.columns) {
            Ordering::Equal => cut,
            Ordering::Less | Ordering::Greater => DistinctCut::of(&column.cells, width, width),
        };
        column.cells.iter_mut().for_each(|cell| *cell = cut.apply(cell));
        column.heading = preview(&column.heading, width);
    }
}

fn print(columns: &[StatsColumn]) -> String {
    let rows = columns.first().map_or(0, |column| column.cells.len());
    let line = |cell: &dyn Fn(&StatsColumn) -> String| {
        let cells = columns.iter().map(|column| {
            let text = cell(column);
            let space = " ".repeat(column.width().saturating_sub(text.width()));
            if column.is_number { space + &text } else { text + &space }
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    let mut out = line(&|column| column.heading.clone());
    for row in 0..rows {
        out.push_str(&line(&|column| column.cells[row].clone()));
    }
    out
}

/// The key with numbers in the order of their values. Groups with a day or a prompt have it in the
/// first place.
fn ordered(key: &GroupKey, dimensions: &[Dimension]) -> Vec<(u64, String)> {
    let part = |(value, dimension): (&Option<String>, &Dimension)| {
        let text = value.clone().unwrap_or_default();
        let number = if *dimension == Dimension::Prompt { text.parse().unwrap_or(0) } else { 0 };
        (number, text)
    };
    let is_time = |(_, dimension): &(&Option<String>, &Dimension)| {
        matches!(dimension, Dimension::Day | Dimension::Month)
    };
    let parts = || key.iter().zip(dimensions);
    let times = parts().filter(is_time).map(part);
    times.chain(parts().filter(|one| !is_time(one)).map(part)).collect()
}

fn for_people(value: MeasureValue) -> String {
    match value {
        MeasureValue::Unknown => UNKNOWN.to_owned(),
        MeasureValue::Count(number) => signed(number, count),
        MeasureValue::AtLeast(number) => "≥".to_owned() + &signed(number, count),
        MeasureValue::Tokens(number, at_least) => {
            format!("{}{}", if at_least { "≥" } else { "" }, signed(number, short_count))
        }
        MeasureValue::Duration(milliseconds) => human::duration(milliseconds),
        MeasureValue::Cost { micros, estimated, partial } => {
            let (about, more) = (if estimated { "~" } else { "" }, if partial { "+" } else { "" });
            format!("{about}{}{more}", dollars(micros))
        }
        MeasureValue::Share(share) => format!("{:.1} %", share * 100.0),
        MeasureValue::Bytes(bytes) => human::size(bytes),
    }
}

fn signed(number: i64, told: fn(u64) -> String) -> String {
    let sign = if number < 0 { "−" } else { "" };
    format!("{sign}{}", told(number.unsigned_abs()))
}

/// A number for programs; `None` if it is unknown.
fn exact(value: MeasureValue) -> Option<String> {
    Some(match value {
        MeasureValue::Unknown => return None,
        MeasureValue::Count(number)
        | MeasureValue::AtLeast(number)
        | MeasureValue::Tokens(number, _) => number.to_string(),
        MeasureValue::Duration(number) | MeasureValue::Bytes(number) => number.to_string(),
        MeasureValue::Cost { micros, .. } => format!("{}", micros as f64 / 1e6),
        MeasureValue::Share(share) => format!("{share:.6}"),
    })
}
