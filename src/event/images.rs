//! Images in the payload of an event: parts of messages and results that hold base64.

use std::borrow::Cow;

use super::blob::Reference;
use crate::json::{Json, Kind};

/// Where the image of a part is, by the member that holds its base64 or its `data:` URL.
const CARRIERS: &[&str] = &[
    "source.data",
    "data",
    "image_url.url",
    "image_url",
    "url",
    "file.base64",
    "inlineData.data",
    "inline_data.data",
];
/// The media type of a part that is not named an image, by member.
const MEDIA_TYPES: &[&str] =
    &["mime", "mimeType", "inlineData.mimeType", "inline_data.mime_type", "source.media_type"];
/// The id of the call whose result a part of the source line is.
const CALLS: &[&str] = &["tool_use_id", "tool_call_id", "call_id", "toolCallId"];
/// Maximum nesting in which images are looked for.
const DEPTH: usize = 24;

/// An image of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ImagePart<'a> {
    /// Its content, not checked yet.
    pub encoded: EncodedImage<'a>,
    /// The id of the call whose result it is, if the payload names one.
    pub call: Option<Cow<'a, str>>,
}

/// The base64 of an image, with or without the head of a `data:` URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EncodedImage<'a> {
    /// It is in the event.
    Inline(Cow<'a, str>),
    /// It was moved out of the event.
    Moved {
        /// Lower-case hex SHA-256 of the text.
        hash: &'a str,
        /// Length of the text in bytes.
        bytes: u64,
    },
}

impl EncodedImage<'_> {
    /// The length of the text in bytes.
    #[must_use]
    pub(crate) fn len(&self) -> u64 {
        match self {
            Self::Inline(text) => text.len() as u64,
            Self::Moved { bytes, .. } => *bytes,
        }
    }
}

/// The images in a payload, in its order. One that the payload repeats is listed once. A text is
/// never an image, whatever it looks like.
#[must_use]
pub(crate) fn images(data: Json<'_>) -> Vec<ImagePart<'_>> {
    let mut found = Vec::new();
    // Few events have an image, and most are much shorter than one.
    if memchr::memmem::find(data.text().as_bytes(), b"image").is_some() {
        search(data, None, DEPTH, &mut found);
    }
    found
}

fn search<'a>(
    value: Json<'a>,
    call: Option<&Cow<'a, str>>,
    depth: usize,
    found: &mut Vec<ImagePart<'a>>,
) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match value.kind() {
        Kind::Array => value.items().for_each(|item| search(item, call, depth, found)),
        Kind::Object if Reference::of(value).is_some() => {}
        Kind::Object => {
            let own = CALLS.iter().find_map(|name| value.text_at(name));
            let call = own.as_ref().or(call);
            match carried(value) {
                Some(encoded) if found.iter().any(|one| one.encoded == encoded) => {}
                Some(encoded) => found.push(ImagePart { encoded, call: call.cloned() }),
                None => value.members().for_each(|(_, inner)| search(inner, call, depth, found)),
            }
        }
        _ => {}
    }
}

/// The content of a part that says it is an image.
fn carried(part: Json<'_>) -> Option<EncodedImage<'_>> {
    let kind = part.text_at("type").unwrap_or_default();
    let is_media = |path: &&str| {
        part.path(path).and_then(Json::as_str).is_some_and(|media| media.starts_with("image/"))
    };
    if !kind.contains("image") && !MEDIA_TYPES.iter().any(is_media) {
        return None;
    }
    CARRIERS.iter().find_map(|path| {
        let value = part.path(path)?;
        if let Some(reference) = Reference::of(value) {
            return Some(EncodedImage::Moved { hash: reference.hash, bytes: reference.bytes });
        }
        let text = value.as_str().filter(|text| !text.is_empty())?;
        let is_address = text.contains("://") || text.starts_with('/');
        // Base64 of a JPEG begins with a slash.
        (!is_address || text.starts_with("/9j/")).then_some(EncodedImage::Inline(text))
    })
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::{EncodedImage, images};
    use crate::json::Json;

    fn found(data: &str) -> Vec<(String, Option<String>)> {
        let text = |encoded: EncodedImage<'_>| match encoded {
            EncodedImage::Inline(text) => text.into_owned(),
            EncodedImage::Moved { hash, bytes } => format!("{}+{bytes}", &hash[..2]),
        };
        let parts = images(Json::trusted(data)).into_iter();
        parts.map(|part| (text(part.encoded), part.call.map(Cow::into_owned))).collect()
    }

    /// If this fails, an image of some agent is not found, or a text is taken for an image.
    #[test]
    fn images_of_all_agents() {
        let hash = "a".repeat(64);
        let moved = format!(
            r#"{{"type":"image","source":{{"type":"base64","data":{{"$blob":"{hash}","bytes":9}}}}}}"#
        );
        for (data, expected) in [
            (r#"{"type":"image","source":{"type":"base64","data":"AAAA"}}"#, "AAAA"),
            (r#"{"type":"image","data":"AAAA","mimeType":"image/png"}"#, "AAAA"),
            (
                r#"{"type":"input_image","image_url":"data:image/png;base64,AA"}"#,
                "data:image/png;base64,AA",
            ),
            (
                r#"{"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}}"#,
                "data:image/png;base64,AA",
            ),
            (
                r#"{"type":"file","mime":"image/png","url":"data:image/png;base64,AA"}"#,
                "data:image/png;base64,AA",
            ),
            (r#"{"inlineData":{"mimeType":"image/png","data":"AAAA"}}"#, "AAAA"),
            (r#"{"type":"image","source":{"data":"/9j/AAAA"}}"#, "/9j/AAAA"),
            (moved.as_str(), "aa+9"),
        ] {
            let data = format!(r#"{{"result":[{data}],"again":{data}}}"#);
            assert_eq!(found(&data), [(expected.to_owned(), None)], "{data}");
        }
        for data in [
            r#"{"text":"data:image/png;base64,AAAA"}"#,
            r#"{"type":"text","text":"image","data":"AAAA"}"#,
            r#"{"type":"image_url","image_url":{"url":"https://example.org/image.png"}}"#,
            r#"{"type":"image","source":{"type":"url","url":"/image.png"}}"#,
            r#"{"type":"image"}"#,
        ] {
            assert_eq!(found(data), [], "{data}");
        }
    }

    /// If this fails, an image is shown with the wrong call of a line with several results.
    #[test]
    fn images_of_several_results() {
        let result = |id: &str, data: &str| {
            format!(
                r#"{{"tool_use_id":"{id}","content":[{{"type":"image","source":{{"data":"{data}"}}}}]}}"#
            )
        };
        let data = format!("[{},{}]", result("a", "AAAA"), result("b", "BBBB"));
        let expected = [("AAAA", "a"), ("BBBB", "b")];
        let expected = expected.map(|(data, call)| (data.to_owned(), Some(call.to_owned())));
        assert_eq!(found(&data), expected);
    }
}
