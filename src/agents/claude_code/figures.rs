//! The token counts of a message, and of the model calls that they leave out.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::json::{self, Json, ObjectText};

/// A model call that the usage of a message leaves out.
pub(super) struct OtherIteration<'u> {
    /// Its name in the message: its type, and its number among those of the type.
    pub name: String,
    /// The model.
    pub model: Option<Cow<'u, str>>,
    /// The token counts, by the names of this program.
    pub figures: String,
}

/// The types of the calls that the usage of a message never has. An attempt of another model is not
/// in it either.
const APART: &[&str] = &["advisor_message", "compaction"];

/// The model calls in the list `iterations` that the usage of a message leaves out. `own` are its
/// token counts.
pub(super) fn other_iterations<'u>(
    usage: Json<'u>,
    model: Option<&'u str>,
    own: &str,
) -> impl Iterator<Item = OtherIteration<'u>> {
    let iterations = usage.present("iterations").into_iter().flat_map(Json::items);
    let mut numbers: HashMap<String, usize> = HashMap::new();
    iterations.filter_map(move |iteration| {
        let kind = iteration.text_at("type").unwrap_or_default().into_owned();
        let other = iteration.text_at("model").filter(|_| model.is_some());
        let other = other.filter(|other| Some(other.as_ref()) != model);
        let is_apart = APART.contains(&kind.as_str());
        // A model may have two names.
        let is_message = || figures(iteration).is_some_and(|figures| figures == own);
        if !is_apart && (other.is_none() || is_message()) {
            return None;
        }
        // The list may grow at its beginning while the message is written.
        let number = numbers.entry(kind.clone()).or_default();
        let name = format!("{kind}.{number}");
        *number += 1;
        let model = other.or_else(|| model.map(Cow::Borrowed));
        let figures = figures(iteration)?;
        let is_zero = Json::trusted(&figures).members().all(|(_, count)| count.as_u64() == Some(0));
        (!is_zero).then_some(OtherIteration { name, model, figures })
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

/// The token counts of a `usage` object, with this program's names. As in the source, input
/// excludes cached tokens.
pub(super) fn figures(usage: Json<'_>) -> Option<String> {
    const NAMES: &[(&str, &str)] = &[
        ("input_tokens", "input_tokens"),
        ("output_tokens", "output_tokens"),
        ("cache_read_input_tokens", "cache_read_tokens"),
        ("cache_creation_input_tokens", "cache_creation_tokens"),
    ];
    let mut figures = ObjectText::new();
    for (theirs, ours) in NAMES {
        let Some(value) = usage.get(theirs) else { continue };
        let own = if *theirs == "input_tokens" { input_alone(usage) } else { None };
        match own.or_else(|| value.as_u64()) {
            Some(count) => drop(figures.plain(ours, count)),
            // No count, which `validate` tells.
            None if matches!(value.kind(), json::Kind::Number | json::Kind::String) => {
                figures.json(ours, Json::trusted(&value.compact()));
            }
            None => {}
        }
    }
    let for_an_hour = usage.path("cache_creation.ephemeral_1h_input_tokens");
    if let Some(count) = for_an_hour.and_then(Json::as_u64).filter(|count| *count > 0) {
        figures.plain("cache_creation_1h_tokens", count);
    }
    (!figures.is_empty()).then(|| figures.finish())
}
