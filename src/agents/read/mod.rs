//! Lines, documents and what they are, whatever agent wrote them.

pub(crate) mod detect;
pub(crate) mod document;
mod foreign;
pub(crate) mod imported;
pub(crate) mod line;
mod many_parts;
pub(crate) mod numbers;
mod same_line;
mod settings;
