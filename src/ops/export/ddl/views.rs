//! The views that engines with JSON functions have over the logs. They have the names and the
//! columns of the tables, as far as SQL can compute them.

use super::calls_view::calls;
use super::events_view::events;
use super::expressions::Expressions;
use super::runs_view::{runs, states};
use super::usage_view::usage;

/// The fields of `run.json` that the views read.
pub(super) const DOCUMENT: &[(&str, DocumentKind)] = &[
    ("run_id", DocumentKind::Text),
    ("session_id", DocumentKind::Text),
    ("task_id", DocumentKind::Text),
    ("status", DocumentKind::Text),
    ("created_at", DocumentKind::Time),
    ("recorded_at", DocumentKind::Time),
    ("imported", DocumentKind::Flag),
    ("started_at", DocumentKind::Time),
    ("ended_at", DocumentKind::Time),
    ("duration_ms", DocumentKind::Integer),
    ("error", DocumentKind::Json),
    ("deliverables", DocumentKind::Json),
    ("metadata", DocumentKind::Json),
    ("models", DocumentKind::Json),
    ("prompt", DocumentKind::Text),
    ("counts", DocumentKind::Json),
    ("head", DocumentKind::Json),
];

/// The kind of a field of `run.json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DocumentKind {
    Text,
    Time,
    Flag,
    Integer,
    Json,
}

/// What the views read and what they leave out.
pub(super) const NOTE: &str = "\
-- The views runs, calls, usage, events and files have the names and the columns of the exported
-- tables. They read events.jsonl, and run.json for what concludes a whole run: its status, times,
-- title, metadata, deliverables and error, and what a session's total adds to its model calls. That
-- is as old as the run's last lifecycle event; `runlog validate --fix` brings it up to date.
-- A run without run.json has no status.
";

/// The views, above a view `runlog_events` of the lines and a view `runlog_documents` of the files
/// `run.json`.
pub(super) fn views(sql: &dyn Expressions) -> String {
    let views = [
        ("runlog_states", states(sql)),
        ("events", events(sql)),
        ("calls", calls(sql)),
        ("usage", usage(sql)),
        ("runs", runs(sql)),
    ];
    views.map(|(name, query)| view(name, &query)).join("\n")
}

/// The definition of a view.
pub(super) fn view(name: &str, query: &str) -> String {
    format!("CREATE OR REPLACE VIEW {name} AS\n{query};\n")
}
