//! The conversation of a run, event by event.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};

use super::cuts::cuts_between_calls;
use super::stream_name::StreamName;
use super::tokens::TokenEstimate;
use super::turn::{CallFormat, CallPart, Turn, author, turn_text};
use crate::event::fields::View;
use crate::event::role::Role;
use crate::history::calls::Calls;
use crate::secret::SecretRules;
use crate::text::inert;

/// The turns of a conversation.
#[derive(Debug)]
pub(crate) struct Conversation {
    /// The turns in order.
    pub(crate) turns: Vec<Turn>,
    /// Whether the run has ended.
    pub(crate) run_has_ended: bool,
    format: CallFormat,
    secrets: Option<&'static SecretRules>,
    calls: Calls,
    /// The newest state of each call since the last request: whether it is an end, and the hash of
    /// its text.
    newest: HashMap<usize, (bool, u64)>,
    hasher: RandomState,
    /// The turn of each streamed text: its index, and the sequence of its first event.
    streams: HashMap<StreamName, (usize, u64)>,
    /// The streamed text without an id that the last turn belongs to.
    nameless: Option<StreamName>,
}

/// How much of the end of a streamed text is searched for secrets after each piece, in bytes.
const LOOKED_AT: usize = 16 << 10;

impl Conversation {
    /// No turns yet.
    #[must_use]
    pub(crate) fn new(format: CallFormat, secrets: Option<&'static SecretRules>) -> Self {
        Self {
            turns: Vec::new(),
            run_has_ended: false,
            format,
            secrets,
            calls: Calls::default(),
            newest: HashMap::new(),
            hasher: RandomState::new(),
            streams: HashMap::new(),
            nameless: None,
        }
    }

    /// Takes the next event, whose line begins at byte `offset`. Of an event that is not `wanted`,
    /// only the call is remembered.
    pub(crate) fn observe(&mut self, view: &View<'_, '_>, offset: u64, wanted: bool) {
        match view.role {
            role if role.ends_run() => self.run_has_ended = true,
            Role::RunStarted | Role::RunResumed => self.run_has_ended = false,
            _ => {}
        }
        let call = self.calls.observe(view, offset).map(|observed| observed.call);
        if !wanted {
            self.nameless = None;
            return;
        }
        if self.continues_stream(view) {
            return;
        }
        let tool = call.map(|call| self.calls.tool(call));
        let Some(text) = turn_text(view, tool, self.format) else { return };
        // Two streams may report the same call or result.
        if let Some(call) = call
            && view.role.is_tool_state()
            && let (ends, mark) = (view.role.is_tool_end(), self.hasher.hash_one(&text))
            && self.newest.insert(call, (ends, mark)) == Some((ends, mark))
        {
            return;
        }
        let call = call.map(|call| match view.role {
            Role::ToolStart => CallPart::Start(call),
            _ => CallPart::End(call),
        });
        let mut text = self.redacted(text);
        if view.role == Role::Chunk {
            // `turn_text` trims; the next piece follows the space.
            let piece = view.text().unwrap_or_default();
            text.push_str(&inert::text(&piece[piece.trim_end().len()..]));
        }
        let sequence = view.event.sequence;
        let is_note = matches!(view.role, Role::Note | Role::Section);
        let is_request = (view.role == Role::TaskStart || author(view) == "user" && !is_note)
            && !view.is_of_sub_agent();
        if is_request {
            // Ids are used again in the next round.
            self.streams.clear();
            self.newest.clear();
        }
        let name = (view.role == Role::Chunk).then(|| StreamName::of(view));
        if let Some(name) = &name {
            self.streams.insert(name.clone(), (self.turns.len(), sequence));
        }
        self.nameless = name.filter(|name| !name.has_id());
        self.turns.push(Turn {
            event_id: view.event.event_id.clone().into_owned(),
            first_sequence: sequence,
            sequence,
            time: view.event.timestamp,
            text,
            events: u64::from(!view.role.is_bookkeeping()),
            is_request,
            call,
        });
    }

    /// Forgets the turns, because a later event is the boundary.
    pub(crate) fn clear(&mut self) {
        self.turns.clear();
        self.newest.clear();
        self.streams.clear();
        self.nameless = None;
    }

    /// The number of events in the turns.
    #[must_use]
    pub(crate) fn events(&self) -> u64 {
        self.turns.iter().map(|turn| turn.events).sum()
    }

    /// The estimated tokens of the turns.
    #[must_use]
    pub(crate) fn tokens(&self, estimate: &TokenEstimate) -> u64 {
        self.turns.iter().map(|turn| estimate.of(&turn.text)).sum()
    }

    /// Removes the last `skipped` events, and the start of a call whose result is removed or still
    /// to come. With `open_calls`, a call that has no result yet may stay.
    pub(crate) fn keep_complete(&mut self, skipped: u64, open_calls: bool) {
        let mut kept = self.turns.len();
        let mut left = skipped;
        while left > 0 && kept > 0 {
            left = left.saturating_sub(self.turns[kept - 1].events);
            kept -= 1;
        }
        let places = cuts_between_calls(&self.turns, self.run_has_ended || open_calls);
        let place = places.into_iter().rfind(|place| *place <= kept);
        self.turns.truncate(place.unwrap_or(0));
    }

    /// Adds a piece to the turn of its text. Returns false if it begins a text.
    fn continues_stream(&mut self, view: &View<'_, '_>) -> bool {
        if view.role != Role::Chunk {
            return false;
        }
        let name = StreamName::of(view);
        let goes_on = name.has_id() || self.nameless.as_ref() == Some(&name);
        let Some((at, start)) = self.streams.get(&name).copied().filter(|_| goes_on) else {
            return false;
        };
        let turn = self.turns.get_mut(at).filter(|turn| turn.first_sequence == start);
        let Some(turn) = turn else { return false };
        let piece = view.text().unwrap_or_default();
        turn.text.push_str(&inert::text(&piece));
        turn.event_id = view.event.event_id.clone().into_owned();
        turn.sequence = view.event.sequence;
        turn.time = view.event.timestamp;
        turn.events += 1;
        // A secret may be spread over several pieces. Most of a long text was looked at before.
        let from = turn.text.floor_char_boundary(turn.text.len().saturating_sub(LOOKED_AT));
        let end = turn.text.split_off(from);
        let end = self.redacted(end);
        if let Some(turn) = self.turns.get_mut(at) {
            turn.text.push_str(&end);
        }
        true
    }

    fn redacted(&self, text: String) -> String {
        let redacted = self.secrets.and_then(|rules| rules.redact(&text));
        let text = redacted.map_or(text, |redacted| redacted.text);
        inert::text(&text).into_owned()
    }
}
