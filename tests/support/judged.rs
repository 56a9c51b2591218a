//! The verdict on a run, computed in the test process. Starting the program takes longer than
//! validating a small run, so tests with hundreds of cases ask the library.

use runlog::{ErrorKind, Level, Verdict};
use serde_json::Value;

use super::{Bench, said};

/// One case in so many asks the program as well.
pub(crate) const SAMPLE: usize = 25;

/// What validating a run comes to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Judged {
    /// The exit status of `runlog validate`.
    pub status: i32,
    pub findings: Vec<Found>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub code: String,
    pub level: String,
    pub file: String,
    pub line: Option<u64>,
    pub offset: Option<u64>,
    pub message: String,
}

impl Judged {
    /// The codes of the findings, in the order of the log.
    pub(crate) fn codes(&self) -> Vec<&str> {
        self.findings.iter().map(|finding| finding.code.as_str()).collect()
    }

    /// Whether `--strict` accepts the run as well.
    pub(crate) fn is_strictly_sound(&self) -> bool {
        self.status == 0 && self.findings.iter().all(|finding| finding.level == "info")
    }
}

impl Bench {
    /// Validates the run `r` like `runlog validate r`, but in this process.
    /// One case in [`SAMPLE`] asks the program too, which must give the same answer.
    pub(crate) fn validate(&self, case: usize) -> Judged {
        let judged = self.judged_by_library();
        if case.is_multiple_of(SAMPLE) {
            assert_eq!(self.judged_by_program(), judged, "program and library differ");
        }
        judged
    }

    /// The run `r`, opened with the library.
    pub(crate) fn run(&self) -> Result<runlog::Run, runlog::Error> {
        runlog::Run::open(self.path("runs"), "r", runlog::Options::default())
    }

    fn judged_by_library(&self) -> Judged {
        let report = match self.run().and_then(|run| run.validate()) {
            Ok(report) => report,
            Err(error) => {
                let status = match error.kind() {
                    ErrorKind::NotFound => 66,
                    ErrorKind::Unsafe => 77,
                    other => panic!("{other:?}: {error}"),
                };
                return Judged { status, findings: Vec::new() };
            }
        };
        let status = match report.verdict {
            Verdict::Passed => 0,
            Verdict::Failed => 1,
            Verdict::Incomplete => 3,
            Verdict::Blocked => 4,
            Verdict::Unexpected => 5,
            other => panic!("{other:?} has no exit status here"),
        };
        let level = |level| match level {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Info => "info",
            other => panic!("{other:?} has no name here"),
        };
        let findings = report.findings.into_iter().map(|finding| Found {
            code: finding.code.to_owned(),
            level: level(finding.level).to_owned(),
            file: finding.file,
            line: finding.line,
            offset: finding.offset,
            message: finding.message,
        });
        Judged { status, findings: findings.collect() }
    }

    fn judged_by_program(&self) -> Judged {
        // Messages name files as they were found.
        let runs = self.path("runs");
        let mut command = self.command();
        command.args(["validate", "r", "--format", "json", "--runs-dir"]).arg(runs);
        let said = said(&command.output().unwrap());
        let report: Value = serde_json::from_str(&said.out).unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let findings = report["runs"][0]["findings"].as_array().into_iter().flatten();
        let findings = findings.map(|finding| Found {
            code: text(&finding["code"]),
            level: text(&finding["level"]),
            file: text(&finding["file"]),
            line: finding["line"].as_u64(),
            offset: finding["offset"].as_u64(),
            message: text(&finding["message"]),
        });
        Judged { status: said.status, findings: findings.collect() }
    }
}
