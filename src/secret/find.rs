//! Finds the secrets in a text.

use std::ops::Range;

use super::SecretRules;
use super::prefix;
use super::rule::{Lead, SecretRule, is_word};
use crate::json::escape;

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundSecret<'r> {
    /// Its range in bytes.
    pub range: Range<usize>,
    /// The name of the rule that found it.
    pub rule: &'r str,
}

/// The number of layers of JSON escapes that are decoded and searched.
const LAYERS: usize = 4;
/// A long text is searched in pieces of this many bytes, so the memory does not depend on its
/// length. The pieces overlap by more than the longest secret.
const PIECE: usize = 1 << 20;
const OVERLAP: usize = 128 << 10;
/// The number of possible starts that are tried if bytes before a prefix may belong to the secret.
const LEADS: usize = 24;

impl SecretRules {
    /// Whether a text may contain a secret. Fast; never false if there is one.
    #[must_use]
    pub fn may_hold_secret(&self, bytes: &[u8]) -> bool {
        bytes.len() >= prefix::BEGINNING && (hides_characters(bytes) || self.holds_prefix(bytes))
    }

    /// Whether an unescaped prefix is in the text.
    pub(super) fn holds_prefix(&self, bytes: &[u8]) -> bool {
        let mut at = 0;
        while let Some(hit) = self.prefixes.next(bytes, at) {
            if self.beginning(&bytes[hit..]).any(|rule| may_begin(rule, bytes, hit)) {
                return true;
            }
            at = hit + 1;
        }
        false
    }

    /// The secrets in a text, in order, without overlaps.
    #[must_use]
    pub fn find<'r>(&'r self, text: &str) -> Vec<FoundSecret<'r>> {
        let mut all = Vec::new();
        let mut start = 0;
        loop {
            let end = text.floor_char_boundary(start + PIECE);
            all.extend(self.find_through(&text[start..end], LAYERS).into_iter().map(|found| {
                let range = found.range.start + start..found.range.end + start;
                FoundSecret { range, ..found }
            }));
            if end == text.len() {
                return merged(all);
            }
            start = text.floor_char_boundary(end - OVERLAP);
        }
    }

    /// The secrets in the text and in its unescaped forms.
    fn find_through<'r>(&'r self, text: &str, layers: usize) -> Vec<FoundSecret<'r>> {
        let mut found = self.find_plain(text);
        if layers > 0
            && let Some(unescaped) = Unescaped::of(text)
        {
            found.extend(self.find_through(&unescaped.text, layers - 1).into_iter().map(|inner| {
                let range = unescaped.places[inner.range.start]..unescaped.places[inner.range.end];
                FoundSecret { range, ..inner }
            }));
        }
        merged(found)
    }

    fn find_plain<'r>(&'r self, text: &str) -> Vec<FoundSecret<'r>> {
        let bytes = text.as_bytes();
        let mut found: Vec<FoundSecret<'r>> = Vec::new();
        let mut at = 0;
        while let Some(hit) = self.prefixes.next(bytes, at) {
            at = hit + 1;
            let free = found.last().map_or(0, |last| last.range.end);
            let beginning = self.beginning(&bytes[hit..]);
            let secret = beginning.filter(|rule| may_begin(rule, bytes, hit)).find_map(|rule| {
                let range = secret_at(rule, text, hit)?;
                (range.start >= free).then(|| FoundSecret { range, rule: &rule.name })
            });
            if let Some(secret) = secret {
                at = at.max(secret.range.end);
                found.push(secret);
            }
        }
        found
    }
}

/// Whether escapes may hide characters of a prefix: `\uXXXX` any character, `\/` a slash. The
/// characters of other escapes are in no prefix.
fn hides_characters(bytes: &[u8]) -> bool {
    memchr::memchr_iter(b'\\', bytes).any(|at| matches!(bytes.get(at + 1), Some(b'u' | b'/')))
}

/// Sorts the secrets and joins those that overlap, so that no part of one is left.
fn merged(mut all: Vec<FoundSecret<'_>>) -> Vec<FoundSecret<'_>> {
    all.sort_by_key(|found| (found.range.start, usize::MAX - found.range.end));
    all.dedup_by(|next, last| {
        let overlaps = next.range.start < last.range.end;
        if overlaps {
            last.range.end = last.range.end.max(next.range.end);
        }
        overlaps
    });
    all
}

/// Whether a secret of that rule may have its prefix at `hit`. The middle of a word needs a rule
/// that allows it.
fn may_begin(rule: &SecretRule, bytes: &[u8], hit: usize) -> bool {
    rule.inside_words || rule.lead != Lead::None || begins_word(&bytes[..hit])
}

/// Whether a word may begin after those bytes. A letter or digit there may be the end of an escape
/// (`
/// `, `\u000a`, `%3D`) or of a terminal colour (`ESC [ 33 m`).
fn begins_word(before: &[u8]) -> bool {
    const LONGEST_ESCAPE: usize = 6;
    let Some((&last, rest)) = before.split_last() else { return true };
    if !last.is_ascii_alphanumeric() {
        return true;
    }
    let near = &before[before.len().saturating_sub(LONGEST_ESCAPE)..];
    if near.contains(&b'\\') || near.iter().rev().nth(2) == Some(&b'%') {
        return true;
    }
    let parameters = rest.iter().rev().take_while(|b| b.is_ascii_digit() || **b == b';').count();
    last.is_ascii_alphabetic() && rest[..rest.len() - parameters].ends_with(b"[")
}

/// The secret of that rule whose prefix is at `hit`.
fn secret_at(rule: &SecretRule, text: &str, hit: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let before = &bytes[hit.saturating_sub(rule.reach)..hit];
    let lead = before.iter().rev().take_while(|byte| rule.lead.takes(**byte)).count();
    let end = text.floor_char_boundary(hit.saturating_add(rule.reach));
    // The first bytes of the lead may belong to an escape or a colour, so try each start.
    let (start, within) = (hit - lead..=hit).take(LEADS).find_map(|start| {
        let start = text.is_char_boundary(start).then_some(start)?;
        Some((start, rule.within(&text[start..end])?))
    })?;
    let range = start + within.start..start + within.end;
    let joined = |at: Option<&u8>| at.is_some_and(|byte| is_word(*byte));
    let last = range.end.checked_sub(1).filter(|last| *last >= range.start)?;
    let whole = !joined(bytes.get(range.end)) || !joined(bytes.get(last));
    let proved = rule.proof.is_none_or(|proof| proof(&text[range.clone()]));
    (whole && proved).then_some(range)
}

/// A text with one layer of JSON escapes decoded, and the origin of each byte.
struct Unescaped {
    text: String,
    /// An offset in the original text for each byte of `text` and for its end.
    places: Vec<usize>,
}

impl Unescaped {
    /// `None` if the text has no escape.
    fn of(text: &str) -> Option<Self> {
        let first = memchr::memchr_iter(b'\\', text.as_bytes())
            .find(|at| escape(&text[*at..]).is_some())?;
        let mut unescaped = Self { text: text[..first].to_owned(), places: (0..first).collect() };
        let mut at = first;
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
        Some(unescaped)
    }
}
