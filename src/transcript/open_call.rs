//! Calls that have not ended.

use serde::Serialize;

/// A call that has not ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct OpenCall {
    /// Sequence of its first event.
    pub sequence: u64,
    /// The tool's name.
    pub tool: String,
    /// The arguments in one line.
    pub arguments: String,
}
