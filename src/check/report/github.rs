//! Annotations for GitHub Actions: workflow commands, one per line.

use super::{RunReport, ValidatedRuns, counted};
use crate::check::finding::Finding;
use crate::check::table::{Code, Level};
use crate::text::human::plural;
use crate::text::inert::line;

/// Maximum number of annotations of each level that GitHub shows per step.
const MOST: usize = 10;

/// The runs that could not be read, the most severe findings as annotations, the number of further
/// findings, and the verdicts.
#[must_use]
pub(crate) fn github(
    ValidatedRuns { reports, unread, strict, narrowed, .. }: ValidatedRuns<'_>,
) -> String {
    let mut out = String::new();
    for error in unread {
        out.push_str(&format!("::error title=runlog::{}\n", data(&line(error))));
    }
    for (level, command) in
        [(Level::Error, "error"), (Level::Warning, "warning"), (Level::Info, "notice")]
    {
        let of_level = |is_first: bool| {
            reports.iter().flat_map(move |report| {
                let findings = report.findings.all.iter().map(move |finding| (report, finding));
                findings.filter(move |(_, finding)| {
                    finding.level == level && (finding.code == Code::RL409) == is_first
                })
            })
        };
        // How a run ended comes first.
        let all = || of_level(true).chain(of_level(false));
        for (report, finding) in all().take(MOST) {
            out.push_str(&annotation(command, report, finding));
        }
        let total: u64 = reports.iter().map(|report| counted(report, level)).sum();
        if let Some(more @ 1..) = total.checked_sub(all().take(MOST).count() as u64) {
            out.push_str(&format!("and {}\n", plural(more, &format!("more {command}"))));
        }
    }
    for report in reports {
        let (name, verdict) = (line(&report.name), report.verdict(strict).name());
        let narrowed = narrowed.map(|which| format!(" ({which})")).unwrap_or_default();
        let accepted = report.accepted(strict).unwrap_or_default();
        out.push_str(&format!("{}: {verdict}{accepted}{narrowed}\n", plain(&name)));
    }
    out
}

fn annotation(command: &str, report: &RunReport, finding: &Finding) -> String {
    let title = finding.check().title;
    let mut properties = format!("file={}", property(&line(&report.file(finding))));
    if let Some(line) = finding.place.line {
        properties.push_str(&format!(",line={line}"));
    }
    let title = property(&format!("{} {title}", finding.code));
    let (file, message) = (line(&finding.place.file), line(&finding.message));
    let text = format!("{file}: {message}\n{}", finding.check().remedy);
    format!("::{command} {properties},title={title}::{}\n", data(&text))
}

/// The text of an annotation.
fn data(text: &str) -> String {
    let text = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    // Commands in the older syntax and those of Azure Pipelines are recognized anywhere in a line.
    text.replace("##[", "# #[").replace("##vso[", "# #vso[")
}

/// The value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// A line that is not a command.
fn plain(text: &str) -> String {
    data(text).replace("::", ": :")
}
