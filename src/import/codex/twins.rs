//! Things that a session reports more than once, on different channels.

use std::collections::VecDeque;

use crate::fs::hash::sha256;

/// The channels of a session file. Each reports most things once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Channel {
    /// What the model received and returned.
    Item = 1,
    /// What the client showed.
    Event = 2,
    /// What the client showed, in newer versions.
    Completed = 4,
}

/// A set of channels.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Channels(u8);

/// The newest reports, and the channels of each.
#[derive(Debug, Default)]
pub(super) struct Twins {
    newest: VecDeque<([u8; 32], Channels)>,
}

/// The number of reports that are kept. The reports of one thing are close together.
const KEPT: usize = 64;

impl Channels {
    /// Adds a channel. Returns whether it is new here.
    pub(super) fn add(&mut self, channel: Channel) -> bool {
        let before = self.0;
        self.0 |= channel as u8;
        self.0 != before
    }

    /// Whether there is no channel.
    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl Twins {
    /// Forgets the reports of a turn that has ended.
    pub(super) fn end_turn(&mut self) {
        self.newest.clear();
    }

    /// Whether no other channel reported that text before. A repetition on the same channel is
    /// another text.
    pub(super) fn is_first(&mut self, channel: Channel, kind: &str, text: &str) -> bool {
        let key = sha256(format!("{kind}\n{}", text.trim()).as_bytes());
        let mut same = self.newest.iter_mut().filter(|(other, _)| *other == key);
        if same.any(|(_, channels)| channels.add(channel)) {
            return false;
        }
        let mut channels = Channels::default();
        channels.add(channel);
        if self.newest.len() == KEPT {
            self.newest.pop_front();
        }
        self.newest.push_back((key, channels));
        true
    }
}
