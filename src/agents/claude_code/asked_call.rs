//! A call that a message asked for, and whether another one with its id is the same.
use super::{ClaudeCode, SourceLine};
use crate::event::fields::is_placeholder;
use crate::json::Json;

/// A call that was asked for.
pub(super) struct AskedCall {
    /// The id in its events.
    pub(super) id: String,
    pub(super) tool: String,
    /// What its tool and its arguments are, as an id; `None` without arguments, which may follow.
    pub(super) content: Option<String>,
    /// When it was asked for.
    pub(super) asked: Option<String>,
    /// The id of the message that asked for it.
    pub(super) message: Option<String>,
    pub(super) has_ended: bool,
}

impl AskedCall {
    /// Whether a call with the same id and message is another one: it has other arguments, or comes
    /// after this one ended. A line of the same time is a copy, perhaps an edited one.
    pub(super) fn is_other_than(&self, content: Option<&str>, asked: Option<&str>) -> bool {
        let is_later = self.asked.as_deref().zip(asked).map(|(one, other)| one != other);
        let is_unlike =
            self.content.as_deref().zip(content).is_some_and(|(one, other)| one != other);
        match is_later {
            Some(is_later) => is_later && (is_unlike || self.has_ended),
            None => is_unlike,
        }
    }
}

impl ClaudeCode {
    /// Whether an id names one call, as far as is known.
    pub(super) fn names_one_call(&self, id: &str) -> bool {
        !is_placeholder(id) && !self.shared_calls.contains(id)
    }

    /// Takes an id for one that names nothing, because several calls have it. The results of these
    /// calls come in their order.
    pub(super) fn share(&mut self, line: &SourceLine<'_>, id: &str) {
        self.shared_calls.insert(id.to_owned());
        if let Some(first) = self.calls.get(id).filter(|first| !first.has_ended) {
            let agent = line.agent.as_deref().map(str::to_owned);
            let calls = self.unnamed.entry(agent).or_default();
            calls.push_back((id.to_owned(), first.message.clone()));
        }
    }

    /// The key of a result's call in `calls`: by the result's id, else by the line of the call, else
    /// the first open call without an id, else the newest call if it is open. Otherwise it is the only
    /// trace of a call.
    pub(super) fn call_of(&mut self, line: &SourceLine<'_>, result: Json<'_>) -> String {
        let own = result.text_at("tool_use_id").filter(|id| self.names_one_call(id));
        let source = line.json.text_at("sourceToolUseID");
        let source = source.filter(|id| self.calls.contains_key(id.as_ref()));
        if let Some(id) = own.or(source) {
            return id.into_owned();
        }
        let by_line = line.json.text_at("sourceToolAssistantUUID");
        let by_line = by_line.and_then(|uuid| self.by_line.get(uuid.as_ref()));
        let is_open = |key: &&String| self.calls.get(*key).is_some_and(|call| !call.has_ended);
        let by_line = by_line.and_then(|keys| keys.iter().find(is_open).or_else(|| keys.last()));
        if let Some(call) = by_line {
            return call.clone();
        }
        let agent = line.agent.as_deref().map(str::to_owned);
        let unnamed = self.unnamed.get_mut(&agent).into_iter();
        let mut unnamed = unnamed.flat_map(|calls| std::iter::from_fn(|| calls.pop_front()));
        let is_open = |key: &String| self.calls.get(key).is_some_and(|call| !call.has_ended);
        let first = unnamed.find_map(|(key, _)| is_open(&key).then_some(key));
        let newest = || self.newest_call.clone().filter(&is_open);
        first.or_else(newest).unwrap_or_else(|| line.place.to_owned())
    }
}
