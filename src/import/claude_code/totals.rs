//! The totals of a session, from the `result` lines of its streams.

use std::collections::HashMap;

use crate::event::fields::as_micros;
use crate::json::{Json, Members, ObjectText};

/// The names of the counts: in `usage`, in `modelUsage`, and in this program.
const COUNTS: [(&str, &str, &str); 4] = [
    ("input_tokens", "inputTokens", "input_tokens"),
    ("output_tokens", "outputTokens", "output_tokens"),
    ("cache_read_input_tokens", "cacheReadInputTokens", "cache_read_tokens"),
    ("cache_creation_input_tokens", "cacheCreationInputTokens", "cache_creation_tokens"),
];

/// The names of the cost, the newest first.
const COSTS: [&str; 3] = ["total_cost_usd", "cost_usd", "total_cost"];

/// What a process used up to a `result` line: the token counts in the order of [`COUNTS`], and the
/// cost in millionths of a dollar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ResultTotals {
    tokens: [Option<u64>; 4],
    cost: Option<i64>,
}

/// The totals of the sessions. Each process counts from zero. One that resumes a session adds to
/// what the earlier ones used.
#[derive(Debug, Default)]
pub(super) struct SessionTotals {
    sessions: HashMap<String, SessionProcesses>,
}

/// The processes of a session.
#[derive(Debug, Default)]
struct SessionProcesses {
    /// What those before the newest one used.
    earlier: ResultTotals,
    newest: ResultTotals,
    /// What the messages of sub-agents used, by their ids.
    of_sub_agents: HashMap<String, ResultTotals>,
}

impl SessionTotals {
    /// Takes what a message of a sub-agent used. The counts have the names of this program.
    pub(super) fn sub_agent(&mut self, session: &str, message: &str, figures: Json<'_>) {
        let tokens = COUNTS.map(|(_, _, name)| figures.get(name).and_then(Json::as_u64));
        let processes = self.sessions.entry(session.to_owned()).or_default();
        let totals = ResultTotals { tokens, cost: None };
        processes.of_sub_agents.insert(message.to_owned(), totals);
    }

    /// The members of the event that reports the totals after a `result` line. `None` if the line
    /// has no numbers.
    pub(super) fn after(&mut self, line: &Members<'_>) -> Option<String> {
        let (totals, has_sub_agents) = ResultTotals::of(line);
        if totals == ResultTotals::default() {
            return None;
        }
        let session = line.text_at("session_id").unwrap_or_default().into_owned();
        let processes = self.sessions.entry(session).or_default();
        // Tokens may be those of a turn, where the cost is that of all turns.
        let newest = processes.newest;
        if totals.has_fewer_tokens(&newest) {
            processes.earlier = processes.earlier.plus(&ResultTotals { cost: None, ..newest });
        }
        if totals.cost.zip(newest.cost).is_some_and(|(now, then)| now < then) {
            processes.earlier = processes
                .earlier
                .plus(&ResultTotals { cost: newest.cost, ..ResultTotals::default() });
        }
        processes.newest = totals;
        let mut all = processes.earlier.plus(&totals);
        if !has_sub_agents {
            all = processes.of_sub_agents.values().fold(all, |sum, one| sum.plus(one));
        }
        let mut data = ObjectText::new();
        for ((_, _, name), count) in COUNTS.iter().zip(all.tokens) {
            if let Some(count) = count {
                data.plain(name, count);
            }
        }
        // The source's own digits, unless costs were added.
        match (all.cost, cost_of(line).filter(|_| all.cost == totals.cost)) {
            (_, Some(own)) => drop(data.json("cost_usd", own)),
            (Some(cost), None) => drop(data.plain("cost_usd", cost as f64 / 1e6)),
            (None, None) => {}
        }
        Some(data.finish())
    }
}

impl ResultTotals {
    /// The totals on a line, and whether they include those of sub-agents. `usage` leaves them out,
    /// `modelUsage` does not.
    fn of(line: &Members<'_>) -> (Self, bool) {
        let count = |object: Json<'_>, name: &str| object.get(name).and_then(Json::as_u64);
        let usage = line.present("usage");
        let mut tokens = COUNTS.map(|(name, _, _)| count(usage?, name));
        let models = line.present("modelUsage").into_iter().flat_map(Json::members);
        let by_model = models.fold(Self::default(), |sum, (_, model)| {
            let tokens = COUNTS.map(|(_, name, _)| count(model, name));
            sum.plus(&Self { tokens, cost: None })
        });
        let is_whole =
            by_model != Self::default() && !by_model.has_fewer_tokens(&Self { tokens, cost: None });
        if is_whole {
            tokens = by_model.tokens;
        }
        (Self { tokens, cost: cost_of(line).and_then(as_micros) }, is_whole)
    }

    /// Whether a token count is below the earlier one, which the total of a process cannot be.
    fn has_fewer_tokens(&self, earlier: &Self) -> bool {
        let mut counts = self.tokens.iter().zip(earlier.tokens);
        counts.any(|(now, then)| now.zip(then).is_some_and(|(now, then)| now < then))
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
}

/// The cost on a line, if it is a number.
fn cost_of<'s>(line: &Members<'s>) -> Option<Json<'s>> {
    COSTS.iter().find_map(|name| line.get(name).filter(|cost| cost.as_f64().is_some()))
}
