//! Makes a waterfall from the timeline of a run.

use crate::transcript::call_arguments::CallArguments;
use foldhash::{HashMap, HashMapExt as _};

use super::value::{Waterfall, WaterfallCall, WaterfallLane, WaterfallMark};
use crate::event::time::Timestamp;
use crate::export::{AgentSpan, ModelSpan, Period, TimelineDrawing, TimelineMark, ToolSpan};
use crate::json::Json;
use crate::tables::{RunTableRow, UsageRow};
use crate::transcript::call_title::call_title;

/// Maximum width of a call's arguments, in columns.
const TITLE: usize = 160;

/// Says whether an event with that number is wanted.
pub(crate) type WantedEvent<'w> = &'w dyn Fn(u64) -> bool;

/// Collects the lanes of a waterfall. Takes memory for each call, model call, prompt and error.
pub(crate) struct WaterfallDrawing<'w> {
    /// Which events are wanted. A call is shown if one of its events is.
    wanted: WantedEvent<'w>,
    waterfall: Waterfall,
    /// The directory of the work.
    base: Option<String>,
    /// The index of each agent's lane.
    lanes: HashMap<String, usize>,
}

impl<'w> WaterfallDrawing<'w> {
    /// An empty waterfall for the wanted events.
    #[must_use]
    pub(crate) fn new(wanted: WantedEvent<'w>) -> Self {
        let waterfall = Waterfall::default();
        Self { wanted, waterfall, base: None, lanes: HashMap::new() }
    }

    /// The waterfall.
    #[must_use]
    pub(crate) fn into_waterfall(mut self) -> Waterfall {
        let lanes = &mut self.waterfall.lanes;
        let is_shown = |lane: &WaterfallLane| {
            !(lane.calls.is_empty() && lane.models.is_empty() && lane.marks.is_empty())
        };
        lanes.retain(is_shown);
        for lane in lanes.iter_mut() {
            lane.calls.sort_by_key(|call| (call.period.start, call.sequence));
        }
        lanes.sort_by_key(|lane| (lane.agent_id.is_some(), began(lane)));
        self.waterfall
    }

    fn lane(&mut self, agent: Option<&str>) -> &mut WaterfallLane {
        let lanes = &mut self.waterfall.lanes;
        let index = match self.lanes.get(agent.unwrap_or_default()) {
            Some(index) => *index,
            None => {
                let agent_id = agent.map(str::to_owned);
                lanes.push(WaterfallLane { agent_id, ..WaterfallLane::default() });
                self.lanes.insert(agent.unwrap_or_default().to_owned(), lanes.len() - 1);
                lanes.len() - 1
            }
        };
        &mut lanes[index]
    }
}

/// When the work of a lane began.
fn began(lane: &WaterfallLane) -> Option<Timestamp> {
    let calls = lane.calls.iter().map(|call| call.period.start);
    let models = lane.models.iter().map(|period| period.start);
    calls.chain(models).chain(lane.marks.iter().map(|mark| mark.time)).min()
}

impl TimelineDrawing for WaterfallDrawing<'_> {
    fn begin(&mut self, run: &RunTableRow) {
        run.run_id.clone_into(&mut self.waterfall.run_id);
        self.waterfall.status = run.status;
        self.base.clone_from(&run.project);
        self.lane(None).name.clone_from(&run.agent);
    }

    fn tool(&mut self, span: &ToolSpan) {
        let call = &span.call;
        self.waterfall.all_calls += 1;
        let is_wanted = (self.wanted)(call.sequence) || call.end_sequence.is_some_and(self.wanted);
        if !is_wanted {
            return;
        }
        let given = call.arguments.as_ref();
        let given = given.map(|given| CallArguments::of(Json::trusted(&given.0)));
        let title = given.map(|given| call_title(&given, self.base.as_deref(), TITLE));
        let shown = WaterfallCall {
            event_id: span.event_id.clone(),
            sequence: call.sequence,
            tool: call.tool.clone(),
            title: title.unwrap_or_default(),
            period: span.period,
            duration_ms: call.duration_ms,
            status: call.status,
        };
        self.lane(call.agent_id.as_deref()).calls.push(shown);
    }

    fn model(&mut self, span: &ModelSpan) {
        if span.usage.sequence.is_some_and(self.wanted) {
            self.lane(span.usage.agent_id.as_deref()).models.push(span.period);
        }
    }

    fn agent(&mut self, span: &AgentSpan) {
        let lane = self.lane(Some(&span.id));
        lane.name.clone_from(&span.name);
        lane.spawned_by = span.spawned_by;
    }

    fn mark(&mut self, mark: &TimelineMark<'_>) {
        if (self.wanted)(mark.sequence) {
            let shown = WaterfallMark { kind: mark.kind, time: mark.time };
            self.lane(mark.agent).marks.push(shown);
        }
    }

    fn run(&mut self, _: &RunTableRow, _: Period, _: &[UsageRow]) {}
}
