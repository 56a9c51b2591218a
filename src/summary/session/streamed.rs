//! Joins the pieces of streamed texts, for what looks at whole texts.

use super::stream_name::StreamName;
use crate::event::catalogue;
use crate::event::fields::View;
use crate::event::role::Role;

/// The most texts that are open at once. The oldest one ends when another one begins.
const OPEN: usize = 32;
/// The most bytes of a text that are kept.
const MOST: usize = 1 << 20;

/// A text that came in pieces.
#[derive(Clone, Debug)]
pub(crate) struct StreamedText {
    name: StreamName,
    /// The pieces so far.
    pub(crate) text: String,
    /// The id, the sequence and the branch of the first piece, and the byte at which its line begins.
    pub(crate) event_id: String,
    pub(crate) sequence: u64,
    pub(crate) offset: u64,
    pub(crate) branch: Option<String>,
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
    open: Vec<StreamedText>,
    /// Whether the newest event was a piece of the newest text.
    is_adjacent: bool,
}

impl StreamedTexts {
    /// Takes an event, whose line begins at byte `offset`. Returns the texts that it ends: a new
    /// request or the end of a run ends all of them.
    pub(crate) fn observe(&mut self, view: &View<'_, '_>, offset: u64) -> Vec<StreamedText> {
        if view.role != Role::Chunk {
            self.is_adjacent &= view.role.is_bookkeeping();
            let ends = view.role == Role::TaskStart || view.role.ends_run();
            return if ends { self.finish() } else { Vec::new() };
        }
        let Some(piece) = view.text() else { return Vec::new() };
        let name = StreamName::of(view);
        let known = self.open.iter().rposition(|text| text.name == name);
        let known =
            known.filter(|at| name.has_id() || self.is_adjacent && at + 1 == self.open.len());
        self.is_adjacent = true;
        if let Some(at) = known {
            let mut text = self.open.remove(at);
            let room = MOST.saturating_sub(text.text.len());
            text.text.push_str(&piece[..piece.floor_char_boundary(room)]);
            self.open.push(text);
            return Vec::new();
        }
        self.open.push(StreamedText {
            name,
            text: piece.into_owned(),
            event_id: view.event.event_id.clone().into_owned(),
            sequence: view.event.sequence,
            offset,
            branch: view.event.branch.clone().map(Into::into),
            is_thought: view.thought().is_some() || catalogue::is_reasoning(&view.event.kind),
            actor: view.event.actor.clone().into_owned(),
            is_of_sub_agent: view.is_of_sub_agent(),
        });
        let surplus = self.open.len().saturating_sub(OPEN);
        self.open.drain(..surplus).collect()
    }

    /// The texts that are still open, by their beginnings.
    pub(crate) fn finish(&mut self) -> Vec<StreamedText> {
        let mut ended = std::mem::take(&mut self.open);
        ended.sort_by_key(|text| text.sequence);
        ended
    }
}
