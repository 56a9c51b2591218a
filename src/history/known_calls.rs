//! What is kept of each call: few bytes, because a log can have millions of calls.

use super::block_list::BlockList;
use super::calls::CallStatus;
use crate::event::time::Timestamp;

/// The calls as they are kept, in the order of their first event.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownCalls {
    calls: BlockList<KnownCall>,
    /// The first start of each call that has one.
    starts: BlockList<KnownStart>,
    /// The end of each call that has one.
    ends: BlockList<KnownEnd>,
    /// The start and the end of each call that has both.
    pairs: BlockList<(u32, u32)>,
}

/// A call: its caller, and where its start and end are.
#[derive(Clone, Copy, Debug)]
struct KnownCall {
    caller: u32,
    parts: CallParts,
}

/// Where the parts of a call are: the upper two bits say which parts it has, and the others are an
/// index into the list of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CallParts(u32);

const KIND: u32 = 3 << 30;
const NOTHING: u32 = 0;
const START: u32 = 1 << 30;
const END: u32 = 2 << 30;
const PAIR: u32 = 3 << 30;

/// The first start of a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct KnownStart {
    sequence: SevenBytes,
    time: SevenBytes,
}

/// The end of a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct KnownEnd {
    sequence: SevenBytes,
    /// The lower 6 bytes are enough for 8,900 years; [`UNKNOWN`] if it is unknown or longer.
    duration_ms: [u8; 6],
    /// The number of ends, up to 255.
    pub(super) count: u8,
    /// The state after it.
    pub(super) status: CallStatus,
    /// Whether the call started again after it.
    pub(super) open_again: bool,
}

const UNKNOWN: u64 = (1 << 48) - 1;

/// A signed number of up to 55 bits, in 7 bytes without alignment. Every sequence is one
/// ([`MAX_SEQUENCE`](crate::event::schema::MAX_SEQUENCE)), and so is every time of the years 0 to
/// 9999 in milliseconds.
#[derive(Clone, Copy, Debug)]
struct SevenBytes([u8; 7]);

impl SevenBytes {
    fn of(number: i64) -> Self {
        let [kept @ .., _] = number.to_le_bytes();
        Self(kept)
    }

    fn number(self) -> i64 {
        let [a, b, c, d, e, f, g] = self.0;
        i64::from_le_bytes([0, a, b, c, d, e, f, g]) >> 8
    }
}

impl KnownStart {
    pub(super) fn new(sequence: u64, time: Timestamp) -> Self {
        Self {
            sequence: SevenBytes::of(sequence.cast_signed()),
            time: SevenBytes::of(time.millis()),
        }
    }

    /// Its sequence and its time.
    pub(super) fn place(&self) -> (u64, Timestamp) {
        let time = Timestamp::from_millis(self.time.number());
        (self.sequence.number().cast_unsigned(), time)
    }
}

impl KnownEnd {
    pub(super) fn new(sequence: u64, duration_ms: Option<u64>, status: CallStatus) -> Self {
        let [kept @ .., _, _] = duration_ms.unwrap_or(UNKNOWN).min(UNKNOWN).to_le_bytes();
        Self {
            sequence: SevenBytes::of(sequence.cast_signed()),
            duration_ms: kept,
            count: 1,
            status,
            open_again: false,
        }
    }

    /// Puts a later end in its place, and counts it.
    pub(super) fn replace(&mut self, later: Self) {
        *self = Self { count: self.count.saturating_add(1), ..later };
    }

    /// Its sequence.
    pub(super) fn sequence(&self) -> u64 {
        self.sequence.number().cast_unsigned()
    }

    /// Its duration in milliseconds, if known.
    pub(super) fn duration_ms(&self) -> Option<u64> {
        let [a, b, c, d, e, f] = self.duration_ms;
        Some(u64::from_le_bytes([a, b, c, d, e, f, 0, 0])).filter(|known| *known != UNKNOWN)
    }
}

impl KnownCalls {
    /// The number of calls.
    pub(super) fn len(&self) -> usize {
        self.calls.len()
    }

    /// Appends a call without a start and an end.
    pub(super) fn push(&mut self, caller: u32) {
        self.calls.push(KnownCall { caller, parts: CallParts(NOTHING) });
    }

    /// The caller of a call.
    pub(super) fn caller(&self, index: usize) -> usize {
        self.calls[index].caller as usize
    }

    /// The first start of a call.
    pub(super) fn start(&self, index: usize) -> Option<&KnownStart> {
        self.starts.get(self.places(index).0?)
    }

    /// The last end of a call.
    pub(super) fn end(&self, index: usize) -> Option<&KnownEnd> {
        self.ends.get(self.places(index).1?)
    }

    /// The last end of a call, to change it.
    pub(super) fn end_mut(&mut self, index: usize) -> Option<&mut KnownEnd> {
        self.ends.get_mut(self.places(index).1?)
    }

    /// Whether there is no end after the newest start.
    pub(super) fn is_open(&self, index: usize) -> bool {
        match self.places(index) {
            (_, Some(end)) => self.ends.get(end).is_some_and(|end| end.open_again),
            (start, None) => start.is_some(),
        }
    }

    /// Adds the first start of a call. A second one changes nothing.
    pub(super) fn add_start(&mut self, index: usize, start: KnownStart) {
        let (None, end) = self.places(index) else { return };
        self.starts.push(start);
        self.set(index, Some(self.starts.len() - 1), end);
    }

    /// Adds the first end of a call. A second one changes nothing; see [`KnownCalls::end_mut`].
    pub(super) fn add_end(&mut self, index: usize, end: KnownEnd) {
        let (start, None) = self.places(index) else { return };
        self.ends.push(end);
        self.set(index, start, Some(self.ends.len() - 1));
    }

    /// The indices of the start and of the end of a call.
    fn places(&self, index: usize) -> (Option<usize>, Option<usize>) {
        let CallParts(parts) = self.calls[index].parts;
        let at = (parts & !KIND) as usize;
        match parts & KIND {
            START => (Some(at), None),
            END => (None, Some(at)),
            PAIR => {
                let (start, end) = self.pairs[at];
                (Some(start as usize), Some(end as usize))
            }
            _ => (None, None),
        }
    }

    fn set(&mut self, index: usize, start: Option<usize>, end: Option<usize>) {
        let (kind, at) = match (start, end) {
            (Some(start), Some(end)) => {
                self.pairs.push((number(start), number(end)));
                (PAIR, self.pairs.len() - 1)
            }
            (Some(start), None) => (START, start),
            (None, Some(end)) => (END, end),
            (None, None) => (NOTHING, 0),
        };
        self.calls[index].parts = CallParts(kind | number(at) & !KIND);
    }
}

/// An index as it is kept. The index of a call is never as large: a log with a billion calls takes
/// more memory than there is.
pub(super) fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If this fails, a call of a run long ago or far in the future has another time, or a late
    /// event has another sequence.
    #[test]
    fn numbers_of_seven_bytes_are_exact() {
        let years = [-62_167_219_200_000, -1, 0, 1, 253_402_300_799_999];
        for number in years.into_iter().chain([(1 << 53) - 1]) {
            assert_eq!(SevenBytes::of(number).number(), number);
        }
    }

    /// If this fails, a call loses its start when its end comes, or is open after its end.
    #[test]
    fn parts_come_in_any_order() {
        let start = KnownStart::new(7, Timestamp::from_millis(70));
        let end = KnownEnd::new(9, Some(20), CallStatus::Failed);
        let mut calls = KnownCalls::default();
        for _ in 0..2 {
            calls.push(3);
        }
        calls.add_start(0, start);
        calls.add_end(1, end);
        assert_eq!((calls.is_open(0), calls.is_open(1)), (true, false));
        calls.add_end(0, end);
        calls.add_start(1, start);
        calls.add_start(1, KnownStart::new(99, Timestamp::from_millis(99)));
        for call in 0..2 {
            let known = calls.end(call).map(|end| (end.sequence(), end.duration_ms()));
            assert_eq!(known, Some((9, Some(20))));
            let place = calls.start(call).map(KnownStart::place);
            assert_eq!(place, Some((7, Timestamp::from_millis(70))));
            assert_eq!((calls.is_open(call), calls.caller(call)), (false, 3));
        }
        if let Some(end) = calls.end_mut(1) {
            end.open_again = true;
        }
        assert!(calls.is_open(1));
    }
}
