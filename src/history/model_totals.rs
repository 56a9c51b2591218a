//! What sessions report as the totals of their models, beside the model calls in the log.

use std::collections::BTreeMap;

use foldhash::HashMap;

use super::usage::Usage;
use crate::event::fields::{LAST_CALL, View};
use crate::event::time::Timestamp;

/// The totals of models, and what their calls used.
#[derive(Clone, Debug, Default)]
pub(crate) struct ModelTotals {
    sessions: HashMap<String, SessionModels>,
}

/// The models of a session.
#[derive(Clone, Debug, Default)]
struct SessionModels {
    /// The sequence and the time of the newest total of the session, and whether its source told the calls
    /// that it includes.
    newest: Option<(u64, Timestamp, bool)>,
    /// The newest total of each model, and the sequence of the total of the session before it.
    totals: BTreeMap<String, (u64, Usage)>,
    /// The sum of the calls of each model that the total of the session includes.
    calls: BTreeMap<String, Usage>,
    /// The sum of the calls after it.
    later: BTreeMap<String, Usage>,
}

/// A model call beside a total.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallOfModel<'c> {
    /// Its session.
    pub session_id: &'c str,
    /// The model; empty if it is unknown.
    pub model: &'c str,
    /// What it used.
    pub usage: &'c Usage,
    /// Sequence of its first line.
    pub first_sequence: u64,
    /// Time of its first line.
    pub time: Timestamp,
    /// Whether it is from another program's log.
    pub imported: bool,
    /// Whether a total before it in the log may include it.
    pub may_be_in_earlier_total: bool,
}

impl ModelTotals {
    /// Takes a model call. One that a program's log has after a total is not in that total.
    pub(crate) fn call(&mut self, call: &CallOfModel<'_>) {
        let session = self.session(call.session_id);
        let is_later = call.imported
            && session.newest.is_some_and(|(sequence, time, calls_told)| {
                let is_never_in_it = calls_told && !call.may_be_in_earlier_total;
                call.first_sequence > sequence && (is_never_in_it || call.time >= time)
            });
        let calls = if is_later { &mut session.later } else { &mut session.calls };
        match calls.get_mut(call.model) {
            Some(sum) => sum.add(call.usage),
            None => drop(calls.insert(call.model.to_owned(), *call.usage)),
        }
    }

    /// Takes the total of a session. The totals of models that follow are its parts.
    pub(crate) fn total(&mut self, view: &View<'_, '_>) {
        let session = self.session(&view.event.session_id);
        let (sequence, time) = (view.event.sequence, view.event.timestamp);
        session.newest = Some((sequence, time, view.data.get(LAST_CALL).is_some()));
        for (model, usage) in std::mem::take(&mut session.later) {
            session.calls.entry(model).or_default().add(&usage);
        }
    }

    /// Takes the total of a model.
    pub(crate) fn model(&mut self, view: &View<'_, '_>, usage: Usage) {
        let Some(model) = view.field("model") else { return };
        let session = self.session(&view.event.session_id);
        let Some((of_total, ..)) = session.newest else { return };
        session.totals.insert(model.into_owned(), (of_total, usage));
    }

    /// The total of each model, and the sum of the calls that it includes, over all sessions.
    #[must_use]
    pub(crate) fn finish(self) -> BTreeMap<String, (Usage, Usage)> {
        let mut sums: BTreeMap<String, (Usage, Usage)> = BTreeMap::new();
        for session in self.sessions.into_values() {
            let SessionModels { newest, mut totals, calls, .. } = session;
            // Only the parts of the newest total count.
            totals
                .retain(|_, (of_total, _)| newest.is_some_and(|(newest, ..)| newest == *of_total));
            // Parts that lack the model of a call do not belong to these calls.
            if calls.keys().any(|model| !totals.contains_key(model)) {
                continue;
            }
            for (model, (_, total)) in totals {
                let part = calls.get(&model).copied().unwrap_or_default();
                let (sum, parts) = sums.entry(model).or_default();
                // What a total does not say, its calls do.
                sum.add(&total.or(&part));
                parts.add(&part);
            }
        }
        sums
    }

    fn session(&mut self, id: &str) -> &mut SessionModels {
        if !self.sessions.contains_key(id) {
            self.sessions.insert(id.to_owned(), SessionModels::default());
        }
        self.sessions.entry(id.to_owned()).or_default()
    }
}
