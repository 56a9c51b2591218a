//! What a run used: the model calls and the totals that its lines report, and the one rule that makes a
//! sum of them.
//!
//! A session is known in two ways: by its calls (of each message id, the last report counts) and by the
//! totals of its processes. Both are lower bounds, and count by count the greater one counts:
//!
//! ```text
//! session = max(Σ calls, Σ totals of processes + calls that no total has)
//! ```
//!
//! A total has the calls that it names, and the calls of the sub-agents that these started. One that
//! names none has the calls before it. A total of the whole session stands in place of those of the
//! processes before it.

use std::borrow::Cow;
use std::hash::BuildHasher as _;

use foldhash::quality::RandomState;
use foldhash::{HashMap, HashSet};

use super::ledger_owners::Owners;
use super::usage::{PackedUsage, Usage};
use crate::event::fields::{CALLS_IN_TOTAL, UsageScope, View};
use crate::event::role::Role;
use crate::event::time::Timestamp;
use crate::json::Json;

/// The rows. About 100 bytes for each model call.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    pub(super) calls: Vec<LedgerCall>,
    /// The calls by their ids.
    pub(super) places: HashMap<u64, u32>,
    pub(super) totals: Vec<LedgerTotal>,
    /// The totals by their ids, those of sessions apart.
    total_places: HashMap<(bool, u64), usize>,
    /// The place of the total whose parts come next.
    parts_of: Option<usize>,
    /// The model calls that asked for tool calls, by the ids of the tool calls and of the agents that
    /// these started.
    pub(super) asked_by: HashMap<u64, u64>,
    /// The names of agents and models.
    names: Vec<String>,
    numbers: HashMap<u64, u32>,
    /// The costs that agents report in their messages, by the agent.
    said: HashMap<u32, i64>,
    /// The agents that report costs with their usage. Those in messages are then not added.
    costed: HashSet<u32>,
    /// The number of the run that is read.
    run: u32,
    hasher: RandomState,
}

/// Gives the number of a model call by its id. Copies of one call in several runs have one number.
type CallNames<'n> = &'n dyn Fn(&str) -> u64;

/// A model call. One without an id is a call of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LedgerCall {
    pub(super) session: u64,
    /// What started the sub-agent that it is of; 0 if it is of the main agent.
    pub(super) started_by: u64,
    /// Sequence of its first line.
    pub(crate) sequence: u64,
    /// Time of its first line.
    pub(crate) time: Timestamp,
    agent: u32,
    model: u32,
    /// The first run that has it.
    run: u32,
    pub(super) usage: PackedUsage,
    pub(super) is_imported: bool,
    pub(super) has_own_time: bool,
}

/// The newest total of a process, or of a session.
#[derive(Clone, Debug)]
pub(super) struct LedgerTotal {
    run: u32,
    pub(super) session: u64,
    pub(super) scope: UsageScope,
    pub(super) usage: Usage,
    /// Its parts by model.
    models: Vec<(u32, Usage)>,
    pub(super) sequence: u64,
    pub(super) time: Timestamp,
    pub(super) has_own_time: bool,
    /// The calls that it names, the newest one last, and whether these are all of them.
    pub(super) calls: Vec<u64>,
    pub(super) names_all: bool,
}

/// The sums of a session.
#[derive(Clone, Debug, Default)]
struct SessionSums {
    /// Of all its calls.
    calls: Usage,
    /// Of those that no total has.
    rest: Usage,
    /// Of its totals.
    totals: Usage,
    of_totals: Vec<usize>,
}

impl SessionSums {
    /// What the totals say, with the calls that none of them has.
    fn by_totals(&self) -> Usage {
        let mut sum = self.totals;
        sum.add(&self.rest);
        sum
    }

    /// Count by count, the greater one. A reported cost goes before an estimate.
    fn sum(&self) -> Usage {
        self.by_totals().greater(&self.calls)
    }

    /// Whether the totals and the calls say different numbers.
    fn differ(&self) -> bool {
        self.by_totals().tokens() != self.calls.tokens()
    }
}

impl LedgerTotal {
    /// The total, with the cost of its parts if it reports none.
    fn priced(&self) -> Usage {
        if self.usage.reported_micros().is_some() || self.models.is_empty() {
            return self.usage;
        }
        let mut priced = self.usage;
        priced.forget_cost();
        self.models.iter().for_each(|(_, part)| priced.add_cost(part));
        priced
    }
}

/// What is left of a total beyond its calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Beyond {
    /// The number of the run with the total.
    pub(crate) run: u32,
    /// The model, if the total has a part for it.
    pub(crate) model: Option<String>,
    /// The tokens; a cost may be negative, where a total reports less than the estimates of its calls.
    pub(crate) usage: Usage,
}

/// What started the sub-agent of an event, if the event says it.
fn starting_call<'v>(view: &View<'v, '_>) -> Option<Cow<'v, str>> {
    ["spawned_by", "agent_id"].iter().find_map(|name| view.field(name))
}

/// The ledger after the last line.
#[derive(Clone, Debug, Default)]
pub(crate) struct SettledUsage {
    /// The sum over all sessions.
    pub(crate) sum: Usage,
    /// What the totals have beyond their calls. With the calls, it makes the sum.
    pub(crate) beyond: Vec<Beyond>,
    /// The calls whose cost a total reports, or another event of their agent.
    pub(crate) has_reported_cost: Vec<bool>,
}

impl Ledger {
    /// Takes the next event.
    pub fn observe(&mut self, view: &View<'_, '_>) {
        self.take(view, Usage::of(view));
    }

    /// Takes the next event with what it reports, if it reports usage.
    pub(crate) fn take(&mut self, view: &View<'_, '_>, usage: Option<Usage>) {
        let hasher = self.hasher.clone();
        self.take_named(view, usage, &|id| hasher.hash_one(id));
    }

    /// Begins with the events of another run. `run` is its number.
    pub(crate) fn begin_run(&mut self, run: u32) {
        self.run = run;
    }

    /// Takes the next event. `name` gives the number of a model call with that id.
    pub(crate) fn take_named(
        &mut self,
        view: &View<'_, '_>,
        usage: Option<Usage>,
        name: CallNames<'_>,
    ) {
        self.take_asking(view, name);
        let Some(usage) = usage else {
            if view.role == Role::Message
                && let Some(cost) = view.cost_micros()
            {
                let agent = self.number(&view.agent());
                let said = self.said.entry(agent).or_default();
                *said = said.saturating_add(cost);
            }
            return;
        };
        match view.usage_scope() {
            UsageScope::Model => self.take_model(view, usage),
            UsageScope::Call => self.take_call(view, &usage, name),
            scope => self.take_total(view, (usage, scope), name),
        }
    }

    /// Takes the start or the end of a tool call, which may start a sub-agent.
    fn take_asking(&mut self, view: &View<'_, '_>, name: CallNames<'_>) {
        let Some(call) = view.event.correlation_id.as_deref() else { return };
        if view.role == Role::ToolStart {
            if let Some(by) = view.model_call_id() {
                let by = name(&by);
                self.asked_by.insert(self.hash(call), by);
            }
        } else if view.role.is_tool_end()
            && let Some(agent) = view.field("spawned_agent_id")
            && let Some(by) = self.asked_by.get(&self.hash(call)).copied()
        {
            self.asked_by.insert(self.hash(&agent), by);
        }
    }

    fn take_call(&mut self, view: &View<'_, '_>, usage: &Usage, name: CallNames<'_>) {
        let agent = self.number(&view.agent());
        if usage.reported_micros().is_some() {
            self.costed.insert(agent);
        }
        let model = self.number(&view.field("model").unwrap_or_default());
        let id = view.model_call_id().map(|id| name(&id));
        let place = u32::try_from(self.calls.len()).unwrap_or(u32::MAX);
        let known = id.map(|id| *self.places.entry(id).or_insert(place));
        if let Some(call) = known.and_then(|known| self.calls.get_mut(known as usize)) {
            // Copies in several runs may each lack a part.
            let is_copy = call.run != self.run;
            let known = Usage::from(call.usage);
            call.usage = if is_copy { (&known.greater(usage)).into() } else { usage.into() };
            (call.agent, call.model) = (agent, model);
            if !call.has_own_time && !view.has_time_of_reading() {
                (call.time, call.has_own_time) = (view.event.timestamp, true);
            }
            return;
        }
        let started_by = view.is_of_sub_agent().then(|| starting_call(view));
        self.calls.push(LedgerCall {
            session: self.hash(&view.event.session_id),
            started_by: started_by.map_or(0, |by| self.hash(&by.unwrap_or_default())),
            sequence: view.event.sequence,
            time: view.event.timestamp,
            agent,
            model,
            usage: usage.into(),
            run: self.run,
            is_imported: view.is_imported(),
            has_own_time: !view.has_time_of_reading(),
        });
    }

    /// Takes a total. It stands in place of an earlier one of its process, or of its session.
    fn take_total(
        &mut self,
        view: &View<'_, '_>,
        (usage, scope): (Usage, UsageScope),
        name: CallNames<'_>,
    ) {
        let agent = self.number(&view.agent());
        if usage.reported_micros().is_some() {
            self.costed.insert(agent);
        }
        let session = self.hash(&view.event.session_id);
        let process = view.field("process").unwrap_or(view.event.event_id.clone());
        let id = if scope == UsageScope::Session { session } else { self.hash(&process) };
        let named = view.data.get(CALLS_IN_TOTAL);
        let names_all = named.is_some();
        let named = named.into_iter().flat_map(Json::items);
        let named: Vec<u64> = named.filter_map(Json::as_str).map(|call| name(&call)).collect();
        let models = match view.field("model") {
            Some(model) => vec![(self.number(&model), usage)],
            None => Vec::new(),
        };
        let (sequence, time) = (view.event.sequence, view.event.timestamp);
        let has_own_time = !view.has_time_of_reading();
        let next = self.totals.len();
        let place = *self.total_places.entry((scope == UsageScope::Session, id)).or_insert(next);
        self.parts_of = Some(place);
        if let Some(known) = self.totals.get_mut(place) {
            // Outputs may come in any order; a total that lacks something is an earlier one.
            let is_earlier = (known.usage.tokens().iter().zip(usage.tokens()))
                .any(|(known, new)| new.is_none_or(|new| *known > Some(new)) && known.is_some());
            if is_earlier {
                known.usage = known.usage.most(&usage);
                self.parts_of = None;
                known.calls.splice(..0, named);
            } else {
                (known.usage, known.models) = (usage, models);
                (known.sequence, known.time, known.has_own_time) = (sequence, time, has_own_time);
                known.calls.extend(named);
            }
            known.names_all &= names_all;
            return;
        }
        let calls = named;
        self.totals.push(LedgerTotal {
            run: self.run,
            session,
            scope,
            usage,
            models,
            sequence,
            time,
            has_own_time,
            calls,
            names_all,
        });
    }

    /// Takes the part of a model in the total before it.
    fn take_model(&mut self, view: &View<'_, '_>, usage: Usage) {
        let Some(model) = view.field("model") else { return };
        let (session, model) = (self.hash(&view.event.session_id), self.number(&model));
        let total = self.parts_of.and_then(|place| self.totals.get_mut(place));
        if let Some(total) = total.filter(|total| total.session == session) {
            total.models.push((model, usage));
        }
    }

    /// The ids of the model calls that an event names.
    pub(crate) fn ids(view: &View<'_, '_>) -> Vec<String> {
        let named = view.data.get(CALLS_IN_TOTAL).into_iter().flat_map(Json::items);
        let named = named.filter_map(Json::as_str);
        named.chain(view.model_call_id()).map(Cow::into_owned).collect()
    }

    /// The calls, with what each used.
    pub(crate) fn calls(&self) -> impl Iterator<Item = (&LedgerCall, Usage)> {
        self.calls.iter().map(|call| (call, self.counted(call)))
    }

    /// The agent and the model of a call. The model is empty if it is unknown.
    pub(crate) fn spender(&self, call: &LedgerCall) -> (&str, &str) {
        (self.name(call.agent), self.name(call.model))
    }

    /// The place of the call whose first line has this sequence.
    pub(crate) fn place(&self, sequence: u64) -> Option<usize> {
        self.calls.binary_search_by_key(&sequence, |call| call.sequence).ok()
    }

    /// Whether an agent reports its costs only in messages.
    pub(crate) fn is_costed_by_messages(&self, agent: &str) -> bool {
        let agent = self.numbers.get(&self.hasher.hash_one(agent));
        agent.is_some_and(|agent| self.said.contains_key(agent) && !self.costed.contains(agent))
    }

    /// The costs that only messages report, in millionths of a dollar, with their agents.
    pub(crate) fn said(&self) -> impl Iterator<Item = (&str, i64)> {
        let counts = self.said.iter().filter(|(agent, _)| !self.costed.contains(*agent));
        counts.map(|(agent, cost)| (self.name(*agent), *cost))
    }

    /// What a call used. If its agent reports costs only in messages, these are its cost.
    fn counted(&self, call: &LedgerCall) -> Usage {
        let mut usage = Usage::from(call.usage);
        if self.said.contains_key(&call.agent) && !self.costed.contains(&call.agent) {
            usage.forget_cost();
        }
        usage
    }

    /// Whether it has model calls, and totals of processes too.
    pub(super) fn has_calls_and_totals(&self) -> bool {
        !self.calls.is_empty() && !self.totals.is_empty()
    }

    /// The sum over all sessions.
    #[must_use]
    pub fn sum(&self) -> Usage {
        self.settle().sum
    }

    /// Applies the rule.
    #[must_use]
    pub(crate) fn settle(&self) -> SettledUsage {
        let owners = Owners::of(self);
        let mut settled = SettledUsage::default();
        // A session without totals is the sum of its calls.
        let with_totals = self.totals.iter().map(|total| (total.session, SessionSums::default()));
        let mut sessions: HashMap<u64, SessionSums> = with_totals.collect();
        let mut in_totals = vec![Usage::default(); self.totals.len()];
        // What the calls of each total used, by model.
        let mut of_models: Vec<HashMap<u32, Usage>> = vec![HashMap::default(); self.totals.len()];
        for (at, (call, usage)) in self.calls().enumerate() {
            let owner = owners.of_calls[at];
            let session = owner.map_or(call.session, |owner| self.totals[owner].session);
            let Some(sums) = sessions.get_mut(&session) else {
                settled.sum.add(&usage);
                continue;
            };
            sums.calls.add(&usage);
            match owner {
                Some(owner) => {
                    in_totals[owner].add(&usage);
                    of_models[owner].entry(call.model).or_default().add(&usage);
                }
                None => sums.rest.add(&usage),
            }
        }
        for (at, total) in self.totals.iter().enumerate().filter(|(at, _)| owners.counts[*at]) {
            let Some(sums) = sessions.get_mut(&total.session) else { continue };
            sums.totals.add(&total.priced().or(&in_totals[at]));
            sums.of_totals.push(at);
        }
        let has_cost = |owner: usize| self.totals[owner].priced().reported_micros().is_some();
        settled.has_reported_cost =
            owners.of_calls.iter().map(|owner| owner.is_some_and(has_cost)).collect();
        for (session, sums) in &sessions {
            let mut sum = sums.sum();
            sum.output_at_least |= owners.undecided.contains(session) && sums.differ();
            settled.sum.add(&sum);
            self.add_beyond(&mut settled, sums, (&sum, &of_models));
        }
        for (_, cost) in self.said() {
            let all = settled.sum.cost_micros.unwrap_or(0);
            settled.sum.cost_micros = Some(all.saturating_add(cost));
        }
        settled
    }

    /// What a session has beyond its calls: the parts of models first.
    fn add_beyond(
        &self,
        settled: &mut SettledUsage,
        sums: &SessionSums,
        (sum, of_models): (&Usage, &[HashMap<u32, Usage>]),
    ) {
        let mut left = sum.minus(&sums.calls);
        for at in &sums.of_totals {
            let total = &self.totals[*at];
            let calls = &of_models[*at];
            // Parts that lack the model of a call do not belong to these calls.
            let parts: HashSet<u32> = total.models.iter().map(|(model, _)| *model).collect();
            let has_all = calls.keys().all(|model| parts.contains(model));
            for (model, part) in total.models.iter().filter(|_| has_all) {
                let of_calls = calls.get(model).copied().unwrap_or_default();
                let beyond = part.or(&of_calls).minus(&of_calls).at_most(&left);
                left = left.minus(&beyond);
                if !beyond.is_empty() {
                    let model = Some(self.name(*model).to_owned());
                    settled.beyond.push(Beyond { run: total.run, model, usage: beyond });
                }
            }
        }
        // The sum may be a lower bound, even if the totals add nothing.
        if !left.is_empty() || left.output_at_least {
            let newest =
                sums.of_totals.iter().map(|at| &self.totals[*at]).max_by_key(|total| total.time);
            let run = newest.map_or(0, |total| total.run);
            settled.beyond.push(Beyond { run, model: None, usage: left });
        }
    }

    fn hash(&self, name: &str) -> u64 {
        self.hasher.hash_one(name).max(1)
    }

    /// The number of a name. A new one gets the next number.
    fn number(&mut self, name: &str) -> u32 {
        let next = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        let number = *self.numbers.entry(self.hasher.hash_one(name)).or_insert(next);
        if number == next {
            self.names.push(name.to_owned());
        }
        number
    }

    fn name(&self, number: u32) -> &str {
        self.names.get(number as usize).map_or("", String::as_str)
    }
}
