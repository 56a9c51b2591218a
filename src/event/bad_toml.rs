//! Errors in a user's TOML document, with their place.

use std::fmt;

/// Why a TOML document cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadToml {
    /// The line, from 1.
    pub line: usize,
    /// The column, in characters from 1.
    pub column: usize,
    /// The error.
    pub what: String,
}

impl BadToml {
    /// An error at a byte offset of the document.
    #[must_use]
    pub fn at(document: &str, offset: usize, what: impl Into<String>) -> Self {
        let before = &document[..document.floor_char_boundary(offset)];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        Self { line, column, what: what.into() }
    }

    /// The error of the TOML parser.
    #[must_use]
    pub fn of(document: &str, error: &toml::de::Error) -> Self {
        Self::at(document, error.span().map_or(0, |span| span.start), error.message())
    }
}

impl fmt::Display for BadToml {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.what)
    }
}

impl std::error::Error for BadToml {}
