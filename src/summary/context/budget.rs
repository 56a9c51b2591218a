//! How many tokens a context may have.

/// Tokens that stay free for the answer of the model.
const RESERVE: u64 = 2048;
/// Tokens for what a provider adds to the messages.
const PROTOCOL: u64 = 512;
/// The share of the window that stays free because tokens are only estimated: one in so many.
const MARGIN: u64 = 10;
/// The least budget.
const FLOOR: u64 = 1024;

/// The tokens for the context of a model with that context window.
#[must_use]
pub(crate) fn budget_of(window: u64) -> u64 {
    window.saturating_sub(window / MARGIN + RESERVE + PROTOCOL).max(FLOOR)
}

#[cfg(test)]
mod tests {
    use super::budget_of;

    /// If this fails, a context does not fit the model's window, or wastes a part of it.
    #[test]
    fn fact_17_the_budget_of_a_window() {
        for (window, budget) in [(131_072, 115_405), (8192, 4813), (2048, 1024), (0, 1024)] {
            assert_eq!(budget_of(window), budget, "{window}");
        }
    }
}
