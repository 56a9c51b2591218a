//! The rolling summary of a run: its conversation as text, when a new version is due, what a model
//! is asked, and what is stored. Seed *trpc-session-summary*.
//!
//! | module | purpose |
//! |---|---|
//! | [`turn`], [`conversation`] | events as the turns of a conversation |
//! | [`tokens`] | estimated tokens |
//! | [`cuts`] | where a conversation may be cut, and how much of it fits a budget |
//! | [`due`] | the conditions for a new version |
//! | [`template`] | the prompt |
//! | [`stored`] | the versions in the log |
//! | [`mentions`] | what a summary names word for word, to look it up in the events |
//! | [`scope`] | which branches a key covers |
//! | [`digest`] | a summary without a model |

pub(crate) mod conversation;
pub(crate) mod cuts;
pub(crate) mod digest;
pub(crate) mod due;
pub(crate) mod mentions;
pub(crate) mod scope;
pub(crate) mod stored;
pub(crate) mod stream_name;
pub(crate) mod streamed;
pub(crate) mod template;
pub(crate) mod tokens;
pub(crate) mod turn;
