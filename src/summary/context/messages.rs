//! A context as chat messages, as the chat APIs of the OpenAI kind take them.

use std::collections::HashSet;

use serde::Serialize;

use super::part::Side;
use super::piece::{CallPiece, ContextPiece};
use crate::summary::session::tokens::TokenEstimate;

/// One chat message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ChatMessage {
    /// `system`, `user`, `assistant` or `tool`.
    pub(crate) role: &'static str,
    /// The text. Only an assistant message with calls has none.
    pub(crate) content: Option<String>,
    /// The calls of an assistant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) tool_calls: Vec<ChatCall>,
    /// The call that a tool message answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tool_call_id: Option<String>,
}

/// A call in an assistant message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ChatCall {
    id: String,
    #[serde(rename = "type")]
    kind: &'static str,
    function: ChatFunction,
}

/// The function that a call names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ChatFunction {
    name: String,
    arguments: String,
}

/// The longest id of a call that providers take.
const LONGEST_ID: usize = 40;
/// The longest name of a function that providers take.
const LONGEST_NAME: usize = 64;

/// What begins a conversation whose first text is by the assistant.
const BEGINNING: &str = "[The conversation begins with work of the assistant.]";

/// The estimated tokens of messages.
#[must_use]
pub(crate) fn message_tokens(messages: &[ChatMessage], estimate: &TokenEstimate) -> u64 {
    let calls = messages.iter().flat_map(|message| &message.tool_calls);
    let calls =
        calls.map(|call| estimate.of(&call.function.name) + estimate.of(&call.function.arguments));
    let texts = messages.iter().filter_map(|message| message.content.as_deref());
    calls.sum::<u64>() + texts.map(|text| estimate.of(text)).sum::<u64>()
}

/// Arranges pieces as messages: at most one system message, at the beginning; then a user message;
/// each call is answered right after the message that makes it; no two messages of the user or the
/// assistant without calls stand next to each other.
#[must_use]
pub(crate) fn messages(system: &str, pieces: &[ContextPiece]) -> Vec<ChatMessage> {
    let mut composer = Composer::default();
    if !system.is_empty() {
        composer.messages.push(text_message("system", system.to_owned()));
    }
    let begins_with_user = pieces.first().is_none_or(|piece| match piece {
        ContextPiece::Text { side, .. } => *side != Side::Assistant,
        ContextPiece::Note(_) => true,
        ContextPiece::Call(_) => false,
    });
    if !begins_with_user {
        composer.say("user", BEGINNING);
    }
    let mut rest = pieces;
    while let Some((piece, after)) = rest.split_first() {
        rest = after;
        match piece {
            ContextPiece::Text { side: Side::Assistant, text, .. } => {
                composer.say("assistant", text);
            }
            ContextPiece::Text { task: 0, text, .. } | ContextPiece::Note(text) => {
                composer.say("user", text);
            }
            ContextPiece::Text { task, text, .. } => {
                composer.say("user", &format!("[{task}] {text}"));
            }
            ContextPiece::Call(first) => {
                let more = parallel(first, rest);
                composer.calls(first, &rest[..more]);
                rest = &rest[more..];
            }
        }
    }
    composer.messages
}

/// How many of the next pieces are calls that began before the calls in front of them ended.
fn parallel(first: &CallPiece, rest: &[ContextPiece]) -> usize {
    let mut end = first.end.unwrap_or(u64::MAX);
    let is_parallel = |piece: &&ContextPiece| match piece {
        ContextPiece::Call(call) if call.sequence < end => {
            end = end.min(call.end.unwrap_or(u64::MAX));
            true
        }
        _ => false,
    };
    // An open call says nothing about the order of those after it.
    if first.end.is_none() { 0 } else { rest.iter().take_while(is_parallel).count() }
}

/// Builds the list.
#[derive(Debug, Default)]
struct Composer {
    messages: Vec<ChatMessage>,
    ids: HashSet<String>,
}

impl Composer {
    /// Adds a text. A text of the same role before it is continued.
    fn say(&mut self, role: &'static str, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        match self.messages.last_mut() {
            Some(last) if last.role == role && last.tool_calls.is_empty() => {
                let content = last.content.get_or_insert_default();
                content.push_str("\n\n");
                content.push_str(text);
            }
            _ => self.messages.push(text_message(role, text.to_owned())),
        }
    }

    /// Adds calls that one message makes, and their results.
    fn calls(&mut self, first: &CallPiece, more: &[ContextPiece]) {
        let more = more.iter().filter_map(|piece| match piece {
            ContextPiece::Call(call) => Some(call),
            _ => None,
        });
        let calls: Vec<(String, &CallPiece)> =
            std::iter::once(first).chain(more).map(|call| (self.id(call), call)).collect();
        if !self
            .messages
            .last()
            .is_some_and(|last| last.role == "assistant" && last.tool_calls.is_empty())
        {
            let message = ChatMessage { content: None, ..text_message("assistant", String::new()) };
            self.messages.push(message);
        }
        if let Some(last) = self.messages.last_mut() {
            last.tool_calls = calls.iter().map(|(id, call)| chat_call(id.clone(), call)).collect();
        }
        for (id, call) in calls {
            let message = text_message("tool", call.result.clone());
            self.messages.push(ChatMessage { tool_call_id: Some(id), ..message });
        }
    }

    /// The id of a call, unique and in a form that providers take.
    fn id(&mut self, call: &CallPiece) -> String {
        let fits =
            call.id.len() <= LONGEST_ID && !call.id.is_empty() && call.id.bytes().all(is_name);
        let own = Some(call.id.clone()).filter(|id| fits && !self.ids.contains(id));
        let mut id = own.unwrap_or_else(|| format!("call_{}", call.sequence));
        while !self.ids.insert(id.clone()) {
            id.push('x');
        }
        id
    }
}

fn text_message(role: &'static str, text: String) -> ChatMessage {
    ChatMessage { role, content: Some(text), tool_calls: Vec::new(), tool_call_id: None }
}

fn chat_call(id: String, call: &CallPiece) -> ChatCall {
    let name = call.tool.bytes().take(LONGEST_NAME);
    let name: String =
        name.map(|byte| if is_name(byte) { char::from(byte) } else { '_' }).collect();
    let name = if name.is_empty() { "tool".to_owned() } else { name };
    let function = ChatFunction { name, arguments: call.arguments.clone() };
    ChatCall { id, kind: "function", function }
}

/// Whether providers take that byte in a name.
fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(side: Side, text: &str) -> ContextPiece {
        ContextPiece::Text { side, task: 0, text: text.to_owned() }
    }

    fn call(sequence: u64, end: Option<u64>, id: &str, tool: &str) -> ContextPiece {
        let own = str::to_owned;
        let (arguments, result) = (own("{}"), own("done"));
        ContextPiece::Call(CallPiece {
            sequence,
            end,
            id: own(id),
            tool: own(tool),
            arguments,
            result,
        })
    }

    /// The roles, with the ids of calls and answers.
    fn shape(pieces: &[ContextPiece]) -> String {
        let one = |message: &ChatMessage| {
            let calls = message.tool_calls.iter().map(|call| call.id.as_str());
            let ids: Vec<&str> = calls.chain(message.tool_call_id.as_deref()).collect();
            match ids.is_empty() {
                true => message.role.to_owned(),
                false => format!("{}({})", message.role, ids.join(",")),
            }
        };
        messages("", pieces).iter().map(one).collect::<Vec<_>>().join(" ")
    }

    /// If this fails, a provider refuses the messages.
    #[test]
    fn calls_are_answered_where_they_are_made() {
        let (user, says) = (text(Side::User, "u"), text(Side::Assistant, "a"));
        let all = [
            user.clone(),
            user.clone(),
            says.clone(),
            call(3, Some(6), "a", "x"),
            call(4, Some(7), "b", "x"),
            call(8, Some(9), "c", "x"),
            says.clone(),
            says,
            user,
        ];
        let expected = "user assistant(a,b) tool(a) tool(b) assistant(c) tool(c) assistant user";
        assert_eq!(shape(&all), expected);
        // The first message is the user's.
        assert_eq!(shape(&all[3..4]), "user assistant(a) tool(a)");
        // An open call does not swallow the later ones.
        let open = [call(1, None, "a", "x"), call(2, Some(3), "b", "x")];
        assert_eq!(shape(&open), "user assistant(a) tool(a) assistant(b) tool(b)");
    }

    /// If this fails, a provider refuses an id or a name, or two calls have the same id.
    #[test]
    fn ids_and_names_are_in_a_form_that_providers_take() {
        let long = "x".repeat(41);
        let all = [
            call(1, Some(2), "same", "x"),
            call(3, Some(4), "same", "x"),
            call(5, Some(6), &long, "x"),
            call(7, Some(8), "a:b", "x"),
        ];
        let expected = "assistant(same) tool(same) assistant(call_3) tool(call_3) assistant(call_5) \
                        tool(call_5) assistant(call_7) tool(call_7)";
        assert_eq!(shape(&all), format!("user {expected}"));
        let named = messages("", &[call(1, Some(2), "a", "mcp:read file")]);
        assert_eq!(named[1].tool_calls[0].function.name, "mcp_read_file");
        assert_eq!(named[1].content, None);
    }
}
