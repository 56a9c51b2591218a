//! The change of a file as a unified diff without context: a setting that stays as it is may be a
//! secret, and is not shown.

use std::fmt::Write as _;
use std::path::Path;

use crate::cli::paint::{Paint, Tone};
use crate::text::inert;
use crate::transcript::diff::{DiffHunk, DiffLine, DiffMark, between};

/// The diff for people. A file that is new or removed has `/dev/null` on the other side.
pub(super) fn render(path: &Path, old: &str, new: &str, color: bool) -> String {
    let paint = Paint(color);
    let path = path.display().to_string();
    let name = |text: &str| if text.is_empty() { "/dev/null" } else { &path }.to_owned();
    let mut out = String::new();
    for (sign, text) in [("---", old), ("+++", new)] {
        let line = format!("{sign} {}", inert::line(&name(text)));
        out += &format!("{}\n", paint.apply(Tone::Bold, &line));
    }
    for hunk in between(old, new) {
        let _ = writeln!(out, "{}", paint.apply(Tone::Cyan, &heading(&hunk)));
        for (mark, text) in changed(&hunk) {
            let tone = if mark == DiffMark::Added { Tone::Green } else { Tone::Red };
            let text = format!("{}{}", mark.sign(), inert::text(&text));
            let _ = writeln!(out, "{}", paint.apply(tone, &text));
        }
    }
    out
}

/// The lines that are added or removed. What a removed line and the added one in its place have in
/// common is left out.
fn changed(hunk: &DiffHunk) -> Vec<(DiffMark, String)> {
    let of = |block: &[DiffLine], mark: DiffMark| -> Vec<String> {
        block.iter().filter(|line| line.mark == mark).map(|line| line.text.to_string()).collect()
    };
    let is_context = |line: &DiffLine| line.mark == DiffMark::Context;
    let blocks = hunk.lines.split(is_context).filter(|block| !block.is_empty());
    let mut lines = Vec::new();
    for block in blocks {
        let (mut removed, mut added) = (of(block, DiffMark::Removed), of(block, DiffMark::Added));
        for (old, new) in removed.iter_mut().zip(&mut added) {
            (*old, *new) = apart(old, new);
        }
        lines.extend(removed.into_iter().map(|text| (DiffMark::Removed, text)));
        lines.extend(added.into_iter().map(|text| (DiffMark::Added, text)));
    }
    lines.retain(|(_, text)| text != COMMON);
    lines
}

/// Stands for what two lines have in common.
const COMMON: &str = "…";

/// Two lines without their common beginning and end.
fn apart(old: &str, new: &str) -> (String, String) {
    let same = |(one, other): &(char, char)| one == other;
    let length = |common: &mut dyn Iterator<Item = (char, char)>| -> usize {
        common.take_while(same).map(|(one, _)| one.len_utf8()).sum()
    };
    let before = length(&mut old.chars().zip(new.chars()));
    let (one, other) = (&old[before..], &new[before..]);
    let after = length(&mut one.chars().rev().zip(other.chars().rev()));
    let middle = |text: &str| {
        let lead = if old[..before].trim().is_empty() { &old[..before] } else { COMMON };
        let end = if after > 0 { COMMON } else { "" };
        match &text[..text.len() - after] {
            "" => COMMON.to_owned(),
            middle => format!("{lead}{middle}{end}"),
        }
    };
    (middle(one), middle(other))
}

/// The line `@@ -1,2 +1,3 @@` before the lines of a hunk.
fn heading(hunk: &DiffHunk) -> String {
    let (old, new) = hunk.start.unwrap_or((1, 1));
    let count = |not: DiffMark| hunk.lines.iter().filter(|line| line.mark != not).count();
    let side = |start: u64, count: usize| {
        // An empty side counts from the line before it.
        format!("{},{count}", if count == 0 { start - 1 } else { start })
    };
    let (old, new) = (side(old, count(DiffMark::Added)), side(new, count(DiffMark::Removed)));
    format!("@@ -{old} +{new} @@")
}
