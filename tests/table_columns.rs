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

## Views without an export

The SQL of `--to ddl duckdb` and `--to ddl clickhouse` defines views with these names and columns over the logs where
they lie. They answer the questions in [queries](queries) with the same SQL and the same answers, which a test prints.

The views compute in SQL what follows from the order of events: the pairs of calls, tasks, retries, repeats, kinds of
calls, and costs by a price list that is part of the SQL. The program and the SQL take the names of fields, tools and
test commands from the same lists. What concludes a whole run comes from its `run.json`: the status, times, title,
metadata, deliverables and error, and what a session's total adds to its calls. A live run's `run.json` is as old as its
last lifecycle event. If it is older than the last report of usage, the row of kind `total` is left out. A copy of a
run's directory counts a second time in the views; `export` leaves it out and says so.

Not in the views:

- The table `findings`: it takes `runlog validate`.
- Lines added and removed in `files`: they take a line diff. [05-files-views](queries/05-files-views.sql) asks without
  them. ClickHouse has no view of files at all.
- Rows of `files` for deliverables, and a few columns that the head of the SQL names.

PostgreSQL cannot read the logs in place. `--to ddl postgres` loads the CSV files, which have everything.

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
