//! The result of validating a run.

use crate::check::finding;
use crate::check::report::{RunReport, RunVerdict};
use crate::check::table;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Level {
    /// For information.
    Info,
    /// May need attention.
    Warning,
    /// The run is not intact.
    Error,
}

impl From<table::Level> for Level {
    fn from(level: table::Level) -> Self {
        match level {
            table::Level::Info => Self::Info,
            table::Level::Warning => Self::Warning,
            table::Level::Error => Self::Error,
        }
    }
}

/// The verdict on a run, from the best to the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Verdict {
    /// The run is intact, it completed or was imported, and its deliverables are there.
    Passed,
    /// The run is still open, or it failed, was cancelled or is incomplete.
    Unexpected,
    /// A deliverable is missing, empty, or does not meet a condition.
    Incomplete,
    /// A deliverable is outside `deliverables/`.
    Blocked,
    /// An error was found.
    Failed,
}

impl From<RunVerdict> for Verdict {
    fn from(verdict: RunVerdict) -> Self {
        match verdict {
            RunVerdict::Passed => Self::Passed,
            RunVerdict::Unexpected => Self::Unexpected,
            RunVerdict::Incomplete => Self::Incomplete,
            RunVerdict::Failed => Self::Failed,
            RunVerdict::Blocked => Self::Blocked,
        }
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The check's code, as listed in `docs/checks.md`: `RL` and three digits.
    pub code: &'static str,
    /// Its severity.
    pub level: Level,
    /// What is wrong, in one line.
    pub message: String,
    /// The file, relative to the run directory.
    pub file: String,
    /// The line in the file, starting from 1, if it is known.
    pub line: Option<u64>,
    /// The byte in the file, starting from 0, if it is known.
    pub offset: Option<u64>,
    /// The event, if the finding is about one.
    pub event_id: Option<String>,
}

impl From<finding::Finding> for Finding {
    fn from(finding: finding::Finding) -> Self {
        let place = finding.place;
        Self {
            code: finding.code.name(),
            level: finding.level.into(),
            message: finding.message,
            file: place.file.into_owned(),
            line: place.line,
            offset: place.offset,
            event_id: place.event_id,
        }
    }
}

/// The result of validating a run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The run's id.
    pub run_id: String,
    /// Number of events read.
    pub events: u64,
    /// The verdict on the log, the derived files, the deliverables, and the end of the run.
    pub verdict: Verdict,
    /// The findings, in the order of the log.
    pub findings: Vec<Finding>,
}

impl From<RunReport> for Report {
    fn from(report: RunReport) -> Self {
        let verdict = report.verdict(false).into();
        let RunReport { run_id, events, findings, .. } = report;
        let findings = findings.all.into_iter().map(Finding::from).collect();
        Self { run_id, events, verdict, findings }
    }
}
