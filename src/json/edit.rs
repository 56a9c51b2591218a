//! Small changes to a JSON document that leave the rest of its text as it is.

use std::ops::Range;

use super::check::{JsonError, JsonRules, check};
use super::text::quoted;
use super::view::{Json, Kind};

/// Rules for documents that people edit. With a key twice, programs disagree which one counts.
const EDITED: JsonRules = JsonRules { max_depth: 512, duplicate_keys: false };

/// One step on the way to a value in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JsonStep<'s> {
    /// The member with this name.
    Member(&'s str),
    /// The element with this number, from 0.
    Item(usize),
}

/// The text of a document, to be changed.
#[derive(Clone, Debug)]
pub(crate) struct EditedJson {
    text: String,
}

impl EditedJson {
    /// Takes a document.
    ///
    /// # Errors
    /// The first error in it. A key that is there twice is an error too.
    pub(crate) fn of(text: &str) -> Result<Self, JsonError> {
        check(text.as_bytes(), EDITED)?;
        Ok(Self { text: text.to_owned() })
    }

    /// The text as it is now.
    #[must_use]
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The value at the end of these steps.
    #[must_use]
    pub(crate) fn at(&self, path: &[JsonStep<'_>]) -> Option<Json<'_>> {
        let root = Json::leading(self.text.trim_start());
        path.iter().try_fold(root, |value, step| match step {
            JsonStep::Member(name) => value.get(name),
            JsonStep::Item(number) => value.items().nth(*number),
        })
    }

    /// Where a value of this document begins, in bytes.
    #[must_use]
    pub(crate) fn offset(&self, value: Json<'_>) -> usize {
        self.place(value.text()).start
    }

    /// Adds a value at the end of a list, or a member at the end of an object, in the layout of its
    /// neighbours. Nothing changes if there is no list or object at `path`.
    pub(crate) fn add(&mut self, path: &[JsonStep<'_>], name: Option<&str>, value: Json<'_>) {
        let Some(container) = self.at(path) else { return };
        let outer = self.place(container.text());
        let layout = JsonLayout::of(&self.text);
        let child = |indent: Option<&str>| {
            let name = name.map(|name| quoted(name) + layout.colon(indent.is_some()));
            name.unwrap_or_default() + &layout.value(value, indent)
        };
        let children = self.children(container);
        let (place, new) = match &children[..] {
            [] => {
                let inside = outer.start + 1..outer.end - 1;
                if !layout.is_multiline && !path.is_empty() {
                    (inside, child(None))
                } else {
                    let outside = indent_at(&self.text, outer.start).to_owned();
                    let indent = outside.clone() + &layout.unit;
                    let newline = layout.newline;
                    let child = child(Some(&indent));
                    (inside, format!("{newline}{indent}{child}{newline}{outside}"))
                }
            }
            [.., last] => {
                let before = children.len().checked_sub(2);
                let before = before.map_or(outer.start + 1, |before| children[before].end);
                let gap = &self.text[before..last.start];
                let gap = gap.rsplit(',').next().unwrap_or_default();
                let new = match gap.rsplit_once('\n') {
                    Some((_, indent)) => {
                        format!(",{}{indent}{}", layout.newline, child(Some(indent)))
                    }
                    None => format!(",{}{}", layout.gap(gap), child(None)),
                };
                (last.end..last.end, new)
            }
        };
        self.text.replace_range(place, &new);
    }

    /// Removes the child with this number (from 0) of the list or object at `path`.
    pub(crate) fn remove(&mut self, path: &[JsonStep<'_>], number: usize) {
        let Some(container) = self.at(path) else { return };
        let outer = self.place(container.text());
        let children = self.children(container);
        let Some(child) = children.get(number) else { return };
        let place = match (number.checked_sub(1), children.get(number + 1)) {
            (Some(before), _) => children[before].end..child.end,
            (None, Some(next)) => child.start..next.start,
            (None, None) => outer.start + 1..outer.end - 1,
        };
        self.text.replace_range(place, "");
    }

    /// Replaces the value at `path`.
    pub(crate) fn replace(&mut self, path: &[JsonStep<'_>], value: &str) {
        let Some(old) = self.at(path) else { return };
        let place = self.place(old.text());
        self.text.replace_range(place, value);
    }

    /// Where the elements of a list are, or the members of an object from their names on.
    fn children(&self, container: Json<'_>) -> Vec<Range<usize>> {
        if container.kind() != Kind::Object {
            return container.items().map(|item| self.place(item.text())).collect();
        }
        let member = |(name, value): (&str, Json<'_>)| {
            self.place(name).start - 1..self.place(value.text()).end
        };
        container.raw_members().map(member).collect()
    }

    /// Where a part of the text is.
    fn place(&self, part: &str) -> Range<usize> {
        let from = part.as_ptr() as usize - self.text.as_ptr() as usize;
        from..from + part.len()
    }
}

/// How a document is laid out.
struct JsonLayout {
    /// The line break.
    newline: &'static str,
    /// The indentation of one level.
    unit: String,
    /// Whether it has several lines.
    is_multiline: bool,
    /// Whether a space follows `:` and `,` in one line.
    is_spaced: bool,
}

impl JsonLayout {
    fn of(text: &str) -> Self {
        let indents = text.lines().skip(1).map(|line| indent_at(line, 0));
        let unit = indents.into_iter().find(|indent| !indent.is_empty()).unwrap_or("  ").to_owned();
        Self {
            newline: if text.contains("\r\n") { "\r\n" } else { "\n" },
            unit,
            is_multiline: text.trim().contains('\n'),
            is_spaced: text.contains("\": "),
        }
    }

    fn colon(&self, is_multiline: bool) -> &'static str {
        if is_multiline || self.is_spaced { ": " } else { ":" }
    }

    /// The space after a comma, where the only neighbour has `gap` before it.
    fn gap<'g>(&self, gap: &'g str) -> &'g str {
        if gap.is_empty() && self.is_spaced { " " } else { gap }
    }

    /// A value: in one line, or in lines that are indented like this.
    fn value(&self, value: Json<'_>, indent: Option<&str>) -> String {
        let (open, close) = match value.kind() {
            Kind::Object => ('{', '}'),
            Kind::Array => ('[', ']'),
            _ => return value.text().to_owned(),
        };
        let inner = indent.map(|indent| indent.to_owned() + &self.unit);
        let rendered = |child: Json<'_>| self.value(child, inner.as_deref());
        let children: Vec<String> = match value.kind() {
            Kind::Object => value
                .raw_members()
                .map(|(name, child)| {
                    format!("\"{name}\"{}{}", self.colon(indent.is_some()), rendered(child))
                })
                .collect(),
            _ => value.items().map(rendered).collect(),
        };
        if children.is_empty() {
            return format!("{open}{close}");
        }
        let (Some(indent), Some(inner)) = (indent, &inner) else {
            return format!(
                "{open}{}{close}",
                children.join(if self.is_spaced { ", " } else { "," })
            );
        };
        let newline = self.newline;
        let children = children.join(&format!(",{newline}{inner}"));
        format!("{open}{newline}{inner}{children}{newline}{indent}{close}")
    }
}

/// The white space at the beginning of the line that has this byte.
fn indent_at(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line = &text[start..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

#[cfg(test)]
mod tests {
    use super::{EditedJson, JsonStep};
    use crate::json::Json;

    const LIST: &[JsonStep<'static>] = &[JsonStep::Member("list")];

    /// If this fails, an edit changes text that is not its own, or what it adds does not look like
    /// the rest of the document.
    #[test]
    fn edits_keep_the_layout() {
        let value = Json::trusted(r#"{"a":[1,2],"b":{}}"#);
        for (before, after) in [
            (r#"{"list":[0]}"#, r#"{"list":[0,{"a":[1,2],"b":{}}]}"#),
            (r#"{"list": [0, 1]}"#, r#"{"list": [0, 1, {"a": [1, 2], "b": {}}]}"#),
            (r#"{"list": [0]}"#, r#"{"list": [0, {"a": [1, 2], "b": {}}]}"#),
            (r#"{"list":[]}"#, r#"{"list":[{"a":[1,2],"b":{}}]}"#),
            (
                "{\n\t\"list\": []\n}\n",
                "{\n\t\"list\": [\n\t\t{\n\t\t\t\"a\": [\n\t\t\t\t1,\n\t\t\t\t2\n\t\t\t],\n\t\t\t\"b\": {}\n\t\t}\n\t]\n}\n",
            ),
            (
                "{\r\n    \"list\" : [\r\n        \"x,y\"\r\n    ]\r\n}",
                "{\r\n    \"list\" : [\r\n        \"x,y\",\r\n        {\r\n            \"a\": [\r\n                1,\r\n                2\r\n            ],\r\n            \"b\": {}\r\n        }\r\n    ]\r\n}",
            ),
        ] {
            let mut edited = EditedJson::of(before).unwrap();
            edited.add(LIST, None, value);
            assert_eq!(edited.text(), after);
            let count = edited.at(LIST).unwrap().items().count();
            edited.remove(LIST, count - 1);
            let empty = before.replace("[ ]", "[]");
            assert_eq!(edited.text(), empty);
        }
    }

    /// If this fails, a member is put in the wrong place, or removing the first one breaks the
    /// document.
    #[test]
    fn members_are_added_and_removed() {
        let mut edited = EditedJson::of(" {}\n").unwrap();
        edited.add(&[], Some("a\"b"), Json::trusted("1"));
        edited.add(&[], Some("c"), Json::trusted("[]"));
        assert_eq!(edited.text(), " {\n   \"a\\\"b\": 1,\n   \"c\": []\n }\n");
        edited.replace(&[JsonStep::Member("c")], "true");
        edited.remove(&[], 0);
        assert_eq!(edited.text(), " {\n   \"c\": true\n }\n");
        edited.remove(&[], 0);
        assert_eq!(edited.text(), " {}\n");
        assert!(EditedJson::of(r#"{"a":1,"a":2}"#).is_err());
    }
}
