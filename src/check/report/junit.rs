//! JUnit: one suite per run, one test per check and per deliverable. A check that was not made is a
//! skipped test, a run that could not be read is an error.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::{DELIVERABLES, RunReport, ValidatedRuns, place};
use crate::check::deliverables::Verdict;
use crate::check::finding::Finding;
use crate::check::table::{CHECKS, Check, Code, Level};
use crate::text::inert;

/// The checks of single deliverables. Instead of them, each file is a test.
const OF_FILES: [Code; 4] = [Code::RL801, Code::RL802, Code::RL803, Code::RL804];

/// Maximum number of findings listed per check.
const MAX_SHOWN: usize = 50;

/// The XML document.
#[must_use]
#[expect(clippy::expect_used, reason = "an empty report would pass for a good one")]
pub(crate) fn junit(runs: ValidatedRuns<'_>) -> String {
    let mut document = Report::new("runlog validate");
    if !runs.unread.is_empty() {
        let mut suite = TestSuite::new("runs that could not be read");
        suite.add_test_cases(runs.unread.iter().map(|error| unread(error)));
        document.add_test_suite(suite);
    }
    for report in runs.reports {
        let mut suite = TestSuite::new(report.name.as_str());
        suite.add_property(("status", report.status.name()));
        suite.add_test_cases(checks(report, runs));
        for deliverable in &report.deliverables {
            let check = deliverable.code.map(Code::check);
            let code = check.map(|check| format!("{} ", check.code)).unwrap_or_default();
            let remedy = check.map(|check| check.remedy.to_owned()).unwrap_or_default();
            let reason = deliverable.reason.as_deref().unwrap_or_default();
            let reason = format!("{code}{}: {reason}", deliverable.status);
            let fault = (deliverable.verdict != Verdict::Passed).then_some((reason, remedy));
            suite.add_test_case(case(&inert::line(&deliverable.path), DELIVERABLES, fault));
        }
        document.add_test_suite(suite);
    }
    document.to_string().expect("writing into memory does not fail")
}

fn checks<'r>(
    report: &'r RunReport,
    ValidatedRuns { strict, left_out_by, .. }: ValidatedRuns<'r>,
) -> impl Iterator<Item = TestCase> + 'r {
    let least = if strict { Level::Warning } else { Level::Error };
    // Deliverables that were checked are tests of their own.
    let is_test =
        move |check: &&Check| !OF_FILES.contains(&check.code) || left_out_by(check.code).is_some();
    CHECKS.iter().filter(is_test).map(move |check| {
        let name = format!("{} {}", check.code, check.title);
        if let Some(option) = left_out_by(check.code) {
            let mut status = TestCaseStatus::skipped();
            status.set_message(format!("left out by {option}"));
            return test(&name, check.family, status);
        }
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
        let mut case = case(&name, check.family, fault);
        let lesser = |finding: &&Finding| finding.code == check.code && finding.level < least;
        let lesser = report.findings.all.iter().filter(lesser).take(MAX_SHOWN);
        let lesser = lesser.map(|one| format!("{} {}", one.level.name(), line(&one)));
        let lesser = lesser.collect::<Vec<_>>().join("\n");
        if !lesser.is_empty() {
            // They fail no test, but a reader of the report sees them.
            case.set_system_out(printable(&inert::text(&lesser)));
        }
        case
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
    test(name, class, status)
}

/// The test case for a run that could not be read.
fn unread(error: &str) -> TestCase {
    let error = printable(&inert::line(error));
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
    status.set_message(error.as_str()).set_type("unread");
    test(&error, "unread", status)
}

fn test(name: &str, class: &str, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(printable(name), status);
    case.set_classname(class);
    case
}

/// Text without the characters that XML does not allow.
fn printable(text: &str) -> String {
    text.replace(['\u{FFFE}', '\u{FFFF}'], "\u{FFFD}")
}
