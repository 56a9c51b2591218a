//! What validating a run found.

use crate::check::finding;
use crate::check::report::{RunReport, RunVerdict};
use crate::check::table;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Level {
    /// Good to know.
    Info,
    /// Worth a look.
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
    /// A deliverable is missing, empty or breaks its condition.
    Incomplete,
    /// A deliverable lies outside `deliverables/`.
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
    /// The check's code, as `docs/checks.md` lists it: `RL` and three digits.
    pub code: &'static str,
    /// Its severity.
    pub level: Level,
    /// What is wrong, in one line.
    pub message: String,
    /// The file, from the run directory.
    pub file: String,
    /// The line in it, from 1, where one is known.
    pub line: Option<u64>,
    /// The byte in it, from 0, where one is known.
    pub offset: Option<u64>,
    /// The event, where it is about one.
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

/// What validating a run found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The run's id.
    pub run_id: String,
    /// Events that were read.
    pub events: u64,
    /// The verdict on the log, the files derived from it, the deliverables, and the end of the
    /// run.
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
