//! What a waterfall shows.

use crate::event::time::Timestamp;
use crate::export::Period;

/// The calls of a run on one time axis.
#[derive(Debug, Default)]
pub(crate) struct Waterfall {
    /// The run's id.
    pub run_id: String,
    /// The run's status.
    pub status: &'static str,
    /// The number of calls of the run, also of those that are not in the lanes.
    pub all_calls: u64,
    /// The agents: the main agent first, the others by the start of their work.
    pub lanes: Vec<WaterfallLane>,
}

/// The work of one agent.
#[derive(Debug, Default)]
pub(crate) struct WaterfallLane {
    /// The agent's id. `None` for the main agent.
    pub agent_id: Option<String>,
    /// The agent's name, if the log has one.
    pub name: Option<String>,
    /// The number of the first event of the call that spawned the agent.
    pub spawned_by: Option<u64>,
    /// The calls, by their start.
    pub calls: Vec<WaterfallCall>,
    /// The model calls.
    pub models: Vec<Period>,
    /// Prompts and errors.
    pub marks: Vec<WaterfallMark>,
}

/// A call.
#[derive(Debug)]
pub(crate) struct WaterfallCall {
    /// The id of its first event.
    pub event_id: String,
    /// The number of its first event.
    pub sequence: u64,
    /// The tool.
    pub tool: String,
    /// Its arguments in one line.
    pub title: String,
    /// When it began and ended. An open call ends with the log.
    pub period: Period,
    /// The duration that the log gives or implies, in milliseconds.
    pub duration_ms: Option<u64>,
    /// The status: started, completed, failed or blocked.
    pub status: &'static str,
}

impl WaterfallCall {
    /// Its duration so far, in milliseconds.
    #[must_use]
    pub(super) fn length(&self) -> u64 {
        self.duration_ms.unwrap_or_else(|| length(self.period))
    }
}

/// A moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WaterfallMark {
    /// What it is: `prompt` or `error`.
    pub kind: &'static str,
    /// When it was.
    pub time: Timestamp,
}

/// The length of a period in milliseconds.
#[must_use]
pub(super) fn length(period: Period) -> u64 {
    period.end.since(period.start).unwrap_or(0)
}

impl Waterfall {
    /// All periods in which something happened.
    pub(super) fn activity(&self) -> impl Iterator<Item = Period> {
        self.lanes.iter().flat_map(|lane| {
            let calls = lane.calls.iter().map(|call| call.period);
            let marks = lane.marks.iter().map(|mark| Period { start: mark.time, end: mark.time });
            calls.chain(lane.models.iter().copied()).chain(marks)
        })
    }

    /// Keeps the `most` calls with the latest start.
    pub(crate) fn keep_last(&mut self, most: usize) {
        self.keep(most, |call| (call.period.start.millis(), call.sequence));
    }

    /// Keeps the `most` longest calls.
    pub(crate) fn keep_longest(&mut self, most: usize) {
        self.keep(most, |call| (i64::try_from(call.length()).unwrap_or(i64::MAX), call.sequence));
    }

    /// Keeps the `most` calls with the greatest keys.
    fn keep(&mut self, most: usize, key: impl Fn(&WaterfallCall) -> (i64, u64)) {
        let mut keys: Vec<(i64, u64)> =
            self.lanes.iter().flat_map(|lane| lane.calls.iter().map(&key)).collect();
        if keys.len() <= most {
            return;
        }
        keys.sort_unstable_by(|one, other| other.cmp(one));
        match most.checked_sub(1).map(|last| keys[last]) {
            Some(least) => {
                self.lanes.iter_mut().for_each(|lane| lane.calls.retain(|call| key(call) >= least));
            }
            None => self.lanes.iter_mut().for_each(|lane| lane.calls.clear()),
        }
    }
}
