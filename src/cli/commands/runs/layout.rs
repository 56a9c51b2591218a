//! A table of runs, fitted to a width.

use unicode_width::UnicodeWidthStr as _;

use super::columns::{LEAST, RunColumn, USUAL};
use super::row::RunRow;
use crate::cli::commands::table::UNKNOWN;
use crate::cli::paint::{Paint, Tone};
use crate::event::time::Timestamp;
use crate::history::facts::Total;
use crate::history::status::Status;
use crate::text::inert::{self, preview, preview_middle};

/// Spaces between two cells.
const GAP: usize = 2;
/// The least width of a title.
const TITLE: usize = 24;
/// The least width of the beginning of a run's name.
const NAME: usize = 16;

/// How a table is laid out.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli::commands) struct TableForm<'c> {
    /// The columns; none for the usual ones.
    pub(in crate::cli::commands) columns: &'c [RunColumn],
    /// Whether there is a row of totals below several runs.
    pub(in crate::cli::commands) total: bool,
    /// The width. `None`: nothing is cut or omitted.
    pub(in crate::cli::commands) width: Option<usize>,
    /// Whether there are colours.
    pub(in crate::cli::commands) color: bool,
    /// The names of all runs in the directory, of which the rows may be a part.
    pub(in crate::cli::commands) names: &'c [String],
}

/// A column with its cells.
struct Laid {
    column: RunColumn,
    heading: &'static str,
    is_number: bool,
    cells: Vec<String>,
}

impl Laid {
    fn width(&self) -> usize {
        let cells = self.cells.iter().map(|cell| cell.width());
        cells.chain([self.heading.width()]).max().unwrap_or(0)
    }
}

/// The rows as a table. A usual column without known values is omitted. If the table is too wide,
/// names are shortened to what still identifies a run, the least important columns are omitted, and
/// titles are cut.
pub(in crate::cli::commands) fn runs_table(
    rows: &[&RunRow],
    form: TableForm<'_>,
    now: Timestamp,
) -> String {
    let chosen = if form.columns.is_empty() { USUAL } else { form.columns };
    let total =
        (form.total && rows.len() > 1).then(|| Total::of(rows.iter().map(|row| &row.facts)));
    let mut columns: Vec<Laid> = chosen.iter().map(|column| laid(*column, rows, now)).collect();
    if form.columns.is_empty() {
        let is_known = |laid: &Laid| laid.cells.iter().any(|cell| cell != UNKNOWN);
        columns.retain(|laid| rows.is_empty() || is_known(laid));
    }
    if let Some(total) = &total {
        for laid in &mut columns {
            laid.cells.push(laid.column.total(total));
        }
    }
    if let Some(width) = form.width {
        fit(&mut columns, rows.len(), width, &form);
    }
    print(&columns, rows, Paint(form.color))
}

fn laid(column: RunColumn, rows: &[&RunRow], now: Timestamp) -> Laid {
    let row = column.row();
    let cell = |run: &&RunRow| (row.cell)(run, now).unwrap_or_else(|| UNKNOWN.to_owned());
    let cells = rows.iter().map(cell).collect();
    Laid { column, heading: row.heading, is_number: row.is_number, cells }
}

fn fit(columns: &mut Vec<Laid>, runs: usize, width: usize, form: &TableForm<'_>) {
    let may_omit = form.columns.is_empty();
    let is = |laid: &Laid, column| laid.column == column;
    // What the columns need if titles are as short as they may be.
    let needed = |columns: &[Laid]| {
        let width = |laid: &Laid| match laid.column {
            RunColumn::Title => laid.width().min(TITLE),
            _ => laid.width(),
        };
        columns.iter().map(width).sum::<usize>() + GAP * columns.len().saturating_sub(1)
    };
    if needed(columns) > width
        && let Some(names) = columns.iter_mut().find(|laid| is(laid, RunColumn::Run))
    {
        shorten(&mut names.cells[..runs], form.names);
    }
    for least in LEAST.iter().filter(|_| may_omit) {
        if needed(columns) <= width || columns.len() <= 2 {
            break;
        }
        columns.retain(|laid| !is(laid, *least));
    }
    let others = |columns: &[Laid], column| {
        let others = columns.iter().filter(|laid| !is(laid, column));
        others.map(Laid::width).sum::<usize>() + GAP * columns.len().saturating_sub(1)
    };
    let room = width.saturating_sub(others(columns, RunColumn::Title)).max(TITLE / 2);
    if let Some(titles) = columns.iter_mut().find(|laid| is(laid, RunColumn::Title)) {
        titles.cells.iter_mut().for_each(|cell| *cell = preview(cell, room));
    }
    let room = width.saturating_sub(others(columns, RunColumn::Run)).max(NAME);
    if let Some(names) = columns.iter_mut().find(|laid| is(laid, RunColumn::Run)) {
        names.cells.iter_mut().for_each(|cell| *cell = preview_middle(cell, room));
    }
}

/// Shortens names to beginnings that only one run has. A beginning still names the run.
pub(in crate::cli::commands) fn shorten(names: &mut [String], all: &[String]) {
    let mut sorted: Vec<&str> = all.iter().map(String::as_str).collect();
    sorted.sort_unstable();
    let common = |one: &str, other: &str| {
        let pairs = one.char_indices().zip(other.chars());
        let same = pairs.take_while(|((_, one), other)| one == other);
        same.last().map_or(0, |((at, c), _)| at + c.len_utf8())
    };
    for name in names {
        let Ok(at) = sorted.binary_search(&name.as_str()) else { continue };
        let neighbours = [at.checked_sub(1), at.checked_add(1)];
        let neighbours = neighbours.into_iter().flatten().filter_map(|at| sorted.get(at));
        let longest = neighbours.map(|other| common(name, other)).max().unwrap_or(0);
        let length = (longest + 1).max(NAME);
        // A few characters less are not worth it.
        if name.len() > length + 4 {
            name.truncate(name.ceil_char_boundary(length));
        }
    }
}

fn print(columns: &[Laid], rows: &[&RunRow], paint: Paint) -> String {
    let widths: Vec<usize> = columns.iter().map(Laid::width).collect();
    let line = |cell: &dyn Fn(&Laid) -> (String, Tone)| {
        let mut out = String::new();
        for (index, (laid, width)) in columns.iter().zip(&widths).enumerate() {
            let (text, tone) = cell(laid);
            let space = " ".repeat(width.saturating_sub(text.width()));
            let text = paint.apply(tone, &text);
            let is_last = index + 1 == columns.len();
            match (laid.is_number, is_last) {
                (true, _) => out.push_str(&format!("{space}{text}")),
                (false, true) => out.push_str(&text),
                (false, false) => out.push_str(&format!("{text}{space}")),
            }
            if !is_last {
                out.push_str(&" ".repeat(GAP));
            }
        }
        inert_line(&out)
    };
    let mut out = line(&|laid| (laid.heading.to_owned(), Tone::Bold));
    let count = columns.first().map_or(0, |laid| laid.cells.len());
    for at in 0..count {
        out.push_str(&line(&|laid| {
            let tone = rows.get(at).map_or(Tone::Plain, |row| tone(laid.column, row));
            (laid.cells[at].clone(), tone)
        }));
    }
    out
}

fn inert_line(line: &str) -> String {
    inert::commands(line.trim_end()).into_owned() + "\n"
}

/// The colour of a status.
pub(in crate::cli::commands) fn status_tone(status: Status) -> Tone {
    match status {
        Status::Completed => Tone::Green,
        Status::Failed => Tone::Red,
        Status::Incomplete | Status::Cancelled => Tone::Yellow,
        _ => Tone::Plain,
    }
}

fn tone(column: RunColumn, row: &RunRow) -> Tone {
    match column {
        RunColumn::Status => status_tone(row.facts.status),
        RunColumn::Fail if row.facts.counts.tool_failures > 0 => Tone::Yellow,
        RunColumn::Age | RunColumn::Agent | RunColumn::Model => Tone::Dim,
        _ => Tone::Plain,
    }
}
