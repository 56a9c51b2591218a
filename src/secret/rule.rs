//! A rule for one kind of secret.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use regex_lite::Regex;

use super::proof::Proof;

/// The form of one kind of secret.
#[derive(Debug)]
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
    /// Whether the secret may be in the middle of a word.
    pub(super) inside_words: bool,
    /// Maximum length in bytes of the text that the pattern is tried on.
    pub(super) reach: usize,
    /// Finds the secret in place of a pattern, in the text from the prefix on.
    pub(super) extent: Option<MatchExtent>,
    /// A further test of the match.
    pub(super) proof: Option<Proof>,
    /// The pattern, compiled at its first use.
    compiled: OnceLock<Option<Regex>>,
}

/// The range of the secret in a text that begins with its prefix.
pub(super) type MatchExtent = fn(&str) -> Option<Range<usize>>;

/// The kind of bytes before a prefix that may belong to the secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lead {
    None,
    Digits,
    Word,
    /// The scheme of a URL.
    Scheme,
}

impl Lead {
    pub(super) fn takes(self, byte: u8) -> bool {
        match self {
            Self::None => false,
            Self::Digits => byte.is_ascii_digit(),
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
            inside_words: false,
            reach: REACH,
            extent: None,
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

    pub(super) const fn inside_words(mut self) -> Self {
        self.inside_words = true;
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
    /// # Errors
    /// The error in the pattern.
    pub(super) fn added(
        name: &str,
        prefixes: &[String],
        pattern: &str,
        any_case: bool,
    ) -> Result<Self, String> {
        if compile(pattern)?.is_match("") {
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

    /// Whether `bytes` begin with a prefix.
    pub(super) fn begins(&self, bytes: &[u8]) -> bool {
        self.prefixes.iter().any(|prefix| {
            let prefix = prefix.as_bytes();
            match bytes.get(..prefix.len()) {
                Some(start) if self.any_case => start.eq_ignore_ascii_case(prefix),
                Some(start) => start == prefix,
                None => false,
            }
        })
    }

    /// The range of the secret part in a text that begins with the whole secret.
    pub(super) fn within(&self, text: &str) -> Option<Range<usize>> {
        if let Some(extent) = self.extent {
            return extent(text);
        }
        // A pattern that does not compile matches nothing.
        let pattern = self.compiled.get_or_init(|| compile(&self.pattern).ok()).as_ref()?;
        let captures = pattern.captures(text)?;
        Some(captures.get(1).or(captures.get(0))?.range())
    }
}

fn compile(pattern: &str) -> Result<Regex, String> {
    Regex::new(&format!(r"\A(?:{pattern})")).map_err(|error| error.to_string())
}
