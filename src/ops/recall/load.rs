//! The tool `session_load`.

use super::bound::Recall;
use super::bounds::{cut_window, fitted};
use super::error::RecallError;
use super::record::{record, the_run};
use crate::ops::search::{
    MAX_SLICE, SliceRequest, SoughtEvent, WindowDocument, WindowSize, find_event, window,
};

/// Which event to load, and how much around it.
#[derive(Clone, Debug)]
pub(crate) struct LoadRequest {
    /// The run; `None` is the bound one.
    pub(crate) run_id: Option<String>,
    /// The id or the sequence of the event.
    pub(crate) event_id: String,
    /// Events before and after it. The window is bounded.
    pub(crate) size: WindowSize,
    /// The part of its content.
    pub(crate) part: SliceRequest,
}

impl Recall {
    /// An event with the events around it, as JSON.
    ///
    /// # Errors
    /// When the request is refused, or the log cannot be read.
    pub(crate) fn load(&self, request: &LoadRequest) -> Result<String, RecallError> {
        let limit = checked_limit(request.part.limit)?;
        let run = self.run(request.run_id.as_deref())?;
        let offset = match find_event(&run, &request.event_id)? {
            SoughtEvent::At(offset) => offset,
            SoughtEvent::Missing(near) => {
                let event_id = request.event_id.clone();
                return Err(RecallError::NoSuchEvent { run_id: run.name(), event_id, near });
            }
        };
        fitted(limit, |limit| {
            let part = SliceRequest { limit, ..request.part };
            let mut window = window(&run, offset, request.size.bounded(), part)?;
            cut_window(&mut window);
            let damaged = window.damaged.iter().map(|path| {
                format!("{path} is missing or was altered; the beginning of the value is returned")
            });
            let warnings = damaged.collect();
            Ok(record(&the_run(&run), warnings, WindowDocument::of(&run, &window)))
        })
    }
}

/// The size of a slice, if it is allowed.
pub(super) fn checked_limit(limit: usize) -> Result<usize, RecallError> {
    match (1..=MAX_SLICE).contains(&limit) {
        true => Ok(limit),
        false => {
            let greatest = MAX_SLICE as u64;
            Err(RecallError::Range { name: "content_limit", least: 1, greatest })
        }
    }
}
