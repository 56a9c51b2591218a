//! What identifies work wherever it is recorded: an agent's session that was resumed or forked holds the
//! history of an earlier one.

use foldhash::{HashMap, HashSet};

use super::facts::Counts;
use super::usage::Usage;
use crate::event::fields::{HISTORY, TIME_OF_READING, View};
use crate::event::id::is_unique;
use crate::event::role::Role;
use crate::fs::hash::{hex, sha256};

/// The hash of what identifies a piece of work wherever it is repeated.
pub(crate) type WorkKey = [u8; 16];

/// A piece of the work.
#[derive(Clone, Copy, Debug, Default)]
struct WorkItem {
    counts: Counts,
    /// Whether the log may not tell all of it: a call without its end, or an answer whose output
    /// tokens are a lower bound. A copy that was made later may tell more.
    is_partial: bool,
}

/// The work of one run, piece by piece.
#[derive(Clone, Debug, Default)]
pub(crate) struct WorkItems {
    items: HashMap<WorkKey, WorkItem>,
    /// The keys of model calls and tool calls, by the hashes of their ids.
    keys: HashMap<WorkKey, WorkKey>,
    /// The keys by history of items whose key has a time: a copy may have times of its own.
    by_history: HashMap<WorkKey, WorkKey>,
    /// All keys by history, and the key of the item of each.
    history_keys: HashMap<WorkKey, WorkKey>,
    /// What cannot be identified. Calls are counted apart, by their ids.
    anonymous: Counts,
    anonymous_calls: HashSet<WorkKey>,
}

impl WorkItems {
    /// Takes the next event of the run.
    pub(crate) fn observe(&mut self, view: &View<'_, '_>) {
        // A time of reading says nothing about the work: another log may be read at the same time.
        let origin = view.time_origin();
        let is_read = origin.as_deref() == Some(TIME_OF_READING);
        // Where a copy has times of its own, its place in the history identifies the work.
        let history = view.field(HISTORY);
        let usage = Usage::of(view);
        let is_work =
            usage.is_some() || view.role.is_tool_state() || view.is_prompt() || view.is_error();
        if !is_work {
            return;
        }
        let work_time = (!is_read).then(|| view.event.timestamp.to_string());
        let places = WorkPlaces { time: work_time.as_deref(), history: history.as_deref() };
        if let Some(usage) = usage {
            let request = view.field("request_id");
            // The lines of one response have several times; the first one counts.
            let places = match request.as_deref() {
                Some(request) => WorkPlaces { time: Some(request), history: None },
                None => places,
            };
            if let Some(id) = view.model_call_id()
                && let Some(item) = self.model_item(&id, places)
            {
                item.counts.usage = usage;
                item.is_partial = usage.output_at_least;
            }
        }
        if view.role.is_tool_state()
            && let Some(id) = view.event.correlation_id.as_deref()
        {
            if let Some(item) = self.item(&["tool", id], places.of(id)) {
                let is_new = std::mem::replace(&mut item.counts.tool_calls, 1) == 0;
                item.counts.tool_failures = u64::from(view.role == Role::ToolFail);
                item.is_partial = (is_new || item.is_partial) && !view.role.is_tool_end();
            } else {
                self.anonymous_calls.insert(key(&[id]));
                self.anonymous.tool_failures += u64::from(view.role == Role::ToolFail);
            }
        } else if view.is_prompt() {
            let text = view.text().unwrap_or_default();
            let id = view.event.event_id.strip_suffix("/prompt").filter(|id| is_unique(id));
            match self.key_of_either("prompt", &text, id, places) {
                Some(key) => self.item_of(key).counts.prompts = 1,
                None => self.anonymous.prompts += 1,
            }
        }
        if view.is_error() {
            let text = view.error_text().unwrap_or_default();
            let id = view.event.correlation_id.as_deref().filter(|id| is_unique(id));
            match self.key_of_either("error", &text, id, places) {
                Some(key) => self.item_of(key).counts.errors += 1,
                None => self.anonymous.errors += 1,
            }
        }
    }

    /// What identifies the model call of an event, as text.
    pub(crate) fn names_of(view: &View<'_, '_>) -> Vec<String> {
        let mut work = Self::default();
        work.observe(view);
        let mut names: Vec<String> = work.keys().map(|key| hex(key)).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// What identifies a model call.
    #[must_use]
    pub(crate) fn model_call(&self, id: &str) -> Option<WorkKey> {
        self.keys.get(&key(&["model", id])).copied()
    }

    /// What identifies a tool call.
    #[must_use]
    pub(crate) fn tool_call(&self, correlation_id: &str) -> Option<WorkKey> {
        self.keys.get(&key(&["tool", correlation_id])).copied()
    }

    /// What identifies each piece of the work. A piece may have two keys.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &WorkKey> {
        self.items.keys().chain(self.history_keys.keys())
    }

    /// The other key of a piece of the work, if it has one.
    #[must_use]
    pub(crate) fn other_key(&self, key: &WorkKey) -> Option<WorkKey> {
        self.by_history.get(key).copied()
    }

    /// The piece of the work that has one of these keys.
    fn find(&self, key: &WorkKey, other: Option<&WorkKey>) -> Option<&WorkItem> {
        let of_other = || self.items.get(self.history_keys.get(other?)?);
        self.items.get(key).or_else(of_other)
    }

    /// How complete the piece of the work with that key is.
    #[must_use]
    pub(crate) fn completeness(&self, key: &WorkKey) -> Completeness {
        let item = self.find(key, Some(key)).copied().unwrap_or_default();
        let output = item.counts.usage.output_tokens.unwrap_or(0);
        if item.is_partial { Completeness::Partial(output) } else { Completeness::Whole(output) }
    }

    /// The pieces of work that can be identified, without model calls: what identifies each, and its numbers.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = (&WorkKey, &Counts)> {
        self.items.iter().map(|(key, item)| (key, &item.counts))
    }

    /// The work that cannot be identified in another log.
    #[must_use]
    pub(crate) fn anonymous(&self) -> Counts {
        Counts { tool_calls: self.anonymous_calls.len() as u64, ..self.anonymous }
    }

    /// The item with that name. Its key also has the place of the first event with the name, so
    /// that ids that are only unique in their session do not meet. `None` without such a place.
    fn item(&mut self, name: &[&str], places: WorkPlaces<'_>) -> Option<&mut WorkItem> {
        let own = key(name);
        let known = self.keys.get(&own).copied();
        let key = known.or_else(|| self.key_of(name, places))?;
        self.keys.insert(own, key);
        Some(self.item_of(key))
    }

    /// The item of the model call with that id. Its place in the history says which call it is, also
    /// where a copy has another id.
    fn model_item(&mut self, id: &str, places: WorkPlaces<'_>) -> Option<&mut WorkItem> {
        let name = ["model", id];
        let Some(history) = places.history else { return self.item(&name, places.of(id)) };
        let own = key(&name);
        let by_time = places.time.map(|time| key(&[&name.concat(), time]));
        let by_history = key(&["model", history]);
        let known = self.keys.get(&own).copied();
        let key = known.or_else(|| self.known_by(by_time, Some(by_history)))?;
        self.keys.insert(own, key);
        Some(self.item_of(key))
    }

    /// The key of the item with that name at these places: by its time, else by its place in the
    /// history. `None` without both.
    fn key_of(&mut self, name: &[&str], places: WorkPlaces<'_>) -> Option<WorkKey> {
        let at = |place: &str| key(&[&name.concat(), place]);
        self.known_by(places.time.map(at), places.history.map(at))
    }

    /// The key of a prompt or an error with that text. Its id, if it is unique, takes precedence over
    /// its place in the history.
    fn key_of_either(
        &mut self,
        kind: &str,
        text: &str,
        id: Option<&str>,
        places: WorkPlaces<'_>,
    ) -> Option<WorkKey> {
        let at = |place: &str| key(&[&[kind, text].concat(), place]);
        let by_id = id.map(|id| key(&[&[kind, id].concat(), EVERYWHERE]));
        self.known_by(places.time.map(at), by_id.or_else(|| places.history.map(at)))
    }

    /// The key of an item with these keys, if it has any.
    fn known_by(
        &mut self,
        by_time: Option<WorkKey>,
        by_history: Option<WorkKey>,
    ) -> Option<WorkKey> {
        if let (Some(key), Some(other)) = (by_time, by_history) {
            self.by_history.entry(key).or_insert(other);
        }
        let key = by_time.or(by_history)?;
        if let Some(by_history) = by_history {
            self.history_keys.entry(by_history).or_insert(key);
        }
        Some(key)
    }

    fn item_of(&mut self, key: WorkKey) -> &mut WorkItem {
        self.items.entry(key).or_default()
    }
}

/// Where a piece of work is, in time and in the history of its session.
#[derive(Clone, Copy)]
struct WorkPlaces<'p> {
    time: Option<&'p str>,
    history: Option<&'p str>,
}

/// The place in the history of work whose id is unique: it is the same work in whatever log it is.
const EVERYWHERE: &str = "";

impl WorkPlaces<'_> {
    /// The places of a piece of work with that id.
    fn of(self, id: &str) -> Self {
        Self { history: if is_unique(id) { Some(EVERYWHERE) } else { self.history }, ..self }
    }
}

/// How complete a copy of a piece of work is. The most complete copy counts; among equal ones, the
/// oldest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Completeness {
    /// The call has no end, or the output tokens are a lower bound. The number is these tokens.
    Partial(u64),
    /// All of it. Of a model call, the first lines may report fewer output tokens than the last.
    Whole(u64),
}

/// The hash of some texts.
fn key(parts: &[&str]) -> WorkKey {
    let mut text = String::new();
    for part in parts {
        text.push_str(part);
        text.push('\0');
    }
    let mut key = [0; 16];
    key.copy_from_slice(&sha256(text.as_bytes())[..16]);
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::envelope::parse;

    /// If this fails, calls of two logs without times that were read in one millisecond are taken
    /// for one call, and one of them is not counted.
    #[test]
    fn a_time_of_reading_identifies_nothing() {
        let keys = |more: &str| {
            let mut work = WorkItems::default();
            for (kind, actor, severity, data) in [
                ("tool.started", "tool", "info", r#""tool_name":"Bash""#),
                ("message.user", "user", "info", r#""text":"Go on""#),
                ("llm.usage", "llm", "info", r#""message_id":"m","input_tokens":1"#),
                ("error.raised", "system", "error", r#""message":"no""#),
            ] {
                let line = format!(
                    r#"{{"event_id":"e","sequence":1,"run_id":"r","session_id":"s","task_id":"t","type":"{kind}","timestamp":"2026-03-01T09:00:00.000Z","actor":"{actor}","severity":"{severity}","summary":"x","data":{{{data},"dialect":"codex"{more}}},"correlation_id":"item_1"}}"#
                );
                work.observe(&View::of(&parse(line.as_bytes()).unwrap()));
            }
            (work.keys().count(), work.tool_call("item_1").is_some())
        };
        assert_eq!(keys(""), (4, true));
        assert_eq!(keys(r#","time_origin":"time_of_reading""#), (0, false));
    }
}
