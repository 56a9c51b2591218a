//! The totals of a session, from the `result` lines of its streams.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::figures::tokens;
use crate::agents::said::{ModelCall, TokensUsed, Used, UsedScope};
use crate::event::fields::{as_micros, is_placeholder};
use crate::json::{Json, Members};

/// The names of the counts in `modelUsage`.
const OF_MODEL: [&str; 5] =
    ["inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens", ""];

/// The most models whose parts of a total are recorded.
const MODELS: usize = 16;

/// The names of the cost, the newest first.
const COSTS: [&str; 3] = ["total_cost_usd", "cost_usd", "total_cost"];

/// Input, output, tokens read from a cache and written to one, and a cost in millionths of a dollar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct TotalCounts {
    tokens: [Option<u64>; 4],
    cost: Option<i64>,
}

/// What a process used up to a `result` line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct ResultTotals {
    all: TotalCounts,
    /// The same for each model; empty if the line does not say it.
    models: BTreeMap<String, TotalCounts>,
}

/// The totals of the processes of the sessions.
#[derive(Debug, Default)]
pub(super) struct SessionTotals {
    sessions: HashMap<String, SessionProcesses>,
    /// Whether the next process begins a file.
    begins_file: bool,
    /// Whether a process that resumes a session goes on with the totals of the earlier ones.
    pub(super) goes_on: bool,
}

/// The newest process of a session.
#[derive(Debug, Default)]
struct SessionProcesses {
    /// Its id: that of its first `result` line.
    process: String,
    /// What its earlier turns used, if its lines count each turn alone.
    earlier: ResultTotals,
    newest: ResultTotals,
    /// Whether the next `result` line is of another process than the newest.
    is_next_process: bool,
    /// The messages after the newest `result` line.
    since_result: ProcessMessages,
    /// What the messages of sub-agents used, and the models of all messages.
    of_sub_agents: TotalCounts,
    models: BTreeSet<String>,
    /// Whether a `result` line reported more than the messages before it.
    has_untold: bool,
}

/// What some messages used, by their ids.
#[derive(Debug, Default)]
struct ProcessMessages {
    of_main: HashMap<String, TotalCounts>,
    of_sub_agents: HashMap<String, TotalCounts>,
    models: BTreeSet<String>,
    /// The last message of the main agent.
    last: Option<String>,
}

impl ProcessMessages {
    /// The ids, the last message of the main agent at the end.
    fn ids(&self) -> Vec<String> {
        let of_main = self.of_main.keys().filter(|id| Some(*id) != self.last.as_ref());
        let mut ids: Vec<&String> = self.of_sub_agents.keys().chain(of_main).collect();
        ids.sort_unstable();
        ids.into_iter().chain(&self.last).cloned().collect()
    }
}

/// A message that reports its tokens.
#[derive(Clone, Copy, Debug)]
pub(super) struct UsedMessage<'m> {
    /// Its id.
    pub id: &'m str,
    /// The model.
    pub model: Option<&'m str>,
    /// The token counts.
    pub tokens: TokensUsed,
    /// Whether a sub-agent got it.
    pub by_sub_agent: bool,
}

impl SessionTotals {
    /// Takes what a message used.
    pub(super) fn message(&mut self, session: &str, message: &UsedMessage<'_>) {
        let UsedMessage { id, model, tokens, by_sub_agent } = *message;
        let since = &mut self.sessions.entry(session.to_owned()).or_default().since_result;
        since.models.extend(model.map(str::to_owned));
        if !by_sub_agent {
            since.last = Some(id.to_owned());
        }
        let messages = if by_sub_agent { &mut since.of_sub_agents } else { &mut since.of_main };
        messages.insert(id.to_owned(), TotalCounts::of(tokens));
    }

    /// Takes the beginning of a file. What a process printed is in one file.
    pub(super) fn begin_file(&mut self) {
        self.begins_file = true;
    }

    /// Takes a line, which may be the first one of a process, or of a turn of one. Messages before it without
    /// a `result` line are of a process that was cut off: no total has them.
    pub(super) fn init(&mut self, line: &Members<'_>) {
        if line.text_at("subtype").is_none_or(|subtype| subtype != "init") {
            return;
        }
        let begins_file = std::mem::take(&mut self.begins_file);
        let session = line.text_at("session_id").unwrap_or_default();
        if let Some(processes) = self.sessions.get_mut(&*session) {
            processes.is_next_process |= begins_file;
            processes.since_result = ProcessMessages::default();
        }
    }

    /// The total of a process after a `result` line, then its part of each model if the line says it. None
    /// if the line has no numbers.
    pub(super) fn after(&mut self, line: &Members<'_>) -> Vec<Used<'static>> {
        let (totals, of_turn) = ResultTotals::of(line);
        let has_sub_agents = of_turn.is_some();
        if totals == ResultTotals::default() {
            return Vec::new();
        }
        let session = line.text_at("session_id").unwrap_or_default().into_owned();
        let processes = self.sessions.entry(session).or_default();
        // Tokens may be those of a turn, where the cost is that of all turns. Those of all turns
        // exceed what the messages of this turn say.
        let newest = &processes.newest;
        let since = std::mem::take(&mut processes.since_result);
        let of_messages = TotalCounts::sum(since.of_main.values());
        // The totals of one process include its earlier totals and what was used since. Both the line
        // and the messages may tell more than that.
        let of_line = of_turn.unwrap_or_default();
        let of_main = of_turn.unwrap_or(totals.all);
        let used = if since.of_main.is_empty() { of_line } else { of_line.least(&of_messages) };
        let before = TotalCounts { cost: None, ..newest.all };
        let is_next_process = std::mem::take(&mut processes.is_next_process);
        let is_new_process = processes.process.is_empty()
            || (before != TotalCounts::default()
                && before.tokens != totals.all.tokens
                && (is_next_process
                    || (has_sub_agents && totals.all.has_fewer_tokens(&before.plus(&used)))));
        if is_new_process {
            let process = line.text_at("uuid").unwrap_or_default().into_owned();
            *processes = SessionProcesses { process, ..SessionProcesses::default() };
        }
        processes.has_untold |= !of_main.is_within(&of_messages);
        let of_sub_agents = TotalCounts::sum(since.of_sub_agents.values());
        processes.of_sub_agents = processes.of_sub_agents.plus(&of_sub_agents);
        processes.models.extend(since.models.iter().cloned());
        let newest = &processes.newest;
        let of_messages = if has_sub_agents { TotalCounts::default() } else { of_messages };
        let is_of_turn = newest.all != TotalCounts::default() && totals.all.is_within(&of_messages);
        if is_of_turn || totals.all.has_fewer_tokens(&newest.all) {
            let part = newest.map(|counts| TotalCounts { cost: None, ..*counts });
            processes.earlier = processes.earlier.plus(&part);
        }
        if totals.all.cost.zip(newest.all.cost).is_some_and(|(now, then)| now < then) {
            let part = newest.map(|counts| TotalCounts { tokens: [None; 4], ..*counts });
            processes.earlier = processes.earlier.plus(&part);
        }
        let mut all = processes.earlier.plus(&totals);
        if !has_sub_agents {
            all.models.clear();
            all.all = all.all.plus(&processes.of_sub_agents);
        }
        // The source's own digits, unless costs were added.
        let own_cost =
            cost_of(line).filter(|_| all.all.cost == totals.all.cost).and_then(Json::as_f64);
        processes.newest = totals;
        let models = all.by_model(&processes.models).unwrap_or_default();
        let mut models: Vec<_> = models.into_iter().collect();
        // Without messages, the first model is taken for that of the session.
        if processes.models.is_empty() {
            models.sort_by_key(|(_, counts)| std::cmp::Reverse((counts.cost, counts.tokens)));
        }
        // One model has the total. Many would make a log of the square of the source's size.
        let only = models.first().filter(|_| models.len() == 1 && processes.models.is_empty());
        let scope = if self.goes_on { UsedScope::Session } else { UsedScope::Process };
        let total = Used {
            process: Some(processes.process.clone()).filter(|id| !id.is_empty()),
            calls: (!processes.has_untold).then(|| since.ids()),
            ..all.all.used(own_cost, only.map(|(model, _)| model), scope)
        };
        let parts = models.iter().filter(|_| (2..=MODELS).contains(&models.len()));
        let parts = parts.map(|(model, counts)| counts.used(None, Some(model), UsedScope::Model));
        [total].into_iter().chain(parts).collect()
    }
}

impl ResultTotals {
    /// The totals on a line. If they include those of sub-agents, as `modelUsage` does, also what the
    /// main agent used in the turn, from `usage`.
    fn of(line: &Members<'_>) -> (Self, Option<TotalCounts>) {
        let of_turn = line.present("usage").map(tokens).map(TotalCounts::of).unwrap_or_default();
        let mut models: BTreeMap<String, TotalCounts> = BTreeMap::new();
        for (name, model) in line.present("modelUsage").into_iter().flat_map(Json::members) {
            let cost = model.get("costUSD").and_then(as_micros);
            let counts = TotalCounts { cost, ..TotalCounts::of(TokensUsed::at(model, OF_MODEL)) };
            let known = models.entry(name.into_owned()).or_default();
            *known = known.plus(&counts);
        }
        let by_model = TotalCounts::sum(models.values());
        let cost_of_models =
            by_model.cost.filter(|_| models.values().all(|model| model.cost.is_some()));
        let by_model = TotalCounts { cost: None, ..by_model };
        let is_whole = by_model != TotalCounts::default() && !by_model.has_fewer_tokens(&of_turn);
        if !is_whole {
            models.clear();
        }
        let tokens = if is_whole { by_model.tokens } else { of_turn.tokens };
        let cost = cost_of(line).and_then(as_micros);
        let cost = cost.or(cost_of_models.filter(|_| is_whole));
        (Self { all: TotalCounts { tokens, cost }, models }, is_whole.then_some(of_turn))
    }

    /// The same with other counts.
    fn map(&self, change: impl Fn(&TotalCounts) -> TotalCounts) -> Self {
        let models = self.models.iter().map(|(name, counts)| (name.clone(), change(counts)));
        Self { all: change(&self.all), models: models.collect() }
    }

    /// The sum, also of each model.
    fn plus(&self, other: &Self) -> Self {
        let mut sum = Self { all: self.all.plus(&other.all), models: self.models.clone() };
        for (name, counts) in &other.models {
            let known = sum.models.entry(name.clone()).or_default();
            *known = known.plus(counts);
        }
        sum
    }

    /// The counts of each model, whose sum is that of the whole. `None` if they do not account for
    /// all of it, or lack one of the models whose messages were `seen`.
    fn by_model(&self, seen: &BTreeSet<String>) -> Option<BTreeMap<String, TotalCounts>> {
        let mut models: BTreeMap<String, TotalCounts> = BTreeMap::new();
        for (name, counts) in &self.models {
            // A name may say how large the context window is: `claude-sonnet-4-5[1m]`.
            let plain = name.split('[').next().filter(|plain| seen.contains(*plain));
            let known = models.entry(plain.unwrap_or(name).to_owned()).or_default();
            *known = known.plus(counts);
        }
        let sum = TotalCounts::sum(models.values());
        let names_all = seen.iter().all(|model| models.contains_key(model));
        let names_none = models.keys().any(|name| is_placeholder(name));
        if models.is_empty() || !names_all || names_none || sum.tokens != self.all.tokens {
            return None;
        }
        let Some(cost) = self.all.cost else { return Some(models) };
        let are_known = models.values().all(|counts| counts.cost.is_some());
        let rest = cost.saturating_sub(sum.cost.filter(|_| are_known)?);
        // The parts are rounded. What that costs goes to the model where it shows least.
        let is_rounding =
            rest.unsigned_abs() <= (models.len() as u64).max(cost.unsigned_abs() / 500);
        let largest =
            models.values_mut().max_by_key(|counts| counts.cost).filter(|_| is_rounding)?;
        largest.cost = largest.cost.map(|cost| cost.saturating_add(rest));
        Some(models)
    }
}

impl TotalCounts {
    /// The sum of all.
    fn sum<'t>(all: impl Iterator<Item = &'t Self>) -> Self {
        all.fold(Self::default(), |sum, one| sum.plus(one))
    }

    /// The smaller one of each token count.
    fn least(&self, other: &Self) -> Self {
        let least =
            |at: usize| Some(self.tokens[at].unwrap_or(0).min(other.tokens[at].unwrap_or(0)));
        Self { tokens: std::array::from_fn(least), cost: None }
    }

    /// Whether a token count is below the earlier one, which the total of a process cannot be.
    fn has_fewer_tokens(&self, earlier: &Self) -> bool {
        let mut counts = self.tokens.iter().zip(earlier.tokens);
        counts.any(|(now, then)| now.zip(then).is_some_and(|(now, then)| now < then))
    }

    /// Whether no count of the input is above those of the messages of a turn. The output of a message
    /// may be a lower bound.
    fn is_within(&self, turn: &Self) -> bool {
        let mut input = [0, 2, 3].into_iter();
        turn.tokens[0].is_some_and(|tokens| tokens > 0)
            && input.all(|at| {
                let (whole, turn) = (self.tokens[at].unwrap_or(0), turn.tokens[at]);
                turn.is_none_or(|turn| whole <= turn)
            })
    }

    /// The sum. Known plus unknown is known.
    fn plus(&self, other: &Self) -> Self {
        let tokens = std::array::from_fn(|at| match (self.tokens[at], other.tokens[at]) {
            (Some(one), Some(other)) => Some(one.saturating_add(other)),
            (one, other) => one.or(other),
        });
        let cost = match (self.cost, other.cost) {
            (Some(one), Some(other)) => Some(one.saturating_add(other)),
            (one, other) => one.or(other),
        };
        Self { tokens, cost }
    }

    /// Those of some tokens.
    fn of(used: TokensUsed) -> Self {
        let TokensUsed { input, output, cache_read, cache_creation, .. } = used;
        Self { tokens: [input, output, cache_read, cache_creation], cost: None }
    }

    /// What is reported of them. `own_cost` is the cost in the source's digits.
    fn used(
        &self,
        own_cost: Option<f64>,
        model: Option<&String>,
        scope: UsedScope,
    ) -> Used<'static> {
        let [input, output, cache_read, cache_creation] = self.tokens;
        let cost = own_cost.or(self.cost.map(|cost| cost as f64 / 1e6));
        let counts = TokensUsed::of([input, output, cache_read, cache_creation, None]);
        let tokens = TokensUsed { cost, ..counts };
        let of = ModelCall { model: model.cloned().map(Into::into), id: None };
        Used { tokens, of, scope, ..Used::default() }
    }
}

/// The cost on a line, if it is a number.
fn cost_of<'s>(line: &Members<'s>) -> Option<Json<'s>> {
    COSTS.iter().find_map(|name| line.get(name).filter(|cost| cost.as_f64().is_some()))
}
