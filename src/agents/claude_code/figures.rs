//! The token counts of a message, and of the model calls that they leave out.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::agents::said::TokensUsed;
use crate::json::Json;

/// A model call that the usage of a message leaves out.
pub(super) struct OtherIteration<'u> {
    /// Its name in the message: its type, and its number among those of the type.
    pub name: String,
    /// The model.
    pub model: Option<Cow<'u, str>>,
    /// The token counts.
    pub tokens: TokensUsed,
}

/// The types of the calls that the usage of a message never has. An attempt of another model is not
/// in it either.
const APART: &[&str] = &["advisor_message", "compaction"];

/// The model calls in the list `iterations` that the usage of a message leaves out. `own` are its
/// token counts.
pub(super) fn other_iterations<'u>(
    usage: Json<'u>,
    model: Option<&'u str>,
    own: TokensUsed,
) -> impl Iterator<Item = OtherIteration<'u>> {
    let iterations = usage.present("iterations").into_iter().flat_map(Json::items);
    let mut numbers: HashMap<String, usize> = HashMap::new();
    iterations.filter_map(move |iteration| {
        let kind = iteration.text_at("type").unwrap_or_default().into_owned();
        let other = iteration.text_at("model").filter(|_| model.is_some());
        let other = other.filter(|other| Some(other.as_ref()) != model);
        let is_apart = APART.contains(&kind.as_str());
        // A model may have two names.
        let is_message = || tokens(iteration) == own;
        if !is_apart && (other.is_none() || is_message()) {
            return None;
        }
        // The list may grow at its beginning while the message is written.
        let number = numbers.entry(kind.clone()).or_default();
        let name = format!("{kind}.{number}");
        *number += 1;
        let model = other.or_else(|| model.map(Cow::Borrowed));
        let tokens = tokens(iteration);
        (!tokens.is_zero()).then_some(OtherIteration { name, model, tokens })
    })
}

/// The input without cached tokens, if the count has them too: Qwen Code writes the lines of Claude
/// Code, but counts cached tokens as input. Its sum of all tokens, which only it has, shows that.
pub(super) fn input_alone(usage: Json<'_>) -> Option<u64> {
    let count = |name: &str| usage.get(name).and_then(Json::as_u64);
    let (input, output) = (count("input_tokens")?, count("output_tokens")?);
    let cached = count("cache_read_input_tokens")?;
    let is_sum = count("total_tokens")? == input.saturating_add(output);
    input.checked_sub(cached).filter(|_| is_sum)
}

/// The token counts of a `usage` object. As in the source, input excludes cached tokens.
pub(super) fn tokens(usage: Json<'_>) -> TokensUsed {
    let counts = TokensUsed::at(usage, COUNTS);
    let for_an_hour = usage.path("cache_creation.ephemeral_1h_input_tokens");
    TokensUsed {
        input: input_alone(usage).or(counts.input),
        cache_creation_1h: for_an_hour.and_then(Json::as_u64).filter(|count| *count > 0),
        ..counts
    }
}

/// The names of the counts of the API.
pub(super) const COUNTS: [&str; 5] =
    ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", ""];
