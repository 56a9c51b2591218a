//! OpenTelemetry spans as OTLP/JSON: one `ExportTraceServiceRequest`.
//!
//! The names of spans and attributes are those of the OpenTelemetry conventions for generative AI.
//! These have the status Development, so the resource names the commit that was followed. Attributes
//! that they do not have begin with `runlog.`.

use std::collections::HashSet;

use super::otlp_attributes::Attributes;
use super::provider::provider;
use super::timeline::{AgentSpan, ModelSpan, Period, TimelineDrawing, ToolSpan};
use crate::event::time::Timestamp;
use crate::fs::hash::{hex, sha256};
use crate::json::{Json, ObjectText};
use crate::tables::{Dollars, RunTableRow, UsageRow};

/// The commit of the repository `open-telemetry/semantic-conventions-genai` that is followed.
const CONVENTIONS: &str = "002c8a6ea1c8a42b14a4527db83b3cabcded610a";
const REPOSITORY: &str = "https://github.com/open-telemetry/semantic-conventions-genai";

/// Kinds of spans in OTLP: inside the program, and a request to another one.
const INTERNAL: u8 = 1;
const CLIENT: u8 = 3;
/// The status of a span that failed.
const ERROR: u8 = 2;

/// Writes the spans.
#[derive(Debug, Default)]
pub(crate) struct OtlpSpans {
    /// Whether arguments and results of calls are written.
    with_content: bool,
    run_id: String,
    session_id: String,
    agent: Option<String>,
    trace: String,
    /// What spans were made of. In a damaged log, two events can have one number.
    used: HashSet<(&'static str, u64)>,
    spans: u64,
    text: String,
}

/// What is special to a span.
struct SpanParts<'s> {
    id: String,
    parent: Option<String>,
    operation: &'static str,
    /// What the operation is about; the second word of the span's name.
    about: Option<&'s str>,
    kind: u8,
    period: Period,
    attributes: Attributes,
    /// The class and the text of the error.
    error: Option<(&'static str, Option<&'s str>)>,
}

impl OtlpSpans {
    /// No spans yet. `with_content`: also the arguments and results of calls.
    #[must_use]
    pub(crate) fn new(with_content: bool) -> Self {
        Self { with_content, ..Self::default() }
    }

    /// The document.
    #[must_use]
    pub(crate) fn into_text(self) -> String {
        self.text
    }

    /// The id of the span of what has this name.
    fn id(&self, kind: &str, name: &str) -> String {
        hex(&sha256(format!("{}\n{kind}\n{name}", self.run_id).as_bytes())[..8])
    }

    /// The id of the span of what begins with this event.
    fn own_id(&mut self, kind: &'static str, sequence: u64) -> String {
        if self.used.insert((kind, sequence)) {
            return self.id(kind, &sequence.to_string());
        }
        self.id(kind, &format!("{sequence}\n{}", self.spans))
    }

    /// The id of the span of an agent, or of the run.
    fn agent_id(&self, agent: Option<&str>) -> String {
        match agent {
            Some(agent) => self.id("agent", agent),
            None => self.id("run", "0"),
        }
    }

    /// The attributes that spans of this operation begin with.
    fn attributes(&self, operation: &str) -> Attributes {
        let mut attributes = Attributes::default();
        attributes.text("gen_ai.operation.name", operation);
        attributes.text_if("gen_ai.conversation.id", Some(&self.session_id));
        attributes
    }

    fn write(&mut self, parts: &SpanParts<'_>) {
        let name = match parts.about {
            Some(about) => format!("{} {about}", parts.operation),
            None => parts.operation.to_owned(),
        };
        let mut span = ObjectText::new();
        span.text("traceId", &self.trace).text("spanId", &parts.id);
        span.text_if("parentSpanId", parts.parent.as_deref());
        span.text("name", &name).plain("kind", parts.kind);
        span.text("startTimeUnixNano", &nanoseconds(parts.period.start));
        span.text("endTimeUnixNano", &nanoseconds(parts.period.end));
        let mut attributes = parts.attributes.clone();
        let mut status = ObjectText::new();
        if let Some((class, message)) = parts.error {
            attributes.text("error.type", class);
            status.plain("code", ERROR).text_if("message", message);
        }
        span.json("attributes", Json::trusted(&attributes.json()));
        span.json("status", Json::trusted(&status.finish()));
        self.text.push_str(if self.spans == 0 { "\n" } else { ",\n" });
        self.text.push_str(&span.finish());
        self.spans += 1;
    }
}

impl TimelineDrawing for OtlpSpans {
    fn begin(&mut self, run: &RunTableRow) {
        self.run_id.clone_from(&run.run_id);
        self.session_id.clone_from(&run.session_id);
        self.agent.clone_from(&run.agent);
        self.trace = hex(&sha256(run.run_id.as_bytes())[..16]);
        let mut resource = Attributes::default();
        resource.text("service.name", run.agent.as_deref().unwrap_or("runlog"));
        resource.text_if("service.version", run.agent_version.as_deref());
        resource.text("runlog.run.id", &run.run_id);
        resource.text_if("runlog.project", run.project.as_deref());
        resource.text_if("runlog.git.branch", run.git_branch.as_deref());
        resource.text("runlog.conventions.repository", REPOSITORY);
        resource.text("runlog.conventions.commit", CONVENTIONS);
        resource.text("runlog.conventions.status", "Development");
        let scope = concat!(r#"{"name":"runlog","version":""#, env!("CARGO_PKG_VERSION"), r#""}"#);
        self.text = format!(
            r#"{{"resourceSpans":[{{"resource":{{"attributes":{}}},"scopeSpans":[{{"scope":{scope},"spans":["#,
            resource.json()
        );
    }

    fn tool(&mut self, span: &ToolSpan) {
        let call = &span.call;
        let mut attributes = self.attributes("execute_tool");
        attributes.text("gen_ai.tool.name", &call.tool).text("gen_ai.tool.type", "function");
        attributes.text("gen_ai.tool.call.id", &call.call_id);
        attributes.text_if("gen_ai.agent.id", call.agent_id.as_deref());
        if self.with_content {
            let arguments = call.arguments.as_ref().map(|arguments| arguments.0.as_str());
            attributes.text_if("gen_ai.tool.call.arguments", arguments);
            attributes.text_if("gen_ai.tool.call.result", span.result.as_deref());
        }
        attributes.text("runlog.status", call.status).text("runlog.kind", call.kind);
        attributes.integer_if("runlog.sequence", i64::try_from(call.sequence).ok());
        attributes.integer_if("runlog.exit_code", call.exit_code);
        attributes.flag_if("runlog.open", span.is_open);
        attributes.flag_if("runlog.retry", call.is_retry);
        attributes.flag_if("runlog.repeat", call.is_repeat);
        attributes.flag_if("runlog.copied", !call.first_seen);
        let message = call.error.as_deref();
        let error = match call.status {
            "failed" => Some(("tool_failed", message)),
            "blocked" => Some(("tool_blocked", message)),
            _ => None,
        };
        let parts = SpanParts {
            id: self.own_id("tool", call.sequence),
            parent: Some(self.agent_id(call.agent_id.as_deref())),
            operation: "execute_tool",
            about: Some(&call.tool),
            kind: INTERNAL,
            period: span.period,
            attributes,
            error,
        };
        self.write(&parts);
    }

    fn model(&mut self, span: &ModelSpan) {
        let usage = &span.usage;
        let model = usage.model.as_deref();
        let mut attributes = self.attributes("chat");
        attributes.text("gen_ai.provider.name", provider(model, self.agent.as_deref()));
        attributes.text_if("gen_ai.request.model", model).text_if("gen_ai.response.model", model);
        // An id with a slash is made from the history of a session; the provider gave none.
        let id = usage.message_id.as_deref().filter(|id| !id.contains('/'));
        attributes.text_if("gen_ai.response.id", id);
        attributes.text_if("gen_ai.agent.id", usage.agent_id.as_deref());
        tokens(&mut attributes, "gen_ai.usage", usage);
        attributes.dollars_if("runlog.cost_usd", usage.cost_usd.map(|cost| cost.0));
        attributes.flag_if("runlog.cost_estimated", usage.cost_estimated);
        attributes.flag_if("runlog.output_tokens_at_least", usage.output_at_least);
        let sequence = usage.sequence.unwrap_or(0);
        attributes.integer_if("runlog.sequence", i64::try_from(sequence).ok());
        attributes.flag_if("runlog.copied", !usage.first_seen);
        let parts = SpanParts {
            id: self.own_id("model", sequence),
            parent: Some(self.agent_id(usage.agent_id.as_deref())),
            operation: "chat",
            about: model,
            kind: CLIENT,
            period: span.period,
            attributes,
            error: None,
        };
        self.write(&parts);
    }

    fn agent(&mut self, span: &AgentSpan) {
        let mut attributes = self.attributes("invoke_agent");
        attributes.text("gen_ai.provider.name", provider(None, self.agent.as_deref()));
        attributes.text("gen_ai.agent.id", &span.id);
        attributes.text_if("gen_ai.agent.name", span.name.as_deref());
        let parent = match span.spawned_by {
            Some(call) => self.id("tool", &call.to_string()),
            None => self.agent_id(None),
        };
        let parts = SpanParts {
            id: self.agent_id(Some(&span.id)),
            parent: Some(parent),
            operation: "invoke_agent",
            about: span.name.as_deref(),
            kind: INTERNAL,
            period: span.period,
            attributes,
            error: None,
        };
        self.write(&parts);
    }

    fn run(&mut self, run: &RunTableRow, period: Period, rest: &[UsageRow]) {
        let mut attributes = self.attributes("invoke_agent");
        let provider = provider(run.model.as_deref(), run.agent.as_deref());
        attributes.text("gen_ai.provider.name", provider);
        attributes.text_if("gen_ai.agent.name", run.agent.as_deref());
        attributes.text_if("gen_ai.agent.version", run.agent_version.as_deref());
        attributes.text_if("gen_ai.request.model", run.model.as_deref());
        attributes.text("runlog.run.id", &run.run_id).text("runlog.status", run.status);
        if self.with_content {
            attributes.text_if("runlog.title", run.title.as_deref());
        }
        attributes.integer_if("runlog.prompts", i64::try_from(run.prompts).ok());
        if let Some(rest) = sum(rest) {
            tokens(&mut attributes, "runlog.usage.rest", &rest);
            attributes.dollars_if("runlog.usage.rest.cost_usd", rest.cost_usd.map(|cost| cost.0));
        }
        let error = (run.status == "failed").then_some(("run_failed", run.error.as_deref()));
        let parts = SpanParts {
            id: self.agent_id(None),
            parent: None,
            operation: "invoke_agent",
            about: run.agent.as_deref(),
            kind: INTERNAL,
            period,
            attributes,
            error,
        };
        self.write(&parts);
        self.text.push_str("\n]}]}]}\n");
    }
}

/// Adds token counts. In the conventions, input tokens include those of the cache.
fn tokens(attributes: &mut Attributes, prefix: &str, usage: &UsageRow) {
    let UsageRow { cache_read_tokens: read, cache_creation_tokens: creation, .. } = *usage;
    let parts = [usage.input_tokens, read, creation];
    let known = parts.iter().any(Option::is_some);
    let all = parts.into_iter().flatten().fold(0_i64, i64::saturating_add);
    attributes.integer_if(&format!("{prefix}.input_tokens"), known.then_some(all));
    attributes.integer_if(&format!("{prefix}.output_tokens"), usage.output_tokens);
    attributes.integer_if(&format!("{prefix}.cache_read.input_tokens"), read);
    attributes.integer_if(&format!("{prefix}.cache_creation.input_tokens"), creation);
}

/// The sum of some usage; `None` of nothing.
fn sum(rows: &[UsageRow]) -> Option<UsageRow> {
    let add = |one: Option<i64>, other: Option<i64>| match (one, other) {
        (Some(one), Some(other)) => Some(one.saturating_add(other)),
        (one, other) => one.or(other),
    };
    let cost = |row: &UsageRow| row.cost_usd.map(|cost| cost.0);
    rows.iter().cloned().reduce(|sum, row| UsageRow {
        cost_usd: add(cost(&sum), cost(&row)).map(Dollars),
        input_tokens: add(sum.input_tokens, row.input_tokens),
        output_tokens: add(sum.output_tokens, row.output_tokens),
        cache_read_tokens: add(sum.cache_read_tokens, row.cache_read_tokens),
        cache_creation_tokens: add(sum.cache_creation_tokens, row.cache_creation_tokens),
        ..sum
    })
}

/// A time for OTLP, whose times do not begin before 1970.
fn nanoseconds(time: Timestamp) -> String {
    let nanoseconds = i128::from(time.millis()) * 1_000_000;
    nanoseconds.clamp(0, i128::from(u64::MAX)).to_string()
}
