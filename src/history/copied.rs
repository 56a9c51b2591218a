//! Work that a run repeats: an agent's session that was resumed or forked holds the history of an
//! earlier one.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use foldhash::HashMap;

use super::facts::Counts;
use super::usage::Usage;
use crate::event::fields::{CALLS_IN_TOTAL, HISTORY, TIME_OF_READING, UsageScope, View};
use crate::event::id::is_unique;
use crate::event::role::Role;
use crate::event::time::Timestamp;
use crate::fs::hash::sha256;
use crate::json::{Json, ObjectText, quoted};

/// The member for [`Copied::all_of_events`].
pub(crate) const ALL_OF_EVENTS: &str = "all_of_events";

/// What a run repeats of other runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// The ids of the runs that have all of it too, and had it before. Sorted.
    pub runs: Vec<String>,
    /// Its numbers. Events and warnings are not counted.
    pub counts: Counts,
    /// If this run tells all that another run tells, in another form: the number of events that the
    /// other one had. If it has more now, that is no longer certain.
    pub all_of_events: Option<u64>,
}

/// The hash of what identifies a piece of work wherever it is repeated.
pub(crate) type WorkKey = [u8; 16];

/// A piece of the work.
#[derive(Clone, Copy, Debug, Default)]
struct WorkItem {
    counts: Counts,
    /// Whether the log may not tell all of it: a call without its end, or an answer whose output
    /// tokens are a lower bound. A copy that was made later may tell more.
    is_partial: bool,
}

/// The work of one run, piece by piece.
#[derive(Clone, Debug, Default)]
pub(crate) struct WorkItems {
    items: HashMap<WorkKey, WorkItem>,
    /// The keys of model calls and tool calls, by the hashes of their ids.
    keys: HashMap<WorkKey, WorkKey>,
    /// The keys by history of items whose key has a time: a copy may have times of its own.
    by_history: HashMap<WorkKey, WorkKey>,
    /// All keys by history, and the key of the item of each.
    history_keys: HashMap<WorkKey, WorkKey>,
    /// Whether totals of sessions were reported that do not say which calls they include. The single calls
    /// then do not count.
    has_totals: bool,
    /// The first and the last time of the work.
    span: Option<(Timestamp, Timestamp)>,
}

impl WorkItems {
    /// Takes the next event of the run.
    pub(crate) fn observe(&mut self, view: &View<'_, '_>) {
        let time = view.event.timestamp;
        // A time of reading says nothing about the work: another log may be read at the same time.
        let origin = view.time_origin();
        let is_read = origin.as_deref() == Some(TIME_OF_READING);
        // Where a copy has times of its own, its place in the history identifies the work.
        let history = view.field(HISTORY);
        if view.is_imported() && origin.is_none() {
            let (first, last) = self.span.unwrap_or((time, time));
            self.span = Some((first.min(time), last.max(time)));
        }
        let usage = Usage::of(view);
        let is_work =
            usage.is_some() || view.role.is_tool_state() || view.is_prompt() || view.is_error();
        if !is_work {
            return;
        }
        let work_time = (!is_read).then(|| time.to_string());
        let places = WorkPlaces { time: work_time.as_deref(), history: history.as_deref() };
        if let Some(usage) = usage {
            let is_total = matches!(view.usage_scope(), UsageScope::Session | UsageScope::Process);
            self.has_totals |= is_total && view.data.get(CALLS_IN_TOTAL).is_none();
            let request = view.field("request_id");
            // The lines of one response have several times; the first one counts.
            let places = match request.as_deref() {
                Some(request) => WorkPlaces { time: Some(request), history: None },
                None => places,
            };
            if let Some(id) = view.model_call_id()
                && let Some(item) = self.model_item(&id, places)
            {
                item.counts.usage = usage;
                item.is_partial = usage.output_at_least;
            }
        }
        if view.role.is_tool_state()
            && let Some(id) = view.event.correlation_id.as_deref()
        {
            if let Some(item) = self.item(&["tool", id], places.of(id)) {
                let is_new = std::mem::replace(&mut item.counts.tool_calls, 1) == 0;
                item.counts.tool_failures = u64::from(view.role == Role::ToolFail);
                item.is_partial = (is_new || item.is_partial) && !view.role.is_tool_end();
            }
        } else if view.is_prompt() {
            let text = view.text().unwrap_or_default();
            let id = view.event.event_id.strip_suffix("/prompt").filter(|id| is_unique(id));
            if let Some(key) = self.key_of_either("prompt", &text, id, places) {
                self.item_of(key).counts.prompts = 1;
            }
        }
        if view.is_error() {
            let text = view.error_text().unwrap_or_default();
            let id = view.event.correlation_id.as_deref().filter(|id| is_unique(id));
            if let Some(key) = self.key_of_either("error", &text, id, places) {
                self.item_of(key).counts.errors += 1;
            }
        }
    }

    /// What identifies a model call. `None` if it is not known, or does not count because of the totals
    /// of sessions.
    #[must_use]
    pub(crate) fn model_call(&self, id: &str) -> Option<WorkKey> {
        let known = self.keys.get(&key(&["model", id])).copied();
        known.filter(|_| !self.has_totals)
    }

    /// What identifies a tool call.
    #[must_use]
    pub(crate) fn tool_call(&self, correlation_id: &str) -> Option<WorkKey> {
        self.keys.get(&key(&["tool", correlation_id])).copied()
    }

    /// What identifies each piece of the work. A piece may have two keys.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &WorkKey> {
        self.items.keys().chain(self.history_keys.keys())
    }

    /// The other key of a piece of the work, if it has one.
    #[must_use]
    pub(crate) fn other_key(&self, key: &WorkKey) -> Option<WorkKey> {
        self.by_history.get(key).copied()
    }

    /// The piece of the work that has one of these keys.
    fn find(&self, key: &WorkKey, other: Option<&WorkKey>) -> Option<&WorkItem> {
        let of_other = || self.items.get(self.history_keys.get(other?)?);
        self.items.get(key).or_else(of_other)
    }

    /// How complete the piece of the work with that key is.
    #[must_use]
    pub(crate) fn completeness(&self, key: &WorkKey) -> Completeness {
        self.find(key, Some(key)).map_or(Completeness::Whole, |item| match item.is_partial {
            true => Completeness::Partial(item.counts.usage.output_tokens.unwrap_or(0)),
            false => Completeness::Whole,
        })
    }

    /// The sum of the tokens of all model calls that can be identified.
    #[must_use]
    pub(crate) fn identified_usage(&self) -> Usage {
        let mut sum = Usage::default();
        self.items.values().for_each(|item| sum.add(&item.counts.usage));
        sum
    }

    /// Whether no piece of the work can be identified.
    #[must_use]
    pub(crate) fn is_anonymous(&self) -> bool {
        self.items.is_empty()
    }

    /// Whether another log has a piece of this work.
    #[must_use]
    pub(crate) fn shares_any(&self, other: &Self) -> bool {
        self.keys().any(|key| other.find(key, Some(key)).is_some())
    }

    /// The first and the last time of the work, if any is known.
    pub(crate) fn span(&self) -> Option<(Timestamp, Timestamp)> {
        self.span
    }

    /// The item with that name. Its key also has the place of the first event with the name, so
    /// that ids that are only unique in their session do not meet. `None` without such a place.
    fn item(&mut self, name: &[&str], places: WorkPlaces<'_>) -> Option<&mut WorkItem> {
        let own = key(name);
        let known = self.keys.get(&own).copied();
        let key = known.or_else(|| self.key_of(name, places))?;
        self.keys.insert(own, key);
        Some(self.item_of(key))
    }

    /// The item of the model call with that id. Its place in the history says which call it is, also
    /// where a copy has another id.
    fn model_item(&mut self, id: &str, places: WorkPlaces<'_>) -> Option<&mut WorkItem> {
        let name = ["model", id];
        let Some(history) = places.history else { return self.item(&name, places.of(id)) };
        let own = key(&name);
        let by_time = places.time.map(|time| key(&[&name.concat(), time]));
        let by_history = key(&["model", history]);
        let known = self.keys.get(&own).copied();
        let key = known.or_else(|| self.known_by(by_time, Some(by_history)))?;
        self.keys.insert(own, key);
        Some(self.item_of(key))
    }

    /// The key of the item with that name at these places: by its time, else by its place in the
    /// history. `None` without both.
    fn key_of(&mut self, name: &[&str], places: WorkPlaces<'_>) -> Option<WorkKey> {
        let at = |place: &str| key(&[&name.concat(), place]);
        self.known_by(places.time.map(at), places.history.map(at))
    }

    /// The key of a prompt or an error with that text. Its id, if it is unique, takes precedence over
    /// its place in the history.
    fn key_of_either(
        &mut self,
        kind: &str,
        text: &str,
        id: Option<&str>,
        places: WorkPlaces<'_>,
    ) -> Option<WorkKey> {
        let at = |place: &str| key(&[&[kind, text].concat(), place]);
        let by_id = id.map(|id| key(&[&[kind, id].concat(), EVERYWHERE]));
        self.known_by(places.time.map(at), by_id.or_else(|| places.history.map(at)))
    }

    /// The key of an item with these keys, if it has any.
    fn known_by(
        &mut self,
        by_time: Option<WorkKey>,
        by_history: Option<WorkKey>,
    ) -> Option<WorkKey> {
        if let (Some(key), Some(other)) = (by_time, by_history) {
            self.by_history.entry(key).or_insert(other);
        }
        let key = by_time.or(by_history)?;
        if let Some(by_history) = by_history {
            self.history_keys.entry(by_history).or_insert(key);
        }
        Some(key)
    }

    fn item_of(&mut self, key: WorkKey) -> &mut WorkItem {
        self.items.entry(key).or_default()
    }

    /// What this run repeats of the runs in an index, without those that are not `wanted`, and of
    /// others. All of them had it before. If they are less complete, only the part that they have is
    /// repeated.
    pub(crate) fn copied_from<'o>(
        &self,
        index: &'o WorkIndex,
        wanted: impl Fn(usize) -> bool,
        others: &'o [(String, Arc<Self>)],
    ) -> Vec<Copied> {
        // Most items have the same sources, so the items are counted by their sources first.
        let mut groups: HashMap<([Option<RunSet>; 2], Vec<&str>), Counts> = HashMap::default();
        for (key, item) in &self.items {
            let own = self.by_history.get(key);
            // What an agent printed only has the other key.
            let either = own.or(Some(key));
            let found =
                others.iter().filter_map(|(run, other)| Some((run, other.find(key, either)?)));
            let (names, found): (Vec<&str>, Vec<&WorkItem>) =
                found.map(|(run, item)| (run.as_str(), item)).unzip();
            let sets = [Some(key), own].map(|key| index.sets.get(key?).copied());
            let keys = || [Some(key), own].into_iter().flatten();
            // What the copies tell. One that tells all leaves nothing to compare.
            let told = || {
                let of_others = found.iter().map(|item| item.is_partial.then_some(item.counts));
                let of_index = keys().flat_map(|key| index.copies(key));
                let of_index = of_index.filter(|(run, _)| wanted(*run)).map(|(_, partial)| partial);
                let mut all = of_others.chain(of_index);
                let first = all.next()??;
                all.try_fold(first, |most, told| Some(most.most(&told?)))
            };
            let may_be_partial = found.iter().any(|item| item.is_partial)
                || keys().any(|key| index.partial.contains_key(key));
            let counts = may_be_partial.then(told).flatten();
            let counts = counts.map_or(item.counts, |told| item.counts.least(&told));
            groups.entry((sets, names)).or_default().add(&counts);
        }
        let mut copied: BTreeMap<Vec<&str>, Counts> = BTreeMap::new();
        for ((sets, mut runs), mut counts) in groups {
            let known = sets.into_iter().flat_map(|set| index.runs(set));
            runs.extend(known.filter(|run| wanted(run.number)).map(IndexedRun::name));
            runs.sort_unstable();
            runs.dedup();
            if self.has_totals {
                counts.usage = Usage::default();
            }
            if !runs.is_empty() {
                copied.entry(runs).or_default().add(&counts);
            }
        }
        let owned = |runs: Vec<&str>| runs.into_iter().map(str::to_owned).collect();
        copied
            .into_iter()
            .map(|(runs, counts)| Copied { runs: owned(runs), counts, all_of_events: None })
            .collect()
    }
}

/// Where a piece of work is, in time and in the history of its session.
#[derive(Clone, Copy)]
struct WorkPlaces<'p> {
    time: Option<&'p str>,
    history: Option<&'p str>,
}

/// The place in the history of work whose id is unique: it is the same work in whatever log it is.
const EVERYWHERE: &str = "";

impl WorkPlaces<'_> {
    /// The places of a piece of work with that id.
    fn of(self, id: &str) -> Self {
        Self { history: if is_unique(id) { Some(EVERYWHERE) } else { self.history }, ..self }
    }
}

/// How complete a copy of a piece of work is. The most complete copy counts; among equal ones, the
/// oldest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Completeness {
    /// The call has no end, or the output tokens are a lower bound. The number is these tokens.
    Partial(u64),
    /// All of it.
    Whole,
}

/// The work of many runs: for each piece, the runs that have it.
#[derive(Debug, Default)]
pub(crate) struct WorkIndex {
    sets: HashMap<WorkKey, RunSet>,
    /// The copies that may not tell all of a piece: the number of the run, and what it tells.
    partial: HashMap<WorkKey, HashMap<usize, Counts>>,
    /// Every set: its newest run and the set of the others.
    members: Vec<(IndexedRun, Option<RunSet>)>,
}

/// A set of runs: its place in the list of sets.
type RunSet = u32;

/// A run of an index.
#[derive(Clone, Debug)]
struct IndexedRun {
    number: usize,
    id: Arc<str>,
}

impl WorkIndex {
    /// Adds the work of a run. The number is what `wanted` gets in [`WorkItems::copied_from`].
    pub(crate) fn add(&mut self, number: usize, run: &str, work: &WorkItems) {
        let run = IndexedRun { number, id: run.into() };
        // The items that were in the same set are in the same set again.
        let mut grown: HashMap<Option<RunSet>, RunSet> = HashMap::default();
        for key in work.keys() {
            let before = self.sets.get(key).copied();
            if let Some(item) = work.find(key, Some(key)).filter(|item| item.is_partial) {
                self.partial.entry(*key).or_default().insert(number, item.counts);
            }
            let set = *grown.entry(before).or_insert_with(|| {
                self.members.push((run.clone(), before));
                u32::try_from(self.members.len() - 1).unwrap_or(u32::MAX)
            });
            self.sets.insert(*key, set);
        }
    }

    /// The copies of a piece of work: the number of each run, and what it tells if that may not be all.
    fn copies(&self, key: &WorkKey) -> impl Iterator<Item = (usize, Option<Counts>)> {
        let partial = self.partial.get(key);
        self.runs(self.sets.get(key).copied()).map(move |run| {
            (run.number, partial.and_then(|partial| partial.get(&run.number).copied()))
        })
    }

    /// The runs of a set.
    fn runs(&self, set: Option<RunSet>) -> impl Iterator<Item = &IndexedRun> {
        let find = |set: Option<RunSet>| self.members.get(set? as usize);
        std::iter::successors(find(set), move |(_, rest)| find(*rest)).map(|(run, _)| run)
    }
}

impl IndexedRun {
    fn name(&self) -> &str {
        &self.id
    }
}

impl Counts {
    /// The smaller of each two numbers of work.
    fn least(&self, other: &Self) -> Self {
        Self {
            prompts: self.prompts.min(other.prompts),
            tool_calls: self.tool_calls.min(other.tool_calls),
            tool_failures: self.tool_failures.min(other.tool_failures),
            errors: self.errors.min(other.errors),
            usage: self.usage.least(&other.usage),
            ..Self::default()
        }
    }

    /// The larger of each two numbers of work.
    fn most(&self, other: &Self) -> Self {
        Self {
            prompts: self.prompts.max(other.prompts),
            tool_calls: self.tool_calls.max(other.tool_calls),
            tool_failures: self.tool_failures.max(other.tool_failures),
            errors: self.errors.max(other.errors),
            usage: self.usage.most(&other.usage),
            ..Self::default()
        }
    }
}

impl Copied {
    /// It as a JSON object: `runs` and the numbers, as in `counts` of `run.json`.
    pub(crate) fn to_json(&self) -> String {
        let mut object = ObjectText::new();
        let runs: Vec<String> = self.runs.iter().map(|run| quoted(run)).collect();
        object.json("runs", Json::trusted(&format!("[{}]", runs.join(","))));
        if let Some(events) = self.all_of_events {
            object.plain(ALL_OF_EVENTS, events);
        }
        let Counts { prompts, tool_calls, tool_failures, errors, usage, .. } = &self.counts;
        object.plain("prompts", prompts).plain("tool_calls", tool_calls);
        object.plain("tool_failures", tool_failures).plain("errors", errors);
        let tokens = [
            ("input_tokens", usage.input_tokens),
            ("output_tokens", usage.output_tokens),
            ("cache_read_tokens", usage.cache_read_tokens),
            ("cache_creation_tokens", usage.cache_creation_tokens),
        ];
        for (name, tokens) in tokens {
            if let Some(tokens) = tokens {
                object.plain(name, tokens);
            }
        }
        if let Some(cost) = usage.cost_usd() {
            object.plain("cost_usd", cost);
        }
        if usage.estimated_micros.is_some() {
            object.plain("cost_estimated", true);
        }
        object.finish()
    }

    /// Reads such an object.
    pub(crate) fn parse(object: Json<'_>) -> Option<Self> {
        let number = |name: &str| object.get(name).and_then(Json::as_u64);
        let count = |name: &str| number(name).unwrap_or(0);
        let cost = object.get("cost_usd").and_then(Json::as_f64);
        let cost_micros = cost.map(|dollars| (dollars * 1e6).round() as i64);
        let is_estimated = object.get("cost_estimated").and_then(Json::as_bool) == Some(true);
        let runs = object.get("runs")?.items().filter_map(Json::as_str);
        Some(Self {
            runs: runs.map(Cow::into_owned).collect(),
            all_of_events: number(ALL_OF_EVENTS),
            counts: Counts {
                prompts: count("prompts"),
                tool_calls: count("tool_calls"),
                tool_failures: count("tool_failures"),
                errors: count("errors"),
                usage: Usage {
                    input_tokens: number("input_tokens"),
                    output_tokens: number("output_tokens"),
                    cache_read_tokens: number("cache_read_tokens"),
                    cache_creation_tokens: number("cache_creation_tokens"),
                    cost_micros,
                    estimated_micros: cost_micros.filter(|_| is_estimated),
                    ..Usage::default()
                },
                ..Counts::default()
            },
        })
    }
}

/// The hash of some texts.
fn key(parts: &[&str]) -> WorkKey {
    let mut text = String::new();
    for part in parts {
        text.push_str(part);
        text.push('\0');
    }
    let mut key = [0; 16];
    key.copy_from_slice(&sha256(text.as_bytes())[..16]);
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::envelope::parse;

    /// If this fails, calls of two logs without times that were read in one millisecond are taken
    /// for one call, and one of them is not counted.
    #[test]
    fn a_time_of_reading_identifies_nothing() {
        let keys = |more: &str| {
            let mut work = WorkItems::default();
            for (kind, actor, severity, data) in [
                ("tool.started", "tool", "info", r#""tool_name":"Bash""#),
                ("message.user", "user", "info", r#""text":"Go on""#),
                ("llm.usage", "llm", "info", r#""message_id":"m","input_tokens":1"#),
                ("error.raised", "system", "error", r#""message":"no""#),
            ] {
                let line = format!(
                    r#"{{"event_id":"e","sequence":1,"run_id":"r","session_id":"s","task_id":"t","type":"{kind}","timestamp":"2026-03-01T09:00:00.000Z","actor":"{actor}","severity":"{severity}","summary":"x","data":{{{data},"dialect":"codex"{more}}},"correlation_id":"item_1"}}"#
                );
                work.observe(&View::of(&parse(line.as_bytes()).unwrap()));
            }
            (work.keys().count(), work.tool_call("item_1").is_some())
        };
        assert_eq!(keys(""), (4, true));
        assert_eq!(keys(r#","time_origin":"time_of_reading""#), (0, false));
    }
}
