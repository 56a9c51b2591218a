//! Text for people: safe whatever the log contains, and readable.

pub(crate) mod ansi;
pub(crate) mod bars;
pub(crate) mod csv;
pub(crate) mod defuse;
pub(crate) mod distinct;
pub(crate) mod glob;
pub(crate) mod human;
pub(crate) mod inert;
pub(crate) mod markdown;
pub(crate) mod mention;
pub(crate) mod near;
pub(crate) mod output;
pub(crate) mod prose;
pub(crate) mod slug;
pub(crate) mod units;
pub(crate) mod uri;
pub(crate) mod whole;
pub(crate) mod wrap;
