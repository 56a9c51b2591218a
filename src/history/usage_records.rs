//! Usage records in one buffer: 15 to 30 bytes each, however many there are.

use super::usage::Usage;

/// Where a record begins in the buffer.
pub(super) type RecordPlace = u32;

/// What a session reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UsageRecord {
    /// Number of the session, from 1.
    pub(super) session: u32,
    /// Whether it is the total of the session, which replaces the numbers of its calls.
    pub(super) is_total: bool,
    /// The numbers.
    pub(super) usage: Usage,
}

/// The records, each with its length before it. A record that outgrew its room was moved to the end,
/// and its old room has session 0.
#[derive(Clone, Debug, Default)]
pub(super) struct UsageRecords {
    bytes: Vec<u8>,
}

/// The bits of a record's first byte after its session: which numbers follow.
const COUNTS: u8 = 4;
const COST: u8 = 1 << 4;
const AT_LEAST: u8 = 1 << 5;
const TOTAL: u8 = 1 << 6;
const UNCOSTED: u8 = 1 << 7;

impl UsageRecords {
    /// Appends a record. `None` if the buffer is full, at 4 GiB.
    pub(super) fn push(&mut self, record: &UsageRecord) -> Option<RecordPlace> {
        self.append(&encoded(record))
    }

    /// The record at a place.
    pub(super) fn at(&self, place: RecordPlace) -> UsageRecord {
        let (room, _) = self.room(place as usize);
        decoded(room)
    }

    /// Replaces the record at a place. Returns its new place.
    pub(super) fn replace(&mut self, place: RecordPlace, record: &UsageRecord) -> RecordPlace {
        let bytes = encoded(record);
        let from = place as usize + 1;
        let room = usize::from(self.bytes[place as usize]);
        if bytes.len() <= room {
            self.bytes[from..from + bytes.len()].copy_from_slice(&bytes);
            return place;
        }
        match self.append(&bytes) {
            Some(moved) => {
                self.bytes[from] = 0;
                moved
            }
            None => place,
        }
    }

    /// All records.
    pub(super) fn iter(&self) -> impl Iterator<Item = UsageRecord> {
        let mut at = 0;
        let rooms = std::iter::from_fn(move || {
            let (room, end) = (at < self.bytes.len()).then(|| self.room(at))?;
            at = end;
            Some(room)
        });
        rooms.filter(|room| room[0] != 0).map(decoded)
    }

    fn append(&mut self, bytes: &[u8]) -> Option<RecordPlace> {
        let place = RecordPlace::try_from(self.bytes.len()).ok()?;
        self.bytes.push(u8::try_from(bytes.len()).ok()?);
        self.bytes.extend_from_slice(bytes);
        Some(place)
    }

    /// The room of the record that begins there, and its end.
    fn room(&self, at: usize) -> (&[u8], usize) {
        let end = at + 1 + usize::from(self.bytes[at]);
        (&self.bytes[at + 1..end], end)
    }
}

fn encoded(record: &UsageRecord) -> Vec<u8> {
    let UsageRecord { session, is_total, usage } = record;
    let counts = counts(usage);
    let mut flags = 0;
    for (bit, count) in counts.iter().enumerate() {
        flags |= u8::from(count.is_some()) << bit;
    }
    for (is_set, bit) in [
        (usage.cost_micros.is_some(), COST),
        (usage.output_at_least, AT_LEAST),
        (*is_total, TOTAL),
        (usage.uncosted_calls > 0, UNCOSTED),
    ] {
        flags |= if is_set { bit } else { 0 };
    }
    let mut out = Vec::with_capacity(32);
    let estimated = usage.estimated_micros;
    put(u64::from(*session) << 1 | u64::from(estimated.is_some()), &mut out);
    out.push(flags);
    let signed = |cost: i64| (cost << 1 ^ cost >> 63) as u64;
    let (cost, estimated) = (usage.cost_micros.map(signed), estimated.map(signed));
    let uncosted = Some(usage.uncosted_calls).filter(|calls| *calls > 0);
    counts
        .into_iter()
        .chain([cost, uncosted, estimated])
        .flatten()
        .for_each(|number| put(number, &mut out));
    out
}

fn decoded(mut bytes: &[u8]) -> UsageRecord {
    let session = take(&mut bytes);
    let (session, is_estimated) = ((session >> 1) as u32, session & 1 == 1);
    let flags = bytes[0];
    bytes = &bytes[1..];
    let mut next = |bit: u8| (flags & bit != 0).then(|| take(&mut bytes));
    let [input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens] =
        std::array::from_fn::<_, { COUNTS as usize }, _>(|bit| next(1 << bit));
    let signed = |cost: u64| (cost >> 1) as i64 ^ -((cost & 1) as i64);
    let cost_micros = next(COST).map(signed);
    let uncosted_calls = next(UNCOSTED).unwrap_or(0);
    let usage = Usage {
        input_tokens,
        output_tokens,
        output_at_least: flags & AT_LEAST != 0,
        cache_read_tokens,
        cache_creation_tokens,
        cost_micros,
        estimated_micros: is_estimated.then(|| signed(take(&mut bytes))),
        uncosted_calls,
    };
    UsageRecord { session, is_total: flags & TOTAL != 0, usage }
}

fn counts(usage: &Usage) -> [Option<u64>; COUNTS as usize] {
    let Usage { input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens, .. } = usage;
    [*input_tokens, *output_tokens, *cache_read_tokens, *cache_creation_tokens]
}

/// Appends a number, seven bits per byte, the lowest first (LEB128).
fn put(mut number: u64, out: &mut Vec<u8>) {
    while number > 0x7f {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes such a number off the front.
fn take(bytes: &mut &[u8]) -> u64 {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let Some((byte, rest)) = bytes.split_first() else { break };
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            break;
        }
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If this fails, large or negative numbers change in the buffer, or a record that outgrew its
    /// room is counted twice or lost.
    #[test]
    fn records_come_back_as_they_were() {
        let usage = |count: Option<u64>, cost_micros: Option<i64>| Usage {
            input_tokens: count,
            output_tokens: count.map(|count| count / 3),
            output_at_least: count == Some(0),
            cache_read_tokens: None,
            cache_creation_tokens: count,
            cost_micros,
            estimated_micros: cost_micros.filter(|cost| cost % 2 != 0),
            uncosted_calls: u64::from(cost_micros.is_none()),
        };
        let one = |session, usage| UsageRecord { session, is_total: session % 2 == 0, usage };
        let all = [
            one(1, usage(Some(0), Some(0))),
            one(2, usage(Some(u64::MAX), Some(i64::MIN))),
            one(u32::MAX, usage(None, Some(i64::MAX))),
            one(128, usage(Some(127), None)),
            one(4, usage(Some(128), Some(-1))),
        ];
        let mut records = UsageRecords::default();
        let places: Vec<_> = all.iter().map(|record| records.push(record).unwrap()).collect();
        for (place, record) in places.iter().zip(&all) {
            assert_eq!(records.at(*place), *record);
        }
        assert_eq!(records.iter().collect::<Vec<_>>(), all);
        let (small, large) = (one(1, usage(None, None)), one(1, usage(Some(u64::MAX), Some(-7))));
        assert_eq!(records.replace(places[0], &small), places[0]);
        assert_eq!(records.at(places[0]), small);
        let moved = records.replace(places[0], &large);
        assert_ne!(moved, places[0]);
        assert_eq!(records.at(moved), large);
        let now: Vec<_> = records.iter().collect();
        assert_eq!(now, [&all[1..], &[large]].concat());
    }
}
