//! What a person typed, apart from what the client writes in the person's name.

use super::SUMMARY;
use crate::agents::said::Said;
use crate::agents::source::said;
use crate::event::fields::attachment_label;
use crate::json::{Json, Kind};

/// Beginnings of text that the client wrote and no user typed.
const WRITTEN_BY_CLIENT: &[&str] = &[
    "<session_context>",
    "This is the Gemini CLI.",
    "<state_snapshot>",
    "<system_note>",
    "I ran the following shell command:",
    "System: Please continue.",
    "System: Potential loop detected.",
    "Here is the user's editor context",
    "Here is a summary of changes in the user's editor context",
];
/// What the client writes around what the user adds while the agent works.
const STEERING: (&str, &str, &str) = ("User steering update:", "<user_input>", "</user_input>");
/// The commands of the client.
#[rustfmt::skip]
const COMMANDS: &[&str] = &[
    "?", "about", "agents", "auth", "bug", "chat", "clear", "compress", "copy", "corgi", "directory", "dir",
    "docs", "editor", "exit", "extensions", "help", "hooks", "ide", "init", "mcp", "memory", "model",
    "permissions", "plan", "policies", "privacy", "profile", "quit", "restore", "resume", "rewind", "settings",
    "setup-github", "shells", "skills", "stats", "terminal-setup", "theme", "tools", "upgrade", "vim",
];
/// The beginning and the end of what a hook adds to what the user typed.
const HOOK: (&str, &str) = ("<hook_context>", "</hook_context>");

/// The text of a user message. What the client added to the text that the user typed is apart.
pub(super) fn user(json: Json<'_>, text: &str, others: &[String]) -> Vec<Said<'static>> {
    let begins = |beginnings: &[&str]| {
        beginnings.iter().any(|beginning| text.trim_start().starts_with(beginning))
    };
    if begins(&[SUMMARY]) {
        let note = Said::note("Context compacted");
        return vec![note, Said::system(text.to_owned())];
    }
    if begins(WRITTEN_BY_CLIENT) || is_command(text) {
        return vec![Said::system(text.to_owned())];
    }
    let steered = text.trim_start().strip_prefix(STEERING.0);
    let steered = steered.and_then(|rest| rest.split_once(STEERING.1)?.1.split_once(STEERING.2));
    if let Some((typed, added)) = steered.filter(|(typed, _)| !typed.trim().is_empty()) {
        let typed = Said::prompt(typed.trim().to_owned(), others.to_vec());
        return vec![typed, Said::system(added.trim().to_owned())];
    }
    let begins = |at: &usize| *at == 0 || text[..*at].ends_with('\n');
    let at = text.rfind(HOOK.0).filter(|_| text.trim_end().ends_with(HOOK.1)).filter(begins);
    if let Some((typed, added)) = at.map(|at| text.split_at(at)) {
        let typed = Some(typed.trim_end()).filter(|typed| !typed.is_empty());
        let said = typed.map(|typed| user(json, typed, others)).unwrap_or_default();
        return said.into_iter().chain([Said::system(added.to_owned())]).collect();
    }
    // The answers of tools are no attachments.
    let is_attached = |part: &Json<'_>| {
        part.is_object() && part.get("text").is_none() && part.get("functionResponse").is_none()
    };
    let content = json.get("content").filter(|content| content.kind() == Kind::Array);
    let others: Vec<String> = match content {
        Some(parts) => parts.items().filter(is_attached).map(attachment_label).collect(),
        None => others.to_vec(),
    };
    let typed = json.present("displayContent").map(|typed| said(typed).0);
    let Some(typed) = typed.filter(|typed| !typed.is_empty() && typed != text) else {
        return vec![Said::prompt(text.to_owned(), others)];
    };
    let added = text.strip_prefix(typed.as_str()).unwrap_or(text).trim().to_owned();
    vec![Said::prompt(typed, others), Said::system(added)]
}

/// Whether a text is a command of the client: `/help`. Other words after a slash may be paths.
fn is_command(text: &str) -> bool {
    let word = text.trim().strip_prefix('/').and_then(|rest| rest.split_whitespace().next());
    word.is_some_and(|word| COMMANDS.contains(&word))
}
