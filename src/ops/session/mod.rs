//! The session summary of a run: makes new versions, through a model or without one, and reads the
//! stored ones.
//!
//! A version is one event, so it is recorded whole or not at all. Its id depends on its number: two
//! processes cannot both record the next version. They also take turns, so that nobody pays twice.

mod ask;
mod count;
mod gather;
mod hooks;
mod renew;
mod round;
mod settings;

pub(crate) use gather::stored;
pub(crate) use renew::{Renewal, preview, renew};
pub(crate) use round::MadeVersion;
pub(crate) use settings::{Hooks, SessionSettings, SummarySource};
