//! Whether a text holds another one whole: not as a part of a word or of a number.

/// Whether `text` has `part` between characters that do not continue it. An empty part is in no text.
#[must_use]
pub(crate) fn holds_whole(text: &str, part: &str) -> bool {
    let may = !part.is_empty() && part.len() <= text.len();
    may && (text == part
        || memchr::memmem::find_iter(text.as_bytes(), part).any(|at| {
            let before = text[..at].chars().rev();
            let after = text[at + part.len()..].chars();
            !continues(part.chars().next(), before.clone().next(), before.clone().nth(1))
                && !continues(part.chars().next_back(), after.clone().next(), after.clone().nth(1))
        }))
}

/// Whether a word or a number that ends with `edge` goes on with these two characters: `5` in `1.5`.
fn continues(edge: Option<char>, next: Option<char>, after: Option<char>) -> bool {
    let is_digit = |of: Option<char>| of.is_some_and(|c| c.is_ascii_digit());
    let is_word =
        edge.is_some_and(char::is_alphanumeric) && next.is_some_and(char::is_alphanumeric);
    is_word || (is_digit(edge) && matches!(next, Some('.' | ',')) && is_digit(after))
}

#[cfg(test)]
mod tests {
    use super::holds_whole;

    /// If this fails, a short value is taken for shown because a longer word has its letters.
    #[test]
    fn parts_of_words_are_not_held() {
        for (text, part, expected) in [
            ("bash failed: exit 12", "2", false),
            ("bash failed: exit 12", "12", true),
            ("deploy started", "loy", false),
            ("a: b, c", "b", true),
            ("xa a", "a", true),
            ("[ok]", "ok", true),
            ("ok", "", false),
            ("größe", "gr", false),
            ("sum of 1.5 s", "5", false),
            ("gave 1,200 lines", "1", false),
            ("gave 5, 6.", "5", true),
            ("gave 5, 6.", "6", true),
        ] {
            assert_eq!(holds_whole(text, part), expected, "{text} {part}");
        }
    }
}
