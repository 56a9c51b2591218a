//! JUnit: one suite per run, one test per check and per deliverable.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::{DELIVERABLES, RunReport, place};
use crate::check::deliverables::Verdict;
use crate::check::finding::Finding;
use crate::check::table::{CHECKS, Code, Level};
use crate::text::inert;

/// Maximum number of findings listed per check.
const MAX_SHOWN: usize = 50;

/// The XML document.
#[must_use]
#[expect(clippy::expect_used, reason = "an empty report would pass for a good one")]
pub(crate) fn junit(reports: &[RunReport], strict: bool) -> String {
    let mut document = Report::new("runlog validate");
    for report in reports {
        let mut suite = TestSuite::new(report.name.as_str());
        suite.add_test_cases(checks(report, strict));
        for deliverable in &report.deliverables {
            let reason = deliverable.reason.as_deref().unwrap_or_default();
            let reason = format!("{}: {reason}", deliverable.status);
            let fault = (deliverable.verdict != Verdict::Passed).then_some((reason, String::new()));
            suite.add_test_case(case(&inert::line(&deliverable.path), DELIVERABLES, fault));
        }
        document.add_test_suite(suite);
    }
    document.to_string().expect("writing into memory does not fail")
}

fn checks(report: &RunReport, strict: bool) -> impl Iterator<Item = TestCase> {
    let least = if strict { Level::Warning } else { Level::Error };
    CHECKS.iter().filter(|check| check.family != DELIVERABLES).map(move |check| {
        let counts = |finding: &&Finding| finding.code == check.code && finding.level >= least;
        let findings: Vec<&Finding> = report.findings.all.iter().filter(counts).collect();
        let line = |finding: &&Finding| format!("{}: {}", place(finding), finding.message);
        let fault = findings.first().map(|first| {
            let mut lines: Vec<String> = findings.iter().take(MAX_SHOWN).map(line).collect();
            let counts = |total: &(Code, Level, u64)| total.0 == check.code && total.1 >= least;
            let total: u64 = report.findings.totals().filter(counts).map(|total| total.2).sum();
            if let Some(more @ 1..) = total.checked_sub(lines.len() as u64) {
                lines.push(format!("… {more} more"));
            }
            lines.push(check.remedy.to_owned());
            (line(first), lines.join("\n"))
        });
        case(&format!("{} {}", check.code, check.title), check.family, fault)
    })
}

/// A test case. It fails with a message and a text if there is a fault.
fn case(name: &str, class: &str, fault: Option<(String, String)>) -> TestCase {
    let status = match fault {
        None => TestCaseStatus::success(),
        Some((message, text)) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            let text = printable(&inert::text(&text));
            let message = printable(&inert::line(&message));
            status.set_message(message).set_type(class).set_description(text);
            status
        }
    };
    let mut case = TestCase::new(printable(name), status);
    case.set_classname(class);
    case
}

/// Text without the characters that XML does not allow.
fn printable(text: &str) -> String {
    text.replace(['\u{FFFE}', '\u{FFFF}'], "\u{FFFD}")
}
