//! The use cases: what the program does with a run, without a terminal.
//!
//! | module | use case |
//! |---|---|
//! | [`read`], [`parallel`] | the loops over a log and over several runs, shared by all use cases |
//! | [`import`] | make runs of agents' session files |
//! | [`live`] | the tasks of a run that is going on |
//! | [`top`] | the live runs of a runs directory |
//! | [`append`], [`refresh`] | append events, and update the derived files |
//! | [`hook`], [`takeover`], [`wire`] | record what agents' hooks report, and set the agents up |
//! | [`doctor`] | what is set up for recording agents, and what is wrong with it |
//! | [`search`] | find events by their text, and read what is around them |
//! | `recall` | the same and more for an agent that reads its own history (feature `mcp`) |
//! | [`show`], [`list`], [`graph`], [`transcript`], [`waterfall`] | read a run for printing |
//! | [`summarize`] | add missing summaries, from templates and a model |
//! | [`session`] | make the session summary, by a model or without one |
//! | [`context`] | what a model needs to continue a run, within a budget |
//! | [`chapter`] | fold tasks into chapters, export the tree, ask an agent in rounds |
//! | [`tables`], [`stats`], [`export`] | the rows of runs, for statistics and for other engines |
//! | [`validate`] | check a run, fix it, and judge its deliverables |
//!
//! Functions take values (the time, the options, the templates) and return values or an [`error`].
//! They report progress to a [`report`]. Those that wait or ask a model do it through a [`host`].
//! They take a [`turn`] if two processes must not do the same work. Nothing here prints, parses
//! arguments, or reads the clock or the environment.

pub(crate) mod append;
pub(crate) mod chapter;
pub(crate) mod context;
pub(crate) mod doctor;
pub(crate) mod error;
pub(crate) mod export;
pub(crate) mod graph;
pub(crate) mod hook;
pub(crate) mod host;
pub(crate) mod import;
pub(crate) mod list;
pub(crate) mod live;
pub(crate) mod parallel;
pub(crate) mod read;
#[cfg(feature = "mcp")]
pub(crate) mod recall;
pub(crate) mod refresh;
pub(crate) mod report;
pub(crate) mod search;
pub(crate) mod session;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod summarize;
pub(crate) mod tables;
pub(crate) mod takeover;
pub(crate) mod top;
pub(crate) mod transcript;
mod transcript_ahead;
pub(crate) mod transcript_live;
pub(crate) mod turn;
pub(crate) mod validate;
pub(crate) mod waterfall;
pub(crate) mod wire;
