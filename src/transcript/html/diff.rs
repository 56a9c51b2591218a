//! The change of one file: removed lines in red, added lines in green, each with its sign.

use std::ops::Range;

use maud::{Markup, html};

use super::block::{BlockText, inside};
use super::changed_words::changed_words;
use super::{copy_button, facts};
use crate::text::human::plural;
use crate::transcript::diff::{DiffHunk, DiffLine, DiffMark, FileDiff};

/// Number of lines shown at once. The rest is folded.
const LINES: usize = 40;
/// Number of further lines that are shown rather than folded.
const SLACK: usize = 5;

/// A diff. `file` is the number of the file among the changed ones.
pub(super) fn diff(diff: &FileDiff, file: Option<usize>) -> Markup {
    html! {
        div.block.diff data-file=[file] {
            div.cap {
                span {
                    code { (diff.path) @if let Some(to) = &diff.moved_to { " → " (to) } }
                    " " i { (diff.kind.name()) } " " (facts::lines(diff.counts()))
                }
                (copy_button())
            }
            @if diff.hunks.is_empty() { p.hint { "No lines are known." } }
            @else { (inside("", &text(&diff.hunks))) }
        }
    }
}

/// One row of a diff.
enum DiffRow<'d> {
    /// The head of a changed place. The first one may be empty.
    Head(String),
    /// A line, and the part of it that differs from the line that it replaces.
    Line(&'d DiffLine, Option<Range<usize>>),
}

impl DiffRow<'_> {
    /// What happened to the line; `None` for a head.
    fn mark(&self) -> Option<DiffMark> {
        if let Self::Line(line, _) = self { Some(line.mark) } else { None }
    }
}

fn text(hunks: &[DiffHunk]) -> BlockText {
    let several = hunks.len() > 1;
    let mut rows = Vec::new();
    for hunk in hunks {
        let head = head(hunk);
        if several || !head.is_empty() {
            rows.push(DiffRow::Head(head));
        }
        let words = changed_words(&hunk.lines);
        rows.extend(hunk.lines.iter().zip(words).map(|(line, part)| DiffRow::Line(line, part)));
    }
    let fold = if rows.len() > LINES + SLACK { LINES } else { rows.len() };
    let (shown, rest) = rows.split_at(fold);
    BlockText {
        shown: markup(shown),
        rest: (!rest.is_empty()).then(|| (plural(rest.len() as u64, "more line"), markup(rest))),
    }
}

/// The head of a changed place, as in a patch. A new file needs none.
fn head(hunk: &DiffHunk) -> String {
    let place = match hunk.start {
        None | Some((0..=1, 0..=1)) => String::new(),
        Some((old, new)) => format!("line {old} → {new}"),
    };
    let texts = [place, hunk.heading.clone()];
    texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("  ")
}

fn markup(rows: &[DiffRow<'_>]) -> Markup {
    // Lines of one kind are one element, so that a page with many diffs loads quickly.
    let runs = rows.chunk_by(|one, two| one.mark().is_some() && one.mark() == two.mark());
    html! {
        @for run in runs {
            @match run.first().and_then(DiffRow::mark) {
                None | Some(DiffMark::Context) => (lines(run)),
                Some(DiffMark::Added) => ins { (lines(run)) },
                Some(DiffMark::Removed) => del { (lines(run)) },
            }
        }
    }
}

fn lines(rows: &[DiffRow<'_>]) -> Markup {
    html! {
        @for row in rows {
            @match row {
                DiffRow::Head(head) => span.hunk { "@@ " (head) "\n" },
                DiffRow::Line(line, part) => { (line.mark.sign()) (words(&line.text, part.clone())) "\n" },
            }
        }
    }
}

/// A line with its changed part marked.
fn words(text: &str, part: Option<Range<usize>>) -> Markup {
    html! {
        @match part {
            Some(part) => {
                (text[..part.start]) @if !part.is_empty() { b { (text[part.clone()]) } } (text[part.end..])
            }
            None => (text),
        }
    }
}
