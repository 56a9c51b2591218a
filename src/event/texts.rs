//! The texts of an event, one by one, for searching.

use std::borrow::Cow;

use super::blob::Reference;
use super::fields::View;
use super::parts;
use super::reserved::OWN;
use crate::json::{Json, Kind};

/// Members that say where an imported event comes from, or what was done with it. They are no
/// content.
const PROVENANCE: &[&str] =
    &[OWN, "dialect", "source_ref", "source_text", "source_sha256", "time_origin", "_redactions"];

/// The part of an event that a text is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextPlace {
    /// The payload.
    Content,
    /// The summary.
    Summary,
    /// The event's type.
    Type,
}

/// Calls `each` with every text of an event: the values in its payload, its summary and its type.
/// A copy of the imported line is left out, and media in base64 too. `moved` returns the content of a large
/// value that was moved out of the event, or `None` if it is of no interest.
pub(crate) fn each_text(
    view: &View<'_, '_>,
    summary: Option<&str>,
    moved: &mut dyn FnMut(&Reference<'_>) -> Option<String>,
    each: &mut dyn FnMut(TextPlace, Cow<'_, str>),
) {
    for (_, value) in content(view) {
        leaves(value, moved, &mut |text| each(TextPlace::Content, text));
    }
    if let Some(summary) = summary {
        each(TextPlace::Summary, Cow::Borrowed(summary));
    }
    each(TextPlace::Type, Cow::Borrowed(&view.event.kind));
}

/// The size of an event's content in bytes, with the values that were moved out of it.
#[must_use]
pub(crate) fn content_bytes(view: &View<'_, '_>) -> u64 {
    let (mut inline, mut outside) = (0, 0);
    for (_, value) in content(view) {
        let mut moved = |reference: &Reference<'_>| {
            outside += reference.bytes;
            None
        };
        leaves(value, &mut moved, &mut |text| inline += text.len() as u64);
    }
    inline + outside
}

/// The members of the payload that are content.
fn content<'v, 'a>(
    view: &'v View<'_, 'a>,
) -> impl Iterator<Item = (Cow<'a, str>, Json<'a>)> + use<'v, 'a> {
    view.event.data.members().filter(|(name, value)| {
        // An imported line is kept whole, as an object.
        let is_copy = name == "source" && value.is_object();
        !is_copy && !PROVENANCE.contains(&name.as_ref())
    })
}

fn leaves(
    value: Json<'_>,
    moved: &mut dyn FnMut(&Reference<'_>) -> Option<String>,
    each: &mut dyn FnMut(Cow<'_, str>),
) {
    match value.kind() {
        Kind::Null => {}
        Kind::Object => {
            if let Some(reference) = Reference::of(value) {
                if let Some(content) = moved(&reference) {
                    each(Cow::Owned(content));
                }
            } else {
                value.raw_members().for_each(|(_, inner)| leaves(inner, moved, each));
            }
        }
        Kind::Array => value.items().for_each(|item| leaves(item, moved, each)),
        Kind::String => {
            if let Some(text) = value.as_str().filter(|text| !parts::is_encoded(text)) {
                each(text);
            }
        }
        Kind::Bool | Kind::Number => each(Cow::Borrowed(value.text())),
    }
}
