//! Calls that the Work Notes no longer list and the Timeline may still show.

use foldhash::HashMap;

use super::items::{CallLine, ItemList};
use crate::transcript::extent::{LONGEST_BAR, Limits};

/// Number of calls kept for the Timeline: it shows the longest ones.
const LONGEST: usize = Limits::NORMAL.bars;
/// Up to this many calls are kept until their end shows how long they took.
const OPEN: usize = 1000;

/// Dropped calls.
#[derive(Debug, Default)]
pub(crate) struct AsideCalls {
    /// Those that have not ended.
    open: HashMap<usize, (ItemList, CallLine)>,
    /// Those that took long, with their durations in milliseconds.
    long: Vec<(u64, ItemList, CallLine)>,
    /// Those that spawned an agent. Its calls are shown too.
    spawners: Vec<(ItemList, CallLine)>,
}

impl AsideCalls {
    /// Takes a dropped call. `ended`: its duration if it has ended; `None` inside if unknown.
    pub(super) fn take(
        &mut self,
        list: ItemList,
        line: CallLine,
        ended: Option<Option<u64>>,
        spawned: bool,
    ) {
        match ended {
            _ if spawned => self.spawners.push((list, line)),
            Some(duration) => self.ended(duration, list, line),
            None if self.open.len() < OPEN => drop(self.open.insert(line.call, (list, line))),
            None => {}
        }
    }

    /// Takes the end of a call, if it was dropped before.
    pub(super) fn end(&mut self, call: usize, duration_ms: Option<u64>) {
        if let Some((list, line)) = self.open.remove(&call) {
            self.ended(duration_ms, list, line);
        }
    }

    fn ended(&mut self, duration_ms: Option<u64>, list: ItemList, line: CallLine) {
        let Some(duration) = duration_ms.filter(|duration| *duration <= LONGEST_BAR) else {
            return;
        };
        self.long.push((duration, list, line));
        if self.long.len() > 4 * LONGEST {
            self.long.sort_by_key(|(duration, _, line)| (u64::MAX - duration, line.sequence));
            self.long.truncate(LONGEST);
        }
    }

    /// The calls of each list.
    pub(crate) fn by_list(self) -> HashMap<ItemList, Vec<CallLine>> {
        let long = self.long.into_iter().map(|(_, list, line)| (list, line));
        let mut lists: HashMap<ItemList, Vec<CallLine>> = HashMap::default();
        for (list, line) in self.spawners.into_iter().chain(long) {
            lists.entry(list).or_default().push(line);
        }
        lists
    }
}
