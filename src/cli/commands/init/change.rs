//! The change of a file as a unified diff.

use std::fmt::Write as _;
use std::path::Path;

use crate::cli::paint::{Paint, Tone};
use crate::text::inert;
use crate::transcript::diff::{DiffHunk, DiffMark, between};

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
        for line in &hunk.lines {
            let tone = match line.mark {
                DiffMark::Context => Tone::Plain,
                DiffMark::Added => Tone::Green,
                DiffMark::Removed => Tone::Red,
            };
            let text = format!("{}{}", line.mark.sign(), inert::text(&line.text));
            let _ = writeln!(out, "{}", paint.apply(tone, &text));
        }
    }
    out
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
