//! The conversation graph: which runs and agents started each other, which calls they made, and the
//! results.

mod caption;
mod condense;
mod dot;
pub(crate) mod drawing;
mod fold;
mod mermaid;
pub(crate) mod model;
mod place;

pub(crate) use dot::dot;
pub(crate) use fold::GraphFold;
pub(crate) use mermaid::mermaid;
