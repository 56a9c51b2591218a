//! Comma-separated values (RFC 4180).

use std::borrow::Cow;

/// A line of cells, with its newline. Lines end with `\n`, as Unix tools expect.
#[must_use]
pub(crate) fn csv_line<'c>(cells: impl Iterator<Item = &'c str>) -> String {
    let mut out = String::new();
    for (at, cell) in cells.enumerate() {
        if at > 0 {
            out.push(',');
        }
        push_cell(cell, &mut out);
    }
    out.push('\n');
    out
}

/// The text of a cell, with an apostrophe in front if a spreadsheet could run it as a formula.
/// Apostrophes before such a character get one more, so that readers can undo it: of a cell that
/// matches `^'+[=+@＝＋－＠\t\r\n-]`, the first character is removed.
#[must_use]
pub(crate) fn inert_cell(text: &str) -> Cow<'_, str> {
    match text.trim_start_matches('\'').starts_with(FORMULA) {
        true => format!("'{text}").into(),
        false => text.into(),
    }
}

/// What formulas begin with, and what spreadsheets remove before they look.
pub(crate) const FORMULA: [char; 11] =
    ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// Adds a cell whose text is known, so that readers can tell an empty text from a missing value: it
/// is quoted. NUL characters, which most readers refuse, become U+FFFD.
pub(crate) fn push_known(cell: &str, out: &mut String) {
    if cell.is_empty() {
        out.push_str("\"\"");
    } else if cell.contains('\0') {
        push_cell(&cell.replace('\0', "\u{fffd}"), out);
    } else {
        push_cell(cell, out);
    }
}

fn push_cell(cell: &str, out: &mut String) {
    if !cell.contains([',', '"', '\n', '\r']) {
        out.push_str(cell);
        return;
    }
    out.push('"');
    out.push_str(&cell.replace('"', "\"\""));
    out.push('"');
}
