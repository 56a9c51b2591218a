//! Lists of content parts, as messages and results of models hold them: texts as they are, any
//! other part as a label with its size, never its base64.

use crate::json::{Json, Kind};
use crate::text::human::size;

/// Types of parts that carry media, whatever member holds it.
const MEDIA: &[&str] =
    &["image", "image_url", "input_image", "audio", "input_audio", "video", "file", "document"];
/// Members that hold what a part carries, with the members in them that may.
const CARRIERS: &[&str] = &["data", "source.data", "image_url.url", "image_url", "file.file_data"];
/// Bytes of texts that stand beside each other.
const SHORT: usize = 40;
/// Characters from which on a text without blanks is taken for base64.
const LONG: usize = 256;

/// The parts of a list, each on its own line; short texts in one line. `None` where it holds
/// something else.
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

/// A part that carries media, as a label: `[image, 12 kB]`; `None` for any other value.
pub(super) fn label(part: Json<'_>) -> Option<String> {
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
            Some(format!("[{kind}, {}]", size(bytes as u64)))
        }
        None if is_media => Some(format!("[{kind}]")),
        _ => None,
    }
}

/// One part: its text, its label, or what lies in it; `None` for an object of another shape.
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

fn is_base64(text: &str) -> bool {
    text.len() >= LONG
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'-' | b'_'))
}
