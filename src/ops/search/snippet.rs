//! The part of an event that shows why it was found.

use std::ops::Range;

use super::query::Query;
use super::term::Term;
use crate::event::texts::TextPlace;

/// One line of text with the found terms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Snippet {
    /// The text, with single spaces, and `…` where it was cut. It is as it is in the log: it may
    /// hold control characters.
    pub(crate) text: String,
    /// The places of the terms in `text`, in bytes, in order.
    pub(crate) marks: Vec<Range<usize>>,
}

/// Length of a snippet in bytes, without the rest of a word at its end.
const LENGTH: usize = 200;
/// Bytes before the first term in a snippet of a longer text.
const LEAD: usize = 60;
/// Maximum number of bytes by which a snippet is extended to a whole word.
const WORD: usize = 24;
/// Occurrences of a term that are considered.
const CONSIDERED: usize = 200;

/// Chooses the best of an event's texts.
#[derive(Debug, Default)]
pub(super) struct Chooser {
    best: Option<((usize, bool), Snippet)>,
}

impl Chooser {
    /// Considers the next text. The text with the most terms close together wins; the content wins
    /// over summary and type, and of equal texts the first one.
    pub(super) fn consider(&mut self, query: &Query, place: TextPlace, text: &str) {
        let places = places(query.shown_terms(), text);
        let Some((window, distinct)) = window(&places) else { return };
        let rank = (distinct, place == TextPlace::Content);
        if self.best.as_ref().is_none_or(|(best, _)| rank > *best) {
            self.best = Some((rank, cut(text, &places, &window)));
        }
    }

    /// The best snippet; empty if no text had a term.
    pub(super) fn finish(self) -> Snippet {
        self.best.map(|(_, snippet)| snippet).unwrap_or_default()
    }
}

/// The places of all terms, in order: the place and the index of its term.
fn places(terms: &[Term], text: &str) -> Vec<(Range<usize>, usize)> {
    let each = terms.iter().enumerate();
    let mut places: Vec<(Range<usize>, usize)> = each
        .flat_map(|(index, term)| term.places(text).take(CONSIDERED).map(move |at| (at, index)))
        .collect();
    places.sort_by_key(|(place, index)| (place.start, std::cmp::Reverse(place.end), *index));
    places
}

/// The places that fit into one snippet and have the most different terms: the span of the places,
/// and how many terms.
fn window(places: &[(Range<usize>, usize)]) -> Option<(Range<usize>, usize)> {
    let mut best: Option<(Range<usize>, usize)> = None;
    for (at, (first, _)) in places.iter().enumerate() {
        let near = || {
            places[at..].iter().take_while(|(place, _)| place.end <= first.start + LENGTH - LEAD)
        };
        let mut terms: Vec<usize> = near().map(|(_, index)| *index).collect();
        terms.sort_unstable();
        terms.dedup();
        let end = near().map(|(place, _)| place.end).max().unwrap_or(first.end);
        if best.as_ref().is_none_or(|(_, most)| terms.len() > *most) {
            best = Some((first.start..end, terms.len()));
        }
    }
    best
}

/// The snippet around a span of a text.
fn cut(text: &str, places: &[(Range<usize>, usize)], span: &Range<usize>) -> Snippet {
    let from = text.floor_char_boundary(span.start.saturating_sub(LEAD));
    let from = if from == 0 { 0 } else { word_start(text, from, span.start) };
    let to = text.ceil_char_boundary((from + LENGTH).max(span.end.min(from + 4 * LENGTH)));
    let to = word_end(text, to);
    let mut snippet = Snippet::default();
    if from > 0 {
        snippet.text.push('…');
    }
    let mut marks = places.iter().map(|(place, _)| place).filter(|place| place.start >= from);
    let mut mark = marks.next();
    let mut began = None;
    for (at, character) in text[from..to].char_indices().map(|(at, c)| (from + at, c)) {
        if let (Some(place), Some(start)) = (mark, began)
            && at >= place.end
        {
            snippet.marks.push(start..snippet.text.len());
            began = None;
            let end = place.end;
            mark = marks.by_ref().find(|place| place.start >= end);
        }
        if mark.is_some_and(|place| place.start == at) {
            began = Some(snippet.text.len());
        }
        match character.is_whitespace() {
            true if snippet.text.is_empty() || snippet.text.ends_with(' ') => {}
            true => snippet.text.push(' '),
            false => snippet.text.push(character),
        }
    }
    if let Some(start) = began {
        snippet.marks.push(start..snippet.text.len());
    }
    let kept = snippet.text.trim_end().len();
    snippet.text.truncate(kept);
    if to < text.len() {
        snippet.text.push('…');
    }
    for mark in &mut snippet.marks {
        *mark = mark.start.min(kept)..mark.end.min(kept);
    }
    snippet.marks.retain(|mark| !mark.is_empty());
    snippet
}

/// The start of the next word, if there is one soon.
fn word_start(text: &str, from: usize, limit: usize) -> usize {
    let near = &text[from..text.floor_char_boundary((from + WORD).min(limit))];
    let space = near.char_indices().find(|(_, character)| character.is_whitespace());
    space.map_or(from, |(at, space)| from + at + space.len_utf8())
}

/// The end of the word at `to`, if it is near.
fn word_end(text: &str, to: usize) -> usize {
    let near = &text[to..text.ceil_char_boundary((to + WORD).min(text.len()))];
    near.find(char::is_whitespace).map_or(to, |at| to + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snippet(query: &str, text: &str) -> (String, Vec<String>) {
        let query = Query::parse(query).unwrap();
        let mut chooser = Chooser::default();
        chooser.consider(&query, TextPlace::Content, text);
        let Snippet { text, marks } = chooser.finish();
        let marked = marks.iter().map(|mark| text[mark.clone()].to_owned()).collect();
        (text, marked)
    }

    /// If this fails, a snippet does not show the found words, or cuts a character.
    #[test]
    fn cut_around_the_words() {
        assert_eq!(snippet("b c", "a  B\n\tc d"), ("a B c d".into(), vec!["B".into(), "c".into()]));
        let long = format!("{} needle {}", "é".repeat(500), "ü ".repeat(500));
        let (text, marked) = snippet("needle", &long);
        assert_eq!(marked, ["needle"]);
        assert!(text.starts_with('…') && text.ends_with('…') && text.len() < 300, "{text}");
        let (text, marked) = snippet("one two", &format!("one {} one two", "x ".repeat(900)));
        assert_eq!(marked, ["one", "two"], "{text}");
        assert_eq!(snippet("é", "É").1, ["É"]);
        assert_eq!(snippet("\"a b\" b", "a b").1, ["a b"], "marks do not overlap");
    }
}
