//! What an agent recalls of its own history: the tools of `runlog mcp`, without the protocol.
//!
//! | module | purpose |
//! |---|---|
//! | [`bound`] | the run that may be read, and the other runs if they may be read too |
//! | [`search`], [`load`], [`summary`], [`chapters`] | one tool each: a request in, a document out |
//! | [`bounds`] | the size of what is returned |
//! | [`record`] | the document of a tool: a notice that it is data, warnings, the result |
//! | [`error`] | why a request is refused, with what to do instead |
//!
//! Each tool reads the log again, so it sees what was recorded since the last request.

mod bound;
mod bounds;
mod chapters;
mod error;
mod load;
mod record;
mod search;
mod summary;

pub(crate) use bound::Recall;
pub(crate) use chapters::ChapterRequest;
pub(crate) use error::RecallError;
pub(crate) use load::LoadRequest;
pub(crate) use search::RecallSearch;
pub(crate) use summary::SummaryRequest;
