//! What a context is made of, by size and place. The texts stay in the log until it is known which of
//! them are wanted.

use super::part::Side;
use crate::summary::session::tokens::TextLength;

/// A range of the log in bytes: a line, or all lines from the first piece of a stream to its last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LogPlace {
    /// The first byte.
    pub(crate) from: u64,
    /// The byte after the last one.
    pub(crate) to: u64,
}

/// A text, or a call with its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ContextItem {
    /// Sequence of its first event.
    pub(crate) sequence: u64,
    /// Where it is.
    pub(crate) place: LogPlace,
    /// Its length; of a call, that of the name and the arguments.
    pub(crate) length: TextLength,
    /// What it is.
    pub(crate) kind: ItemKind,
}

/// What an item is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ItemKind {
    /// A text.
    Text {
        /// Who says it.
        side: Side,
        /// The number of the task that it begins; 0 if it begins none.
        task: u32,
    },
    /// The text of a chapter, in place of the events that it covers: its index among the outermost.
    Chapter(usize),
    /// A call. Without a result, it is open.
    Call(Option<Box<ResultSize>>),
    /// A result whose call is not in the context. It is shown as a text.
    LateResult,
}

/// The result of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ResultSize {
    /// Sequence of its event.
    pub(crate) sequence: u64,
    /// Where it is.
    pub(crate) place: LogPlace,
    /// Its length.
    pub(crate) length: TextLength,
    /// The length of the placeholder that may replace it.
    pub(crate) placeholder: TextLength,
    /// What the user wants for results of this tool.
    pub(crate) wish: ToolWish,
}

/// What the user wants for the results of a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ToolWish {
    /// Nothing special.
    #[default]
    None,
    /// They stay whole.
    Keep,
    /// They are replaced by placeholders once they are history.
    Force,
}
