//! Rejected lines that would have ended the run.

use std::fs::File;

use crate::check::finding::{Finding, Place};
use crate::check::table::{Code, Level};
use crate::event::catalogue;
use crate::history::status::Status;
use crate::json::{self, JsonRules};
use crate::log::tail::read_range;

/// Maximum length of records that are read, in bytes. A stream keeps no more.
const MOST: u64 = 32 << 20;

/// The dialects whose types are those of the catalogue.
const NATIVE: [&str; 2] = ["native", "runlog"];

/// The finding if a record in those ranges of `logs/rejected.jsonl` is a malformed event that would
/// have ended the run. A well-formed second end is only a warning, so it is one here if the run
/// ended like that. Otherwise the run may have ended in another way: the order is not known. The
/// finding still needs its place.
pub(super) fn rejected_end(
    file: &File,
    ranges: &[(u64, u64)],
    status: Status,
) -> Option<impl FnOnce(Place) -> Finding> {
    let ends = ranges.iter().flat_map(|(from, to)| {
        let few = to.checked_sub(*from).is_some_and(|length| length <= MOST);
        let bytes = few.then(|| read_range(file, *from, *to).ok()).flatten().unwrap_or_default();
        bytes.split(|byte| *byte == b'\n').filter_map(end_in).collect::<Vec<_>>()
    });
    let (kind, end) = ends.max_by_key(|(_, end)| *end != status)?;
    let message = format!("a line of type {kind} was rejected; the run is {}", status.name());
    let most = if end == status { Level::Warning } else { Level::Error };
    Some(move |place| Finding::new(Code::RL016, place, message).at_most(most))
}

/// The type of the rejected event in a record, and the status that it would have set, if that is
/// an end.
fn end_in(record: &[u8]) -> Option<(String, Status)> {
    let record = json::check(record, JsonRules::LENIENT).ok()?;
    let source = record.text_at("source")?;
    let text = record.text_at("text").or_else(|| record.text_at("head"))?;
    let kind = NATIVE.contains(&source.as_ref()).then(|| type_in(&text))??;
    Some((kind.to_owned(), Status::ended_by(catalogue::role(kind))?))
}

/// The first value of a key `type` in a text that may not be JSON.
fn type_in(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("\"type\"")?;
    let value = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    value.split_once('"').map(|(kind, _)| kind)
}
