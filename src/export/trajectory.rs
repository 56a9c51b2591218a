//! The steps of one agent, in the order of the log. Finished steps are text; a step stays open until
//! the results of its calls and the tokens of its model call are known.

use std::collections::VecDeque;

use foldhash::{HashMap, HashMapExt as _};

use super::atif_step::{AtifStep, StepCall, StepSource};
use super::utterance::Utterance;
use crate::event::time::Timestamp;
use crate::summary::session::stream_name::StreamName;
use crate::tables::UsageRow;

/// How many of the newest steps a piece of a streamed text may belong to.
const RECENT: u64 = 1024;

/// The number of a step in a trajectory, from 0.
pub(super) type StepNumber = u64;

/// The steps of an agent.
#[derive(Debug)]
pub(super) struct Trajectory {
    /// The finished steps as JSON, separated by commas.
    pub(super) text: String,
    /// The number of finished steps.
    finished: u64,
    open: VecDeque<AtifStep>,
    /// The first open step of the agent.
    first_of_agent: Option<StepNumber>,
    /// The step of the newest model call of each agent, if what follows may belong to it. Agents
    /// without a trajectory of their own share one.
    current: HashMap<Option<String>, StepNumber>,
    /// The steps of the streamed texts that may go on.
    streams: HashMap<StreamName, StepNumber>,
    /// The last text of an agent among the finished steps.
    last_said: String,
    /// The open steps by their model calls.
    by_model_call: HashMap<u64, StepNumber>,
}

impl Trajectory {
    /// A trajectory without steps, that continues this text.
    #[must_use]
    pub(super) fn new(text: String) -> Self {
        Self {
            text,
            finished: 0,
            open: VecDeque::new(),
            first_of_agent: None,
            current: HashMap::new(),
            streams: HashMap::new(),
            last_said: String::new(),
            by_model_call: HashMap::new(),
        }
    }

    /// The number of steps.
    #[must_use]
    pub(super) fn len(&self) -> u64 {
        self.finished + self.open.len() as u64
    }

    /// Takes what somebody says.
    pub(super) fn say(&mut self, said: Utterance, time: Timestamp, agent: Option<&str>) {
        match said {
            Utterance::Prompt(text) => self.other(StepSource::User, time, text),
            Utterance::System(text) => self.other(StepSource::System, time, text),
            Utterance::Answer(text) => {
                let is_this = |said: &str| said.trim() == text.trim();
                let of_agent = |step: &&AtifStep| step.source == StepSource::Agent;
                let is_known = is_this(&self.last_said)
                    || self.open.iter().filter(of_agent).any(|step| is_this(&step.text));
                if !is_known {
                    self.begin(time, agent).text = text;
                }
            }
            Utterance::Agent { text, thought, stream } => {
                let number = self.step_of(&text, stream.as_ref(), agent);
                let number = number.unwrap_or_else(|| {
                    self.begin(time, agent);
                    self.len() - 1
                });
                if let Some(stream) = &stream {
                    self.streams.insert(stream.clone(), number);
                }
                let Some(step) = self.step_mut(number) else { return };
                let streams = step.streams.clone();
                if stream.is_none() {
                    // The whole message ends its stream.
                    step.streams = [None, None];
                }
                let parts = [(&mut step.text, text), (&mut step.thought, thought)];
                for (at, (old, new)) in parts.into_iter().enumerate() {
                    // The whole message follows the pieces of its stream.
                    let is_known = streams[at].is_some() && stream.is_none() && *old == new;
                    if new.is_empty() || is_known {
                        continue;
                    }
                    let goes_on = stream.is_some() && streams[at] == stream;
                    if !old.is_empty() && !goes_on {
                        old.push_str("\n\n");
                    }
                    old.push_str(&new);
                    step.streams[at].clone_from(&stream);
                }
            }
        }
    }

    /// The step that a text of an agent belongs to, if there is one.
    fn step_of(
        &self,
        text: &str,
        stream: Option<&StreamName>,
        agent: Option<&str>,
    ) -> Option<StepNumber> {
        let known =
            stream.filter(|stream| stream.has_id()).and_then(|stream| self.streams.get(stream));
        let goes_on = |step: &AtifStep| {
            !step.has_results() && step.streams.iter().any(|known| known.as_ref() == stream)
        };
        if let Some(number) = known
            && self.step(*number).is_some_and(goes_on)
        {
            return Some(*number);
        }
        let current = self.current_of(agent)?;
        self.step(current).filter(|step| continues(step, text, stream)).map(|_| current)
    }

    /// Takes a call. Returns the number of its step, and its place there.
    pub(super) fn call(&mut self, call: StepCall, time: Timestamp) -> (StepNumber, usize) {
        let wanted = call.row.model_call;
        let known = wanted.and_then(|wanted| self.by_model_call.get(&wanted).copied());
        // A call after a finished step belongs to a model call that is still to come.
        let wanted = wanted.filter(|wanted| known.is_some() || *wanted > call.row.sequence);
        let current = self.current_of(call.row.agent_id.as_deref()).filter(|current| {
            let step = self.step(*current);
            step.is_some_and(|step| {
                !step.has_results() && (step.model_call.is_none() || step.model_call == wanted)
            })
        });
        let number = known.or(current).unwrap_or_else(|| {
            self.begin(time, call.row.agent_id.as_deref());
            self.len() - 1
        });
        if let Some(wanted) = wanted {
            self.by_model_call.insert(wanted, number);
        }
        let Some(step) = self.step_mut(number) else { return (number, 0) };
        step.model_call = step.model_call.or(wanted);
        step.calls.push(call);
        (number, step.calls.len() - 1)
    }

    /// Takes the tokens of a model call.
    pub(super) fn usage(&mut self, usage: UsageRow, time: Timestamp) {
        let sequence = usage.sequence.unwrap_or(0);
        let known = self.by_model_call.get(&sequence).copied();
        // In a damaged log, two model calls can have one number.
        let known =
            known.filter(|known| self.step(*known).is_some_and(|step| step.usage.is_none()));
        let current = self.current_of(usage.agent_id.as_deref()).filter(|current| {
            let step = self.step(*current);
            step.is_some_and(|step| {
                step.usage.is_none() && step.model_call.is_none() && !step.has_results()
            })
        });
        let number = known.or(current).unwrap_or_else(|| {
            self.begin(time, usage.agent_id.as_deref());
            self.len() - 1
        });
        self.by_model_call.insert(sequence, number);
        if let Some(step) = self.step_mut(number) {
            step.model_call = Some(sequence);
            step.usage = Some(usage);
        }
    }

    /// Takes the result of a call.
    pub(super) fn result(&mut self, step: StepNumber, call: usize, text: String) {
        if let Some(call) = self.step_mut(step).and_then(|step| step.calls.get_mut(call)) {
            call.result = Some(text);
        }
    }

    /// Adds a step of what the run's total has beyond its model calls.
    pub(super) fn rest(&mut self, usage: UsageRow, time: Timestamp) {
        let step = self.begin(time, None);
        step.usage = Some(usage);
        step.is_rest = true;
        self.current.clear();
    }

    /// Writes the finished steps. `passed` is the number of the last event.
    pub(super) fn settle(&mut self, passed: u64) {
        while let Some(first) = self.first_of_agent {
            let Some(step) = self.step(first) else { return };
            let is_current = self.current.get(&step.agent) == Some(&first);
            // More pieces of its text may come while other streams go on.
            let is_streaming = step.streams.iter().any(Option::is_some)
                && passed < u64::MAX
                && self.len() - first <= RECENT;
            if is_current || is_streaming || !step.is_complete(passed) {
                return;
            }
            // What is copied with a model call is also what was said before it.
            let is_copied = step.repeats_other_run();
            while self.finished <= first {
                self.write_first(is_copied);
            }
            let is_of_agent = |step: &AtifStep| step.source == StepSource::Agent;
            let next = self.open.iter().position(is_of_agent);
            self.first_of_agent = next.map(|at| self.finished + at as u64);
        }
    }

    /// Writes all steps.
    pub(super) fn finish(&mut self) {
        self.current.clear();
        self.settle(u64::MAX);
        while !self.open.is_empty() {
            self.write_first(false);
        }
    }

    fn write_first(&mut self, is_copied: bool) {
        let Some(mut step) = self.open.pop_front() else { return };
        step.is_copied = is_copied;
        if let Some(call) = step.model_call {
            self.by_model_call.remove(&call);
        }
        for stream in step.streams.iter().flatten() {
            self.streams.remove(stream);
        }
        if step.source == StepSource::Agent && !step.text.is_empty() {
            self.last_said.clone_from(&step.text);
        }
        self.text.push_str(if self.finished == 0 { "\n" } else { ",\n" });
        self.finished += 1;
        self.text.push_str(&step.json(self.finished));
    }

    fn other(&mut self, source: StepSource, time: Timestamp, text: String) {
        self.current.clear();
        if source == StepSource::User {
            self.streams.clear();
        }
        self.open.push_back(AtifStep { text, ..AtifStep::new(source, time) });
    }

    /// Begins a step of the agent.
    fn begin(&mut self, time: Timestamp, agent: Option<&str>) -> &mut AtifStep {
        let (number, agent) = (self.len(), agent.map(str::to_owned));
        self.first_of_agent = self.first_of_agent.or(Some(number));
        self.current.insert(agent.clone(), number);
        self.open.push_back(AtifStep { agent, ..AtifStep::new(StepSource::Agent, time) });
        let last = self.open.len() - 1;
        &mut self.open[last]
    }

    fn step(&self, number: StepNumber) -> Option<&AtifStep> {
        self.open.get(usize::try_from(number.checked_sub(self.finished)?).ok()?)
    }

    fn step_mut(&mut self, number: StepNumber) -> Option<&mut AtifStep> {
        self.open.get_mut(usize::try_from(number.checked_sub(self.finished)?).ok()?)
    }

    fn current_of(&self, agent: Option<&str>) -> Option<StepNumber> {
        self.current.get(&agent.map(str::to_owned)).copied()
    }
}

/// Whether what the agent says belongs to the model call of this step. Programs log the tokens of a
/// model call before or after its text.
fn continues(step: &AtifStep, text: &str, stream: Option<&StreamName>) -> bool {
    if step.has_results() {
        return false;
    }
    if step.streams.iter().any(Option::is_some) {
        let is_next = |known: &Option<StreamName>| known.as_ref() == stream;
        let [of_text, of_thought] = &step.streams;
        // Reasoning is followed by the text of the same model call.
        let begins_text = stream.is_some() && of_text.is_none() && of_thought.is_some();
        return match stream {
            Some(_) => begins_text || step.streams.iter().any(is_next),
            None => step.text == text || step.thought == text,
        };
    }
    let has_text = !step.text.is_empty() || !step.calls.is_empty();
    let has_content = has_text || !step.thought.is_empty();
    if step.usage.is_some() { !has_content } else { !has_text }
}
