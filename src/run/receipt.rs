//! The receipt of a stream: the lines that were read, recorded and rejected.

use std::collections::BTreeMap;

use serde::Serialize;

use super::document::SCHEMA_VERSION;
use super::preparing::{Prepared, PreparedDrafts};
use crate::agents::read::imported::Imported;
use crate::event::fields::View;
use crate::event::time::Timestamp;
use crate::history::calls::{CallStatus, Calls};
use crate::history::ledger::Ledger;
use crate::history::status::Status;
use crate::history::usage::Usage;

/// The result of a stream as a document.
#[derive(Debug, Serialize)]
pub(crate) struct Receipt {
    schema_version: u32,
    /// The dialect, or `native`.
    pub dialect: &'static str,
    /// What shows the dialect, if it was detected.
    pub why: Option<String>,
    /// Lines read, including blank ones.
    pub lines: u64,
    /// Blank lines.
    pub blank: u64,
    /// Lines that were understood.
    pub mapped: u64,
    /// Lines that were kept without being understood.
    pub opaque: u64,
    /// Rejected lines; they are in `logs/rejected.jsonl`.
    pub rejected: u64,
    /// Events from the lines.
    pub events: u64,
    /// The number of these that the log already had.
    pub repeated: u64,
    /// Lines by source type.
    pub types: BTreeMap<String, SourceTypeCount>,
    /// Distinct tool calls.
    pub calls: u64,
    /// Tool calls that failed.
    pub failures: u64,
    /// Prompts by users.
    pub prompts: u64,
    /// Tokens and cost; each model response counts once.
    pub usage: UsageCount,
    /// The same, for people.
    #[serde(skip)]
    pub spent: Usage,
    /// Earliest time of a line.
    pub first_time: Option<String>,
    /// Latest time of a line.
    pub last_time: Option<String>,
    /// Times without a zone, read as UTC.
    pub naive_times: u64,
    /// How often one line came that says or does something.
    #[serde(skip)]
    pub copies: u64,
    /// Other remarks.
    pub warnings: Vec<String>,
}

/// The lines of one source type.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct SourceTypeCount {
    /// Lines that were understood.
    pub mapped: u64,
    /// Lines that were kept without being understood.
    pub opaque: u64,
    /// The number of these that look like what a person or an agent said.
    #[serde(skip)]
    pub may_be_said: u64,
}

/// Tokens and cost; unknown is null.
#[derive(Debug, Default, Serialize)]
pub(crate) struct UsageCount {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    /// Present if the output tokens are a lower bound.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    output_tokens_at_least: bool,
    cache_read_tokens: Option<u64>,
    cache_creation_tokens: Option<u64>,
    /// As reported. Nothing is estimated here.
    cost_usd: Option<f64>,
}

/// The facts about a line that the receipt counts. Empty for a native line.
#[derive(Debug, Default)]
pub(crate) struct LineFacts {
    source_type: Option<String>,
    opaque: bool,
    may_be_said: bool,
    copies: u64,
    time: Option<Timestamp>,
    naive_time: bool,
}

impl LineFacts {
    /// The facts about a dialect's line.
    #[must_use]
    pub(crate) fn of(line: &Imported) -> Self {
        Self {
            source_type: Some(line.source_type.clone()),
            opaque: line.opaque,
            may_be_said: line.may_be_said,
            copies: if line.goes_on() { line.copies } else { 0 },
            time: line.time,
            naive_time: line.naive_time,
        }
    }
}

/// Counts the lines of a stream.
#[derive(Debug)]
pub(crate) struct Counter {
    receipt: Receipt,
    calls: Calls,
    usage: Ledger,
    /// The status that the events give the run.
    status: Status,
    /// Whether calls, usage and prompts are not counted.
    only_lines: bool,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
}

impl Counter {
    /// An empty counter.
    #[must_use]
    pub(crate) fn new() -> Self {
        let receipt = Receipt {
            schema_version: SCHEMA_VERSION,
            dialect: "native",
            why: None,
            lines: 0,
            blank: 0,
            mapped: 0,
            opaque: 0,
            rejected: 0,
            events: 0,
            repeated: 0,
            types: BTreeMap::new(),
            calls: 0,
            failures: 0,
            prompts: 0,
            usage: UsageCount::default(),
            spent: Usage::default(),
            first_time: None,
            last_time: None,
            naive_times: 0,
            copies: 0,
            warnings: Vec::new(),
        };
        Self {
            receipt,
            calls: Calls::default(),
            usage: Ledger::default(),
            status: Status::default(),
            only_lines: false,
            first: None,
            last: None,
        }
    }

    /// Stops counting calls, usage and prompts.
    pub(crate) fn count_only_lines(&mut self) {
        self.only_lines = true;
    }

    /// The status that the events so far give the run.
    pub(super) fn status(&self) -> Status {
        self.status
    }

    /// Warns of a version of the source's format that is not known.
    pub(super) fn unknown_version(&mut self, version: &str) {
        let warning = format!(
            "the source has version {version} of its format, which is not known; compare the counts with the source"
        );
        if !self.receipt.warnings.contains(&warning) {
            self.receipt.warnings.push(warning);
        }
    }

    /// The counts so far.
    pub(crate) fn counts(&mut self) -> &mut Receipt {
        &mut self.receipt
    }

    /// Counts a line whose events are in the log.
    pub(super) fn line(&mut self, facts: &LineFacts, events: &PreparedDrafts<'_>) {
        if let Some(source_type) = &facts.source_type {
            let count = self.receipt.types.entry(source_type.clone()).or_default();
            count.mapped += u64::from(!facts.opaque);
            count.opaque += u64::from(facts.opaque);
            count.may_be_said += u64::from(facts.may_be_said);
        }
        self.receipt.copies = self.receipt.copies.max(facts.copies);
        self.receipt.mapped += u64::from(!facts.opaque);
        self.receipt.opaque += u64::from(facts.opaque);
        self.receipt.naive_times += u64::from(facts.naive_time);
        self.time(facts.time);
        if self.only_lines {
            self.receipt.events += events.len() as u64;
        } else {
            events.iter().flatten().for_each(|event| self.event(event));
        }
    }

    /// Takes the time of a line.
    fn time(&mut self, time: Option<Timestamp>) {
        let Some(time) = time else { return };
        self.first = Some(self.first.map_or(time, |first| first.min(time)));
        self.last = Some(self.last.map_or(time, |last| last.max(time)));
    }

    /// Takes a line that the run has already: only its times count.
    pub(super) fn passed_over(&mut self, line: &Imported) {
        self.time(line.time);
        if line.time.is_some() {
            line.drafts.iter().for_each(|draft| self.time(draft.timestamp));
        }
    }

    /// Counts an event's call, usage and prompt.
    fn event(&mut self, Prepared { draft, payload, .. }: &Prepared<'_>) {
        let event = draft.as_event();
        let view = View::known(&event, payload.as_ref());
        self.receipt.events += 1;
        self.calls.observe(&view, 0);
        self.usage.observe(&view);
        self.status = self.status.after(view.role);
        self.receipt.prompts += u64::from(view.is_prompt());
        // The end of a call can have a time of its own.
        if let Some(time) = draft.timestamp.filter(|_| view.time_origin().is_none()) {
            self.first = self.first.map(|first| first.min(time));
            self.last = self.last.map(|last| last.max(time));
        }
    }

    /// The receipt after the last line.
    #[must_use]
    pub(crate) fn finish(mut self) -> Receipt {
        let failed = |status: &CallStatus| *status == CallStatus::Failed;
        if self.receipt.mapped == 0 && self.receipt.opaque > 0 {
            let dialect = self.receipt.dialect;
            self.receipt.warnings.push(match self.receipt.why {
                Some(_) => format!("no line says what {dialect} did; all are kept as they are"),
                None => format!(
                    "no line was understood as {dialect}; the file may be from another program"
                ),
            });
        }
        self.receipt.calls = self.calls.len() as u64;
        self.receipt.failures = self.calls.statuses(false).filter(failed).count() as u64;
        let usage = self.usage.sum();
        self.receipt.spent = usage;
        self.receipt.usage = UsageCount {
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            output_tokens_at_least: usage.output_at_least,
            cache_read_tokens: usage.cache_read_tokens,
            cache_creation_tokens: usage.cache_creation_tokens,
            cost_usd: usage.reported_micros().map(|micros| micros as f64 / 1e6),
        };
        self.receipt.first_time = self.first.map(|time| time.to_string());
        self.receipt.last_time = self.last.map(|time| time.to_string());
        self.receipt
    }
}

impl Default for Counter {
    fn default() -> Self {
        Self::new()
    }
}
