//! The table `transcript_events` of platforms that show a session as a feed.

use super::rows::EventRow;
use crate::event::fields::View;
use crate::event::time::Timestamp;
use crate::json::{Json, ObjectText, quoted};

/// A row of `transcript_events`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TranscriptEvent<'e> {
    /// The number of the event.
    pub(crate) id: u64,
    /// The session.
    pub(crate) session_id: &'e str,
    /// The type.
    pub(crate) event_type: &'e str,
    /// The payload.
    pub(crate) payload: Json<'e>,
    /// The summary that is in effect.
    pub(crate) summary: Option<&'e str>,
    /// The time.
    pub(crate) created_at: Timestamp,
}

impl<'e> TranscriptEvent<'e> {
    /// The row of an event with this summary.
    #[must_use]
    pub(crate) fn of(view: &'e View<'_, 'e>, summary: Option<&'e str>) -> Self {
        let event = view.event;
        Self {
            id: event.sequence,
            session_id: &event.session_id,
            event_type: &event.kind,
            payload: event.data,
            summary,
            created_at: event.timestamp,
        }
    }

    /// The row of an event of the table `events`.
    #[must_use]
    pub(crate) fn of_row(row: &'e EventRow) -> Self {
        Self {
            id: row.sequence,
            session_id: &row.session_id,
            event_type: &row.event_type,
            payload: Json::trusted(&row.data.0),
            summary: row.summary.as_deref(),
            created_at: row.time,
        }
    }

    /// The row as a JSON object.
    #[must_use]
    pub(crate) fn to_json(self) -> String {
        let mut row = ObjectText::new();
        row.plain("id", self.id).text("session_id", self.session_id);
        row.text("event_type", self.event_type).json("payload", self.payload);
        let summary = self.summary.map_or_else(|| "null".to_owned(), quoted);
        row.json("summary", Json::trusted(&summary));
        row.text("created_at", &self.created_at.to_string());
        row.finish()
    }
}
