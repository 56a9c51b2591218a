//! The context of a run: what a model needs to continue it, within a budget of tokens. Seed
//! *trpc-session-summary*.
//!
//! The events are folded once. Only sizes and places in the log are kept, as many as may end up in
//! the context. When it is known what fits, the texts are loaded and arranged.
//!
//! | module | purpose |
//! |---|---|
//! | [`part`], [`item`] | what an event adds to a conversation, and its size and place |
//! | [`fold`], [`rounds`] | the events as rounds, as many as may fit |
//! | [`budget`], [`compaction`], [`tailoring`] | how much fits; smaller results; fewer rounds |
//! | [`plan`] | what the context has, and what is left out |
//! | [`piece`], [`wrapper`], [`fork`] | the loaded texts; the text around a summary; the request for one |
//! | [`render`], [`messages`], [`markdown`] | the formats |

pub(crate) mod budget;
pub(crate) mod compaction;
pub(crate) mod fold;
pub(crate) mod fork;
pub(crate) mod item;
pub(crate) mod markdown;
pub(crate) mod messages;
pub(crate) mod part;
pub(crate) mod piece;
pub(crate) mod plan;
pub(crate) mod render;
pub(crate) mod rounds;
pub(crate) mod tailoring;
pub(crate) mod wrapper;
