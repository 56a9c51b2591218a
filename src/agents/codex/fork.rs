//! The history that the file of a forked thread repeats.

use std::borrow::Cow;

use crate::event::fields::is_placeholder;
use crate::event::time::Timestamp;
use crate::json::Json;

/// The history that a forked thread begins with. It is written at once, when the thread begins, in
/// some versions with the times of writing.
#[derive(Debug)]
pub(super) struct ForkedHistory {
    /// The first of the threads that it is from.
    pub(super) root: String,
    /// The number of the first line that is not of it, if the facts say that.
    own_from: Option<u64>,
    /// The times of its first and of its newest line, in milliseconds since 1970.
    written: Option<(i64, i64)>,
}

impl ForkedHistory {
    /// The longest pause between two of its lines, and the longest time in which it is written, in
    /// milliseconds.
    const PAUSE: i64 = 1000;
    const WRITTEN: i64 = 60_000;

    /// For a thread whose facts are on that line; `None` if it does not repeat the history of
    /// another one.
    pub(super) fn of(meta: Json<'_>, line: Json<'_>) -> Option<Self> {
        let named = |name: &str| meta.text_at(name).filter(|id| !is_placeholder(id));
        let own_from = meta
            .present("subagent_history_start_ordinal")
            .and_then(|number| number.as_u64().or_else(|| number.as_str()?.parse().ok()));
        // Newer files name the place in the other file instead of repeating it.
        let is_elsewhere = meta.present("history_base").is_some_and(Json::is_object);
        let root = match named("forked_from_id") {
            Some(from) if !is_elsewhere => from,
            _ => named("parent_thread_id").filter(|_| own_from.is_some())?,
        };
        let begun = millis(line);
        Some(Self { root: root.into_owned(), own_from, written: begun.map(|at| (at, at)) })
    }

    /// Whether the facts say where it ends.
    pub(super) fn has_end(&self) -> bool {
        self.own_from.is_some()
    }

    /// Whether a line is of the history. The lines must be asked about in their order.
    pub(super) fn takes(&mut self, line: Json<'_>) -> bool {
        if let Some((number, own_from)) =
            line.get("ordinal").and_then(Json::as_u64).zip(self.own_from)
        {
            return number < own_from;
        }
        let Some(((first, newest), at)) = self.written.zip(millis(line)) else { return false };
        let is_of_history = at < newest + Self::PAUSE && at < first + Self::WRITTEN;
        if is_of_history {
            self.written = Some((first, newest.max(at)));
        } else {
            self.written = None;
        }
        is_of_history
    }
}

/// The time of a line in milliseconds since 1970.
fn millis(line: Json<'_>) -> Option<i64> {
    let time = line.present("timestamp").and_then(time)?;
    Timestamp::parse(&time).map(Timestamp::millis)
}

/// A time as RFC 3339. Numbers are seconds or milliseconds since 1970.
pub(super) fn time(value: Json<'_>) -> Option<Cow<'_, str>> {
    /// Milliseconds since 1970 exceed this since 1973, seconds do so in the year 5138.
    const MILLISECONDS: f64 = 1e11;
    if let Some(text) = value.as_str() {
        return Some(text);
    }
    let number = value.as_f64()?;
    let millis = if number.abs() < MILLISECONDS { number * 1000.0 } else { number };
    Some(Timestamp::from_millis(millis as i64).to_string().into())
}
