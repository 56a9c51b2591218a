//! Tables for people: no borders, numbers aligned to the right, one line per row.

use std::ops::Range;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use unicode_width::UnicodeWidthStr as _;

use crate::text::inert::{self, preview_middle};

/// The placeholder for an unknown figure.
pub(super) const UNKNOWN: &str = "–";

/// Number of columns between two cells.
const GAP: usize = 2;

/// Minimum width of the first column.
const NARROWEST: usize = 12;

/// Lays out rows of inert cells. The columns `numbers` are aligned to the right. Columns without known
/// values are omitted. The first column is cut so that a row fits into `width`.
pub(super) fn table<const N: usize>(
    width: usize,
    header: [&str; N],
    numbers: Range<usize>,
    rows: &[[String; N]],
) -> String {
    let known = |column: usize| {
        column == 0 || rows.is_empty() || rows.iter().any(|row| row[column] != UNKNOWN)
    };
    let columns: Vec<usize> = (0..N).filter(|column| known(*column)).collect();
    let widest = |column: usize| {
        let cells = rows.iter().map(|row| row[column].width());
        cells.chain([header[column].width()]).max().unwrap_or(0)
    };
    let mut columns = columns;
    let others = |columns: &[usize], gap: usize| -> usize {
        columns.iter().skip(1).map(|column| widest(*column) + gap).sum()
    };
    // Prefer narrow gaps to cut names, and fewer columns to wrapped rows.
    let gap = if widest(0) + others(&columns, GAP) <= width { GAP } else { 1 };
    while columns.len() > 2 && NARROWEST + others(&columns, gap) > width {
        columns.pop();
    }
    let first = width.saturating_sub(others(&columns, gap)).max(NARROWEST);

    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(columns.iter().map(|column| header[*column]));
    for row in rows {
        table.add_row(columns.iter().map(|column| match column {
            0 => preview_middle(&row[0], first),
            column => row[*column].clone(),
        }));
    }
    for (column, index) in table.column_iter_mut().zip(&columns) {
        column.set_padding((0, gap as u16));
        if numbers.contains(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.lines().map(|line| inert::commands(line.trim_end()).into_owned() + "\n").collect()
}
