//! Totals that a stream reports of one process: what earlier streams of the session used is added, and
//! the calls of other processes are named that the log has from the session file. So the newest total in
//! the log, with these calls, is that of the whole session.

use super::calls_in_log::{CallsInLog, SessionsInLog};
use crate::event::catalogue;
use crate::event::draft::Draft;
use crate::event::fields::{NOT_INCLUDED, SESSION_TOTAL, UsageScope, View};
use crate::event::role::Role;
use crate::history::usage::Usage;
use crate::import::line::Imported;
use crate::json::{ObjectText, quoted};
use crate::run::RunError;
use crate::run::recorder::Recorder;

/// The dialects whose totals are of one process, by name. Another process may resume the session.
const OF_PROCESSES: &[&str] = &["claude-code"];

/// What the log has of the sessions of a stream, from other sources.
#[derive(Default)]
pub(super) struct EarlierTotals {
    /// What the log has of each session, at the first total of the stream.
    sessions: SessionsInLog,
}

impl EarlierTotals {
    /// Adds to the totals of a line what the log has from other sources. Its events have their ids.
    ///
    /// # Errors
    /// The log cannot be read.
    pub(super) fn add_to(
        &mut self,
        line: &mut Imported,
        recorder: &Recorder,
        held: &[Draft<'_>],
    ) -> Result<(), RunError> {
        let mut is_added = false;
        let mut index = 0;
        while let Some(draft) = line.drafts.get_mut(index) {
            match scope_of(draft) {
                UsageScope::Session => {
                    let in_log = self.before(draft, recorder, held)?;
                    let newest = in_log.newest();
                    let is_of_session = newest.is_some_and(|newest| includes(draft, newest));
                    if !is_of_session {
                        let others = in_log.not_in(line.calls_in_total.as_deref());
                        newest.into_iter().for_each(|newest| add(draft, newest));
                        leave_out(draft, &others);
                        is_added = newest.is_some() || !others.is_empty();
                    }
                }
                // The parts of models are those of this process alone.
                UsageScope::Model if is_added => {
                    line.remove(index);
                    continue;
                }
                UsageScope::Model | UsageScope::Call => {}
            }
            index += 1;
        }
        Ok(())
    }

    /// What the log has of the session from other sources.
    fn before(
        &mut self,
        draft: &Draft<'_>,
        recorder: &Recorder,
        held: &[Draft<'_>],
    ) -> Result<&CallsInLog, RunError> {
        let session = draft.session_id.as_deref().unwrap_or_default();
        let id = draft.event_id.as_deref().unwrap_or_default();
        self.sessions.of(session, id, recorder, held)
    }
}

/// What the numbers of an event are about. A call, if they need not be changed.
fn scope_of(draft: &Draft<'_>) -> UsageScope {
    if catalogue::role(&draft.kind) != Role::Usage {
        return UsageScope::Call;
    }
    let event = draft.as_event();
    let view = View::of(&event);
    let dialect = view.dialect().unwrap_or_default();
    if OF_PROCESSES.contains(&dialect.as_ref()) { view.usage_scope() } else { UsageScope::Call }
}

/// Says which calls are not in a total.
fn leave_out(draft: &mut Draft<'_>, others: &[String]) {
    if others.is_empty() {
        return;
    }
    let ids = others.iter().map(|id| quoted(id)).collect::<Vec<_>>().join(",");
    let mut data = ObjectText::new();
    data.members(draft.data()).plain(NOT_INCLUDED, format_args!("[{ids}]"));
    draft.data = data.finish().into();
}

/// Whether a total says that it is of the whole session, and is not below the earlier one.
fn includes(draft: &Draft<'_>, earlier: &Usage) -> bool {
    let event = draft.as_event();
    let view = View::of(&event);
    let Some(total) = Usage::of(&view).filter(|_| view.is_set(SESSION_TOTAL)) else { return false };
    let numbers = |usage: &Usage| {
        let tokens = [usage.input_tokens, usage.output_tokens, usage.cache_read_tokens];
        tokens.map(|count| count.unwrap_or(0))
    };
    let mut pairs = numbers(&total).into_iter().zip(numbers(earlier));
    pairs.all(|(total, earlier)| total >= earlier)
        && total.reported_micros() >= earlier.reported_micros()
}

/// Adds to the numbers of a total.
fn add(draft: &mut Draft<'_>, earlier: &Usage) {
    let event = draft.as_event();
    let Some(mut sum) = Usage::of(&View::of(&event)) else { return };
    sum.add(earlier);
    let tokens = [
        ("input_tokens", sum.input_tokens),
        ("output_tokens", sum.output_tokens),
        ("cache_read_tokens", sum.cache_read_tokens),
        ("cache_creation_tokens", sum.cache_creation_tokens),
    ];
    let cost = sum.reported_micros().map(|micros| micros as f64 / 1e6);
    let is_number =
        |name: &str| name == "cost_usd" || tokens.iter().any(|(known, _)| *known == name);
    let mut data = ObjectText::new();
    for (name, tokens) in tokens {
        if let Some(tokens) = tokens {
            data.plain(name, tokens);
        }
    }
    if let Some(cost) = cost {
        data.plain("cost_usd", cost);
    }
    for (name, value) in draft.data().members().filter(|(name, _)| !is_number(name)) {
        data.json(&name, value);
    }
    draft.data = data.finish().into();
}
