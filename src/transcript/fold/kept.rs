//! The items and calls of a long turn. `transcript.md` shows its beginning and its end, so the
//! middle is only counted, and memory does not grow with the log.

use super::items::{CallLine, Item};
use crate::transcript::extent::Limits;

/// Number of items kept at the beginning and at the end of a turn, of all items and of those that
/// are not thoughts.
const ITEMS: usize = Limits::NORMAL.items;
/// Number of calls kept at the beginning and at the end of a series.
const CALLS: usize = Limits::NORMAL.calls;

const _: () = assert!(Limits::BRIEF.items <= ITEMS && Limits::BRIEF.calls <= CALLS);

/// The items of a turn, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptItems {
    kept: Vec<KeptItem>,
    /// The number of items added, and of those that are not thoughts.
    added: (u64, u64),
    /// The number of thoughts and of other items that were dropped.
    dropped: (u64, u64),
}

#[derive(Clone, Debug)]
struct KeptItem {
    /// 0, 1, 2 … in the order of the turn.
    number: u64,
    /// Whether it is among the first of the turn.
    is_first: bool,
    item: Item,
}

/// An item, or the number of items that were dropped there.
#[derive(Debug)]
pub(crate) enum ItemOrGap {
    /// An item.
    Item(Item),
    /// Thoughts that were dropped.
    Thoughts(u64),
    /// Other items that were dropped.
    Others(u64),
    /// Items were dropped here that count elsewhere.
    Break,
}

impl KeptItems {
    /// Adds an item. Returns its number.
    pub(super) fn push(&mut self, item: Item) -> u64 {
        let number = self.added.0;
        self.added.0 += 1;
        self.added.1 += u64::from(!item.is_thought());
        let most = ITEMS as u64;
        let is_first = self.added.0 <= most || !item.is_thought() && self.added.1 <= most;
        self.kept.push(KeptItem { number, is_first, item });
        number
    }

    /// The item with that number, unless it was dropped.
    pub(super) fn get_mut(&mut self, number: u64) -> Option<&mut Item> {
        let at = self.kept.binary_search_by_key(&number, |kept| kept.number).ok()?;
        self.kept.get_mut(at).map(|kept| &mut kept.item)
    }

    /// The number of items that are kept.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether somebody said or did something.
    pub(super) fn has_work(&self) -> bool {
        let is_work = |kept: &KeptItem| matches!(kept.item, Item::SpokenText(_) | Item::Calls(_));
        self.dropped != (0, 0) || self.kept.iter().any(is_work)
    }

    /// The last item.
    pub(super) fn last_mut(&mut self) -> Option<&mut Item> {
        self.kept.last_mut().map(|kept| &mut kept.item)
    }

    /// Drops items from the middle if there are many. Returns them.
    pub(super) fn shorten(&mut self) -> Vec<Item> {
        if self.kept.len() <= 8 * ITEMS {
            return Vec::new();
        }
        let (mut last, mut last_others, mut has_spoken) = (0, 0, false);
        let mut stay = vec![false; self.kept.len()];
        for (stays, KeptItem { is_first, item, .. }) in stay.iter_mut().zip(&self.kept).rev() {
            last += 1;
            last_others += usize::from(!item.is_thought());
            // The last message of a turn is shown at greater length.
            let is_last_spoken = item.is_spoken() && !has_spoken;
            has_spoken |= is_last_spoken;
            *stays = *is_first
                || last <= ITEMS
                || !item.is_thought() && last_others <= ITEMS
                || is_last_spoken;
        }
        let mut dropped = Vec::new();
        let mut stay = stay.into_iter();
        for kept in std::mem::take(&mut self.kept) {
            if stay.next().unwrap_or(true) {
                self.kept.push(kept);
                continue;
            }
            match kept.item.is_thought() {
                true => self.dropped.0 += 1,
                false => self.dropped.1 += 1,
            }
            dropped.push(kept.item);
        }
        dropped
    }

    /// The items, with the numbers of those that were dropped. Dropped thoughts count after the
    /// first items, other ones after the first that are not thoughts. So the first and the last
    /// items have their true position, whether thoughts are shown or not.
    pub(crate) fn with_gaps(self) -> impl Iterator<Item = ItemOrGap> {
        let (thoughts, others) = self.dropped;
        let end_of_first = |kept: &[KeptItem]| {
            kept.iter().rposition(|kept| kept.is_first).map_or(0, |last| last + 1)
        };
        let (for_thoughts, for_others) = (ITEMS.min(self.kept.len()), end_of_first(&self.kept));
        let count = self.kept.len();
        let gap = move |at: usize| {
            let gap_of_thoughts = (at == for_thoughts && thoughts > 0).then_some(thoughts);
            let gap_of_others = (at == for_others && others > 0).then_some(others);
            let thoughts = gap_of_thoughts.map(ItemOrGap::Thoughts);
            thoughts.into_iter().chain(gap_of_others.map(ItemOrGap::Others))
        };
        let mut next = 0;
        let items = self.kept.into_iter().enumerate().flat_map(move |(at, kept)| {
            let gap_before = (kept.number != next).then_some(ItemOrGap::Break);
            next = kept.number + 1;
            gap(at).chain(gap_before).chain([ItemOrGap::Item(kept.item)])
        });
        items.chain(gap(count))
    }
}

/// Consecutive tool calls, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptCalls {
    lines: Vec<CallLine>,
    /// The number of calls that were dropped after the first [`CALLS`].
    dropped: u64,
}

impl KeptCalls {
    /// Adds a call.
    pub(super) fn push(&mut self, line: CallLine) {
        self.lines.push(line);
    }

    /// Drops calls from the middle if there are many. Returns them. Calls that `stays` is true for
    /// are dropped too once there are as many of them as are shown.
    pub(super) fn shorten(&mut self, stays: impl Fn(&CallLine) -> bool) -> Vec<CallLine> {
        if self.lines.len() <= 8 * CALLS {
            return Vec::new();
        }
        let last = self.lines.split_off(self.lines.len() - CALLS);
        let middle = self.lines.split_off(CALLS);
        let mut staying = 0;
        let (keep, dropped): (Vec<_>, Vec<_>) = middle.into_iter().partition(|line| {
            let keep = staying < CALLS && stays(line);
            staying += usize::from(keep);
            keep
        });
        self.lines.extend(keep.into_iter().chain(last));
        self.dropped += dropped.len() as u64;
        dropped
    }

    /// The calls before those that were dropped, the number of these, and the calls after them.
    pub(crate) fn with_gap(mut self) -> (Vec<CallLine>, u64, Vec<CallLine>) {
        let after = self.lines.split_off(CALLS.min(self.lines.len()));
        (self.lines, self.dropped, after)
    }

    /// All calls that were kept.
    pub(super) fn into_lines(self) -> Vec<CallLine> {
        self.lines
    }
}
