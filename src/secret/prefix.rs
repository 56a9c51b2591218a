//! Where a text may hold a secret: the places where a rule's literal prefix may begin.

use super::rule::Rule;

/// A set of the first three bytes of every prefix, each byte cut to its five low bits, so
/// that upper and lower case are the same. It fits the processor's first cache, and is
/// made when the program is compiled.
#[derive(Clone, Debug)]
pub(super) struct Prefixes {
    set: [u64; 512],
}

impl Prefixes {
    pub(super) const fn of(rules: &[Rule]) -> Self {
        let mut prefixes = Self { set: [0; 512] };
        let mut rule = 0;
        while rule < rules.len() {
            prefixes.add(&rules[rule]);
            rule += 1;
        }
        prefixes
    }

    pub(super) const fn add(&mut self, rule: &Rule) {
        let prefixes = match &rule.prefixes {
            std::borrow::Cow::Borrowed(prefixes) => *prefixes,
            std::borrow::Cow::Owned(prefixes) => prefixes.as_slice(),
        };
        let mut at = 0;
        while at < prefixes.len() {
            let prefix = match &prefixes[at] {
                std::borrow::Cow::Borrowed(prefix) => *prefix,
                std::borrow::Cow::Owned(prefix) => prefix.as_str(),
            };
            self.insert(prefix.as_bytes());
            at += 1;
        }
    }

    const fn insert(&mut self, prefix: &[u8]) {
        let index = (prefix[0] & 31) as usize
            | ((prefix[1] & 31) as usize) << 5
            | ((prefix[2] & 31) as usize) << 10;
        self.set[index / 64] |= 1 << (index % 64);
    }

    /// Where three bytes begin that may begin a prefix, from `from` on.
    pub(super) fn next(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let rest = bytes.get(from..)?;
        let (first, second) = (rest.first()?, rest.get(1)?);
        let mut index = usize::from(first & 31) << 5 | usize::from(second & 31) << 10;
        let hit = rest[2..].iter().position(|byte| {
            index = index >> 5 | usize::from(byte & 31) << 10;
            self.set[index / 64] >> (index % 64) & 1 == 1
        });
        hit.map(|at| from + at)
    }
}
