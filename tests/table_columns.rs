//! The page about the tables is generated from their definition. UPDATE=1 writes it.

use runlog::internals::tables::{CellKind, Column, TableName, columns_of};

use crate::support::{fresh, root};

const HEAD: &str = "\
# Tables

`runlog export --to parquet`, `sqlite` and `csv` write these tables, and `runlog stats` computes its numbers from the
same rows. [export.md](export.md) says how to write them, and [queries](queries) has SQL for ten common questions.

| type | Parquet | SQLite | CSV | PostgreSQL |
|---|---|---|---|---|
| text | string | TEXT | text | text |
| integer | INT64 | INTEGER | digits | bigint |
| decimal | DECIMAL(18, 6) | REAL | digits | numeric(18, 6) |
| boolean | BOOLEAN | INTEGER, 0 or 1 | `true`, `false` | boolean |
| time | TIMESTAMP in milliseconds, UTC | TEXT, RFC 3339 in UTC | RFC 3339 in UTC | timestamptz |
| JSON | string | TEXT | text | json |

A column with a `?` after its type may have no value: null, or in CSV an empty cell without quotes. An empty text has
quotes in CSV.

Rules for values:

- **Counts** of tokens that a log reports are whole numbers from 0 to 2^53 - 1, which every engine and spreadsheet
  represents exactly. A larger or negative one is not counted: it is null here, and `runlog validate` reports it (RL904).
  Only rows of kind `total` in `usage` can have negative numbers.
- **Durations** are whole milliseconds from 0 to 2^48 - 2, some 8,900 years.
- **Cost** is in US dollars with six decimals. The program computes with whole millionths of a dollar. Parquet and
  PostgreSQL have exact decimals. SQLite has no decimals: each value there is the nearest floating-point number, which
  has the same digits up to four billion dollars. Round sums to six decimals there. A cost above 2^53 - 1 millionths is
  not counted.
- **Times** before the year 1 are written as 0001-01-01T00:00:00.000Z. `ended_at` is null if it would be after the year
  9999.
- **CSV for spreadsheets**: a text that begins with `=`, `+`, `-`, `@`, a tab, a line break, or the wide form of one of
  these characters gets an apostrophe in front, so that no spreadsheet runs it as a formula. If apostrophes precede
  such a character, one more is added. To undo it, remove one apostrophe from texts that begin with apostrophes and
  then such a character; the SQL of `--to ddl postgres` does that. JSON is unchanged: no JSON is a formula. Open the
  files with the comma as the only separator. NUL characters become U+FFFD.
- Parquet and SQLite hold each text as it is in the log, with control characters and NUL.

## Views in other engines

The SQL of `--to ddl duckdb DIR` and `--to ddl clickhouse DIR` defines a view for each table of a directory that
`--to parquet` wrote, under the names of this page. They answer the questions in [queries](queries), and a test compares
the answers with those of `runlog stats`. One more view, `lines`, has the lines of the logs where they lie: the fields of
each event and the path of its log, and nothing that is computed. Without DIR, it is the only one.

PostgreSQL reads neither the logs nor Parquet. `--to ddl postgres` loads the CSV files.

This page is generated from `src/tables/rows.rs`. `UPDATE=1 cargo test table_columns` updates it.
";

fn kind(column: &Column) -> String {
    let name = match column.kind {
        CellKind::Text => "text",
        CellKind::Integer => "integer",
        CellKind::Dollars => "decimal",
        CellKind::Boolean => "boolean",
        CellKind::Time => "time",
        CellKind::Json => "JSON",
    };
    format!("{name}{}", if column.optional { "?" } else { "" })
}

/// Units by the end of a column's name.
const UNITS: &[(&str, &str)] = &[
    ("_ms", "milliseconds"),
    ("_tokens", "tokens"),
    ("_usd", "US dollars"),
    ("bytes", "bytes"),
    ("added", "lines"),
    ("removed", "lines"),
];

fn unit(column: &Column) -> &'static str {
    let is_number = matches!(column.kind, CellKind::Integer | CellKind::Dollars);
    let known = UNITS.iter().find(|(end, _)| is_number && column.name.ends_with(end));
    known.map_or("", |(_, unit)| unit)
}

/// If this fails, the page lacks a column, or gives another type than the files have.
#[test]
fn the_page_is_fresh() {
    let mut page = HEAD.to_owned();
    for table in TableName::ALL {
        page.push_str(&format!("\n## {}\n\n{}\n\n", table.name(), table.purpose()));
        page.push_str("| column | type | unit | meaning |\n|---|---|---|---|\n");
        for column in columns_of(table) {
            let purpose = column.purpose.trim();
            let (name, kind, unit) = (column.name, kind(column), unit(column));
            page.push_str(&format!("| `{name}` | {kind} | {unit} | {purpose} |\n"));
        }
    }
    fresh(&root().join("docs/tables.md"), page.as_bytes(), "table_columns");
}
