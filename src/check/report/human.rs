//! Reports for people.

use unicode_width::UnicodeWidthStr as _;

use super::{Group, RunReport, RunVerdict, by_code, counted, place};
use crate::check::finding::Excerpt;
use crate::check::mend::StepStatus;
use crate::check::table::Level;
use crate::text::human::plural;
use crate::text::inert::line;

/// The maximum number of findings printed per check; the others are counted.
const MAX_SHOWN: usize = 10;

/// How a report for people is printed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReportLook {
    /// Whether warnings count as errors.
    pub strict: bool,
    /// Whether each note is printed.
    pub verbose: bool,
    /// Whether to use colours.
    pub color: bool,
}

impl ReportLook {
    fn paint(self, code: &str, text: &str) -> String {
        if self.color { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    fn verdict(self, verdict: RunVerdict) -> String {
        let color = if verdict == RunVerdict::Passed { "1;32" } else { "1;31" };
        self.paint(color, verdict.name())
    }
}

/// The findings of one run, grouped by check, the most severe first; then the deliverables,
/// the fixes, and the verdict.
#[must_use]
pub(crate) fn human(report: &RunReport, look: ReportLook) -> String {
    let mut out = String::new();
    for level in [Level::Error, Level::Warning, Level::Info] {
        for found in by_code(&report.findings, level) {
            out.push_str(&group(&found, level, look));
        }
    }
    for deliverable in &report.deliverables {
        let reason = deliverable.reason.as_deref().map(|reason| format!(" ({})", line(reason)));
        let reason = reason.unwrap_or_default();
        let path = line(&deliverable.path);
        out.push_str(&format!("deliverable {path}: {}{reason}\n", deliverable.status));
    }
    for step in &report.fixes {
        let color = if step.status == StepStatus::Refused { "33" } else { "32" };
        out.push_str(&look.paint(color, "fix"));
        out.push_str(&format!("{}\n", line(&step.line()).trim_start_matches("fix")));
    }
    let verdict = look.verdict(report.verdict(look.strict));
    out.push_str(&format!("{}: {verdict} ({})\n", line(&report.name), counts(report)));
    out
}

/// The findings of one check.
fn group(found: &Group<'_>, level: Level, look: ReportLook) -> String {
    let Group { code, kept, total } = found;
    let check = code.check();
    let mark = match level {
        Level::Error => look.paint("1;31", "error"),
        Level::Warning => look.paint("1;33", "warning"),
        Level::Info => look.paint("1;36", "info"),
    };
    let brief = level == Level::Info && !look.verbose && *total > 1;
    let mut out = format!("{mark} {code} {}", check.title);
    if *total > 1 {
        let more = if brief { "; --verbose shows them" } else { "" };
        out.push_str(&format!(" ({total} times{more})"));
    }
    out.push('\n');
    if brief {
        return out;
    }
    for finding in kept.iter().take(MAX_SHOWN) {
        let place = look.paint("2", &place(finding));
        out.push_str(&format!("  {place}: {}\n", line(&finding.message)));
        if let Some(excerpt) = &finding.excerpt {
            out.push_str(&pointed(excerpt, look));
        }
    }
    if let Some(more @ 1..) = total.checked_sub(kept.len().min(MAX_SHOWN) as u64) {
        out.push_str(&format!("  … {more} more\n"));
    }
    if level > Level::Info {
        out.push_str(&format!("  = {}\n", check.remedy));
    }
    out
}

/// The part of a line, with a caret under the place.
fn pointed(excerpt: &Excerpt, look: ReportLook) -> String {
    let (before, behind) = (line(&excerpt.before), line(&excerpt.behind));
    let caret = look.paint("1;31", "^");
    format!("    {before}{behind}\n    {}{caret}\n", " ".repeat(before.width()))
}

fn counts(report: &RunReport) -> String {
    let counts = [Level::Error, Level::Warning, Level::Info].map(|level| {
        let name = if level == Level::Info { "note" } else { level.name() };
        plural(counted(report, level), name)
    });
    format!("{}, {}", plural(report.events, "event"), counts.join(", "))
}

/// One line per run, with the codes of its errors and warnings, and the number of runs per
/// verdict.
#[must_use]
pub(crate) fn overview(reports: &[RunReport], look: ReportLook) -> String {
    const WIDEST: usize = "incomplete".len();
    let names: Vec<String> = reports.iter().map(|one| line(&one.name).into_owned()).collect();
    let widest = names.iter().map(|name| name.width()).max().unwrap_or(0);
    let mut out = String::new();
    for (report, name) in reports.iter().zip(&names) {
        let gap = " ".repeat(widest - name.width());
        let verdict = report.verdict(look.strict);
        let pad = " ".repeat(WIDEST - verdict.name().len());
        let counts = counts(report);
        let verdict = look.verdict(verdict);
        out.push_str(&format!("{verdict}{pad}  {name}{gap}  {counts}"));
        let found = [Level::Error, Level::Warning].into_iter();
        let codes: Vec<&str> = found
            .flat_map(|level| by_code(&report.findings, level))
            .map(|found| found.code.name())
            .collect();
        if !codes.is_empty() {
            out.push_str(&format!(": {}", codes.join(" ")));
        }
        out.push('\n');
    }
    let of = |verdict: RunVerdict| {
        let count = reports.iter().filter(|report| report.verdict(look.strict) == verdict).count();
        (count > 0).then(|| format!("{count} {}", look.verdict(verdict)))
    };
    let verdicts: Vec<String> = RunVerdict::ALL.into_iter().filter_map(of).collect();
    out.push_str(&format!("{}: {}\n", plural(reports.len() as u64, "run"), verdicts.join(", ")));
    out
}
