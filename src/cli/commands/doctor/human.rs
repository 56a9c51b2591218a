//! The results for people.

use crate::cli::paint::{Paint, Tone};
use crate::ops::doctor::Diagnosis;
use crate::text::human::plural;
use crate::text::inert::line;
use crate::text::wrap::hanging;

/// The results, one per line, with hints below, and a sentence at the end. Lines wider than `columns`
/// are wrapped.
#[must_use]
pub(super) fn render(checks: &[Diagnosis], color: bool, columns: Option<usize>) -> String {
    let paint = Paint(color);
    let width = checks.iter().map(|check| check.name.len()).max().unwrap_or(0);
    let mut out = String::new();
    for check in checks {
        let (mark, tone) = if check.ok { ("ok    ", Tone::Green) } else { ("wrong ", Tone::Red) };
        let name = format!("{:<width$}", check.name);
        let detail = hanging(&line(&check.detail), width + 8, width + 8, columns);
        out += &format!("{}{name}  {detail}\n", paint.apply(tone, mark));
        if !check.hint.is_empty() {
            let hint = format!("hint: {}", line(&check.hint));
            let hint = hanging(&hint, width + 8, width + 10, columns);
            out +=
                &format!("{:indent$}{}\n", "", paint.apply(Tone::Dim, &hint), indent = width + 8);
        }
    }
    let wrong = checks.iter().filter(|check| !check.ok).count();
    let all = plural(checks.len() as u64, "check");
    match wrong {
        0 => out + &format!("all is well ({all})\n"),
        _ => out + &format!("{wrong} of {all} found something wrong\n"),
    }
}
