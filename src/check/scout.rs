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
    /// Its event, if it holds one that is not written in an unusual way.
    pub event: Option<Spans>,
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
        if let (Some(spans), Body::Complete(bytes)) = (self.event, line.body)
            && let Ok(text) = std::str::from_utf8(bytes)
            && let Some(event) = spans.event(text)
        {
            return Ok(Some(event));
        }
        line.event()
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
        let event = line.event().ok().flatten();
        let may = |bytes: &[u8]| self.secrets.may_hold_secret(bytes);
        let is_suspect = match line.body {
            Body::Complete(bytes) => {
                let news = event.as_ref().and_then(|event| self.familiar.news(bytes, event));
                news.map_or_else(|| may(bytes), |news| news.into_iter().any(may))
            }
            _ => false,
        };
        let event = match (&event, line.body) {
            (Some(event), Body::Complete(bytes)) => Spans::of(event, bytes),
            _ => None,
        };
        Looked { hash: line.hash(), event, is_suspect }
    }
}

/// The fields of the line before that most lines share.
#[derive(Debug, Default)]
struct Familiar {
    fields: [String; 5],
}

impl Familiar {
    /// The parts of a line that are worth a look: summary and payload, and what differs from
    /// the line before. Keys, numbers, hashes and ids of this program's making are not. `None`
    /// for a line that is written otherwise, all of which is to be looked at.
    fn news<'l>(
        &mut self,
        line: &'l [u8],
        event: &'l Event<'_>,
    ) -> Option<impl IntoIterator<Item = &'l [u8]> + use<'l>> {
        let at = |part: &str| (part.as_ptr() as usize).checked_sub(line.as_ptr() as usize);
        let data = event.data.text();
        let from = event.summary.as_deref().map_or(Some(data), Some).and_then(at)?;
        let spoken = line.get(from..at(data)? + data.len()).filter(|_| event.unknown.is_empty())?;
        let fields = [&event.run_id, &event.session_id, &event.task_id, &event.kind, &event.actor];
        let mut parts: [&[u8]; 9] = [b""; 9];
        for ((part, field), known) in parts.iter_mut().zip(fields).zip(&mut self.fields) {
            if **field != **known {
                known.clear();
                known.push_str(field);
                *part = field.as_bytes();
            }
        }
        let id = Some(&event.event_id).filter(|id| super::ids::number(id).is_none());
        let rare = [id, event.correlation_id.as_ref(), event.parent_event_id.as_ref()];
        for (part, field) in parts[5..].iter_mut().zip(rare) {
            *part = field.map_or(b"", |field| field.as_bytes());
        }
        parts[8] = event.branch.as_deref().unwrap_or_default().as_bytes();
        Some(parts.into_iter().chain([spoken]))
    }
}
