//! The fields that views read from an event of any system. In each list of names, the first name
//! that is present wins.

use std::borrow::Cow;

use super::blob::Reference;
use super::envelope::Event;
use super::own;
use super::parts;
pub(crate) use super::parts::{attachment_label, label as media_label};
use super::role::Role;
use super::severity::Severity;
use crate::json::{Json, Kind, MemberPlaces, Members};

pub(crate) const TOOL: &[&str] = &["tool_name", "tool", "name"];
pub(crate) const CALL_ID: &[&str] = &["call_id", "toolCallId", "tool_use_id", "id"];
/// Arguments of a call.
pub(crate) const ARGUMENTS: &[&str] = &[
    "args_summary",
    "args",
    "input",
    "arguments",
    "tool_input",
    "params",
    "inputs",
    "code",
    "terminal",
    "command",
];
/// The arguments that hold a command line.
pub(crate) const COMMAND_LINES: &[&str] = &["command", "cmd", "script"];
/// Result of a call or a task.
pub(crate) const RESULT: &[&str] =
    &["result_summary", "result", "output", "tool_response", "stdout", "parts", "final_text"];
/// Errors. Only this list may hold dotted paths; the others hold names of members.
pub(crate) const ERROR_TEXT: &[&str] = &["error.message", "error", "reason", "stderr"];
/// Text of a message.
pub(crate) const TEXT: &[&str] =
    &["text", "content", "message", "response", "prompt", "brief", "title"];
/// Reasoning.
pub(super) const THOUGHT: &[&str] = &["thinking", "reasoning", "reasoning_content"];
/// Dialects that name the agent of every event. In the others, `agent_id` names a sub-agent.
pub(crate) const NAMING_ALL: [&str; 3] = ["aos", "agex", "gateway"];
pub(crate) const AGENT: &[&str] =
    &["agentId", "agent_id", "agent", "childAgentId", "full_namespace", "agent_name"];
/// Members that tell the agents of a run apart: the id of an agent's run, else of the agent, else its
/// name.
pub(crate) const AGENT_ID: [&str; 5] =
    ["runId", "agentId", "agent_id", "full_namespace", "agent_name"];
pub(crate) const INPUT_TOKENS: &[&str] = &["input_tokens", "inputTokens", "tokensIn"];
pub(crate) const OUTPUT_TOKENS: &[&str] = &["output_tokens", "outputTokens", "tokensOut"];
pub(crate) const CACHE_READ: &[&str] = &["cache_read_tokens", "cacheReadTokens"];
pub(crate) const CACHE_CREATION: &[&str] = &["cache_creation_tokens", "cacheCreationTokens"];
/// The part of the tokens written to a cache that is kept for an hour, at a higher price.
pub(crate) const CACHE_CREATION_1H: &[&str] = &["cache_creation_1h_tokens"];
pub(crate) const COST: &[&str] = &["cost_usd", "cost"];
pub(crate) const PATH: &[&str] = &["path", "file_path", "content_path"];
/// The member with the milliseconds that a part of a session took, in a source without times.
pub(crate) const WORK_TIME: &str = "work_time_ms";

/// The value of `time_origin` in an imported event if no line up to it had a time: the event's time
/// is then that of the import.
pub(crate) const TIME_OF_READING: &str = "time_of_reading";
/// The place of the work in the history of its session and of those that it was forked from: the
/// first of them, and the tokens so far. A copy of the work has the same place.
pub(crate) const HISTORY: &str = "history_place";
pub(crate) const MODEL_CALL: &[&str] = &["message_id", "request_id"];
pub(crate) const DURATION: &[&str] = &["duration_ms", "durationMs"];

/// The scope of usage that is the sum of several model calls.
pub(crate) const SEVERAL_CALLS: &str = "calls";

/// The flag for usage whose number of output tokens is a lower bound.
pub(crate) const OUTPUT_AT_LEAST: &str = "output_tokens_at_least";
/// The number of prompts that the user has withdrawn, by going back to what was before them.
pub(crate) const PROMPTS_WITHDRAWN: &str = "prompts_withdrawn";
/// The flag for a prompt that the user has withdrawn.
pub(crate) const WITHDRAWN: &str = "withdrawn";
/// The ids of the model calls that the total of a process has.
pub(crate) const CALLS_IN_TOTAL: &str = "message_ids";
/// The field of `data` with the id of the event whose place this one takes: the end of a call, which
/// a session file tells in another way than a hook did.
pub(crate) const REVISES: &str = "revises";

fn first<'a>(data: &Members<'a>, names: &[&str]) -> Option<Json<'a>> {
    names.iter().find_map(|name| data.present(name))
}

/// The greatest count of tokens, milliseconds or millionths of a dollar that is believed: every
/// JSON reader, spreadsheet and engine represents it exactly. No real one comes near it.
pub(crate) const MAX_COUNT: u64 = (1 << 53) - 1;

fn count(value: Json<'_>) -> Option<u64> {
    value.as_u64().filter(|count| *count <= MAX_COUNT)
}

fn first_text<'a>(data: &Members<'a>, names: &[&str]) -> Option<Cow<'a, str>> {
    first(data, names).map(as_text)
}

fn error_value<'a>(data: &Members<'a>) -> Option<Json<'a>> {
    let named = ERROR_TEXT.iter().find_map(|path| data.path(path));
    let is_error = says_error(data);
    // An output that only says that the call was denied is no error text.
    let is_error_text = |result: &Json<'_>| is_error && !is_denial(*result);
    named.or_else(|| first(data, RESULT).filter(is_error_text))
}

/// Whether an output says that the call was denied, and nothing else.
fn is_denial(output: Json<'_>) -> bool {
    let mut members = output.members().peekable();
    members.peek().is_some()
        && members.all(|(name, value)| name == "status" && as_text(value) == "denied")
}

/// Whether `is_error` is true, or the word `true`, which shells write.
fn says_error(data: &Members<'_>) -> bool {
    data.get("is_error").is_some_and(|value| as_text(value) == "true")
}

/// A string as its characters, a moved-out string as its beginning, a list of content parts as
/// their texts, any other value as compact JSON.
#[must_use]
pub(crate) fn as_text(value: Json<'_>) -> Cow<'_, str> {
    match value.kind() {
        Kind::Array => parts::as_text(value).map_or_else(|| value.compact(), Cow::Owned),
        Kind::Object => match Reference::of(value) {
            Some(reference) => Cow::Owned(reference.preview()),
            None => {
                let text = parts::label(value).or_else(|| parts::in_result(value));
                text.map_or_else(|| value.compact(), Cow::Owned)
            }
        },
        _ => value.as_str().unwrap_or_else(|| value.compact()),
    }
}

/// The same as [`as_text`], for views that show more than a line: a moved-out string as its beginning
/// and its end.
#[must_use]
pub(crate) fn as_long_text(value: Json<'_>) -> Cow<'_, str> {
    match Reference::of(value) {
        Some(reference) => Cow::Owned(reference.excerpt()),
        None => as_text(value),
    }
}

/// A string as its characters, any other value as compact JSON. Nothing is shortened.
#[must_use]
pub(crate) fn exact_text(value: Json<'_>) -> Cow<'_, str> {
    value.as_str().unwrap_or_else(|| value.compact())
}

/// What the numbers of a usage event are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UsageScope {
    /// One model call, or several.
    Call,
    /// A process so far.
    Process,
    /// The session so far. Earlier versions wrote `total`.
    Session,
    /// One model, as a part of the total before it.
    Model,
}

/// Whether an id is a placeholder that unrelated events share: empty, `REDACTED`, or bracketed
/// text.
#[must_use]
pub(crate) fn is_placeholder(id: &str) -> bool {
    id.is_empty()
        || id == "REDACTED"
        || (id.starts_with('[') && id.ends_with(']'))
        || (id.starts_with('<') && id.ends_with('>'))
}

/// An event as the views see it: with the role of its type, corrected by its payload.
#[derive(Clone, Copy, Debug)]
pub struct View<'e, 'a> {
    /// The event itself.
    pub event: &'e Event<'a>,
    /// The effective role: a denied `tool_end` is `tool_blocked`, one with an error `tool_fail`.
    pub role: Role,
    /// The effective severity: `error` for an effective `tool_fail` made from a `tool_end`.
    pub severity: Severity,
    /// The members of the event's payload.
    pub data: Members<'a>,
}

/// The effective role and severity of an event with this role and this `data`.
#[must_use]
pub(crate) fn effective(role: Role, severity: Severity, data: &Members<'_>) -> (Role, Severity) {
    if role != Role::ToolEnd {
        return (role, severity);
    }
    let output = data.present("output").filter(|output| output.is_object());
    if output.and_then(|output| output.text_at("status")).is_some_and(|status| status == "denied") {
        return (Role::ToolBlocked, severity);
    }
    let failed = data.present("error").is_some()
        || output.is_some_and(|output| output.present("error").is_some())
        || says_error(data);
    if failed { (Role::ToolFail, Severity::Error) } else { (role, severity) }
}

/// The tool that an event of that type with this payload is about, as text by `as_text`.
pub(super) fn tool_name<'a>(
    kind: &str,
    data: &Members<'a>,
    as_text: impl Fn(Json<'a>) -> Cow<'a, str>,
) -> Cow<'a, str> {
    if kind.starts_with("repl_") {
        return Cow::Borrowed("repl");
    }
    first(data, TOOL).map_or(Cow::Borrowed("tool"), as_text)
}

/// The words of a command that an argument of this name gives as a list. Of `bash -lc LINE`, the
/// line.
#[must_use]
pub(crate) fn command_words(name: &str, value: Json<'_>) -> Option<String> {
    if value.kind() != Kind::Array || !COMMAND_LINES.contains(&name) {
        return None;
    }
    let words: Vec<Cow<'_, str>> = value.items().map(as_text).collect();
    Some(match words.as_slice() {
        [_, option, line] if option.starts_with('-') && option.ends_with('c') => line.to_string(),
        all => all.join(" "),
    })
}

/// The result in a payload; a wrapped result (`output.result`) is unwrapped.
pub(super) fn result_of<'a>(data: &Members<'a>) -> Option<Json<'a>> {
    let result = first(data, RESULT)?;
    Some(result.present("result").unwrap_or(result))
}

/// The error: from the payload, else from its output, else the message.
pub(super) fn failure_of<'a>(data: &Members<'a>) -> Option<Json<'a>> {
    let output = || Members::of(data.present("output").unwrap_or(Json::EMPTY));
    error_value(data)
        .or_else(|| error_value(&output()))
        .or_else(|| data.present("message"))
        .or_else(|| output().present("message"))
}

/// The text of the error.
fn failure_text<'a>(data: &Members<'a>) -> Option<Cow<'a, str>> {
    failure_of(data).map(as_text)
}

impl<'e, 'a> View<'e, 'a> {
    /// Reads an event with the catalogue.
    #[must_use]
    pub fn of(event: &'e Event<'a>) -> Self {
        Self::with(event, Members::of(event.data))
    }

    /// Like [`View::of`]. The places of the payload's members may be known.
    #[must_use]
    pub(crate) fn known(event: &'e Event<'a>, places: Option<&MemberPlaces>) -> Self {
        match places {
            Some(places) => Self::with(event, Members::known(event.data, places)),
            None => Self::of(event),
        }
    }

    fn with(event: &'e Event<'a>, data: Members<'a>) -> Self {
        let row = super::catalogue::role(&event.kind);
        let (role, severity) = effective(row, event.severity, &data);
        Self { event, role, severity, data }
    }

    /// The tool's name. Default: `repl` for code cells, else `tool`.
    #[must_use]
    pub fn tool(&self) -> Cow<'a, str> {
        tool_name(&self.event.kind, &self.data, as_text)
    }

    /// The id that connects the events of a call, if the event has one.
    #[must_use]
    pub fn call_id(&self) -> Option<Cow<'a, str>> {
        let id = match &self.event.correlation_id {
            Some(id) => Some(id.clone()),
            None => first_text(&self.data, CALL_ID),
        };
        id.filter(|id| !is_placeholder(id))
    }

    /// The id of the call, else of the event.
    #[must_use]
    pub fn call_id_or_own(&self) -> Cow<'a, str> {
        self.call_id().unwrap_or_else(|| self.event.event_id.clone())
    }

    /// The arguments of a call.
    #[must_use]
    pub fn arguments(&self) -> Option<Json<'a>> {
        first(&self.data, ARGUMENTS)
    }

    /// The result of a call; a wrapped result (`output.result`) is unwrapped.
    #[must_use]
    pub fn result(&self) -> Option<Json<'a>> {
        result_of(&self.data)
    }

    /// What a call printed: its result, else the error of a call that did not succeed.
    #[must_use]
    pub fn output(&self) -> Option<Json<'a>> {
        let error = || ERROR_TEXT.iter().find_map(|path| self.data.path(path));
        self.result().or_else(|| error().filter(|_| self.role != Role::ToolEnd))
    }

    /// The text of the error.
    #[must_use]
    pub fn error_text(&self) -> Option<Cow<'a, str>> {
        failure_text(&self.data)
    }

    /// The text of the error for people. Of a refused operation, also what it was about and whose it
    /// was.
    #[must_use]
    pub fn error_told(&self) -> Option<Cow<'a, str>> {
        let text = self.error_text();
        let is_told = |path: &str| text.as_ref().is_some_and(|text| text.contains(path));
        let refused = self.path().filter(|path| self.role == Role::Rejected && !is_told(path));
        let Some(path) = refused else { return text };
        let lead = match self.names_agent() {
            true => format!("{} was refused", self.agent()),
            false => "refused:".to_owned(),
        };
        let reason = text.map(|text| format!(": {text}")).unwrap_or_default();
        Some(Cow::Owned(format!("{lead} {path}{reason}")))
    }

    /// The reasoning.
    #[must_use]
    pub fn thought(&self) -> Option<Cow<'a, str>> {
        first_text(&self.data, THOUGHT)
    }

    /// The speaker: the parent in a delegation, else the event's agent.
    #[must_use]
    pub fn speaker(&self) -> Cow<'a, str> {
        let parent = self.data.text_at("parentAgentId");
        match parent.filter(|_| self.data.present("message").is_some()) {
            Some(parent) => parent,
            None => self.agent(),
        }
    }

    /// The text of the message.
    #[must_use]
    pub fn text(&self) -> Option<Cow<'a, str>> {
        first_text(&self.data, TEXT)
    }

    /// The text of the message, for views that show more than a line of it.
    #[must_use]
    pub(crate) fn long_text(&self) -> Option<Cow<'a, str>> {
        first(&self.data, TEXT).map(as_long_text)
    }

    /// The agent that the event is about.
    #[must_use]
    pub fn agent(&self) -> Cow<'a, str> {
        first_text(&self.data, AGENT).unwrap_or_else(|| self.event.actor.clone())
    }

    /// Whether the payload names the agent that the event is about.
    #[must_use]
    pub(crate) fn names_agent(&self) -> bool {
        first_text(&self.data, AGENT).is_some()
    }

    /// The file that the event is about.
    #[must_use]
    pub fn path(&self) -> Option<Cow<'a, str>> {
        first_text(&self.data, PATH)
    }

    /// The event's own duration in milliseconds, if it reports one.
    #[must_use]
    pub fn duration_ms(&self) -> Option<u64> {
        let duration = (first(&self.data, DURATION)?.as_f64()? + 0.5).floor();
        (0.0..=MAX_COUNT as f64).contains(&duration).then_some(duration as u64)
    }

    /// Input tokens, without cached ones.
    #[must_use]
    pub fn input_tokens(&self) -> Option<u64> {
        first(&self.data, INPUT_TOKENS).and_then(count)
    }

    /// Output tokens.
    #[must_use]
    pub fn output_tokens(&self) -> Option<u64> {
        first(&self.data, OUTPUT_TOKENS).and_then(count)
    }

    /// Input tokens read from a cache.
    #[must_use]
    pub fn cache_read_tokens(&self) -> Option<u64> {
        first(&self.data, CACHE_READ).and_then(count)
    }

    /// Input tokens written to a cache.
    #[must_use]
    pub fn cache_creation_tokens(&self) -> Option<u64> {
        first(&self.data, CACHE_CREATION).and_then(count)
    }

    /// The part of [`Self::cache_creation_tokens`] that the cache keeps for an hour.
    #[must_use]
    pub(crate) fn cache_creation_1h_tokens(&self) -> Option<u64> {
        first(&self.data, CACHE_CREATION_1H).and_then(count)
    }

    /// A fact of the session that the event's source line was the first to say.
    #[must_use]
    pub(crate) fn session_fact(&self, name: &str) -> Option<Cow<'a, str>> {
        own::session_fact(&self.data, name)
    }

    /// What an import says of an imported event in `_runlog`.
    #[must_use]
    pub(crate) fn detail(&self, name: &str) -> Option<Json<'a>> {
        own::detail(&self.data, name)
    }

    /// Cost in millionths of a dollar. One that is negative or above [`MAX_COUNT`] is no cost.
    #[must_use]
    pub fn cost_micros(&self) -> Option<i64> {
        as_micros(first(&self.data, COST)?)
    }

    /// The token counts and the cost of a model call that are not counted, because they are
    /// negative, above [`MAX_COUNT`] or not numbers: the field's name and its value.
    #[must_use]
    pub fn impossible_counts(&self) -> Vec<(&'static str, Json<'a>)> {
        if !matches!(self.role, Role::Usage | Role::Message) {
            return Vec::new();
        }
        let mut found = Vec::new();
        for names in [INPUT_TOKENS, OUTPUT_TOKENS, CACHE_READ, CACHE_CREATION] {
            let given = first(&self.data, names).filter(|given| count(*given).is_none());
            found.extend(given.map(|given| (names[0], given)));
        }
        let cost = first(&self.data, COST).filter(|_| self.cost_micros().is_none());
        found.extend(cost.map(|cost| (COST[0], cost)));
        found
    }

    /// The model response that the event belongs to: the first id that is not a placeholder.
    #[must_use]
    pub fn model_call_id(&self) -> Option<Cow<'a, str>> {
        let id = |name: &&str| self.data.text_at(name).filter(|id| !is_placeholder(id));
        MODEL_CALL.iter().find_map(id)
    }

    /// Whether a field of `data` is `true`.
    #[must_use]
    pub fn is_set(&self, name: &str) -> bool {
        self.data.get(name).and_then(Json::as_bool) == Some(true)
    }

    /// A field of `data` as text.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<Cow<'a, str>> {
        self.data.path(name).map(as_text)
    }

    /// Whether the event is an error and so gets a record in `logs/errors.jsonl`.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
            || matches!(self.role, Role::Error | Role::ToolFail | Role::Rejected)
    }

    /// Whether the event is of an agent below the one that the user talks to. The call that spawned
    /// it may be unknown.
    #[must_use]
    pub fn is_of_sub_agent(&self) -> bool {
        self.sub_agent().is_some()
    }

    /// The id of that agent.
    #[must_use]
    pub(crate) fn sub_agent(&self) -> Option<Cow<'a, str>> {
        let dialect = self.dialect()?;
        if NAMING_ALL.contains(&dialect.as_ref()) {
            return None;
        }
        self.data.text_at("agent_id").filter(|id| !is_placeholder(id))
    }

    /// Whether a person begins a task with the event.
    #[must_use]
    pub fn is_prompt(&self) -> bool {
        self.role == Role::TaskStart && self.event.actor == "user" && !self.is_of_sub_agent()
    }

    /// The exit code of a call, if it is one: a small whole number.
    #[must_use]
    pub(crate) fn exit_code(&self) -> Option<i64> {
        let code = self.data.get("exit_code").and_then(Json::as_f64)?;
        (code.fract() == 0.0 && code.abs() <= f64::from(u32::MAX)).then_some(code as i64)
    }

    /// Whether the event was imported from another program's log.
    #[must_use]
    pub fn is_imported(&self) -> bool {
        is_imported(&self.data)
    }

    /// What the numbers of a usage event are about.
    #[must_use]
    pub(crate) fn usage_scope(&self) -> UsageScope {
        match self.field("scope").as_deref() {
            Some("process") => UsageScope::Process,
            Some("session" | "total") => UsageScope::Session,
            Some("model") => UsageScope::Model,
            _ => UsageScope::Call,
        }
    }

    /// Whether a usage event is of a single model call, whose input is the size of its context.
    #[must_use]
    pub(crate) fn is_of_one_call(&self) -> bool {
        self.usage_scope() == UsageScope::Call
            && self.field("scope").is_none_or(|scope| scope != SEVERAL_CALLS)
    }

    /// Whether the event's time is that at which an import read its line: [`TIME_OF_READING`].
    #[must_use]
    pub(crate) fn has_time_of_reading(&self) -> bool {
        self.time_origin().is_some_and(|origin| origin == TIME_OF_READING)
    }

    /// Where the event's time is from, if its own line had none.
    #[must_use]
    pub(crate) fn time_origin(&self) -> Option<Cow<'a, str>> {
        own::time_origin(&self.data).map(as_text)
    }

    /// The dialect that the event was imported from.
    #[must_use]
    pub(crate) fn dialect(&self) -> Option<Cow<'a, str>> {
        own::dialect(&self.data).and_then(Json::as_str)
    }

    /// Whether the event corrects how a call ended: it takes the place of an earlier end.
    #[must_use]
    pub(crate) fn revises(&self) -> bool {
        self.is_imported() && self.data.get(REVISES).is_some()
    }

    /// Whether a hook of the agent recorded the event.
    #[must_use]
    pub fn is_by_hook(&self) -> bool {
        own::is_by_hook(&self.data)
    }

    /// Whether an import recorded the event at the end of its source.
    #[must_use]
    pub fn ends_source(&self) -> bool {
        self.end_of_source().is_some()
    }

    /// What the event says as the end of a source.
    #[must_use]
    pub(crate) fn end_of_source(&self) -> Option<own::EndOfSource<'a>> {
        own::EndOfSource::of(&self.data)
    }

    /// Whether the event is a line of another program that the import kept without understanding
    /// it.
    #[must_use]
    pub fn is_opaque(&self) -> bool {
        self.is_imported()
            && self.severity == Severity::Debug
            && super::catalogue::row(&self.event.kind).is_none()
    }
}

/// A cost in dollars as millionths of a dollar. `None` if it is negative, too high or no number.
pub(crate) fn as_micros(cost: Json<'_>) -> Option<i64> {
    let micros = (cost.as_f64()? * 1e6).round();
    (0.0..=MAX_COUNT as f64).contains(&micros).then_some(micros as i64)
}

/// Whether an event with this `data` was imported from another program's log.
pub(super) fn is_imported(data: &Members<'_>) -> bool {
    own::dialect(data).is_some_and(|dialect| dialect.kind() == Kind::String)
}
