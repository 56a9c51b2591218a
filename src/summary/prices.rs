//! Prices of tokens, from a user's table.
//!
//! ```toml
//! ["claude-sonnet-4-5"]    # also for longer names, such as claude-sonnet-4-5-20250929
//! input = 3.0              # dollars per million tokens
//! output = 15.0
//! cache_read = 0.3         # default: the price of input
//! cache_creation = 3.75    # default: the price of input
//! ```

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

use crate::event::bad_toml::BadToml;
use crate::history::models::TokenPrices;
use crate::history::usage::Usage;

/// Prices by the name of the model.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub(crate) struct Prices(BTreeMap<String, Price>);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Price {
    input: f64,
    output: f64,
    cache_read: Option<f64>,
    cache_creation: Option<f64>,
}

impl Prices {
    /// No prices.
    #[must_use]
    pub(crate) fn none() -> &'static Self {
        static NONE: OnceLock<Prices> = OnceLock::new();
        NONE.get_or_init(Self::default)
    }

    /// Whether there are none.
    #[must_use]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reads a table.
    ///
    /// # Errors
    /// A TOML error with line and column, or a price that is negative or not a number.
    pub(crate) fn parse(document: &str) -> Result<Self, BadToml> {
        let prices: Self =
            toml::from_str(document).map_err(|error| BadToml::of(document, &error))?;
        for (model, price) in &prices.0 {
            let Price { input, output, cache_read, cache_creation } = price;
            let all = [Some(input), Some(output), cache_read.as_ref(), cache_creation.as_ref()];
            if all.into_iter().flatten().any(|price| !price.is_finite() || *price < 0.0) {
                let at = document.find(model.as_str()).unwrap_or(0);
                let what = format!("[{model}]: a price is a number of dollars, 0 or more");
                return Err(BadToml::at(document, at, what));
            }
        }
        Ok(prices)
    }

    /// The cost of that usage of a model in millionths of a dollar. `None` if the model has no
    /// price or its tokens are unknown. A price applies to every model whose name begins with the
    /// listed name; the longest match wins.
    #[must_use]
    pub(crate) fn micros(&self, model: &str, usage: &Usage) -> Option<i64> {
        let begins = |(name, _): &(&String, &Price)| model.starts_with(name.as_str());
        let (_, price) = self.0.iter().filter(begins).max_by_key(|(name, _)| name.len())?;
        let prices = TokenPrices {
            input: price.input,
            output: price.output,
            cache_read: price.cache_read.unwrap_or(price.input),
            cache_creation: price.cache_creation.unwrap_or(price.input),
        };
        prices.micros(usage, 0)
    }
}
