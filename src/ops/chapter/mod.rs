//! Chapters: lookup, folding, export, and rounds in which an agent is asked.

mod compare;
mod content;
mod export;
mod fold;
mod follow;
mod list;
mod lookup;
mod manifest;
mod paths;
mod round;

pub(crate) use compare::compare;
pub(crate) use export::{export, is_exported, is_witness, rebuild};
pub(crate) use fold::{FoldInput, fold, propose, unfold};
pub(crate) use follow::{FollowedTasks, Next};
pub(crate) use list::ChapterList;
pub(crate) use lookup::{fill_index, find_chapter, list_folder, read_index, read_page};
pub(crate) use round::{Rounds, newest_call};
