//! The tool `session_summary`.

use serde::Serialize;

use super::bound::Recall;
use super::bounds::{cut, fitted};
use super::error::RecallError;
use super::load::checked_limit;
use super::record::{TextPart, bad_lines, record, the_run};
use crate::event::role::Role;
use crate::ops::read::{Read, each_event};
use crate::ops::search::{Slice, SliceRequest, slice};
use crate::ops::session::stored;
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::summary::session::scope::BranchScope;
use crate::summary::session::stored::StoredSummary;

/// Which session summary is wanted.
#[derive(Clone, Debug)]
pub(crate) struct SummaryRequest {
    /// The run; `None` is the bound one.
    pub(crate) run_id: Option<String>,
    /// A branch; empty for the whole run.
    pub(crate) branch: String,
    /// A version, from 1; `None` is the newest.
    pub(crate) version: Option<u64>,
    /// The part of its text.
    pub(crate) part: SliceRequest,
}

#[derive(Serialize)]
struct RecalledSummary<'s> {
    schema_version: u32,
    run_id: String,
    /// The branch that the summary is about; null for the whole run.
    branch: Option<&'s str>,
    /// Its number, from 1; null if there is no summary.
    version: Option<usize>,
    versions: usize,
    event_id: Option<&'s str>,
    timestamp: Option<String>,
    covers: Option<Covered<'s>>,
    newer: NewerEvents,
    #[serde(flatten)]
    text: TextPart<'s>,
    /// What to do next.
    hint: String,
}

/// The events that a summary covers.
#[derive(Serialize)]
struct Covered<'s> {
    events: u64,
    last_sequence: u64,
    last_event_id: &'s str,
}

/// The events after those that a summary covers.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct NewerEvents {
    events: u64,
    first_sequence: Option<u64>,
    last_sequence: Option<u64>,
}

const NO_SUMMARY: &str = "there is no session summary; the tool chapters lists folded tasks, and \
                          session_search finds events";

impl Recall {
    /// A stored session summary, what it covers, and how much is newer, as JSON.
    ///
    /// # Errors
    /// When the request is refused, or the log cannot be read.
    pub(crate) fn summary(&self, request: &SummaryRequest) -> Result<String, RecallError> {
        let limit = checked_limit(request.part.limit)?;
        let run = self.run(request.run_id.as_deref())?;
        let key = request.branch.trim_matches('/');
        let stored = stored(&run)?;
        let versions = stored.retrieved(key);
        let index = match request.version {
            None => versions.len().checked_sub(1),
            Some(version) => {
                let refused = RecallError::NoSuchVersion { version, versions: versions.len() };
                let index =
                    usize::try_from(version).ok().and_then(|version| version.checked_sub(1));
                Some(index.filter(|index| *index < versions.len()).ok_or(refused)?)
            }
        };
        let summary = index.and_then(|index| versions.get(index).copied());
        let key = summary.map_or(key, |summary| &summary.filter_key);
        let boundary = summary.map_or(0, |summary| summary.last_sequence);
        let (covered, newer, read) = counted(&run, key, boundary)?;
        fitted(limit, |limit| {
            let part = SliceRequest { limit, ..request.part };
            let text = slice(summary.map_or("", |summary| &summary.text), part);
            let hint = hint(summary, key, &request.branch, newer);
            let warnings = bad_lines(&run, read.bad_lines).into_iter().collect();
            let document = RecalledSummary {
                schema_version: 1,
                run_id: run.name(),
                branch: Some(key).filter(|key| !key.is_empty()),
                version: index.map(|index| index + 1),
                versions: versions.len(),
                event_id: summary.map(|summary| summary.event_id.as_str()),
                timestamp: summary.map(|summary| summary.time.to_string()),
                covers: summary.map(|summary| Covered {
                    events: covered,
                    last_sequence: summary.last_sequence,
                    last_event_id: &summary.last_event_id,
                }),
                newer,
                text: TextPart::of(&text),
                hint: with_next(hint, &text),
            };
            Ok(record(&the_run(&run), warnings, document))
        })
    }
}

/// The number of events of a branch up to a boundary, and those after it. The records of summaries
/// do not count.
fn counted(run: &RunDir, key: &str, boundary: u64) -> Result<(u64, NewerEvents, Read), RunError> {
    let (mut covered, mut newer) = (0, NewerEvents::default());
    let scope = BranchScope::new(Some(key), None, true);
    let read = each_event(run, |view, _| {
        let event = view.event;
        let is_record = matches!(view.role, Role::SessionSummary | Role::Backfill);
        if is_record || !scope.takes(event.branch.as_deref()) {
            return;
        }
        if event.sequence <= boundary {
            covered += 1;
            return;
        }
        newer.events += 1;
        newer.first_sequence.get_or_insert(event.sequence);
        newer.last_sequence = Some(event.sequence);
    })?;
    Ok((covered, newer, read))
}

fn hint(summary: Option<&StoredSummary>, key: &str, wanted: &str, newer: NewerEvents) -> String {
    if summary.is_none() {
        return NO_SUMMARY.to_owned();
    }
    let mut hint = String::new();
    if key.is_empty() && !wanted.trim_matches('/').is_empty() {
        let mut wanted = wanted.to_owned();
        cut(&mut wanted, 200);
        hint.push_str(&format!("there is no summary of {wanted}; this is that of the whole run; "));
    }
    hint.push_str(match newer.events {
        0 => "the summary covers all events; ",
        _ => "newer events are not in the summary; ",
    });
    hint + "session_search with the scope current-hidden finds the details behind it"
}

/// The hint with how to get the next part, if there is one.
fn with_next(hint: String, text: &Slice) -> String {
    match text.next {
        Some(next) => format!("the text goes on: call again with content_offset {next}; {hint}"),
        None => hint,
    }
}
