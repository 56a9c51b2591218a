//! The summary templates: a small language over the fields of `data`.
//!
//! `{path}` prints a field and `{a.b}` a nested field. `{a,b|text}` prints the first of its fields
//! that is present and not null, else the text. `{x:.2|0}` prints two decimals and `{x.len|0}` the
//! length of a list (seed *aos-event-summarization*).

use std::borrow::Cow;
use std::fmt;

use super::blob::Reference;
use super::number::{fixed, shortest};
use crate::json::{Json, Kind, Members};

/// Maximum length of a summary made by a template, in characters, including the `…`.
pub(crate) const MAX_SUMMARY_CHARS: usize = 500;

/// A parsed template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template<'t> {
    parts: Vec<TemplatePart<'t>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum TemplatePart<'t> {
    Text(&'t str),
    Field { paths: Vec<&'t str>, decimals: Option<usize>, fallback: &'t str },
}

/// The reason why a text is not a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateError {
    /// Byte offset in the template.
    pub offset: usize,
    /// The error.
    pub what: &'static str,
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (column {} of the template)", self.what, self.offset + 1)
    }
}

impl std::error::Error for TemplateError {}

impl<'t> Template<'t> {
    /// # Errors
    /// An unmatched brace, or an empty or malformed field name, with its offset.
    pub fn parse(source: &'t str) -> Result<Self, TemplateError> {
        let mut parts = Vec::new();
        let mut at = 0;
        while let Some(found) = source[at..].find(['{', '}']) {
            let open = at + found;
            if source.as_bytes()[open] == b'}' {
                return Err(TemplateError { offset: open, what: "`}` without a `{` before it" });
            }
            if open > at {
                parts.push(TemplatePart::Text(&source[at..open]));
            }
            let inner = &source[open + 1..];
            let close = inner
                .find(['{', '}'])
                .filter(|end| inner.as_bytes()[*end] == b'}')
                .ok_or(TemplateError { offset: open, what: "`{` without its `}`" })?;
            parts
                .push(field(&inner[..close]).map_err(|what| TemplateError { offset: open, what })?);
            at = open + close + 2;
        }
        if at < source.len() {
            parts.push(TemplatePart::Text(&source[at..]));
        }
        Ok(Self { parts })
    }

    /// The number of fields that it prints or tries.
    pub(super) fn fields(&self) -> usize {
        let fields = |part: &TemplatePart<'_>| match part {
            TemplatePart::Text(_) => 0,
            TemplatePart::Field { paths, .. } => paths.len(),
        };
        self.parts.iter().map(fields).sum()
    }

    /// Fills the template from the fields of `data`. The result is one line of at most 500
    /// characters.
    #[must_use]
    pub fn render(&self, data: &Members<'_>) -> String {
        /// A text of so many bytes has at least so many characters as a summary may have.
        const ENOUGH: usize = 4 * (MAX_SUMMARY_CHARS + 1);
        let mut out = String::new();
        for part in self.parts.iter() {
            if out.len() >= ENOUGH {
                break;
            }
            match part {
                TemplatePart::Text(text) => out.push_str(text),
                TemplatePart::Field { paths, decimals, fallback } => {
                    let value = paths.iter().find_map(|path| lookup(data, path, *decimals));
                    let value = value.unwrap_or_else(|| or_else(fallback, *decimals));
                    out.push_str(&one_line(&value));
                }
            }
        }
        match cut(&out, MAX_SUMMARY_CHARS) {
            Cow::Owned(short) => short,
            Cow::Borrowed(_) => out,
        }
    }
}

fn field(inner: &str) -> Result<TemplatePart<'_>, &'static str> {
    let (head, fallback) = inner.split_once('|').unwrap_or((inner, ""));
    let (paths, decimals) = match head.split_once(":.") {
        Some((paths, places)) => {
            let places = places.parse().ok().filter(|places| *places <= 20);
            (paths, Some(places.ok_or("a number of decimals from 0 to 20 must follow `:.`")?))
        }
        None => (head, None),
    };
    let paths: Vec<&str> = paths.split(',').collect();
    let good = |path: &&str| !path.is_empty() && !path.contains([':', ' ']);
    if !paths.iter().all(good) {
        return Err("a field name is empty or malformed");
    }
    Ok(TemplatePart::Field { paths, decimals, fallback })
}

fn lookup<'a>(data: &Members<'a>, path: &str, decimals: Option<usize>) -> Option<Cow<'a, str>> {
    if let Some(list) = path.strip_suffix(".len").and_then(|list| data.path(list))
        && list.kind() == Kind::Array
    {
        return Some(list.items().count().to_string().into());
    }
    let value = data.path(path)?;
    match decimals {
        Some(places) => fixed(value.as_f64()?, places).map(Cow::Owned),
        None => printed(value),
    }
}

/// A value as templates print it; `None` for null and for numbers that are not finite.
pub(super) fn printed(value: Json<'_>) -> Option<Cow<'_, str>> {
    match value.kind() {
        Kind::Null => None,
        Kind::Bool => Some(value.text().into()),
        Kind::Number => shortest(value.text()).map(Cow::Owned),
        Kind::String => value.as_str(),
        Kind::Object => Some(match Reference::of(value) {
            Some(reference) => reference.preview().into(),
            None => value.compact(),
        }),
        Kind::Array => {
            let items: Vec<Cow<'_, str>> =
                value.items().map(|item| printed(item).unwrap_or_default()).collect();
            Some(items.join(",").into())
        }
    }
}

fn or_else(fallback: &str, decimals: Option<usize>) -> Cow<'_, str> {
    let number = decimals.and_then(|places| fixed(fallback.parse().ok()?, places));
    number.map_or(Cow::Borrowed(fallback), Cow::Owned)
}

/// Replaces line breaks and control characters by spaces.
#[must_use]
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Cow::Borrowed(text);
    }
    if text.contains(breaks) { Cow::Owned(text.replace(breaks, " ")) } else { Cow::Borrowed(text) }
}

/// At most `limit` characters. The last one is `…` if text was cut.
#[must_use]
pub(crate) fn cut(text: &str, limit: usize) -> Cow<'_, str> {
    if text.len() <= limit || text.chars().nth(limit).is_none() {
        return Cow::Borrowed(text);
    }
    let mut short: String = text.chars().take(limit.saturating_sub(1)).collect();
    short.push('…');
    Cow::Owned(short)
}
