//! How a session ended, if both its file and what its agent printed say something about it.

use foldhash::{HashMap, HashSet};

use crate::event::draft::Draft;
use crate::event::fields::{CALLS_IN_TOTAL, UsageScope, View};
use crate::event::role::Role;
use crate::import::SessionEnd;
use crate::import::line::Imported;
use crate::json::Json;

/// The ends that the lines of a stream tell. What an agent prints ends with its process; the session may go
/// on in another one, and its file tells that.
#[derive(Default)]
pub(crate) struct SessionEnds {
    /// The end by the last line that says one, and the same by the lines that the agent printed, and by
    /// those of the session's file.
    last: Option<SessionEnd>,
    printed: Option<SessionEnd>,
    of_file: Option<SessionEnd>,
    /// The model calls of the main agent in the session's file.
    in_file: HashSet<String>,
    /// The last of them, unless a prompt or an error follows it.
    last_in_file: Option<String>,
    /// The last model call of the main agent that the agent printed, and the last one before it told an end.
    last_printed: Option<String>,
    last_told: Option<String>,
    /// Whether there are lines that an agent printed.
    has_printed: bool,
}

/// What a log has of a session, before an import.
#[derive(Default)]
pub(crate) struct SessionInLog {
    /// The model calls of the main agent, each with whether the session goes on after it: with another
    /// call, a prompt or an error.
    calls: HashMap<String, bool>,
    /// The newest of them, until the session goes on, and whether an agent printed it.
    newest: Option<(String, bool)>,
    /// The last calls that the totals of processes have, each with the end that was recorded after it.
    last_printed: Vec<(String, Option<SessionEnd>)>,
}

/// How the run of a session ends.
pub(crate) enum EndOfSession {
    /// As the lines say, or in an unknown way.
    Told(Option<SessionEnd>),
    /// The same, and the session went on after what its agent printed.
    WentOn(Option<SessionEnd>),
    /// As an earlier import recorded it: the lines add nothing after it.
    Again(SessionEnd),
    /// As the run says: it has more of the session than what its agent printed.
    Known,
}

impl SessionEnds {
    /// Takes the end that a line tells.
    pub(super) fn take(&mut self, line: &mut Imported) {
        let next = line.ending.take();
        if let Some(is_printed) = line.is_printed {
            self.has_printed |= is_printed;
            let call = main_call(&line.drafts);
            let end = if is_printed { &mut self.printed } else { &mut self.of_file };
            *end = SessionEnd::after(end.take(), next.clone(), || line.goes_on());
            if is_printed {
                self.last_printed = call.or(self.last_printed.take());
                // An output that was cut off tells no end.
                if next.as_ref().is_some_and(|end| !end.is_until_told) {
                    self.last_told.clone_from(&self.last_printed);
                }
            } else {
                if let Some(call) = call {
                    self.last_in_file = Some(call.clone());
                    self.in_file.insert(call);
                } else if line.drafts.iter().any(goes_past) {
                    self.last_in_file = None;
                }
            }
        }
        self.last = SessionEnd::after(self.last.take(), next, || line.goes_on());
    }

    /// The last model call of the main agent that the agent printed.
    pub(crate) fn last_printed(&self) -> Option<&str> {
        self.last_printed.as_deref()
    }

    /// The end by the last line that says one.
    pub(crate) fn last(self) -> Option<SessionEnd> {
        self.last
    }

    /// Whether the log must be read: see [`SessionInLog`]. `is_longer`: whether the lines tell more than the
    /// log did when the run ended.
    #[must_use]
    pub(crate) fn depends_on_log(&self, is_longer: impl FnOnce() -> bool) -> bool {
        self.has_printed || (!self.in_file.is_empty() && is_longer())
    }

    /// The end of the run. `log`: what it has of the session if [`SessionEnds::depends_on_log`].
    #[must_use]
    pub(crate) fn in_run(self, log: Option<&SessionInLog>) -> EndOfSession {
        if self.in_file.is_empty() {
            let tells = self.last.as_ref().is_some_and(|end| !end.is_until_told);
            let goes_on = log.zip(self.last_printed.as_ref());
            return match goes_on.map(|(log, printed)| log.calls.get(printed)) {
                Some(Some(goes_on)) if *goes_on || !tells => EndOfSession::Known,
                // An output that was cut off before the first answer says nothing.
                None if !tells && log.is_some_and(|log| !log.calls.is_empty()) => {
                    EndOfSession::Known
                }
                _ => EndOfSession::Told(self.last),
            };
        }
        let in_log = log.map(|log| log.last_printed.as_slice()).unwrap_or_default();
        let is_last = |call: &String| self.last_in_file.as_ref() == Some(call);
        let is_told = self.last_told.as_ref().is_some_and(is_last);
        let known = in_log.iter().rfind(|(call, _)| is_last(call) && !is_told);
        if let Some((_, Some(end))) = known {
            return EndOfSession::Again(end.clone());
        }
        let mut printed = in_log.iter().map(|(call, _)| call).chain(&self.last_told);
        let went_on = known.is_none() && !is_told;
        if went_on && printed.any(|call| self.in_file.contains(call)) {
            return EndOfSession::WentOn(self.of_file);
        }
        // An output that was cut off says nothing.
        let printed = self.printed.filter(|end| !end.is_until_told);
        EndOfSession::Told(printed.or(self.of_file))
    }
}

impl SessionInLog {
    /// Takes the next event of the session.
    pub(crate) fn take(&mut self, view: &View<'_, '_>) {
        if view.ends_source() {
            let end = SessionEnd::recorded(&view.event.kind, view.event.data);
            let open = self.last_printed.iter_mut().rev().take_while(|(_, end)| end.is_none());
            open.for_each(|(_, last)| last.clone_from(&end));
        }
        if !view.is_imported() || view.is_of_sub_agent() {
            return;
        }
        let is_printed = view.has_time_of_reading();
        // What a process printed after calls that only the file has is no news: its own calls are among them.
        let is_next = self.newest.as_ref().is_some_and(|(_, newest)| *newest || !is_printed);
        let mut goes_on = is_next && (view.is_prompt() || view.role == Role::Error);
        if view.role == Role::Usage {
            let named = view.data.get(CALLS_IN_TOTAL).into_iter().flat_map(Json::items);
            if let Some(last) = named.last().and_then(Json::as_str) {
                self.last_printed.push((last.into_owned(), None));
            }
            let id = view.model_call_id().filter(|_| view.usage_scope() == UsageScope::Call);
            goes_on = id.as_ref().is_some_and(|id| !self.calls.contains_key(&**id));
            if let Some(id) = id.filter(|_| goes_on) {
                self.go_on();
                self.newest = Some((id.clone().into_owned(), is_printed));
                self.calls.insert(id.into_owned(), false);
                return;
            }
        }
        if goes_on {
            self.go_on();
        }
    }

    fn go_on(&mut self) {
        if let Some((call, _)) = self.newest.take() {
            self.calls.insert(call, true);
        }
    }
}

/// Whether the main agent's session goes on with an event that is no call.
fn goes_past(draft: &Draft<'_>) -> bool {
    matches!(draft.kind.as_ref(), "message.user" | "error")
        && draft.data().get("agent_id").is_none()
}

/// The model call of the main agent that a line is of.
fn main_call(drafts: &[Draft<'_>]) -> Option<String> {
    let usage = drafts.iter().find(|draft| draft.kind == "llm.usage")?.data();
    let id = usage.text_at("message_id")?;
    let is_of_main = usage.get("agent_id").is_none() && usage.get("scope").is_none();
    is_of_main.then(|| id.into_owned())
}
