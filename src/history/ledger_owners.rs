//! Which total has which model call.

use foldhash::{HashMap, HashSet};

use super::ledger::{Ledger, LedgerCall, LedgerTotal};
use crate::event::fields::UsageScope;
use crate::event::time::Timestamp;

/// How deep sub-agents start sub-agents.
const DEPTH: usize = 16;

/// The totals that have the calls of a ledger.
#[derive(Debug)]
pub(super) struct Owners {
    /// The total that has each call.
    pub(super) of_calls: Vec<Option<usize>>,
    /// Whether each total counts. A total of the session stands in place of those before it.
    pub(super) counts: Vec<bool>,
    /// The sessions with calls of which it is not known whether a total has them. They are taken as its
    /// calls, so that no sum is above the truth.
    pub(super) undecided: HashSet<u64>,
}

/// What is asked of a ledger.
struct Asked<'l> {
    ledger: &'l Ledger,
    /// The totals that name calls, by the calls' ids.
    named: HashMap<u64, usize>,
    /// The time of the last call that each total names, if a line with a time of its own has it.
    ends: Vec<Option<Timestamp>>,
    /// The totals of sessions.
    of_sessions: HashMap<u64, usize>,
    /// The totals of processes that do not name all their calls, by their sessions.
    nameless: HashMap<u64, Vec<usize>>,
    /// The last total of each session.
    last: HashMap<u64, usize>,
}

/// Where a call counts.
enum CallPlace {
    Total(usize),
    /// In no total.
    Rest,
    /// Perhaps in this total.
    Unknown(usize),
}

impl Owners {
    pub(super) fn of(ledger: &Ledger) -> Self {
        let mut counts = vec![true; ledger.totals.len()];
        let mut undecided = HashSet::default();
        let mut of_calls = vec![None; ledger.calls.len()];
        if ledger.totals.is_empty() {
            return Self { of_calls, counts, undecided };
        }
        let asked = Asked::of(ledger);
        let mut ids = vec![0; ledger.calls.len()];
        ledger.places.iter().for_each(|(id, place)| ids[*place as usize] = *id);
        for (at, total) in ledger.totals.iter().enumerate() {
            let of_session = asked.of_sessions.get(&total.session).copied();
            counts[at] = of_session.is_none_or(|whole| whole == at || asked.is_later(total, whole));
        }
        for (at, call) in ledger.calls.iter().enumerate() {
            let is_any =
                asked.last.contains_key(&call.session) || asked.named.contains_key(&ids[at]);
            if !is_any {
                continue;
            }
            of_calls[at] = match asked.place(ids[at], call) {
                CallPlace::Rest => None,
                CallPlace::Total(total) => Some(total),
                CallPlace::Unknown(total) => {
                    undecided.insert(call.session);
                    Some(total)
                }
            };
            // A call of a process whose total does not count is in the total of the session.
            if let Some(owner) = of_calls[at].filter(|owner| !counts[*owner]) {
                of_calls[at] = asked.of_sessions.get(&ledger.totals[owner].session).copied();
            }
        }
        Self { of_calls, counts, undecided }
    }
}

impl<'l> Asked<'l> {
    fn of(ledger: &'l Ledger) -> Self {
        let (mut named, mut of_sessions) = (HashMap::default(), HashMap::default());
        let (mut nameless, mut last) = (HashMap::<u64, Vec<usize>>::default(), HashMap::default());
        for (at, total) in ledger.totals.iter().enumerate() {
            if total.scope == UsageScope::Session {
                of_sessions.insert(total.session, at);
            } else if !total.names_all {
                nameless.entry(total.session).or_default().push(at);
            }
            last.insert(total.session, at);
            for id in &total.calls {
                named.entry(*id).or_insert(at);
            }
        }
        let end = |total: &LedgerTotal| {
            let calls = total.calls.iter().filter_map(|id| call(ledger, *id));
            calls.filter(|call| call.has_own_time).map(|call| call.time).max()
        };
        let ends = ledger.totals.iter().map(end).collect();
        Self { ledger, named, ends, of_sessions, nameless, last }
    }

    /// Whether a process began after the total of its session.
    fn is_later(&self, process: &LedgerTotal, whole: usize) -> bool {
        let mut calls = process.calls.iter().filter_map(|id| call(self.ledger, *id)).peekable();
        calls.peek().is_some() && calls.all(|call| self.is_after(call, whole))
    }

    /// Whether a call came after a total.
    fn is_after(&self, call: &LedgerCall, total: usize) -> bool {
        let whole = &self.ledger.totals[total];
        call.is_imported
            && match self.ends[total].filter(|_| call.has_own_time) {
                Some(end) => call.time > end,
                None => (call.time, call.sequence) > (whole.time, whole.sequence),
            }
    }

    /// Where a call counts: with the call of the main agent that started its agent, else by its time.
    fn place(&self, mut id: u64, mut at: &'l LedgerCall) -> CallPlace {
        for _ in 0..DEPTH {
            if let Some(total) = self.named.get(&id) {
                return CallPlace::Total(*total);
            }
            if at.started_by == 0 {
                return self.by_time(at);
            }
            let Some(asked_by) = self.ledger.asked_by.get(&at.started_by) else { break };
            if let Some(total) = self.named.get(asked_by) {
                return CallPlace::Total(*total);
            }
            match call(self.ledger, *asked_by) {
                Some(above) => (id, at) = (*asked_by, above),
                None => return self.by_time(at),
            }
        }
        self.last.get(&at.session).map_or(CallPlace::Rest, |total| CallPlace::Unknown(*total))
    }

    fn by_time(&self, call: &LedgerCall) -> CallPlace {
        let is_before = |at: &usize| !self.is_after(call, *at);
        let whole = self.of_sessions.get(&call.session).copied();
        // A process that names its calls has no others.
        let of_processes = || self.nameless.get(&call.session).into_iter().flatten().copied();
        let total = match whole {
            Some(whole) => Some(whole).filter(is_before),
            None => of_processes().find(is_before),
        };
        match total {
            None => CallPlace::Rest,
            Some(total) => {
                let is_known = self.ledger.totals[total].has_own_time
                    || self.ends[total].is_some()
                    || !call.has_own_time;
                if is_known { CallPlace::Total(total) } else { CallPlace::Unknown(total) }
            }
        }
    }
}

/// The call with that id.
fn call(ledger: &Ledger, id: u64) -> Option<&LedgerCall> {
    ledger.calls.get(*ledger.places.get(&id)? as usize)
}
