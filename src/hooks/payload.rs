//! One payload of a hook.

use std::borrow::Cow;

use super::agents::{HookAgent, HookMeaning, agent_of_payload};
use crate::event::draft::Draft;
use crate::event::fields::{as_text, is_placeholder};
use crate::event::id::check_id;
use crate::event::own::Provenance;
use crate::event::reserved::reserved_key;
use crate::event::severity::Severity;
use crate::json::{Json, JsonRules, Kind, ObjectText, check_leading};

/// The names of fields. In each list, the first name that is present wins.
const SESSION: &[&str] = &["session_id", "sessionId", "conversation_id"];
const EVENT: &[&str] = &["hook_event_name", "hookEventName"];
const CALL: &[&str] = &["tool_use_id", "toolUseId", "tool_call_id", "toolCallId"];
const TOOL: &[&str] = &["tool_name", "toolName"];
const INPUT: &[&str] = &["tool_input", "toolArgs", "toolInput"];
const OUTPUT: &[&str] = &["tool_response", "tool_output", "toolResult", "tool_result"];
const ERROR: &[&str] = &["error", "error_message", "reason"];
const DURATION: &[&str] = &["duration_ms", "duration"];
const PROMPT: &[&str] = &["prompt", "user_prompt"];
const ANSWER: &[&str] = &["last_assistant_message", "lastAssistantMessage", "prompt_response"];
const AGENT: &[&str] = &["agent_id", "agentId"];
const DIRECTORY: &[&str] = &["cwd", "workspace_roots"];
const TRANSCRIPT: &[&str] = &["transcript_path", "transcriptPath"];

/// The keys that show which event a payload without its name is of.
const TELLING_KEYS: &[(&str, &str)] = &[
    ("toolResult", "postToolUse"),
    ("toolName", "preToolUse"),
    ("prompt", "userPromptSubmitted"),
    ("reason", "sessionEnd"),
    ("source", "sessionStart"),
    ("error", "errorOccurred"),
];

/// How the event of a payload gets its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NamedBy {
    /// A new id.
    Nothing,
    /// This id.
    Id(String),
    /// The content of the call or prompt, and its number among equal ones.
    Content,
}

/// A payload.
#[derive(Clone, Debug)]
pub(crate) struct HookPayload<'p> {
    /// The agent.
    pub agent: &'static HookAgent,
    /// The session.
    pub session: Cow<'p, str>,
    /// The name of the event.
    pub event: Cow<'p, str>,
    /// What the event means.
    pub meaning: HookMeaning,
    json: Json<'p>,
}

impl<'p> HookPayload<'p> {
    /// Reads a payload. `agent` and `event` are what the command line says.
    ///
    /// # Errors
    /// Why the payload cannot be used, in one line.
    pub(crate) fn read(
        json: Json<'p>,
        agent: Option<&'static HookAgent>,
        event: Option<&'p str>,
    ) -> Result<Self, String> {
        if json.kind() != Kind::Object {
            return Err("the payload is not a JSON object".to_owned());
        }
        let agent = agent.or_else(|| agent_of_payload(json));
        let agent = agent.ok_or("the payload is of no known agent")?;
        let session = first_text(json, SESSION).filter(|id| !is_placeholder(id));
        let session = session.ok_or("the payload names no session")?;
        let given = event.map(Cow::Borrowed).or_else(|| first_text(json, EVENT));
        let told = || {
            let key = TELLING_KEYS.iter().find(|(key, _)| json.get(key).is_some());
            key.map(|(_, event)| Cow::Borrowed(*event))
        };
        let event = given.or_else(told).unwrap_or(Cow::Borrowed("unnamed"));
        let meaning = agent.meaning(&event);
        Ok(Self { agent, session, event, meaning, json })
    }

    /// The directory in which the agent works.
    #[must_use]
    pub(crate) fn directory(&self) -> Option<Cow<'p, str>> {
        let given = DIRECTORY.iter().find_map(|name| self.json.present(name))?;
        if given.kind() == Kind::Array { given.items().next().map(as_text) } else { given.as_str() }
    }

    /// The session file of the agent, or of the sub-agent that ended.
    #[must_use]
    pub(crate) fn transcript(&self) -> Option<Cow<'p, str>> {
        first_text(self.json, TRANSCRIPT).filter(|path| !path.is_empty())
    }

    /// The model and the version of the agent, if the payload names them.
    #[must_use]
    pub(crate) fn metadata(&self) -> String {
        let mut object = ObjectText::new();
        object.text_if("model", self.json.text_at("model").as_deref());
        object.text_if("agent_version", self.json.text_at("cursor_version").as_deref());
        object.text_if("cwd", self.directory().as_deref());
        object.finish()
    }

    /// The tool of a call.
    #[must_use]
    pub(crate) fn tool(&self) -> Cow<'p, str> {
        first_text(self.json, TOOL).unwrap_or(Cow::Borrowed("tool"))
    }

    /// The arguments of a call.
    #[must_use]
    pub(crate) fn input(&self) -> Option<Json<'p>> {
        INPUT.iter().find_map(|name| self.json.present(name))
    }

    /// The text of a prompt.
    #[must_use]
    pub(crate) fn prompt(&self) -> Option<Cow<'p, str>> {
        first_text(self.json, PROMPT)
    }

    /// How the event gets its id. For a call, `Id` is the id of the call.
    #[must_use]
    pub(crate) fn named_by(&self) -> NamedBy {
        let valid = |id: Cow<'p, str>| {
            let id = id.into_owned();
            (!is_placeholder(&id) && check_id("event id", &id).is_ok()).then_some(id)
        };
        let given = match self.meaning {
            HookMeaning::Prompt => self.json.text_at("prompt_id"),
            meaning if meaning.is_call() => first_text(self.json, CALL),
            _ => return NamedBy::Nothing,
        };
        given.and_then(valid).map_or(NamedBy::Content, NamedBy::Id)
    }

    /// The event, without its id. `call` is the id of the call.
    #[must_use]
    pub(crate) fn draft(&self, call: Option<&str>) -> Draft<'static> {
        let mut draft = match self.meaning {
            HookMeaning::CallStart => self.call("tool.started", |data, payload| {
                if let Some(input) = payload.input() {
                    value(data, "args", input);
                }
            }),
            HookMeaning::CallEnd => self.ended(),
            HookMeaning::CallFail if self.is_denied() => self.blocked(),
            HookMeaning::CallFail => self.failed(),
            HookMeaning::CallDenied => self.blocked(),
            HookMeaning::Prompt => {
                let mut data = ObjectText::new();
                data.text("text", &self.prompt().unwrap_or_default());
                self.finished("message.user", data)
            }
            HookMeaning::Answer if self.says_nothing() => self.as_it_is(),
            HookMeaning::Answer => {
                let mut data = ObjectText::new();
                data.text("text", &self.json.text_at("text").unwrap_or_default());
                self.finished("message.assistant", data)
            }
            HookMeaning::TurnEnd
            | HookMeaning::TurnFail
            | HookMeaning::SessionEnd
            | HookMeaning::Other => self.as_it_is(),
        };
        draft.correlation_id = call.map(|call| Cow::Owned(call.to_owned()));
        draft
    }

    /// What only the session file has otherwise: the answer that ended a turn, or why there is none.
    #[must_use]
    pub(crate) fn outcome(&self) -> Vec<Draft<'static>> {
        let text = first_text(self.json, ANSWER).filter(|text| !text.trim().is_empty());
        let ends_turn = matches!(self.meaning, HookMeaning::TurnEnd | HookMeaning::TurnFail);
        let answer = text.filter(|_| ends_turn).map(|text| {
            let mut data = ObjectText::new();
            data.text("text", &text);
            self.finished("message.assistant", data)
        });
        let status = self.json.text_at("status").unwrap_or_default();
        let failed = self.meaning == HookMeaning::TurnFail || ends_turn && status == "error";
        answer.into_iter().chain(failed.then(|| self.error())).collect()
    }

    /// Whether the payload says that the session has just begun, so that it has no history.
    #[must_use]
    pub(crate) fn begins_session(&self) -> bool {
        self.json.text_at("source").is_some_and(|source| source == "startup")
    }

    /// The event that a session goes on.
    #[must_use]
    pub(crate) fn resumed(&self) -> Draft<'static> {
        self.finished("run.started", ObjectText::new())
    }

    /// Whether the payload has no text.
    fn says_nothing(&self) -> bool {
        self.json.text_at("text").is_none_or(|text| text.trim().is_empty())
    }

    /// The error that ended the session, if one did.
    #[must_use]
    pub(crate) fn fatal_error(&self) -> Option<String> {
        let reason = self.json.text_at("reason").filter(|reason| reason == "error")?;
        let error = ["error_message", "error"].iter().find_map(|name| self.json.present(name));
        Some(error.map_or(reason, error_text).into_owned())
    }

    /// The error that a payload reports.
    fn error(&self) -> Draft<'static> {
        let error = ["error", "error_message"].iter().find_map(|name| self.json.present(name));
        let message = error.map_or(Cow::Borrowed("the agent failed"), error_text);
        let details = self.json.text_at("error_details");
        let mut data = ObjectText::new();
        let code = error.and_then(|error| error.text_at("name"));
        data.text_if("code", code.as_deref()).text("message", &message);
        data.text("category", "engine").text_if("details", details.as_deref());
        self.finished("error", data)
    }

    fn call(&self, kind: &str, fill: impl FnOnce(&mut ObjectText, &Self)) -> Draft<'static> {
        let mut data = ObjectText::new();
        data.text("tool_name", &self.tool());
        fill(&mut data, self);
        let duration = DURATION.iter().find_map(|name| self.json.get(name)?.as_f64());
        if let Some(duration) = duration.filter(|duration| *duration >= 0.0) {
            data.plain("duration_ms", duration.round() as u64);
        }
        self.finished(kind, data)
    }

    /// A call that ended: some agents only say in its output that it failed.
    fn ended(&self) -> Draft<'static> {
        let output = OUTPUT.iter().find_map(|name| self.json.present(name));
        // Cursor gives JSON as text.
        let parsed = output.and_then(Json::as_str);
        let inside = |name: &str| output.and_then(|output| output.text_at(name));
        let kind = inside("resultType").unwrap_or_default();
        match kind.as_ref() {
            "failure" | "error" => return self.failed(),
            "denied" | "rejected" => {
                return self.call("tool.blocked", |data, _| {
                    data.text_if("reason", inside("textResultForLlm").as_deref());
                });
            }
            _ => {}
        }
        if output.is_some_and(|output| output.present("error").is_some()) {
            return self.failed();
        }
        self.call("tool.completed", |data, _| {
            if let Some(text) = inside("textResultForLlm").or(parsed) {
                data.text("result", &text);
            } else if let Some(output) = output {
                value(data, "result", output);
            }
        })
    }

    /// Whether a call failed because it was not permitted. Cursor has no other event for that.
    fn is_denied(&self) -> bool {
        self.json.text_at("failure_type").as_deref() == Some("permission_denied")
    }

    fn blocked(&self) -> Draft<'static> {
        self.call("tool.blocked", |data, payload| {
            data.text_if("reason", first_text(payload.json, ERROR).as_deref());
        })
    }

    fn failed(&self) -> Draft<'static> {
        let output = OUTPUT.iter().find_map(|name| self.json.present(name));
        let error = ERROR.iter().find_map(|name| self.json.present(name));
        let error = error.or_else(|| output.and_then(|output| output.present("error")));
        let told = || output.and_then(|output| output.text_at("textResultForLlm"));
        let message = error.map(error_text).or_else(told).unwrap_or(Cow::Borrowed("failed"));
        self.call("tool.failed", |data, _| {
            let mut error = ObjectText::new();
            error.text("message", &message);
            data.json("error", Json::trusted(&error.finish()));
        })
    }

    /// An event that only hooks know: the whole payload, at level debug.
    fn as_it_is(&self) -> Draft<'static> {
        let mut data = ObjectText::new();
        value(&mut data, "payload", self.json);
        let name: String = self
            .event
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '_' })
            .take(60)
            .collect();
        let kind = format!("{}.hook/{name}", self.agent.name);
        Draft { severity: Some(Severity::Debug), ..self.finished(&kind, data) }
    }

    fn finished(&self, kind: &str, mut data: ObjectText) -> Draft<'static> {
        data.text_if("agent_id", first_text(self.json, AGENT).as_deref());
        Provenance { dialect: Some(self.agent.name), by_hook: true, ..Provenance::default() }
            .add_to(&mut data);
        let mut draft = Draft::new(kind, data);
        draft.settled_id = true;
        let is_id = check_id("session id", &self.session).is_ok();
        draft.session_id = is_id.then(|| Cow::Owned(self.session.clone().into_owned()));
        draft
    }
}

impl HookMeaning {
    /// Whether the event is a state of a call.
    #[must_use]
    pub(crate) fn is_call(self) -> bool {
        matches!(self, Self::CallStart | Self::CallEnd | Self::CallFail | Self::CallDenied)
    }

    /// Whether the agent's transcript is taken over.
    #[must_use]
    pub(crate) fn takes_over(self) -> bool {
        matches!(self, Self::TurnEnd | Self::TurnFail | Self::SessionEnd)
    }
}

/// The session that the beginning of a payload names, if the payload as a whole is not JSON.
#[must_use]
pub(crate) fn session_in_text(bytes: &[u8]) -> Option<String> {
    const NEAR: usize = 64 << 10;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(NEAR)]);
    let named = SESSION.iter().find_map(|name| {
        let (_, rest) = text.split_once(&format!("\"{name}\""))?;
        let rest = rest.trim_start().strip_prefix(':')?.trim_start();
        rest.starts_with('"').then(|| rest.to_owned())
    })?;
    let value = check_leading(&named, JsonRules::LENIENT).ok()?;
    value.as_str().filter(|id| !is_placeholder(id)).map(Cow::into_owned)
}

/// The message of an error: an object with one, or a text.
fn error_text(error: Json<'_>) -> Cow<'_, str> {
    error.text_at("message").unwrap_or_else(|| as_text(error))
}

fn first_text<'p>(json: Json<'p>, names: &[&str]) -> Option<Cow<'p, str>> {
    names.iter().find_map(|name| json.text_at(name))
}

/// Adds a value. One with keys that are reserved is added as text.
fn value(data: &mut ObjectText, name: &str, value: Json<'_>) {
    let text = value.compact();
    if reserved_key(value, true).is_none() {
        data.json(name, Json::trusted(&text));
    } else {
        data.text(name, &text);
    }
}
