//! Finds the places where the literal prefix of a rule may begin.

use super::rule::SecretRule;

/// Bytes of a prefix that are looked up; no prefix is shorter.
pub(super) const BEGINNING: usize = 3;

/// Sets of the first bytes of every prefix. Only the five low bits of each byte are used, so that
/// upper and lower case are equal. The sets are small enough for the L1 cache and are built at
/// compile time.
#[derive(Clone, Debug)]
pub(super) struct Prefixes {
    /// By [`index`]: the first three bytes.
    first_three: Bits,
    /// By [`index`]: the prefixes of exactly three bytes.
    whole: Bits,
    /// By [`hash_of_five`]: the first five bytes of all longer prefixes. Most places that match three
    /// bytes fail here.
    first_five: Bits,
}

/// A bit for each index.
type Bits = [u64; 512];

const fn has(bits: &Bits, index: usize) -> bool {
    // The remainder spares a check of the bounds.
    bits[index / 64 % 512] >> (index % 64) & 1 == 1
}

impl Prefixes {
    pub(super) const fn of(rules: &[SecretRule]) -> Self {
        let mut prefixes = Self { first_three: [0; 512], whole: [0; 512], first_five: [0; 512] };
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
        self.first_three[index / 64] |= 1 << (index % 64);
        if prefix.len() == BEGINNING {
            self.whole[index / 64] |= 1 << (index % 64);
            return;
        }
        // After four bytes, any may follow.
        let (mut fifth, last) = match prefix.len() {
            4 => (0, 31),
            _ => (prefix[4] & 31, prefix[4] & 31),
        };
        while fifth <= last {
            let hash = hash_of_five(index, prefix[3], fifth);
            self.first_five[hash / 64] |= 1 << (hash % 64);
            fifth += 1;
        }
    }

    /// The first position from `from` on where a prefix may begin.
    pub(super) fn next(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let may_begin = |at: usize, index: usize| {
            has(&self.first_three, index) && self.may_go_on(index, bytes, at)
        };
        let mut at = from;
        while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
            let indices = indices(eight);
            // Most places are no hit, so there is one branch for six of them.
            if indices.iter().fold(false, |any, index| any | has(&self.first_three, *index)) {
                let mut places = indices.into_iter().enumerate();
                if let Some((hit, _)) = places.find(|(hit, index)| may_begin(at + hit, *index)) {
                    return Some(at + hit);
                }
            }
            at += indices.len();
        }
        let mut rest = bytes.get(at..)?.windows(BEGINNING).enumerate();
        let hit = rest.find(|(hit, three)| may_begin(at + hit, index(three)));
        hit.map(|(hit, _)| at + hit)
    }

    /// Whether the bytes after the first three of a place may be those of a prefix.
    #[inline]
    fn may_go_on(&self, index: usize, bytes: &[u8], at: usize) -> bool {
        let Some([fourth, fifth]) = bytes.get(at + BEGINNING..).and_then(<[u8]>::first_chunk)
        else {
            return true;
        };
        has(&self.first_five, hash_of_five(index, *fourth, *fifth)) || has(&self.whole, index)
    }
}

/// A hash of five bytes; `index` is that of the first three. Others may have the same.
const fn hash_of_five(index: usize, fourth: u8, fifth: u8) -> usize {
    let (fourth, fifth) = ((fourth & 31) as usize, (fifth & 31) as usize);
    (index * 9 + fourth * 0x2A5 + fifth * 0x1B3D) % (1 << 15)
}

/// The index of the three bytes at each of the first six places, computed at once.
#[inline]
fn indices(eight: &[u8; 8]) -> [usize; 6] {
    const LANES: u64 = u64::MAX / 0xFFFF;
    // Each lane of 16 bits takes the low bits of its first byte and of the two bytes after it.
    let lanes = |low: u64| {
        low & (LANES * 0x1F) | (low >> 3) & (LANES * 0x3E0) | (low >> 6) & (LANES * 0x7C00)
    };
    let low = u64::from_le_bytes(*eight) & (LANES * 0x1F1F);
    let (even, odd) = (lanes(low), lanes(low >> 8));
    [even, odd, even >> 16, odd >> 16, even >> 32, odd >> 32].map(|lane| (lane & 0x7FFF) as usize)
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::secret::SecretRules;

    proptest! {
        /// If this fails, a secret is not found at some places of a text.
        #[test]
        fn all_places_have_the_index_of_their_bytes(eight in any::<[u8; 8]>()) {
            let simple: Vec<usize> = eight.windows(BEGINNING).map(index).collect();
            prop_assert_eq!(indices(&eight).to_vec(), simple);
        }

        /// If this fails, a secret is not found, or a text without one is searched slowly.
        #[test]
        fn the_next_place_is_that_of_a_simple_search(text in "([x-z]|xyz|yz|zoo|zoom){0,20}", from in 0_usize..44) {
            let mut prefixes = Prefixes::of(&[]);
            let all = ["xyz", "zoom", "yyzzz", "zxyzooz"];
            all.iter().for_each(|prefix| prefixes.insert(prefix.as_bytes()));
            let is_hit = |at: &usize| {
                let rest = &text[*at..];
                let begins = |prefix: &&str| rest.starts_with(&prefix[..prefix.len().min(5)]);
                // At the end of the text, more may follow.
                let may_begin = |prefix: &&str| rest.len() < 5 && prefix[..3] == rest[..3.min(rest.len())];
                all.iter().any(|prefix| begins(prefix) || may_begin(prefix))
            };
            let simple = (from..text.len()).find(is_hit);
            prop_assert_eq!(prefixes.next(text.as_bytes(), from), simple);
        }
    }

    /// If this fails, the secrets of a rule are not found at some places.
    #[test]
    fn the_prefixes_of_all_rules_are_found_at_every_place() {
        let rules = SecretRules::with(Vec::new());
        for prefix in rules.all().flat_map(|rule| rule.prefixes.iter()) {
            for (before, after) in (0..9).flat_map(|before| [(before, ""), (before, "\u{1f}.....")])
            {
                for prefix in [prefix.to_string(), prefix.to_uppercase(), prefix.to_lowercase()] {
                    let text = format!("{}{prefix}{after}", "\u{1f}".repeat(before));
                    assert_eq!(
                        rules.prefixes.next(text.as_bytes(), before),
                        Some(before),
                        "{text:?}"
                    );
                }
            }
        }
    }
}
