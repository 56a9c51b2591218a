//! The calls of a stream, for dialects that report the start and the end of a call apart.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};

use super::SourceText;
use super::source::{EndedCall, StartedCall, call_end};
use crate::event::draft::Draft;
use crate::event::fields::is_placeholder;
use crate::json::ObjectText;

/// How a call ended, with the text that says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CallOutcome {
    /// It gave a result.
    Completed(String),
    /// It failed.
    Failed(String),
    /// It was denied before it ran.
    Blocked(String),
}

/// The calls that a stream has reported.
#[derive(Debug, Default)]
pub(super) struct ReportedCalls {
    /// The newest call with each id.
    named: HashMap<String, ReportedCall>,
    /// The open calls without an id of their own, oldest first.
    unnamed: VecDeque<ReportedCall>,
}

#[derive(Debug)]
struct ReportedCall {
    /// The id that its events have.
    id: String,
    tool: String,
    has_ended: bool,
}

impl ReportedCalls {
    /// The start of a call; `None` if a call with that id is open. An id that an ended call had
    /// names a new call.
    pub(super) fn start(
        &mut self,
        source: &SourceText<'_>,
        call: &StartedCall<'_>,
        index: usize,
        more: impl FnOnce(&mut ObjectText),
    ) -> Option<Draft<'static>> {
        let own = call.id.as_deref().filter(|id| !is_placeholder(id));
        let known = own.and_then(|id| self.named.get(id));
        if known.is_some_and(|known| !known.has_ended) {
            return None;
        }
        let id = if known.is_some() { None } else { own.map(|id| Cow::Owned(id.to_owned())) };
        let draft = source.call(&StartedCall { id, ..*call }, index, more);
        let id = draft.correlation_id.as_deref().unwrap_or_default().to_owned();
        let tool = call.tool.to_owned();
        let started = ReportedCall { id, tool, has_ended: false };
        match own {
            Some(own) => drop(self.named.insert(own.to_owned(), started)),
            None => self.unnamed.push_back(started),
        }
        Some(draft)
    }

    /// The tool of the newest call with that id.
    pub(super) fn tool(&self, id: &str) -> Option<&str> {
        self.named.get(id).map(|call| call.tool.as_str())
    }

    /// The end of a call; `None` if its end is known. An end without an id belongs to the oldest
    /// open call without an id.
    pub(super) fn end(
        &mut self,
        source: &SourceText<'_>,
        id: Option<&str>,
        tool: Option<&str>,
        outcome: &CallOutcome,
        more: impl FnOnce(&mut ObjectText),
    ) -> Option<Draft<'static>> {
        let ended = |id: &str| ReportedCall {
            id: id.to_owned(),
            tool: tool.unwrap_or("tool").to_owned(),
            has_ended: false,
        };
        let Some(own) = id.filter(|id| !is_placeholder(id)) else {
            let of_tool = |open: &ReportedCall| tool.is_none_or(|tool| open.tool == tool);
            let place = self.unnamed.iter().position(of_tool);
            let open = place.and_then(|place| self.unnamed.remove(place));
            let call = open.unwrap_or_else(|| ended(source.place));
            return Some(end(&call.id, &call.tool, outcome, more));
        };
        let call = self.named.entry(own.to_owned()).or_insert_with(|| ended(own));
        if std::mem::replace(&mut call.has_ended, true) {
            return None;
        }
        Some(end(&call.id, &call.tool, outcome, more))
    }
}

/// The end of the call with that id.
pub(super) fn end(
    id: &str,
    tool: &str,
    outcome: &CallOutcome,
    more: impl FnOnce(&mut ObjectText),
) -> Draft<'static> {
    let (text, failed) = match outcome {
        CallOutcome::Completed(text) => (text, false),
        CallOutcome::Failed(text) => (text, true),
        CallOutcome::Blocked(reason) => {
            let mut data = ObjectText::new();
            data.text("tool_name", tool).text("reason", reason);
            more(&mut data);
            let mut draft = Draft::new("tool.blocked", data);
            draft.correlation_id = Some(id.to_owned().into());
            return draft;
        }
    };
    call_end(&EndedCall { id, tool, text, failed }, more)
}
