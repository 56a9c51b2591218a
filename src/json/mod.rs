//! JSON text, kept as text.
//!
//! The log carries the caller's own tokens (`1.0` beside `1`, integers of any
//! size, key order, escapes), and refuses what a tree-building parser drops in
//! silence (duplicate keys) or rounds. So a document is checked once
//! ([`check()`]), and then read in place through the borrowed [`Json`] view,
//! or [`Members`] where one object is asked often; [`ObjectText`] writes new ones. The grammar is RFC 8259.

mod check;
mod document;
mod escape;
mod members;
mod text;
mod tree;
mod view;

pub(crate) use check::{Fault, JsonError, MAX_DEPTH, check_each, check_leading, plain_length};
pub use check::{JsonRules, check};
pub(crate) use document::document;
pub(crate) use escape::{escape, unescape};
pub use members::Members;
pub use text::quoted;
pub(crate) use text::{ObjectText, escape_into};
pub use tree::ObjectTree;
pub use view::Json;
pub(crate) use view::Kind;
