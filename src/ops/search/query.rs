//! What a user searches for.

use std::fmt;

use super::needle::Needle;
use super::term::Term;

/// A query: words, and phrases in double quotes.
#[derive(Debug)]
pub(crate) struct Query {
    text: String,
    /// The phrases, then the words, then the words as one phrase if there are several.
    terms: Vec<Term>,
    phrases: usize,
    words: usize,
    /// One of these must be in the line of an event that is found.
    needles: Vec<Needle>,
}

/// The reason why a query cannot be searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BadQuery {
    /// It has no word.
    Empty,
    /// It has more than [`MAX_TERMS`] words and phrases.
    TooLong,
}

/// Maximum number of words and phrases in a query.
const MAX_TERMS: usize = 32;

impl fmt::Display for BadQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the query has no word"),
            Self::TooLong => write!(f, "the query has more than {MAX_TERMS} words"),
        }
    }
}

impl std::error::Error for BadQuery {}

impl Query {
    /// Reads a query. In a phrase, `\"` is a quote. A quote without its partner is an ordinary
    /// character.
    ///
    /// # Errors
    /// The query is empty or too long.
    pub(crate) fn parse(text: &str) -> Result<Self, BadQuery> {
        let (phrases, mut words) = split(text);
        let mut seen: Vec<String> = Vec::new();
        words.retain(|word| {
            let lower = word.to_lowercase();
            let is_new = !seen.contains(&lower);
            seen.push(lower);
            is_new
        });
        if phrases.is_empty() && words.is_empty() {
            return Err(BadQuery::Empty);
        }
        if phrases.len() + words.len() > MAX_TERMS {
            return Err(BadQuery::TooLong);
        }
        let mut terms: Vec<Term> =
            phrases.iter().chain(&words).map(|text| Term::new(text)).collect();
        // An event must have every phrase, so the longest one is enough to find it.
        let longest = terms[..phrases.len()].iter().max_by_key(|term| term.folded().len());
        let needles = match longest {
            Some(phrase) => vec![Needle::of(phrase)],
            None => terms.iter().map(Needle::of).collect(),
        };
        if words.len() > 1 {
            terms.push(Term::new(&words.join(" ")));
        }
        let (phrases, words) = (phrases.len(), words.len());
        Ok(Self { text: text.to_owned(), terms, phrases, words, needles })
    }

    /// The query as it was given.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// All terms that count for the rank.
    pub(super) fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// The terms that are marked in snippets: the phrases and the words.
    pub(super) fn shown_terms(&self) -> &[Term] {
        &self.terms[..self.phrases + self.words]
    }

    /// What the raw line of an event must have.
    pub(super) fn needles(&self) -> &[Needle] {
        &self.needles
    }

    /// Whether an event with these weights of the terms is found: it has every phrase and one of
    /// the words.
    pub(super) fn is_met(&self, weights: &[u8]) -> bool {
        let (phrases, rest) = weights.split_at(self.phrases);
        let words = &rest[..self.words];
        phrases.iter().all(|weight| *weight > 0)
            && (words.is_empty() || words.iter().any(|weight| *weight > 0))
    }
}

/// The phrases and the words of a query.
fn split(text: &str) -> (Vec<String>, Vec<String>) {
    let (mut phrases, mut words) = (Vec::new(), Vec::new());
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let end = match rest.strip_prefix('"').and_then(phrase) {
            Some((phrase, length)) => {
                if !phrase.is_empty() {
                    phrases.push(phrase);
                }
                1 + length
            }
            None => {
                let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
                words.push(rest[..end].to_owned());
                end
            }
        };
        rest = rest[end..].trim_start();
    }
    (phrases, words)
}

/// The phrase up to the next quote, and its length in the query with that quote.
fn phrase(text: &str) -> Option<(String, usize)> {
    let mut phrase = String::new();
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((phrase, at + 1)),
            '\\' if characters.next_if(|(_, next)| *next == '"').is_some() => phrase.push('"'),
            other => phrase.push(other),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If this fails, a query is cut into other words than its user means.
    #[test]
    fn words_and_phrases() {
        let owned = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
        let check = |text: &str, phrases: &[&str], words: &[&str]| {
            assert_eq!(split(text), (owned(phrases), owned(words)), "{text}");
        };
        check("  one two ", &[], &["one", "two"]);
        check("\"connection refused\" db", &["connection refused"], &["db"]);
        check("\"say \\\"hi\\\"\"", &["say \"hi\""], &[]);
        check("5\" \"open", &[], &["5\"", "\"open"]);
        check("C:\\new", &[], &["C:\\new"]);
        assert_eq!(Query::parse(" \"\" ").err(), Some(BadQuery::Empty));
        assert_eq!(Query::parse(&"a b ".repeat(2)).map(|query| query.words), Ok(2));
    }
}
