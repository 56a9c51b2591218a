//! How tokens are estimated.

use clap::ValueEnum;

use crate::summary::session::tokens::TokenEstimate;

/// How tokens are estimated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum EstimateArg {
    /// By the number of characters
    #[default]
    Chars,
    /// Like chars, but each Chinese, Japanese or Korean character is one token
    Scripts,
}

impl EstimateArg {
    /// The estimate with that many characters per token.
    pub(super) fn estimate(self, characters: f64) -> TokenEstimate {
        TokenEstimate { characters, by_script: self == Self::Scripts }
    }
}

/// Reads the characters per token.
///
/// # Errors
/// What to use instead.
pub(super) fn characters(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| "use a number greater than 0 (4, 1.5)".to_owned())
}
