//! Pages of transcript events as the AOS platform takes them: JSON Lines, each line the body of one
//! `POST /api/sessions/:id/events`.
//!
//! An event has the members of the platform's table `transcript_events`. The row's `id` is left out:
//! the platform numbers its rows itself.

use crate::json::{Json, ObjectText, quoted};
use crate::tables::{EventRow, RowSink};

/// Maximum number of events on a page.
const PAGE: usize = 20;

/// Writes the pages.
#[derive(Debug, Default)]
pub(crate) struct AosPages {
    session_id: String,
    /// The number of events on the open page.
    on_page: usize,
    text: String,
}

impl AosPages {
    /// The pages, one per line.
    #[must_use]
    pub(crate) fn into_text(mut self) -> String {
        self.close();
        self.text
    }

    fn close(&mut self) {
        if self.on_page > 0 {
            self.text.push_str("]\n");
            self.on_page = 0;
        }
    }
}

impl RowSink for AosPages {
    fn event(&mut self, row: EventRow) {
        // A page goes to the address of one session.
        if self.on_page == PAGE || row.session_id != self.session_id {
            self.close();
            self.session_id.clone_from(&row.session_id);
        }
        self.text.push(if self.on_page == 0 { '[' } else { ',' });
        self.on_page += 1;
        let mut event = ObjectText::new();
        event.text("session_id", &row.session_id).text("event_type", &row.event_type);
        event.json("payload", Json::trusted(&row.data.0));
        let summary = row.summary.as_deref().map_or_else(|| "null".to_owned(), quoted);
        event.json("summary", Json::trusted(&summary));
        event.text("created_at", &row.time.to_string());
        self.text.push_str(&event.finish());
    }
}
