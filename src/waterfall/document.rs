//! The waterfall for programs.

use serde::Serialize;

use super::axis::idle_times;
use super::value::{Waterfall, length};
use crate::event::time::Timestamp;
use crate::export::Period;

/// The document. Times are milliseconds after `start`.
#[derive(Debug, Serialize)]
pub(crate) struct WaterfallDocument<'w> {
    schema_version: u32,
    run_id: &'w str,
    status: &'static str,
    start: Option<Timestamp>,
    duration_ms: u64,
    lanes: Vec<LaneDocument<'w>>,
    spans: Vec<SpanDocument<'w>>,
    model_calls: Vec<PeriodDocument>,
    marks: Vec<MarkDocument>,
    idle: Vec<PauseDocument>,
}

/// An agent.
#[derive(Debug, Serialize)]
struct LaneDocument<'w> {
    lane: usize,
    name: &'w str,
    agent_id: Option<&'w str>,
    spawned_by: Option<u64>,
}

/// A call.
#[derive(Debug, Serialize)]
struct SpanDocument<'w> {
    lane: usize,
    name: &'w str,
    title: &'w str,
    start_ms: i64,
    /// `None` if the call is open or the log does not give its end.
    duration_ms: Option<u64>,
    status: &'static str,
    sequence: u64,
    event_id: &'w str,
}

/// A model call.
#[derive(Debug, Serialize)]
struct PeriodDocument {
    lane: usize,
    start_ms: i64,
    duration_ms: u64,
}

/// A prompt or an error.
#[derive(Debug, Serialize)]
struct MarkDocument {
    lane: usize,
    kind: &'static str,
    at_ms: i64,
}

/// A time in which nothing happened.
#[derive(Debug, Serialize)]
struct PauseDocument {
    start_ms: i64,
    duration_ms: u64,
}

impl<'w> WaterfallDocument<'w> {
    /// The document of a waterfall.
    #[must_use]
    pub(crate) fn of(waterfall: &'w Waterfall) -> Self {
        let start = waterfall.activity().map(|period| period.start).min();
        let end = waterfall.activity().map(|period| period.end).max();
        let zero = start.map_or(0, Timestamp::millis);
        let after = |time: Timestamp| time.millis() - zero;
        let lanes = || waterfall.lanes.iter().enumerate();
        let pause =
            |(at, duration_ms): (i64, u64)| PauseDocument { start_ms: at - zero, duration_ms };
        Self {
            schema_version: 1,
            run_id: &waterfall.run_id,
            status: waterfall.status,
            start,
            duration_ms: end.zip(start).and_then(|(end, start)| end.since(start)).unwrap_or(0),
            lanes: lanes()
                .map(|(lane, agent)| LaneDocument {
                    lane,
                    name: agent.shown_name(),
                    agent_id: agent.agent_id.as_deref(),
                    spawned_by: agent.spawned_by,
                })
                .collect(),
            spans: lanes()
                .flat_map(|(lane, agent)| agent.calls.iter().map(move |call| (lane, call)))
                .map(|(lane, call)| SpanDocument {
                    lane,
                    name: &call.tool,
                    title: &call.title,
                    start_ms: after(call.period.start),
                    duration_ms: call.duration_ms,
                    status: call.status,
                    sequence: call.sequence,
                    event_id: &call.event_id,
                })
                .collect(),
            model_calls: lanes()
                .flat_map(|(lane, agent)| agent.models.iter().map(move |period| (lane, *period)))
                .map(|(lane, period): (usize, Period)| PeriodDocument {
                    lane,
                    start_ms: after(period.start),
                    duration_ms: length(period),
                })
                .collect(),
            marks: lanes()
                .flat_map(|(lane, agent)| agent.marks.iter().map(move |mark| (lane, mark)))
                .map(|(lane, mark)| MarkDocument { lane, kind: mark.kind, at_ms: after(mark.time) })
                .collect(),
            idle: idle_times(waterfall.activity()).into_iter().map(pause).collect(),
        }
    }
}
