//! The use cases: what the program does with a run, without a terminal.
//!
//! Functions take values (the time, the options, the templates) and return values or typed
//! errors. Nothing here prints, parses arguments, or reads the clock or the environment.

pub(crate) mod append;
pub(crate) mod chapter;
pub(crate) mod error;
pub(crate) mod graph;
pub(crate) mod host;
pub(crate) mod list;
pub(crate) mod read;
pub(crate) mod refresh;
pub(crate) mod report;
pub(crate) mod show;
pub(crate) mod summarize;
pub(crate) mod transcript;
pub(crate) mod turn;
pub(crate) mod validate;
