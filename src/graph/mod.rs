//! The conversation graph: which runs and agents started each other, which calls they made, and the
//! results.

mod dot;
mod fold;
mod mermaid;
pub(crate) mod model;

pub(crate) use dot::dot;
pub(crate) use fold::GraphFold;
pub(crate) use mermaid::mermaid;
