//! Findings as text for people and as documents for programs: one model, many formats.

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

use serde::Serialize;

use crate::check::deliverables::{Deliverable, Verdict, worst};
use crate::check::finding::{Finding, Findings};
use crate::check::mend::Step;
use crate::check::table::{Code, Level};
use crate::run::document::SCHEMA_VERSION;
use crate::text::inert::line;

/// The family of checks whose findings are verdicts.
const DELIVERABLES: &str = "deliverables";

/// The findings of one run, and which run it is.
#[derive(Debug)]
pub struct RunReport {
    /// The run's id.
    pub run_id: String,
    /// The run directory, as it was found.
    pub path: String,
    /// What was found.
    pub findings: Findings,
    /// How many events were read.
    pub events: u64,
    /// How what the run must leave stands.
    pub deliverables: Vec<Deliverable>,
    /// What was done about it, or would be.
    pub fixes: Vec<Step>,
}

impl RunReport {
    /// Whether the run holds; with `strict` warnings count too.
    #[must_use]
    pub fn passes(&self, strict: bool) -> bool {
        let least = if strict { Level::Warning } else { Level::Error };
        // Deliverables have verdicts of their own.
        let counts = |finding: &Finding| finding.check().family != DELIVERABLES;
        !self.findings.all.iter().any(|finding| finding.level >= least && counts(finding))
    }

    /// The file that a finding is about, from where the run directory was found.
    fn file(&self, finding: &Finding) -> String {
        format!("{}/{}", self.path.trim_end_matches('/'), finding.place.file)
    }

    /// `failed` on a finding that counts, else what the deliverables come to.
    fn verdict(&self, strict: bool) -> Verdict {
        if self.passes(strict) { worst(&self.deliverables) } else { Verdict::Failed }
    }
}

/// Whether a finding is the verdict on a deliverable, and no trouble with the record.
fn is_verdict(finding: &Finding) -> bool {
    finding.check().family == DELIVERABLES && finding.level > Level::Info
}

/// How many findings of a level there are, but for verdicts on deliverables.
fn counted(report: &RunReport, level: Level) -> u64 {
    let counted = |finding: &&Finding| finding.level == level && !is_verdict(finding);
    report.findings.all.iter().filter(counted).count() as u64
}

fn by_code(findings: &Findings, level: Level) -> Vec<(Code, Vec<&Finding>)> {
    let mut groups: Vec<(Code, Vec<&Finding>)> = Vec::new();
    // Verdicts on deliverables have lines of their own.
    let shown = |finding: &&Finding| finding.level == level && !is_verdict(finding);
    for finding in findings.all.iter().filter(shown) {
        match groups.iter_mut().find(|(code, _)| *code == finding.code) {
            Some((_, group)) => group.push(finding),
            None => groups.push((finding.code, vec![finding])),
        }
    }
    groups.sort_by_key(|(code, _)| *code);
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

/// `validate --format json`.
#[derive(Debug, Serialize)]
pub(crate) struct ReportDocument<'r> {
    schema_version: u32,
    runs: Vec<RunReportDocument<'r>>,
}

#[derive(Debug, Serialize)]
struct RunReportDocument<'r> {
    run_id: &'r str,
    verdict: &'static str,
    events: u64,
    findings: Vec<FindingDocument<'r>>,
    deliverables: &'r [Deliverable],
    #[serde(skip_serializing_if = "<[Step]>::is_empty")]
    fixes: &'r [Step],
}

#[derive(Debug, Serialize)]
struct FindingDocument<'r> {
    code: Code,
    family: &'static str,
    level: &'static str,
    file: &'r str,
    line: Option<u64>,
    offset: Option<u64>,
    event_id: Option<&'r str>,
    message: &'r str,
    hint: &'static str,
}

/// The document for programs.
#[must_use]
pub(crate) fn document(reports: &[RunReport], strict: bool) -> ReportDocument<'_> {
    let finding = |finding: &'_ Finding| -> (&'static str, &'static str) {
        (finding.check().family, finding.check().remedy)
    };
    let runs = reports.iter().map(|report| RunReportDocument {
        run_id: &report.run_id,
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
        deliverables: &report.deliverables,
        fixes: &report.fixes,
    });
    ReportDocument { schema_version: SCHEMA_VERSION, runs: runs.collect() }
}
