//! Tables for people: no lines, numbers to the right, fitted to the width.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

/// A table without lines; the columns from `numbers` on are aligned to the right.
pub(super) fn plain_table(width: usize, header: &[&str], numbers: usize) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(u16::try_from(width).unwrap_or(80));
    table.set_header(header);
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if index >= numbers {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// A table as lines without white space at their ends.
pub(super) fn printed(table: &Table) -> String {
    table.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}
