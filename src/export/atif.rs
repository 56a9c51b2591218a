//! A trajectory of ATIF, the Agent Trajectory Interchange Format, version 1.8.
//!
//! A step of the agent is one model call: its text, its reasoning, its calls and their results, its
//! tokens. Spawned agents have trajectories of their own. Agents that no call spawned are part of the
//! main trajectory.

use std::collections::HashSet;

use foldhash::{HashMap, HashMapExt as _};

use super::atif_step::StepCall;
use super::moment::{Moment, RunStory};
use super::trajectory::{StepNumber, Trajectory};
use super::utterance::{Utterance, utterance};
use crate::event::fields::{View, as_text};
use crate::event::role::Role;
use crate::event::time::Timestamp;
use crate::json::{Json, ObjectText};
use crate::tables::{RunTableRow, UsageRow};

const VERSION: &str = "ATIF-v1.8";

/// Writes the document.
#[derive(Debug)]
pub(crate) struct AtifDocument {
    run: Option<RunTableRow>,
    /// The spawned agents, by the first event of the call.
    spawned: HashMap<u64, Vec<String>>,
    /// The trajectories: the main one first, the others in the order of their agents.
    trajectories: Vec<Trajectory>,
    /// The agents of the other trajectories.
    agents: Vec<String>,
    by_agent: HashMap<String, usize>,
    /// The calls whose results are awaited, by the number of the last event.
    awaited: HashMap<u64, Vec<PlaceOfCall>>,
    /// The ids of the calls.
    ids: HashSet<String>,
    /// The time of the last event.
    last: Timestamp,
    text: String,
}

/// Where a call is.
#[derive(Clone, Copy, Debug)]
struct PlaceOfCall {
    trajectory: usize,
    step: StepNumber,
    call: usize,
}

impl AtifDocument {
    /// An empty document.
    #[must_use]
    pub(crate) fn new() -> Self {
        Self {
            run: None,
            spawned: HashMap::new(),
            trajectories: Vec::new(),
            agents: Vec::new(),
            by_agent: HashMap::new(),
            awaited: HashMap::new(),
            ids: HashSet::new(),
            last: Timestamp::from_millis(0),
            text: String::new(),
        }
    }

    /// The document.
    #[must_use]
    pub(crate) fn into_text(self) -> String {
        self.text
    }

    /// The number of the trajectory of an agent.
    fn trajectory(&mut self, agent: Option<&str>) -> usize {
        let Some(known) = agent.and_then(|agent| self.by_agent.get_mut(agent)) else { return 0 };
        if *known == 0 {
            *known = self.trajectories.len();
            let agent = agent.unwrap_or_default();
            let head = self.run.as_ref().map(|run| head(run, Some(agent))).unwrap_or_default();
            self.trajectories.push(Trajectory::new(head));
            self.agents.push(agent.to_owned());
        }
        *known
    }

    /// An id that no call of the document has.
    fn unique(&mut self, id: &str, sequence: u64) -> String {
        if self.ids.insert(id.to_owned()) {
            return id.to_owned();
        }
        let mut other = format!("{id}~{sequence}");
        while !self.ids.insert(other.clone()) {
            other.push('~');
        }
        other
    }

    /// Ends a trajectory. One without steps gets a step that says so: a trajectory must have one.
    fn finish(&mut self, number: usize) {
        let last = self.last;
        let trajectory = &mut self.trajectories[number];
        if trajectory.len() == 0 {
            let text = "The log has no messages and no calls of this agent.".to_owned();
            trajectory.say(Utterance::System(text), last, None);
        }
        trajectory.finish();
        trajectory.text.push_str("\n]");
    }
}

impl RunStory for AtifDocument {
    fn begin(&mut self, run: RunTableRow, spawned_by: &HashMap<String, u64>) {
        self.trajectories.push(Trajectory::new(head(&run, None)));
        self.last = run.ended_at.or(run.started_at).or(run.recorded_at).unwrap_or(self.last);
        for (agent, call) in spawned_by {
            self.spawned.entry(*call).or_default().push(agent.clone());
            self.by_agent.insert(agent.clone(), 0);
        }
        self.spawned.values_mut().for_each(|agents| agents.sort());
        self.run = Some(run);
    }

    fn moment(&mut self, mut moment: Moment) {
        let calls = std::mem::take(&mut moment.calls);
        let usage = moment.usage.take();
        let event = moment.event();
        let view = View::of(&event);
        let agent = moment.event.agent_id.as_deref();
        let (time, sequence) = (event.timestamp, event.sequence);
        let number = self.trajectory(agent);
        if let Some(said) = utterance(&view) {
            self.trajectories[number].say(said, time, agent);
        }
        for row in calls {
            let number = self.trajectory(row.agent_id.as_deref());
            let id = self.unique(&row.call_id, row.sequence);
            let agents = self.spawned.get(&row.sequence).cloned().unwrap_or_default();
            let end = row.end_sequence;
            let call = StepCall { row, id, result: None, agents };
            let (step, call) = self.trajectories[number].call(call, time);
            if let Some(end) = end {
                let place = PlaceOfCall { trajectory: number, step, call };
                self.awaited.entry(end).or_default().push(place);
            }
        }
        for place in self.awaited.remove(&sequence).unwrap_or_default() {
            let trajectory = &mut self.trajectories[place.trajectory];
            trajectory.result(place.step, place.call, result(&view));
            trajectory.settle(sequence);
        }
        if let Some(usage) = usage {
            let number = self.trajectory(usage.agent_id.as_deref());
            self.trajectories[number].usage(usage, time);
        }
        self.trajectories[number].settle(sequence);
    }

    fn end(&mut self, rest: Vec<UsageRow>) {
        let Some(run) = self.run.take() else { return };
        let last = self.last;
        for rest in rest {
            self.trajectories[0].rest(rest, last);
        }
        for number in 0..self.trajectories.len() {
            self.finish(number);
        }
        let mut trajectories = std::mem::take(&mut self.trajectories).into_iter();
        let Some(main) = trajectories.next() else { return };
        let steps = main.len();
        self.text = main.text;
        if trajectories.len() > 0 {
            self.text.push_str(",\"subagent_trajectories\":[");
            for (at, trajectory) in trajectories.enumerate() {
                self.text.push_str(if at == 0 { "\n" } else { ",\n" });
                self.text.push_str(&trajectory.text);
                self.text.push('}');
            }
            self.text.push_str("\n]");
        }
        self.text.push_str(",\"final_metrics\":");
        self.text.push_str(&final_metrics(&run, steps));
        self.text.push_str(",\"extra\":");
        self.text.push_str(&about(&run));
        self.text.push_str("}\n");
    }
}

/// The beginning of a trajectory, up to its steps.
fn head(run: &RunTableRow, agent: Option<&str>) -> String {
    let mut head = ObjectText::new();
    head.text("schema_version", VERSION);
    match agent {
        // To readers, a trajectory with the run's session would be the run's.
        Some(agent) => head.text("trajectory_id", agent),
        None => head.text("session_id", &run.session_id).text("trajectory_id", &run.run_id),
    };
    let mut program = ObjectText::new();
    program.text("name", run.agent.as_deref().unwrap_or("unknown"));
    program.text("version", run.agent_version.as_deref().unwrap_or("unknown"));
    program.text_if("model_name", run.model.as_deref());
    head.json("agent", Json::trusted(&program.finish()));
    let mut text = head.finish();
    text.pop();
    text.push_str(",\"steps\":[");
    text
}

/// The totals of the run, with its spawned agents, as in `run.json`.
fn final_metrics(run: &RunTableRow, steps: u64) -> String {
    let mut metrics = ObjectText::new();
    let parts = [run.input_tokens, run.cache_read_tokens, run.cache_creation_tokens];
    if parts.iter().any(Option::is_some) {
        let all = parts.into_iter().flatten().fold(0_u64, u64::saturating_add);
        metrics.plain("total_prompt_tokens", all);
    }
    let counts = [
        ("total_completion_tokens", run.output_tokens),
        ("total_cached_tokens", run.cache_read_tokens),
    ];
    for (name, count) in counts {
        if let Some(count) = count {
            metrics.plain(name, count);
        }
    }
    if let Some(cost) = run.cost_usd {
        metrics.plain("total_cost_usd", cost.0 as f64 / 1e6);
    }
    metrics.plain("total_steps", steps);
    let mut extra = ObjectText::new();
    if let Some(creation) = run.cache_creation_tokens {
        extra.plain("total_cache_creation_input_tokens", creation);
    }
    extra.plain("prompts", run.prompts).plain("tool_calls", run.tool_calls);
    extra.plain("tool_failures", run.tool_failures);
    extra.plain("cost_estimated", run.cost_estimated);
    extra.plain("completion_tokens_at_least", run.output_at_least);
    metrics.json("extra", Json::trusted(&extra.finish()));
    metrics.finish()
}

/// What else is known of the run.
fn about(run: &RunTableRow) -> String {
    let mut about = ObjectText::new();
    about.text("run_id", &run.run_id).text("status", run.status);
    about.text_if("title", run.title.as_deref()).text_if("project", run.project.as_deref());
    about.text_if("git_branch", run.git_branch.as_deref());
    about.text("writer", concat!("runlog ", env!("CARGO_PKG_VERSION")));
    about.finish()
}

/// What a call returned, or why it failed.
fn result(view: &View<'_, '_>) -> String {
    let result = || view.result().map(as_text);
    let text = match view.role {
        Role::ToolFail | Role::ToolBlocked => view.error_text().or_else(result),
        _ => result().or_else(|| view.text()),
    };
    text.unwrap_or_default().into_owned()
}
