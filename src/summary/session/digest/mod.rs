//! A summary without a model: what the events of a run say, each line with the ids of its events.
//!
//! | module | purpose |
//! |---|---|
//! | [`collect`] | the facts of a run, event by event |
//! | [`phrases`] | sentences of messages that state a decision, a next step or a figure |
//! | [`command`] | the command line of a call, and the files that a call names |
//! | [`write`] | the lines within a number of words |

mod collect;
mod command;
mod phrases;
mod write;

pub(crate) use collect::Digest;

/// The sections, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    Tasks,
    Next,
    Open,
    Errors,
    Decisions,
    Commands,
    Files,
    Figures,
}

/// The sections with their headings. When there is not enough room for all lines, each section
/// gets one line in turn, in this order.
const SECTIONS: &[(Section, &str)] = &[
    (Section::Tasks, "Tasks"),
    (Section::Next, "Next step"),
    (Section::Open, "Open calls"),
    (Section::Errors, "Errors"),
    (Section::Decisions, "Decisions"),
    (Section::Commands, "Commands"),
    (Section::Files, "Files"),
    (Section::Figures, "Numbers and paths"),
];

/// A line and the events that it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
struct DigestLine {
    section: Section,
    text: String,
    event_ids: Vec<String>,
}
