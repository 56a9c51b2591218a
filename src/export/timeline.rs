//! The times of the calls, the model calls and the agents of a run. No end is before its start.

use foldhash::{HashMap, HashMapExt as _, HashSet, HashSetExt as _};

use super::agent_times::AgentTimes;
use super::moment::{Moment, RunStory};
use crate::event::fields::{View, as_text};
use crate::event::role::Role;
use crate::event::time::Timestamp;
use crate::json::Json;
use crate::tables::{CallRow, RunTableRow, UsageRow};

/// From when to when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Period {
    pub(crate) start: Timestamp,
    pub(crate) end: Timestamp,
}

/// A tool call.
#[derive(Debug)]
pub(crate) struct ToolSpan {
    pub(crate) call: CallRow,
    pub(crate) period: Period,
    /// Whether the log has no end of it.
    pub(crate) is_open: bool,
    /// The id of the call's first event.
    pub(crate) event_id: String,
    /// The result, if it is wanted.
    pub(crate) result: Option<String>,
}

/// A model call.
#[derive(Debug)]
pub(crate) struct ModelSpan {
    pub(crate) usage: UsageRow,
    pub(crate) period: Period,
}

/// An agent inside the run.
#[derive(Debug)]
pub(crate) struct AgentSpan {
    pub(crate) id: String,
    pub(crate) name: Option<String>,
    /// The number of the first event of the call that spawned it.
    pub(crate) spawned_by: Option<u64>,
    pub(crate) period: Period,
}

/// A moment that a viewer marks.
#[derive(Debug)]
pub(crate) struct TimelineMark<'m> {
    /// What it is: `prompt` or `error`.
    pub(crate) kind: &'static str,
    /// The number of the event.
    pub(crate) sequence: u64,
    pub(crate) time: Timestamp,
    pub(crate) agent: Option<&'m str>,
    pub(crate) text: String,
}

/// Draws a timeline.
pub(crate) trait TimelineDrawing {
    /// The run.
    fn begin(&mut self, run: &RunTableRow);
    /// A tool call that is over, or open at the end of the log.
    fn tool(&mut self, span: &ToolSpan);
    /// A model call.
    fn model(&mut self, span: &ModelSpan);
    /// An agent. The agents come after everything else.
    fn agent(&mut self, span: &AgentSpan);
    /// A prompt or an error.
    fn mark(&mut self, _: &TimelineMark<'_>) {}
    /// The run: the last span. `rest` is what its total has beyond its model calls.
    fn run(&mut self, run: &RunTableRow, period: Period, rest: &[UsageRow]);
}

/// Finds the times.
#[derive(Debug)]
pub(crate) struct Timeline<D> {
    drawing: D,
    with_results: bool,
    run: Option<RunTableRow>,
    spawned_by: HashMap<String, u64>,
    /// The calls that spawned agents.
    spawning: HashSet<u64>,
    /// The agents that made the spawning calls, by the calls' first events.
    spawners: HashMap<u64, Spawner>,
    /// The main agent has the empty name.
    agents: HashMap<String, AgentTimes>,
    /// The agents inside the run, in the order of their first events.
    order: Vec<String>,
    /// The calls without an end in the log.
    open: Vec<ToolSpan>,
    /// The calls whose results are awaited, by the number of the last event.
    awaited: HashMap<u64, Vec<ToolSpan>>,
}

/// What is known of a call that spawned agents.
#[derive(Debug)]
struct Spawner {
    agent: Option<String>,
    /// The kind of agent that was asked for.
    asked_for: Option<String>,
}

impl<D: TimelineDrawing> Timeline<D> {
    /// A timeline for the drawing. `with_results`: calls wait for their results.
    #[must_use]
    pub(crate) fn new(drawing: D, with_results: bool) -> Self {
        Self {
            drawing,
            with_results,
            run: None,
            spawned_by: HashMap::new(),
            spawning: HashSet::new(),
            spawners: HashMap::new(),
            agents: HashMap::new(),
            order: Vec::new(),
            open: Vec::new(),
            awaited: HashMap::new(),
        }
    }

    /// The finished drawing.
    #[must_use]
    pub(crate) fn into_drawing(self) -> D {
        self.drawing
    }

    fn times(&mut self, agent: Option<&str>) -> &mut AgentTimes {
        let agent = agent.unwrap_or_default();
        if !self.agents.contains_key(agent) {
            self.agents.insert(agent.to_owned(), AgentTimes::default());
            if !agent.is_empty() {
                self.order.push(agent.to_owned());
            }
        }
        self.agents.entry(agent.to_owned()).or_default()
    }

    fn call(&mut self, call: CallRow, (event_id, event): (&str, Timestamp)) {
        if self.spawning.contains(&call.sequence) {
            let asked_for = call.arguments.as_ref().and_then(|given| kind_of_agent(&given.0));
            let agent = call.agent_id.clone();
            self.spawners.insert(call.sequence, Spawner { agent, asked_for });
        }
        // The first event of a call without a start is its end.
        let length = i64::try_from(call.duration_ms.unwrap_or(0)).unwrap_or(i64::MAX);
        let (start, end) = match call.started_at {
            Some(start) => (start, start.millis().saturating_add(length)),
            None => {
                let start = event.millis().saturating_sub(length).max(0).min(event.millis());
                (Timestamp::from_millis(start), event.millis())
            }
        };
        let period = Period { start, end: Timestamp::from_millis(end).max(start) };
        let is_open = call.status == "started";
        let event_id = event_id.to_owned();
        let span = ToolSpan { call, period, is_open, event_id, result: None };
        match span.call.end_sequence {
            _ if is_open => self.open.push(span),
            Some(end) if self.with_results => self.awaited.entry(end).or_default().push(span),
            _ => self.tool(&span),
        }
    }

    fn tool(&mut self, span: &ToolSpan) {
        let times = self.times(span.call.agent_id.as_deref());
        times.cover(span.period.start);
        times.cover(span.period.end);
        self.drawing.tool(span);
    }

    fn model(&mut self, usage: UsageRow, event: Timestamp) {
        let first = usage.time.unwrap_or(event);
        let times = self.times(usage.agent_id.as_deref());
        let start = times.asked_at(first);
        let end = first.max(event).max(start);
        times.ready_at(end);
        times.cover(start);
        times.cover(end);
        self.drawing.model(&ModelSpan { usage, period: Period { start, end } });
    }

    fn mark(&mut self, view: &View<'_, '_>, agent: Option<&str>) {
        let (kind, text) = match view.role {
            Role::TaskStart if view.is_prompt() => ("prompt", view.text()),
            Role::Error | Role::Rejected => ("error", view.error_text()),
            _ => return,
        };
        let text = text.unwrap_or_default().into_owned();
        let (sequence, time) = (view.event.sequence, view.event.timestamp);
        self.drawing.mark(&TimelineMark { kind, sequence, time, agent, text });
    }

    /// The call that spawned an agent, unless the agent itself is above that call.
    fn spawner(&self, id: &str) -> Option<u64> {
        let spawned_by = *self.spawned_by.get(id)?;
        let mut call = spawned_by;
        for _ in 0..=self.spawned_by.len() {
            let Some(above) = self.spawners.get(&call)?.agent.as_deref() else {
                return Some(spawned_by);
            };
            match self.spawned_by.get(above) {
                Some(next) => call = *next,
                None => return Some(spawned_by),
            }
        }
        None
    }

    fn agent(&mut self, id: String) {
        let spawned_by = self.spawner(&id);
        let name = spawned_by.and_then(|call| self.spawners.get(&call)?.asked_for.clone());
        let Some((start, end)) = self.agents.get(&id).and_then(|times| times.worked) else {
            return;
        };
        let span = AgentSpan { id, name, spawned_by, period: Period { start, end } };
        self.drawing.agent(&span);
    }
}

impl<D: TimelineDrawing> RunStory for Timeline<D> {
    fn begin(&mut self, run: RunTableRow, spawned_by: &HashMap<String, u64>) {
        self.drawing.begin(&run);
        self.spawned_by.clone_from(spawned_by);
        self.spawning.extend(spawned_by.values());
        self.run = Some(run);
    }

    fn moment(&mut self, moment: Moment) {
        let time = moment.event.time;
        let event = moment.event();
        let view = View::of(&event);
        let agent = moment.event.agent_id.as_deref();
        // The events around an import have the times of the import.
        let is_work = !self.run.as_ref().is_some_and(|run| run.imported) || view.is_imported();
        if is_work {
            self.times(agent).observe(&view);
        }
        self.mark(&view, agent);
        let result = self.with_results.then(|| result_of(&view)).flatten();
        let sequence = moment.event.sequence;
        for call in moment.calls {
            self.call(call, (&moment.event.event_id, time));
        }
        for mut span in self.awaited.remove(&sequence).unwrap_or_default() {
            span.result.clone_from(&result);
            self.tool(&span);
        }
        if let Some(usage) = moment.usage {
            self.model(usage, time);
        }
    }

    fn end(&mut self, rest: Vec<UsageRow>) {
        let Some(run) = self.run.take() else { return };
        let worked = |times: &AgentTimes| times.worked.map(|(_, last)| last);
        let last = run.ended_at.into_iter().chain(self.agents.values().filter_map(worked)).max();
        let mut late: Vec<ToolSpan> = std::mem::take(&mut self.open);
        late.extend(std::mem::take(&mut self.awaited).into_values().flatten());
        late.sort_by_key(|span| span.call.sequence);
        for mut span in late {
            if span.is_open {
                span.period.end = last.unwrap_or(span.period.start).max(span.period.start);
            }
            self.tool(&span);
        }
        for id in std::mem::take(&mut self.order) {
            self.agent(id);
        }
        let worked = self.agents.values().filter_map(|times| times.worked);
        let (starts, ends): (Vec<_>, Vec<_>) = worked.unzip();
        let zero = Timestamp::from_millis(0);
        let start = starts.into_iter().chain(run.started_at).min().or(run.recorded_at);
        let start = start.unwrap_or(zero);
        let end = ends.into_iter().chain(run.ended_at).max().unwrap_or(start).max(start);
        self.drawing.run(&run, Period { start, end }, &rest);
    }
}

/// The kind of agent that the arguments of a spawning call ask for.
fn kind_of_agent(arguments: &str) -> Option<String> {
    let given = Json::trusted(arguments);
    let named = |name: &&str| given.text_at(name).filter(|name| !name.is_empty());
    let names = ["subagent_type", "agent_type", "agent_name", "agent"];
    names.iter().find_map(named).map(std::borrow::Cow::into_owned)
}

fn result_of(view: &View<'_, '_>) -> Option<String> {
    let result = || view.result().map(as_text);
    let text = match view.role {
        Role::ToolEnd => result(),
        Role::ToolFail | Role::ToolBlocked => view.error_text().or_else(result),
        _ => None,
    };
    text.map(std::borrow::Cow::into_owned)
}
