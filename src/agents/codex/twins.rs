//! Things that a session reports more than once, on different channels.

use std::borrow::Cow;
use std::collections::VecDeque;

use crate::agents::said::Report;
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

impl Channel {
    /// The kind of report of a call.
    pub(super) fn report(self) -> Report {
        Report::Kind(self as u8)
    }
}

/// A set of channels.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Channels(u8);

/// The newest reports, and the channels of each.
#[derive(Debug, Default)]
pub(super) struct Twins {
    newest: VecDeque<([u8; 32], Channels)>,
    /// The letters of the newest answer, if one channel alone reported it.
    alone: Option<(Channel, String)>,
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
}

impl Twins {
    /// Forgets the reports of a turn that has ended.
    pub(super) fn end_turn(&mut self) {
        self.newest.clear();
        self.alone = None;
    }

    /// Whether no other channel reported that answer before. One of them may lack a part that the client
    /// does not show.
    pub(super) fn is_first_answer(&mut self, channel: Channel, text: &str) -> bool {
        let letters: String = text.split_whitespace().collect();
        if !self.is_first(channel, "assistant", &letters) {
            self.alone = None;
            return false;
        }
        let is_part = |(other, said): &(Channel, String)| {
            *other != channel && (is_cut_from(said, &letters) || is_cut_from(&letters, said))
        };
        let is_twin = self.alone.take().is_some_and(|alone| is_part(&alone));
        if !is_twin {
            self.alone = Some((channel, letters));
        }
        !is_twin
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

/// Whether a text is another one without one part of it. A text of a few letters is none.
fn is_cut_from(rest: &str, whole: &str) -> bool {
    const LEAST: usize = 12;
    let same = |pairs: &mut dyn Iterator<Item = (u8, u8)>| {
        pairs.take_while(|(one, other)| one == other).count()
    };
    let begin = same(&mut rest.bytes().zip(whole.bytes()));
    let end = same(&mut rest.bytes().rev().zip(whole.bytes().rev()));
    rest.len() >= LEAST && rest.len() < whole.len() && begin + end >= rest.len()
}

/// An answer without the notes on what the agent remembered, which the client does not show.
pub(super) fn without_citations(text: &str) -> Cow<'_, str> {
    const BEGIN: &str = "<oai-mem-citation>";
    const END: &str = "</oai-mem-citation>";
    let Some((before, rest)) = text.split_once(BEGIN) else { return Cow::Borrowed(text) };
    let after = rest.split_once(END).map_or("", |(_, after)| after);
    let whole = format!("{}{}", before.trim_end(), without_citations(after));
    Cow::Owned(whole.trim_end().to_owned())
}
