//! Findings as text for people and as documents for programs: one model, several formats.

mod github;
mod human;
mod junit;
mod markdown;
mod sarif;

pub(crate) use github::github;
pub(crate) use human::{ReportLook, human, overview};
pub(crate) use junit::junit;
pub(crate) use markdown::markdown;
pub(crate) use sarif::sarif;

use schemars::JsonSchema;
use serde::Serialize;

use super::ending::ExpectedStatus;
use crate::check::deliverables::{Deliverable, Verdict, worst};
use crate::check::finding::{Finding, Findings};
use crate::check::mend::Step;
use crate::check::table::{Code, Level};
use crate::history::state::RecordedFile;
use crate::history::status::Status;
use crate::run::document::SCHEMA_VERSION;
use crate::text::inert::line;

/// The family of checks whose findings decide the verdict on the deliverables.
const DELIVERABLES: &str = "deliverables";

/// The findings of one run.
#[derive(Debug)]
pub struct RunReport {
    /// The run's id.
    pub run_id: String,
    /// The name of its directory, by which the user knows it.
    pub name: String,
    /// The run directory, as given.
    pub path: String,
    /// Its status.
    pub status: Status,
    /// Whether that status is one that is expected.
    pub is_expected: bool,
    /// The findings.
    pub findings: Findings,
    /// How many events were read.
    pub events: u64,
    /// The verdicts on the deliverables.
    pub deliverables: Vec<Deliverable>,
    /// The newest recorded verdict on the deliverables.
    pub recorded: Verdict,
    /// The files of that verdict that nothing requires now, or that changed. The next verdict keeps
    /// them.
    pub kept: Vec<RecordedFile>,
    /// Whether the run completed, and is only incomplete because of its deliverables.
    pub lacks_only_files: bool,
    /// Whether a recorded file changed, and nobody accepts it by name.
    pub has_changed: bool,
    /// The fixes, done or planned.
    pub fixes: Vec<Step>,
}

/// The verdict on a run, from the best to the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RunVerdict {
    /// The run is intact, it ended as expected, and its deliverables are there.
    Passed,
    /// A deliverable is missing, empty, or breaks its condition.
    Incomplete,
    /// The run did not end as expected.
    Unexpected,
    /// A deliverable is outside `deliverables/`.
    Blocked,
    /// An error was found, or a deliverable cannot be judged.
    Failed,
}

impl RunVerdict {
    /// All verdicts, the best first.
    pub const ALL: [Self; 5] =
        [Self::Passed, Self::Incomplete, Self::Unexpected, Self::Blocked, Self::Failed];

    /// The name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Unexpected => "unexpected",
            Self::Incomplete => "incomplete",
            Self::Blocked => "blocked",
            Self::Failed => "failed",
        }
    }
}

impl From<Verdict> for RunVerdict {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Passed => Self::Passed,
            Verdict::Incomplete => Self::Incomplete,
            Verdict::Failed => Self::Failed,
            Verdict::Blocked => Self::Blocked,
        }
    }
}

impl RunReport {
    /// Whether the run is intact. With `strict`, warnings count too. Deliverables and the status of
    /// the run have separate verdicts.
    #[must_use]
    pub fn is_intact(&self, strict: bool) -> bool {
        let least = if strict { Level::Warning } else { Level::Error };
        // A worse end after the first one is an end that was not expected.
        let is_of_end =
            |code| code == Code::RL409 || (code == Code::RL402 && self.has(Code::RL409));
        let counts = |code: Code| code.check().family != DELIVERABLES && !is_of_end(code);
        !self.findings.totals().any(|(code, level, _)| level >= least && counts(code))
    }

    /// What a verdict of `passed` says of a run that did not end well: its status was expected, or
    /// not checked.
    fn accepted(&self, strict: bool) -> Option<String> {
        let is_good = ExpectedStatus::default().accepts(self.status);
        let is_passed = self.verdict(strict) == RunVerdict::Passed;
        let status = self.status.name();
        let taken = if self.is_expected { "accepted" } else { "not checked" };
        (is_passed && !is_good && self.events > 0).then(|| format!("; status {status}, {taken}"))
    }

    /// Whether there is a finding of this check.
    fn has(&self, code: Code) -> bool {
        self.findings.found(code) > 0
    }

    /// The path of the finding's file, including the run directory.
    fn file(&self, finding: &Finding) -> String {
        format!("{}/{}", self.path.trim_end_matches('/'), finding.place.file)
    }

    /// `failed` if there is an error. Otherwise the worse of the computed and the recorded verdict
    /// on the deliverables. If that passed, whether the run ended as expected.
    #[must_use]
    pub fn verdict(&self, strict: bool) -> RunVerdict {
        if !self.is_intact(strict) || self.has(Code::RL806) {
            return RunVerdict::Failed;
        }
        let recorded = if self.has(Code::RL807) { self.recorded } else { Verdict::Passed };
        match worst(&self.deliverables).max(recorded) {
            Verdict::Blocked => RunVerdict::Blocked,
            // A bad end is graver than what it left undone.
            _ if self.has(Code::RL409) && !self.lacks_only_files => RunVerdict::Unexpected,
            Verdict::Passed if self.has(Code::RL409) => RunVerdict::Unexpected,
            verdict => verdict.into(),
        }
    }
}

/// The number of findings of a level.
fn counted(report: &RunReport, level: Level) -> u64 {
    report.findings.totals().filter(|total| total.1 == level).map(|total| total.2).sum()
}

/// The findings of one check at one level.
struct Group<'r> {
    code: Code,
    /// Those that are kept.
    kept: Vec<&'r Finding>,
    /// The number of all.
    total: u64,
}

fn by_code(findings: &Findings, level: Level) -> Vec<Group<'_>> {
    let totals = findings.totals().filter(|total| total.1 == level);
    let mut groups: Vec<Group<'_>> = totals
        .map(|(code, _, total)| {
            let shown = |finding: &&Finding| finding.code == code && finding.level == level;
            Group { code, kept: findings.all.iter().filter(shown).collect(), total }
        })
        .collect();
    // The finding on the status of the run comes first.
    groups.sort_by_key(|group| (group.code != Code::RL409, group.code));
    groups
}

fn place(finding: &Finding) -> String {
    let place = &finding.place;
    let mut text = place.file.to_string();
    if let Some(number) = place.line {
        text.push_str(&format!(":{number}"));
    }
    if let Some(offset) = place.offset {
        text.push_str(&format!(" (byte {offset})"));
    }
    line(&text).into_owned()
}

/// The findings of `runlog validate --format json`.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct ReportDocument<'r> {
    /// The version of this format.
    schema_version: u32,
    /// Which checks were made, if not all: the verdicts are only about these.
    #[serde(skip_serializing_if = "Option::is_none")]
    narrowed: Option<&'static str>,
    /// For each run that could not be read, the error.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    unread: &'r [String],
    /// The runs that were checked.
    runs: Vec<RunReportDocument<'r>>,
}

/// The findings of one run.
#[derive(Debug, JsonSchema, Serialize)]
struct RunReportDocument<'r> {
    /// The run's id.
    run_id: &'r str,
    /// The run directory, as given.
    path: &'r str,
    /// The status of the run.
    #[schemars(extend("enum" = Status::ALL.map(Status::name)))]
    status: &'static str,
    /// The verdict.
    #[schemars(extend("enum" = RunVerdict::ALL.map(RunVerdict::name)))]
    verdict: &'static str,
    /// Number of events that were read.
    events: u64,
    /// The findings: of each check at most as many as `--max-findings` says.
    findings: Vec<FindingDocument<'r>>,
    /// How many each check found, kept or not.
    totals: Vec<FindingTotal>,
    /// The verdicts on the deliverables.
    deliverables: &'r [Deliverable],
    /// The repairs that `--fix` made or planned.
    #[serde(skip_serializing_if = "<[Step]>::is_empty")]
    fixes: &'r [Step],
}

/// How many findings a check has at one level.
#[derive(Debug, JsonSchema, Serialize)]
struct FindingTotal {
    /// The code of the check.
    #[schemars(with = "String")]
    code: Code,
    /// The level.
    #[schemars(extend("enum" = Level::ALL.map(Level::name)))]
    level: &'static str,
    /// The number of findings.
    findings: u64,
}

/// A finding.
#[derive(Debug, JsonSchema, Serialize)]
struct FindingDocument<'r> {
    /// The code of the check; `runlog validate --explain CODE` explains it.
    #[schemars(with = "String")]
    code: Code,
    /// The family of the check.
    family: &'static str,
    /// The level.
    #[schemars(extend("enum" = Level::ALL.map(Level::name)))]
    level: &'static str,
    /// The file, relative to the run directory.
    file: &'r str,
    /// The line, from 1.
    line: Option<u64>,
    /// The offset in the file, in bytes.
    offset: Option<u64>,
    /// The event's id.
    event_id: Option<&'r str>,
    /// What was found.
    message: &'r str,
    /// What to do.
    hint: &'static str,
}

/// What a report is about.
#[derive(Clone, Copy)]
pub(crate) struct ValidatedRuns<'r> {
    /// The runs.
    pub reports: &'r [RunReport],
    /// For each run that could not be read, the error.
    pub unread: &'r [String],
    /// Whether warnings count as errors.
    pub strict: bool,
    /// Which checks were made, if not all.
    pub narrowed: Option<&'static str>,
    /// The option that left a check out.
    pub left_out_by: &'r dyn Fn(Code) -> Option<&'static str>,
}

/// The document for programs.
#[must_use]
pub(crate) fn document<'r>(
    ValidatedRuns { reports, unread, strict, narrowed, .. }: ValidatedRuns<'r>,
) -> ReportDocument<'r> {
    let finding = |finding: &'_ Finding| -> (&'static str, &'static str) {
        (finding.check().family, finding.check().remedy)
    };
    let runs = reports.iter().map(|report| RunReportDocument {
        run_id: &report.run_id,
        path: &report.path,
        status: report.status.name(),
        verdict: report.verdict(strict).name(),
        events: report.events,
        findings: report
            .findings
            .all
            .iter()
            .map(|found| FindingDocument {
                code: found.code,
                family: finding(found).0,
                level: found.level.name(),
                file: &found.place.file,
                line: found.place.line,
                offset: found.place.offset,
                event_id: found.place.event_id.as_deref(),
                message: &found.message,
                hint: finding(found).1,
            })
            .collect(),
        totals: report
            .findings
            .totals()
            .map(|(code, level, findings)| FindingTotal { code, level: level.name(), findings })
            .collect(),
        deliverables: &report.deliverables,
        fixes: &report.fixes,
    });
    ReportDocument { schema_version: SCHEMA_VERSION, narrowed, unread, runs: runs.collect() }
}
