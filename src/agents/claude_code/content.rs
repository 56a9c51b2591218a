//! The content of Claude Code's messages.

use std::borrow::Cow;

use crate::event::fields::{as_text, media_label};
use crate::json::{Json, Kind};

/// A piece of a message's content.
pub(super) enum Block<'s> {
    /// A text.
    Text(Cow<'s, str>),
    /// A thought.
    Thinking(Cow<'s, str>),
    /// A call.
    ToolUse(Json<'s>),
    /// The result of a call.
    ToolResult(Json<'s>),
    /// Anything else, such as an image: its label.
    Other(String),
}

/// The pieces of a message.
pub(super) fn blocks(message: Json<'_>) -> Vec<Block<'_>> {
    let Some(content) = message.present("content") else { return Vec::new() };
    if let Some(text) = content.as_str() {
        return vec![Block::Text(text)];
    }
    content.items().map(block_of).collect()
}

fn block_of(item: Json<'_>) -> Block<'_> {
    let kind = item.text_at("type").unwrap_or_default();
    match kind.as_ref() {
        "text" => item.text_at("text").map_or_else(|| Block::Other(label(item)), Block::Text),
        "thinking" => {
            item.text_at("thinking").map_or_else(|| Block::Other(label(item)), Block::Thinking)
        }
        // Tools that run on the server have their own types, such as `server_tool_use`.
        kind if kind.ends_with("tool_use") => Block::ToolUse(item),
        kind if kind.ends_with("tool_result") => Block::ToolResult(item),
        _ => Block::Other(label(item)),
    }
}

/// The content of a tool result as text: a string, or the texts of a list.
pub(super) fn content_text(content: Json<'_>) -> String {
    if content.kind() != Kind::Array {
        return as_text(content).into_owned();
    }
    let piece = |item: Json<'_>| {
        let text = item.as_str().or_else(|| item.text_at("text"));
        text.map_or_else(|| label(item), Cow::into_owned)
    };
    content.items().map(piece).collect::<Vec<_>>().join("\n")
}

/// The label of a piece that is no text, such as `[image, 12 kB]`, or its short texts:
/// `[web_search_result] The title · https://example.com`.
fn label(item: Json<'_>) -> String {
    /// Longer texts are content of the model's provider, which nobody can read.
    const SHORT: usize = 1000;
    if let Some(label) = media_label(item) {
        return label;
    }
    let kind = item.text_at("type").unwrap_or(Cow::Borrowed("content"));
    let texts = item.members().filter(|(name, _)| name != "type" && !name.starts_with("encrypted"));
    let texts = texts.filter_map(|(_, value)| value.as_str());
    let texts: Vec<_> = texts.filter(|text| !text.is_empty() && text.len() <= SHORT).collect();
    if texts.is_empty() { format!("[{kind}]") } else { format!("[{kind}] {}", texts.join(" · ")) }
}
