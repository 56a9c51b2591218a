//! Reads the chapters in an agent's answer: a JSON array, alone, in a code fence, or in prose.

use std::fmt;

use super::plan::{Range, Request};
use crate::json::{Json, JsonError, JsonRules, Kind, check};

/// An error in an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AnswerError {
    /// It is empty.
    Empty,
    /// It has no JSON array.
    NoArray,
    /// It has this many arrays. It is not clear which one counts.
    ManyArrays(usize),
    /// It is JSON, but not an array.
    NotAnArray,
    /// It looks like an array but is not valid JSON.
    Json(JsonError),
    /// An error in an item, counted from 1.
    Item(usize, String),
}

impl fmt::Display for AnswerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "the answer is empty; to fold nothing, answer `[]`"),
            Self::NoArray => write!(f, "the answer has no JSON array of chapters"),
            Self::ManyArrays(count) => {
                write!(f, "the answer has {count} JSON arrays; exactly one is expected")
            }
            Self::NotAnArray => write!(f, "a JSON array is expected"),
            Self::Json(error) => error.fmt(f),
            Self::Item(number, what) => write!(f, "item {number}: {what}"),
        }
    }
}

impl std::error::Error for AnswerError {}

/// Reads the chapters that an answer requests.
///
/// # Errors
/// The reason why it is not a list of chapters, with the first wrong item and field.
pub(crate) fn read(text: &str) -> Result<Vec<Request>, AnswerError> {
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Err(AnswerError::Empty);
    }
    let array = array(text)?;
    let item = |(at, item): (usize, Json<'_>)| {
        request(item).map_err(|what| AnswerError::Item(at + 1, what))
    };
    array.items().enumerate().map(item).collect()
}

/// The array in an answer.
fn array(text: &str) -> Result<Json<'_>, AnswerError> {
    let whole = check(text.as_bytes(), JsonRules::STRICT);
    if let Ok(json) = whole {
        return if json.kind() == Kind::Array { Ok(json) } else { Err(AnswerError::NotAnArray) };
    }
    let fenced: Vec<&str> = fences(text);
    let mut found: Vec<Json<'_>> = fenced.iter().filter_map(|block| list(block.trim())).collect();
    if found.is_empty() {
        found = arrays_in_prose(text);
    }
    if found.is_empty() && fenced.is_empty() && text.matches("[]").count() == 1 {
        found.push(Json::trusted("[]"));
    }
    match found.as_slice() {
        [array] => Ok(*array),
        [] => {
            let mut blocks = fenced.iter().map(|block| block.trim()).chain([text]);
            Err(blocks.find(|block| block.starts_with('[')).map_or(AnswerError::NoArray, fault))
        }
        several => Err(AnswerError::ManyArrays(several.len())),
    }
}

/// The error in a text that looks like an array, and its item.
fn fault(text: &str) -> AnswerError {
    let Err(error) = check(text.as_bytes(), JsonRules::STRICT) else { return AnswerError::NoArray };
    // After some errors, the items can still be read.
    let Ok(array) = check(text.as_bytes(), JsonRules::LENIENT) else {
        return AnswerError::Json(error);
    };
    let start = text.as_ptr() as usize;
    let holds = |item: &Json<'_>| {
        let from = item.text().as_ptr() as usize - start;
        (from..from + item.text().len()).contains(&error.offset)
    };
    match array.items().position(|item| holds(&item)) {
        Some(at) => AnswerError::Item(at + 1, error.to_string()),
        None => AnswerError::Json(error),
    }
}

/// The text as an array; `None` if it is not one.
fn list(text: &str) -> Option<Json<'_>> {
    let json = check(text.as_bytes(), JsonRules::STRICT).ok()?;
    (json.kind() == Kind::Array).then_some(json)
}

/// The contents of the code fences. A fence is three or more backticks or tildes; it is closed by
/// at least as many.
fn fences(text: &str) -> Vec<&str> {
    let mut blocks = Vec::new();
    let mut open: Option<(&str, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let line = line.trim();
        let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'));
        let length = mark.map_or(0, |mark| line.chars().take_while(|c| *c == mark).count());
        match open {
            // A line with its own closing fence does not open a block.
            None if length >= 3 && !line[length..].contains('`') => {
                open = Some((&line[..length], at));
            }
            Some((fence, from)) if line.starts_with(fence) && line.len() == length => {
                blocks.push(&text[from..start]);
                open = None;
            }
            _ => {}
        }
    }
    // The last block may have no closing fence.
    blocks.extend(open.and_then(|(_, from)| text.get(from..)));
    blocks
}

/// Arrays of objects in a text without fences.
fn arrays_in_prose(text: &str) -> Vec<Json<'_>> {
    /// The maximum number of brackets that are tried.
    const PATIENCE: usize = 200;
    let mut found = Vec::new();
    let mut at = 0;
    for _ in 0..PATIENCE {
        let Some(open) = memchr::memchr(b'[', &text.as_bytes()[at..]) else { break };
        let candidate = Json::leading(&text[at + open..]);
        let array = list(candidate.text())
            .filter(|array| array.items().next().is_some() && array.items().all(Json::is_object));
        at += open + array.map_or(1, |array| array.text().len());
        found.extend(array);
    }
    found
}

/// One item: `{"start", "end", "name", "message"}`, or with `first` and `last` for events.
fn request(item: Json<'_>) -> Result<Request, String> {
    if !item.is_object() {
        return Err("an object is expected".to_owned());
    }
    let text = |name: &str| match item.get(name) {
        None => Err(format!("`{name}` is missing")),
        Some(value) => value
            .as_str()
            .map(|text| text.trim_end_matches('\n').to_owned())
            .ok_or_else(|| format!("`{name}` must be a string")),
    };
    let by_events = item.get("first").is_some() || item.get("last").is_some();
    if by_events && (item.get("start").is_some() || item.get("end").is_some()) {
        return Err("give `start` and `end`, or `first` and `last`, not both".to_owned());
    }
    let range = match by_events {
        true => Range::Events(number(item, "first")?, number(item, "last")?),
        false => Range::Tasks(number(item, "start")?, number(item, "end")?),
    };
    Ok(Request { range, name: text("name")?, message: text("message")? })
}

/// A whole number.
fn number<T: std::str::FromStr>(item: Json<'_>, name: &str) -> Result<T, String> {
    let value = item.get(name).ok_or_else(|| format!("`{name}` is missing"))?;
    let number = (value.kind() == Kind::Number).then(|| value.text().parse().ok()).flatten();
    number.ok_or_else(|| format!("`{name}` must be a whole number"))
}
