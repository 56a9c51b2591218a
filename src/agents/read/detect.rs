//! Finds out what a source is, from its first lines. It decides on evidence or not at all.

use std::borrow::Cow;

use super::document::DocumentSplitter;
use super::foreign;
use crate::agents::source::SourcePart;
use crate::agents::{DIALECTS, Dialect};
use crate::event::catalogue;
use crate::event::schema::Field;
use crate::json::{self, Json, JsonIndex, JsonRules, Kind, repaired};

/// Number of lines looked at.
pub(crate) const LINES: usize = 200;
/// Number of bytes looked at.
pub(crate) const BYTES: usize = 256 << 10;

/// What a source is.
#[derive(Clone, Copy)]
pub(crate) enum SourceFormat {
    /// Lines of a dialect.
    Dialect(&'static Dialect),
    /// Native lines: envelopes that may omit fields.
    Native,
    /// The log of another run.
    Copy,
}

/// What a source is, and how that is known.
pub(crate) struct Detected {
    /// The format.
    pub format: SourceFormat,
    /// The evidence: `sessionId and parentUuid on 31 of 34 lines`.
    pub why: String,
}

/// A source that is of no known format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnknownSource {
    /// What it looks like: `12 lines with the fields a, b, c`.
    pub looks_like: String,
}

/// One format and what was found for it.
struct FormatVotes {
    format: SourceFormat,
    votes: u64,
    /// The signs that were found, with their numbers.
    signs: Vec<(&'static str, u64)>,
}

impl FormatVotes {
    /// Whether a sign was found that other programs' lines do not have.
    fn is_shown(&self) -> bool {
        let SourceFormat::Dialect(dialect) = self.format else { return self.votes > 0 };
        self.signs.iter().any(|(sign, _)| !dialect.weak_signs.contains(sign))
    }
}

/// Finds the fields that show a format.
type FindSign = fn(Json<'_>) -> Option<&'static str>;

/// The formats with their signs.
fn formats() -> impl Iterator<Item = (SourceFormat, FindSign)> {
    let own: [(_, FindSign); 2] =
        [(SourceFormat::Copy, copy_sign), (SourceFormat::Native, native_sign)];
    own.into_iter()
        .chain(DIALECTS.iter().map(|dialect| (SourceFormat::Dialect(dialect), dialect.sign)))
}

/// The format of a source that begins with these lines. At least a third of the values must show
/// it, and more than show any other format.
///
/// # Errors
/// Nothing, or too little, shows what it is.
pub(crate) fn detect(sample: &[u8]) -> Result<Detected, UnknownSource> {
    let fixed = repaired(sample);
    let sample = without_mark(fixed.as_deref().unwrap_or(sample));
    let mut candidates: Vec<FormatVotes> =
        formats().map(|(format, _)| FormatVotes { format, votes: 0, signs: Vec::new() }).collect();
    let values = values(sample);
    let mut objects = 0;
    for text in &values {
        let mut index = JsonIndex::default();
        let Ok(value) = index.check(text, JsonRules::LENIENT) else { continue };
        if !value.is_object() {
            continue;
        }
        objects += 1;
        if let Some(agent) = foreign::agent(value) {
            return Err(UnknownSource { looks_like: format!("a session of {agent}") });
        }
        for (candidate, (_, sign)) in candidates.iter_mut().zip(formats()) {
            if let Some(found) = sign(value) {
                candidate.votes += 1;
                match candidate.signs.iter_mut().find(|(sign, _)| *sign == found) {
                    Some((_, number)) => *number += 1,
                    None => candidate.signs.push((found, 1)),
                }
            }
        }
    }
    candidates.retain(FormatVotes::is_shown);
    candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.votes));
    let most = candidates.first().filter(|best| best.votes * 3 >= objects);
    let next = candidates.get(1).map_or(0, |second| second.votes);
    match most.filter(|best| best.votes > next) {
        Some(best) => {
            // Of equally frequent signs, the first one.
            let sign = best.signs.iter().rev().max_by_key(|(_, number)| *number);
            let (sign, number) = sign.copied().unwrap_or_default();
            let why = match values.len() {
                1 => sign.to_owned(),
                all => format!("{sign} on {number} of {all} lines"),
            };
            Ok(Detected { format: best.format, why })
        }
        None => Err(UnknownSource { looks_like: look(&values) }),
    }
}

/// A text without the byte order mark with which some programs begin it.
#[must_use]
pub(crate) fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text)
}

/// The values of the sample: its lines, or a document without most items of its list.
fn values(sample: &[u8]) -> Vec<Cow<'_, [u8]>> {
    let is_blank = |line: &&[u8]| line.trim_ascii().is_empty();
    let mut lines = sample.split(|byte| *byte == b'\n').filter(|line| !is_blank(line)).peekable();
    let Some(first) = lines.peek() else { return Vec::new() };
    let begins_list = first.trim_ascii_start().first() == Some(&b'[');
    let has_lines = !begins_list && json::check(first, JsonRules::LENIENT).is_ok();
    match if has_lines { None } else { document(sample) } {
        Some(values) => values.into_iter().map(Cow::Owned).collect(),
        None => lines.map(Cow::Borrowed).take(LINES).collect(),
    }
}

/// The beginning of a document that spans many lines: its members, and its list with one item.
fn document(sample: &[u8]) -> Option<Vec<Vec<u8>>> {
    static LISTS: std::sync::LazyLock<Vec<&'static str>> = std::sync::LazyLock::new(|| {
        DIALECTS.iter().flat_map(|dialect| dialect.lists.iter().copied()).collect()
    });
    let mut splitter = DocumentSplitter::new(LISTS.as_slice());
    let parts = splitter.push(sample);
    if splitter.is_broken() {
        return None;
    }
    let lines: Vec<Vec<u8>> = parts
        .iter()
        .filter(|part| part.part == SourcePart::Line)
        .map(|part| part.text.clone())
        .collect();
    if !lines.is_empty() {
        return Some(lines);
    }
    let members = parts.iter().find(|part| part.part == SourcePart::Document);
    let members = members.map(|part| part.text.clone()).or_else(|| splitter.begun())?;
    let item = parts.iter().find(|part| part.part == SourcePart::Item);
    let Some(list) = splitter.list() else { return Some(vec![members]) };
    let mut value = members;
    value.pop();
    let item = item.map(|item| item.text.as_slice()).unwrap_or_default();
    value.extend_from_slice(format!(",\"{list}\":[").as_bytes());
    value.extend_from_slice(item);
    value.extend_from_slice(b"]}");
    Some(vec![value])
}

fn copy_sign(line: Json<'_>) -> Option<&'static str> {
    let has = |field: Field| line.get(field.name()).is_some();
    let all = [Field::EventId, Field::Sequence, Field::RunId, Field::Data];
    all.into_iter().all(has).then_some("event_id, sequence and run_id")
}

/// A native line has a type and no fields but those of the envelope. With only a type, the type
/// must be a known one.
fn native_sign(line: Json<'_>) -> Option<&'static str> {
    let kind = line.text_at("type")?;
    let known = |name: &str| Field::ALL.iter().any(|field| field.name() == name);
    if copy_sign(line).is_some() || line.members().any(|(name, _)| !known(&name)) {
        return None;
    }
    if line.get("data").is_some_and(Json::is_object) {
        return Some("type and data");
    }
    catalogue::row(&kind).is_some().then_some("a known type")
}

/// What a source without JSON looks like.
fn not_json(values: &[Cow<'_, [u8]>]) -> &'static str {
    let is = |test: &dyn Fn(&[u8]) -> bool| values.iter().any(|value| test(value));
    match () {
        () if is(&|value| value.contains(&0) || std::str::from_utf8(value).is_err()) => {
            "bytes that are not text"
        }
        () if is(&|value| matches!(value.trim_ascii_start().first(), Some(b'{' | b'['))) => {
            "JSON that is cut off or broken"
        }
        () => "text that is not JSON",
    }
}

/// What an unknown source looks like.
fn look(values: &[Cow<'_, [u8]>]) -> String {
    const FIELDS: usize = 6;
    let parsed = values.iter().map(|text| json::check(text, JsonRules::LENIENT).ok());
    let parsed: Vec<Option<Json<'_>>> = parsed.collect();
    let Some(first) = parsed.iter().flatten().find(|value| value.is_object()) else {
        let what = match parsed.iter().flatten().next().map(|value| value.kind()) {
            None => not_json(values),
            Some(Kind::Array) => "JSON lists",
            Some(_) => "JSON values that are not objects",
        };
        return what.to_owned();
    };
    let fields: Vec<String> =
        first.members().take(FIELDS).map(|(name, _)| name.into_owned()).collect();
    match fields.as_slice() {
        [] => "JSON objects without fields".to_owned(),
        fields => format!("JSON objects with the fields {}", fields.join(", ")),
    }
}

/// The names of all formats that are known, for a message.
pub(crate) fn known() -> String {
    format!("native, runlog, {}", known_dialects())
}

/// The names of the formats of other programs, for a message.
pub(crate) fn known_dialects() -> String {
    DIALECTS.iter().map(|dialect| dialect.name).collect::<Vec<_>>().join(", ")
}
