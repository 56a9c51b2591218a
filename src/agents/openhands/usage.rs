//! What the model calls used.
//!
//! OpenHands adds up tokens and costs. Each event here has the difference to the figures before it. The
//! stored state of a V1 conversation also lists the calls, with the ids of their responses; then each
//! call has an event of its own. It stands with the first event that its response led to, or with that
//! of a later call.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};

use crate::agents::said::{ModelCall, TokensUsed, Used, UsedScope};
use crate::event::id::check_id;
use crate::fs::hash::{hex, sha256};
use crate::json::Json;

/// The usage of a conversation so far.
#[derive(Default)]
pub(super) struct CallUsage {
    /// The newest cumulative figures, by what they count.
    pub(super) newest: HashMap<String, Meter>,
    /// V1: the first ones that events reported.
    first: HashMap<String, Meter>,
    /// The newest response that a usage event named.
    newest_response: Option<String>,
    /// V1: the calls of the state's lists that have no events yet, the oldest one first, with their times
    /// in seconds. 0 if the state does not say it.
    waiting: VecDeque<(f64, Used<'static>)>,
    /// V1: the ids of the responses of these calls.
    responses: HashSet<String>,
    /// V1: what the calls of each list used together; a difference of the cost by rounding is left out.
    listed: HashMap<String, Meter>,
    /// V1: the message ids of events with sums that the run has.
    sums: HashSet<String>,
}

/// Cumulative figures. `input` includes cached tokens; `micros` are millionths of a dollar.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Meter {
    input: u64,
    output: u64,
    cache_read: u64,
    cache_creation: u64,
    reasoning: u64,
    micros: u64,
}

/// The cumulative figures of each part of a conversation's state: the agent, its sub-agents, ….
const PARTS: &str = "stats.usage_to_metrics";

/// Begins the name of the figures of a part, if its calls are not taken from the list.
const SUM: &str = "conversation/";
/// Begins the name of what a part has beyond its list.
const BEYOND_LIST: &str = "beyond/";

/// The names of the counts, in the order of [`TokensUsed::at`].
const COUNTS: [&str; 5] = [
    "prompt_tokens",
    "completion_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
];

/// V1: whether a usage event with that message id has the sum of a part of a conversation, or what the
/// part has beyond its list.
pub(crate) fn is_sum(message_id: &str) -> bool {
    [SUM, BEYOND_LIST].iter().any(|name| message_id.starts_with(name))
}

impl CallUsage {
    /// The difference between cumulative figures and the newest ones. Lower figures start again from zero.
    pub(super) fn newest<'s>(
        &mut self,
        name: &str,
        metrics: Json<'s>,
        response: Option<Cow<'s, str>>,
    ) -> Option<Used<'s>> {
        let now = Meter::of(metrics);
        let before = self.newest.insert(name.to_owned(), now).unwrap_or_default();
        let began_anew = now.input < before.input || now.output < before.output;
        let before = if began_anew { Meter::default() } else { before };
        // Of two events with one message id only the last would count.
        let fresh = response.filter(|id| self.newest_response.as_deref() != Some(id));
        let used = now.minus(&before).used(metrics, fresh, now.micros > 0);
        if used.tokens.is_zero() {
            return None;
        }
        let named = used.of.id.as_deref().map(str::to_owned);
        self.newest_response = named.or(self.newest_response.take());
        Some(used)
    }

    /// V1: what a change of the state says of its part `name`. The first report has an id: the state
    /// of the conversation is written again when it goes on, and the events may say the same later.
    pub(super) fn of_change<'s>(&mut self, name: &str, metrics: Json<'s>) -> Option<Used<'s>> {
        if let Some(listed) = self.listed.get(name).copied() {
            return self.beyond_list(name, metrics, listed);
        }
        let first = (!self.newest.contains_key(name)).then(|| format!("{SUM}{name}").into());
        if first.is_some() {
            self.first.insert(name.to_owned(), Meter::of(metrics));
        }
        self.newest(name, metrics, first)
    }

    /// V1: takes the calls that the state of a conversation lists, before its events are read. `sums`:
    /// the message ids of events with sums that the run has already.
    pub(super) fn list(&mut self, state: Json<'_>, sums: &HashSet<String>) {
        self.sums.clone_from(sums);
        for (name, metrics) in state.path(PARTS).into_iter().flat_map(Json::members) {
            if !sums.contains(&format!("{SUM}{name}")) {
                self.take(&name, metrics);
            }
        }
        self.waiting.make_contiguous().sort_by(|(one, _), (other, _)| one.total_cmp(other));
    }

    /// V1: the listed calls until that of a response, if they have no events yet.
    pub(super) fn of_response(&mut self, response: &str) -> Vec<Used<'static>> {
        let is_waiting = self.responses.remove(response);
        let mut waiting = self.waiting.iter().filter(|_| is_waiting);
        let place = waiting.position(|(_, used)| used.of.id.as_deref() == Some(response));
        let count = place.map_or(0, |place| place + 1);
        self.waiting.drain(..count).map(|(_, used)| used).collect()
    }

    /// V1: what a part has beyond its list so far. Of the events that say it, the last one counts, so
    /// one is needed also when the list has caught up.
    fn beyond_list<'s>(
        &mut self,
        name: &str,
        metrics: Json<'s>,
        listed: Meter,
    ) -> Option<Used<'s>> {
        let newest = self.newest.entry(name.to_owned()).or_default();
        *newest = newest.each(&Meter::of(metrics), u64::max);
        let rest = newest.minus(&listed);
        let id = format!("{BEYOND_LIST}{name}");
        if rest == Meter::default() && !self.sums.contains(&id) {
            return None;
        }
        let event_id = Some(event_id(&id, &format!("{newest:?}{listed:?}")));
        self.sums.insert(id.clone());
        let used = rest.used(metrics, Some(id.into()), rest.micros > 0);
        Some(Used { scope: UsedScope::Calls, event_id, ..used })
    }

    /// V1: what the stored state of a conversation says beyond the events: the listed calls that have
    /// no events yet, and what each part has beyond its list. The figures of a part whose calls are not
    /// taken from the list count with the first report of the events.
    pub(super) fn of_state<'s>(&mut self, state: Json<'s>) -> Vec<Used<'s>> {
        let mut all: Vec<Used<'s>> = self.waiting.drain(..).map(|(_, used)| used).collect();
        for (name, metrics) in state.path(PARTS).into_iter().flat_map(Json::members) {
            if let Some(listed) = self.listed.get(&*name).copied() {
                all.extend(self.beyond_list(&name, metrics, listed));
                continue;
            }
            let (newest, first) = (self.newest.get(&*name), self.first.get(&*name));
            let (newest, first) = newest.copied().zip(first.copied()).unwrap_or_default();
            let now = Meter::of(metrics);
            let sum = now.minus(&newest).each(&first, u64::saturating_add);
            let id = format!("{SUM}{name}");
            // It is recorded again if the events have said more since.
            let place = format!("{}{newest:?}{now:?}", state.text_at("id").unwrap_or_default());
            let event_id = Some(event_id(&id, &place));
            let used = sum.used(metrics, Some(id.into()), now.micros > 0);
            all.extend((!used.tokens.is_zero()).then_some(Used { event_id, ..used }));
        }
        all
    }

    /// V1: takes the calls of a part, unless they are more than its sum. What an event says of a call does
    /// not depend on later calls: the lists grow as the conversation goes on.
    fn take(&mut self, name: &str, metrics: Json<'_>) {
        let items = |list: &str| metrics.get(list).into_iter().flat_map(Json::items);
        let all = Meter::of(metrics);
        let mut costs = items("costs").peekable();
        let is_apart =
            all.is_apart() || items("token_usages").any(|call| Meter::new(call, None).is_apart());
        let (mut sum, mut taken) = (Meter::default(), Vec::new());
        let mut seen: HashMap<String, usize> = HashMap::new();
        for call in items("token_usages") {
            let model = call.text_at("model").or_else(|| metrics.text_at("model_name"));
            // A call whose price is unknown has no cost in the list.
            let is_of_call =
                |cost: &Json<'_>| cost.text_at("model").is_none_or(|of| Some(of) == model);
            let cost = costs.next_if(is_of_call);
            let dollars = cost.and_then(|cost| cost.get("cost")?.as_f64());
            let meter = Meter::new(call, dollars);
            sum = sum.each(&meter, u64::saturating_add);
            let response = call.text_at("response_id").unwrap_or_default().into_owned();
            let number = seen.entry(response.clone()).or_default();
            *number += 1;
            let event_id = Some(valid_id(format!("openhands:{name}/{response}#{number}")));
            let is_named = *number == 1 && !response.is_empty();
            let is_first = is_named && self.responses.insert(response.clone());
            let tokens = meter.tokens(call, dollars.is_some() && all.micros > 0, is_apart);
            if !tokens.is_zero() {
                let id = is_first.then(|| response.into());
                let of = ModelCall { model: model.map(|model| model.into_owned().into()), id };
                let time = cost.and_then(|cost| cost.get("timestamp")?.as_f64()).unwrap_or(0.0);
                taken.push((time, Used { tokens, of, event_id, ..Used::default() }));
            }
        }
        let rest = sum.minus(&all);
        // Each cost is rounded.
        let rounding = taken.len() as u64;
        let is_within = Meter { micros: 0, ..rest } == Meter::default() && rest.micros <= rounding;
        if is_within && !taken.is_empty() {
            let lacks_none = all.micros.saturating_sub(sum.micros) <= rounding;
            let micros = if lacks_none { all.micros } else { sum.micros };
            self.listed.insert(name.to_owned(), Meter { micros, ..sum });
            self.waiting.extend(taken);
        }
    }
}

/// The id of an event about `name`. `place` makes it differ from others about the same.
fn event_id(name: &str, place: &str) -> String {
    let place = hex(&sha256(place.as_bytes())[..8]);
    valid_id(format!("openhands:{name}+{place}"))
}

/// The id, or what stands for it if the log does not take it.
fn valid_id(id: String) -> String {
    match check_id("event id", &id) {
        Ok(_) => id,
        Err(_) => format!("openhands:{}", hex(&sha256(id.as_bytes())[..16])),
    }
}

impl Meter {
    /// The cumulative figures as OpenHands reports them.
    fn of(metrics: Json<'_>) -> Self {
        let used = metrics.present("accumulated_token_usage").unwrap_or(Json::EMPTY);
        Self::new(used, metrics.get("accumulated_cost").and_then(Json::as_f64))
    }

    fn new(used: Json<'_>, dollars: Option<f64>) -> Self {
        let [input, output, cache_read, cache_creation, reasoning] =
            COUNTS.map(|name| used.get(name).and_then(Json::as_u64).unwrap_or(0));
        let micros = (dollars.unwrap_or(0.0).max(0.0) * 1e6).round() as u64;
        Self { input, output, cache_read, cache_creation, reasoning, micros }
    }

    /// Each figure put together with that of another one.
    fn each(&self, other: &Self, combine: fn(u64, u64) -> u64) -> Self {
        Self {
            input: combine(self.input, other.input),
            output: combine(self.output, other.output),
            cache_read: combine(self.cache_read, other.cache_read),
            cache_creation: combine(self.cache_creation, other.cache_creation),
            reasoning: combine(self.reasoning, other.reasoning),
            micros: combine(self.micros, other.micros),
        }
    }

    fn minus(&self, other: &Self) -> Self {
        self.each(other, u64::saturating_sub)
    }

    /// Whether the input does not include cached tokens: so report agents of other programs.
    fn is_apart(&self) -> bool {
        self.cache_read.saturating_add(self.cache_creation) > self.input
    }

    /// The figures that `used` reports. A cost of 0 means that OpenHands does not know the model's
    /// price, unless `is_priced`. `is_apart`: see [`Meter::is_apart`], of all calls of the part.
    fn tokens(&self, used: Json<'_>, is_priced: bool, is_apart: bool) -> TokensUsed {
        let figures =
            [self.input, self.output, self.cache_read, self.cache_creation, self.reasoning];
        let mut names = COUNTS.iter();
        let counts = figures.map(|figure| used.get(names.next()?).map(|_| figure));
        let cost = is_priced.then_some(self.micros as f64 / 1e6);
        let tokens = TokensUsed { cost, ..TokensUsed::of(counts) };
        if is_apart { tokens } else { tokens.without_cached() }
    }

    /// The usage of this size, without the figures that `metrics` does not report. `is_priced`: see
    /// [`Meter::tokens`].
    fn used<'s>(&self, metrics: Json<'s>, id: Option<Cow<'s, str>>, is_priced: bool) -> Used<'s> {
        let used = metrics.present("accumulated_token_usage").unwrap_or(Json::EMPTY);
        // The input and output of the newest call.
        let newest = used.get("per_turn_token").and_then(Json::as_u64).filter(|tokens| *tokens > 0);
        let is_one = newest.is_none_or(|tokens| self.input.saturating_add(self.output) == tokens);
        let scope = if is_one { UsedScope::Call } else { UsedScope::Calls };
        let tokens = self.tokens(used, is_priced, Self::of(metrics).is_apart());
        let model = metrics.text_at("model_name").or_else(|| used.text_at("model"));
        Used { tokens, of: ModelCall { model, id }, scope, ..Used::default() }
    }
}
