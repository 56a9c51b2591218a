//! What sessions report as the totals of their models, beside the model calls in the log.

use std::collections::BTreeMap;

use foldhash::HashMap;

use super::usage::Usage;
use crate::event::fields::View;
use crate::event::time::Timestamp;

/// The totals of models, and what their calls used.
#[derive(Clone, Debug, Default)]
pub(crate) struct ModelTotals {
    sessions: HashMap<String, SessionModels>,
}

/// The models of a session.
#[derive(Clone, Debug, Default)]
struct SessionModels {
    /// The sequence and the time of the newest total.
    newest: Option<(u64, Timestamp)>,
    models: BTreeMap<String, ModelUsage>,
}

/// What a session used of a model.
#[derive(Clone, Debug, Default)]
struct ModelUsage {
    /// The newest total.
    total: Option<Usage>,
    /// The sum of the calls that the total has.
    calls: Usage,
    /// The sum of the calls after the newest total of the session.
    later: Usage,
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
    /// Sequence of its last line.
    pub sequence: u64,
    /// Time of its first line.
    pub time: Timestamp,
    /// Whether it is from another program's log.
    pub imported: bool,
}

impl ModelTotals {
    /// Takes a model call. One that a program's log has after a total is not in that total.
    pub(crate) fn call(&mut self, call: &CallOfModel<'_>) {
        let session = self.session(call.session_id);
        let is_later = call.imported
            && session
                .newest
                .is_some_and(|(sequence, time)| call.sequence > sequence && call.time >= time);
        let model = session.models.entry(call.model.to_owned()).or_default();
        if is_later { &mut model.later } else { &mut model.calls }.add(call.usage);
    }

    /// Takes the total of a session or of one of its models. A total of all replaces those of the
    /// models.
    pub(crate) fn total(&mut self, view: &View<'_, '_>, usage: Usage) {
        let model = view.field("model");
        let session = self.session(&view.event.session_id);
        session.newest = Some((view.event.sequence, view.event.timestamp));
        for known in session.models.values_mut() {
            known.calls.add(&std::mem::take(&mut known.later));
            if model.is_none() {
                known.total = None;
            }
        }
        if let Some(model) = model {
            session.models.entry(model.into_owned()).or_default().total = Some(usage);
        }
    }

    /// The total of each model, and the sum of the calls in it, over all sessions.
    #[must_use]
    pub(crate) fn finish(self) -> BTreeMap<String, (Usage, Usage)> {
        let mut sums: BTreeMap<String, (Usage, Usage)> = BTreeMap::new();
        // The totals of a session that lack the model of one of its calls do not fit its calls.
        let fits = |session: &SessionModels| {
            let lacks =
                |model: &ModelUsage| model.total.is_none() && model.calls != Usage::default();
            !session.models.values().any(lacks)
        };
        let sessions = self.sessions.into_values().filter(fits);
        for (model, ModelUsage { total, calls, .. }) in sessions.flat_map(|session| session.models)
        {
            if let Some(total) = total {
                let (totals, parts) = sums.entry(model).or_default();
                // What a total does not say, its calls do.
                totals.add(&total.or(&calls));
                parts.add(&calls);
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
