//! Lists of content parts in messages and results of models. Texts are kept. Any other part becomes
//! a label with its size, never its base64.

use super::blob::Reference;
use super::template::one_line;
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
    let (mut typed, mut has_others) = (false, false);
    for item in list.items() {
        match item.kind() {
            Kind::String => lines.push(item.as_str()?.into_owned()),
            Kind::Object => {
                typed = true;
                lines.push(part(item)?);
            }
            Kind::Null => has_others = true,
            _ => {
                has_others = true;
                lines.push(item.compact().into_owned());
            }
        }
    }
    // Numbers and nulls beside parts are no reason to show the parts as JSON.
    if has_others && !typed {
        return None;
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
    let Some(kind) = part.text_at("type") else { return bare_part(part) };
    if let Some(label) = label(part) {
        return Some(label);
    }
    let text = ["text", "thinking", "content"].iter().find_map(|name| part.present(name));
    // A long text was moved out of the event.
    if let Some(moved) = text.and_then(Reference::of) {
        return Some(moved.excerpt());
    }
    match text.map(|text| (text, text.kind())) {
        Some((text, Kind::String)) => text.as_str().map(std::borrow::Cow::into_owned),
        Some((list, Kind::Array)) => as_text(list),
        _ => Some(format!("[{kind}] {}", part.compact())),
    }
}

/// A part without a type, as Gemini has them: a text, media, or the address of a file.
fn bare_part(part: Json<'_>) -> Option<String> {
    const KNOWN: &[&str] =
        &["text", "thought", "thoughtSignature", "inlineData", "inline_data", "fileData"];
    if !part.members().all(|(name, _)| KNOWN.contains(&name.as_ref())) {
        return None;
    }
    if let Some(text) = part.present("text") {
        return match Reference::of(text) {
            Some(moved) => Some(moved.excerpt()),
            None => text.as_str().map(std::borrow::Cow::into_owned),
        };
    }
    if let Some(file) = part.path("fileData.fileUri").and_then(Json::as_str) {
        return Some(format!("[file {}]", one_line(&file)));
    }
    let media = part.present("inlineData").or_else(|| part.present("inline_data"))?;
    let kind = media.text_at("mimeType").or_else(|| media.text_at("mime_type"));
    let kind = kind.unwrap_or_default();
    let kind = kind.split('/').next().unwrap_or_default();
    let is_word = !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let kind = if is_word { kind } else { "data" };
    let data = media.get("data")?;
    let bytes = match Reference::of(data) {
        Some(moved) => moved.bytes,
        None => data.as_str()?.len() as u64,
    };
    Some(format!("[{kind}, {}]", size(bytes / 4 * 3 + bytes % 4 * 3 / 4)))
}

/// The label of a part that is no text: its kind, its size, and its file.
#[must_use]
pub(crate) fn attachment_label(part: Json<'_>) -> String {
    let kind = || part.text_at("type").map(|kind| format!("[{kind}]"));
    let label = label(part).or_else(|| bare_part(part)).or_else(kind);
    let label = label.unwrap_or_else(|| "[attachment]".to_owned());
    let file =
        ["displayName", "path", "name", "filename"].iter().find_map(|name| part.text_at(name));
    match (file.filter(|file| !file.is_empty()), label.strip_suffix(']')) {
        (Some(file), Some(label)) => format!("{label} {}]", one_line(&file)),
        _ => label,
    }
}

/// The parts in the result of a tool of the Model Context Protocol: `{content: [parts], isError}`.
pub(super) fn in_result(result: Json<'_>) -> Option<String> {
    const TYPES: &[&str] = &["text", "image", "audio", "resource", "resource_link"];
    let is_known = |name: &str| matches!(name, "content" | "isError");
    let list = result.get("content").filter(|list| list.kind() == Kind::Array)?;
    let mut types = list.items().map(|item| item.text_at("type").unwrap_or_default());
    let has_parts = list.items().next().is_some() && types.all(|kind| TYPES.contains(&&*kind));
    let is_result = has_parts && result.members().all(|(name, _)| is_known(&name));
    let text = is_result.then(|| as_text(list)).flatten()?;
    let is_error = result.get("isError").and_then(Json::as_bool) == Some(true);
    Some(if is_error { format!("Error: {text}") } else { text })
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
