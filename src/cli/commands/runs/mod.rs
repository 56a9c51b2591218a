//! Runs as the rows of a table, for `list` and `summarize --all`.

mod columns;
mod layout;
mod names;
mod row;
mod sort;

pub(super) use columns::{RunColumn, tsv};
pub(super) use layout::{TableForm, runs_table, status_tone};
pub(super) use names::shorten;
pub(super) use row::RunRow;
pub(super) use sort::{SortKey, compare};
