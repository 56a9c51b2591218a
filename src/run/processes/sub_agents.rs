//! Model calls of sub-agents in the file of a session, where the log already has the total of a process: those of
//! agents that another process started are not in that total, and are flagged.

use super::calls_in_log::SessionsInLog;
use crate::event::catalogue;
use crate::event::draft::Draft;
use crate::event::fields::{NOT_IN_TOTAL, UsageScope, View};
use crate::event::role::Role;
use crate::import::line::Imported;
use crate::json::ObjectText;
use crate::run::RunError;
use crate::run::recorder::Recorder;

/// The sub-agents in the files of sessions.
#[derive(Default)]
pub(super) struct AgentsBesideTotals {
    /// Whether the run had no events before the stream.
    is_in_new_run: bool,
    /// Whether the stream had the total of a process.
    has_total: bool,
    /// What the log has of each session, from the first model call of a sub-agent on.
    sessions: SessionsInLog,
}

impl AgentsBesideTotals {
    /// For a stream into a run without events.
    pub(super) fn in_new_run() -> Self {
        Self { is_in_new_run: true, ..Self::default() }
    }

    /// Flags the model calls of a line that no total before it includes. Its events have their ids.
    ///
    /// # Errors
    /// The log cannot be read.
    pub(super) fn flag_in(
        &mut self,
        line: &mut Imported,
        recorder: &Recorder,
        held: &[Draft<'_>],
    ) -> Result<(), RunError> {
        if line.calls_in_total.is_some() {
            self.has_total = true;
            self.sessions = SessionsInLog::default();
        }
        if line.is_printed != Some(false) || (self.is_in_new_run && !self.has_total) {
            return Ok(());
        }
        for draft in &mut line.drafts {
            match catalogue::role(&draft.kind) {
                Role::Usage => {
                    if self.is_of_other_process(draft, recorder, held)? {
                        flag(draft);
                    }
                }
                role => {
                    let session = draft.session_id.as_deref().unwrap_or_default();
                    if let Some(known) = self.sessions.known(session) {
                        known.take_call(role, &View::of(&draft.as_event()));
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether a model call is of an agent that another process started than those of the newest total.
    fn is_of_other_process(
        &mut self,
        draft: &Draft<'_>,
        recorder: &Recorder,
        held: &[Draft<'_>],
    ) -> Result<bool, RunError> {
        let event = draft.as_event();
        let view = View::of(&event);
        if !view.is_of_sub_agent() || view.usage_scope() != UsageScope::Call {
            return Ok(false);
        }
        let known = self.sessions.of(&event.session_id, "", recorder, held)?;
        Ok(known.is_of_other_process(&view))
    }
}

fn flag(draft: &mut Draft<'_>) {
    let mut data = ObjectText::new();
    data.members(draft.data()).plain(NOT_IN_TOTAL, true);
    draft.data = data.finish().into();
}
