//! Reports for people.

use unicode_width::UnicodeWidthStr as _;

use super::{Group, RunReport, RunVerdict, ValidatedRuns, by_code, counted, place};
use crate::check::finding::Excerpt;
use crate::check::mend::StepStatus;
use crate::check::table::Level;
use crate::text::distinct::DistinctCut;
use crate::text::human::plural;
use crate::text::inert::line;
use crate::text::wrap::hanging;

/// The maximum number of findings printed per check; the others are counted.
const MAX_SHOWN: usize = 10;

/// Columns before the rest of a wrapped line.
const HANG: usize = 4;
/// The least width of a name that is cut.
const NAME: usize = 16;

/// How a report for people is printed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReportLook {
    /// Whether warnings count as errors.
    pub strict: bool,
    /// Whether each note is printed.
    pub verbose: bool,
    /// Which checks were made, if not all.
    pub narrowed: Option<&'static str>,
    /// Whether to use colours.
    pub color: bool,
    /// The width of the terminal. `None`: nothing is wrapped or shortened.
    pub width: Option<usize>,
}

impl ReportLook {
    fn paint(self, code: &str, text: &str) -> String {
        if self.color { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    fn verdict(self, verdict: RunVerdict) -> String {
        let color = if verdict == RunVerdict::Passed { "1;32" } else { "1;31" };
        self.paint(color, verdict.name())
    }

    /// A line. Its beginning, of which `taken` columns are shown, is printed as it is. The rest is
    /// wrapped.
    fn line(self, lead: &str, taken: usize, rest: &str, hang: usize) -> String {
        let rest = hanging(rest, taken, hang, self.width);
        let lead = if rest.starts_with('\n') { lead.trim_end() } else { lead };
        format!("{lead}{rest}\n")
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
        let text = format!("deliverable {path}: {}{reason}", deliverable.status);
        out.push_str(&look.line("", 0, &text, HANG));
    }
    for step in &report.fixes {
        let color = if step.status == StepStatus::Refused { "33" } else { "32" };
        let text = step.line();
        let text = line(&text);
        let text = text.trim_start_matches("fix").trim_start();
        out.push_str(&look.line(&(look.paint(color, "fix") + " "), 4, text, HANG));
    }
    let verdict = report.verdict(look.strict);
    let (id, counts) = (line(&report.name), counts(report));
    let lead = format!("{id}: {} ", look.verdict(verdict));
    let taken = id.width() + verdict.name().len() + 3;
    let narrowed = look.narrowed.map(|which| format!("; {which}")).unwrap_or_default();
    let accepted = report.accepted(look.strict).unwrap_or_default();
    out.push_str(&look.line(&lead, taken, &format!("({counts}{accepted}{narrowed})"), HANG));
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
    let mut title = format!("{code} {}", check.title);
    if *total > 1 {
        let more = if brief { "; --verbose shows them" } else { "" };
        title.push_str(&format!(" ({total} times{more})"));
    }
    let taken = level.name().len() + 1;
    let mut out = look.line(&format!("{mark} "), taken, &title, HANG);
    if brief {
        return out;
    }
    for finding in kept.iter().take(MAX_SHOWN) {
        let place = place(finding);
        let lead = format!("  {}: ", look.paint("2", &place));
        out.push_str(&look.line(&lead, place.width() + 4, &line(&finding.message), HANG));
        if let Some(excerpt) = &finding.excerpt {
            out.push_str(&pointed(excerpt, look));
        }
    }
    if let Some(more @ 1..) = total.checked_sub(kept.len().min(MAX_SHOWN) as u64) {
        out.push_str(&format!("  … {more} more\n"));
    }
    if level > Level::Info {
        out.push_str(&look.line("  = ", 4, check.remedy, HANG));
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
    format!("{}, {}", plural(report.events, "event"), of_levels(report, |_| true, no_codes))
}

/// The same without levels that have no findings.
fn few_counts(report: &RunReport) -> String {
    let events = plural(report.events, "event");
    match of_levels(report, |count| count > 0, codes) {
        found if found.is_empty() => events,
        found => format!("{events}, {found}"),
    }
}

/// How many findings there are of each level, with the codes behind each number.
fn of_levels(
    report: &RunReport,
    is_wanted: fn(u64) -> bool,
    codes: fn(&RunReport, Level) -> String,
) -> String {
    let levels = [Level::Error, Level::Warning, Level::Info].into_iter();
    let counts = levels.map(|level| (level, counted(report, level)));
    let counts = counts.filter(|(_, count)| is_wanted(*count)).map(|(level, count)| {
        let name = if level == Level::Info { "note" } else { level.name() };
        plural(count, name) + &codes(report, level)
    });
    counts.collect::<Vec<_>>().join(", ")
}

/// The codes of the errors or warnings, in brackets; empty for notes.
fn codes(report: &RunReport, level: Level) -> String {
    let codes: Vec<&str> =
        by_code(&report.findings, level).iter().map(|found| found.code.name()).collect();
    match codes.is_empty() || level == Level::Info {
        true => String::new(),
        false => format!(" ({})", codes.join(" ")),
    }
}

fn no_codes(_: &RunReport, _: Level) -> String {
    String::new()
}

/// The numbers and codes of a line of the overview.
fn all_counts(report: &RunReport) -> String {
    format!("{}, {}", plural(report.events, "event"), of_levels(report, |_| true, codes))
}

/// One line per run, with the codes of its errors and warnings, and the number of runs per
/// verdict. `names` are the names of the runs. If they leave too little room, they are cut to what
/// tells them apart.
#[must_use]
pub(crate) fn overview(
    ValidatedRuns { reports, unread, .. }: ValidatedRuns<'_>,
    names: &[String],
    look: ReportLook,
) -> String {
    const WIDEST: usize = "incomplete".len();
    let mut names: Vec<String> = names.iter().map(|name| line(name).into_owned()).collect();
    if let Some(width) = look.width {
        let cut = DistinctCut::of(&names, (width / 3).max(NAME), width / 2);
        names.iter_mut().for_each(|name| *name = cut.apply(name));
    }
    let widest = names.iter().map(|name| name.width()).max().unwrap_or(0);
    let taken = WIDEST + widest + 4;
    let is_too_wide =
        |report| look.width.is_some_and(|width| taken + all_counts(report).len() > width);
    let counts = if reports.iter().any(is_too_wide) { few_counts } else { all_counts };
    let mut out = String::new();
    for (report, name) in reports.iter().zip(&names) {
        let gap = " ".repeat(widest - name.width());
        let verdict = report.verdict(look.strict);
        let pad = " ".repeat(WIDEST - verdict.name().len());
        let lead = format!("{}{pad}  {name}{gap}  ", look.verdict(verdict));
        let accepted = report.accepted(look.strict).unwrap_or_default();
        out.push_str(&look.line(&lead, taken, &(counts(report) + &accepted), taken));
    }
    let of = |verdict: RunVerdict| {
        let count = reports.iter().filter(|report| report.verdict(look.strict) == verdict).count();
        (count > 0).then(|| format!("{count} {}", look.verdict(verdict)))
    };
    let mut verdicts: Vec<String> = RunVerdict::ALL.into_iter().filter_map(of).collect();
    if !unread.is_empty() {
        verdicts.push(look.paint("1;31", &format!("{} could not be read", unread.len())));
    }
    let narrowed = look.narrowed.map(|which| format!(" ({which})")).unwrap_or_default();
    let runs = plural((reports.len() + unread.len()) as u64, "run");
    out.push_str(&format!("{runs}: {}{narrowed}\n", verdicts.join(", ")));
    out
}
