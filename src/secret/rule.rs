//! A rule for one kind of secret.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use regex_lite::{Regex, RegexBuilder};

use super::proof::Proof;

/// The form of one kind of secret.
#[derive(Clone, Debug)]
pub struct SecretRule {
    /// Its name, as in `[REDACTED:<name>]`.
    pub name: Cow<'static, str>,
    /// Every such secret contains one of these texts. Each has at least three bytes.
    pub(super) prefixes: Cow<'static, [Cow<'static, str>]>,
    /// The pattern of the whole secret, including [`SecretRule::lead`]. The first group, if there
    /// is one, is the secret part.
    pub(super) pattern: Cow<'static, str>,
    /// The bytes before the prefix that belong to the secret.
    pub(super) lead: Lead,
    /// Whether the prefix matches in upper and lower case.
    pub(super) any_case: bool,
    /// Whether the prefix must begin a word, because it is short or the rest could be anything.
    pub(super) whole_word: bool,
    /// The whole lengths of such a secret with which it is one also after a letter or a digit.
    pub(super) glued: &'static [usize],
    /// Minimum number of token characters from the prefix on. It saves trying the pattern at a short
    /// prefix, which is in many words.
    pub(super) least: usize,
    /// Maximum length in bytes of the text that the pattern is tried on.
    pub(super) reach: usize,
    /// Finds the secret in place of a pattern.
    pub(super) extent: Option<MatchExtent>,
    /// A fast test of what follows the prefix.
    pub(super) probe: Option<Probe>,
    /// A further test of the match.
    pub(super) proof: Option<Proof>,
    /// The pattern, compiled at its first use.
    compiled: OnceLock<Option<Regex>>,
}

/// The range of the secret in a text whose prefix is at that offset.
pub(super) type MatchExtent = fn(&str, usize) -> Option<Range<usize>>;

/// Whether there may be a secret in a text whose prefix is at that offset.
pub(super) type Probe = fn(&[u8], usize) -> bool;

/// The kind of bytes before a prefix that may belong to the secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lead {
    None,
    Digits,
    Word,
    /// The scheme of a URL.
    Scheme,
    /// The name of a host, which is no part of the secret.
    Host,
}

impl Lead {
    pub(super) fn takes(self, byte: u8) -> bool {
        match self {
            Self::Digits => byte.is_ascii_digit(),
            Self::None | Self::Host => false,
            Self::Word => is_word(byte) || byte == b'~',
            Self::Scheme => byte.is_ascii_alphanumeric() || b"+.-".contains(&byte),
        }
    }
}

/// Letters, digits and `_`.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Maximum length of a secret in bytes, except for keys.
const REACH: usize = 4 << 10;

impl SecretRule {
    /// A built-in rule.
    pub(super) const fn new(
        name: &'static str,
        prefixes: &'static [Cow<'static, str>],
        pattern: &'static str,
    ) -> Self {
        Self {
            name: Cow::Borrowed(name),
            prefixes: Cow::Borrowed(prefixes),
            pattern: Cow::Borrowed(pattern),
            lead: Lead::None,
            any_case: false,
            whole_word: false,
            glued: &[],
            least: 0,
            reach: REACH,
            extent: None,
            probe: None,
            proof: None,
            compiled: OnceLock::new(),
        }
    }

    pub(super) const fn lead(mut self, lead: Lead) -> Self {
        self.lead = lead;
        self
    }

    pub(super) const fn any_case(mut self) -> Self {
        self.any_case = true;
        self
    }

    pub(super) const fn whole_word(mut self) -> Self {
        self.whole_word = true;
        self
    }

    pub(super) const fn glued_at(mut self, lengths: &'static [usize]) -> Self {
        self.glued = lengths;
        self
    }

    pub(super) const fn at_least(mut self, characters: usize) -> Self {
        self.least = characters;
        self
    }

    pub(super) const fn probed_by(mut self, probe: Probe) -> Self {
        self.probe = Some(probe);
        self
    }

    pub(super) const fn reach(mut self, bytes: usize) -> Self {
        self.reach = bytes;
        self
    }

    pub(super) const fn found_by(mut self, extent: MatchExtent) -> Self {
        self.extent = Some(extent);
        self
    }

    pub(super) const fn proved_by(mut self, proof: Proof) -> Self {
        self.proof = Some(proof);
        self
    }

    /// A user's rule.
    ///
    /// The compiled pattern takes memory from `room`.
    ///
    /// # Errors
    /// The error in the pattern.
    pub(super) fn added(
        name: &str,
        prefixes: &[String],
        pattern: &str,
        any_case: bool,
        room: &mut usize,
    ) -> Result<Self, String> {
        if compile_within(pattern, room)?.is_match("") {
            return Err("it matches an empty text".to_owned());
        }
        Ok(Self {
            name: name.to_owned().into(),
            prefixes: prefixes.iter().cloned().map(Cow::Owned).collect(),
            pattern: pattern.to_owned().into(),
            any_case,
            ..Self::new("", &[], "")
        })
    }

    /// Whether a secret of the rule may have its prefix at `hit`.
    pub(super) fn may_begin(&self, bytes: &[u8], hit: usize) -> bool {
        let token = |byte: &u8| is_word(*byte) || b"-.+/=~".contains(byte);
        self.probe.is_none_or(|probe| probe(bytes, hit))
            && (self.lead != Lead::Scheme || may_have_login(&bytes[hit..]))
            && bytes.get(hit..hit + self.least).is_some_and(|rest| rest.iter().all(token))
            && (self.extent.is_some()
                || self.lead != Lead::None
                || begins_word(&bytes[..hit])
                || (!self.whole_word && is_glued(bytes, hit))
                || (self.has_glued_length(&bytes[hit..]) && is_glued(bytes, hit)))
    }

    /// Whether the word at the beginning of `bytes` has a length that no other word has.
    fn has_glued_length(&self, bytes: &[u8]) -> bool {
        let Some(most) = self.glued.last() else { return false };
        let token = |byte: &&u8| is_word(**byte) || **byte == b'-';
        self.glued.contains(&bytes.iter().take(most + 1).take_while(token).count())
    }

    /// Whether the secret is known by its form alone, wherever it stands.
    pub(super) fn is_form(&self) -> bool {
        self.probe.is_none()
    }

    /// Whether `bytes` begin with a certain prefix.
    pub(super) fn begins(&self, prefix: usize, bytes: &[u8]) -> bool {
        let prefix = self.prefixes[prefix].as_bytes();
        bytes.get(..prefix.len()).is_some_and(|start| {
            start == prefix || (self.any_case && start.eq_ignore_ascii_case(prefix))
        })
    }

    /// The range of the secret part in a text that begins with the whole secret.
    pub(super) fn within(&self, text: &str) -> Option<Range<usize>> {
        // A pattern that does not compile matches nothing.
        let pattern = self.compiled.get_or_init(|| compile(&self.pattern).ok()).as_ref()?;
        let captures = pattern.captures(text)?;
        Some(captures.get(1).or(captures.get(0))?.range())
    }
}

/// Whether the text is not `://`, or is followed by a user and a password: `://user:password@`.
fn may_have_login(text: &[u8]) -> bool {
    let Some(address) = text.strip_prefix(b"://") else { return true };
    let stops = |byte: &u8| byte.is_ascii_whitespace() || b"/\"'<>\\".contains(byte);
    let length = address.iter().take(REACH).take_while(|byte| !stops(byte)).count();
    let colon = memchr::memchr(b':', &address[..length]);
    colon.is_some_and(|colon| memchr::memchr(b'@', &address[colon..length]).is_some())
}

/// Whether a word may begin after those bytes. A letter or digit there may be the end of an escape
/// (`
/// `, `\u000a`, `%3D`) or of a terminal colour (`ESC [ 33 m`).
pub(super) fn begins_word(before: &[u8]) -> bool {
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

/// Whether a secret at `hit` may be glued to the word before it (`tokenghp_…`). In a long run of
/// base64 it is chance, unless base64 does not have its characters or hardly ever in this order.
fn is_glued(bytes: &[u8], hit: usize) -> bool {
    const LONGEST_WORD: usize = 32;
    const LOOKED_AT: usize = 128;
    const NEAR: usize = 8;
    const LONG: usize = 20;
    let (before, secret) = bytes.split_at(hit);
    let encoded = |byte: &&u8| is_word(**byte) || b"+/-".contains(byte);
    let word = before.iter().rev().take(LOOKED_AT).take_while(encoded);
    if word.clone().count() < LONGEST_WORD {
        return true;
    }
    let is_mark = |byte: &u8| matches!(byte, b'_' | b'-');
    if secret.iter().take(NEAR).any(is_mark) {
        return !word.clone().any(|byte| is_mark(byte) || b"+/".contains(byte));
    }
    let is_upper = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    secret.get(..LONG).is_some_and(|secret| secret.iter().all(is_upper))
        && !word.clone().all(is_upper)
}

fn compile(pattern: &str) -> Result<Regex, String> {
    compile_up_to(pattern, MAX_PATTERN)
}

fn compile_up_to(pattern: &str, bytes: usize) -> Result<Regex, String> {
    let mut builder = RegexBuilder::new(&format!(r"\A(?:{pattern})"));
    builder.size_limit(bytes).build().map_err(|error| error.to_string())
}

/// Maximum size of one compiled pattern in bytes.
const MAX_PATTERN: usize = 8 << 20;

/// Compiles a pattern and takes its size from `room`. A compiled pattern does not say how large it is,
/// so the limit that it is within counts.
fn compile_within(pattern: &str, room: &mut usize) -> Result<Regex, String> {
    const SMALLEST: usize = 16 << 10;
    let mut limit = SMALLEST.min(*room);
    loop {
        match compile_up_to(pattern, limit) {
            Ok(compiled) => {
                *room -= limit;
                return Ok(compiled);
            }
            Err(error) if limit == *room => return Err(error),
            Err(_) => limit = (limit * 4).min(*room),
        }
    }
}
