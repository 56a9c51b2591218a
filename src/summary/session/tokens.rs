//! Estimated tokens of a text.

/// The number of characters that a token has by default.
const CHARACTERS: f64 = 4.0;

/// How the tokens of a text are estimated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TokenEstimate {
    /// Characters per token.
    pub(crate) characters: f64,
    /// Whether a character of a script without spaces between words (Chinese, Japanese, Korean)
    /// counts as a whole token.
    pub(crate) by_script: bool,
}

impl Default for TokenEstimate {
    fn default() -> Self {
        Self { characters: CHARACTERS, by_script: false }
    }
}

impl TokenEstimate {
    /// The tokens of a text: its characters divided by the characters per token, rounded down. At
    /// least 1, unless the text is empty.
    #[must_use]
    pub(crate) fn of(&self, text: &str) -> u64 {
        if text.is_empty() {
            return 0;
        }
        let (mut dense, mut others) = (0_u64, 0_u64);
        for character in text.chars() {
            match self.by_script && is_dense(character) {
                true => dense += 1,
                false => others += 1,
            }
        }
        (dense + (others as f64 / self.characters) as u64).max(1)
    }
}

/// Ranges of characters that are usually one token or more each: Kana, Han, Hangul, full-width
/// forms and their punctuation.
const DENSE: &[(char, char)] = &[
    ('\u{1100}', '\u{11ff}'),
    ('\u{2e80}', '\u{9fff}'),
    ('\u{ac00}', '\u{d7af}'),
    ('\u{f900}', '\u{faff}'),
    ('\u{ff00}', '\u{ffef}'),
    ('\u{20000}', '\u{3ffff}'),
];

fn is_dense(character: char) -> bool {
    DENSE.iter().any(|(first, last)| (*first..=*last).contains(&character))
}

#[cfg(test)]
mod tests {
    use super::TokenEstimate;

    /// If this fails, thresholds and budgets are compared with other numbers than documented.
    #[test]
    fn a_quarter_of_the_characters() {
        let simple = TokenEstimate::default();
        for (text, tokens) in
            [("", 0), ("a", 1), ("abcdefg", 1), ("abcdefgh", 2), ("日本語日本", 1)]
        {
            assert_eq!(simple.of(text), tokens, "{text}");
        }
        assert_eq!(TokenEstimate { characters: 1.5, by_script: false }.of("abcdef"), 4);
        let by_script = TokenEstimate { by_script: true, ..simple };
        assert_eq!(by_script.of("日本語日本"), 5);
        assert_eq!(by_script.of("日本 abcdefg"), 4);
    }
}
