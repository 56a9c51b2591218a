//! A Markdown summary for people, as used for job summaries.

use super::{Group, RunReport, ValidatedRuns, by_code, counted};
use crate::check::deliverables::Deliverable;
use crate::check::table::Level;
use crate::text::human::plural;
use crate::text::markdown::code;
use crate::text::mention::unlinked;

/// The maximum size of a summary on GitHub in bytes, minus room for a last line.
const LIMIT: usize = (1 << 20) - 4096;
/// Maximum number of findings listed per check.
const MAX_SHOWN: usize = 10;
/// Maximum number of notes listed per check.
const MAX_SHOWN_NOTES: usize = 3;
/// Maximum number of deliverables listed per run.
const MAX_DELIVERABLES: usize = 50;
/// Maximum number of runs listed that could not be read.
const MAX_UNREAD: usize = 50;
/// Maximum length of a message, in characters.
const MAX_MESSAGE: usize = 300;

/// The runs that could not be read, a table of the others, and the findings of each.
#[must_use]
pub(crate) fn markdown(
    ValidatedRuns { reports, unread, strict, narrowed, .. }: ValidatedRuns<'_>,
) -> String {
    let mut out = narrowed.map(|which| format!("Scope: {which}.\n\n")).unwrap_or_default();
    for error in unread.iter().take(MAX_UNREAD) {
        let error: String = error.chars().take(MAX_MESSAGE).collect();
        out.push_str(&format!("- **error** {}\n", unlinked(&error)));
    }
    if let Some(more @ 1..) = unread.len().checked_sub(MAX_UNREAD) {
        let more = plural(more as u64, "more run");
        out.push_str(&format!("- … {more} that could not be read\n"));
    }
    if !unread.is_empty() {
        out.push('\n');
    }
    out.push_str(
        "| Run | Verdict | Events | Errors | Warnings | Notes |\n|---|---|--:|--:|--:|--:|\n",
    );
    for report in reports {
        let count = |level| counted(report, level);
        let row = format!(
            "| {} | {} | {} | {} | {} | {} |\n",
            code(&report.name),
            report.verdict(strict).name().to_owned() + &report.accepted(strict).unwrap_or_default(),
            report.events,
            count(Level::Error),
            count(Level::Warning),
            count(Level::Info)
        );
        if !push(&mut out, &row) {
            break;
        }
    }
    for report in reports {
        if !push(&mut out, &section(report)) {
            break;
        }
    }
    out
}

/// Adds a piece if there is room. Otherwise adds a line that says so.
fn push(out: &mut String, piece: &str) -> bool {
    if out.len() + piece.len() > LIMIT {
        out.push_str("\n… more was omitted: `runlog validate` prints everything.\n");
        return false;
    }
    out.push_str(piece);
    true
}

/// The findings of one run; empty if there are none.
fn section(report: &RunReport) -> String {
    let mut body = String::new();
    // Deliverables that did not pass come first.
    let mut deliverables: Vec<&Deliverable> = report.deliverables.iter().collect();
    deliverables.sort_by_key(|deliverable| std::cmp::Reverse(deliverable.verdict));
    for deliverable in deliverables.iter().take(MAX_DELIVERABLES) {
        let reason = deliverable.reason.as_deref().map(|reason| format!(": {}", unlinked(reason)));
        let reason = reason.unwrap_or_default();
        let path = code(&deliverable.path);
        body.push_str(&format!("- deliverable {path} {}{reason}\n", deliverable.status));
    }
    if let Some(more @ 1..) = deliverables.len().checked_sub(MAX_DELIVERABLES) {
        body.push_str(&format!("- … {}\n", plural(more as u64, "more deliverable")));
    }
    for level in [Level::Error, Level::Warning, Level::Info] {
        for Group { code: name, kept, total } in by_code(&report.findings, level) {
            let title = name.check().title;
            let count = match total {
                1 => String::new(),
                count => format!(" ({count} times)"),
            };
            body.push_str(&format!("- **{}** {name} {}{count}\n", level.name(), unlinked(title)));
            let most = if level == Level::Info { MAX_SHOWN_NOTES } else { MAX_SHOWN };
            for finding in kept.iter().take(most) {
                let message: String = finding.message.chars().take(MAX_MESSAGE).collect();
                let place = code(&super::place(finding));
                body.push_str(&format!("  - {place}: {}\n", unlinked(&message)));
            }
            if let Some(more @ 1..) = total.checked_sub(kept.len().min(most) as u64) {
                body.push_str(&format!("  - … {}\n", plural(more, "more finding")));
            }
        }
    }
    for step in &report.fixes {
        body.push_str(&format!("- {}\n", unlinked(&step.line())));
    }
    match body.is_empty() {
        true => body,
        false => format!("\n### {}\n\n{body}", code(&report.name)),
    }
}
