//! Findings: the result of a check and its place.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::table::{Check, Code, Fix, Level};
use crate::text::inert;

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
    /// A finding at the check's own level. The message may quote the log; nothing in it stays
    /// active.
    #[must_use]
    pub fn new(code: Code, place: Place, message: impl Into<String>) -> Self {
        let message = inert::line(&message.into()).into_owned();
        Self { code, level: code.check().level, place, message, excerpt: None }
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

/// The findings of one run. Of each check only the first ones are kept; all are counted.
#[derive(Clone, Debug)]
pub struct Findings {
    /// Those that are kept, in the order in which they were found.
    pub all: Vec<Finding>,
    /// The number found by each check at each level.
    totals: BTreeMap<(Code, Level), u64>,
    /// Maximum number that is kept of each check.
    most: u64,
}

impl Findings {
    /// Maximum number of findings that are kept of each check if nothing else is asked for.
    pub const MOST: u64 = 100;

    /// No findings. At most `most` are kept of each check.
    #[must_use]
    pub fn keeping(most: u64) -> Self {
        Self { all: Vec::new(), totals: BTreeMap::new(), most }
    }

    /// Adds a finding.
    pub fn push(&mut self, finding: Finding) {
        // Files that are rebuilt must all be known.
        if self.found(finding.code) < self.most || finding.check().fix == Fix::Rebuild {
            self.add(finding.code, finding.level, 1);
            self.all.push(finding);
        } else {
            self.add(finding.code, finding.level, 1);
        }
    }

    /// Counts findings of which nothing is kept.
    pub fn add(&mut self, code: Code, level: Level, number: u64) {
        if number > 0 {
            *self.totals.entry((code, level)).or_default() += number;
        }
    }

    /// Adds other findings.
    pub fn append(&mut self, other: Self) {
        let kept = |code, level| {
            let like = |finding: &&Finding| finding.code == code && finding.level == level;
            other.all.iter().filter(like).count() as u64
        };
        for (&(code, level), &number) in &other.totals {
            self.add(code, level, number - kept(code, level));
        }
        other.all.into_iter().for_each(|finding| self.push(finding));
    }

    /// Keeps the findings of some checks.
    pub fn retain(&mut self, meant: impl Fn(Code) -> bool) {
        self.all.retain(|finding| meant(finding.code));
        self.totals.retain(|(code, _), _| meant(*code));
    }

    /// The number found by a check, at any level.
    #[must_use]
    pub fn found(&self, code: Code) -> u64 {
        self.totals
            .range((code, Level::Info)..=(code, Level::Error))
            .map(|(_, number)| number)
            .sum()
    }

    /// The number found by each check at each level.
    pub fn totals(&self) -> impl Iterator<Item = (Code, Level, u64)> + '_ {
        self.totals.iter().map(|(&(code, level), &number)| (code, level, number))
    }
}

impl Default for Findings {
    fn default() -> Self {
        Self::keeping(Self::MOST)
    }
}
