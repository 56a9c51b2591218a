//! An event with the events around it as a JSON document.

use std::collections::BTreeMap;

use serde::Serialize;

use super::window::{EventWindow, WindowEvent};
use crate::run::dir::RunDir;

/// What `runlog show --event --format json` prints and the tool `session_load` returns.
#[derive(Serialize)]
pub(crate) struct WindowDocument<'w> {
    schema_version: u32,
    run_id: String,
    /// The event that was asked for.
    event_id: &'w str,
    events: Vec<EventDocument<'w>>,
}

#[derive(Serialize)]
struct EventDocument<'w> {
    event_id: &'w str,
    sequence: u64,
    r#type: &'w str,
    role: &'w str,
    actor: &'w str,
    timestamp: String,
    summary: Option<&'w str>,
    /// Short members of the payload.
    facts: BTreeMap<&'w str, &'w str>,
    content: &'w str,
    content_offset: u64,
    /// The size of the whole content.
    content_bytes: u64,
    returned_bytes: u64,
    truncated: bool,
    /// Where the next part begins.
    next_offset: Option<u64>,
}

impl<'w> WindowDocument<'w> {
    /// The document of a window.
    #[must_use]
    pub(crate) fn of(run: &RunDir, window: &'w EventWindow) -> Self {
        let center = window.events.get(window.center);
        Self {
            schema_version: 1,
            run_id: run.name(),
            event_id: center.map_or("", |event| event.event_id.as_str()),
            events: window.events.iter().map(EventDocument::of).collect(),
        }
    }
}

impl<'w> EventDocument<'w> {
    fn of(event: &'w WindowEvent) -> Self {
        let WindowEvent { facts, content, .. } = event;
        Self {
            event_id: &event.event_id,
            sequence: event.sequence,
            r#type: &event.kind,
            role: event.role,
            actor: &event.actor,
            timestamp: event.timestamp.to_string(),
            summary: event.summary.as_deref(),
            facts: facts.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect(),
            content: &content.text,
            content_offset: content.offset,
            content_bytes: content.total,
            returned_bytes: content.text.len() as u64,
            truncated: content.is_part(),
            next_offset: content.next,
        }
    }
}
