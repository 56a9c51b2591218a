//! What is found out about a line by itself, before the lines are taken together: it may be
//! done in another thread.

use crate::event::envelope::{Event, LineError};
use crate::event::hash::HexHash;
use crate::event::spans::Spans;
use crate::log::reader::{Body, Line};
use crate::secret::Rules as Secrets;

/// What a line is by itself.
#[derive(Clone, Copy, Debug)]
pub struct Looked {
    /// What the `prev_hash` of the next line should be; `None` for a blank line and for none.
    pub hash: Option<HexHash>,
    /// Where the fields of its event lie, if it is written as this program writes lines.
    spans: Option<Spans>,
    /// The number in the id of that event, if it is of this program's making.
    pub number: Option<u128>,
    /// Whether it may hold a secret.
    pub is_suspect: bool,
}

/// Looks at lines one by one, in their order; of a piece of a log, or of all of it.
#[derive(Debug)]
pub struct Scout {
    secrets: &'static Secrets,
    familiar: Familiar,
}

impl Looked {
    /// The event on the line that was looked at.
    ///
    /// # Errors
    /// As [`Line::event`].
    pub fn event<'l>(&self, line: &Line<'l>) -> Result<Option<Event<'l>>, Vec<LineError>> {
        match self.spans.and_then(|spans| line.event_of(&spans)) {
            Some(event) => Ok(Some(event)),
            None => line.event(),
        }
    }
}

impl Scout {
    /// One that has seen nothing yet, and suspects these secrets.
    #[must_use]
    pub fn new(secrets: &'static Secrets) -> Self {
        Self { secrets, familiar: Familiar::default() }
    }

    /// Forgets the lines so far: what is found out about the next ones depends on them alone.
    pub fn begin(&mut self) {
        self.familiar = Familiar::default();
    }

    /// Looks at the next line.
    pub fn look(&mut self, line: &Line<'_>) -> Looked {
        let may = |text: &str| self.secrets.may_hold_secret(text.as_bytes());
        let (spans, text) = (line.spans(), line.text().unwrap_or_default());
        let number = spans.and_then(|spans| super::ids::number(spans.event_id(text)));
        let is_suspect = match (&spans, line.body) {
            (Some(spans), _) => self.familiar.news(text, spans, number).into_iter().any(may),
            (None, Body::Complete(bytes)) => self.secrets.may_hold_secret(bytes),
            (None, _) => false,
        };
        Looked { hash: line.hash(), spans, number, is_suspect }
    }
}

/// The fields of the line before that most lines share.
#[derive(Debug, Default)]
struct Familiar {
    fields: [String; 5],
}

impl Familiar {
    /// The parts of a line that are worth a look: summary and payload, and what differs from
    /// the line before. Keys, numbers, hashes and ids of this program's making are not.
    fn news<'l>(&mut self, line: &'l str, spans: &Spans, number: Option<u128>) -> [&'l str; 10] {
        let mut parts = [""; 10];
        for ((part, field), known) in parts.iter_mut().zip(spans.common(line)).zip(&mut self.fields)
        {
            if field != known {
                known.clear();
                known.push_str(field);
                *part = field;
            }
        }
        parts[5..8].copy_from_slice(&spans.rare(line));
        parts[8] = if number.is_none() { spans.event_id(line) } else { "" };
        parts[9] = spans.spoken(line);
        parts
    }
}
