//! The events of what is said: their types and their payloads.

use super::calls::EndOfCall;
use super::{EventBuilder, PlaceInLine};
use crate::agents::said::{
    Args, CallEnd, FailedPart, ModelCall, Outcome, Said, SaidCall, SaidFailure, SaidNote,
    SaidPrompt, SubAgent, TokensUsed, Used, UsedScope,
};
use crate::agents::source::ENGINE;
use crate::event::catalogue;
use crate::event::draft::Draft;
use crate::event::fields::{
    CALLS_IN_TOTAL, HISTORY, OUTPUT_AT_LEAST, PROMPTS_WITHDRAWN, SEVERAL_CALLS, WITHDRAWN,
    WORK_TIME, is_placeholder,
};
use crate::event::own::COMPACTION_SUMMARY;
use crate::event::reserved::reserved_key;
use crate::event::severity::Severity;
use crate::json::{self, Json, JsonRules, MAX_DEPTH, ObjectText, quoted};

/// The text of a prompt that has only attachments.
const ATTACHMENT: &str = "[attachment]";
/// Levels of nesting that arguments may not use: they are inside an envelope, inside `data`.
const WRAPPING: usize = 3;

impl EventBuilder {
    /// Adds the events of a call that begins, and perhaps ends.
    pub(super) fn call(
        &mut self,
        drafts: &mut Vec<Draft<'static>>,
        place: &mut PlaceInLine<'_>,
        mut call: SaidCall<'_>,
        agent: &SubAgent<'_>,
    ) {
        let begun = self.calls.start(&call, place, agent);
        place.calls += 1;
        drafts.extend(begun.id.map(|id| call.event(id, place, agent)));
        let end = call.end.take();
        drafts.extend(end.and_then(|end| self.end(Some(begun.at), place, &end, agent)));
    }

    /// The end of a call, unless it was reported.
    fn end(
        &mut self,
        at: Option<usize>,
        place: &PlaceInLine<'_>,
        end: &CallEnd<'_>,
        agent: &SubAgent<'_>,
    ) -> Option<Draft<'static>> {
        match self.calls.end(at, end, place, agent)? {
            EndOfCall::First { id, tool, is_started } => {
                let command = end.command.as_deref().filter(|_| !is_started);
                Some(end.event(id, (&tool, command), place, agent))
            }
            EndOfCall::Late { tool } => end.late_failure(&tool).event(agent),
        }
    }

    /// The event of one thing that is said, if it says anything.
    pub(super) fn event(
        &mut self,
        place: &PlaceInLine<'_>,
        said: Said<'_>,
        agent: &SubAgent<'_>,
    ) -> Option<Draft<'static>> {
        match said {
            Said::Prompt(prompt) => {
                let draft = prompt.event(place, agent)?;
                self.calls.interrupt(agent);
                Some(draft)
            }
            Said::Answer(answer) => text_event("message.assistant", &answer.text, agent, |data| {
                answer.of.add_to(data);
            }),
            Said::Thought(text) => text_event("message.reasoning", &text, agent, |_| {}),
            Said::System(text) => text_event("message.system", &text, agent, |_| {}),
            Said::Summary(text) => {
                let draft = text_event("message.system", &text, agent, |_| {})?;
                Some(Draft { details: format!("{{\"{COMPACTION_SUMMARY}\":true}}"), ..draft })
            }
            Said::Hook(text, command) => text_event("message.system", &text, agent, |data| {
                data.text_if("command", command.as_deref()).plain("hook", true);
            }),
            Said::Copied(text, from) => text_event("message.system", &text, agent, |data| {
                data.text("copied_from", &from);
            }),
            Said::Note(note) => note.event(agent),
            Said::Facts(facts) => {
                let title = facts.iter().find(|(name, _)| *name == "title");
                let summary = title.map(|(_, title)| format!("Title: {title}").into());
                let draft = event("config.loaded", agent, |data| {
                    for (name, fact) in &facts {
                        data.text(name, fact);
                    }
                });
                Some(Draft { summary: summary.filter(|_| facts.len() <= 2), ..draft })
            }
            Said::End(end) => self.end(None, place, &end, agent),
            Said::Denied(end) if self.calls.is_known(end.id.as_deref(), agent) => {
                self.end(None, place, &CallEnd { tool: None, ..end }, agent)
            }
            Said::Denied(end) => Some(event("tool-denied", agent, |data| {
                data.text("tool", end.tool.as_deref().unwrap_or("an action"));
                data.text("agent", "The automatic reviewer").text("reason", &end.text);
            })),
            Said::Used(used) => used.event(place, agent),
            Said::Failed(failure) => Some(failure.event(place, agent)),
            Said::Interrupted(reason) => {
                self.calls.interrupt(agent);
                Some(event(catalogue::INTERRUPTED, agent, |data| {
                    data.text_if("reason", reason.as_deref());
                }))
            }
            Said::Skill(name, path) => Some(event("skill.loaded", agent, |data| {
                data.text("skill_id", &name).text_if("path", path.as_deref());
            })),
            Said::Wrote(path) => Some(event("file.written", agent, |data| {
                data.text("path", &path);
            })),
            Said::Edited(path, snippet) => {
                let draft = event("file.written", agent, |data| {
                    data.text("path", &path).text("operation", "edited by the user");
                    data.text_if("text", snippet.as_deref());
                });
                Some(Draft { actor: Some("user".into()), ..draft })
            }
            Said::Piece(id, text) => Some(event("text", agent, |data| {
                data.text("id", &id).text("content", &text);
            })),
            Said::Event(draft) => Some(*draft),
            Said::Call(_) | Said::Lines(_) => None,
        }
    }
}

/// An event of that type, of the agent, with the members that `fill` adds.
fn event(kind: &str, agent: &SubAgent<'_>, fill: impl FnOnce(&mut ObjectText)) -> Draft<'static> {
    let mut data = ObjectText::new();
    fill(&mut data);
    data.text_if("agent_id", agent.id.as_deref());
    data.text_if("spawned_by", agent.spawned_by.as_deref());
    Draft::new(kind, data)
}

/// The same with a text, if there is one.
fn text_event(
    kind: &str,
    text: &str,
    agent: &SubAgent<'_>,
    more: impl FnOnce(&mut ObjectText),
) -> Option<Draft<'static>> {
    let fill = |data: &mut ObjectText| more(data.text("text", text));
    (!text.is_empty()).then(|| event(kind, agent, fill))
}

impl SaidPrompt<'_> {
    fn event(self, place: &PlaceInLine<'_>, agent: &SubAgent<'_>) -> Option<Draft<'static>> {
        let has_text = !self.text.is_empty();
        let text = if has_text || self.attached.is_empty() { &self.text } else { ATTACHMENT };
        let draft = text_event("message.user", text, agent, |data| {
            let attached = self.attachments + self.attached.len();
            if attached > 0 {
                data.plain("attachments", attached);
            }
            if !self.attached.is_empty() {
                data.text("attached", &self.attached.join(", "));
            }
            if self.is_withdrawn {
                data.plain(WITHDRAWN, true);
            }
            data.text_if("command", self.command.as_deref());
            if self.withdraws > 0 {
                data.plain(PROMPTS_WITHDRAWN, self.withdraws);
            }
            if self.is_queued {
                data.plain("queued", true);
            }
            data.text_if(HISTORY, place.history);
        })?;
        let actor = self.is_of_agent.then(|| "agent".into());
        Some(Draft { actor, event_id: self.event_id.map(Into::into), ..draft })
    }
}

impl ModelCall<'_> {
    fn add_to(&self, data: &mut ObjectText) {
        data.text_if("model", self.model.as_deref());
        data.text_if("message_id", own(self.id.as_deref()));
    }
}

/// The name of a tool, which the source may leave out.
fn name_of(tool: &str) -> &str {
    if tool.is_empty() { "tool" } else { tool }
}

/// An id that is no placeholder.
fn own(id: Option<&str>) -> Option<&str> {
    id.filter(|id| !is_placeholder(id))
}

impl SaidNote<'_> {
    fn event(&self, agent: &SubAgent<'_>) -> Option<Draft<'static>> {
        let draft = text_event("note", &self.text, agent, |data| {
            if self.withdraws > 0 {
                data.plain(PROMPTS_WITHDRAWN, self.withdraws);
            }
        })?;
        // A note is by the user unless it says otherwise, and this one is by the agent's program.
        Some(Draft { actor: Some("runtime".into()), severity: self.severity, ..draft })
    }
}

impl SaidCall<'_> {
    fn event(&self, id: String, place: &PlaceInLine<'_>, agent: &SubAgent<'_>) -> Draft<'static> {
        let draft = event("tool.started", agent, |data| {
            data.text("tool_name", name_of(&self.tool));
            self.args.add_to(data, place.clean);
            data.text_if("title", self.title.as_deref());
            data.text_if("namespace", self.namespace.as_deref());
            data.text_if("message_id", own(self.message.as_deref()));
            data.text_if(HISTORY, place.history);
        });
        Draft { correlation_id: Some(id.into()), ..draft }
    }
}

/// Adds a value of the source. A value of an unclean line is added as a string.
fn add_value(data: &mut ObjectText, name: &str, value: Json<'_>, clean: bool) {
    match clean {
        true => data.json(name, Json::trusted(&value.compact())),
        false => data.text(name, &value.compact()),
    };
}

impl Args<'_> {
    /// Adds the arguments: the object that a text holds, else the text. A value of an unclean line is added
    /// as a string.
    fn add_to(&self, data: &mut ObjectText, clean: bool) {
        let rules = JsonRules { max_depth: MAX_DEPTH - WRAPPING, ..JsonRules::STRICT };
        match self {
            Self::None => {}
            Self::Value(value) => add_value(data, "args", *value, clean),
            Self::Text(text) => match json::check(text.as_bytes(), rules) {
                Ok(value) if value.is_object() && reserved_key(value, true).is_none() => {
                    data.json("args", Json::trusted(&value.compact()));
                }
                _ => drop(data.text("args", text)),
            },
        }
    }
}

impl CallEnd<'_> {
    /// A note that the process of a call, which went on in the background, has failed.
    fn late_failure(&self, tool: &str) -> SaidNote<'static> {
        let how = match self.exit_code {
            Some(code) => format!("ended with exit code {code}"),
            None => "failed".to_owned(),
        };
        let what = if self.text.is_empty() { String::new() } else { format!(":\n{}", self.text) };
        let text = format!("The background process of {tool} {how}{what}").into();
        SaidNote { text, severity: Some(Severity::Warning), ..SaidNote::default() }
    }

    fn event(
        &self,
        id: String,
        (tool, command): (&str, Option<&str>),
        place: &PlaceInLine<'_>,
        agent: &SubAgent<'_>,
    ) -> Draft<'static> {
        let kind = match self.outcome {
            Outcome::Completed => "tool.completed",
            Outcome::Failed => "tool.failed",
            Outcome::Denied => "tool.blocked",
        };
        let draft = event(kind, agent, |data| {
            data.text("tool_name", name_of(tool));
            match self.outcome {
                Outcome::Completed => drop(data.text("result", &self.text)),
                Outcome::Failed => {
                    let mut error = ObjectText::new();
                    error.text("message", &self.text);
                    data.json("error", Json::trusted(&error.finish()));
                    data.text_if("denied", self.denied_by.as_deref());
                }
                Outcome::Denied => drop(data.text("reason", &self.text)),
            }
            if let Some(code) = self.exit_code {
                data.plain("exit_code", code);
            }
            if let Some(duration) = self.duration_ms {
                data.plain("duration_ms", duration);
            }
            data.text_if("command", command);
            data.text_if("spawned_agent_id", self.spawned.as_deref());
            for (name, used) in ["agent_tokens", "agent_tool_calls"].iter().zip(self.agent_used) {
                if let Some(used) = used {
                    data.plain(name, used);
                }
            }
            data.text_if(HISTORY, place.history);
        });
        let mut details = ObjectText::new();
        for (name, value) in &self.details {
            add_value(&mut details, name, *value, place.clean);
        }
        let details = if details.is_empty() { String::new() } else { details.finish() };
        Draft { correlation_id: Some(id.into()), timestamp: self.time, details, ..draft }
    }
}

impl Used<'_> {
    /// The event; `None` without any count.
    fn event(self, place: &PlaceInLine<'_>, agent: &SubAgent<'_>) -> Option<Draft<'static>> {
        let mut counts = ObjectText::new();
        self.tokens.add_to(&mut counts);
        if counts.is_empty() {
            return None;
        }
        let draft = event("llm.usage", agent, |data| {
            *data = counts;
            if self.is_unfinished {
                data.plain(OUTPUT_AT_LEAST, true);
            }
            self.of.add_to(data);
            data.text_if("scope", self.scope.name());
            data.text_if("process", self.process.as_deref());
            data.text_if("request_id", self.request.as_deref());
            if let Some(calls) = &self.calls {
                let calls: Vec<_> = calls.iter().map(|id| quoted(id)).collect();
                data.json(CALLS_IN_TOTAL, Json::trusted(&format!("[{}]", calls.join(","))));
            }
            if let Some(time) = self.work_time {
                data.plain(WORK_TIME, time);
            }
            for (name, asked) in &self.priced_by {
                data.text(name, asked);
            }
            data.text_if(HISTORY, self.history.as_deref().or(place.history));
        });
        Some(Draft { event_id: self.event_id.map(Into::into), timestamp: self.time, ..draft })
    }
}

impl TokensUsed {
    fn add_to(&self, data: &mut ObjectText) {
        let counts = [
            ("input_tokens", self.input),
            ("output_tokens", self.output),
            ("cache_read_tokens", self.cache_read),
            ("cache_creation_tokens", self.cache_creation),
            ("cache_creation_1h_tokens", self.cache_creation_1h),
            ("reasoning_tokens", self.reasoning),
        ];
        for (name, count) in counts {
            if let Some(count) = count {
                data.plain(name, count);
            }
        }
        if let Some(cost) = self.cost {
            data.plain("cost_usd", cost);
        }
    }
}

impl UsedScope {
    /// What the payload says; `None` for one model call.
    fn name(self) -> Option<&'static str> {
        match self {
            Self::Call => None,
            Self::Calls => Some(SEVERAL_CALLS),
            Self::Session => Some("session"),
            Self::Process => Some("process"),
            Self::Model => Some("model"),
        }
    }
}

impl SaidFailure<'_> {
    fn event(&self, place: &PlaceInLine<'_>, agent: &SubAgent<'_>) -> Draft<'static> {
        event("error", agent, |data| {
            data.text_if("code", self.code.as_deref());
            data.text("message", &self.message);
            data.text_if("category", self.of.name());
            if self.is_retried {
                data.plain("retryable", true);
            }
            data.text_if(HISTORY, place.history);
        })
    }
}

impl FailedPart {
    /// The category of the error, if it has one.
    fn name(self) -> Option<&'static str> {
        match self {
            Self::Engine => Some(ENGINE),
            Self::Client => Some("client"),
            Self::Hook => Some("hook"),
            Self::Context => Some("context"),
            Self::Session => None,
        }
    }
}
