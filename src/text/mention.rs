//! Words that a forge acts on: mentions of people, references to issues, and mail addresses. In a
//! code span they stay readable, and no forge acts on them.

use super::markdown::{code, escape};

/// One line of text as Markdown: everything special is escaped, and mentions and references are
/// code spans.
#[must_use]
pub(crate) fn unlinked(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut done = 0;
    let mut at = 0;
    while let Some(found) = text[at..].find(['@', '#', '!', '-']) {
        let mark = at + found;
        at = mark + 1;
        if !is_reference(text, mark) {
            continue;
        }
        let from = text[done..mark].rfind(|c| !is_part(c)).map_or(done, |before| {
            done + before + text[done + before..].chars().next().map_or(1, char::len_utf8)
        });
        let rest = &text[mark + 1..];
        let end = mark + 1 + rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        // The full stop after a name ends the sentence.
        let end = from + text[from..end].trim_end_matches(['.', '-', '/']).len();
        out.push_str(&escape(&text[done..from]));
        out.push_str(&code(&text[from..end]));
        (done, at) = (end, end);
    }
    out.push_str(&escape(&text[done..]));
    out
}

/// Whether a forge takes the text at this mark for a reference.
fn is_reference(text: &str, mark: usize) -> bool {
    let next = text[mark + 1..].chars().next();
    let is_digit = next.is_some_and(|next| next.is_ascii_digit());
    match text.as_bytes().get(mark) {
        Some(b'@') => next.is_some_and(char::is_alphanumeric),
        Some(b'#' | b'!') => is_digit,
        // GH-12
        _ => is_digit && ends_with_gh(&text.as_bytes()[..mark]),
    }
}

fn ends_with_gh(before: &[u8]) -> bool {
    before.len().checked_sub(2).is_some_and(|at| before[at..].eq_ignore_ascii_case(b"gh"))
}

/// Whether a character can be part of a name, a repository, or a mail address.
fn is_part(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-' | '.' | '/' | '@' | '#' | '!')
}

#[cfg(test)]
mod tests {
    use super::unlinked;

    /// If this fails, a transcript on a forge notifies people or links issues, or ordinary text
    /// becomes code.
    #[test]
    fn references_are_code() {
        for (text, expected) in [
            ("thanks @ada, see #12.", "thanks `@ada`, see `#12`."),
            ("fixes o/r#7 and GH-9 and !3", "fixes `o/r#7` and `GH-9` and `!3`"),
            ("mail me@e.example now", "mail `me@e.example` now"),
            ("a @ b, C# and x-1, done!", "a &#64; b, C\\# and x-1, done!"),
            ("(@a) é@ö", "(`@a`) `é@ö`"),
        ] {
            assert_eq!(unlinked(text), expected);
        }
    }
}
