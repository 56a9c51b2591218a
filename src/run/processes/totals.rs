//! Totals that a stream reports of one process: what earlier processes of the session used is added,
//! so that the newest total in the log is that of the whole session.

use foldhash::HashMap;

use crate::event::catalogue;
use crate::event::draft::Draft;
use crate::event::fields::{SESSION_TOTAL, UsageScope, View};
use crate::event::role::Role;
use crate::history::usage::Usage;
use crate::import::line::Imported;
use crate::json::ObjectText;
use crate::log::reader::LogReader;
use crate::run::RunError;
use crate::run::recorder::Recorder;

/// The dialects whose totals are of one process, by name. Another process may resume the session.
const OF_PROCESSES: &[&str] = &["claude-code"];

/// What the log has of the sessions of a stream, from other streams.
#[derive(Default)]
pub(super) struct EarlierTotals {
    /// The newest total of each session at the first total of the stream.
    totals: HashMap<String, Option<Usage>>,
}

impl EarlierTotals {
    /// Adds to the totals of a line what the log has from other streams. Its events have their ids.
    ///
    /// # Errors
    /// The log cannot be read.
    pub(super) fn add_to(
        &mut self,
        line: &mut Imported,
        recorder: &mut Recorder,
    ) -> Result<(), RunError> {
        let mut is_added = false;
        let mut index = 0;
        while let Some(draft) = line.drafts.get_mut(index) {
            match scope_of(draft) {
                UsageScope::Session => {
                    let earlier = self.before(draft, recorder)?;
                    let earlier = earlier.filter(|earlier| !includes(draft, earlier));
                    is_added = earlier.is_some();
                    earlier.iter().for_each(|earlier| add(draft, earlier));
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

    /// The newest total of the session that the log has from other streams.
    fn before(
        &mut self,
        draft: &Draft<'_>,
        recorder: &mut Recorder,
    ) -> Result<Option<Usage>, RunError> {
        let Some(session) = draft.session_id.as_deref() else { return Ok(None) };
        if let Some(known) = self.totals.get(session) {
            return Ok(*known);
        }
        let id = draft.event_id.as_deref().unwrap_or_default();
        // The log may have this stream already.
        let is_known = recorder.stored(id)?.is_some();
        let earlier = if is_known { None } else { newest_total(session, recorder)? };
        self.totals.insert(session.to_owned(), earlier);
        Ok(earlier)
    }
}

/// What the numbers of an event are about. A call, if they need not be changed.
fn scope_of(draft: &Draft<'_>) -> UsageScope {
    if catalogue::role(&draft.kind) != Role::Usage {
        return UsageScope::Call;
    }
    let event = draft.as_event();
    let view = View::of(&event);
    let dialect = view.field("dialect").unwrap_or_default();
    if OF_PROCESSES.contains(&dialect.as_ref()) { view.usage_scope() } else { UsageScope::Call }
}

fn newest_total(session: &str, recorder: &Recorder) -> Result<Option<Usage>, RunError> {
    let mut newest = None;
    let mut reader = LogReader::open(&recorder.run().events())?;
    while let Some(line) = reader.next_line()? {
        if let Ok(Some(event)) = line.event()
            && event.session_id == session
            && let view = View::of(&event)
            && view.is_imported()
            && view.usage_scope() == UsageScope::Session
        {
            newest = Usage::of(&view).or(newest);
        }
    }
    Ok(newest)
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
