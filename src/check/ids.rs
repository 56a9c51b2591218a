//! The event ids of a log, to find repeated ones.

use std::hash::BuildHasher as _;

use foldhash::HashSet;
use foldhash::quality::RandomState;

/// Event ids, 16 bytes each. Those that this program makes rise with time but for those of one
/// millisecond, and are kept as they are, in few sequences that rise; all others by their hash,
/// under two keys that are made anew in each process.
#[derive(Debug, Default)]
pub(super) struct Ids {
    rising: [Rising; 4],
    others: HashSet<u128>,
    keys: [RandomState; 2],
}

impl Ids {
    /// Takes an id, and the number in it where that is known. False when it was there before.
    pub(super) fn insert(&mut self, id: &str, known: Option<u128>) -> bool {
        let Some(number) = known.or_else(|| number(id)) else {
            return self.others.insert(self.key(id));
        };
        if self.rising.iter().any(|rising| rising.holds(number)) {
            return false;
        }
        // What no sequence could take is below what any of them will take later.
        let fitting = self.rising.iter_mut().filter(|rising| rising.takes(number));
        match fitting.max_by_key(|rising| rising.0.last().copied()) {
            Some(rising) => {
                rising.0.push(number);
                true
            }
            None => self.others.insert(self.key(id)),
        }
    }

    pub(super) fn holds(&self, id: &str) -> bool {
        number(id).is_some_and(|number| self.rising.iter().any(|rising| rising.holds(number)))
            || self.others.contains(&self.key(id))
    }

    fn key(&self, id: &str) -> u128 {
        let [one, other] = self.keys.each_ref().map(|key| u128::from(key.hash_one(id)));
        one << 64 | other
    }
}

/// Numbers, each greater than the one before.
#[derive(Debug, Default)]
struct Rising(Vec<u128>);

impl Rising {
    fn takes(&self, number: u128) -> bool {
        self.0.last().is_none_or(|last| *last < number)
    }

    fn holds(&self, number: u128) -> bool {
        /// Most searches hit the newest ids.
        const NEAR: usize = 1 << 10;
        if self.takes(number) {
            return false;
        }
        let (far, near) = self.0.split_at(self.0.len().saturating_sub(NEAR));
        let part = if near.first().is_some_and(|first| *first <= number) { near } else { far };
        part.binary_search(&number).is_ok()
    }
}

/// The number in an id as this program makes them: `evt_` and a UUID in lower case.
pub(super) fn number(id: &str) -> Option<u128> {
    const DASHES: [usize; 4] = [8, 13, 18, 23];
    /// Where four digits begin.
    const GROUPS: [usize; 8] = [0, 4, 9, 14, 19, 24, 28, 32];
    let uuid: &[u8; 36] = id.strip_prefix("evt_")?.as_bytes().try_into().ok()?;
    // All are compared, and judged at the end: no branch per byte.
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
