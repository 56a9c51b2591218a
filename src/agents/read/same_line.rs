//! Whether two lines of logs of one session say the same, perhaps in other forms.

use std::borrow::Cow;

use crate::json::{Json, Kind};

/// Whether two lines of logs of a session say the same: their ids and their messages are equal, or all
/// members in another order.
pub(crate) fn say_the_same(own: Json<'_>, source: Json<'_>) -> bool {
    let equal = |name: &str| {
        let both = own.present(name).zip(source.present(name));
        both.is_some_and(|(own, other)| own.compact() == other.compact())
    };
    let has_same_text = || only_text(own).is_some_and(|text| only_text(source) == Some(text));
    (equal("uuid") && (equal("message") || has_same_text())) || has_same_members(own, source)
}

/// The text of a message that has nothing else: agents write it as a string or as a list of one part.
fn only_text<'a>(source: Json<'a>) -> Option<Cow<'a, str>> {
    let content = source.path("message.content")?;
    if let Some(text) = content.as_str() {
        return Some(text);
    }
    let mut parts = content.items();
    let part = parts.next().filter(|_| content.kind() == Kind::Array && parts.next().is_none())?;
    part.text_at("text").filter(|_| part.text_at("type").as_deref() == Some("text"))
}

/// Whether two objects have the same members, in whatever order.
fn has_same_members(one: Json<'_>, other: Json<'_>) -> bool {
    let sorted = |object: Json<'_>| {
        let members =
            object.members().map(|(name, value)| (name.into_owned(), value.compact().into_owned()));
        let mut members: Vec<(String, String)> = members.collect();
        members.sort();
        members
    };
    one.is_object() && other.is_object() && sorted(one) == sorted(other)
}
