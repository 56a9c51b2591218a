//! The conversation graph: who started whom, who called what, what came of it (seed
//! *gateway-events*).

mod dot;
mod fold;
mod mermaid;
pub(crate) mod model;

pub(crate) use dot::dot;
pub(crate) use fold::GraphFold;
pub(crate) use mermaid::mermaid;
