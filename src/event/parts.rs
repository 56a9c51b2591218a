//! Lists of content parts in messages and results of models. Texts are kept. Any other part becomes
//! a label with its size, never its base64.

use super::blob::Reference;
use crate::json::{Json, Kind};
use crate::text::human::size;

/// Part types that carry media.
const MEDIA: &[&str] =
    &["image", "image_url", "input_image", "audio", "input_audio", "video", "file", "document"];
/// Paths of members that hold the media of a part.
const CARRIERS: &[&str] = &["data", "source.data", "image_url.url", "image_url", "file.file_data"];
/// Maximum length in bytes of each text, if the texts are joined on one line.
const SHORT: usize = 40;
/// Minimum length in bytes of a text that is taken for base64.
const LONG: usize = 256;

/// The parts of a list, one per line; short texts on one line. `None` if the list holds something
/// else.
pub(super) fn as_text(list: Json<'_>) -> Option<String> {
    let mut lines = Vec::new();
    let mut typed = false;
    for item in list.items() {
        match item.kind() {
            Kind::String => lines.push(item.as_str()?.into_owned()),
            Kind::Object => {
                typed = true;
                lines.push(part(item)?);
            }
            _ => return None,
        }
    }
    let short = |line: &String| line.len() <= SHORT && !line.contains('\n');
    let between = if !typed && lines.iter().all(short) { ", " } else { "\n" };
    (!lines.is_empty()).then(|| lines.join(between))
}

/// The label of a media part, such as `[image, 12 kB]`; `None` for any other value.
pub(crate) fn label(part: Json<'_>) -> Option<String> {
    let kind = part.text_at("type")?;
    let carried = CARRIERS.iter().find_map(|path| part.path(path)?.as_str());
    let encoded = carried.as_deref().map(|text| {
        text.split_once(";base64,").map_or((text, false), |(_, encoded)| (encoded, true))
    });
    let is_media = MEDIA.contains(&kind.as_ref());
    match encoded {
        Some((text, certain)) if certain || is_media || is_base64(text) => {
            let padding = text.bytes().rev().take_while(|byte| *byte == b'=').count();
            let bytes = (text.len() * 3 / 4).saturating_sub(padding);
            Some(format!("[{}, {}]", short_name(&kind), size(bytes as u64)))
        }
        None if is_media => {
            // A large one was moved out of the event.
            let moved = CARRIERS.iter().find_map(|path| Reference::of(part.path(path)?));
            let bytes = moved.map(|moved| format!(", {}", size(moved.bytes / 4 * 3)));
            Some(format!("[{}{}]", short_name(&kind), bytes.unwrap_or_default()))
        }
        _ => None,
    }
}

/// The name of a kind of media: some types say where the part comes from.
fn short_name(kind: &str) -> &str {
    if kind.contains("image") { "image" } else { kind }
}

/// One part as its text, its label or its inner list; `None` for an object without a type.
fn part(part: Json<'_>) -> Option<String> {
    let kind = part.text_at("type")?;
    if let Some(label) = label(part) {
        return Some(label);
    }
    let text = ["text", "thinking", "content"].iter().find_map(|name| part.present(name));
    match text.map(|text| (text, text.kind())) {
        Some((text, Kind::String)) => text.as_str().map(std::borrow::Cow::into_owned),
        Some((list, Kind::Array)) => as_text(list),
        _ => Some(format!("[{kind}] {}", part.compact())),
    }
}

/// Whether a text is media in base64, with or without the head of a `data:` URL.
pub(super) fn is_encoded(text: &str) -> bool {
    is_base64(text) || (text.starts_with("data:") && text.contains(";base64,"))
}

fn is_base64(text: &str) -> bool {
    text.len() >= LONG
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'-' | b'_'))
}
