//! What the type of a rejected line says: how the run ended, that deliverables are missing, or that
//! another run begins, which has requirements of its own.

use std::borrow::Cow;

use super::DIALECTS;
use crate::event::catalogue;
use crate::event::role::Role;
use crate::history::status::Status;
use crate::json::{Json, JsonRules, check};

/// The dialects whose types are those of the catalogue.
const NATIVE: [&str; 3] = ["native", "runlog", "aos"];

/// What a rejected line would have said about the end of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RejectedEnd {
    /// The type of the line.
    pub(crate) kind: String,
    /// The status that it would have set; `None` if its type does not tell.
    pub(crate) status: Option<Status>,
    /// The deliverables that it would have required, if it can be read.
    pub(crate) required: Vec<String>,
}

impl RejectedEnd {
    /// What a line of that dialect says, which may not be JSON; `None` if it says nothing about the
    /// end.
    pub(crate) fn told_by(dialect: &str, line: &str) -> Option<Self> {
        let kind = type_in(line)?;
        let status = if NATIVE.contains(&dialect) {
            match catalogue::role(kind) {
                Role::DeliverableVerdict | Role::DeliverableMissing => None,
                // Only its requirements would be missed.
                Role::RunCreated => {
                    let required = required_by(line)?;
                    return Some(Self { kind: kind.to_owned(), status: None, required });
                }
                role => Some(Status::ended_by(role)?),
            }
        } else {
            let dialect = DIALECTS.iter().find(|known| known.name == dialect)?;
            dialect.end_types.iter().find(|end| **end == kind).map(|_| None)?
        };
        Some(Self { kind: kind.to_owned(), status, required: Vec::new() })
    }
}

/// The deliverables that a `run.created` requires; `None` if there are none.
fn required_by(line: &str) -> Option<Vec<String>> {
    let json = check(line.as_bytes(), JsonRules::LENIENT).ok()?;
    let required = json.path("data.deliverables.required")?.items();
    let required: Vec<String> = required.filter_map(Json::as_str).map(Cow::into_owned).collect();
    (!required.is_empty()).then_some(required)
}

/// The first value of a key `type` in a text that may not be JSON.
fn type_in(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("\"type\"")?;
    let value = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    value.split_once('"').map(|(kind, _)| kind)
}
