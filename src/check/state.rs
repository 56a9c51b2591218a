//! The checks on `run.json`.

use super::finding::{Finding, Findings, Place};
use super::log::LOG;
use super::table::{Code, Level};
use crate::fs::hash::HexHash;
use crate::history::status::Status;
use crate::json::{self, JsonRules};
use crate::run::document::Head;
use crate::text::human::plural;

/// The file's name in findings.
pub(crate) const STATE: &str = "run.json";

/// The part of the log that the head in `run.json` refers to.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeadSeen {
    /// The hash of the line that ends at the head's byte, if there is one.
    pub hash: Option<HexHash>,
    /// The sequence on that line.
    pub sequence: u64,
    /// The document as it should have been at that point.
    pub expected: Vec<u8>,
}

/// Compares the stored document with the log at its head. `bytes` is the file, `stored` the head in
/// it, and `seen` the log at that position. `status` is that of the whole log.
pub(crate) fn check(
    bytes: Option<&[u8]>,
    stored: Option<&Head>,
    seen: &HeadSeen,
    status: Status,
    findings: &mut Findings,
) {
    let place = Place::file(STATE);
    let Some(bytes) = bytes else {
        // It may be about to be written.
        let level = if status.is_over() { Level::Warning } else { Level::Info };
        findings.push(Finding::new(Code::RL403, place, "there is no run.json").at_most(level));
        return;
    };
    let Some(stored) = stored else {
        findings.push(Finding::new(
            Code::RL404,
            place,
            "the file is not a state document with a head",
        ));
        return;
    };
    let in_log = Place { offset: Some(stored.bytes), ..Place::file(LOG) };
    match &seen.hash {
        None => {
            let message = format!(
                "run.json covers {} in {}; no line of the log ends there: the log was truncated, or lines were changed",
                plural(stored.sequence, "event"),
                plural(stored.bytes, "byte"),
            );
            findings.push(Finding::new(Code::RL303, in_log, message));
        }
        Some(hash) if !hash.is(&stored.hash) => {
            let message = format!("line {}, the head in run.json, was changed", stored.sequence);
            findings.push(Finding::new(Code::RL303, in_log, message));
        }
        Some(_) if stored.sequence != seen.sequence => {
            let message = format!(
                "the head names line {}, but its hash and length are those of line {}",
                stored.sequence, seen.sequence
            );
            findings.push(Finding::new(Code::RL405, place, message));
        }
        Some(_) if is_older_form(bytes, &seen.expected) => {
            let message = "written by an older version of runlog, which kept fewer facts";
            findings.push(Finding::new(Code::RL405, place, message).at_most(Level::Info));
        }
        Some(_) if has_other_prices(bytes, &seen.expected) => {
            let message = "the cost was estimated with other prices, as an older version of runlog \
                           does, so it cannot be compared";
            findings.push(Finding::new(Code::RL405, place, message).at_most(Level::Warning));
        }
        Some(_) if bytes != seen.expected => {
            findings.push(Finding::new(Code::RL405, place, difference(bytes, &seen.expected)));
        }
        Some(_) => behind(bytes, status).into_iter().for_each(|finding| findings.push(finding)),
    }
}

/// The finding if a document tells an earlier status than the log: its writer was killed, or it was
/// copied back.
fn behind(stored: &[u8], status: Status) -> Option<Finding> {
    let stored = json::check(stored, JsonRules::STRICT).ok()?;
    let earlier = stored.text_at("status").filter(|earlier| earlier != status.name())?;
    // Calls make a run that was created a running one, and do not update the file.
    if status == Status::Running && earlier == Status::Created.name() {
        return None;
    }
    let message = format!(
        "older than the log: its status is {earlier}, that of the log is {}",
        status.name()
    );
    Some(Finding::new(Code::RL405, Place::file(STATE), message).at_most(Level::Info))
}

/// Members of the old form (before `recorded_at`) that have the same meaning today.
const OF_OLD: &[&str] =
    &["run_id", "task_id", "status", "created_at", "error", "deliverables", "head"];
/// Members that have the same meaning today only if nothing was imported.
const OF_OLD_LIVE: &[&str] = &["session_id", "started_at", "ended_at", "duration_ms"];

/// Members of the old form that may have another meaning today.
const OF_OLD_OTHER: &[&str] = &["schema_version", "counts"];

/// Whether a document is in the old form, without `recorded_at`, and agrees with the log.
fn is_older_form(stored: &[u8], expected: &[u8]) -> bool {
    let parse = |bytes| json::check(bytes, JsonRules::STRICT).ok();
    let (Some(stored), Some(expected)) = (parse(stored), parse(expected)) else { return false };
    let live = expected.get("imported").is_none();
    let known = OF_OLD.iter().chain(OF_OLD_LIVE.iter().filter(|_| live));
    let same = |one: Option<json::Json<'_>>, other: Option<json::Json<'_>>| {
        one.is_some() && one.map(json::Json::compact) == other.map(json::Json::compact)
    };
    let counts = stored.get("counts").zip(expected.get("counts"));
    let is_told = |name: &str| {
        let is_other = OF_OLD_OTHER.contains(&name) || !live && OF_OLD_LIVE.contains(&name);
        is_other || same(stored.get(name), expected.get(name))
    };
    stored.get("recorded_at").is_none()
        && stored.members().all(|(name, _)| is_told(&name))
        && known.into_iter().all(|name| same(stored.get(name), expected.get(name)))
        && counts.is_some_and(|(stored, expected)| {
            let mut members = stored.members();
            members.all(|(name, value)| same(Some(value), expected.get(&name)))
        })
}

/// Members of `counts` that depend on the list prices.
const OF_PRICES: &[&str] = &["cost_usd", "cost_estimated", "prices_as_of", "uncosted_calls"];

/// Whether the documents differ only because one estimates the cost by older prices, or not at all.
fn has_other_prices(stored: &[u8], expected: &[u8]) -> bool {
    let parse = |bytes| json::check(bytes, JsonRules::STRICT).ok();
    let (Some(stored), Some(expected)) = (parse(stored), parse(expected)) else { return false };
    let same = |one: json::Json<'_>, other: json::Json<'_>, but: &dyn Fn(&str) -> bool| {
        let members = |object: json::Json<'_>| {
            let members = object.members().filter(|(name, _)| !but(name));
            members.map(|(name, value)| format!("{name}={}", value.compact())).collect::<Vec<_>>()
        };
        members(one) == members(other)
    };
    let date = |document: json::Json<'_>| {
        document.path("counts.prices_as_of").map(|date| date.text().to_owned())
    };
    let counts = stored.get("counts").zip(expected.get("counts"));
    date(expected).is_some()
        && date(expected) != date(stored)
        && same(stored, expected, &|name| name == "counts")
        && counts.is_some_and(|(stored, expected)| {
            same(stored, expected, &|name| OF_PRICES.contains(&name))
        })
}

/// Names the members that differ.
fn difference(stored: &[u8], expected: &[u8]) -> String {
    let parse = |bytes| json::check(bytes, JsonRules::STRICT).ok();
    let (Some(stored), Some(expected)) = (parse(stored), parse(expected)) else {
        return "the file does not match the log".to_owned();
    };
    let same = |name: &str| {
        stored.get(name).map(json::Json::compact) == expected.get(name).map(json::Json::compact)
    };
    let names: Vec<String> = expected
        .members()
        .chain(stored.members().filter(|(name, _)| expected.get(name).is_none()))
        .map(|(name, _)| name.into_owned())
        .filter(|name| !same(name))
        .collect();
    match names.len() {
        0 => "the content is right, but the bytes are not those that runlog writes".to_owned(),
        _ => format!("does not match the log: {}", names.join(", ")),
    }
}
