//! The words of a person in a prompt, without what a client puts before them.

use std::borrow::Cow;

use crate::text::ansi::plain;

/// Headings of clients after which the person's own words begin.
const OWN_PART: &[&str] = &["## My request for Codex:", "<user_query>", "<USER_REQUEST>"];

/// The tags of a reminder that a client puts into prompts.
const REMINDER: (&str, &str) = ("<system-reminder>", "</system-reminder>");

/// The prompt from the person's first own word on, for titles and lists. Elements such as
/// `<environment_context>…` at its beginning and reminders of the client anywhere are skipped. If
/// nothing else is there, a command of the client is shown as it was typed, and of any other
/// element its content. Escape sequences of a terminal are removed.
#[must_use]
pub(crate) fn own_words(prompt: &str) -> Cow<'_, str> {
    match without_client(prompt) {
        Cow::Borrowed(text) => plain(text),
        Cow::Owned(text) => Cow::Owned(plain(&text).into_owned()),
    }
}

fn without_client(prompt: &str) -> Cow<'_, str> {
    for heading in OWN_PART {
        if let Some((before, after)) = prompt.split_once(heading)
            && (before.trim_start().starts_with(['#', '<']) || before.trim().is_empty())
            && !after.trim().is_empty()
        {
            let end = heading.strip_prefix('<').map(|name| format!("</{name}"));
            let after = end.and_then(|end| after.split_once(&end)).map_or(after, |(own, _)| own);
            return Cow::Borrowed(after.trim());
        }
    }
    let mut rest = prompt.trim();
    while let Some(after) = after_element(rest) {
        rest = after.trim_start();
    }
    if !rest.is_empty() {
        return without_reminders(rest);
    }
    command(prompt).map_or_else(|| content_of_first(prompt), Cow::Owned)
}

/// The command of the client in a text, as it was typed.
#[must_use]
pub(crate) fn command(text: &str) -> Option<String> {
    let name = content(text, "command-name").filter(|name| !name.is_empty())?;
    let given = content(text, "command-args").unwrap_or_default();
    Some(format!("{name} {given}").trim().to_owned())
}

/// The command in a text that the agent got as a request, as it was typed. The commands that the client
/// carries out itself begin with their name.
#[must_use]
pub(crate) fn sent_command(text: &str) -> Option<String> {
    command(text).filter(|_| text.trim_start().starts_with("<command-message>"))
}

/// A text without the reminders of the client in it. One that was cut has no end.
fn without_reminders(text: &str) -> Cow<'_, str> {
    let (start, end) = REMINDER;
    let Some((own, mut rest)) = text.split_once(start) else { return Cow::Borrowed(text) };
    let mut out = own.trim_end().to_owned();
    while let Some((_, after)) = rest.split_once(end) {
        let (own, next) = after.split_once(start).unwrap_or((after, ""));
        if !own.trim().is_empty() {
            out.push('\n');
            out.push_str(own.trim());
        }
        rest = next;
    }
    Cow::Owned(out)
}

/// The content of the element at the beginning of a text. Any other text stays as it is.
fn content_of_first(text: &str) -> Cow<'_, str> {
    let name = text.trim().strip_prefix('<').and_then(|rest| rest.split(['>', ' ']).next());
    match name.and_then(|name| Some((name, content(text, name)?))) {
        Some((name, "")) => Cow::Owned(format!("({name}, empty)")),
        Some((_, content)) => Cow::Borrowed(content),
        None => Cow::Borrowed(text.trim()),
    }
}

/// A part of a prompt: what a person wrote, or an element that a client added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PromptPart<'p> {
    /// What the person wrote.
    Own(&'p str),
    /// A command of the client, as it was typed.
    Command(String),
    /// An element: its name and its content.
    Element(&'p str, &'p str),
}

/// Elements of clients that a page sets apart wherever they are in a prompt.
const ELEMENTS: &[&str] = &[
    "command-name",
    "command-message",
    "command-args",
    "local-command-stdout",
    "local-command-stderr",
    "local-command-caveat",
    "bash-input",
    "bash-stdout",
    "bash-stderr",
    "system-reminder",
    "task-notification",
];

/// The parts of a prompt, in its order. Nothing is lost, except that a command is one part.
#[must_use]
pub(crate) fn prompt_parts(prompt: &str) -> Vec<PromptPart<'_>> {
    let mut parts = Vec::new();
    let mut has_command = false;
    let mut rest = prompt;
    let mut from = 0;
    while let Some(at) = rest[from..].find('<').map(|at| from + at) {
        let Some((name, content, after)) = element(&rest[at..]) else {
            from = at + 1;
            continue;
        };
        push_own(&mut parts, &rest[..at]);
        match (name, command(prompt)) {
            ("command-name" | "command-args" | "command-message", Some(command)) => {
                // Its name and its arguments are two elements, in any order. The message repeats
                // the name.
                let is_new = !std::mem::replace(&mut has_command, true);
                parts.extend(is_new.then_some(PromptPart::Command(command)));
            }
            _ => parts.push(PromptPart::Element(name, content.trim())),
        }
        (rest, from) = (after, 0);
    }
    push_own(&mut parts, rest);
    parts
}

fn push_own<'p>(parts: &mut Vec<PromptPart<'p>>, text: &'p str) {
    if !text.trim().is_empty() {
        parts.push(PromptPart::Own(text.trim()));
    }
}

/// The name and the content of the known element at the beginning of a text, and what follows it.
fn element(text: &str) -> Option<(&'static str, &str, &str)> {
    let (name, rest) = text.strip_prefix('<')?.split_once('>')?;
    let name = ELEMENTS.iter().find(|known| **known == name)?;
    let (content, after) = rest.split_once(&format!("</{name}>"))?;
    Some((name, content, after))
}

/// What follows the element at the beginning of a text. `None` if there is none.
fn after_element(text: &str) -> Option<&str> {
    let (open, rest) = text.strip_prefix('<')?.split_once('>')?;
    let name = open.split_whitespace().next()?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    // The elements of clients have long names. A short one may be what the person asks about.
    if name.len() < 5 || !name.chars().all(is_name) || open.ends_with('/') {
        return None;
    }
    rest.split_once(&format!("</{name}>")).map(|(_, after)| after)
}

/// The content of the first element with that name.
fn content<'p>(text: &'p str, name: &str) -> Option<&'p str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    rest.split_once(&format!("</{name}>")).map(|(content, _)| content.trim())
}

#[cfg(test)]
mod tests {
    use super::{PromptPart, own_words, prompt_parts};

    /// If this fails, the title of a task is what a client wrote, and not what the person asked.
    #[test]
    fn clients_words_are_skipped() {
        for (prompt, expected) in [
            ("<system-reminder>\nx\n</system-reminder>\n Fix it", "Fix it"),
            (
                "<environment_context a=\"b\">x</environment_context><ide_opened>y</ide_opened>Go",
                "Go",
            ),
            ("<uploaded_files>\n/w\n</uploaded_files>\nRead /w.", "Read /w."),
            (
                "<command-name>/review</command-name>\n<command-args>src</command-args>",
                "/review src",
            ),
            ("# Context from my IDE setup:\nx\n## My request for Codex:\nDo y\n", "Do y"),
            ("<user_query>\nWhy?\n</user_query>", "Why?"),
            ("<div>is wrong</div> why", "<div>is wrong</div> why"),
            ("<unclosed-element> text", "<unclosed-element> text"),
            ("  plain ", "plain"),
            ("Fix it<system-reminder>\nx</system-reminder>\nsoon", "Fix it\nsoon"),
            ("Fix it <system-reminder>cut", "Fix it"),
            (
                "<command-message>review is running…</command-message>\n\
                 <command-name>/review</command-name>",
                "/review",
            ),
            (
                "<local-command-stdout>Set to \u{1b}[1mfast\u{1b}[22m</local-command-stdout>",
                "Set to fast",
            ),
            ("Say \u{1b}[1mthis[22m, wait [5m] and \u{1b}[3", "Say this, wait [5m] and "),
            ("<system-reminder>only this</system-reminder>", "only this"),
            ("<local-command-stdout></local-command-stdout>", "(local-command-stdout, empty)"),
        ] {
            assert_eq!(own_words(prompt), expected, "{prompt:?}");
        }
    }

    /// If this fails, the page loses a part of a prompt, or shows a tag as text.
    #[test]
    fn parts_of_a_prompt() {
        use PromptPart::{Command, Element, Own};
        let prompt = "<command-message>fix</command-message>\n<command-name>/fix</command-name>\
            <command-args>a b</command-args>";
        assert_eq!(prompt_parts(prompt), [Command("/fix a b".into())]);
        let prompt =
            "One <b>bold</b>\n<system-reminder>\nx\n</system-reminder>\ntwo <system-reminder>y";
        let expected = [
            Own("One <b>bold</b>"),
            Element("system-reminder", "x"),
            Own("two <system-reminder>y"),
        ];
        assert_eq!(prompt_parts(prompt), expected);
        assert_eq!(prompt_parts("<command-args>x</command-args>"), [Element("command-args", "x")]);
    }
}
