//! The use cases: what the program does with a run, without a terminal.
//!
//! | module | use case |
//! |---|---|
//! | [`read`] | the loops over a log that everything here shares |
//! | [`append`], [`refresh`] | events appended, and the derived files brought up to date after them |
//! | [`show`], [`list`], [`graph`], [`transcript`] | a run read for printing |
//! | [`summarize`] | missing summaries filled in, by templates and by a model |
//! | [`chapter`] | tasks folded into chapters, the exported tree, rounds with an agent |
//! | [`validate`] | a run compared with its log, fixed, and judged |
//!
//! Functions take values (the time, the options, the templates) and return values or an
//! [`error`]. What they report on the way goes to a [`report`]; those that wait, or ask a model,
//! do it through a [`host`], and take a [`turn`] where two processes must not do the same work.
//! Nothing here prints, parses arguments, or reads the clock or the environment.

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
