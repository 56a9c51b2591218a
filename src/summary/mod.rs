//! Summaries of events, and the overview of a run (seed *aos-event-summarization*).

pub mod backfill;
pub mod overview;
