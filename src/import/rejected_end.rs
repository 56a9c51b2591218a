//! What the type of a rejected line says: how the run ended, that deliverables are missing, or that
//! another run begins, which has requirements of its own.

use super::DIALECTS;
use crate::event::catalogue;
use crate::event::role::Role;
use crate::history::status::Status;

/// The dialects whose types are those of the catalogue.
const NATIVE: [&str; 3] = ["native", "runlog", "aos"];

/// What a rejected line would have said about the end of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RejectedEnd {
    /// The type of the line.
    pub(crate) kind: String,
    /// The status that it would have set; `None` if its type does not tell.
    pub(crate) status: Option<Status>,
}

impl RejectedEnd {
    /// What a line of that dialect says, which may not be JSON; `None` if it says nothing about the
    /// end.
    pub(crate) fn told_by(dialect: &str, line: &str) -> Option<Self> {
        let kind = type_in(line)?;
        let status = if NATIVE.contains(&dialect) {
            match catalogue::role(kind) {
                Role::DeliverableVerdict | Role::DeliverableMissing => None,
                Role::RunCreated if line.contains("\"required\"") => None,
                role => Some(Status::ended_by(role)?),
            }
        } else {
            let dialect = DIALECTS.iter().find(|known| known.name == dialect)?;
            dialect.end_types.iter().find(|end| **end == kind).map(|_| None)?
        };
        Some(Self { kind: kind.to_owned(), status })
    }
}

/// The first value of a key `type` in a text that may not be JSON.
fn type_in(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("\"type\"")?;
    let value = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    value.split_once('"').map(|(kind, _)| kind)
}
