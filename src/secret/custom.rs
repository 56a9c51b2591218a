//! A user's own rules, from a TOML file.
//!
//! ```toml
//! [acme-token]
//! prefix = "acme_"                    # or a list; every such secret begins with it
//! pattern = "acme_[A-Za-z0-9]{32}"    # the whole secret; a group marks the secret part
//! any_case = false                    # whether the prefix may be in any case
//! ```

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;

use super::rule::SecretRule;

/// The reason why a rule cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BadRule {
    /// The rule.
    pub rule: String,
    /// The error.
    pub what: String,
}

impl fmt::Display for BadRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the secret rule [{}]: {}", self.rule, self.what)
    }
}

impl std::error::Error for BadRule {}

/// The rules of a document by name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct AddedRules(BTreeMap<String, RuleRow>);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RuleRow {
    /// What the secret begins with.
    prefix: Prefix,
    /// A regular expression for the whole secret.
    pattern: String,
    /// Whether upper and lower case are the same.
    #[serde(default)]
    any_case: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Prefix {
    One(String),
    Many(Vec<String>),
}

/// Minimum length of a prefix in bytes. A shorter one would match almost everywhere.
const MIN_PREFIX: usize = 3;
const MAX_NAME: usize = 64;
/// Maximum number of rules in a file.
const MOST: usize = 100;
/// Maximum size of all compiled patterns of a file, in bytes.
const PATTERNS: usize = 8 << 20;

impl AddedRules {
    /// Builds the rules.
    ///
    /// # Errors
    /// The first invalid rule.
    pub(crate) fn rules(&self) -> Result<Vec<SecretRule>, BadRule> {
        if let Some(name) = self.0.keys().nth(MOST) {
            let what = format!("the file has {} rules; at most {MOST} are allowed", self.0.len());
            return Err(BadRule { rule: name.clone(), what });
        }
        let mut room = PATTERNS;
        let rule = |(name, row): (&String, &RuleRow)| {
            row.rule(name, &mut room).map_err(|what| BadRule { rule: name.clone(), what })
        };
        self.0.iter().map(rule).collect()
    }
}

impl RuleRow {
    fn rule(&self, name: &str, room: &mut usize) -> Result<SecretRule, String> {
        check_name(name)?;
        let prefixes = match &self.prefix {
            Prefix::One(prefix) => std::slice::from_ref(prefix),
            Prefix::Many(prefixes) => prefixes,
        };
        if prefixes.is_empty() || prefixes.iter().any(|prefix| prefix.len() < MIN_PREFIX) {
            return Err(format!("a prefix must have at least {MIN_PREFIX} bytes"));
        }
        SecretRule::added(name, prefixes, &self.pattern, self.any_case, room)
            .map_err(|what| format!("its pattern: {what}"))
    }
}

fn check_name(name: &str) -> Result<(), String> {
    let good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || name.len() > MAX_NAME || !name.chars().all(good) {
        return Err(format!("a name must be 1 to {MAX_NAME} characters of a-z, 0-9 and -"));
    }
    Ok(())
}
