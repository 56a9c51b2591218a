//! One rule.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use regex_lite::Regex;

use super::proof::Proof;

/// What one kind of secret looks like.
#[derive(Debug)]
pub struct SecretRule {
    /// Its name, as in `[REDACTED:<name>]`.
    pub name: Cow<'static, str>,
    /// What every such secret holds word for word, three bytes or more each.
    pub(super) prefixes: Cow<'static, [Cow<'static, str>]>,
    /// The whole of it, from [`SecretRule::lead`] on. The first group, if there is one, is the
    /// part that is secret.
    pub(super) pattern: Cow<'static, str>,
    /// Which bytes before the prefix belong to it.
    pub(super) lead: Lead,
    /// Whether the prefix may be written in upper and lower case.
    pub(super) any_case: bool,
    /// Whether the secret may stand in the middle of a word.
    pub(super) inside_words: bool,
    /// Longest text that the pattern is tried on, in bytes.
    pub(super) reach: usize,
    /// Finds it where no pattern can: the bytes from the prefix on.
    pub(super) extent: Option<MatchExtent>,
    /// What must hold besides.
    pub(super) proof: Option<Proof>,
    /// The pattern, compiled at the first use.
    compiled: OnceLock<Option<Regex>>,
}

/// Where a secret lies in the text from its prefix on.
pub(super) type MatchExtent = fn(&str) -> Option<Range<usize>>;

/// The bytes before a prefix that may belong to the secret.
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

/// Longest secret but keys, in bytes.
const REACH: usize = 4 << 10;

impl SecretRule {
    /// A rule of the program's own table.
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

    /// A rule of a user.
    ///
    /// # Errors
    /// What is wrong with the pattern.
    pub(super) fn added(
        name: &str,
        prefixes: &[String],
        pattern: &str,
        any_case: bool,
    ) -> Result<Self, String> {
        if compile(pattern)?.is_match("") {
            return Err("it fits an empty text".to_owned());
        }
        Ok(Self {
            name: name.to_owned().into(),
            prefixes: prefixes.iter().cloned().map(Cow::Owned).collect(),
            pattern: pattern.to_owned().into(),
            any_case,
            ..Self::new("", &[], "")
        })
    }

    /// Whether a prefix stands at the beginning of `bytes`.
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

    /// The secret part of a text that begins with the whole.
    pub(super) fn within(&self, text: &str) -> Option<Range<usize>> {
        if let Some(extent) = self.extent {
            return extent(text);
        }
        // A pattern that does not compile finds nothing.
        let pattern = self.compiled.get_or_init(|| compile(&self.pattern).ok()).as_ref()?;
        let captures = pattern.captures(text)?;
        Some(captures.get(1).or(captures.get(0))?.range())
    }
}

fn compile(pattern: &str) -> Result<Regex, String> {
    Regex::new(&format!(r"\A(?:{pattern})")).map_err(|error| error.to_string())
}
