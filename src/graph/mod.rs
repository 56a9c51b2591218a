//! The conversation graph: who started whom, who called what, what came of it (seed
//! *gateway-events*).

mod dot;
mod fold;
mod mermaid;
pub mod model;

pub use dot::dot;
pub use fold::Fold;
pub use mermaid::mermaid;
