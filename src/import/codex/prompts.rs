//! What a person typed, apart from what the client adds in the person's name.

use crate::event::draft::Draft;
use crate::event::fields::{as_text, media_label};
use crate::import::source::{element, text_event};
use crate::json::{Json, Kind, ObjectText};

/// Beginnings of text that the client wrote, if the text also ends with the tag of such an element. A
/// person may begin a prompt with these words.
const WRAPPERS: &[&str] = &[
    "<ENVIRONMENT_CONTEXT>",
    "<INSTRUCTIONS>",
    "<apps_instructions>",
    "<collaboration_mode>",
    "<context_window>",
    "<environment_context>",
    "<environments_instructions>",
    "<environment_update>",
    "<hook_prompt",
    "<model_switch>",
    "<multi_agent_mode>",
    "<permissions instructions>",
    "<permissions_instructions>",
    "<personality_spec>",
    "<plugins_instructions>",
    "<skill>",
    "<skills_instructions>",
    "<subagent_notification>",
    "<system_instruction",
    "<turn_aborted>",
    "<user_action>",
    "<user_instructions>",
    "<user_shell_command>",
];

/// Beginnings of text that the client wrote, and what such a text also has.
const STATEMENTS: &[(&str, &str)] = &[
    ("# AGENTS.md instructions", "<INSTRUCTIONS>"),
    ("Warning: apply_patch was requested via", "Use the apply_patch tool instead of exec_command."),
    ("Warning: Your account was flagged for potentially high-risk cyber activity", ""),
    ("Warning: The maximum number of unified exec processes you can keep open is", ""),
];

/// Beginnings of the names of elements that are the whole of a text that the client wrote.
const ELEMENTS: &[&str] = &[
    "codex_internal_context",
    "extension_context",
    "external_",
    "goal_context",
    "recommended_plugins",
];

/// The beginning of what an editor adds, and the heading after which the person's own text stands.
const EDITOR: (&str, &str) = ("# Context from my IDE setup:", "## My request for Codex:");

/// The text of a message and the labels of its images. Marks around images are left out.
pub(super) fn content(content: Json<'_>) -> (String, Vec<String>) {
    if content.kind() != Kind::Array {
        return (as_text(content).into_owned(), Vec::new());
    }
    let (mut texts, mut images) = (Vec::new(), Vec::new());
    for part in content.items() {
        match part.text_at("text") {
            Some(text) if is_image_mark(&text) => {}
            Some(text) => texts.push(text.into_owned()),
            None if is_image(part) => {
                images.push(media_label(part).unwrap_or_else(|| "[image]".to_owned()));
            }
            None => {}
        }
    }
    (texts.join("\n"), images)
}

/// The events of a text in the role of the user: a prompt, text of the client, or one of each.
pub(super) fn drafts(text: &str, images: &[String]) -> Vec<Draft<'static>> {
    let own = text.trim_start();
    if is_of_client(own) {
        return vec![text_event("message.system", text)];
    }
    let (added, typed) = match own.split_once(EDITOR.1) {
        Some((added, typed)) if own.starts_with(EDITOR.0) && !typed.trim().is_empty() => {
            (added.trim_end(), typed.trim())
        }
        _ => ("", text),
    };
    let mut data = ObjectText::new();
    // The images follow what the person wrote.
    let parts = Some(typed).filter(|typed| !typed.trim().is_empty()).into_iter();
    let parts: Vec<&str> = parts.chain(images.iter().map(String::as_str)).collect();
    data.text("text", &parts.join("\n"));
    if !images.is_empty() {
        data.plain("attachments", images.len());
    }
    let context = (!added.is_empty()).then(|| text_event("message.system", added));
    context.into_iter().chain([Draft::new("message.user", data)]).collect()
}

/// What the user or the agent said aloud.
pub(super) fn spoken(item: Json<'_>) -> Option<Draft<'static>> {
    item.text_at("type").filter(|kind| kind == "transcript_segment")?;
    let text = item.text_at("text").filter(|text| !text.trim().is_empty())?;
    let by_user = item.text_at("role").is_some_and(|role| role == "user");
    Some(text_event(if by_user { "message.user" } else { "message.assistant" }, &text))
}

/// Whether the client wrote a text. It may be several elements one after another.
fn is_of_client(text: &str) -> bool {
    let name = |wrapper: &str| {
        let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
        wrapper[1..].split(|c| !is_letter(c)).next().unwrap_or_default().to_owned()
    };
    let begins = WRAPPERS.iter().any(|wrapper| text.starts_with(wrapper));
    let last = text.trim_end().rsplit_once("</").map(|(_, tag)| tag);
    let is_end = |tag: &str| {
        let is_whole = tag.find('>') == Some(tag.len() - 1);
        is_whole && WRAPPERS.iter().any(|wrapper| tag.starts_with(&name(wrapper)))
    };
    begins && last.is_some_and(is_end)
        || STATEMENTS.iter().any(|(start, has)| text.starts_with(start) && text.contains(has))
        || element(text).is_some_and(|name| ELEMENTS.iter().any(|known| name.starts_with(known)))
}

/// Whether a part of a message is an image: its content, its address or its path.
fn is_image(part: Json<'_>) -> bool {
    part.text_at("image_url").is_some()
        || part.text_at("type").is_some_and(|kind| kind.ends_with("image"))
}

fn is_image_mark(text: &str) -> bool {
    let text = text.trim();
    text == "</image>"
        || (text.starts_with("<image") && text.ends_with('>') && !text.contains('\n'))
}
