//! A run as a table row.

use crate::history::facts::RunFacts;

/// A run as a table row.
#[derive(Debug)]
pub(in crate::cli::commands) struct RunRow {
    /// The directory's name.
    pub(in crate::cli::commands) name: String,
    /// The known facts of the run.
    pub(in crate::cli::commands) facts: RunFacts,
    /// Whether the log has events that are not counted here.
    pub(in crate::cli::commands) behind: bool,
}
