//! What several sections are made of.

use crate::event::template::cut;
use crate::render::human::count;
use crate::render::markdown::{quote, quoted_fence};
use crate::transcript::extent::Limits;

/// What somebody wrote: one line as a quote, many as they stand, in a fence. Says where it
/// was cut.
pub(super) fn long_quote(text: &str, limits: &Limits) -> String {
    let shown = cut(text.trim(), limits.long);
    let mut out = if shown.contains('\n') { quoted_fence(&shown) } else { quote(&shown) };
    if shown.len() < text.trim().len() && shown.ends_with('…') {
        let total = text.trim().chars().count() as u64;
        let first = count(limits.long as u64 - 1);
        out.push_str(&format!("\n*(the first {first} of {} characters)*\n", count(total)));
    }
    out
}

/// A link to an event's line in the log.
pub(super) fn link(sequence: u64) -> String {
    format!("[#{sequence}](events.jsonl#L{sequence})")
}
