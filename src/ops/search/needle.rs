//! The quick search in raw lines. A line without the needle of a term cannot hold the term.
//!
//! JSON may write a character in several ways. The needle is a part of the term that is written in
//! one way or in two. Where a character of the needle is written as `\uXXXX`, the line counts as
//! possible too.

use memchr::memmem;

use super::term::{AsciiFinder, Term, fold, upper};
use crate::json::escape;
use crate::log::chunk::LogChunk;

/// What the raw bytes of a line must have.
#[derive(Debug)]
pub(super) struct Needle {
    raw: Raw,
    /// The folded characters of the needle.
    characters: Vec<char>,
}

#[derive(Debug)]
enum Raw {
    /// ASCII text in any case.
    Ascii(Box<AsciiFinder>),
    /// One of these texts. Without any, only an escape `\uXXXX` can write it.
    OneOf(Vec<memmem::Finder<'static>>),
}

impl Needle {
    /// The longest part of a term that JSON writes in one way, else one of its characters.
    pub(super) fn of(term: &Term) -> Self {
        let folded = term.folded();
        let plain = longest(folded, |c| matches!(c, ' '..='~') && !matches!(c, '"' | '\\' | '/'));
        if !plain.is_empty() {
            let text: String = plain.iter().collect();
            let raw = Raw::Ascii(Box::new(AsciiFinder::new(text.as_bytes())));
            return Self { raw, characters: plain.to_vec() };
        }
        let caseless = longest(folded, |c| !c.is_ascii() && upper(c) == c);
        if !caseless.is_empty() {
            let text: String = caseless.iter().collect();
            return Self { raw: Raw::one_of(&[text]), characters: caseless.to_vec() };
        }
        let first = folded.first().copied().unwrap_or_default();
        Self { raw: Raw::one_of(&ways(first)), characters: vec![first] }
    }

    /// Marks the lines that have the needle.
    fn mark(&self, chunk: &LogChunk, marked: &mut [bool]) {
        match &self.raw {
            Raw::Ascii(finder) => {
                mark_each(chunk, marked, |bytes, from| finder.find(bytes, from));
            }
            Raw::OneOf(finders) => {
                for finder in finders {
                    mark_each(chunk, marked, |bytes, from| {
                        finder.find(bytes.get(from..)?).map(|at| from + at)
                    });
                }
            }
        }
    }
}

impl Raw {
    fn one_of(texts: &[String]) -> Self {
        let finder = |text: &String| memmem::Finder::new(text.as_bytes()).into_owned();
        Self::OneOf(texts.iter().map(finder).collect())
    }
}

/// Marks the lines that may hold one of the terms.
pub(super) fn mark_lines(needles: &[Needle], chunk: &LogChunk, marked: &mut [bool]) {
    for needle in needles {
        needle.mark(chunk, marked);
    }
    let is_wanted = |escaped: char| {
        let escaped = fold(escaped);
        needles.iter().any(|needle| needle.characters.contains(&escaped))
    };
    let wants_control =
        needles.iter().any(|needle| needle.characters.iter().copied().any(char::is_control));
    let bytes = chunk.bytes();
    for at in memmem::find_iter(bytes, b"\\u") {
        // Captured terminal output is full of control characters.
        if !wants_control && matches!(bytes.get(at + 2..at + 5), Some(b"000" | b"001")) {
            continue;
        }
        if escaped_at(bytes, at).is_some_and(is_wanted)
            && let Some(index) = chunk.line_with(at)
        {
            marked[index] = true;
        }
    }
}

/// Marks each line in which `find` finds something.
pub(super) fn mark_each(
    chunk: &LogChunk,
    marked: &mut [bool],
    find: impl Fn(&[u8], usize) -> Option<usize>,
) {
    let mut from = 0;
    while let Some(at) = find(chunk.bytes(), from) {
        from = match chunk.line_with(at) {
            Some(index) => {
                marked[index] = true;
                chunk.lines()[index].to
            }
            None => at + 1,
        };
    }
}

/// The character of the escape at `at`.
fn escaped_at(bytes: &[u8], at: usize) -> Option<char> {
    const LONGEST: usize = "\\uD83D\\uDE00".len();
    let near = &bytes[at..bytes.len().min(at + LONGEST)];
    let near = match std::str::from_utf8(near) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&near[..error.valid_up_to()]).unwrap_or_default(),
    };
    escape(near).map(|(character, _)| character)
}

/// The longest run of characters that pass a test; the first of several.
fn longest(characters: &[char], test: impl Fn(char) -> bool) -> &[char] {
    let runs = characters.split(|character| !test(*character));
    runs.fold(&[], |longest, run| if run.len() > longest.len() { run } else { longest })
}

/// The ways in which JSON writes a character besides `\uXXXX`.
fn ways(character: char) -> Vec<String> {
    let ways: &[&str] = match character {
        '"' => &["\\\""],
        '\\' => &["\\\\"],
        '/' => &["/"],
        '\n' => &["\\n"],
        '\r' => &["\\r"],
        '\t' => &["\\t"],
        '\u{8}' => &["\\b"],
        '\u{c}' => &["\\f"],
        '\u{0}'..='\u{1f}' => &[],
        other => return vec![other.to_string(), upper(other).to_string()],
    };
    ways.iter().map(ToString::to_string).collect()
}
