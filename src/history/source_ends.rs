//! How an imported session ended: its file and what its agent printed may both say it.

use crate::event::fields::{UsageScope, View};
use crate::event::own::EndOfSource;
use crate::event::role::Role;
use crate::event::time::Timestamp;

use super::status::Status;

/// How many outputs of a session are remembered.
const MOST: usize = 64;

/// The ends that a log has of one session, and the rule that makes one of them.
///
/// The file's end counts; without one, the output's. A worse one of both counts. The end of an output is
/// not about what the session did later: it counts if its last model call is new, or the last one of the
/// file.
#[derive(Clone, Debug, Default)]
pub(super) struct SourceEnds {
    file: Option<SaidEnd>,
    /// The output's that counts.
    output: Option<SaidEnd>,
    /// The newest end of each output that has a model call, the newest output first.
    outputs: Vec<SaidEnd>,
    /// The newest model call of the main agent since the last end.
    newest_call: Option<String>,
}

/// An end of a source.
#[derive(Clone, Debug)]
pub(super) struct SaidEnd {
    /// The status that it sets.
    pub(super) status: Status,
    /// The error, as JSON text.
    pub(super) error: Option<String>,
    /// Why the session did not complete, in words.
    pub(super) reason: Option<String>,
    /// The time of the source's last line.
    last_time: Option<Timestamp>,
    last_call: Option<String>,
}

impl SaidEnd {
    /// The end that an event says, with the error that the run has then.
    pub(super) fn of(view: &View<'_, '_>, status: Status, error: Option<String>) -> Self {
        let has_reason = matches!(status, Status::Incomplete | Status::Cancelled);
        Self {
            status,
            error: error.filter(|_| status == Status::Failed),
            reason: view.error_text().filter(|_| has_reason).map(Into::into),
            last_time: view.field("last_time").and_then(|time| Timestamp::parse(&time)),
            last_call: None,
        }
    }
}

impl SourceEnds {
    /// Takes an event that is no end.
    pub(super) fn observe(&mut self, view: &View<'_, '_>) {
        let is_call = view.role == Role::Usage && view.usage_scope() == UsageScope::Call;
        if is_call && view.is_imported() && !view.is_of_sub_agent() {
            self.newest_call = view.model_call_id().map(Into::into);
        }
    }

    /// Takes the end of a source. Returns how the session ended; `None` if the end says nothing new,
    /// because it is that of an earlier part.
    pub(super) fn take(&mut self, end: &EndOfSource<'_>, mut known: SaidEnd) -> Option<&SaidEnd> {
        known.last_call = end.last_call.as_deref().map(str::to_owned);
        let newest = self.newest_call.take();
        let is_at = |end: &SaidEnd| end.last_call == known.last_call;
        let same = if end.is_output { &self.output } else { &self.file };
        let before = same.as_ref().and_then(|same| same.last_time);
        if before.zip(known.last_time).is_some_and(|(before, time)| time < before) {
            return None;
        }
        if !end.is_output {
            let of_last_call =
                self.outputs.iter().find(|end| known.last_call.is_some() && is_at(end));
            if of_last_call.is_some() || end.goes_on {
                self.output = of_last_call.cloned();
            }
            self.file = Some(known);
            return self.end();
        }
        let has_call = known.last_call.is_some();
        if has_call {
            self.outputs.retain(|end| !is_at(end));
            self.outputs.truncate(MOST - 1);
            self.outputs.insert(0, known.clone());
        }
        let is_at_end = self.file.as_ref().is_some_and(is_at);
        let is_first = self.file.is_none() && self.output.is_none();
        let is_new = !has_call || known.last_call == newest;
        if !(is_at_end || is_first || is_new || self.output.as_ref().is_some_and(is_at)) {
            return None;
        }
        if has_call && !is_at_end {
            // The file ended before it.
            self.file = None;
        }
        self.output = Some(known);
        self.end()
    }

    /// Forgets the ends of another session, or of an earlier start of the run.
    pub(super) fn forget(&mut self) {
        (self.file, self.output) = (None, None);
        self.outputs.clear();
    }

    /// The last model call of the output whose end the log has.
    pub(super) fn last_printed(&self) -> Option<&str> {
        self.output.as_ref()?.last_call.as_deref()
    }

    /// Whether the end of a file is among them.
    pub(super) fn has_file(&self) -> bool {
        self.file.is_some()
    }

    fn end(&self) -> Option<&SaidEnd> {
        let Some((file, output)) = self.file.as_ref().zip(self.output.as_ref()) else {
            return self.file.as_ref().or(self.output.as_ref());
        };
        let is_worse = output.status.is_worse_end_than(file.status);
        Some(if is_worse || file.status == Status::Imported { output } else { file })
    }
}
