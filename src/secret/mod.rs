//! Secrets in text: found by rules of high specificity, replaced by `[REDACTED:<rule>]`.
//!
//! Each rule has literal prefixes; a text without any of them costs one pass over its
//! bytes and nothing else. Only where a prefix stands is the rule's pattern compiled and
//! tried. Text that hides its characters behind JSON escapes is read unescaped as well.

mod custom;
mod find;
mod key_block;
mod prefix;
mod proof;
mod redact;
mod rule;
mod rules;

pub(crate) use custom::AddedRules;
pub(crate) use find::FoundSecret;
pub(crate) use rule::SecretRule;

use std::sync::OnceLock;

use prefix::{ByStart, Prefixes};

/// The rules that apply: the program's own, and those that a user added.
#[derive(Debug)]
pub struct SecretRules {
    added: Vec<SecretRule>,
    prefixes: Prefixes,
    /// The rules by the beginnings of their prefixes, made at the first hit.
    by_start: OnceLock<ByStart>,
}

static BUILT_IN: SecretRules = SecretRules {
    added: Vec::new(),
    prefixes: Prefixes::of(&rules::RULES),
    by_start: OnceLock::new(),
};

impl SecretRules {
    /// The program's own rules.
    #[must_use]
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// The program's own rules and these.
    #[must_use]
    pub fn with(added: Vec<SecretRule>) -> Self {
        let mut prefixes = Prefixes::of(&rules::RULES);
        added.iter().for_each(|rule| prefixes.add(rule));
        Self { added, prefixes, by_start: OnceLock::new() }
    }

    /// The rules of which a prefix stands at the beginning of `bytes`.
    fn beginning<'r, 'b>(
        &'r self,
        bytes: &'b [u8],
    ) -> impl Iterator<Item = &'r SecretRule> + use<'r, 'b> {
        let rule = move |index: usize| match index.checked_sub(self.added.len()) {
            None => &self.added[index],
            Some(built_in) => &rules::RULES[built_in],
        };
        let by_start = self.by_start.get_or_init(|| ByStart::of(self.all()));
        by_start.at(bytes).map(rule).filter(move |rule| rule.begins(bytes))
    }

    /// All rules, the added ones first: a user's rule goes before a built-in one.
    pub fn all(&self) -> impl Iterator<Item = &SecretRule> {
        self.added.iter().chain(&rules::RULES)
    }
}
