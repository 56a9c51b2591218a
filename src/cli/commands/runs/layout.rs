//! A table of runs, fitted to a width.

use unicode_width::UnicodeWidthStr as _;

use super::columns::{MAJOR, MINOR, RunColumn, USUAL};
use super::names::shorten;
use super::row::RunRow;
use crate::cli::commands::table::UNKNOWN;
use crate::cli::paint::{Paint, Tone};
use crate::event::time::Timestamp;
use crate::history::facts::Total;
use crate::history::status::Status;
use crate::text::distinct::DistinctCut;
use crate::text::inert::{self, preview};

/// Spaces between two cells.
const GAP: usize = 2;
/// The width of a title that gives way to no minor column.
const TITLE: usize = 24;
/// The least width of a title beside the other columns.
const LEAST_TITLE: usize = 12;
/// The least width of a name that is cut in the middle.
const NAME: usize = 20;

/// How a table is laid out.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli::commands) struct TableForm<'c> {
    /// The columns; none for the usual ones.
    pub(in crate::cli::commands) columns: &'c [RunColumn],
    /// Whether there is a row of totals below several runs.
    pub(in crate::cli::commands) total: Option<&'c Total>,
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
/// names are shortened to what still identifies a run, minor columns are omitted, names and titles
/// are cut, and then other columns are omitted. The status stays.
pub(in crate::cli::commands) fn runs_table(
    rows: &[&RunRow],
    form: TableForm<'_>,
    now: Timestamp,
) -> String {
    let chosen = if form.columns.is_empty() { USUAL } else { form.columns };
    let total = form.total.filter(|_| rows.len() > 1);
    let mut columns: Vec<Laid> =
        chosen.iter().map(|column| laid(*column, rows, now, form.width.is_none())).collect();
    if form.columns.is_empty() {
        let is_known = |laid: &Laid| laid.cells.iter().any(|cell| cell != UNKNOWN);
        columns.retain(|laid| rows.is_empty() || is_known(laid));
    }
    if let Some(total) = total {
        for laid in &mut columns {
            laid.cells.push(laid.column.total(total));
        }
    }
    if let Some(width) = form.width {
        fit(&mut columns, rows.len(), width, &form);
    }
    print(&columns, rows, Paint(form.color))
}

/// A column. With `whole`, no name is cut.
fn laid(column: RunColumn, rows: &[&RunRow], now: Timestamp, whole: bool) -> Laid {
    let row = column.row();
    let cell = |run: &&RunRow| {
        let whole = whole && column.is_name();
        let name = whole.then(|| (row.value)(run)).flatten();
        let cell = name.map(|name| inert::line(&name).into_owned());
        cell.or_else(|| (row.cell)(run, now)).unwrap_or_else(|| UNKNOWN.to_owned())
    };
    let cells = rows.iter().map(cell).collect();
    Laid { column, heading: row.heading, is_number: row.is_number, cells }
}

/// Fits the columns to the width.
fn fit(columns: &mut Vec<Laid>, runs: usize, width: usize, form: &TableForm<'_>) {
    let may_omit = form.columns.is_empty();
    if needed(columns, (usize::MAX, TITLE)) > width
        && let Some(names) = find(columns, RunColumn::Run)
    {
        shorten(&mut names.cells[..runs], form.names);
    }
    // The minor columns give way to names and titles. Names and titles give way to the others.
    for (least, limits) in [(MINOR, (usize::MAX, TITLE)), (MAJOR, (NAME, LEAST_TITLE))] {
        for one in least.iter().filter(|_| may_omit) {
            if needed(columns, limits) <= width || columns.len() <= 2 {
                break;
            }
            columns.retain(|laid| laid.column != *one);
        }
    }
    let room = |columns: &[Laid], without: &[RunColumn]| {
        let others = columns.iter().filter(|laid| !without.contains(&laid.column));
        let others = others.map(Laid::width).sum::<usize>();
        width.saturating_sub(others + GAP * columns.len().saturating_sub(1))
    };
    let titles = find(columns, RunColumn::Title).map(|titles| titles.width());
    let shared = room(columns, &[RunColumn::Run, RunColumn::Title]);
    if let Some(names) = find(columns, RunColumn::Run) {
        let mut most = names.width();
        let unused = titles.map_or(shared, |titles| shared.saturating_sub(titles));
        let wanted = unused.max(shared / 2).max(NAME.min(shared));
        if most > wanted {
            // A beginning still names the run, a name that is cut does not.
            shorten(&mut names.cells[..runs], form.names);
            most = names.width();
        }
        if most > wanted {
            let cut = DistinctCut::of(&names.cells, wanted, most.min(shared));
            names.cells.iter_mut().for_each(|cell| *cell = cut.apply(cell));
        }
    }
    let room = room(columns, &[RunColumn::Title]);
    if may_omit && room < titles.unwrap_or(0).min(LEAST_TITLE / 2) && columns.len() > 2 {
        columns.retain(|laid| laid.column != RunColumn::Title);
    } else if let Some(titles) = find(columns, RunColumn::Title) {
        let room = room.max(LEAST_TITLE / 2);
        titles.cells.iter_mut().for_each(|cell| *cell = preview(cell, room));
    }
}

fn find(columns: &mut [Laid], column: RunColumn) -> Option<&mut Laid> {
    columns.iter_mut().find(|laid| laid.column == column)
}

/// The width of all columns if names and titles have at most the given numbers of columns.
fn needed(columns: &[Laid], (name, title): (usize, usize)) -> usize {
    let width = |laid: &Laid| match laid.column {
        RunColumn::Run => laid.width().min(name),
        RunColumn::Title => laid.width().min(title),
        _ => laid.width(),
    };
    columns.iter().map(width).sum::<usize>() + GAP * columns.len().saturating_sub(1)
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
