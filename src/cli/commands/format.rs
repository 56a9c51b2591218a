//! The output formats that several commands offer.

use clap::ValueEnum;

/// A table for people, or a document for programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum TableOrJson {
    #[default]
    Table,
    Json,
}

/// Lines for people, or a document for programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum HumanOrJson {
    #[default]
    Human,
    Json,
}
