//! The events of the gateway's harnesses: `{type, runId, parentId, …}`, one event per line, without
//! times.

use super::{FlatDialect, error_message, of_family, said_of_error};
use crate::agents::Dialect;
use crate::agents::SessionEnd;
use crate::event::catalogue::Row;
use crate::json::Json;

/// What the program knows of the agent.
pub(crate) static AGENT: Dialect = Dialect {
    name: "gateway",
    about: "the gateway: the events of its harnesses",
    sign: |line| GATEWAY.sign(line),
    weak_signs: &[ERROR],
    ending,
    end_types: &["error", "harness_end"],
    reader: || GATEWAY.reader(),
    ..Dialect::PLAIN
};

/// The dialect.
pub(crate) static GATEWAY: FlatDialect = FlatDialect {
    name: "gateway",
    kind: |kind| of_family("gateway", kind).or((kind == "error").then_some("error")),
    evidence,
    complete: error_message,
};

/// The sign of an error, which any program may write.
pub(crate) const ERROR: &str = "runId of an error";

/// An error of the outermost run ends the session, unless work follows. So does the end of its
/// harness, if the reason is a bad one. Other reasons do not say how it ended.
pub(crate) fn ending(line: Json<'_>) -> Option<SessionEnd> {
    let row = GATEWAY.row(line).filter(|_| line.text_at("parentId").is_none())?;
    let reason = line.text_at("reason").unwrap_or_default();
    match (row.name, reason.as_ref()) {
        ("error", _) => {
            Some(SessionEnd::failed(said_of_error(line).unwrap_or("run failed".into())))
        }
        ("harness_end", "error" | "failed") => Some(SessionEnd::failed("The harness failed")),
        ("harness_end", "aborted" | "cancelled" | "canceled" | "interrupted") => {
            Some(SessionEnd::cancelled_because(&format!("The harness ended: {reason}")))
        }
        ("harness_end", limit) if limit.starts_with("max_") => {
            Some(SessionEnd::incomplete(&format!("The harness ended: {reason}")))
        }
        _ => None,
    }
}

/// Every event names its run, except the greeting of a connection.
fn evidence(row: &'static Row, line: Json<'_>) -> Option<&'static str> {
    let name = if row.name == "connected" { "sessionId" } else { "runId" };
    line.text_at(name).map(|_| if row.name == "error" { ERROR } else { name })
}
