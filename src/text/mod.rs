//! Text for people: inert whatever the log holds, and readable. Values in, text out.

pub mod bars;
pub mod human;
pub mod inert;
pub mod markdown;
pub mod slug;
pub mod units;
pub mod uri;
