//! The event ids of calls and prompts of agents that have hooks. Live events from hooks have the
//! same.

use std::collections::HashMap;

use super::NamedEvents;
use super::read::numbers::GivenNumbers;
use crate::event::catalogue;
use crate::event::draft::Draft;
use crate::event::id::check_id;
use crate::event::role::Role;
use crate::hooks::{call_content_id, prompt_content_id};

/// Where an event is in its source: the id of its line, the beginning of the line's hash, and the
/// event's number in the line.
pub(super) type SourceItem = (String, [u8; 8], usize);

/// The ids given so far in a stream.
#[derive(Debug, Default)]
pub(super) struct ContentIds {
    /// The id by content of each call, by its own id.
    calls: HashMap<String, String>,
    /// How often each content has come.
    numbers: HashMap<String, u64>,
    /// The ids given so far, by the places of the events. A line that comes again has the same ids.
    places: HashMap<SourceItem, String>,
}

impl ContentIds {
    /// Goes on after these numbers.
    pub(super) fn go_on(&mut self, numbers: &GivenNumbers) {
        self.numbers =
            numbers.iter().map(|(name, number)| (format!("{name}.0"), *number)).collect();
        self.places.clear();
    }

    /// The id of the event at this place; `None` if it is named by its line.
    pub(super) fn name(
        &mut self,
        named: NamedEvents,
        draft: &Draft<'_>,
        place: impl Fn() -> SourceItem,
    ) -> Option<String> {
        let state = match catalogue::role(&draft.kind) {
            Role::ToolStart => "start",
            role if role.is_tool_end() => "end",
            Role::TaskStart if draft.actor.is_none() => {
                let text = draft.data().text_at("text")?;
                let id = self.next(place(), |number| prompt_content_id(&text, number));
                return Some(format!("{id}/prompt"));
            }
            _ => return None,
        };
        let own = draft.correlation_id.as_deref()?;
        let call = match (named, state) {
            (NamedEvents::ById, _) => own.to_owned(),
            (NamedEvents::ByContent, "start") => {
                let (data, tool) = (draft.data(), draft.data().text_at("tool_name")?);
                let id = |number| call_content_id(&tool, data.get("args"), number);
                let id = self.next(place(), id);
                self.calls.insert(own.to_owned(), id.clone());
                id
            }
            (NamedEvents::ByContent, _) => self.calls.get(own)?.clone(),
        };
        let id = format!("{call}/{state}");
        check_id("event id", &id).is_ok().then_some(id)
    }

    /// The id with the next number of its content, or the one that the event has already.
    fn next(&mut self, place: SourceItem, id: impl Fn(u64) -> String) -> String {
        if let Some(known) = self.places.get(&place) {
            return known.clone();
        }
        let number = self.numbers.entry(id(0)).or_insert(0);
        *number += 1;
        let id = id(*number);
        self.places.insert(place, id.clone());
        id
    }
}
