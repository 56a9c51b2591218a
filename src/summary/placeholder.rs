//! Placeholders in templates: `{name}`, in lower case with underscores. Other braces are text.

/// A text between tags. The text cannot end the tag.
#[must_use]
pub(super) fn tagged(tag: &str, text: &str) -> String {
    let text = text.replace(&format!("</{tag}"), &format!("<\\/{tag}"));
    format!("<{tag}>\n{}\n</{tag}>", text.trim_end())
}

/// The names of the placeholders in a template.
#[must_use]
pub(super) fn names(template: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = template;
    while let Some((_, name, after)) = placeholder(rest) {
        names.push(name);
        rest = after;
    }
    names
}

/// Replaces each placeholder. Braces in the values stay as they are.
#[must_use]
pub(super) fn substitute<'v>(template: &str, value: impl Fn(&str) -> &'v str) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, name, after)) = placeholder(rest) {
        out.push_str(before);
        out.push_str(value(name));
        rest = after;
    }
    out + rest
}

/// The text before the first placeholder, its name, and the text after it.
fn placeholder(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    loop {
        let open = from + text.get(from..)?.find('{')?;
        let inner = &text[open + 1..];
        let length = inner.bytes().take_while(|b| b.is_ascii_lowercase() || *b == b'_').count();
        match inner[length..].strip_prefix('}') {
            Some(after) if length > 0 => return Some((&text[..open], &inner[..length], after)),
            _ => from = open + 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::placeholder;

    /// If this fails, a brace in a template is read as a placeholder, or a placeholder as text.
    #[test]
    fn braces_around_a_placeholder_are_text() {
        assert_eq!(placeholder("{{a_b}}"), Some(("{", "a_b", "}")));
        assert_eq!(placeholder("{A} {} {x y}"), None);
    }
}
