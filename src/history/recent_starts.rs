//! The starts of calls that are near enough to the end of the log to be paired with an end.

use std::collections::VecDeque;

use foldhash::HashMap;

use super::calls::{PAIRING_WINDOW, Start};

/// The starts within the last [`PAIRING_WINDOW`] bytes of log.
#[derive(Clone, Debug, Default)]
pub(super) struct RecentStarts {
    /// The starts in order, with the indices of their calls.
    starts: VecDeque<(usize, Start)>,
    /// The newest start of each call.
    newest: HashMap<usize, Start>,
}

impl RecentStarts {
    /// Adds the next start.
    pub(super) fn push(&mut self, call: usize, start: Start) {
        while let Some(&(call, old)) = self.starts.front()
            && old.offset + PAIRING_WINDOW < start.offset
        {
            self.starts.pop_front();
            if self.newest.get(&call) == Some(&old) {
                self.newest.remove(&call);
            }
        }
        self.starts.push_back((call, start));
        self.newest.insert(call, start);
    }

    /// The newest start of a call, if it is near enough.
    pub(super) fn newest(&self, call: usize) -> Option<Start> {
        self.newest.get(&call).copied()
    }
}
