//! Reads a model's answer: JSON objects with any text around them.

use std::collections::HashMap;

use crate::event::template::{MAX_SUMMARY_CHARS, cut};
use crate::json::{Json, JsonRules, check};

/// The summaries in an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Answer {
    /// Event ids and summaries in the order of the answer, each event once.
    pub summaries: Vec<(String, String)>,
    /// The number of objects about other events.
    pub unknown: u64,
    /// The number of further objects about an event that already has one.
    pub repeated: u64,
}

/// The maximum number of places that are tried without finding an object.
const PATIENCE: usize = 200;

impl Answer {
    /// Reads an answer about the events with these ids. The answer has lines or a list of
    /// `{"event_id": …, "summary": …}`, with any text between them.
    #[must_use]
    pub(crate) fn read(text: &str, asked: &[&str]) -> Self {
        let mut answer = Self::default();
        let mut places: HashMap<&str, bool> = asked.iter().map(|id| (*id, false)).collect();
        let mut patience = PATIENCE;
        let mut rest = text;
        while let Some(open) = memchr::memchr(b'{', rest.as_bytes()) {
            rest = &rest[open..];
            let object = Json::leading(rest);
            if check(object.text().as_bytes(), JsonRules::LENIENT).is_ok() {
                rest = &rest[object.text().len()..];
                answer.object(object, &mut places);
                continue;
            }
            patience -= 1;
            if patience == 0 {
                break;
            }
            // This may be a brace in prose. Continue after it, or on the next line if it is never
            // closed.
            let next = match object.text().len() == rest.len() {
                true => memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len()),
                false => 1,
            };
            rest = &rest[next..];
        }
        answer
    }

    fn object(&mut self, object: Json<'_>, places: &mut HashMap<&str, bool>) {
        let Some(id) = object.text_at("event_id") else {
            // This may be an object with a list of summaries.
            let inner = object.members().flat_map(|(_, value)| value.items());
            inner.filter(|item| item.is_object()).for_each(|item| self.object(item, places));
            return;
        };
        let Some(summary) = object.text_at("summary").map(|text| one_line(&text)) else { return };
        match places.get_mut(id.as_ref()) {
            None => self.unknown += 1,
            Some(true) => self.repeated += 1,
            Some(_) if summary.is_empty() => {}
            Some(answered) => {
                *answered = true;
                self.summaries.push((id.into_owned(), summary));
            }
        }
    }
}

/// One line without control characters, of at most 500 characters.
fn one_line(text: &str) -> String {
    let visible = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<&str> = visible.filter(|word| !word.is_empty()).collect();
    cut(&words.join(" "), MAX_SUMMARY_CHARS).into_owned()
}
