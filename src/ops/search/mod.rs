//! Search in the events of runs, and the events around a hit.
//!
//! | module | purpose |
//! |---|---|
//! | [`query`], [`term`] | words and phrases, and where they are in a text |
//! | [`needle`], [`reading`], [`moved`] | raw lines that may match; the events on them; values outside the log |
//! | [`scope`], [`ranking`], [`hits`] | which events are searched, their order, and the best of them |
//! | [`snippet`], [`neighbours`] | what is shown of a hit |
//! | [`window`], [`slice`] | one event with its surroundings, and parts of a long content |
//! | [`document`], [`window_document`] | both results as JSON documents |
//!
//! The results have types without a format, and every size has a bound that the caller sets.

mod document;
mod hits;
mod moved;
mod needle;
mod neighbours;
mod query;
mod ranking;
mod reading;
mod scope;
mod slice;
mod snippet;
mod term;
mod window;
mod window_document;

pub(crate) use document::SearchDocument;
pub(crate) use hits::{SearchHit, SearchOutcome, SearchRequest, search};
pub(crate) use neighbours::Neighbour;
#[cfg(feature = "mcp")]
pub(crate) use query::BadQuery;
pub(crate) use query::Query;
pub(crate) use scope::{EventFilter, NamedScope};
pub(crate) use slice::{MAX_SLICE, SLICE, SliceRequest};
#[cfg(feature = "mcp")]
pub(crate) use slice::{Slice, slice};
pub(crate) use snippet::Snippet;
pub(crate) use window::{
    EventWindow, KeptSource, SoughtEvent, WindowEvent, WindowSize, find_event, source_of, window,
};
pub(crate) use window_document::WindowDocument;
