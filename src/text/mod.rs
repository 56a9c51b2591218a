//! Text for people: inert whatever the log holds, and readable. Values in, text out.

pub(crate) mod bars;
pub(crate) mod human;
pub(crate) mod inert;
pub(crate) mod markdown;
pub(crate) mod near;
pub(crate) mod slug;
pub(crate) mod units;
pub(crate) mod uri;
