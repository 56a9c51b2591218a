//! Secrets in text, found by very specific rules and replaced by `[REDACTED:<rule>]`.
//!
//! A secret is known by its form (`ghp_…`) or by its name (`DB_PASSWORD=…`). Each rule has literal
//! prefixes. A text without any prefix costs one pass over its bytes. A rule's pattern is compiled
//! and tried only at a prefix. Escapes, colours, percent encoding and base64 are looked through.

mod base64;
mod custom;
mod find;
mod hidden;
mod key_block;
mod mailgun;
mod names;
mod prefix;
mod proof;
mod redact;
mod rule;
mod rules;
mod suspects;

pub(crate) use custom::AddedRules;
pub(crate) use find::FoundSecret;
pub(crate) use rule::SecretRule;

use std::sync::OnceLock;

use self::base64::EncodedPrefixes;
use prefix::{ByStart, Prefixes};

/// The active rules: the built-in ones and a user's.
#[derive(Debug)]
pub struct SecretRules {
    added: Vec<SecretRule>,
    prefixes: Prefixes,
    /// The rules by the first bytes of their prefixes, built at the first hit.
    by_start: OnceLock<ByStart>,
    /// The prefixes in base64, built at the first long run of base64 characters.
    encoded: OnceLock<EncodedPrefixes>,
}

static BUILT_IN: SecretRules = SecretRules {
    added: Vec::new(),
    prefixes: Prefixes::of(&rules::RULES),
    by_start: OnceLock::new(),
    encoded: OnceLock::new(),
};

impl SecretRules {
    /// The built-in rules.
    #[must_use]
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// The built-in rules and these.
    #[must_use]
    pub fn with(added: Vec<SecretRule>) -> Self {
        let mut prefixes = Prefixes::of(&rules::RULES);
        added.iter().for_each(|rule| prefixes.add(rule));
        Self { added, prefixes, by_start: OnceLock::new(), encoded: OnceLock::new() }
    }

    /// The rules that have a prefix at the beginning of `bytes`.
    fn beginning<'r, 'b>(
        &'r self,
        bytes: &'b [u8],
    ) -> impl Iterator<Item = &'r SecretRule> + use<'r, 'b> {
        let rule = move |index: usize| match index.checked_sub(self.added.len()) {
            None => &self.added[index],
            Some(built_in) => &rules::RULES[built_in],
        };
        let by_start = self.by_start.get_or_init(|| ByStart::of(self.all()));
        by_start
            .at(bytes)
            .map(move |(at, prefix)| (rule(at), prefix))
            .filter(move |(rule, prefix)| rule.begins(*prefix, bytes))
            .map(|(rule, _)| rule)
    }

    /// All rules. A user's rules come first and take precedence.
    pub fn all(&self) -> impl Iterator<Item = &SecretRule> {
        self.added.iter().chain(&rules::RULES)
    }
}
