//! One word or phrase of a query, and where it is in a text. Upper and lower case count as the
//! same.

use std::ops::Range;

use memchr::memmem;

/// A word or a phrase.
#[derive(Clone, Debug)]
pub(super) struct Term {
    folded: Vec<char>,
    /// The search in bytes, if the term is ASCII.
    ascii: Option<AsciiFinder>,
}

impl Term {
    /// The term with that text, which must not be empty.
    pub(super) fn new(text: &str) -> Self {
        let folded: Vec<char> = text.chars().map(fold).collect();
        let ascii = text.is_ascii().then(|| AsciiFinder::new(text.as_bytes()));
        Self { folded, ascii }
    }

    /// Its characters, folded.
    pub(super) fn folded(&self) -> &[char] {
        &self.folded
    }

    /// The places of the term in a text, in order, without overlaps.
    pub(super) fn places<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
        let mut from = 0;
        std::iter::from_fn(move || {
            let found = match &self.ascii {
                Some(finder) => {
                    finder.find(text.as_bytes(), from).map(|at| at..at + self.folded.len())
                }
                None => self.find_characters(text, from),
            }?;
            from = found.end;
            Some(found)
        })
    }

    /// How often the term is in a text, in halves: a whole word counts 2, a part of a word 1.
    pub(super) fn weight(&self, text: &str) -> u32 {
        let weigh = |place: Range<usize>| if is_whole_word(text, &place) { 2 } else { 1 };
        self.places(text).take(MOST_COUNTED).map(weigh).sum()
    }

    fn find_characters(&self, text: &str, from: usize) -> Option<Range<usize>> {
        let first = *self.folded.first()?;
        for (at, character) in text[from..].char_indices() {
            if fold(character) != first {
                continue;
            }
            let start = from + at;
            let mut end = start;
            let mut rest = text[start..].chars();
            let is_here = self.folded.iter().all(|wanted| {
                rest.next().is_some_and(|character| {
                    end += character.len_utf8();
                    fold(character) == *wanted
                })
            });
            if is_here {
                return Some(start..end);
            }
        }
        None
    }
}

/// Occurrences of a term that are counted in one text. More do not change the order.
const MOST_COUNTED: usize = 100;

/// Whether no letter, digit or underscore is next to a place.
fn is_whole_word(text: &str, place: &Range<usize>) -> bool {
    let is_inner = |character: char| character.is_alphanumeric() || character == '_';
    !text[..place.start].chars().next_back().is_some_and(is_inner)
        && !text[place.end..].chars().next().is_some_and(is_inner)
}

/// A character without its case. ASCII characters stay ASCII, and others stay non-ASCII, so that
/// ASCII text can be searched in bytes.
pub(super) fn fold(character: char) -> char {
    if character.is_ascii() {
        return character.to_ascii_lowercase();
    }
    let mut lower = character.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(low), None) if !low.is_ascii() && upper(low) == character => low,
        _ => character,
    }
}

/// The upper case of a character, if it is one character.
pub(super) fn upper(character: char) -> char {
    let mut upper = character.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(upper), None) => upper,
        _ => character,
    }
}

/// Finds ASCII text in bytes, whatever its case.
#[derive(Clone, Debug)]
pub(super) struct AsciiFinder {
    lower: Vec<u8>,
    /// The byte that is searched first: the one that is rarest in logs.
    rarest: usize,
    /// The search for text that has no letters.
    exact: Option<memmem::Finder<'static>>,
}

/// Bytes from frequent to rare in logs, which hold JSON, hashes and English. Other bytes are rarer.
const FREQUENT: &[u8] = b" \"etaoinsr0123456789dlc:,_fuhpmb.g-/vyw\\kxzqj";

impl AsciiFinder {
    /// Searches for this text, which must be ASCII and not empty.
    pub(super) fn new(text: &[u8]) -> Self {
        let lower = text.to_ascii_lowercase();
        let rank =
            |byte: u8| FREQUENT.iter().position(|known| *known == byte).unwrap_or(usize::MAX);
        let rarest = (0..lower.len()).max_by_key(|at| rank(lower[*at])).unwrap_or(0);
        let has_letters = lower.iter().any(u8::is_ascii_alphabetic);
        let exact = (!has_letters).then(|| memmem::Finder::new(&lower).into_owned());
        Self { lower, rarest, exact }
    }

    /// The first place of the text at `from` or after it.
    pub(super) fn find(&self, bytes: &[u8], from: usize) -> Option<usize> {
        if let Some(exact) = &self.exact {
            return exact.find(bytes.get(from..)?).map(|at| from + at);
        }
        let rare = self.lower[self.rarest];
        let mut at = from + self.rarest;
        loop {
            let rest = bytes.get(at..)?;
            at += memchr::memchr2(rare, rare.to_ascii_uppercase(), rest)?;
            let start = at - self.rarest;
            let here = bytes.get(start..start + self.lower.len())?;
            if here.eq_ignore_ascii_case(&self.lower) {
                return Some(start);
            }
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If this fails, a word is found where it is not, or overlooked because of its case.
    #[test]
    fn case_is_ignored() {
        let found = |term: &str, text: &str| Term::new(term).places(text).collect::<Vec<_>>();
        assert_eq!(found("Panic", "a PANIC, panics"), [2..7, 9..14]);
        assert_eq!(found("été", "ÉTÉ été"), [0..5, 6..11]);
        assert_eq!(found("404", "40404 404"), [0..3, 6..9]);
        assert_eq!(found("k", "\u{212a}"), [0..0; 0], "the sign for Kelvin is no letter k");
        assert_eq!(found("ß", "SS ßß"), [3..5, 5..7]);
    }

    /// If this fails, parts of words count as much as whole words.
    #[test]
    fn whole_words_weigh_more() {
        let weight = |text: &str| Term::new("port").weight(text);
        assert_eq!(weight("port import port_2 (port)"), 2 + 1 + 1 + 2);
    }
}
