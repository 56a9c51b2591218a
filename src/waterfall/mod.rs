//! The waterfall of a run: one lane per agent, one bar per call, on one time axis. Values in, text or
//! a document out.
//!
//! | module | purpose |
//! |---|---|
//! | [`value`] | the lanes, calls, model calls and marks |
//! | [`collect`] | makes them from the timeline of a run |
//! | [`axis`] | times to columns: long pauses are compressed |
//! | [`rows`] | the bars that are printed: short calls of one tool are folded |
//! | [`text`] | for people |
//! | [`document`] | for programs |

mod axis;
mod collect;
pub(crate) mod document;
mod rows;
pub(crate) mod text;
pub(crate) mod value;

pub(crate) use collect::WaterfallDrawing;
