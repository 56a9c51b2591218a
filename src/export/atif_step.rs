//! One step of a trajectory.

use crate::event::time::Timestamp;
use crate::json::{Json, ObjectText, quoted};
use crate::summary::session::stream_name::StreamName;
use crate::tables::{CallRow, UsageRow};

/// Who made a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StepSource {
    System,
    User,
    Agent,
}

impl StepSource {
    fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Agent => "agent",
        }
    }
}

/// A call of a step.
#[derive(Debug)]
pub(super) struct StepCall {
    pub(super) row: CallRow,
    /// Its id, unique in the document.
    pub(super) id: String,
    /// The text of its result, once it is known.
    pub(super) result: Option<String>,
    /// The agents that it spawned.
    pub(super) agents: Vec<String>,
}

/// A step.
#[derive(Debug)]
pub(super) struct AtifStep {
    pub(super) source: StepSource,
    pub(super) time: Timestamp,
    /// The agent, if it has no trajectory of its own.
    pub(super) agent: Option<String>,
    pub(super) text: String,
    pub(super) thought: String,
    /// The streams that the ends of the text and of the thought are pieces of.
    pub(super) streams: [Option<StreamName>; 2],
    pub(super) calls: Vec<StepCall>,
    /// The number of the event that reports the model call.
    pub(super) model_call: Option<u64>,
    pub(super) usage: Option<UsageRow>,
    /// Whether the step holds what the run's total has beyond its model calls.
    pub(super) is_rest: bool,
    /// Whether the step is copied from another run.
    pub(super) is_copied: bool,
}

impl AtifStep {
    /// A step without content.
    #[must_use]
    pub(super) fn new(source: StepSource, time: Timestamp) -> Self {
        Self {
            source,
            time,
            agent: None,
            text: String::new(),
            thought: String::new(),
            streams: [None, None],
            calls: Vec::new(),
            model_call: None,
            usage: None,
            is_rest: false,
            is_copied: false,
        }
    }

    /// Whether a result of its calls is known. Then the model call is over.
    #[must_use]
    pub(super) fn has_results(&self) -> bool {
        self.calls.iter().any(|call| call.result.is_some())
    }

    /// Whether all later events about it are known, after the event with this number.
    #[must_use]
    pub(super) fn is_complete(&self, passed: u64) -> bool {
        let has_ended = |call: &StepCall| {
            call.result.is_some() || call.row.end_sequence.is_none_or(|end| end <= passed)
        };
        let has_usage = self.usage.is_some() || self.model_call.is_none_or(|call| call <= passed);
        has_usage && self.calls.iter().all(has_ended)
    }

    /// Whether the log says that an earlier run has it too.
    #[must_use]
    pub(super) fn repeats_other_run(&self) -> bool {
        match &self.usage {
            Some(usage) => !usage.first_seen,
            None => !self.calls.is_empty() && self.calls.iter().all(|call| !call.row.first_seen),
        }
    }

    /// The step with this number as JSON.
    #[must_use]
    pub(super) fn json(&self, number: u64) -> String {
        let mut step = ObjectText::new();
        step.plain("step_id", number);
        let time = self.time.to_string();
        // Readers know no year 0.
        step.text_if("timestamp", Some(time.as_str()).filter(|time| !time.starts_with("0000")));
        step.text("source", self.source.name());
        if self.source == StepSource::Agent {
            let called = self.calls.iter().find_map(|call| call.row.model.as_deref());
            let model = self.usage.as_ref().and_then(|usage| usage.model.as_deref()).or(called);
            step.text_if("model_name", model);
        }
        step.text("message", &self.text);
        step.text_if("reasoning_content", Some(self.thought.as_str()).filter(|it| !it.is_empty()));
        if !self.calls.is_empty() {
            step.json("tool_calls", Json::trusted(&list(self.calls.iter().map(StepCall::json))));
            let results: Vec<String> = self.calls.iter().filter_map(StepCall::result).collect();
            if !results.is_empty() {
                let observation = format!("{{\"results\":{}}}", list(results.into_iter()));
                step.json("observation", Json::trusted(&observation));
            }
        }
        if let Some(usage) = &self.usage {
            step.json("metrics", Json::trusted(&metrics(usage)));
        }
        if self.is_copied {
            step.plain("is_copied_context", true);
        }
        if self.usage.is_some() && !self.is_rest {
            step.plain("llm_call_count", 1);
        }
        let mut extra = ObjectText::new();
        extra.text_if("agent_id", self.agent.as_deref());
        if self.is_rest {
            extra.text("runlog", "the difference between the reported total and the model calls");
        }
        if !extra.is_empty() {
            step.json("extra", Json::trusted(&extra.finish()));
        }
        step.finish()
    }
}

impl StepCall {
    fn json(&self) -> String {
        let mut call = ObjectText::new();
        call.text("tool_call_id", &self.id).text("function_name", &self.row.tool);
        let given = self.row.arguments.as_ref().map(|given| given.0.as_str());
        let arguments = match given {
            None => "{}".to_owned(),
            Some(given) if Json::trusted(given).is_object() => given.to_owned(),
            Some(given) => format!("{{\"input\":{given}}}"),
        };
        call.json("arguments", Json::trusted(&arguments));
        let mut extra = ObjectText::new();
        extra.text("status", self.row.status);
        if let Some(duration) = self.row.duration_ms {
            extra.plain("duration_ms", duration);
        }
        // An open call has no result that could refer to its agents.
        if self.row.status == "started" && !self.agents.is_empty() {
            let agents = list(self.agents.iter().map(|agent| quoted(agent)));
            extra.json("subagent_trajectories", Json::trusted(&agents));
        }
        call.json("extra", Json::trusted(&extra.finish()));
        call.finish()
    }

    /// The result as JSON; `None` if the call is open.
    fn result(&self) -> Option<String> {
        let status = self.row.status;
        if status == "started" {
            return None;
        }
        let mut result = ObjectText::new();
        result.text("source_call_id", &self.id);
        let text = self.result.as_deref().or(self.row.error.as_deref());
        result.text("content", text.unwrap_or_default());
        if !self.agents.is_empty() {
            let reference = |agent: &String| {
                let mut reference = ObjectText::new();
                reference.text("trajectory_id", agent);
                reference.finish()
            };
            let agents = list(self.agents.iter().map(reference));
            result.json("subagent_trajectory_ref", Json::trusted(&agents));
        }
        let mut extra = ObjectText::new();
        if status == "failed" {
            extra.plain("is_error", true);
        } else if status != "completed" {
            extra.text("status", status);
        }
        // To readers, an exit status other than 0 is a failure.
        let failed = status == "failed";
        if let Some(code) = self.row.exit_code.filter(|code| (*code != 0) == failed) {
            extra.plain("exit_code", code);
        }
        if !extra.is_empty() {
            result.json("extra", Json::trusted(&extra.finish()));
        }
        Some(result.finish())
    }
}

/// The metrics of a model call. Prompt tokens include cached ones.
fn metrics(usage: &UsageRow) -> String {
    let mut metrics = ObjectText::new();
    let known = |count: Option<i64>| count.filter(|count| *count >= 0);
    let [input, read, creation] =
        [usage.input_tokens, usage.cache_read_tokens, usage.cache_creation_tokens].map(known);
    let parts = [input, read, creation];
    if parts.iter().any(Option::is_some) {
        let all = parts.into_iter().flatten().fold(0_i64, i64::saturating_add);
        metrics.plain("prompt_tokens", all);
    }
    if let Some(output) = known(usage.output_tokens) {
        metrics.plain("completion_tokens", output);
    }
    if let Some(read) = read {
        metrics.plain("cached_tokens", read);
    }
    if let Some(cost) = usage.cost_usd.filter(|cost| cost.0 >= 0) {
        metrics.plain("cost_usd", cost.0 as f64 / 1e6);
    }
    let mut extra = ObjectText::new();
    if let Some(creation) = creation {
        extra.plain("cache_creation_input_tokens", creation);
    }
    if usage.cost_estimated {
        extra.plain("cost_estimated", true);
    }
    if usage.output_at_least {
        extra.plain("completion_tokens_at_least", true);
    }
    if !extra.is_empty() {
        metrics.json("extra", Json::trusted(&extra.finish()));
    }
    metrics.finish()
}

/// A JSON list.
#[must_use]
pub(super) fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}
