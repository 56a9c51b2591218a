//! Finds the secrets in a text.

use std::ops::Range;

use super::SecretRules;
use super::base64::{self, EncodedPrefixes};
use super::hidden::{Revealed, next_hidden};
use super::mailgun;
use super::prefix;
use super::rule::SecretRule;

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundSecret<'r> {
    /// Its range in bytes.
    pub range: Range<usize>,
    /// The name of the rule that found it.
    pub rule: &'r str,
}

/// The number of layers of escapes, colours and encodings that are removed and searched.
const LAYERS: usize = 4;
/// A long text is searched in pieces of this many bytes, so the memory does not depend on its
/// length. The pieces overlap by more than the longest secret.
const PIECE: usize = 1 << 20;
const OVERLAP: usize = 128 << 10;
/// The number of bytes at the end of a secret that may be the beginning of the next one's prefix.
const SHARED: usize = 12;
/// The number of possible starts that are tried if bytes before a prefix may belong to the secret.
const LEADS: usize = 24;

impl SecretRules {
    /// Whether a text may contain a secret. Fast; never false if there is one.
    #[must_use]
    pub fn may_hold_secret(&self, bytes: &[u8]) -> bool {
        bytes.len() >= prefix::BEGINNING
            && (self.holds_prefix(bytes)
                || next_hidden(bytes, 0).is_some()
                || self.may_decode(bytes))
    }

    /// Whether base64 in the text may hold a secret.
    fn may_decode(&self, bytes: &[u8]) -> bool {
        self.next_encoded(bytes, 0).is_some()
    }

    fn encoded(&self) -> &EncodedPrefixes {
        self.encoded.get_or_init(|| EncodedPrefixes::of(self.all()))
    }

    /// Whether an unescaped prefix is in the text.
    pub(super) fn holds_prefix(&self, bytes: &[u8]) -> bool {
        self.next_prefix(bytes, 0).is_some()
    }

    /// The first unescaped prefix from `from` on.
    pub(super) fn next_prefix(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let mut at = from;
        while let Some(hit) = self.prefixes.next(bytes, at) {
            if self.beginning(&bytes[hit..]).any(|rule| rule.may_begin(bytes, hit)) {
                return Some(hit);
            }
            at = hit + 1;
        }
        None
    }

    /// The first base64 from `from` on that may hold a secret, or that is one.
    pub(super) fn next_encoded(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let rest = bytes.get(from..)?;
        let mut runs = base64::runs(rest).peekable();
        runs.peek()?;
        runs.find_map(|run| {
            let bytes = &rest[run.clone()];
            let first = self.encoded().first_in(bytes);
            let first = first.or_else(|| mailgun::may_be_private_key(bytes).then_some(0));
            Some(from + run.start + first?)
        })
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

    /// The secrets in the text, behind its escapes and in its base64.
    fn find_through<'r>(&'r self, text: &str, layers: usize) -> Vec<FoundSecret<'r>> {
        let mut found = self.find_plain(text, |_| true);
        found.extend(self.find_encoded(text));
        if layers > 0
            && let Some(revealed) = Revealed::of(text)
        {
            found.extend(self.find_through(&revealed.text, layers - 1).into_iter().map(|inner| {
                let range = revealed.places[inner.range.start]..revealed.places[inner.range.end];
                FoundSecret { range, ..inner }
            }));
        }
        merged(found)
    }

    /// The secrets of a known form in the base64 of a text, and those that look like base64.
    fn find_encoded<'r>(&'r self, text: &str) -> Vec<FoundSecret<'r>> {
        if !self.may_decode(text.as_bytes()) {
            return Vec::new();
        }
        let is_mailgun =
            |run: &Range<usize>| mailgun::is_private_key(&text.as_bytes()[run.clone()]);
        let keys = base64::runs(text.as_bytes()).filter(is_mailgun);
        let mut found: Vec<_> =
            keys.map(|range| FoundSecret { range, rule: mailgun::RULE }).collect();
        for decoded in self.encoded().decoded(text.as_bytes()) {
            let mut at = 0;
            for chunk in decoded.bytes.utf8_chunks() {
                let inner = self.find_plain(chunk.valid(), SecretRule::is_form);
                found.extend(inner.into_iter().map(|inner| {
                    let range = inner.range.start + at..inner.range.end + at;
                    FoundSecret { range: decoded.place(range), ..inner }
                }));
                at += chunk.valid().len() + chunk.invalid().len();
            }
        }
        found
    }

    /// The rule for a text that has a known form as a whole.
    fn form_of(&self, text: &str) -> Option<&SecretRule> {
        let rules = self.beginning(text.as_bytes()).filter(|rule| rule.is_form());
        rules.into_iter().find(|rule| self.secret_at(rule, text, 0) == Some(0..text.len()))
    }

    /// The secrets of some rules in the text as it is.
    fn find_plain<'r>(
        &'r self,
        text: &str,
        wanted: fn(&SecretRule) -> bool,
    ) -> Vec<FoundSecret<'r>> {
        let bytes = text.as_bytes();
        let mut found: Vec<FoundSecret<'r>> = Vec::new();
        let mut at = 0;
        while let Some(hit) = self.prefixes.next(bytes, at) {
            at = hit + 1;
            let free = found.last().map_or(0, |last| last.range.end);
            // Directly after a secret, another one may begin.
            let base = if hit == free { free } else { 0 };
            let beginning = self.beginning(&bytes[hit..]);
            let may_begin = |rule: &&SecretRule| rule.may_begin(&bytes[base..], hit - base);
            let beginning = beginning.filter(|rule| wanted(rule) && may_begin(rule));
            let secret = beginning.into_iter().find_map(|rule| {
                let range = self.secret_at(rule, &text[base..], hit - base)?;
                let range = range.start + base..range.end + base;
                let rule = if rule.is_form() { None } else { self.form_of(&text[range.clone()]) }
                    .unwrap_or(rule);
                (range.start >= free).then(|| FoundSecret { range, rule: &rule.name })
            });
            if let Some(mut secret) = secret {
                secret.range.end = self.end_with_next(text, secret.range.end);
                at = at.max(secret.range.end);
                found.push(secret);
            }
        }
        found
    }

    /// The end of a secret, and of those that directly follow it if its last letters are the first of
    /// theirs: the pattern for `ghp_…` also takes the `npm` of `npm_…`.
    fn end_with_next(&self, text: &str, mut end: usize) -> usize {
        let next = |end: usize, hit: usize| {
            let rest = text.get(hit..)?;
            let goes_on = |rule: &&SecretRule| {
                rule.is_form() && rule.prefixes.iter().any(|prefix| prefix.len() > end - hit)
            };
            let mut rules = self.beginning(rest.as_bytes()).filter(goes_on);
            let range = rules.find_map(|rule| self.secret_at(rule, rest, 0))?;
            Some(hit + range.end).filter(|longer| *longer > end)
        };
        while let Some(longer) = (end.saturating_sub(SHARED)..end).find_map(|hit| next(end, hit)) {
            end = longer;
        }
        end
    }

    /// The secret of that rule whose prefix is at `hit`.
    fn secret_at(&self, rule: &SecretRule, text: &str, hit: usize) -> Option<Range<usize>> {
        if let Some(extent) = rule.extent {
            return extent(text, hit);
        }
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
        // `_` may be emphasis in Markdown, or part of a longer name.
        let joined = |at: Option<&u8>| at.is_some_and(u8::is_ascii_alphanumeric);
        let last = range.end.checked_sub(1).filter(|last| *last >= range.start)?;
        let rest = &bytes[range.end..];
        let follows = || self.beginning(rest).any(SecretRule::is_form);
        let whole = !joined(bytes.get(range.end)) || !joined(bytes.get(last)) || follows();
        let proved = rule.proof.is_none_or(|proof| proof(&text[range.clone()]));
        (whole && proved).then_some(range)
    }
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
