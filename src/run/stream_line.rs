//! The lines of a stream, and how native ones are read.

use std::ops::Range;

use super::receipt::LineFacts;
use crate::event::blob;
use crate::event::draft::Draft;
use crate::event::json::{self, Json, Rules};
use crate::event::reserved::reserved_key;

/// A line of the stream whose events wait for the next write.
pub(super) struct HeldLine {
    pub(super) number: u64,
    pub(super) offset: u64,
    /// Where it lies in the text that is held.
    pub(super) text: Range<usize>,
    /// Dialects: the drafts that were made of it.
    pub(super) drafts: Range<usize>,
    /// What the receipt says of it, once its events are in the log.
    pub(super) facts: LineFacts,
}

/// Native lines as they were read.
#[derive(Default)]
pub(super) struct Read<'h> {
    pub(super) drafts: Vec<Draft<'h>>,
    /// For each line the index of its draft, or why it has none.
    pub(super) lines: Vec<Result<usize, String>>,
}

impl<'h> Read<'h> {
    /// Room for so many lines.
    pub(super) fn with_capacity(lines: usize) -> Self {
        Self { drafts: Vec::with_capacity(lines), lines: Vec::with_capacity(lines) }
    }

    /// Adds what the next line came to.
    pub(super) fn add(&mut self, read: Result<Draft<'h>, String>) {
        let index = self.drafts.len();
        self.lines.push(read.map(|draft| {
            self.drafts.push(draft);
            index
        }));
    }

    /// Adds what later lines came to.
    pub(super) fn append(&mut self, mut later: Self) {
        let before = self.drafts.len();
        self.drafts.append(&mut later.drafts);
        self.lines.extend(later.lines.into_iter().map(|line| line.map(|index| before + index)));
    }

    /// The first line with a field that native lines do not have.
    pub(super) fn first_unknown(&self) -> Option<usize> {
        let unknown = |index: usize| !self.drafts[index].unknown.is_empty();
        self.lines.iter().position(|line| line.as_ref().is_ok_and(|index| unknown(*index)))
    }
}

/// Reads a native line.
pub(super) fn native(line: &[u8]) -> Result<Draft<'_>, String> {
    let json: Json<'_> = json::check(line, Rules::STRICT).map_err(|error| error.to_string())?;
    Draft::native(json).map_err(|error| error.to_string())
}

/// Reads a line of another run's log.
pub(super) fn copied(line: &[u8]) -> Result<Draft<'_>, String> {
    let json = json::check(line, Rules::STRICT).map_err(|error| error.to_string())?;
    let draft = Draft::copied(json).map_err(|error| error.to_string())?;
    match reserved_key(draft.data()) {
        Some(blob::KEY) => Err("a large value is left out; `show --full` puts it back".to_owned()),
        _ => Ok(draft),
    }
}
