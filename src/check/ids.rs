//! The ids of a log's events, so that a repeated one is noticed.

use std::hash::BuildHasher as _;

use foldhash::HashSet;
use foldhash::quality::RandomState;

/// Event ids, 16 bytes each. Those that this program makes rise with time, and are kept as they
/// are while they do; all others by their hash, under two keys that are made anew in each process.
#[derive(Debug, Default)]
pub(super) struct Ids {
    rising: Vec<u128>,
    others: HashSet<u128>,
    keys: [RandomState; 2],
}

impl Ids {
    /// Takes an id, and the number in it where that is known. False when it was there before.
    pub(super) fn insert(&mut self, id: &str, known: Option<u128>) -> bool {
        match known.or_else(|| number(id)) {
            Some(number) if self.rising.last().is_none_or(|last| *last < number) => {
                self.rising.push(number);
                true
            }
            Some(number) if self.rising.binary_search(&number).is_ok() => false,
            _ => self.others.insert(self.key(id)),
        }
    }

    pub(super) fn holds(&self, id: &str) -> bool {
        number(id).is_some_and(|number| self.rising.binary_search(&number).is_ok())
            || self.others.contains(&self.key(id))
    }

    fn key(&self, id: &str) -> u128 {
        let [one, other] = self.keys.each_ref().map(|key| u128::from(key.hash_one(id)));
        one << 64 | other
    }
}

/// The number in an id as this program makes them: `evt_` and a UUID in lower case.
pub(super) fn number(id: &str) -> Option<u128> {
    const DASHES: [usize; 4] = [8, 13, 18, 23];
    /// Where four digits begin.
    const GROUPS: [usize; 8] = [0, 4, 9, 14, 19, 24, 28, 32];
    let uuid: &[u8; 36] = id.strip_prefix("evt_")?.as_bytes().try_into().ok()?;
    // All are looked at, and judged at the end: without a branch a byte.
    let (mut number, mut seen) = (0, 0);
    for at in GROUPS {
        let [a, b, c, d] = [0, 1, 2, 3].map(|next| DIGITS[usize::from(uuid[at + next])]);
        seen |= a | b | c | d;
        number = number << 16 | u128::from(a << 12 | b << 8 | c << 4 | d);
    }
    (DASHES.iter().all(|at| uuid[*at] == b'-') && seen < NO_DIGIT).then_some(number)
}

/// What the hex digits in lower case stand for.
static DIGITS: [u16; 256] = {
    let mut digits = [NO_DIGIT; 256];
    let mut digit = 0;
    while digit < 16 {
        digits[b"0123456789abcdef"[digit as usize] as usize] = digit;
        digit += 1;
    }
    digits
};

const NO_DIGIT: u16 = 16;
