//! Runs as the rows of a table, for `list` and `summarize --all`.

mod columns;
mod layout;
mod row;
mod sort;

pub(super) use columns::{RunColumn, tsv};
pub(super) use layout::{TableForm, runs_table, shorten, status_tone};
pub(super) use row::RunRow;
pub(super) use sort::{SortKey, compare};
