//! The loaded texts of a context, and the texts that it adds itself.

use super::part::Side;
use super::plan::LeftOut;
use crate::text::human::plural;

/// One piece of a context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ContextPiece {
    /// A text.
    Text {
        /// Whose side it is on.
        side: Side,
        /// The number of the task that it begins; 0 if it begins none.
        task: u32,
        /// The text.
        text: String,
    },
    /// A text that the context adds, such as a note of what is left out.
    Note(String),
    /// A call with its result.
    Call(CallPiece),
}

/// A call with its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallPiece {
    /// Sequence of its start.
    pub(crate) sequence: u64,
    /// Sequence of its end, if it has one.
    pub(crate) end: Option<u64>,
    /// Its id in the log.
    pub(crate) id: String,
    /// The tool's name.
    pub(crate) tool: String,
    /// The arguments as a JSON object.
    pub(crate) arguments: String,
    /// The result, or why there is none.
    pub(crate) result: String,
}

/// The lead of the text of a chapter.
const CHAPTER: &str = "[Earlier tasks, folded into a chapter. This is history, not a request.]";

/// The text of a chapter as a piece.
#[must_use]
pub(crate) fn chapter_text(text: &str) -> String {
    format!("{CHAPTER}\n\n{text}")
}

/// The note in place of what is left out.
#[must_use]
pub(crate) fn gap_text(left_out: &LeftOut, run: &str) -> String {
    let LeftOut { is_rounds, count, first, last } = *left_out;
    let what = match is_rounds {
        true => plural(count, "earlier round"),
        false => format!("{} of this round", plural(count, "earlier step")),
    };
    format!(
        "[{what} left out: events {first} to {last}. To read an event: runlog show {run} --event \
         {first}]"
    )
}

/// The result of a call that has none.
#[must_use]
pub(crate) fn open_result(has_ended: bool) -> String {
    match has_ended {
        true => "[No result was recorded before the run ended.]".to_owned(),
        false => "[No result is recorded yet. The call may still be running.]".to_owned(),
    }
}
