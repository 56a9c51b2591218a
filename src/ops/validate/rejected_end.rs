//! Rejected lines that would have ended the run.

use std::fs::File;

use crate::agents::rejected_end::RejectedEnd;
use crate::check::finding::{Finding, Place};
use crate::check::table::{Code, Level};
use crate::history::status::Status;
use crate::json::{self, JsonRules};
use crate::log::tail::read_range;

/// Maximum length of records that are read, in bytes. A stream keeps no more.
const MOST: u64 = 32 << 20;

/// The finding if a record in those ranges of `logs/rejected.jsonl` is a malformed event that would
/// have ended the run. A well-formed second end is only a warning, so it is one here if the run
/// ended like that. Otherwise the run may have ended in another way: the order is not known. The
/// finding still needs its place.
pub(super) fn rejected_end(
    file: &File,
    ranges: &[(u64, u64)],
    status: Status,
    required: &[String],
) -> Option<impl FnOnce(Place) -> Finding> {
    let ends = ranges.iter().flat_map(|(from, to)| {
        let few = to.checked_sub(*from).is_some_and(|length| length <= MOST);
        let bytes = few.then(|| read_range(file, *from, *to).ok()).flatten().unwrap_or_default();
        bytes.split(|byte| *byte == b'\n').filter_map(end_in).collect::<Vec<_>>()
    });
    // What the run requires anyway is not missed.
    let is_missed = |end: &RejectedEnd| {
        end.required.is_empty() || end.required.iter().any(|path| !required.contains(path))
    };
    let ends = ends.filter(is_missed);
    let is_told = |end: &RejectedEnd| end.status == Some(status);
    let end = ends.min_by_key(is_told)?;
    let message = format!("a line of type {} was rejected; the run is {}", end.kind, status.name());
    let most = if is_told(&end) { Level::Warning } else { Level::Error };
    Some(move |place| Finding::new(Code::RL016, place, message).at_most(most))
}

/// What the rejected line in a record would have said about the end of the run.
fn end_in(record: &[u8]) -> Option<RejectedEnd> {
    let record = json::check(record, JsonRules::LENIENT).ok()?;
    let source = record.text_at("source")?;
    let text = record.text_at("text").or_else(|| record.text_at("head"))?;
    RejectedEnd::told_by(&source, &text)
}
