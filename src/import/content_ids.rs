//! The event ids of calls and prompts of agents that have hooks. Live events from hooks have the
//! same.

use std::collections::HashMap;

use super::NamedEvents;
use crate::event::catalogue;
use crate::event::draft::Draft;
use crate::event::id::check_id;
use crate::event::role::Role;
use crate::hooks::{call_content_id, prompt_content_id};

/// The ids given so far in a stream.
#[derive(Debug, Default)]
pub(super) struct ContentIds {
    /// The id by content of each call, by its own id.
    calls: HashMap<String, String>,
    /// How often each content has come.
    numbers: HashMap<String, u64>,
}

impl ContentIds {
    /// The id of an event; `None` if it is named by its line.
    pub(super) fn name(&mut self, named: NamedEvents, draft: &Draft<'_>) -> Option<String> {
        let state = match catalogue::role(&draft.kind) {
            Role::ToolStart => "start",
            role if role.is_tool_end() => "end",
            Role::TaskStart if draft.actor.is_none() => {
                let text = draft.data().text_at("text")?;
                let id = self.next(|number| prompt_content_id(&text, number));
                return Some(format!("{id}/prompt"));
            }
            _ => return None,
        };
        let own = draft.correlation_id.as_deref()?;
        let call = match (named, state) {
            (NamedEvents::ById, _) => own.to_owned(),
            (NamedEvents::ByContent, "start") => {
                let (data, tool) = (draft.data(), draft.data().text_at("tool_name")?);
                let id = self.next(|number| call_content_id(&tool, data.get("args"), number));
                self.calls.insert(own.to_owned(), id.clone());
                id
            }
            (NamedEvents::ByContent, _) => self.calls.get(own)?.clone(),
        };
        let id = format!("{call}/{state}");
        check_id("event id", &id).is_ok().then_some(id)
    }

    /// The id with the next number of its content.
    fn next(&mut self, id: impl Fn(u64) -> String) -> String {
        let number = self.numbers.entry(id(0)).or_insert(0);
        *number += 1;
        id(*number)
    }
}
