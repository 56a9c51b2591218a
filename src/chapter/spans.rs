//! Calls as ranges of events, so that no chapter separates a call from its result.

use crate::history::calls::{Call, CallStatus, Calls};

/// One call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallSpan {
    /// The tool's name.
    pub tool: String,
    /// Sequence of its first event.
    pub began: u64,
    /// Sequence of its last event; `None` if it has no end.
    pub ended: Option<u64>,
    /// Whether it failed.
    failed: bool,
}

/// The calls of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spans {
    /// Calls in the order of their first events.
    all: Vec<CallSpan>,
    /// Sequence of the end and index in `all`, sorted.
    ends: Vec<(u64, usize)>,
    /// Whether the run has ended.
    over: bool,
}

impl Spans {
    /// The spans of those calls. `over`: the run has ended.
    #[must_use]
    pub(crate) fn of(calls: &Calls, over: bool) -> Self {
        let span = |(at, call): (usize, Call)| {
            // A call may be known by its end only.
            let began = call.first.map(|(sequence, _)| sequence).or(call.end_sequence)?;
            let failed = calls.status(at, over) == CallStatus::Failed;
            Some(CallSpan {
                tool: calls.tool(at).to_owned(),
                began,
                ended: call.end_sequence,
                failed,
            })
        };
        let mut all: Vec<CallSpan> = calls.iter().enumerate().filter_map(span).collect();
        all.sort_by_key(|span| span.began);
        let ends = all.iter().enumerate().filter_map(|(at, span)| Some((span.ended?, at)));
        let mut ends: Vec<(u64, usize)> = ends.collect();
        ends.sort_unstable();
        Self { all, ends, over }
    }

    /// The calls that began in that range of sequences.
    fn begun(&self, first: u64, last: u64) -> &[CallSpan] {
        let from = self.all.partition_point(|span| span.began < first);
        let to = self.all.partition_point(|span| span.began <= last);
        self.all.get(from..to).unwrap_or_default()
    }

    /// The number of calls that began there, and of those that failed.
    #[must_use]
    pub(crate) fn count(&self, first: u64, last: u64) -> (u64, u64) {
        let begun = self.begun(first, last);
        (begun.len() as u64, begun.iter().filter(|span| span.failed).count() as u64)
    }

    /// The first call that is only partly in that range. A call without an end continues until the
    /// run ends.
    #[must_use]
    pub(crate) fn parted(&self, first: u64, last: u64) -> Option<&CallSpan> {
        let goes_on = |span: &&CallSpan| match span.ended {
            Some(ended) => ended > last || ended < first,
            None => !self.over,
        };
        let from = self.ends.partition_point(|(ended, _)| *ended < first);
        let to = self.ends.partition_point(|(ended, _)| *ended <= last);
        let ended = self.ends.get(from..to).unwrap_or_default().iter();
        let began_before = ended.filter_map(|(_, at)| self.all.get(*at));
        let began_outside = began_before.filter(|span| !(first..=last).contains(&span.began));
        let parted = self.begun(first, last).iter().find(goes_on).into_iter().chain(began_outside);
        parted.min_by_key(|span| span.began)
    }
}
