//! Whether a text holds another one whole: not as a part of a word or of a number.

/// Whether `text` has `part` between characters that do not continue it. An empty part is in no text.
#[must_use]
pub(crate) fn holds_whole(text: &str, part: &str) -> bool {
    let continues = |one: Option<char>, other: Option<char>| {
        one.is_some_and(char::is_alphanumeric) && other.is_some_and(char::is_alphanumeric)
    };
    !part.is_empty()
        && text.match_indices(part).any(|(at, _)| {
            let (before, after) = (&text[..at], &text[at + part.len()..]);
            !continues(before.chars().next_back(), part.chars().next())
                && !continues(part.chars().next_back(), after.chars().next())
        })
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
        ] {
            assert_eq!(holds_whole(text, part), expected, "{text} {part}");
        }
    }
}
