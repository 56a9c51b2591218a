//! Chapters: the index, the exported tree, and how far it is up to date.

mod compare;
mod content;
mod export;
mod lookup;
mod manifest;
mod paths;

pub(crate) use compare::compare;
pub(crate) use content::{content, open_log};
pub(crate) use export::{export, rebuild};
pub(crate) use lookup::read_index;
