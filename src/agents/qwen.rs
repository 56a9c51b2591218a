//! Qwen Code: its session files. Lines form a tree by `uuid` and `parentUuid`; their messages have the parts
//! of Gemini's API. Input includes cached tokens.

use std::borrow::Cow;

use super::live_prompts::LivePrompts;
use super::said::{
    CallEnd, ModelCall, Outcome, Said, SaidAnswer, SaidLine, SaidPrompt, SubAgent, TokensUsed,
};
use super::{AgentPlace, Dialect, LineReader, SourceText};
use crate::event::fields::{as_text, attachment_label, is_placeholder};
use crate::json::Json;

/// What the program knows of the agent.
pub(super) static AGENT: Dialect = Dialect {
    name: "qwen",
    about: "Qwen Code: session files",
    sign,
    places: &[AgentPlace::new(Some("QWEN_HOME"), ".qwen", "projects")],
    reader: || Box::new(Qwen::default()),
    ..Dialect::PLAIN
};

/// The fields that show that a line is of Qwen Code.
fn sign(line: Json<'_>) -> Option<&'static str> {
    let has = |field: &str| line.get(field).is_some();
    let is_own = has("parentUuid") && has("sessionId") && has("uuid");
    let is_system = line.text_at("type")? == "system" && has("systemPayload");
    let sign = if is_system { "uuid and systemPayload" } else { "a message with parts" };
    (is_own && (is_system || line.path("message.parts").is_some())).then_some(sign)
}

/// The kind of a prompt that was typed while the agent worked.
const MID_TURN: &str = "mid_turn_user_message";
/// The beginning of what a hook adds to a prompt.
const HOOK: &str = "<qwen:user-prompt-submit-context>";

#[derive(Default)]
struct Qwen {
    prompts: LivePrompts,
    /// The model in use.
    model: Option<String>,
}

impl LineReader for Qwen {
    fn read<'s>(&mut self, source: &SourceText<'s>) -> SaidLine<'s> {
        let json = source.json;
        let kind = json.text_at("type").unwrap_or(Cow::Borrowed("untyped"));
        let subtype = json.text_at("subtype");
        let agent = json.text_at("agentId").filter(|id| !is_placeholder(id));
        let mut said = match kind.as_ref() {
            "user" => self.user(json),
            "assistant" => self.assistant(json),
            "tool_result" => results(json),
            "system" => system(json, subtype.as_deref().unwrap_or_default()).into_iter().collect(),
            _ => Vec::new(),
        };
        self.withdraw(json, agent.is_some(), &mut said);
        SaidLine {
            kind: subtype.map_or(kind.clone(), |subtype| format!("{kind}/{subtype}").into()),
            id: json.text_at("uuid"),
            time: json.text_at("timestamp"),
            session: json.text_at("sessionId"),
            parent: json.text_at("parentUuid"),
            agent: SubAgent { id: agent, ..SubAgent::default() },
            said,
            ..SaidLine::default()
        }
    }
}

impl Qwen {
    /// What a person typed, and what the client says in the person's name.
    fn user<'s>(&mut self, json: Json<'s>) -> Vec<Said<'s>> {
        let by_person = json.text_at("provenance").is_none_or(|by| by == "real_user")
            && json.text_at("subtype").is_none_or(|kind| kind == MID_TURN);
        let (mut typed, mut added, mut attached) = (Vec::new(), Vec::new(), Vec::new());
        for part in parts(json) {
            match part.text_at("text") {
                Some(text) if text.trim_start().starts_with(HOOK) => added.push(text),
                Some(text) => typed.push(text),
                None => attached.push(attachment_label(part)),
            }
        }
        let shown = json.text_at("systemPayload.displayText").filter(|text| !text.is_empty());
        let text = shown.unwrap_or_else(|| typed.join("\n").into());
        let is_of_agent = json.present("agentId").is_some();
        let said = match by_person {
            true => {
                Said::Prompt(SaidPrompt { text, attached, is_of_agent, ..SaidPrompt::default() })
            }
            false => Said::System(text),
        };
        [said].into_iter().chain(added.into_iter().map(Said::System)).collect()
    }

    fn assistant<'s>(&mut self, json: Json<'s>) -> Vec<Said<'s>> {
        let of = ModelCall { model: json.text_at("model"), id: json.text_at("uuid") };
        let mut said = Vec::new();
        if let Some(model) =
            of.model.as_deref().filter(|model| self.model.as_deref() != Some(*model))
        {
            self.model = Some(model.to_owned());
            said.push(Said::facts([("model", of.model.clone())]));
        }
        for part in parts(json) {
            if let Some(call) = part.present("functionCall") {
                let tool = call.text_at("name").unwrap_or_default();
                said.push(Said::call(call.text_at("id"), tool, call.get("args")));
            } else if let Some(text) = part.text_at("text") {
                let is_thought = part.get("thought").and_then(Json::as_bool) == Some(true);
                let answer = SaidAnswer { text: text.clone(), of: of.clone() };
                said.push(if is_thought { Said::Thought(text) } else { Said::Answer(answer) });
            }
        }
        said.extend(json.present("usageMetadata").map(|usage| Said::used(tokens(usage), of)));
        said
    }

    /// Marks a prompt that withdraws earlier ones: the user went back to a line before them.
    fn withdraw(&mut self, json: Json<'_>, is_of_agent: bool, said: &mut [Said<'_>]) {
        let Some(id) = json.text_at("uuid").filter(|id| !is_placeholder(id) && !is_of_agent) else {
            return;
        };
        let parent = json.text_at("parentUuid");
        match said.first_mut() {
            Some(Said::Prompt(prompt)) if !prompt.text.is_empty() => {
                prompt.withdraws = self.prompts.add_prompt(&id, parent.as_deref());
            }
            _ => self.prompts.add_entry(&id, parent.as_deref()),
        }
    }
}

/// The parts of a message.
fn parts(json: Json<'_>) -> impl Iterator<Item = Json<'_>> {
    json.path("message.parts").into_iter().flat_map(Json::items)
}

/// The results of calls.
fn results(json: Json<'_>) -> Vec<Said<'_>> {
    let answers = parts(json).filter_map(|part| part.present("functionResponse"));
    answers.map(|answer| ended(json, answer)).collect()
}

/// The end of a call. The client says beside the result how the call ended.
fn ended<'s>(json: Json<'s>, answer: Json<'s>) -> Said<'s> {
    let beside = json.present("toolCallResult").unwrap_or(Json::EMPTY);
    let error = answer.path("response.error");
    Said::End(CallEnd {
        id: answer.text_at("id"),
        tool: answer.text_at("name"),
        text: error.or(answer.path("response.output")).map(as_text).unwrap_or_default(),
        outcome: match beside.text_at("status").as_deref() {
            Some("cancelled") => Outcome::Denied,
            Some("error") => Outcome::Failed,
            _ if error.is_some() => Outcome::Failed,
            _ => Outcome::Completed,
        },
        duration_ms: beside.get("durationMs").and_then(Json::as_u64),
        ..CallEnd::default()
    })
}

/// What the client says beside the conversation.
fn system<'s>(json: Json<'s>, kind: &str) -> Option<Said<'s>> {
    let payload = json.present("systemPayload").unwrap_or(Json::EMPTY);
    match kind {
        "custom_title" => Some(Said::facts([("title", payload.text_at("customTitle"))])),
        "session_model" => Some(Said::facts([("model", payload.text_at("modelId"))])),
        "chat_compression" => {
            let count = |path: &str| payload.path(path).and_then(Json::as_u64);
            let before =
                count("info.originalTokenCount").map(|count| format!(" from {count} tokens"));
            let after = count("info.newTokenCount").map(|count| format!(" to {count} tokens"));
            Some(Said::note(format!(
                "Context compacted{}{}",
                before.unwrap_or_default(),
                after.unwrap_or_default()
            )))
        }
        _ => None,
    }
}

/// The token counts. Whether the output includes the thoughts shows in the total.
fn tokens(usage: Json<'_>) -> TokensUsed {
    let names = [
        "promptTokenCount",
        "candidatesTokenCount",
        "cachedContentTokenCount",
        "",
        "thoughtsTokenCount",
    ];
    let counts = TokensUsed::at(usage, names);
    let both = counts.input.unwrap_or(0).saturating_add(counts.output.unwrap_or(0));
    let total = usage.get("totalTokenCount").and_then(Json::as_u64);
    let apart = counts.reasoning.filter(|_| total.is_some_and(|total| total > both)).unwrap_or(0);
    let output = counts.output.map(|output| output.saturating_add(apart));
    TokensUsed { output, ..counts.without_cached() }
}
