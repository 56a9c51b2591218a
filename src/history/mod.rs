//! The history of a run, folded from its events by role: tool calls paired with their ends,
//! numbered tasks, usage counted once. No input or output.

pub(crate) mod agents;
pub(crate) mod arguments;
pub(crate) mod block_list;
mod call_ids;
pub(crate) mod calls;
pub(crate) mod chapter_choice;
pub(crate) mod chapters;
pub(crate) mod copied;
pub(crate) mod facts;
pub(crate) mod gradual_map;
mod gradual_table;
mod known_calls;
pub(crate) mod last_turn;
pub(crate) mod ledger;
mod ledger_owners;
pub(crate) mod models;
mod names;
pub(crate) mod origin;
mod recent_starts;
pub(crate) mod request;
mod source_ends;
pub(crate) mod state;
pub(crate) mod status;
pub(crate) mod task_document;
pub(crate) mod task_split;
pub(crate) mod tasks;
pub(crate) mod text;
pub(crate) mod told;
pub(crate) mod usage;
