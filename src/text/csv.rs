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

fn push_cell(cell: &str, out: &mut String) {
    if !cell.contains([',', '"', '\n', '\r']) {
        out.push_str(cell);
        return;
    }
    out.push('"');
    out.push_str(&cell.replace('"', "\"\""));
    out.push('"');
}
