//! Comma-separated values (RFC 4180).

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
