//! The bars of a lane. Short calls of one tool in a row are one bar.

use super::axis::TimeAxis;
use super::value::{WaterfallCall, WaterfallLane};

/// A bar: one call, or several short ones of the same tool.
#[derive(Debug)]
pub(super) struct WaterfallRow<'w> {
    /// The calls, at least one.
    pub(super) calls: &'w [WaterfallCall],
}

impl WaterfallRow<'_> {
    /// The sum of the durations, in milliseconds.
    #[must_use]
    pub(super) fn length(&self) -> u64 {
        self.calls.iter().map(WaterfallCall::length).fold(0, u64::saturating_add)
    }
}

/// The bars of a lane, in the order of their starts.
#[must_use]
pub(super) fn rows<'w>(lane: &'w WaterfallLane, axis: &TimeAxis) -> Vec<WaterfallRow<'w>> {
    let folds = |one: &WaterfallCall, other: &WaterfallCall| {
        let is_small =
            |call: &WaterfallCall| call.status == "completed" && axis.is_short(call.length());
        one.tool == other.tool && is_small(one) && is_small(other)
    };
    lane.calls.chunk_by(folds).map(|calls| WaterfallRow { calls }).collect()
}

/// Keeps the longest rows, up to `most` in all lanes. Returns the kept rows and the number of calls
/// that were left out, for each lane.
#[must_use]
pub(super) fn longest<'w>(
    lanes: Vec<Vec<WaterfallRow<'w>>>,
    most: usize,
) -> Vec<(Vec<WaterfallRow<'w>>, usize)> {
    let key = |row: &WaterfallRow<'_>| (row.length(), row.calls[0].sequence);
    let mut keys: Vec<(u64, u64)> = lanes.iter().flatten().map(key).collect();
    keys.sort_unstable_by(|one, other| other.cmp(one));
    let least = match most.checked_sub(1) {
        Some(last) => keys.get(last).copied().unwrap_or_default(),
        None => (u64::MAX, u64::MAX),
    };
    let kept = lanes.into_iter().map(|rows| {
        let (kept, omitted): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| key(row) >= least);
        (kept, omitted.iter().map(|row| row.calls.len()).sum())
    });
    kept.collect()
}
