//! Which total has which model call.

use foldhash::{HashMap, HashSet};

use super::ledger::{Ledger, LedgerCall, LedgerTotal};
use super::usage::Usage;
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
    /// In this total, if it has room for it beside its other calls; and whether that is a guess.
    IfRoom(usize, bool),
}

impl Owners {
    pub(super) fn of(ledger: &Ledger) -> Self {
        let mut counts = vec![true; ledger.totals.len()];
        let undecided = HashSet::default();
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
        let mut open = Vec::new();
        for (at, call) in ledger.calls.iter().enumerate() {
            let is_any =
                asked.last.contains_key(&call.session) || asked.named.contains_key(&ids[at]);
            if !is_any {
                continue;
            }
            // A call of a process whose total does not count is in the total of the session.
            let counted = |total: usize| match counts[total] {
                true => Some(total),
                false => asked.of_sessions.get(&ledger.totals[total].session).copied(),
            };
            of_calls[at] = match asked.place(ids[at], call) {
                CallPlace::Rest => None,
                CallPlace::Total(total) => counted(total),
                CallPlace::IfRoom(total, is_guess) => {
                    open.extend(counted(total).map(|total| (at, total, is_guess)));
                    None
                }
            };
        }
        let mut owners = Self { of_calls, counts, undecided };
        owners.place_open(ledger, &open);
        owners
    }

    /// Places the calls of which the log does not show whether a total has them.
    fn place_open(&mut self, ledger: &Ledger, open: &[(usize, usize, bool)]) {
        // What is left of each total. One that lacks some of its calls has no room to compare with.
        let totals = open.iter().map(|(_, total, _)| (*total, ledger.totals[*total].usage));
        let mut rooms: HashMap<usize, Usage> = totals.collect();
        let mut is_short = HashSet::default();
        for (call, owner) in ledger.calls.iter().zip(&self.of_calls) {
            let Some((owner, room)) = owner.and_then(|at| Some((at, rooms.get_mut(&at)?))) else {
                continue;
            };
            let usage = Usage::from(call.usage);
            if !usage.is_within(room) {
                is_short.insert(owner);
            }
            room.subtract(&usage);
        }
        for (at, total, is_guess) in open {
            let call = &ledger.calls[*at];
            let room = &rooms[total];
            if is_short.contains(total) || Usage::from(call.usage).is_within(room) {
                self.of_calls[*at] = Some(*total);
                if *is_guess {
                    self.undecided.insert(call.session);
                }
            }
        }
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
            let newest = call(ledger, *total.calls.last().filter(|_| total.names_all)?)?;
            newest.has_own_time.then_some(newest.time)
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
        self.last.get(&at.session).map_or(CallPlace::Rest, |total| CallPlace::IfRoom(*total, true))
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
            // The time of reading says nothing about when it was.
            None => match whole.filter(|_| !call.has_own_time) {
                Some(whole) => CallPlace::IfRoom(whole, true),
                None => CallPlace::Rest,
            },
            Some(total) => {
                let has_time = self.ledger.totals[total].has_own_time || self.ends[total].is_some();
                // A total of the session that names all calls of its process does not name this one.
                let is_of_other = whole.is_some() && self.ledger.totals[total].names_all;
                match call.has_own_time {
                    true if has_time => CallPlace::Total(total),
                    has_own_time => CallPlace::IfRoom(total, has_own_time || is_of_other),
                }
            }
        }
    }
}

/// The call with that id.
fn call(ledger: &Ledger, id: u64) -> Option<&LedgerCall> {
    ledger.calls.get(*ledger.places.get(&id)? as usize)
}
