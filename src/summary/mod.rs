//! Summaries of events, and the overview of a run (seed *aos-event-summarization*).

pub(crate) mod answer;
pub(crate) mod backfill;
pub(crate) mod context;
pub(crate) mod overview;
mod placeholder;
pub(crate) mod prices;
pub(crate) mod prompt;
pub(crate) mod session;
pub(crate) mod spending;
pub(crate) mod wanted;
