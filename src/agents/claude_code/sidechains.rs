//! Sub-agents in the sessions of Claude Code. In older versions, their lines refer only to each
//! other. The first line of a sub-agent is the prompt in the call.

use std::collections::{HashMap, VecDeque};

use super::{ClaudeCode, SourceLine, hash};
use crate::agents::said::{Said, SaidLine, SubAgent};
use crate::fs::hash::sha256;
use crate::json::{Json, Members};

/// The sub-agents of a session, with the calls that spawned them.
#[derive(Debug, Default)]
pub(super) struct Sidechains {
    /// Calls by the hash of their prompt, until a sub-agent begins with it.
    asked: HashMap<[u8; 32], VecDeque<String>>,
    /// Calls by the id of their sub-agent, or by the sub-agent's lines if it has no id.
    calls: HashMap<String, String>,
}

impl Sidechains {
    /// Records a call that may spawn a sub-agent.
    pub(super) fn asks(&mut self, call: &str, input: Option<Json<'_>>) {
        if let Some(prompt) = input.and_then(|input| input.text_at("prompt")) {
            let calls = self.asked.entry(sha256(prompt.trim().as_bytes())).or_default();
            calls.push_back(call.to_owned());
        }
    }

    /// The call that spawned the sub-agent of a line, if known.
    pub(super) fn call(&mut self, line: &Members<'_>) -> Option<String> {
        if line.get("isSidechain").and_then(Json::as_bool) != Some(true) {
            return None;
        }
        let agent = line.text_at("agentId");
        let before = agent.clone().or_else(|| line.text_at("parentUuid"));
        let known = before.and_then(|before| self.calls.get(before.as_ref()).cloned());
        let call = known.or_else(|| self.begins(line))?;
        if let Some(name) = agent.or_else(|| line.text_at("uuid")) {
            self.calls.insert(name.into_owned(), call.clone());
        }
        Some(call)
    }

    /// The call with the prompt in that line.
    fn begins(&mut self, line: &Members<'_>) -> Option<String> {
        let content = line
            .path("message.content")
            .filter(|_| line.text_at("type").is_some_and(|kind| kind == "user"))?;
        let text =
            content.as_str().or_else(|| content.items().find_map(|item| item.text_at("text")))?;
        self.asked.get_mut(&sha256(text.trim().as_bytes()))?.pop_front()
    }
}

impl ClaudeCode {
    /// A line of a sub-agent in a line of the main agent.
    pub(super) fn nested<'s>(&mut self, line: &SourceLine<'s>) -> Vec<Said<'s>> {
        let Some(inner) = line.json.path("data.message") else { return Vec::new() };
        let id = inner.text_at("uuid").map(|id| hash(&id));
        if id.is_some_and(|id| !self.nested.insert(id) || self.seen.contains(&id)) {
            return Vec::new();
        }
        let call = line.json.text_at("parentToolUseID");
        let own = line.json.path("data.agentId").and_then(Json::as_str);
        let id = own.or_else(|| call.clone());
        let agent = SubAgent { id, spawned_by: call, ..SubAgent::default() };
        let inner = SourceLine { json: Members::of(inner), agent: agent.clone(), ..*line };
        let said = match inner.json.text_at("type").unwrap_or_default().as_ref() {
            "user" => self.user(&inner),
            "assistant" => self.assistant(&inner),
            _ => Vec::new(),
        };
        vec![Said::Lines(vec![SaidLine { agent, said, ..SaidLine::default() }])]
    }
}
