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

/// The length of a text, for estimating its tokens. Lengths of parts can be added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TextLength {
    /// Characters that count as whole tokens.
    dense: u32,
    /// All others.
    others: u32,
}

impl TextLength {
    /// The length of two texts together.
    #[must_use]
    pub(crate) fn plus(self, other: Self) -> Self {
        let dense = self.dense.saturating_add(other.dense);
        Self { dense, others: self.others.saturating_add(other.others) }
    }

    /// The length of a text that is not at hand, from its size in bytes.
    #[must_use]
    pub(crate) fn of_bytes(bytes: u64) -> Self {
        Self { dense: 0, others: u32::try_from(bytes).unwrap_or(u32::MAX) }
    }

    /// The number of characters.
    #[must_use]
    pub(crate) fn characters(self) -> u64 {
        u64::from(self.dense) + u64::from(self.others)
    }
}

impl TokenEstimate {
    /// The tokens of a text: its characters divided by the characters per token, rounded down. At
    /// least 1, unless the text is empty.
    #[must_use]
    pub(crate) fn of(&self, text: &str) -> u64 {
        self.of_length(self.length(text))
    }

    /// The length of a text.
    #[must_use]
    pub(crate) fn length(&self, text: &str) -> TextLength {
        let short = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let all = text.chars().count();
        let dense = match self.by_script && !text.is_ascii() {
            true => text.chars().filter(|character| is_dense(*character)).count(),
            false => 0,
        };
        TextLength { dense: short(dense), others: short(all - dense) }
    }

    /// The tokens of a text of that length.
    #[must_use]
    pub(crate) fn of_length(&self, length: TextLength) -> u64 {
        if length == TextLength::default() {
            return 0;
        }
        let others = (f64::from(length.others) / self.characters) as u64;
        (u64::from(length.dense) + others).max(1)
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
