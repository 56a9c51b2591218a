//! Summaries of events, and the overview of a run (seed *aos-event-summarization*).

pub mod answer;
pub mod backfill;
pub mod overview;
pub mod prices;
pub mod prompt;
pub mod spending;
pub mod wanted;
