//! The checks that need only one line. They can run in another thread, before the checks that
//! compare lines.

use crate::event::envelope::{Event, LineError};
use crate::event::layout::{Layout, SharedIds};
use crate::fs::hash::HexHash;
use crate::log::reader::{Body, Line};
use crate::secret::SecretRules as Secrets;

/// What a line is by itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScannedLine {
    /// What the `prev_hash` of the next line should be; `None` for a blank line and for none.
    pub hash: Option<HexHash>,
    /// Where the fields of its event lie, if it is written as this program writes lines.
    layout: Option<Layout>,
    /// The number in the id of that event, if this program made it; `None` where the line is
    /// written otherwise: then it has to be read.
    pub number: Option<u128>,
    /// Whether it may hold a secret.
    pub is_suspect: bool,
}

/// Looks at lines one by one, in their order; of a piece of a log, or of all of it.
#[derive(Debug)]
pub(crate) struct LineScanner {
    secrets: &'static Secrets,
    repeats: RepeatCache,
}

impl ScannedLine {
    /// The event on the scanned line.
    ///
    /// # Errors
    /// As [`Line::event`].
    pub(crate) fn event<'l>(&self, line: &Line<'l>) -> Result<Option<Event<'l>>, Vec<LineError>> {
        match self.layout.and_then(|layout| line.event_of(&layout)) {
            Some(event) => Ok(Some(event)),
            None => line.event(),
        }
    }
}

impl LineScanner {
    /// One that has seen nothing yet, and suspects these secrets.
    #[must_use]
    pub(crate) fn new(secrets: &'static Secrets) -> Self {
        Self { secrets, repeats: RepeatCache::default() }
    }

    /// Forgets the lines so far: what is found out about the next ones depends on them alone.
    pub(crate) fn begin(&mut self) {
        self.repeats = RepeatCache::default();
    }

    /// Looks at the next line.
    pub(crate) fn look(&mut self, line: &Line<'_>) -> ScannedLine {
        let may = |text: &str| self.secrets.may_hold_secret(text.as_bytes());
        let text = line.text().unwrap_or_default();
        let Some(layout) = Layout::of_next(text, &mut self.repeats.shared_ids) else {
            let is_suspect = match line.body {
                Body::Complete(bytes) => self.secrets.may_hold_secret(bytes),
                _ => false,
            };
            return ScannedLine { hash: line.hash(), layout: None, number: None, is_suspect };
        };
        let number = super::ids::number(layout.event_id(text));
        let is_suspect = self.repeats.is_suspect(text, &layout, may)
            | layout.given(text).into_iter().any(may)
            | (number.is_none() && may(layout.event_id(text)));
        ScannedLine { hash: line.hash(), layout: Some(layout), number, is_suspect }
    }
}

/// What most lines share with the line before: where it belongs, its type and its actor. That
/// is searched once. Keys, numbers, hashes and ids that this program generated are never searched.
#[derive(Debug, Default)]
struct RepeatCache {
    shared_ids: SharedIds,
    /// Whether that may hold a secret.
    is_suspect: bool,
    kind_and_actor: [Known; 2],
}

/// A text, and whether it may hold a secret.
#[derive(Debug, Default)]
struct Known {
    text: String,
    is_suspect: bool,
}

impl RepeatCache {
    /// Whether a secret may be in the repeated fields of a line.
    fn is_suspect(&mut self, line: &str, layout: &Layout, may: impl Fn(&str) -> bool) -> bool {
        if !self.shared_ids.is_same() {
            self.is_suspect = layout.shared_ids(line).into_iter().any(&may);
        }
        for (field, known) in layout.kind_and_actor(line).into_iter().zip(&mut self.kind_and_actor)
        {
            if field != known.text {
                known.is_suspect = may(field);
                known.text.clear();
                known.text.push_str(field);
            }
        }
        self.is_suspect || self.kind_and_actor.iter().any(|known| known.is_suspect)
    }
}
