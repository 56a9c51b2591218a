//! Findings: the result of a check and its place.

use std::borrow::Cow;

use super::table::{Check, Code, Level};

/// A finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The check's code.
    pub code: Code,
    /// The check's own level, or a lower one.
    pub level: Level,
    /// The place of the fault.
    pub place: Place,
    /// What is wrong, in one line.
    pub message: String,
    /// The text at the place, if it helps.
    pub excerpt: Option<Excerpt>,
}

/// The part of a line around a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The text before the place.
    pub before: String,
    /// The text from the place on.
    pub behind: String,
}

impl Excerpt {
    /// The text around byte `at` of a line, short enough for one line of a terminal.
    #[must_use]
    pub fn of(line: &[u8], at: usize) -> Self {
        const BEFORE: usize = 40;
        const BEHIND: usize = 30;
        let at = at.min(line.len());
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            before: text(&line[at.saturating_sub(BEFORE)..at]),
            behind: text(&line[at..line.len().min(at + BEHIND)]),
        }
    }
}

/// The place of a finding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// File, relative to the run directory.
    pub file: Cow<'static, str>,
    /// Line, from 1.
    pub line: Option<u64>,
    /// Byte offset in the file.
    pub offset: Option<u64>,
    /// The event.
    pub event_id: Option<String>,
}

impl Place {
    /// A whole file.
    #[must_use]
    pub fn file(name: impl Into<Cow<'static, str>>) -> Self {
        Self { file: name.into(), ..Self::default() }
    }
}

impl Finding {
    /// A finding at the check's own level.
    #[must_use]
    pub fn new(code: Code, place: Place, message: impl Into<String>) -> Self {
        Self { code, level: code.check().level, place, message: message.into(), excerpt: None }
    }

    /// Adds an excerpt.
    #[must_use]
    pub fn showing(mut self, excerpt: Excerpt) -> Self {
        self.excerpt = Some(excerpt);
        self
    }

    /// Lowers the level to `level` if it is higher.
    #[must_use]
    pub fn at_most(mut self, level: Level) -> Self {
        self.level = self.level.min(level);
        self
    }

    /// The check that made it.
    #[must_use]
    pub fn check(&self) -> &'static Check {
        self.code.check()
    }
}

/// The findings of one run.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// In the order in which they were found.
    pub all: Vec<Finding>,
}

impl Findings {
    /// Adds a finding.
    pub fn push(&mut self, finding: Finding) {
        self.all.push(finding);
    }
}
