//! A summary without a model: what the events of a run say, each line with the ids of its events.
//!
//! | module | purpose |
//! |---|---|
//! | [`collect`] | the facts of a run, event by event |
//! | [`calls`] | what the calls did: commands, files, errors and searches |
//! | [`telling`] | which line of an output says what failed |
//! | [`shell`] | what a command line does |
//! | [`phrases`] | sentences of messages that state a decision, a next step or a figure |
//! | [`command`] | the command line of a call, and the files that a call names |
//! | [`write`] | the lines within a number of words |

mod calls;
mod collect;
mod command;
mod phrases;
mod shell;
mod telling;
mod write;

use crate::text::inert::line;

pub(crate) use collect::Digest;
pub(super) use phrases::is_path;

/// The sections, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum DigestSection {
    Tasks,
    Answer,
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
const SECTIONS: &[(DigestSection, &str)] = &[
    (DigestSection::Tasks, "Tasks"),
    (DigestSection::Answer, "Last answer"),
    (DigestSection::Next, "Next step"),
    (DigestSection::Open, "Open calls"),
    (DigestSection::Errors, "Errors"),
    (DigestSection::Decisions, "Decisions"),
    (DigestSection::Commands, "Commands"),
    (DigestSection::Files, "Files"),
    (DigestSection::Figures, "Numbers and paths"),
];

/// A line and the events that it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
struct DigestLine {
    section: DigestSection,
    text: String,
    event_ids: Vec<String>,
}

impl DigestLine {
    fn new(section: DigestSection, text: &str, event_ids: Vec<String>) -> Self {
        Self { section, text: line(text.trim()).into_owned(), event_ids }
    }
}
