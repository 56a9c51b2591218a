//! What statistics measure.

use super::dimension::DimensionScope;
use crate::tables::usage_numbers::{OF_MODEL_CALL, OF_MODEL_CALLS};
use crate::tables::{CallRow, FileRow, RunTableRow, UsageRow};
use crate::transcript::diff::LOOKS;

/// The numbers of a group.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Measures {
    runs: u64,
    /// Runs that changed files, and those of them that ran tests after the last change.
    edited_runs: u64,
    tested_runs: u64,
    model_calls: u64,
    /// Whether there are sums of several model calls, which count as one each.
    has_sums: bool,
    /// Input, output, cache read, cache creation.
    tokens: [Option<i64>; 4],
    output_at_least: bool,
    largest_context: Option<u64>,
    cost_micros: Option<i64>,
    cost_estimated: bool,
    uncosted_calls: u64,
    /// Whether the cost of something is missing: of a call, or of a part of a total.
    lacks_cost: bool,
    retry_tokens: i64,
    repeat_tokens: i64,
    copied_tokens: i64,
    copied_micros: i64,
    calls: u64,
    failures: u64,
    blocked: u64,
    retries: u64,
    repeats: u64,
    copied_calls: u64,
    result_bytes: u64,
    durations_ms: Vec<u64>,
    reads: u64,
    changes: u64,
    added: Option<i64>,
    removed: Option<i64>,
}

/// A number of a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum MeasureValue {
    /// It is unknown.
    Unknown,
    /// A number of things.
    Count(i64),
    /// A number of things, of which there may be more.
    AtLeast(i64),
    /// A number of tokens, of which the figure may be a lower bound.
    Tokens(i64, bool),
    /// Milliseconds.
    Duration(u64),
    /// A cost.
    Cost {
        /// Millionths of a dollar.
        micros: i64,
        /// Whether a part is estimated.
        estimated: bool,
        /// Whether it is a lower bound.
        partial: bool,
    },
    /// A share between 0 and 1.
    Share(f64),
    /// A number of bytes.
    Bytes(u64),
}

/// The definition of a measure.
pub(crate) struct Measure {
    /// The name in documents.
    pub name: &'static str,
    /// The heading in tables for people; `None` if it is only in documents.
    pub heading: Option<&'static str>,
    /// What it is.
    pub purpose: &'static str,
    /// The groups that have it as a column: those whose dimensions have one of these scopes as the
    /// narrowest.
    pub scopes: &'static [DimensionScope],
    /// The groups that have it in documents alone.
    pub documents: &'static [DimensionScope],
    /// Its value.
    pub value: fn(&Measures) -> MeasureValue,
}

use DimensionScope::{Call, File, Run, Work};
use MeasureValue::{AtLeast, Bytes, Cost, Count, Duration, Share, Tokens, Unknown};

fn count(number: u64) -> MeasureValue {
    Count(i64::try_from(number).unwrap_or(i64::MAX))
}

fn lines(number: Option<i64>) -> MeasureValue {
    number.map_or(Unknown, Count)
}

fn tokens(number: Option<i64>) -> MeasureValue {
    number.map_or(Unknown, |number| Tokens(number, false))
}

/// The measures that every JSON row has. They are null where the groups do not have them.
pub(crate) const IN_EACH_ROW: &[&str] = &[
    "runs",
    "calls",
    "failures",
    "retries",
    "duration_ms",
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_creation_tokens",
    "cost_usd",
];

/// All measures, in the order of the columns.
pub(crate) const MEASURES: &[Measure] = &[
    Measure {
        name: "runs",
        heading: Some("RUNS"),
        purpose: "runs with anything in this group",
        scopes: &[Run, Work, Call, File],
        documents: &[],
        value: |of| count(of.runs),
    },
    Measure {
        name: "model_calls",
        heading: Some("REQUESTS"),
        purpose: "model calls that report tokens or cost; with sums of several calls a lower bound, and marked ≥",
        scopes: &[Run, Work],
        documents: &[],
        value: |of| match count(of.model_calls) {
            Count(number) if of.has_sums => AtLeast(number),
            number => number,
        },
    },
    Measure {
        name: "cost_usd",
        heading: Some("COST"),
        purpose: "cost in dollars; an estimate is marked",
        scopes: &[Run, Work],
        documents: &[],
        value: |of| {
            let estimated = of.cost_estimated;
            let partial = of.lacks_cost || estimated && of.output_at_least;
            of.cost_micros.map_or(Unknown, |micros| Cost { micros, estimated, partial })
        },
    },
    Measure {
        name: "input_tokens",
        heading: None,
        purpose: "input tokens without cached ones",
        scopes: &[Run, Work],
        documents: &[],
        value: |of| tokens(of.tokens[0]),
    },
    Measure {
        name: "cache_read_tokens",
        heading: None,
        purpose: "input tokens read from a cache",
        scopes: &[Run, Work],
        documents: &[],
        value: |of| tokens(of.tokens[2]),
    },
    Measure {
        name: "cache_creation_tokens",
        heading: None,
        purpose: "input tokens written to a cache",
        scopes: &[Run, Work],
        documents: &[],
        value: |of| tokens(of.tokens[3]),
    },
    Measure {
        name: "all_input_tokens",
        heading: Some("IN"),
        purpose: "all input tokens, cached ones included",
        scopes: &[Run, Work],
        documents: &[],
        value: |of| tokens(of.all_input()),
    },
    Measure {
        name: "output_tokens",
        heading: Some("OUT"),
        purpose: "output tokens",
        scopes: &[Run, Work],
        documents: &[],
        value: |of| of.tokens[1].map_or(Unknown, |out| Tokens(out, of.output_at_least)),
    },
    Measure {
        name: "calls",
        heading: Some("CALLS"),
        purpose: "tool calls",
        scopes: &[Run, Work, Call],
        documents: &[],
        value: |of| count(of.calls),
    },
    Measure {
        name: "failures",
        heading: Some("FAIL"),
        purpose: "tool calls that failed",
        scopes: &[Run, Work, Call],
        documents: &[],
        value: |of| count(of.failures),
    },
    Measure {
        name: "failure_rate",
        heading: Some("RATE"),
        purpose: "the share of the tool calls that failed",
        scopes: &[Call],
        documents: &[],
        value: |of| {
            if of.calls == 0 { Unknown } else { Share(of.failures as f64 / of.calls as f64) }
        },
    },
    Measure {
        name: "blocked",
        heading: None,
        purpose: "tool calls that were blocked",
        scopes: &[Run, Work, Call],
        documents: &[],
        value: |of| count(of.blocked),
    },
    Measure {
        name: "median_ms",
        heading: Some("MEDIAN"),
        purpose: "the median duration of a tool call",
        scopes: &[Call],
        documents: &[],
        value: |of| of.rank(50).map_or(Unknown, Duration),
    },
    Measure {
        name: "p95_ms",
        heading: Some("P95"),
        purpose: "95 % of the tool calls took at most this long",
        scopes: &[Call],
        documents: &[],
        value: |of| of.rank(95).map_or(Unknown, Duration),
    },
    Measure {
        name: "duration_ms",
        heading: Some("TOTAL"),
        purpose: "the sum of the durations of the tool calls",
        scopes: &[Call],
        documents: &[Run, Work],
        value: |of| match of.durations_ms.as_slice() {
            [] => Unknown,
            all => Duration(all.iter().fold(0, |sum, one| sum.saturating_add(*one))),
        },
    },
    Measure {
        name: "retries",
        heading: Some("RETRIES"),
        purpose: "calls after the agent's last call of the tool had failed",
        scopes: &[Call],
        documents: &[Run, Work],
        value: |of| count(of.retries),
    },
    Measure {
        name: "repeats",
        heading: Some("REPEATS"),
        purpose: "calls with the same arguments as an earlier one",
        scopes: &[Call],
        documents: &[],
        value: |of| count(of.repeats),
    },
    Measure {
        name: "retry_tokens",
        heading: Some("RETRYING"),
        purpose: "tokens of the model calls that asked for a retry",
        scopes: &[Run, Work],
        documents: &[],
        value: |of| Tokens(of.retry_tokens, of.output_at_least && of.retry_tokens > 0),
    },
    Measure {
        name: "repeat_tokens",
        heading: Some("REPEATING"),
        purpose: "tokens of the model calls that asked for a repeated call",
        scopes: &[Run, Work],
        documents: &[],
        value: |of| Tokens(of.repeat_tokens, of.output_at_least && of.repeat_tokens > 0),
    },
    Measure {
        name: "largest_context",
        heading: Some("CONTEXT"),
        purpose: "the largest input of one model call, in tokens",
        scopes: &[Run, Work],
        documents: &[],
        value: |of| of.largest_context.map_or(Unknown, count),
    },
    Measure {
        name: "result_bytes",
        heading: Some("RESULTS"),
        purpose: "the length of the results of the tool calls, in bytes",
        scopes: &[Work, Call],
        documents: &[],
        value: |of| Bytes(of.result_bytes),
    },
    Measure {
        name: "edited_runs",
        heading: Some("EDITED"),
        purpose: "runs that changed a file",
        scopes: &[Run],
        documents: &[],
        value: |of| count(of.edited_runs),
    },
    Measure {
        name: "tested_runs",
        heading: Some("TESTED"),
        purpose: "runs that ran tests after their last change of a file",
        scopes: &[Run],
        documents: &[],
        value: |of| count(of.tested_runs),
    },
    Measure {
        name: "copied_calls",
        heading: None,
        purpose: "copied tool calls, which no other figure holds",
        scopes: &[Run, Work, Call],
        documents: &[],
        value: |of| count(of.copied_calls),
    },
    Measure {
        name: "copied_tokens",
        heading: Some("COPIED"),
        purpose: "tokens of history copied from another run; in no other column",
        scopes: &[Run, Work],
        documents: &[],
        value: |of| Tokens(of.copied_tokens, false),
    },
    Measure {
        name: "copied_cost_usd",
        heading: None,
        purpose: "cost of history copied from another run; in no other column",
        scopes: &[Run, Work],
        documents: &[],
        value: |of| Cost { micros: of.copied_micros, estimated: of.cost_estimated, partial: false },
    },
    Measure {
        name: "reads",
        heading: Some("READS"),
        purpose: "times that the file was read",
        scopes: &[File],
        documents: &[],
        value: |of| count(of.reads),
    },
    Measure {
        name: "changes",
        heading: Some("CHANGES"),
        purpose: "times that the file was changed",
        scopes: &[File],
        documents: &[],
        value: |of| count(of.changes),
    },
    Measure {
        name: "added",
        heading: Some("ADDED"),
        purpose: "lines added",
        scopes: &[File],
        documents: &[],
        value: |of| lines(of.added),
    },
    Measure {
        name: "removed",
        heading: Some("REMOVED"),
        purpose: "lines removed",
        scopes: &[File],
        documents: &[],
        value: |of| lines(of.removed),
    },
    Measure {
        name: "uncosted_calls",
        heading: None,
        purpose: "model calls without a known cost; if there are any, the cost is a lower bound and ends with +",
        scopes: &[Run, Work],
        documents: &[],
        value: |of| count(of.uncosted_calls),
    },
];

impl Measures {
    /// The numbers of a run beside those of its rows.
    pub(super) fn add_run(&mut self, run: &RunTableRow) {
        self.edited_runs += u64::from(run.tests_after_last_edit.is_some());
        self.tested_runs += u64::from(run.tests_after_last_edit.is_some_and(|tests| tests > 0));
    }

    /// Counts the run of a row that was added. Only the first row of each run may do so.
    pub(super) fn count_run(&mut self) {
        self.runs += 1;
    }

    /// Notes that the cost of all the rows of a run is reported. Copies are left out of the sum, so
    /// without them it is not the reported one.
    pub(super) fn cost_is_reported(&mut self) {
        self.cost_estimated &= self.copied_tokens != 0 || self.copied_micros != 0;
    }

    /// The same for the output.
    pub(super) fn output_is_reported(&mut self) {
        self.output_at_least &= self.copied_tokens != 0;
    }

    /// Adds a row of `usage`. `uncosted`: the model calls in it whose cost is missing in that of the
    /// run.
    pub(super) fn add_usage(&mut self, usage: &UsageRow) {
        let UsageRow { input_tokens, output_tokens, cache_read_tokens, .. } = usage;
        let parts =
            [*input_tokens, *output_tokens, *cache_read_tokens, usage.cache_creation_tokens];
        let all = parts.iter().flatten().fold(0, |sum: i64, part| sum.saturating_add(*part));
        let cost = usage.cost_usd.map(|cost| cost.0);
        if !usage.first_seen {
            self.copied_tokens = self.copied_tokens.saturating_add(all);
            self.copied_micros = self.copied_micros.saturating_add(cost.unwrap_or(0));
            return;
        }
        let is_sum = usage.kind == OF_MODEL_CALLS;
        self.model_calls += u64::from(usage.kind == OF_MODEL_CALL || is_sum);
        self.has_sums |= is_sum;
        self.uncosted_calls += usage.uncosted_calls;
        self.lacks_cost |= usage.uncosted_calls > 0;
        for (sum, part) in self.tokens.iter_mut().zip(parts) {
            *sum = plus(*sum, part);
        }
        self.cost_micros = plus(self.cost_micros, cost);
        self.cost_estimated |= usage.cost_estimated;
        self.output_at_least |= usage.output_at_least;
        self.largest_context = self.largest_context.max(usage.context_tokens);
        if usage.retries > 0 {
            self.retry_tokens = self.retry_tokens.saturating_add(all);
        }
        if usage.repeats > 0 {
            self.repeat_tokens = self.repeat_tokens.saturating_add(all);
        }
    }

    pub(super) fn add_call(&mut self, call: &CallRow) {
        if !call.first_seen {
            self.copied_calls += 1;
            return;
        }
        self.calls += 1;
        self.failures += u64::from(call.status == "failed");
        self.blocked += u64::from(call.status == "blocked");
        self.retries += u64::from(call.is_retry);
        self.repeats += u64::from(call.is_repeat);
        self.result_bytes += call.result_bytes.unwrap_or(0);
        self.durations_ms.extend(call.duration_ms);
    }

    pub(super) fn add_file(&mut self, file: &FileRow) {
        let is_read = LOOKS.contains(&file.action.as_str());
        self.reads += u64::from(is_read);
        self.changes += u64::from(!is_read && file.applied);
        if file.applied {
            let signed = |lines: u64| i64::try_from(lines).unwrap_or(i64::MAX);
            self.added = plus(self.added, file.added.map(signed));
            self.removed = plus(self.removed, file.removed.map(signed));
        }
    }

    /// Adds the numbers of other runs.
    pub(super) fn add(&mut self, other: Self) {
        self.runs += other.runs;
        self.edited_runs += other.edited_runs;
        self.tested_runs += other.tested_runs;
        self.model_calls += other.model_calls;
        self.has_sums |= other.has_sums;
        for (sum, part) in self.tokens.iter_mut().zip(other.tokens) {
            *sum = plus(*sum, part);
        }
        self.output_at_least |= other.output_at_least;
        self.largest_context = self.largest_context.max(other.largest_context);
        self.cost_micros = plus(self.cost_micros, other.cost_micros);
        self.cost_estimated |= other.cost_estimated;
        self.uncosted_calls += other.uncosted_calls;
        self.lacks_cost |= other.lacks_cost;
        self.retry_tokens = self.retry_tokens.saturating_add(other.retry_tokens);
        self.repeat_tokens = self.repeat_tokens.saturating_add(other.repeat_tokens);
        self.copied_tokens = self.copied_tokens.saturating_add(other.copied_tokens);
        self.copied_micros = self.copied_micros.saturating_add(other.copied_micros);
        self.calls += other.calls;
        self.failures += other.failures;
        self.blocked += other.blocked;
        self.retries += other.retries;
        self.repeats += other.repeats;
        self.copied_calls += other.copied_calls;
        self.result_bytes += other.result_bytes;
        self.durations_ms.extend(other.durations_ms);
        self.reads += other.reads;
        self.changes += other.changes;
        self.added = plus(self.added, other.added);
        self.removed = plus(self.removed, other.removed);
    }

    /// Sorts the durations, so that their ranks can be read.
    pub(super) fn settle(&mut self) {
        self.durations_ms.sort_unstable();
    }

    /// What to sort by: the most expensive first, then the most tokens, then the most calls.
    #[must_use]
    pub(crate) fn weight(&self) -> (i64, i64, u64) {
        let tokens =
            self.tokens.iter().flatten().fold(0, |sum: i64, part| sum.saturating_add(*part));
        (self.cost_micros.unwrap_or(0), tokens, self.calls + self.changes + self.reads)
    }

    /// All input tokens.
    fn all_input(&self) -> Option<i64> {
        plus(plus(self.tokens[0], self.tokens[2]), self.tokens[3])
    }

    /// The duration at the rank ⌈percent/100 · n⌉.
    fn rank(&self, percent: usize) -> Option<u64> {
        let rank = (self.durations_ms.len() * percent).div_ceil(100);
        self.durations_ms.get(rank.checked_sub(1)?).copied()
    }
}

/// Known plus unknown is known.
fn plus(one: Option<i64>, other: Option<i64>) -> Option<i64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.saturating_add(other)),
        (one, other) => one.or(other),
    }
}
