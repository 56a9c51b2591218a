//! The words of a person in a prompt, without what a client puts before them.

use std::borrow::Cow;

/// Headings of clients after which the person's own words begin.
const OWN_PART: &[&str] = &["## My request for Codex:", "<user_query>", "<USER_REQUEST>"];

/// The prompt from the person's first own word on. Elements such as `<system-reminder>…` and
/// `<environment_context>…` at its beginning are skipped. If nothing else is there, a command of
/// the client is shown as it was typed, and any other text stays as it is.
#[must_use]
pub(crate) fn own_words(prompt: &str) -> Cow<'_, str> {
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
        return Cow::Borrowed(rest);
    }
    match content(prompt, "command-name").filter(|name| !name.is_empty()) {
        Some(name) => {
            let given = content(prompt, "command-args").unwrap_or_default();
            Cow::Owned(format!("{name} {given}").trim().to_owned())
        }
        None => Cow::Borrowed(prompt.trim()),
    }
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
    use super::own_words;

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
        ] {
            assert_eq!(own_words(prompt), expected, "{prompt:?}");
        }
    }
}
