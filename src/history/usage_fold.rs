//! The usage of a run or a task, folded from its events.

use std::hash::BuildHasher as _;

use foldhash::quality::RandomState;
use foldhash::{HashMap, HashMapExt as _};

use super::agent_costs::AgentCosts;
use super::gradual_map::GradualMap;
use super::usage::Usage;
use super::usage_records::{RecordPlace, UsageRecord, UsageRecords};
use crate::event::fields::{LAST_CALL, NOT_INCLUDED, UsageScope, View};
use crate::event::role::Role;
use crate::event::time::Timestamp;
use crate::json::Json;

/// The usage of a run.
#[derive(Clone, Debug, Default)]
pub struct UsageFold {
    /// `None` before the first usage: most tasks of a long run report none.
    ledger: Option<Box<Ledger>>,
    /// Size of the newest call's context, in tokens.
    newest_context: Option<u64>,
}

/// The name of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum RecordName<'n> {
    /// The calls of a session that have no id of their own.
    Calls(&'n str),
    /// The same after the newest total of the session.
    LaterCalls(&'n str),
    /// The total of a session.
    Total(&'n str),
    /// A model call. Of repeated lines, the last counts.
    Call(&'n str),
}

/// Everything reported, in about 40 bytes per model call.
#[derive(Clone, Debug, Default)]
struct Ledger {
    records: UsageRecords,
    /// The places of the records, by the hashes of their names.
    places: GradualMap<RecordPlace>,
    /// Number of sessions.
    sessions: u32,
    /// The sessions that reported a total, by their numbers.
    totals: HashMap<u32, SessionTotal>,
    /// The numbers of calls after a total, and the sessions that they belong to.
    parts: HashMap<u32, u32>,
    /// The costs that agents report, and the estimates that these replace.
    agents: AgentCosts,
    /// What was reported after the records were full.
    more: Usage,
    hasher: RandomState,
}

/// The newest total of a session.
#[derive(Clone, Copy, Debug)]
struct SessionTotal {
    time: Timestamp,
    /// Whether the totals of its models give its cost.
    by_models: bool,
    /// Whether it includes no call after it, whatever the time of the call, unless a sub-agent made it.
    calls_told: bool,
    /// The number of the calls after it, if there are any.
    later: Option<u32>,
}

impl UsageFold {
    /// Takes the next event.
    pub fn observe(&mut self, view: &View<'_, '_>) {
        self.take(view, Usage::of(view));
    }

    /// Takes the next event with what it reports, if it reports usage.
    pub(crate) fn take(&mut self, view: &View<'_, '_>, usage: Option<Usage>) {
        let Some(usage) = usage else {
            if view.role == Role::Message
                && let Some(cost) = view.cost_micros()
            {
                self.ledger().agents.says(&view.agent(), cost);
            }
            return;
        };
        let scope = view.usage_scope();
        if scope == UsageScope::Model {
            self.ledger().price_total(&view.event.session_id, &usage);
            return;
        }
        let is_total = scope == UsageScope::Session;
        if view.is_of_one_call()
            && let Some(context) = usage.context_tokens()
        {
            self.newest_context = Some(context);
        }
        let ledger = self.ledger();
        let agent = view.agent();
        if usage.reported_micros().is_some() {
            ledger.agents.reports(&agent);
        }
        let session_id: &str = &view.event.session_id;
        let session = ledger.session(session_id);
        if is_total {
            let record = UsageRecord { session, is_total, usage };
            return ledger.put_total(view, record);
        }
        let later = ledger.after_total(session, view);
        let record = UsageRecord { session: later.unwrap_or(session), is_total, usage };
        let old = match view.model_call_id() {
            Some(id) => ledger.put_call(&id, record),
            None => {
                let name = match later {
                    Some(_) => RecordName::LaterCalls(session_id),
                    None => RecordName::Calls(session_id),
                };
                ledger.add(name, &usage);
                Usage::default()
            }
        };
        ledger.agents.calls(&agent, later.unwrap_or(session), (&old, &usage));
    }

    /// Forgets what a model call used. Of repeated lines of one call, only the last one counts.
    pub(crate) fn forget(&mut self, call: &str) {
        if let Some(ledger) = &mut self.ledger {
            ledger.clear(RecordName::Call(call));
        }
    }

    /// The sum over all sessions.
    #[must_use]
    pub fn sum(&self) -> Usage {
        let Some(ledger) = &self.ledger else { return Usage::default() };
        let mut sum = ledger.more;
        // In a session with a total, the calls only say what the total does not.
        let mut totals: HashMap<u32, (Usage, Usage)> = HashMap::new();
        for record in ledger.records.iter().filter(|record| record.is_total) {
            totals.insert(record.session, (record.usage, Usage::default()));
        }
        for record in ledger.records.iter().filter(|record| !record.is_total) {
            let session = ledger.session_with(record.session);
            match session.and_then(|session| totals.get_mut(&session)) {
                Some((_, calls)) => calls.add(&record.usage),
                None => sum.add(&record.usage),
            }
        }
        totals.values().for_each(|(total, calls)| sum.add(&total.or(calls)));
        ledger.agents.settle(&mut sum, |number| {
            let total = ledger.session_with(number).and_then(|session| totals.get(&session));
            total.is_none_or(|(total, calls)| total.has_cost_of(calls))
        });
        sum
    }

    /// The size of the newest call's context, in tokens, if one reported its input.
    #[must_use]
    pub fn newest_context(&self) -> Option<u64> {
        self.newest_context
    }

    fn ledger(&mut self) -> &mut Ledger {
        self.ledger.get_or_insert_default()
    }
}

impl Ledger {
    /// The number of a session. A new one gets the next number.
    fn session(&mut self, id: &str) -> u32 {
        let hash = self.hasher.hash_one(RecordName::Calls(id));
        if let Some(place) = self.places.get(hash) {
            return self.records.at(place).session;
        }
        let session = self.sessions.saturating_add(1);
        let record = UsageRecord { session, is_total: false, usage: Usage::default() };
        if let Some(place) = self.records.push(&record) {
            self.sessions = session;
            self.places.insert(hash, place);
        }
        session
    }

    /// Puts a record in the place of an earlier one with that name.
    fn put(&mut self, name: RecordName<'_>, record: UsageRecord) {
        let hash = self.hasher.hash_one(name);
        if let Some(place) = self.places.get_mut(hash) {
            *place = self.records.replace(*place, &record);
        } else if let Some(place) = self.records.push(&record) {
            self.places.insert(hash, place);
        } else {
            self.more.add(&record.usage);
        }
    }

    /// Puts the total of a session in the place of an earlier one.
    fn put_total(&mut self, view: &View<'_, '_>, record: UsageRecord) {
        let session_id: &str = &view.event.session_id;
        let total = SessionTotal {
            time: view.event.timestamp,
            by_models: false,
            calls_told: view.data.get(LAST_CALL).is_some(),
            later: None,
        };
        self.totals.insert(record.session, total);
        self.put(RecordName::Total(session_id), record);
        for id in view.data.get(NOT_INCLUDED).into_iter().flat_map(Json::items) {
            let (Some(id), Some(later)) = (id.as_str(), self.later(record.session, session_id))
            else {
                continue;
            };
            let hash = self.hasher.hash_one(RecordName::Call(&id));
            if let Some(place) = self.places.get_mut(hash) {
                let call = UsageRecord { session: later, ..self.records.at(*place) };
                *place = self.records.replace(*place, &call);
            }
        }
    }

    /// Takes the total of a model, a part of the newest total of its session. It has the cost that
    /// the whole does not report.
    fn price_total(&mut self, session_id: &str, part: &Usage) {
        let hash = self.hasher.hash_one(RecordName::Total(session_id));
        let Some(place) = self.places.get_mut(hash) else { return };
        let mut record = self.records.at(*place);
        let Some(total) = self.totals.get_mut(&record.session) else { return };
        if !total.by_models {
            if record.usage.reported_micros().is_some() {
                return;
            }
            total.by_models = true;
            record.usage.forget_cost();
        }
        record.usage.add_cost(part);
        *place = self.records.replace(*place, &record);
    }

    /// The number for a call after the newest total of a session. The total in a program's log is a
    /// snapshot: calls that the log has after it count in addition.
    fn after_total(&mut self, session: u32, view: &View<'_, '_>) -> Option<u32> {
        let total = self.totals.get(&session)?;
        let is_never_in_it = total.calls_told && !view.may_be_in_earlier_total();
        if !view.is_imported() || (!is_never_in_it && view.event.timestamp < total.time) {
            return None;
        }
        self.later(session, &view.event.session_id)
    }

    /// The number of the calls that the newest total of a session does not include.
    fn later(&mut self, session: u32, session_id: &str) -> Option<u32> {
        let total = self.totals.get_mut(&session)?;
        if total.later.is_none() {
            let next = self.sessions.saturating_add(1);
            let record = UsageRecord { session: next, is_total: false, usage: Usage::default() };
            let place = self.records.push(&record)?;
            (self.sessions, total.later) = (next, Some(next));
            self.parts.insert(next, session);
            let name = RecordName::LaterCalls(session_id);
            *self.places.insert(self.hasher.hash_one(name), place).0 = place;
        }
        total.later
    }

    /// Puts a model call. A repeated line of a call that a total has is no call after the total.
    /// Returns what an earlier line said that it used.
    fn put_call(&mut self, id: &str, mut record: UsageRecord) -> Usage {
        let place = self.places.get(self.hasher.hash_one(RecordName::Call(id)));
        let old = place.map(|place| self.records.at(place));
        if let Some(session) = self.parts.get(&record.session)
            && let Some(UsageRecord { session: old, .. }) = old
            && self.parts.get(&old).unwrap_or(&old) == session
        {
            record.session = old;
        }
        self.put(RecordName::Call(id), record);
        old.map_or_else(Usage::default, |old| old.usage)
    }

    /// The session whose total has the calls with that number; `None` if they came after it.
    fn session_with(&self, number: u32) -> Option<u32> {
        let Some(session) = self.parts.get(&number) else { return Some(number) };
        let total = self.totals.get(session)?;
        (total.later != Some(number)).then_some(*session)
    }

    /// Empties the record with that name.
    fn clear(&mut self, name: RecordName<'_>) {
        if let Some(place) = self.places.get_mut(self.hasher.hash_one(name)) {
            let record = self.records.at(*place);
            *place =
                self.records.replace(*place, &UsageRecord { usage: Usage::default(), ..record });
        }
    }

    /// Adds to the record with that name.
    fn add(&mut self, name: RecordName<'_>, usage: &Usage) {
        let Some(place) = self.places.get_mut(self.hasher.hash_one(name)) else {
            self.more.add(usage);
            return;
        };
        let mut record = self.records.at(*place);
        record.usage.add(usage);
        *place = self.records.replace(*place, &record);
    }
}
