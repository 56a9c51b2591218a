//! The size of what is returned. A result is read by a model, so it must never be large.

use super::error::RecallError;
use crate::json::quoted;
use crate::ops::search::{EventWindow, MAX_SLICE, SearchOutcome, WindowEvent};
use crate::text::human::plural;

/// Maximum size of a document in bytes: the largest slice, and the members around it.
pub(super) const MAX_DOCUMENT: usize = MAX_SLICE + (32 << 10);
/// A slice is not made smaller than this, so that reading in slices makes progress.
const SMALLEST: usize = 1 << 10;

/// Makes a document with slices of at most `limit` bytes. Text with many escapes is larger in JSON.
/// Then the document is made again with smaller slices.
pub(super) fn fitted(
    mut limit: usize,
    mut make: impl FnMut(usize) -> Result<String, RecallError>,
) -> Result<String, RecallError> {
    loop {
        let document = make(limit)?;
        if document.len() <= MAX_DOCUMENT || limit <= SMALLEST {
            return Ok(document);
        }
        limit = (limit / 2).max(SMALLEST);
    }
}

/// Cuts a text so that it has at most `limit` bytes in JSON. A cut text ends with `…`.
pub(super) fn cut(text: &mut String, limit: usize) {
    if text.len() <= limit && quoted(text).len() <= limit + QUOTES {
        return;
    }
    let (mut size, mut end) = (ELLIPSIS, 0);
    for (at, character) in text.char_indices() {
        size += quoted(character.encode_utf8(&mut [0; 4])).len() - QUOTES;
        if size > limit {
            break;
        }
        end = at + character.len_utf8();
    }
    text.truncate(end);
    text.push('…');
}

/// The quotes around a text in JSON, in bytes.
const QUOTES: usize = 2;
/// The size of `…` in bytes.
const ELLIPSIS: usize = 3;

/// Maximum size of names, such as an actor or a type.
const NAME: usize = 256;
/// Maximum size of a summary and of all facts of the event that was asked for.
const CENTER: usize = 4 << 10;
/// The same for the events around it.
const AROUND: usize = 1 << 10;
/// Maximum size of a snippet or of the text of a neighbour.
const SNIPPET: usize = 1 << 10;
/// Maximum number of other runs that a hit names.
const COPIES: usize = 10;

/// Cuts everything in a window except the contents, which are slices.
pub(super) fn cut_window(window: &mut EventWindow) {
    for (at, event) in window.events.iter_mut().enumerate() {
        cut_event(event, if at == window.center { CENTER } else { AROUND });
    }
}

fn cut_event(event: &mut WindowEvent, limit: usize) {
    cut(&mut event.kind, NAME);
    cut(&mut event.actor, NAME);
    if let Some(summary) = &mut event.summary {
        cut(summary, limit);
    }
    let (mut size, all) = (0, event.facts.len());
    let fits = event.facts.iter().take_while(|(name, value)| {
        size += quoted(name).len() + quoted(value).len() + QUOTES;
        size <= limit
    });
    let kept = fits.count();
    event.facts.truncate(kept);
    if kept < all {
        event.facts.push(("…".to_owned(), format!("{} more", all - kept)));
    }
}

/// Cuts the texts of the hits.
pub(super) fn cut_hits(outcome: &mut SearchOutcome) {
    for hit in &mut outcome.hits {
        cut(&mut hit.snippet.text, SNIPPET);
        hit.also_in.truncate(COPIES);
        let around = hit.before.iter_mut().chain(&mut hit.after);
        for event in around.chain([&mut hit.event]) {
            cut(&mut event.kind, NAME);
            cut(&mut event.actor, NAME);
            cut(&mut event.text, SNIPPET);
        }
    }
}

/// At most this many warnings are listed.
const WARNINGS: usize = 5;

/// Cuts a list of warnings and the warnings in it.
pub(super) fn cut_warnings(warnings: &mut Vec<String>) {
    let all = warnings.len();
    warnings.truncate(WARNINGS);
    warnings.iter_mut().for_each(|warning| cut(warning, SNIPPET));
    if all > WARNINGS {
        warnings.push(plural((all - WARNINGS) as u64, "more warning"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shortened(text: &str, limit: usize) -> String {
        let mut text = text.to_owned();
        cut(&mut text, limit);
        text
    }

    /// If this fails, a text is larger in JSON than its limit, or is cut without need.
    #[test]
    fn texts_are_cut_by_their_size_in_json() {
        assert_eq!(shortened("short", 5), "short");
        assert_eq!(shortened("longer", 5), "lo…");
        assert_eq!(shortened("ééé", 5), "é…");
        let controls = "\u{1b}".repeat(100);
        let cut = shortened(&controls, 60);
        assert!(quoted(&cut).len() <= 62 && cut.len() > 9, "{cut:?}");
    }

    /// If this fails, a document of escapes is larger than a caller can take, or the loop does not
    /// end.
    #[test]
    fn documents_fit() {
        let mut limits = Vec::new();
        let made = fitted(MAX_SLICE, |limit| {
            limits.push(limit);
            Ok("x".repeat(limit * 6))
        });
        assert!(made.is_ok_and(|made| made.len() <= MAX_DOCUMENT));
        assert_eq!(limits, [65536, 32768, 16384]);
        let endless = fitted(MAX_SLICE, |_| Ok("x".repeat(MAX_DOCUMENT + 1)));
        assert!(endless.is_ok());
    }
}
