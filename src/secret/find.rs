//! Finding the secrets of a text.

use std::ops::Range;

use super::Rules;
use super::prefix::is_hiding_escape;
use super::rule::{Lead, Rule, is_word};

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<'r> {
    /// Its bytes.
    pub range: Range<usize>,
    /// The name of the rule that found it.
    pub rule: &'r str,
}

/// How many layers of JSON escapes are looked through.
const LAYERS: usize = 4;
/// Bytes that are looked at together, and how far the pieces of a long text overlap: no
/// secret is longer. So the memory does not depend on the length of the text.
const PIECE: usize = 1 << 20;
const OVERLAP: usize = 128 << 10;

impl Rules {
    /// Whether `bytes` may hold a secret: cheap, and never false where one is.
    #[must_use]
    pub fn may_hold_secret(&self, bytes: &[u8]) -> bool {
        let mut at = 0;
        while let Some(hit) = self.prefixes.next(bytes, at) {
            let rest = &bytes[hit..];
            if is_hiding_escape(rest)
                || self.beginning(rest).any(|rule| may_begin(rule, bytes, hit))
            {
                return true;
            }
            at = hit + 1;
        }
        false
    }

    /// The secrets of a text, in order, without overlaps.
    #[must_use]
    pub fn find<'r>(&'r self, text: &str) -> Vec<Found<'r>> {
        let mut all: Vec<Found<'r>> = Vec::new();
        let mut start = 0;
        loop {
            let end = text.floor_char_boundary(start + PIECE);
            for mut found in self.find_through(&text[start..end], LAYERS) {
                found.range = found.range.start + start..found.range.end + start;
                match all.last_mut() {
                    // A piece that begins inside a secret finds less of it.
                    Some(last) if found.range.start < last.range.end => {
                        last.range.end = last.range.end.max(found.range.end);
                    }
                    _ => all.push(found),
                }
            }
            if end == text.len() {
                return all;
            }
            start = text.floor_char_boundary(end - OVERLAP);
        }
    }

    fn find_through<'r>(&'r self, text: &str, layers: usize) -> Vec<Found<'r>> {
        let (mut found, hidden) = self.find_plain(text);
        if hidden && layers > 0 {
            let unescaped = Unescaped::of(text);
            for inner in self.find_through(&unescaped.text, layers - 1) {
                let range = unescaped.places[inner.range.start]..unescaped.places[inner.range.end];
                let apart = |other: &Found<'_>| {
                    other.range.end <= range.start || range.end <= other.range.start
                };
                if found.iter().all(apart) {
                    found.push(Found { range, rule: inner.rule });
                }
            }
            found.sort_by_key(|found| found.range.start);
        }
        found
    }

    /// The secrets that stand there as they are, and whether escapes may hide more.
    fn find_plain<'r>(&'r self, text: &str) -> (Vec<Found<'r>>, bool) {
        let bytes = text.as_bytes();
        let mut found: Vec<Found<'r>> = Vec::new();
        let mut hidden = false;
        let mut at = 0;
        while let Some(hit) = self.prefixes.next(bytes, at) {
            at = hit + 1;
            hidden |= is_hiding_escape(&bytes[hit..]);
            let free = found.last().map_or(0, |last| last.range.end);
            let beginning = self.beginning(&bytes[hit..]);
            let secret = beginning.filter(|rule| may_begin(rule, bytes, hit)).find_map(|rule| {
                let range = secret_at(rule, text, hit)?;
                (range.start >= free).then(|| Found { range, rule: &rule.name })
            });
            if let Some(secret) = secret {
                at = at.max(secret.range.end);
                found.push(secret);
            }
        }
        (found, hidden)
    }
}

/// Whether a secret of that rule may have its prefix at `hit`: in the middle of a word only
/// if the rule allows it. The letter before it may be the end of an escape (`\n`, `\u000a`).
fn may_begin(rule: &Rule, bytes: &[u8], hit: usize) -> bool {
    const LONGEST_ESCAPE: usize = 6;
    let begins_a_word = hit == 0
        || !is_word(bytes[hit - 1])
        || bytes[hit.saturating_sub(LONGEST_ESCAPE)..hit].contains(&b'\\');
    begins_a_word || rule.inside_words || rule.lead != Lead::None
}

/// The secret of that rule whose prefix stands at `hit`.
fn secret_at(rule: &Rule, text: &str, hit: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let before = &bytes[hit.saturating_sub(rule.reach)..hit];
    let lead = before.iter().rev().take_while(|byte| rule.lead.takes(**byte)).count();
    let escaped =
        lead > 0 && bytes[..hit - lead].ends_with(b"\\") && b"nrt".contains(&bytes[hit - lead]);
    let start = hit - lead + usize::from(escaped);
    let joined = |at: Option<&u8>| at.is_some_and(|byte| is_word(*byte));
    let end = text.floor_char_boundary(hit.saturating_add(rule.reach));
    let captures = rule.regex()?.captures(&text[start..end])?;
    let secret = captures.get(1).or(captures.get(0))?;
    let range = start + secret.start()..start + secret.end();
    let whole = !joined(bytes.get(range.end)) || !joined(bytes.get(range.end - 1));
    let proved = rule.proof.is_none_or(|proof| proof(secret.as_str()));
    (whole && proved && !range.is_empty()).then_some(range)
}

/// A text with one layer of JSON escapes undone, and where each of its bytes came from.
struct Unescaped {
    text: String,
    /// One for each byte of `text`, and one for its end.
    places: Vec<usize>,
}

impl Unescaped {
    fn of(text: &str) -> Self {
        let mut unescaped = Self { text: String::new(), places: Vec::new() };
        let mut at = 0;
        while let Some(character) = text[at..].chars().next() {
            let (character, length) = match character {
                '\\' => escape(&text[at..]).unwrap_or(('\\', 1)),
                other => (other, other.len_utf8()),
            };
            unescaped.text.push(character);
            unescaped.places.resize(unescaped.text.len(), at);
            at += length;
        }
        unescaped.places.push(at);
        unescaped
    }
}

/// The character that the escape at the start of `text` stands for, and its length.
fn escape(text: &str) -> Option<(char, usize)> {
    match text.as_bytes().get(1)? {
        b'n' => Some(('\n', 2)),
        b'r' => Some(('\r', 2)),
        b't' => Some(('\t', 2)),
        b'u' => {
            let point = u32::from_str_radix(text.get(2..6)?, 16).ok()?;
            Some((char::from_u32(point)?, 6))
        }
        byte @ (b'"' | b'\\' | b'/') => Some((char::from(*byte), 2)),
        _ => None,
    }
}
