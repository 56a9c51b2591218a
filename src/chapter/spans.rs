//! Calls as ranges of events, so that a chapter never parts a call from its result.

use crate::history::calls::{Call, CallStatus, Calls};

/// One call that was seen to begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallSpan {
    /// The tool's name.
    pub tool: String,
    /// Sequence of its first event.
    pub began: u64,
    /// Sequence of its last one; `None` when it has none.
    pub ended: Option<u64>,
    /// Whether it failed.
    failed: bool,
}

/// The calls of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spans {
    /// In order of their first events.
    all: Vec<CallSpan>,
    /// Last event and index in `all`, in order of the former.
    ends: Vec<(u64, usize)>,
    /// Whether nothing more can come.
    over: bool,
}

impl Spans {
    /// Of calls that were observed; `over` when the run has ended.
    #[must_use]
    pub(crate) fn of(calls: &Calls, over: bool) -> Self {
        let span = |call: &Call| {
            let began = call.first?.sequence;
            let failed = Calls::status(call, over) == CallStatus::Failed;
            Some(CallSpan {
                tool: calls.tool(call).to_owned(),
                began,
                ended: call.end_sequence,
                failed,
            })
        };
        let mut all: Vec<CallSpan> = calls.all().iter().filter_map(span).collect();
        all.sort_by_key(|span| span.began);
        let ends = all.iter().enumerate().filter_map(|(at, span)| Some((span.ended?, at)));
        let mut ends: Vec<(u64, usize)> = ends.collect();
        ends.sort_unstable();
        Self { all, ends, over }
    }

    /// The calls that began from the first sequence to the last.
    fn begun(&self, first: u64, last: u64) -> &[CallSpan] {
        let from = self.all.partition_point(|span| span.began < first);
        let to = self.all.partition_point(|span| span.began <= last);
        self.all.get(from..to).unwrap_or_default()
    }

    /// How many calls began there, and how many of them failed.
    #[must_use]
    pub(crate) fn count(&self, first: u64, last: u64) -> (u64, u64) {
        let begun = self.begun(first, last);
        (begun.len() as u64, begun.iter().filter(|span| span.failed).count() as u64)
    }

    /// The first call of which such a range holds a part. One without an end goes on as long
    /// as the run does.
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
