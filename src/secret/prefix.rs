//! Finds the places where the literal prefix of a rule may begin.

use super::rule::SecretRule;

/// Bytes of a prefix that are looked up; no prefix is shorter.
pub(super) const BEGINNING: usize = 3;

/// A set of the first three bytes of every prefix. Only the five low bits of each byte are used, so
/// that upper and lower case are equal. The set is small enough for the L1 cache and is built at
/// compile time.
#[derive(Clone, Debug)]
pub(super) struct Prefixes {
    set: [u64; 512],
}

impl Prefixes {
    pub(super) const fn of(rules: &[SecretRule]) -> Self {
        let mut prefixes = Self { set: [0; 512] };
        let mut rule = 0;
        while rule < rules.len() {
            prefixes.add(&rules[rule]);
            rule += 1;
        }
        prefixes
    }

    pub(super) const fn add(&mut self, rule: &SecretRule) {
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
        let index = index(prefix);
        self.set[index / 64] |= 1 << (index % 64);
    }

    /// The first position from `from` on where a prefix may begin.
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

/// The index of the first three bytes; `bytes` must have three.
const fn index(bytes: &[u8]) -> usize {
    (bytes[0] & 31) as usize | ((bytes[1] & 31) as usize) << 5 | ((bytes[2] & 31) as usize) << 10
}

/// The rules by the index of the first three bytes of their prefixes. Few rules are left to try at
/// a possible prefix.
#[derive(Debug)]
pub(super) struct ByStart {
    /// The index of the bytes, and the positions of the rule and of the prefix, sorted.
    entries: Vec<(u16, u16, u16)>,
    /// The first entry for each group of 64 indices.
    groups: Vec<u16>,
}

impl ByStart {
    pub(super) fn of<'r>(rules: impl Iterator<Item = &'r SecretRule>) -> Self {
        let mut entries = Vec::new();
        for (at, rule) in rules.enumerate() {
            for (which, prefix) in rule.prefixes.iter().enumerate() {
                entries.push((index(prefix.as_bytes()) as u16, at as u16, which as u16));
            }
        }
        entries.sort_unstable();
        entries.dedup();
        let begins =
            |group: u16| entries.partition_point(|(number, ..)| *number < group * 64) as u16;
        let groups = (0..512).map(begins).collect();
        Self { entries, groups }
    }

    /// The positions of the rules and of their prefixes that may be at the beginning of `bytes`, in
    /// order.
    pub(super) fn at(&self, bytes: &[u8]) -> impl Iterator<Item = (usize, usize)> {
        let number = if bytes.len() < 3 { u16::MAX } else { index(bytes) as u16 };
        let from = self
            .groups
            .get(usize::from(number) / 64)
            .map_or(self.entries.len(), |at| usize::from(*at));
        let rest = self.entries[from..].iter();
        let rest = rest.skip_while(move |(other, ..)| *other < number);
        rest.take_while(move |(other, ..)| *other == number)
            .map(|(_, rule, prefix)| (usize::from(*rule), usize::from(*prefix)))
    }
}
