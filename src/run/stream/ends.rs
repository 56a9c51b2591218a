//! How a session ended, if both its file and what its agent printed say something about it.

use foldhash::{HashMap, HashSet};

use crate::event::draft::Draft;
use crate::event::fields::{LAST_CALL, UsageScope, View};
use crate::event::role::Role;
use crate::import::SessionEnd;
use crate::import::line::Imported;

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
    /// The last model call of the main agent that the agent printed.
    last_printed: Option<String>,
    /// Whether there are lines that an agent printed.
    has_printed: bool,
}

/// What a log has of a session, before an import.
#[derive(Default)]
pub(crate) struct SessionInLog {
    /// The model calls of the main agent, each with whether the session goes on after it: with another
    /// call, a prompt or an error.
    calls: HashMap<String, bool>,
    /// The newest of them, until the session goes on.
    newest: Option<String>,
    /// The last calls that the totals of processes have.
    last_printed: Vec<String>,
}

/// How the run of a session ends.
pub(crate) enum EndOfSession {
    /// As the lines say, or in an unknown way.
    Told(Option<SessionEnd>),
    /// The same, and the session went on after what its agent printed.
    WentOn(Option<SessionEnd>),
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

    /// The end by the last line that says one.
    pub(crate) fn last(self) -> Option<SessionEnd> {
        self.last
    }

    /// Whether the log must be read: see [`SessionInLog`]. `is_longer`: the lines tell more than the log.
    #[must_use]
    pub(crate) fn depends_on_log(&self, is_longer: bool) -> bool {
        self.has_printed || (is_longer && !self.in_file.is_empty())
    }

    /// The end of the run. `log`: what it has of the session if [`SessionEnds::depends_on_log`].
    #[must_use]
    pub(crate) fn in_run(self, log: Option<&SessionInLog>) -> EndOfSession {
        if self.in_file.is_empty() {
            let tells = self.last.as_ref().is_some_and(|end| !end.is_until_told);
            let goes_on = log.zip(self.last_printed.as_ref());
            return match goes_on.and_then(|(log, printed)| log.calls.get(printed)) {
                Some(goes_on) if *goes_on || !tells => EndOfSession::Known,
                _ => EndOfSession::Told(self.last),
            };
        }
        let in_log = log.map(|log| log.last_printed.as_slice()).unwrap_or_default();
        let printed = || in_log.iter().chain(&self.last_printed);
        let is_told = printed().any(|call| self.last_in_file.as_ref() == Some(call));
        if !is_told && printed().any(|call| self.in_file.contains(call)) {
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
        if !view.is_imported() || view.is_of_sub_agent() {
            return;
        }
        let mut goes_on = view.is_prompt() || view.role == Role::Error;
        if view.role == Role::Usage {
            if let Some(last) = view.data.text_at(LAST_CALL) {
                self.last_printed.push(last.into_owned());
            }
            let id = view.model_call_id().filter(|_| view.usage_scope() == UsageScope::Call);
            goes_on = id.as_ref().is_some_and(|id| !self.calls.contains_key(&**id));
            if let Some(id) = id.filter(|_| goes_on) {
                self.go_on();
                self.newest = Some(id.clone().into_owned());
                self.calls.insert(id.into_owned(), false);
                return;
            }
        }
        if goes_on {
            self.go_on();
        }
    }

    fn go_on(&mut self) {
        if let Some(call) = self.newest.take() {
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
