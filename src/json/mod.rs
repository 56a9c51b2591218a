//! JSON as text.
//!
//! The log keeps the caller's own tokens: `1.0` and `1`, integers of any size, the order of keys,
//! escapes. A parser that builds a tree would round numbers and silently drop duplicate keys. So a
//! document is checked once ([`check()`]) and then read in place through the borrowed view
//! [`Json`]. [`JsonIndex`] keeps where long values end and where the outermost members
//! are, so that the view need not search for them. [`Members`] serves repeated
//! look-ups in one object, and [`MemberPlaces`] keeps what it found for the next reader of the same
//! text. [`ObjectText`] writes new objects. The grammar is RFC 8259.

mod check;
mod document;
mod edit;
mod escape;
mod index;
mod members;
mod plain;
mod repair;
mod text;
mod tree;
mod view;

pub(crate) use check::{Fault, JsonError, MAX_DEPTH, check_each, check_leading};
pub use check::{JsonRules, check};
#[cfg(feature = "mcp")]
pub(crate) use document::one_line;
pub(crate) use document::{document, escape_live};
pub(crate) use edit::{EditedJson, JsonStep};
pub(crate) use escape::{escape, unescape};
pub(crate) use index::JsonIndex;
pub use members::{MemberPlaces, Members};
pub(crate) use plain::plain_length;
pub(crate) use repair::{repaired, with_null_numbers};
pub use text::quoted;
pub(crate) use text::{ObjectText, escape_into};
pub use tree::ObjectTree;
pub use view::Json;
pub(crate) use view::Kind;
