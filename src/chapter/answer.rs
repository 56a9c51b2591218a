//! The chapters that an agent asks for: a JSON array, by itself, in a code fence, or in prose.

use std::fmt;

use super::plan::{Range, Request};
use crate::json::{Json, JsonError, JsonRules, Kind, check};

/// What is wrong with an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AnswerError {
    /// It is empty.
    Empty,
    /// It holds no JSON array.
    NoArray,
    /// It holds several arrays: how many. Nobody knows which one counts.
    ManyArrays(usize),
    /// It is JSON, but no array.
    NotAnArray,
    /// It looks like an array and is none.
    Json(JsonError),
    /// What is wrong with one item, counted from 1.
    Item(usize, String),
}

impl fmt::Display for AnswerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "it is empty; `[]` would fold nothing"),
            Self::NoArray => write!(f, "there is no JSON array of chapters in it"),
            Self::ManyArrays(count) => write!(f, "it holds {count} JSON arrays; one is expected"),
            Self::NotAnArray => write!(f, "a JSON array is expected"),
            Self::Json(error) => error.fmt(f),
            Self::Item(number, what) => write!(f, "item {number}: {what}"),
        }
    }
}

impl std::error::Error for AnswerError {}

/// Reads the chapters that an answer asks for.
///
/// # Errors
/// What makes it no list of chapters; the first item and its field.
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

/// The array of an answer.
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

/// What is wrong with a text that looks like an array, and with which item.
fn fault(text: &str) -> AnswerError {
    let Err(error) = check(text.as_bytes(), JsonRules::STRICT) else { return AnswerError::NoArray };
    // Some faults leave the items whole.
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

/// The text as an array, if it is one.
fn list(text: &str) -> Option<Json<'_>> {
    let json = check(text.as_bytes(), JsonRules::STRICT).ok()?;
    (json.kind() == Kind::Array).then_some(json)
}

/// The contents of the code fences: of three or more backticks or tildes, closed by at least
/// as many.
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
            // What looks like a fence and holds its end is none.
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
    // The last one may lack its end.
    blocks.extend(open.and_then(|(_, from)| text.get(from..)));
    blocks
}

/// Arrays of objects that stand in a text without a fence.
fn arrays_in_prose(text: &str) -> Vec<Json<'_>> {
    /// Up to this many brackets are tried.
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

/// One item: `{"start", "end", "name", "message"}`, or `first` and `last` for events.
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
