//! What is found out about a line by itself, before the lines are taken together: it may be
//! done in another thread.

use crate::event::envelope::{Event, LineError};
use crate::event::hash::HexHash;
use crate::event::spans::{Names, Spans};
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
        let (text, last) = (line.text().unwrap_or_default(), &mut self.familiar.names);
        let Some((spans, same)) = Spans::of_next(text, last) else {
            let is_suspect = match line.body {
                Body::Complete(bytes) => self.secrets.may_hold_secret(bytes),
                _ => false,
            };
            return Looked { hash: line.hash(), spans: None, number: None, is_suspect };
        };
        let number = super::ids::number(spans.event_id(text));
        let news = self.familiar.news(text, &spans, same, number);
        let is_suspect = news.iter().any(|part| self.secrets.may_hold_secret(part.as_bytes()));
        Looked { hash: line.hash(), spans: Some(spans), number, is_suspect }
    }
}

/// What most lines share with the line before.
#[derive(Debug, Default)]
struct Familiar {
    names: Names,
    kind_and_actor: [String; 2],
}

impl Familiar {
    /// The parts of a line that are worth a look: what is given with the event, and what
    /// differs from the line before. Keys, numbers, hashes and ids of this program's making
    /// are not.
    fn news<'l>(
        &mut self,
        line: &'l str,
        spans: &Spans,
        same: bool,
        number: Option<u128>,
    ) -> [&'l str; 11] {
        let mut parts = [""; 11];
        parts[..5].copy_from_slice(&spans.given(line));
        let fields = spans.kind_and_actor(line).into_iter().zip(&mut self.kind_and_actor);
        for (part, (field, known)) in parts[5..7].iter_mut().zip(fields) {
            if field != known {
                known.clear();
                known.push_str(field);
                *part = field;
            }
        }
        if number.is_none() {
            parts[7] = spans.event_id(line);
        }
        if !same {
            parts[8..].copy_from_slice(&spans.names(line));
        }
        parts
    }
}
