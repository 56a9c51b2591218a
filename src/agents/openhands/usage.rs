//! What the model calls used.
//!
//! OpenHands adds up tokens and costs. Each event here has the difference to the figures before it. The
//! stored state of a V1 conversation also lists the calls, with the ids of their responses; then each
//! call has an event of its own. It stands with the first event that its response led to, or with that
//! of a later call.

use std::collections::{HashMap, HashSet};

use crate::agents::tokens::{ReportedFigures, ReportedModelCall, TokenCounts, count};
use crate::event::draft::Draft;
use crate::event::id::check_id;
use crate::fs::hash::{hex, sha256};
use crate::json::Json;

/// The usage of a conversation so far.
#[derive(Default)]
pub(super) struct CallUsage {
    /// The newest cumulative figures, by what they count.
    newest: HashMap<String, Meter>,
    /// V1: the first ones that events reported.
    first: HashMap<String, Meter>,
    /// The newest response that a usage event named.
    newest_response: Option<String>,
    listed: ListedCalls,
    /// V1: the message ids of events with sums that the run has.
    sums: HashSet<String>,
}

/// The calls in the lists of a conversation's state, the oldest one first.
#[derive(Default)]
struct ListedCalls {
    calls: Vec<ListedCall>,
    /// The number of calls whose events have been given.
    told: usize,
    /// The places of the calls, by the ids of their responses.
    places: HashMap<String, usize>,
    /// The ids of responses that calls have.
    responses: HashSet<String>,
    /// What the calls of each list used together; a difference of the cost by rounding is left out.
    sums: HashMap<String, Meter>,
}

struct ListedCall {
    /// The id of its response; empty if it has none of its own.
    response: String,
    /// Seconds since 1970. 0 if the state does not tell it.
    time: f64,
    usage: Draft<'static>,
}

/// Cumulative figures. `input` includes cached tokens; `micros` are millionths of a dollar.
#[derive(Clone, Copy, Debug, Default)]
struct Meter {
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

/// V1: whether a usage event with that message id has the sum of a part of a conversation, or what the
/// part has beyond its list.
pub(crate) fn is_sum(message_id: &str) -> bool {
    [SUM, BEYOND_LIST].iter().any(|name| message_id.starts_with(name))
}

impl CallUsage {
    /// V0: another run begins.
    pub(super) fn forget(&mut self) {
        self.newest.clear();
    }

    /// The difference between cumulative figures and the newest ones. Lower figures start again from zero.
    pub(super) fn newest(
        &mut self,
        name: &str,
        metrics: Json<'_>,
        response: Option<&str>,
    ) -> Option<Draft<'static>> {
        let now = Meter::of(metrics);
        let before = self.newest.insert(name.to_owned(), now).unwrap_or_default();
        let began_anew = now.input < before.input || now.output < before.output;
        let before = if began_anew { Meter::default() } else { before };
        // Of two events with one message id only the last would count.
        let fresh = response.filter(|id| self.newest_response.as_deref() != Some(id));
        let usage = now.each(&before, u64::saturating_sub).usage(metrics, fresh)?;
        if let Some(id) = fresh {
            self.newest_response = Some(id.to_owned());
        }
        Some(usage)
    }

    /// V1: what a change of the state tells of its part `name`. The first report has an id: the state
    /// of the conversation is written again when it goes on, and the events may tell the same later.
    pub(super) fn of_change(&mut self, name: &str, metrics: Json<'_>) -> Option<Draft<'static>> {
        if let Some(listed) = self.listed.sums.get(name).copied() {
            return self.beyond_list(name, metrics, listed);
        }
        let first = (!self.newest.contains_key(name)).then(|| format!("{SUM}{name}"));
        if first.is_some() {
            self.first.insert(name.to_owned(), Meter::of(metrics));
        }
        self.newest(name, metrics, first.as_deref())
    }

    /// V1: takes the calls that the state of a conversation lists, before its events are read. `sums`:
    /// the message ids of events with sums that the run has already.
    pub(super) fn list(&mut self, state: Json<'_>, sums: &HashSet<String>) {
        self.sums.clone_from(sums);
        let parts = state.path(PARTS).into_iter().flat_map(Json::members);
        for (name, metrics) in parts {
            if !sums.contains(&format!("{SUM}{name}")) {
                self.listed.take(&name, metrics);
            }
        }
        self.listed.sort();
    }

    /// V1: the listed calls until that of a response, if they have no events yet.
    pub(super) fn of_response(&mut self, response: &str) -> Vec<Draft<'static>> {
        let until = self.listed.places.get(response).map_or(0, |place| place + 1);
        self.listed.tell(until)
    }

    /// V1: what a part has beyond its list so far. Of the events that tell it, the last one counts, so
    /// one is needed also when the list has caught up.
    fn beyond_list(
        &mut self,
        name: &str,
        metrics: Json<'_>,
        listed: Meter,
    ) -> Option<Draft<'static>> {
        let newest = self.newest.entry(name.to_owned()).or_default();
        *newest = newest.each(&Meter::of(metrics), u64::max);
        let rest = newest.each(&listed, u64::saturating_sub);
        let id = format!("{BEYOND_LIST}{name}");
        if rest.is_zero() && !self.sums.contains(&id) {
            return None;
        }
        let used = metrics.present("accumulated_token_usage").unwrap_or(Json::EMPTY);
        let model = metrics.text_at("model_name").or_else(|| used.text_at("model"));
        let call = ReportedModelCall {
            model: model.as_deref(),
            message_id: Some(&id),
            figures: ReportedFigures::Calls,
        };
        let tokens = rest.tokens(used, rest.micros > 0, Meter::of(metrics).is_apart());
        let event_id = event_id(&id, &format!("{newest:?}{listed:?}"));
        self.sums.insert(id.clone());
        Some(Draft { event_id: Some(event_id.into()), ..tokens.event(&call) })
    }

    /// V1: what the stored state of a conversation tells beyond the events: the listed calls that have
    /// no events yet, and what each part has beyond its list. The figures of a part whose calls are not
    /// taken from the list count with the first report of the events.
    pub(super) fn of_state(&mut self, state: Json<'_>) -> Vec<Draft<'static>> {
        let mut drafts = self.listed.tell(usize::MAX);
        for (name, metrics) in state.path(PARTS).into_iter().flat_map(Json::members) {
            if let Some(listed) = self.listed.sums.get(&*name).copied() {
                drafts.extend(self.beyond_list(&name, metrics, listed));
                continue;
            }
            let (newest, first) = (self.newest.get(&*name), self.first.get(&*name));
            let (newest, first) = newest.copied().zip(first.copied()).unwrap_or_default();
            let now = Meter::of(metrics);
            let beyond = now.each(&newest, u64::saturating_sub);
            let id = format!("{SUM}{name}");
            let usage = beyond.each(&first, u64::saturating_add).usage(metrics, Some(&id));
            // It is recorded again if the events have told more since.
            let place = format!("{}{newest:?}{now:?}", state.text_at("id").unwrap_or_default());
            let event_id = Some(event_id(&id, &place).into());
            drafts.extend(usage.map(|usage| Draft { event_id, ..usage }));
        }
        drafts
    }
}

/// The id of an event about `name`. `place` tells it from others about the same.
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

impl ListedCalls {
    /// Takes the calls of a part, unless they are more than its sum. What an event says of a call does
    /// not depend on later calls: the lists grow as the conversation goes on.
    fn take(&mut self, name: &str, metrics: Json<'_>) {
        let items = |list: &str| metrics.get(list).into_iter().flat_map(Json::items);
        let all = Meter::of(metrics);
        let mut costs = items("costs").peekable();
        let one_is_apart = items("token_usages").any(|call| Meter::new(call, None).is_apart());
        let is_apart = one_is_apart || all.is_apart();
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
            let is_named = *number == 1 && !response.is_empty();
            let is_first = is_named && self.responses.insert(response.clone());
            let reported = ReportedModelCall {
                model: model.as_deref(),
                message_id: is_first.then_some(response.as_str()),
                figures: ReportedFigures::Call,
            };
            let is_priced = dollars.is_some() && all.micros > 0;
            let usage = meter.tokens(call, is_priced, is_apart).event_if_any(&reported);
            let id = valid_id(format!("openhands:{name}/{response}#{number}"));
            let time = cost.and_then(|cost| cost.get("timestamp")?.as_f64()).unwrap_or(0.0);
            taken.extend(usage.map(|usage| ListedCall {
                response: if is_first { response } else { String::new() },
                time,
                usage: Draft { event_id: Some(id.into()), ..usage },
            }));
        }
        let rest = sum.each(&all, u64::saturating_sub);
        // Each cost is rounded.
        let rounding = taken.len() as u64;
        let is_within = Meter { micros: 0, ..rest }.is_zero() && rest.micros <= rounding;
        if is_within && !taken.is_empty() {
            let lacks_none = all.micros.saturating_sub(sum.micros) <= rounding;
            let micros = if lacks_none { all.micros } else { sum.micros };
            self.sums.insert(name.to_owned(), Meter { micros, ..sum });
            self.calls.append(&mut taken);
        }
    }

    /// Puts the calls that have no events yet in order.
    fn sort(&mut self) {
        let Some(waiting) = self.calls.get_mut(self.told..) else { return };
        waiting.sort_by(|one, other| one.time.total_cmp(&other.time));
        let responses = self.calls.iter().map(|call| call.response.clone()).enumerate();
        let named = responses.filter(|(_, response)| !response.is_empty());
        self.places = named.map(|(place, response)| (response, place)).collect();
    }

    /// The events of the calls before that place which have none yet.
    fn tell(&mut self, until: usize) -> Vec<Draft<'static>> {
        let until = until.min(self.calls.len());
        let next = self.calls.get(self.told..until).unwrap_or_default();
        let drafts = next.iter().map(|call| call.usage.clone()).collect();
        self.told = self.told.max(until);
        drafts
    }
}

impl Meter {
    /// The cumulative figures as OpenHands reports them.
    fn of(metrics: Json<'_>) -> Self {
        let used = metrics.present("accumulated_token_usage").unwrap_or(Json::EMPTY);
        Self::new(used, metrics.get("accumulated_cost").and_then(Json::as_f64))
    }

    fn new(used: Json<'_>, dollars: Option<f64>) -> Self {
        let number = |path: &str| count(used, path).unwrap_or(0);
        Self {
            input: number("prompt_tokens"),
            output: number("completion_tokens"),
            cache_read: number("cache_read_tokens"),
            cache_creation: number("cache_write_tokens"),
            reasoning: number("reasoning_tokens"),
            micros: (dollars.unwrap_or(0.0).max(0.0) * 1e6).round() as u64,
        }
    }

    fn is_zero(&self) -> bool {
        let Self { input, output, cache_read, cache_creation, reasoning, micros } = *self;
        [input, output, cache_read, cache_creation, reasoning, micros] == [0; 6]
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

    /// Whether the input does not include cached tokens: so report agents of other programs.
    fn is_apart(&self) -> bool {
        self.cache_read.saturating_add(self.cache_creation) > self.input
    }

    /// The figures that `used` reports. A cost of 0 means that OpenHands does not know the model's
    /// price, unless `is_priced`. `is_apart`: see [`Meter::is_apart`], of all calls of the part.
    fn tokens(&self, used: Json<'_>, is_priced: bool, is_apart: bool) -> TokenCounts {
        let reported = |path: &str, figure: u64| used.get(path).map(|_| figure);
        let tokens = TokenCounts {
            input: reported("prompt_tokens", self.input),
            output: reported("completion_tokens", self.output),
            cache_read: reported("cache_read_tokens", self.cache_read),
            cache_creation: reported("cache_write_tokens", self.cache_creation),
            reasoning: reported("reasoning_tokens", self.reasoning),
            cost: is_priced.then_some(self.micros as f64 / 1e6),
        };
        if is_apart { tokens } else { tokens.without_cached() }
    }

    /// The event for figures of this size, without those that `metrics` does not report. `None` if
    /// all are zero.
    fn usage(&self, metrics: Json<'_>, message_id: Option<&str>) -> Option<Draft<'static>> {
        let used = metrics.present("accumulated_token_usage").unwrap_or(Json::EMPTY);
        // The input and output of the newest call.
        let newest = count(used, "per_turn_token").filter(|tokens| *tokens > 0);
        let is_one = newest.is_none_or(|tokens| self.input.saturating_add(self.output) == tokens);
        let model = metrics.text_at("model_name").or_else(|| used.text_at("model"));
        let figures = if is_one { ReportedFigures::Call } else { ReportedFigures::Calls };
        let call = ReportedModelCall { model: model.as_deref(), message_id, figures };
        let all = Self::of(metrics);
        self.tokens(used, all.micros > 0, all.is_apart()).event_if_any(&call)
    }
}
