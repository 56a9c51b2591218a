//! What lines have, whatever agent wrote them: a list with more parts than any message, which was made to
//! fill the memory, or a speaker.

use std::borrow::Cow;

use crate::event::images::{EncodedImage, images};
use crate::event::own::IMAGES;

use crate::json::{Json, Kind, ObjectText};

/// Whether a line of that length has a list with more objects than any message of an agent.
pub(crate) fn has_many_parts(length: usize, json: Json<'_>) -> bool {
    length > LONG && has_many(json, WITHIN)
}

/// Lines from this length on are searched for lists that are too long.
const LONG: usize = 512 << 10;
/// Maximum number of objects in a list of a line, and how deep the lists are that are counted. Each part
/// becomes an event, or several.
const MOST_PARTS: usize = 10_000;
const WITHIN: usize = 4;

/// Whether a list in a line has more objects than any message of an agent.
fn has_many(json: Json<'_>, depth: usize) -> bool {
    match json.kind() {
        _ if depth == 0 => false,
        Kind::Object => json.raw_members().any(|(_, value)| has_many(value, depth - 1)),
        Kind::Array => {
            json.items().filter(|item| item.is_object()).nth(MOST_PARTS).is_some()
                || json.items().take(MOST_PARTS).any(|item| has_many(item, depth - 1))
        }
        _ => false,
    }
}

/// Whether a line has a part that names a user or an assistant, at most that deep.
pub(crate) fn has_role(json: Json<'_>, depth: usize) -> bool {
    let is_speaker = |role: Cow<'_, str>| matches!(role.as_ref(), "user" | "assistant" | "human");
    let has_inner = || json.members().any(|(_, value)| has_role(value, depth - 1));
    json.is_object() && (json.text_at("role").is_some_and(is_speaker) || (depth > 0 && has_inner()))
}

/// The images in a line, with the calls whose results they are, for its first event: a JSON object as text.
pub(crate) fn images_of(json: Json<'_>) -> Option<String> {
    let images = images(json).into_iter().filter_map(|image| {
        let EncodedImage::Inline(data) = image.encoded else { return None };
        let mut part = ObjectText::new();
        part.text("type", "image").text("data", &data).text_if("call_id", image.call.as_deref());
        Some(part.finish())
    });
    let images: Vec<String> = images.collect();
    let mut own = ObjectText::new();
    own.json(IMAGES, Json::trusted(&format!("[{}]", images.join(","))));
    (!images.is_empty()).then(|| own.finish())
}
