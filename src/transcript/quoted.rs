//! A quoted text: the prompt, the system prompt, a file of the harness.

use std::borrow::Cow;

use serde::{Serialize, Serializer};

use crate::event::template::cut;

/// A text of any length and its source.
#[derive(Debug)]
pub(crate) struct Quoted {
    /// The full text.
    pub text: String,
    /// The source.
    pub source: QuoteSource,
}

/// The source of a quoted text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QuoteSource {
    /// A file in the run directory.
    File(&'static str),
    /// The event with this sequence.
    Event(u64),
}

/// Maximum number of characters of a quoted text in HTML, terminal and JSON output.
const LONG: usize = 8000;

impl Quoted {
    /// The text, cut if it is very long.
    #[must_use]
    pub(crate) fn shown(&self) -> Cow<'_, str> {
        self.up_to(LONG)
    }

    /// The text, cut to a maximum number of characters.
    #[must_use]
    pub(crate) fn up_to(&self, most: usize) -> Cow<'_, str> {
        cut(&self.text, most)
    }
}

impl Serialize for Quoted {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.shown())
    }
}
