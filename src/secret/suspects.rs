//! The places of a JSON text where a secret may begin. Each byte is searched once, however many
//! parts of the text are asked about.

use std::ops::Range;

use super::SecretRules;
use super::hidden::next_hidden;
use crate::json::Json;

/// Searches one text for places that are suspect. The parts that are asked about must follow one
/// another, or lie in one another.
pub(super) struct Suspects<'r, 't> {
    rules: &'r SecretRules,
    text: &'t str,
    /// One for each kind of place.
    next: [NextSuspect; 3],
}

/// The next place of one kind. There is none in the bytes from `from` to `at`.
#[derive(Clone, Copy)]
struct NextSuspect {
    search: Search,
    from: usize,
    at: usize,
}

/// Finds the first place of one kind in a text, from an offset on.
type Search = fn(&SecretRules, &[u8], usize) -> Option<usize>;

/// The kinds of places.
const KINDS: [Search; 3] =
    [SecretRules::next_prefix, |_, text, from| next_hidden(text, from), SecretRules::next_encoded];

impl<'r, 't> Suspects<'r, 't> {
    pub(super) fn new(rules: &'r SecretRules, text: &'t str) -> Self {
        let unknown = |search| NextSuspect { search, from: usize::MAX, at: 0 };
        Self { rules, text, next: KINDS.map(unknown) }
    }

    /// Whether a secret may begin in a part of the text.
    pub(super) fn any_in(&mut self, part: Json<'_>) -> bool {
        let place = self.place(part.text());
        self.next.iter_mut().any(|next| next.is_in(&place, self.text.as_bytes(), self.rules))
    }

    /// A part of the text, for as long as the text lives.
    pub(super) fn part(&self, part: &str) -> &'t str {
        self.text.get(self.place(part)).unwrap_or_default()
    }

    /// The place of a part in the text.
    pub(super) fn place(&self, part: &str) -> Range<usize> {
        let start = (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        start..start + part.len()
    }
}

impl NextSuspect {
    fn is_in(&mut self, place: &Range<usize>, text: &[u8], rules: &SecretRules) -> bool {
        if place.start < self.from || place.start > self.at {
            self.from = place.start;
            self.at = (self.search)(rules, text, place.start).unwrap_or(usize::MAX);
        }
        self.at < place.end
    }
}
