//! What a person typed, apart from what the client adds in the person's name.

use crate::agents::said::{Said, SaidAnswer, SaidPrompt};
use crate::agents::source::element;
use crate::event::fields::{as_text, media_label};
use crate::json::{Json, Kind};

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

/// The texts of a message and the labels of its images. Marks around images are left out.
pub(super) fn content(content: Json<'_>) -> (Vec<String>, Vec<String>) {
    if content.kind() != Kind::Array {
        return (vec![as_text(content).into_owned()], Vec::new());
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
    (texts, images)
}

/// What is said in the name of the user, by who says it.
#[derive(Debug, Default)]
pub(super) struct SaidByUser {
    /// What the client added.
    pub(super) added: Vec<String>,
    /// What the person typed.
    pub(super) typed: String,
}

impl SaidByUser {
    /// Decides part by part. With `is_context`, and beside another part of the client, a part that is one
    /// element is of the client: what a person typed comes as an event too.
    pub(super) fn of(parts: &[String], is_context: bool) -> Self {
        let is_context = is_context || parts.iter().any(|part| is_of_client(part.trim_start()));
        let (mut added, mut typed) = (Vec::new(), Vec::new());
        for part in parts {
            let own = part.trim_start();
            if is_of_client(own) || (is_context && element(own).is_some()) {
                added.push(part.clone());
                continue;
            }
            let (before, rest) = match own.split_once(EDITOR.1) {
                Some((before, rest)) if own.starts_with(EDITOR.0) && !rest.trim().is_empty() => {
                    (before.trim_end(), rest.trim())
                }
                _ => blocks_before(part),
            };
            let (rest, after) = blocks_after(rest);
            let others = [before, after].into_iter().filter(|text| !text.is_empty());
            added.extend(others.map(str::to_owned));
            typed.push(rest);
        }
        Self { added, typed: typed.join("\n") }
    }

    /// What the client added, and the prompt.
    pub(super) fn said(self, images: &[String]) -> Vec<Said<'static>> {
        let mut said: Vec<_> = self.added.into_iter().map(Said::system).collect();
        let typed = Some(self.typed.as_str()).filter(|typed| !typed.trim().is_empty());
        // The images follow what the person wrote.
        let parts: Vec<&str> = typed.into_iter().chain(images.iter().map(String::as_str)).collect();
        let (text, attachments) = (parts.join("\n").into(), images.len());
        said.push(Said::Prompt(SaidPrompt { text, attachments, ..SaidPrompt::default() }));
        said
    }
}

/// The elements of the client that a text begins with, and the rest. The rest is not empty.
fn blocks_before(text: &str) -> (&str, &str) {
    let mut rest = text;
    let next = |rest: &str| {
        let own = rest.trim_start();
        let known = WRAPPERS.iter().find(|wrapper| own.starts_with(**wrapper))?;
        let end = format!("</{}", known[1..].split('>').next()?);
        let place = rest.find(&end)?;
        let length = place + rest[place..].find('>')? + 1;
        (!rest[length..].trim().is_empty()).then_some(length)
    };
    while let Some(length) = next(rest) {
        rest = &rest[length..];
    }
    let before = &text[..text.len() - rest.len()];
    (before.trim(), if before.is_empty() { rest } else { rest.trim() })
}

/// A text without the element of the client that it ends with, and that element.
fn blocks_after(text: &str) -> (&str, &str) {
    let begin = WRAPPERS.iter().filter_map(|wrapper| text.rfind(&format!("\n{wrapper}"))).max();
    match begin.filter(|begin| is_of_client(text[*begin..].trim_start())) {
        Some(begin) if !text[..begin].trim().is_empty() => {
            (text[..begin].trim_end(), text[begin..].trim())
        }
        _ => (text, ""),
    }
}

/// The command in the client's text about what a person ran in it.
pub(super) fn command_in(text: &str) -> Option<&str> {
    let (_, rest) =
        text.trim_start().strip_prefix("<user_shell_command>")?.split_once("<command>")?;
    rest.split_once("</command>").map(|(command, _)| command.trim())
}

/// What the client says that a person ran in it: the command, and what it printed.
pub(super) fn ran(command: &str, output: &str, exit_code: Option<i64>) -> Said<'static> {
    let code = exit_code.filter(|code| *code != 0);
    let code = code.map(|code| format!("\n(exit code {code})")).unwrap_or_default();
    let text = format!("The user ran: {command}\n{}{code}", output.trim_end());
    Said::system(text.trim_end().to_owned())
}

/// What the user or the agent said aloud.
pub(super) fn spoken(item: Json<'_>) -> Option<Said<'_>> {
    item.text_at("type").filter(|kind| kind == "transcript_segment")?;
    let text = item.text_at("text").filter(|text| !text.trim().is_empty())?;
    let by_user = item.text_at("role").is_some_and(|role| role == "user");
    let answer = |text| Said::Answer(SaidAnswer { text, ..SaidAnswer::default() });
    Some(if by_user { Said::prompt(text, Vec::new()) } else { answer(text) })
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
