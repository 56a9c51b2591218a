//! Joins the pieces of streamed texts, for what looks at whole texts.

use std::collections::HashMap;

use super::stream_name::StreamName;
use crate::event::catalogue;
use crate::event::fields::View;
use crate::event::role::Role;

/// The most texts that are open at once. With more, all of them end.
const OPEN: usize = 1024;
/// The most bytes of a text that are kept.
const MOST: usize = 1 << 20;

/// A text that came in pieces.
#[derive(Clone, Debug)]
pub(crate) struct StreamedText {
    /// The pieces so far.
    pub(crate) text: String,
    /// The id, the sequence and the branch of the first piece.
    pub(crate) event_id: String,
    pub(crate) sequence: u64,
    pub(crate) branch: Option<String>,
    /// The bytes at which the lines of the pieces begin.
    pub(crate) offsets: Vec<u64>,
    /// Whether it is reasoning.
    pub(crate) is_thought: bool,
    /// Who sends it.
    pub(crate) actor: String,
    /// Whether a sub-agent sends it.
    pub(crate) is_of_sub_agent: bool,
}

/// The streamed texts that may get more pieces.
#[derive(Clone, Debug, Default)]
pub(crate) struct StreamedTexts {
    open: HashMap<StreamName, StreamedText>,
    /// The text without an id that the newest event was a piece of.
    newest: Option<StreamName>,
}

impl StreamedTexts {
    /// Takes an event, whose line begins at byte `offset`. Returns the texts that it ends: a new
    /// request or the end of a run ends all of them.
    pub(crate) fn observe(&mut self, view: &View<'_, '_>, offset: u64) -> Vec<StreamedText> {
        if view.role != Role::Chunk {
            if !view.role.is_bookkeeping() {
                self.interrupt();
            }
            let ends = view.role == Role::TaskStart || view.role.ends_run();
            return if ends { self.finish() } else { Vec::new() };
        }
        let Some(piece) = view.text() else { return Vec::new() };
        let name = StreamName::of(view);
        let newest = self.newest.take();
        let goes_on = name.has_id() || newest.as_ref() == Some(&name);
        if !name.has_id() {
            self.newest = Some(name.clone());
        }
        if let Some(text) = self.open.get_mut(&name).filter(|_| goes_on) {
            let room = MOST.saturating_sub(text.text.len());
            text.text.push_str(&piece[..piece.floor_char_boundary(room)]);
            text.offsets.push(offset);
            return Vec::new();
        }
        let mut ended = if self.open.len() >= OPEN { self.finish() } else { Vec::new() };
        let text = StreamedText {
            text: piece.into_owned(),
            event_id: view.event.event_id.clone().into_owned(),
            sequence: view.event.sequence,
            branch: view.event.branch.clone().map(Into::into),
            offsets: vec![offset],
            is_thought: view.thought().is_some() || catalogue::is_reasoning(&view.event.kind),
            actor: view.event.actor.clone().into_owned(),
            is_of_sub_agent: view.is_of_sub_agent(),
        };
        ended.extend(self.open.insert(name, text));
        ended
    }

    /// What follows is no neighbour of the newest piece. Of texts without an id, only neighbours
    /// belong together.
    pub(crate) fn interrupt(&mut self) {
        self.newest = None;
    }

    /// The texts that are still open, by their beginnings.
    pub(crate) fn finish(&mut self) -> Vec<StreamedText> {
        let mut ended: Vec<StreamedText> = std::mem::take(&mut self.open).into_values().collect();
        ended.sort_by_key(|text| text.sequence);
        ended
    }
}
