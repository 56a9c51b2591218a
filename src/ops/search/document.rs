//! The result of a search as a JSON document.

use serde::Serialize;

use super::hits::{SearchHit, SearchOutcome};
use super::neighbours::Neighbour;
use super::query::Query;

/// What `runlog search --format json` prints and the tool `session_search` returns.
#[derive(Serialize)]
pub(crate) struct SearchDocument<'o> {
    schema_version: u32,
    query: &'o str,
    scope: &'o str,
    /// The number of events that meet the query.
    total: u64,
    results: Vec<HitDocument<'o>>,
    searched: SearchedDocument,
}

#[derive(Serialize)]
struct HitDocument<'o> {
    run_id: &'o str,
    event_id: &'o str,
    sequence: u64,
    r#type: &'o str,
    role: &'o str,
    actor: &'o str,
    timestamp: String,
    score: f64,
    /// The size of the content in bytes.
    content_bytes: u64,
    snippet: &'o str,
    /// Whether the content is longer than the snippet.
    truncated: bool,
    before: Vec<NeighbourDocument<'o>>,
    after: Vec<NeighbourDocument<'o>>,
    /// Other runs that have a copy of the event.
    also_in: &'o [String],
}

#[derive(Serialize)]
struct NeighbourDocument<'o> {
    event_id: &'o str,
    sequence: u64,
    r#type: &'o str,
    role: &'o str,
    actor: &'o str,
    timestamp: String,
    text: &'o str,
}

#[derive(Serialize)]
struct SearchedDocument {
    runs: u64,
    events: u64,
    bytes: u64,
}

impl<'o> SearchDocument<'o> {
    /// The document of an outcome.
    #[must_use]
    pub(crate) fn of(query: &'o Query, scope: &'o str, outcome: &'o SearchOutcome) -> Self {
        let searched = outcome.searched;
        Self {
            schema_version: 1,
            query: query.text(),
            scope,
            total: outcome.total,
            results: outcome.hits.iter().map(HitDocument::of).collect(),
            searched: SearchedDocument {
                runs: searched.runs,
                events: searched.events,
                bytes: searched.bytes,
            },
        }
    }
}

impl<'o> HitDocument<'o> {
    fn of(hit: &'o SearchHit) -> Self {
        let event = &hit.event;
        Self {
            run_id: &event.run_id,
            event_id: &event.event_id,
            sequence: event.sequence,
            r#type: &event.kind,
            role: event.role,
            actor: &event.actor,
            timestamp: event.timestamp.to_string(),
            score: rounded(hit.score),
            content_bytes: hit.bytes,
            snippet: &hit.snippet.text,
            truncated: hit.snippet.text.starts_with('…') || hit.snippet.text.ends_with('…'),
            before: hit.before.iter().map(NeighbourDocument::of).collect(),
            after: hit.after.iter().map(NeighbourDocument::of).collect(),
            also_in: &hit.also_in,
        }
    }
}

impl<'o> NeighbourDocument<'o> {
    fn of(event: &'o Neighbour) -> Self {
        Self {
            event_id: &event.event_id,
            sequence: event.sequence,
            r#type: &event.kind,
            role: event.role,
            actor: &event.actor,
            timestamp: event.timestamp.to_string(),
            text: &event.text,
        }
    }
}

/// A score with three decimals.
fn rounded(score: f64) -> f64 {
    (score * 1000.0).round() / 1000.0
}
