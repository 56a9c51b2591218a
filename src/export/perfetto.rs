//! A trace for Perfetto and `chrome://tracing`: the JSON form of Chrome's trace events.
//!
//! Calls overlap, so they are pairs of asynchronous begins (`b`) and ends (`e`) with ids. Each agent
//! has a lane. A lane is a thread of its own process, because Perfetto groups asynchronous events and
//! counters by process.

use foldhash::{HashMap, HashMapExt as _};

use super::timeline::{AgentSpan, ModelSpan, Period, TimelineDrawing, TimelineMark, ToolSpan};
use crate::event::template::{cut, one_line};
use crate::event::time::Timestamp;
use crate::json::{Json, ObjectText};
use crate::tables::{RunTableRow, UsageRow};

/// Maximum length of a text in the arguments of an event, in characters.
const SHORT: usize = 200;

/// Writes the trace.
#[derive(Debug)]
pub(crate) struct PerfettoTrace {
    /// The name of the main agent's lane.
    main: String,
    /// The number of the lane of each agent. The main agent has the empty name.
    lanes: HashMap<String, u32>,
    /// The number of pairs so far.
    pairs: u64,
    /// Input without cached tokens, cached tokens, output.
    sum: [i64; 3],
    text: String,
}

/// A begin and an end.
struct Pair<'p> {
    category: &'p str,
    name: &'p str,
    agent: Option<&'p str>,
    period: Period,
    arguments: ObjectText,
}

impl PerfettoTrace {
    /// An empty trace.
    #[must_use]
    pub(crate) fn new() -> Self {
        Self {
            main: String::new(),
            lanes: HashMap::new(),
            pairs: 0,
            sum: [0; 3],
            text: String::new(),
        }
    }

    /// The document.
    #[must_use]
    pub(crate) fn into_text(self) -> String {
        self.text
    }

    /// The number of an agent's lane. A new lane gets its names first.
    fn lane(&mut self, agent: Option<&str>) -> u32 {
        let key = agent.unwrap_or_default();
        if let Some(lane) = self.lanes.get(key) {
            return *lane;
        }
        let lane = u32::try_from(self.lanes.len() + 1).unwrap_or(u32::MAX);
        self.lanes.insert(key.to_owned(), lane);
        let name = match agent {
            Some(agent) => format!("agent {}", short(agent)),
            None => self.main.clone(),
        };
        for of in ["process_name", "thread_name"] {
            let mut arguments = ObjectText::new();
            arguments.text("name", &name);
            self.event("M", lane, None, |event| {
                event.text("name", of).json("args", Json::trusted(&arguments.finish()));
            });
        }
        let mut arguments = ObjectText::new();
        arguments.plain("sort_index", lane);
        self.event("M", lane, None, |event| {
            event.text("name", "process_sort_index");
            event.json("args", Json::trusted(&arguments.finish()));
        });
        lane
    }

    fn event(
        &mut self,
        phase: &str,
        lane: u32,
        time: Option<Timestamp>,
        more: impl FnOnce(&mut ObjectText),
    ) {
        let mut event = ObjectText::new();
        event.text("ph", phase).plain("pid", lane).plain("tid", lane);
        if let Some(time) = time {
            event.plain("ts", i128::from(time.millis()) * 1000);
        }
        more(&mut event);
        self.text.push_str(if self.text.ends_with('[') { "\n" } else { ",\n" });
        self.text.push_str(&event.finish());
    }

    fn pair(&mut self, pair: Pair<'_>) {
        let lane = self.lane(pair.agent);
        self.pairs += 1;
        let id = self.pairs.to_string();
        let arguments = pair.arguments.finish();
        self.event("b", lane, Some(pair.period.start), |event| {
            event.text("cat", pair.category).text("id", &id).text("name", pair.name);
            event.json("args", Json::trusted(&arguments));
        });
        self.event("e", lane, Some(pair.period.end), |event| {
            event.text("cat", pair.category).text("id", &id).text("name", pair.name);
        });
    }

    fn counter(&mut self, lane: u32, time: Timestamp, name: &str, values: &[(&str, i64)]) {
        let mut arguments = ObjectText::new();
        for (name, value) in values {
            arguments.plain(name, value);
        }
        self.event("C", lane, Some(time), |event| {
            event.text("name", name).json("args", Json::trusted(&arguments.finish()));
        });
    }
}

impl TimelineDrawing for PerfettoTrace {
    fn begin(&mut self, run: &RunTableRow) {
        run.agent.as_deref().unwrap_or("run").clone_into(&mut self.main);
        let mut about = ObjectText::new();
        about.text("run_id", &run.run_id).text("session_id", &run.session_id);
        about.text("status", run.status);
        about.text_if("agent", run.agent.as_deref()).text_if("model", run.model.as_deref());
        about.text("writer", concat!("runlog ", env!("CARGO_PKG_VERSION")));
        self.text =
            format!(r#"{{"displayTimeUnit":"ms","otherData":{},"traceEvents":["#, about.finish());
        self.lane(None);
    }

    fn tool(&mut self, span: &ToolSpan) {
        let call = &span.call;
        let mut arguments = ObjectText::new();
        arguments.text("call_id", &call.call_id).text("status", call.status);
        arguments.plain("sequence", call.sequence);
        let given = call.arguments.as_ref().map(|given| short(&given.0));
        arguments.text_if("arguments", given.as_deref());
        arguments.text_if("error", call.error.as_deref().map(short).as_deref());
        if span.is_open {
            arguments.plain("open", true);
        }
        self.pair(Pair {
            category: "tool",
            name: &call.tool,
            agent: call.agent_id.as_deref(),
            period: span.period,
            arguments,
        });
    }

    fn model(&mut self, span: &ModelSpan) {
        let usage = &span.usage;
        let mut arguments = ObjectText::new();
        let counts = [
            ("input_tokens", usage.input_tokens),
            ("output_tokens", usage.output_tokens),
            ("cache_read_tokens", usage.cache_read_tokens),
            ("cache_creation_tokens", usage.cache_creation_tokens),
        ];
        for (name, count) in counts {
            if let Some(count) = count {
                arguments.plain(name, count);
            }
        }
        if let Some(cost) = usage.cost_usd {
            arguments.plain("cost_usd", cost.0 as f64 / 1e6);
        }
        arguments.text_if("message_id", usage.message_id.as_deref());
        self.pair(Pair {
            category: "model",
            name: usage.model.as_deref().unwrap_or("model call"),
            agent: usage.agent_id.as_deref(),
            period: span.period,
            arguments,
        });
        let lane = self.lane(usage.agent_id.as_deref());
        if let Some(context) = usage.context_tokens {
            let context = i64::try_from(context).unwrap_or(i64::MAX);
            self.counter(lane, span.period.end, "context", &[("tokens", context)]);
        }
        let cached = [usage.cache_read_tokens, usage.cache_creation_tokens];
        let cached = cached.into_iter().flatten().fold(0_i64, i64::saturating_add);
        let more = [usage.input_tokens.unwrap_or(0), cached, usage.output_tokens.unwrap_or(0)];
        for (sum, more) in self.sum.iter_mut().zip(more) {
            *sum = sum.saturating_add(more);
        }
        let [input, cached, output] = self.sum;
        let values = [("input", input), ("cached", cached), ("output", output)];
        let main = self.lane(None);
        self.counter(main, span.period.end, "tokens so far", &values);
    }

    fn agent(&mut self, span: &AgentSpan) {
        let mut arguments = ObjectText::new();
        arguments.text("agent_id", &span.id);
        if let Some(call) = span.spawned_by {
            arguments.plain("spawned_by", call);
        }
        self.pair(Pair {
            category: "agent",
            name: span.name.as_deref().unwrap_or("agent"),
            agent: Some(&span.id),
            period: span.period,
            arguments,
        });
    }

    fn mark(&mut self, mark: &TimelineMark<'_>) {
        let lane = self.lane(mark.agent);
        let mut arguments = ObjectText::new();
        arguments.text("text", &short(&mark.text));
        self.event("i", lane, Some(mark.time), |event| {
            event.text("s", "t").text("cat", mark.kind).text("name", mark.kind);
            event.json("args", Json::trusted(&arguments.finish()));
        });
    }

    fn run(&mut self, run: &RunTableRow, period: Period, _: &[UsageRow]) {
        let mut arguments = ObjectText::new();
        arguments.text("run_id", &run.run_id).text("status", run.status);
        arguments.text_if("title", run.title.as_deref().map(short).as_deref());
        self.pair(Pair { category: "run", name: "run", agent: None, period, arguments });
        self.text.push_str("\n]}\n");
    }
}

fn short(text: &str) -> String {
    cut(&one_line(text), SHORT).into_owned()
}
