//! Severities.

use std::fmt;

/// The severity of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Details for debugging.
    Debug,
    /// Normal operation.
    Info,
    /// Possibly a problem.
    Warning,
    /// Something failed.
    Error,
}

impl Severity {
    /// All severities, from lowest to highest.
    pub const ALL: [Self; 4] = [Self::Debug, Self::Info, Self::Warning, Self::Error];

    /// The name in the envelope.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }

    /// The severity with that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|severity| severity.name() == name)
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
