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
    /// Sorted.
    entries: Vec<PrefixStart>,
    /// The first entry for each group of 64 indices.
    groups: Vec<u16>,
}

/// The beginning of a prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct PrefixStart {
    /// The index of its first three bytes.
    index: u16,
    /// The positions of the rule and of the prefix.
    rule: u16,
    prefix: u16,
    /// Its first eight bytes in lower case, and a mask of those that it has.
    head: u64,
    mask: u64,
}

/// Sets the bit that makes an upper case letter a lower case one. Other bytes may become equal too.
const LOWER: u64 = u64::MAX / 255 * 0x20;

/// The first eight bytes in lower case, and a mask of those that exist.
fn head(bytes: &[u8]) -> (u64, u64) {
    if let Some(eight) = bytes.first_chunk() {
        return (u64::from_le_bytes(*eight) | LOWER, u64::MAX);
    }
    let mut eight = [0; 8];
    eight[..bytes.len()].copy_from_slice(bytes);
    let mask = (1 << (8 * bytes.len())) - 1;
    ((u64::from_le_bytes(eight) | LOWER) & mask, mask)
}

impl ByStart {
    pub(super) fn of<'r>(rules: impl Iterator<Item = &'r SecretRule>) -> Self {
        let mut entries = Vec::new();
        for (at, rule) in rules.enumerate() {
            for (which, prefix) in rule.prefixes.iter().enumerate() {
                let (head, mask) = head(prefix.as_bytes());
                let index = index(prefix.as_bytes()) as u16;
                entries.push(PrefixStart {
                    index,
                    rule: at as u16,
                    prefix: which as u16,
                    head,
                    mask,
                });
            }
        }
        entries.sort_unstable();
        entries.dedup();
        let begins = |group: u16| {
            entries.partition_point(|start: &PrefixStart| start.index < group * 64) as u16
        };
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
        let (head, _) = head(bytes);
        let rest = self.entries[from..].iter();
        let rest = rest.skip_while(move |start| start.index < number);
        rest.take_while(move |start| start.index == number)
            .filter(move |start| head & start.mask == start.head)
            .map(|start| (usize::from(start.rule), usize::from(start.prefix)))
    }
}
